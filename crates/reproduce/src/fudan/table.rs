//! The report's tournament: the published table by our statistics, and our agent against stand-ins
//! for the published programs, or against these programs where they are given.

use tesuji_play::{Match, MatchResult, Openings, PlayerSpec, WinDrawLoss};
use tesuji_search::Game;

use super::openings::{central, published as published_openings};
use super::published::{self, OWN, PLAYERS};
use crate::comparison::{Better, Estimate, compare};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ExternalEngine, ReproduceError, ReproductionRun, open_game};

const GAME: &str = "gomoku:20x20";
/// Three openings, each with both colors.
const GAMES: u64 = 6;
/// pyzobrist: the agent that the report describes.
const AGENT: &str = "fudan-alphabeta:depth=1";
/// Our engine, limited by nodes so that its games repeat.
const ENGINE: &str = "gomoku:nodes=20000,tt=8M";

/// Stand-ins for the programs, by their place in the table; stronger ones first.
const STAND_INS: [(usize, &str); 12] = [
    (0, "gomoku:nodes=10000,tt=8M"),
    (1, "gomoku:nodes=3000,tt=8M"),
    (2, "gomoku:nodes=300,tt=8M"),
    (3, "critic-puct:sims=400"),
    (5, "critic-mcts:sims=200"),
    (6, "fudan-alphabeta:set=pydan2,depth=1"),
    (7, "critic"),
    (8, "fudan-naive:reach=2"),
    (9, "fudan-naive"),
    (10, "fudan-mcts:playouts=20"),
    (11, "heuristic"),
    (12, "random"),
];
/// Opponents that the quick run leaves out.
const ONLY_IN_FULL: [usize; 6] = [1, 3, 6, 9, 10, 11];

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let [sums, places] = published::tables(run.seed)?;
    let game = open_game(GAME)?;
    let setup = MatchSetup { run, openings: published_openings(&game)?, game };
    let opponents = opponents(run)?;
    let (mut rows, mut sums_of_all) = (Vec::new(), PooledTallies::default());
    let steps = 2 * opponents.len() as u64 + 1;
    for (number, opponent) in opponents.iter().enumerate() {
        run.report_progress(2 * number as u64, steps, &opponent.name);
        let agent = setup.play_table_games(AGENT, &opponent.spec)?;
        run.report_progress(2 * number as u64 + 1, steps, &opponent.name);
        let ours = setup.play_table_games(ENGINE, &opponent.spec)?;
        rows.push(opponent.row(&agent));
        sums_of_all.add(opponent, &agent.score.tally, &ours.score.tally);
    }
    run.report_progress(steps - 1, steps, "head to head");
    let head = setup.head_to_head(run.pick(10, 100))?;
    let tables = vec![
        sums,
        places,
        ComparisonTable::new(format!("`{AGENT}` in pyzobrist's place"), rows),
        ComparisonTable::new(
            "All of these opponents that are in the published table",
            sums_of_all.rows(),
        ),
        ComparisonTable::new("Our engine against the report's agent", vec![head]),
    ];
    Ok(Findings::of_all(tables).note(notes()).note(
        "The report gives its agent about 1600 BayesElo. Ratings have no absolute zero, so places are compared.",
    ))
}

fn notes() -> String {
    format!(
        "20×20, freestyle, the three published openings, each with both colors. The programs of \
         the published table are not part of this project: `--engine NAME=COMMAND` lets one play \
         under its name; the others are played by stand-ins, which show that our agent plays, \
         not how strong it is. Ours is `{ENGINE}`. All our players are limited by depth, nodes \
         or simulations, so that the games repeat."
    )
}

/// An opponent.
struct Opponent {
    name: String,
    spec: PlayerSpec,
    /// The result of the report's agent against it, if it is in the table.
    published: Option<WinDrawLoss>,
    is_real: bool,
}

/// Returns the opponents of the table, each as itself or as its stand-in, and additional programs.
fn opponents(run: &ReproductionRun<'_>) -> Result<Vec<Opponent>, ReproduceError> {
    let mut opponents = Vec::new();
    for (place, stand_in) in STAND_INS {
        let name = PLAYERS[place].name;
        let real = run.engines.iter().find(|engine| engine.name.eq_ignore_ascii_case(name));
        if real.is_none() && run.pick(ONLY_IN_FULL.contains(&place), false) {
            continue;
        }
        let spec = match real {
            Some(engine) => external(engine, run)?,
            None => tesuji_players::player(stand_in)?,
        };
        let published = Some(published::against(place));
        opponents.push(Opponent {
            name: name.to_string(),
            spec,
            published,
            is_real: real.is_some(),
        });
    }
    let in_table = |engine: &&ExternalEngine| {
        PLAYERS.iter().any(|player| player.name.eq_ignore_ascii_case(&engine.name))
    };
    for engine in run.engines.iter().filter(|engine| !in_table(engine)) {
        let (name, spec) = (engine.name.clone(), external(engine, run)?);
        opponents.push(Opponent { name, spec, published: None, is_real: true });
    }
    Ok(opponents)
}

/// Returns another program with its time per move.
fn external(
    engine: &ExternalEngine,
    run: &ReproductionRun<'_>,
) -> Result<PlayerSpec, ReproduceError> {
    if PLAYERS[OWN].name.eq_ignore_ascii_case(&engine.name) {
        let why =
            "pyzobrist is the report's agent, played by fudan-alphabeta; expected an opponent";
        return Err(ReproduceError::Other(why.to_string()));
    }
    let time = run.pick("100ms", "1s");
    let text = format!("external:cmd=\"{}\",time={time}", engine.command);
    Ok(tesuji_players::player(&text)?)
}

