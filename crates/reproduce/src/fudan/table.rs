//! The report's tournament: the published table by our statistics, and the report's agent and our
//! engine against the published programs where their commands are given.

use std::time::Duration;

use tesuji_play::{
    GameConditions, Match, MatchResult, Openings, PlayerSpec, TimeControl, WinDrawLoss,
};
use tesuji_search::Game;

use super::bayes_elo::{GamesAgainst, place};
use super::openings::{central, published as published_openings};
use super::published::{
    self, AGENT_RATING, OWN, PLAYERS, SIBLING_RATING, gomocup_rating, report_ratings,
};
use crate::comparison::{Better, Estimate};
use crate::move_times::seconds_of_moves;
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue, duration};
use crate::run::{ExternalEngine, ReproduceError, ReproductionRun, open_game};

const GAME: &str = "gomoku:20x20";
/// Three openings, each with both colors.
const GAMES: u64 = 6;
/// pyzobrist: the agent that the report describes.
const AGENT: &str = "fudan-alphabeta:depth=1";
/// Our engine; the clock of the tournament limits it.
const ENGINE: &str = "gomoku:tt=64M";
/// The same agent without a fixed depth: it searches deeper for as long as it has time.
const TIMED_AGENT: &str = "fudan-alphabeta";

/// The time control of the report's tournament.
const PUBLISHED_CLOCK: TimeControl = TimeControl {
    per_move: Some(Duration::from_secs(15)),
    per_game: Some(Duration::from_secs(90)),
    increment: Duration::ZERO,
    margin: Duration::from_secs(1),
};
/// That of a quick run.
const QUICK_CLOCK: TimeControl = TimeControl {
    per_move: Some(Duration::from_secs(1)),
    per_game: Some(Duration::from_secs(6)),
    ..PUBLISHED_CLOCK
};

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let [sums, rated] = published::tables()?;
    let engines = engines(run)?;
    let setup = MatchSetup::new(run)?;
    let (mut played, steps) = (Vec::new(), 2 * engines.len() as u64 + 1);
    for (number, engine) in engines.into_iter().enumerate() {
        run.report_progress(2 * number as u64, steps, &engine.name);
        let agent = setup.play_table_games(AGENT, &engine.spec)?;
        run.report_progress(2 * number as u64 + 1, steps, &engine.name);
        let ours = setup.play_table_games(ENGINE, &engine.spec)?;
        played.push(Played { engine, agent, ours });
    }
    run.report_progress(steps - 1, steps, "head to head");
    let head = setup.head_to_head(run.pick((20, "5ms"), (100, "20ms")))?;
    let tables = vec![
        sums,
        rated,
        ComparisonTable::new(
            format!("`{AGENT}` in pyzobrist's place"),
            setup.rows(&played, |played| &played.agent),
        ),
        ComparisonTable::new(
            format!("Our engine `{ENGINE}` in pyzobrist's place"),
            setup.rows(&played, |played| &played.ours),
        ),
        ComparisonTable::new("Ratings by BayesElo's model", setup.ratings(&played)),
        ComparisonTable::new("Our engine against the report's agent in equal time", vec![head]),
    ];
    Ok(Findings::of_all(tables)
        .note(
            "20×20, free style, 15 s per turn and 90 s per game, the three published openings, \
             each with both colors. The programs of the published table are not part of this \
             project: `--engine NAME=COMMAND` lets one play under its name. Without it, its row \
             is not comparable. Versions may differ from those of 2021.",
        )
        .note(
            "Ratings: BayesElo's model with advantage 0, draw value 0.01 and its default prior, \
             by games against the given engines, whose ratings are fixed. The report does not \
             say what its ratings are relative to; the published cells rated around a mean of \
             1500 give its agent the published rating, so that is taken as its scale. In \
             Gomocup's list the same programs are rated lower and wider apart. 1845 is the \
             rating that another team of the same course gives for its agent, a search with \
             tables of shapes.",
        )
        .note(
            "Games that end by a failure, such as a crash or the time limit, are not rated, and \
             their row is not comparable.",
        ))
}

/// A program that takes part.
struct Engine {
    name: String,
    spec: PlayerSpec,
    /// Its place in the published table.
    place: Option<usize>,
}

