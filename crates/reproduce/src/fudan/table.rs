//! The report's tournament: the published table by our own statistics, and its agent once more against players of our
//! own in place of the programs that are not at hand, or against those programs where they are named.

use tesuji_play::{Match, MatchResult, Openings, PlayerSpec, WinDrawLoss};
use tesuji_search::Game;

use super::openings::{central, published as published_openings};
use super::published::{self, OWN, PLAYERS};
use crate::comparison::{Better, Estimate, compare};
use crate::report::{Figure, Findings, Row, Table};
use crate::run::{Engine, ReproduceError, Run, open_game};

const GAME: &str = "gomoku:20x20";
/// Three openings, each with both colours.
const GAMES: u64 = 6;
/// pyzobrist: the agent as the report describes it.
const AGENT: &str = "report-alphabeta:depth=1";
/// Our engine, limited by nodes so that its games repeat.
const ENGINE: &str = "gomoku:nodes=20000,tt=8M";

/// Who plays in place of a program, by its place in the table; strong ones first, as there.
const STAND_INS: [(usize, &str); 12] = [
    (0, "gomoku:nodes=10000,tt=8M"),
    (1, "gomoku:nodes=3000,tt=8M"),
    (2, "gomoku:nodes=300,tt=8M"),
    (3, "uct:sims=400"),
    (5, "critic-mcts:sims=200"),
    (6, "report-alphabeta:set=pydan2,depth=1"),
    (7, "critic"),
    (8, "report-naive:reach=2"),
    (9, "report-naive"),
    (10, "report-mcts:playouts=20"),
    (11, "heuristic"),
    (12, "random"),
];
/// Whom the quick run leaves out.
const ONLY_IN_FULL: [usize; 6] = [1, 3, 6, 9, 10, 11];

/// Plays.
pub(super) fn run(run: &Run<'_>) -> Result<Findings, ReproduceError> {
    let [sums, places] = published::tables(run.seed)?;
    let game = open_game(GAME)?;
    let hall = Hall { run, openings: published_openings(&game)?, game };
    let rivals = rivals(run)?;
    let (mut rows, mut sums_of_all) = (Vec::new(), Sums::default());
    let steps = 2 * rivals.len() as u64 + 1;
    for (number, rival) in rivals.iter().enumerate() {
        run.show(2 * number as u64, steps, &rival.name);
        let agent = hall.meet(AGENT, &rival.spec)?;
        run.show(2 * number as u64 + 1, steps, &rival.name);
        let ours = hall.meet(ENGINE, &rival.spec)?;
        rows.push(rival.row(&agent));
        sums_of_all.add(rival, &agent.score.tally, &ours.score.tally);
    }
    run.show(steps - 1, steps, "head to head");
    let head = hall.head_to_head(run.pick(10, 100))?;
    let tables = vec![
        sums,
        places,
        Table::new(format!("`{AGENT}` in pyzobrist's place"), rows),
        Table::new("All of these opponents that are in the published table", sums_of_all.rows()),
        Table::new("Our engine against the report's agent", vec![head]),
    ];
    Ok(Findings::of_all(tables).note(notes()).note(
        "The report gives its agent about 1600 BayesElo. A list of ratings has no zero of its own, so that places are compared.",
    ))
}

fn notes() -> String {
    format!(
        "20×20, free style, the three published openings, each with both colours. The programs of the published table are not \
         part of this project: `--engine NAME=COMMAND` lets one play under its name; a stand-in plays for each of the others, and \
         what it shows is that our agent plays, not how strong it is. Ours is `{ENGINE}`. All of our players are limited by depth, \
         nodes or simulations, so that the games repeat."
    )
}

/// Somebody to play against.
struct Rival {
    name: String,
    spec: PlayerSpec,
    /// The report's agent against it, if it is in the table.
    published: Option<WinDrawLoss>,
    is_real: bool,
}

/// Those of the table, each as itself or as its stand-in, and whoever else is named.
fn rivals(run: &Run<'_>) -> Result<Vec<Rival>, ReproduceError> {
    let mut rivals = Vec::new();
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
        rivals.push(Rival { name: name.to_string(), spec, published, is_real: real.is_some() });
    }
    let in_table = |engine: &&Engine| {
        PLAYERS.iter().any(|player| player.name.eq_ignore_ascii_case(&engine.name))
    };
    for engine in run.engines.iter().filter(|engine| !in_table(engine)) {
        let (name, spec) = (engine.name.clone(), external(engine, run)?);
        rivals.push(Rival { name, spec, published: None, is_real: true });
    }
    Ok(rivals)
}