impl Opponent {
    fn row(&self, result: &MatchResult) -> ComparisonRow {
        let tally = &result.score.tally;
        let what = match self.is_real {
            true => format!("against {}", self.name),
            false => format!("against {} (stand-in {})", self.name, self.spec.text()),
        };
        let row = match (&self.published, self.is_real) {
            (Some(published), true) => ComparisonRow::tally(what, published, tally),
            (Some(published), false) => {
                let side =
                    |tally: &WinDrawLoss| (Estimate::points(tally), ReportedValue::tally(tally));
                ComparisonRow::sampled(what, side(published), side(tally), Better::Neither)
                    .with_note("the opponent is a stand-in")
            }
            (None, _) => {
                let (verdict, why) =
                    compare(Estimate::exact(50.0), Estimate::points(tally), Better::Higher);
                let why = format!("{why}, compared with an even score: it is not in the table");
                ComparisonRow::from_parts(what, None, ReportedValue::tally(tally), verdict, why)
            }
        };
        match result.failures {
            0 => row,
            failures => row.with_note(&format!("{failures} games ended by a player's failure")),
        }
    }
}

/// Settings of all matches.
struct MatchSetup<'a> {
    run: &'a ReproductionRun<'a>,
    game: Game,
    openings: Openings,
}

impl MatchSetup<'_> {
    fn play_table_games(
        &self,
        one: &str,
        other: &PlayerSpec,
    ) -> Result<MatchResult, ReproduceError> {
        self.play(one, other, &self.openings, GAMES)
    }

    fn play(
        &self,
        one: &str,
        other: &PlayerSpec,
        openings: &Openings,
        games: u64,
    ) -> Result<MatchResult, ReproduceError> {
        let players = [tesuji_players::player(one)?, other.clone()];
        let settings =
            Match { games, seed: self.run.seed, concurrency: self.run.threads, ..Match::default() };
        Ok(settings.run(&self.game, &players, openings, &|_| {})?)
    }

    /// More games than the three openings allow: the report's agent would score half of the points
    /// against itself.
    fn head_to_head(&self, games: u64) -> Result<ComparisonRow, ReproduceError> {
        let openings = central(&self.game, games as usize / 2, self.run.seed);
        let result = self.play(ENGINE, &tesuji_players::player(AGENT)?, &openings, games)?;
        let even = Estimate::exact(50.0);
        let tally = &result.score.tally;
        let row = ComparisonRow::sampled(
            "`gomoku` against `fudan-alphabeta`, after four random stones",
            (even, ReportedValue::of(even, "50 %, itself")),
            (Estimate::points(tally), ReportedValue::tally(tally)),
            Better::Higher,
        );
        Ok(row.headline("Gomoku 20×20: our engine against the report's best agent"))
    }
}

/// The summed results against all opponents of the published table.
#[derive(Default)]
struct PooledTallies {
    published: WinDrawLoss,
    agent: WinDrawLoss,
    engine: WinDrawLoss,
    has_stand_ins: bool,
}

impl PooledTallies {
    fn add(&mut self, opponent: &Opponent, agent: &WinDrawLoss, engine: &WinDrawLoss) {
        if let Some(published) = &opponent.published {
            add(&mut self.published, published);
            add(&mut self.agent, agent);
            add(&mut self.engine, engine);
            self.has_stand_ins |= !opponent.is_real;
        }
    }

    fn rows(&self) -> Vec<ComparisonRow> {
        let side = |tally: &WinDrawLoss| (Estimate::points(tally), ReportedValue::tally(tally));
        let row = |what: &str, ours: &WinDrawLoss, better| {
            let row = ComparisonRow::sampled(what, side(&self.published), side(ours), better);
            if self.has_stand_ins { row.with_note("some opponents are stand-ins") } else { row }
        };
        let wanted = if self.has_stand_ins { Better::Neither } else { Better::Higher };
        vec![
            row("the report's agent", &self.agent, wanted),
            row("our engine `gomoku` in its place", &self.engine, Better::Higher),
        ]
    }
}

fn add(sum: &mut WinDrawLoss, more: &WinDrawLoss) {
    sum.wins += more.wins;
    sum.draws += more.draws;
    sum.losses += more.losses;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Effort;

    fn names(engines: &[ExternalEngine]) -> Vec<(String, bool)> {
        let run = ReproductionRun { engines, ..ReproductionRun::new(Effort::Quick, 1, 1, &|_| {}) };
        opponents(&run)
            .unwrap()
            .into_iter()
            .map(|opponent| (opponent.name, opponent.is_real))
            .collect()
    }

    #[test]
    fn named_programs_take_the_places_of_stand_ins_and_strangers_come_last() {
        let stand_ins = names(&[]);
        assert_eq!(stand_ins.len(), STAND_INS.len() - ONLY_IN_FULL.len());
        let engines = ["Wine18=./pbrain-wine", "mushroom=./m -q", "mine=./mine"];
        let named = names(&engines.map(|engine| engine.parse().unwrap()));
        assert_eq!(named.len(), stand_ins.len() + 2);
        assert_eq!(named[1], ("WINE18".to_string(), true));
        assert!(named.contains(&("mushroom".to_string(), true)));
        assert_eq!(named.last(), Some(&("mine".to_string(), true)));
    }

    #[test]
    fn every_stand_in_can_be_built() {
        let context = tesuji_play::PlayerContext::new(&open_game(GAME).unwrap(), 1);
        for text in STAND_INS.iter().map(|(_, text)| *text).chain([AGENT, ENGINE]) {
            let spec: PlayerSpec = tesuji_players::player(text).unwrap();
            assert!(spec.build(&context).is_ok(), "{text}");
        }
    }
}