/// Returns the given programs, those of the table first and in its order.
fn engines(run: &ReproductionRun<'_>) -> Result<Vec<Engine>, ReproduceError> {
    let engine = |given: &ExternalEngine| {
        let place = published::named(&given.name);
        if place == Some(OWN) {
            let why =
                "pyzobrist is the report's agent, played by fudan-alphabeta; expected an opponent";
            return Err(ReproduceError::Other(why.to_string()));
        }
        let text = format!("external:cmd=\"{}\",memory=512M", given.command);
        let spec = tesuji_players::player(&text)?;
        let name = place.map_or(&*given.name, |place| PLAYERS[place].name);
        Ok(Engine { name: name.to_string(), spec, place })
    };
    let mut engines = run.engines.iter().map(engine).collect::<Result<Vec<_>, _>>()?;
    engines.sort_by_key(|engine| engine.place.unwrap_or(PLAYERS.len()));
    Ok(engines)
}

/// The games against one program.
struct Played {
    engine: Engine,
    agent: MatchResult,
    ours: MatchResult,
}

/// Settings of all matches.
struct MatchSetup<'a> {
    run: &'a ReproductionRun<'a>,
    game: Game,
    openings: Openings,
}

impl<'a> MatchSetup<'a> {
    fn new(run: &'a ReproductionRun<'a>) -> Result<MatchSetup<'a>, ReproduceError> {
        let game = open_game(GAME)?;
        Ok(MatchSetup { run, openings: published_openings(&game)?, game })
    }

    fn play_table_games(
        &self,
        one: &str,
        other: &PlayerSpec,
    ) -> Result<MatchResult, ReproduceError> {
        let clock = self.run.pick(QUICK_CLOCK, PUBLISHED_CLOCK);
        let games = self.run.pick(2, GAMES);
        self.play(one, other, &self.openings, games, clock)
    }

    fn play(
        &self,
        one: &str,
        other: &PlayerSpec,
        openings: &Openings,
        games: u64,
        clock: TimeControl,
    ) -> Result<MatchResult, ReproduceError> {
        let players = [tesuji_players::player(one)?, other.clone()];
        let settings = Match {
            games,
            seed: self.run.seed,
            concurrency: self.run.threads,
            conditions: GameConditions { clock, ..GameConditions::default() },
            ..Match::default()
        };
        Ok(settings.run(&self.game, &players, openings, &|_| {})?)
    }

    /// Marks a row of a quick run.
    fn limited(&self, row: ComparisonRow) -> ComparisonRow {
        let reason = "1 s per turn and 6 s per game instead of 15 s and 90 s, two games";
        self.run.pick(Some(reason), None).map_or(row.clone(), |reason| row.not_comparable(reason))
    }

    /// Returns a row for each opponent of the published table, then for additional programs.
    fn rows(
        &self,
        played: &[Played],
        result: impl Fn(&Played) -> &MatchResult,
    ) -> Vec<ComparisonRow> {
        let mut rows = Vec::new();
        for (place, player) in PLAYERS.iter().enumerate().filter(|(place, _)| *place != OWN) {
            let what = format!("against {}", player.name);
            let found = played.iter().find(|played| played.engine.place == Some(place));
            let said = published::against(place);
            rows.push(match found.map(&result) {
                Some(result) => {
                    let row = ComparisonRow::tally(what, &said, &result.score.tally);
                    without_failures(self.limited(row), result)
                }
                None => {
                    let said = Some(ReportedValue::tally(&said));
                    not_played(what, said, &format!("--engine {}=COMMAND", player.name))
                }
            });
        }
        let others = played.iter().filter(|played| played.engine.place.is_none());
        rows.extend(others.map(|played| {
            let (what, result) = (format!("against {}", played.engine.name), result(played));
            let ours = ReportedValue::tally(&result.score.tally);
            without_failures(ComparisonRow::unpublished(what, ours, "not in the table"), result)
        }));
        rows
    }

    /// Returns the ratings of the report's agent and of our engine, on the scale of the report and
    /// on that of Gomocup.
    fn ratings(&self, played: &[Played]) -> Vec<ComparisonRow> {
        let of_report = report_ratings();
        let on_report = |engine: &Engine| engine.place.map(|place| of_report[place]);
        let on_gomocup = |engine: &Engine| gomocup_rating(&engine.name);
        let agent: Games = |played| &played.agent;
        let ours: Games = |played| &played.ours;
        vec![
            self.rating(
                "the report's agent, scale of the report",
                Some((AGENT_RATING, "around 1600")),
                rated(played, agent, on_report),
            ),
            self.rating(
                "our engine, scale of the report",
                Some((SIBLING_RATING, "1845, another team's agent")),
                rated(played, ours, on_report),
            ),
            self.rating(
                "the report's agent, scale of Gomocup",
                None,
                rated(played, agent, on_gomocup),
            ),
            self.rating("our engine, scale of Gomocup", None, rated(played, ours, on_gomocup)),
        ]
    }

    fn rating(
        &self,
        what: &str,
        published: Option<(f64, &str)>,
        ours: Option<Estimate>,
    ) -> ComparisonRow {
        let published = published.map(|(elo, text)| {
            let elo = Estimate::exact(elo);
            (elo, ReportedValue::of(elo, text))
        });
        let Some(ours) = ours else {
            let needed = "needs games against engines with known ratings: --engine pela=COMMAND";
            return not_played(what, published.map(|(_, figure)| figure), needed);
        };
        let Estimate { value, low, high } = ours;
        let figure = ReportedValue::of(ours, format!("{value:.0} ({low:.0}-{high:.0})"));
        match published {
            Some(published) => self.limited(ComparisonRow::sampled(
                what,
                published,
                (ours, figure),
                Better::Higher,
            )),
            None => {
                ComparisonRow::unpublished(what, figure, "no rating on this scale is published")
            }
        }
    }

    /// More games than the three openings allow: the report's agent would score half of the points
    /// against itself.
    fn head_to_head(&self, (games, time): (u64, &str)) -> Result<ComparisonRow, ReproduceError> {
        let openings = central(&self.game, games as usize / 2, self.run.seed);
        let agent = tesuji_players::player(&format!("{TIMED_AGENT}:time={time}"))?;
        let engine = format!("{ENGINE},time={time}");
        let result = self.play(&engine, &agent, &openings, games, TimeControl::default())?;
        let even = Estimate::exact(50.0);
        let row = ComparisonRow::sampled(
            format!("`gomoku` against `{TIMED_AGENT}`, {time} a move, after four random stones"),
            (even, ReportedValue::of(even, "50 %, itself")),
            (Estimate::points(&result.score.tally), ReportedValue::tally(&result.score.tally)),
            Better::Higher,
        );
        let [ours, theirs] =
            [0, 1].map(|player| duration(Estimate::mean(&seconds_of_moves(&result, player)).value));
        let row = row.with_note(&format!("a move takes {ours} here and {theirs} there"));
        let row = without_failures(row, &result);
        Ok(row.headline("Gomoku 20×20: our engine against the report's best agent, equal time"))
    }
}