/// Another program, with its time for a move.
fn external(engine: &Engine, run: &Run<'_>) -> Result<PlayerSpec, ReproduceError> {
    if PLAYERS[OWN].name.eq_ignore_ascii_case(&engine.name) {
        let why =
            "pyzobrist is the report's agent, which report-alphabeta stands for; name an opponent";
        return Err(ReproduceError::Other(why.to_string()));
    }
    let time = run.pick("100ms", "1s");
    let text = format!("external:cmd=\"{}\",time={time}", engine.command);
    Ok(tesuji_players::player(&text)?)
}

impl Rival {
    fn row(&self, result: &MatchResult) -> Row {
        let tally = &result.score.tally;
        let what = match self.is_real {
            true => format!("against {}", self.name),
            false => format!("against {} (stand-in {})", self.name, self.spec.text()),
        };
        let row = match (&self.published, self.is_real) {
            (Some(published), true) => Row::tally(what, published, tally),
            (Some(published), false) => {
                let side = |tally: &WinDrawLoss| (Estimate::points(tally), Figure::tally(tally));
                Row::sampled(what, side(published), side(tally), Better::Neither)
                    .noting("the opponent is a stand-in")
            }
            (None, _) => {
                let (verdict, why) =
                    compare(Estimate::exact(50.0), Estimate::points(tally), Better::Higher);
                let why = format!("{why}, beside an even score: this one is not in the table");
                Row::judged(what, None, Figure::tally(tally), verdict, why)
            }
        };
        match result.failures {
            0 => row,
            failures => row.noting(&format!("{failures} games ended by a failure of a player")),
        }
    }
}

/// What all games need.
struct Hall<'a> {
    run: &'a Run<'a>,
    game: Game,
    openings: Openings,
}

impl Hall<'_> {
    fn meet(&self, one: &str, other: &PlayerSpec) -> Result<MatchResult, ReproduceError> {
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

    /// More games than three openings give: the report's agent would make half of the points against itself.
    fn head_to_head(&self, games: u64) -> Result<Row, ReproduceError> {
        let openings = central(&self.game, games as usize / 2, self.run.seed);
        let result = self.play(ENGINE, &tesuji_players::player(AGENT)?, &openings, games)?;
        let even = Estimate::exact(50.0);
        let tally = &result.score.tally;
        let row = Row::sampled(
            "`gomoku` against `report-alphabeta`, four stones by chance first",
            (even, Figure::of(even, "50 %, itself")),
            (Estimate::points(tally), Figure::tally(tally)),
            Better::Higher,
        );
        Ok(row.headline("Gomoku 20×20: our engine against the report's best agent"))
    }
}

/// The games against those of the published table who take part, all together.
#[derive(Default)]
struct Sums {
    published: WinDrawLoss,
    agent: WinDrawLoss,
    engine: WinDrawLoss,
    has_stand_ins: bool,
}

impl Sums {
    fn add(&mut self, rival: &Rival, agent: &WinDrawLoss, engine: &WinDrawLoss) {
        if let Some(published) = &rival.published {
            add(&mut self.published, published);
            add(&mut self.agent, agent);
            add(&mut self.engine, engine);
            self.has_stand_ins |= !rival.is_real;
        }
    }

    fn rows(&self) -> Vec<Row> {
        let side = |tally: &WinDrawLoss| (Estimate::points(tally), Figure::tally(tally));
        let row = |what: &str, ours: &WinDrawLoss, better| {
            let row = Row::sampled(what, side(&self.published), side(ours), better);
            if self.has_stand_ins { row.noting("some opponents are stand-ins") } else { row }
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

    fn names(engines: &[Engine]) -> Vec<(String, bool)> {
        let run = Run { engines, ..Run::new(Effort::Quick, 1, 1, &|_| {}) };
        rivals(&run).unwrap().into_iter().map(|rival| (rival.name, rival.is_real)).collect()
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