/// Picks the games of one of our players.
type Games = fn(&Played) -> &MatchResult;

/// Rates a player by its games against the engines that have a rating.
fn rated(
    played: &[Played],
    games: Games,
    rating: impl Fn(&Engine) -> Option<f64>,
) -> Option<Estimate> {
    let against = |played: &Played| {
        let WinDrawLoss { wins, draws, losses } = decided_by_play(games(played));
        let [wins, draws, losses] = [wins, draws, losses].map(|count| count as f64);
        Some(GamesAgainst { rating: rating(&played.engine)?, wins, draws, losses })
    };
    place(&played.iter().filter_map(against).collect::<Vec<_>>())
}

fn not_played(
    what: impl Into<String>,
    published: Option<ReportedValue>,
    needed: &str,
) -> ComparisonRow {
    let row = ComparisonRow::unpublished(what, ReportedValue::words("not played"), needed);
    ComparisonRow { published, ..row }
}

/// The games that did not end by a failure of a player, such as a crash, which says nothing about
/// strength.
fn decided_by_play(result: &MatchResult) -> WinDrawLoss {
    let mut tally = WinDrawLoss::default();
    let games = result.games.iter().filter(|game| !game.record.ending.kind.is_failure());
    games.for_each(|game| tally.add(game.points));
    tally
}

/// Marks a row with games that ended by a failure of a player.
fn without_failures(row: ComparisonRow, result: &MatchResult) -> ComparisonRow {
    let failures = result.score.tally.games() - decided_by_play(result).games();
    match failures {
        0 => row,
        _ => row.not_comparable(format!("{failures} games ended by a player's failure")),
    }
}

#[cfg(test)]
mod tests {
    use tesuji_play::MatchGame;
    use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord};

    use super::*;
    use crate::comparison::ComparisonVerdict;
    use crate::run::Effort;

    /// Games that ended by the rules, and some that ended on time.
    fn games(wins: u64, losses: u64, on_time: u64) -> MatchResult {
        let mut result = MatchResult::default();
        for number in 1..=wins + losses + on_time {
            let kind = match number <= wins + losses {
                true => EndingKind::Rules,
                false => EndingKind::Time,
            };
            let player = PlayerRecord { name: String::new(), spec: String::new() };
            let record = GameRecord {
                key: number.to_string(),
                event: String::new(),
                game: GAME.to_string(),
                players: [player.clone(), player],
                pair: None,
                seed: 1,
                start: None,
                moves: String::new(),
                opening_plies: 0,
                outcome: tesuji_games::Outcome::Draw,
                ending: Ending::plain(kind),
                thoughts: Vec::new(),
                played_at: 0,
            };
            let points = if number <= wins { 1.0 } else { 0.0 };
            let first_player_side = tesuji_games::Side::First;
            result.games.push(MatchGame { number, first_player_side, points, record });
            result.score.tally.add(points);
        }
        result
    }

    fn given(engines: &[ExternalEngine], effort: Effort) -> ReproductionRun<'_> {
        ReproductionRun { engines, ..ReproductionRun::new(effort, 1, 1, &|_| {}) }
    }

    #[test]
    fn programs_are_named_as_in_the_table_and_others_come_last() {
        let names = ["mine=./mine", "Wine=./pbrain-wine", "mushroom=./m -q"];
        let given_engines = names.map(|engine| engine.parse().unwrap());
        let engines = engines(&given(&given_engines, Effort::Quick)).unwrap();
        let names: Vec<(&str, Option<usize>)> =
            engines.iter().map(|engine| (&*engine.name, engine.place)).collect();
        assert_eq!(names, [("WINE18", Some(1)), ("mushroom", Some(12)), ("mine", None)]);
        let own = ["pyzobrist=./p".parse().unwrap()];
        assert!(super::engines(&given(&own, Effort::Quick)).is_err());
    }

    #[test]
    fn only_games_of_real_programs_are_compared() {
        let pela = ["pela=./p".parse().unwrap()];
        let run = given(&pela, Effort::Full);
        let engine = engines(&run).unwrap().remove(0);
        let played = [Played { engine, agent: games(1, 5, 0), ours: games(5, 1, 0) }];
        let setup = MatchSetup::new(&run).unwrap();
        let rows = setup.rows(&played, |played| &played.agent);
        assert_eq!(rows.len(), 12);
        for row in &rows {
            let verdict = match row.what.as_str() {
                "against pela" => ComparisonVerdict::Agrees,
                _ => ComparisonVerdict::NotComparable,
            };
            assert_eq!(row.verdict, verdict, "{row:?}");
        }
        // pela has 1828 on the scale of the report and 1509 on that of Gomocup. One of six and a
        // virtual draw is two of eight.
        let ratings = setup.ratings(&played);
        let value = |row: usize| ratings[row].ours.value.unwrap();
        let odds = 400.0 * 3f64.log10();
        assert!((value(0) - (1828.0 - odds)).abs() < 1.0, "{ratings:?}");
        assert!((value(1) - (1828.0 + odds)).abs() < 1.0, "{ratings:?}");
        assert!((value(2) - (1509.0 - odds)).abs() < 1.0, "{ratings:?}");
        assert!(ratings[0].verdict.is_counted() && !ratings[2].verdict.is_counted());
        let none = setup.ratings(&[]);
        assert!(none.iter().all(|row| row.verdict == ComparisonVerdict::NotComparable));
    }

    #[test]
    fn failures_are_no_measure_of_strength() {
        let row = || ComparisonRow::count("games", 6, 6);
        assert!(without_failures(row(), &games(3, 3, 0)).verdict.is_counted());
        let failed = without_failures(row(), &games(3, 1, 2));
        assert_eq!(failed.why, "2 games ended by a player's failure");
        assert!(!failed.verdict.is_counted());
        assert_eq!(decided_by_play(&games(3, 1, 2)).games(), 4);
    }

    #[test]
    fn a_quick_run_has_another_limit_and_is_not_comparable() {
        let run = given(&[], Effort::Quick);
        let setup = MatchSetup::new(&run).unwrap();
        let row = setup.limited(ComparisonRow::count("games", 6, 6));
        assert_eq!(row.verdict, ComparisonVerdict::NotComparable);
        assert!(setup.openings_are_three());
    }

    impl MatchSetup<'_> {
        fn openings_are_three(&self) -> bool {
            matches!(&self.openings, Openings::List(lines) if 2 * lines.len() as u64 == GAMES)
        }
    }

    #[test]
    fn our_players_can_be_built() {
        let context = tesuji_play::PlayerContext::new(&open_game(GAME).unwrap(), 1);
        for text in [AGENT, ENGINE, TIMED_AGENT] {
            let spec: PlayerSpec = tesuji_players::player(text).unwrap();
            assert!(spec.build(&context).is_ok(), "{text}");
        }
    }
}
