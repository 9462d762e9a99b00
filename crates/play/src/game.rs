//! Plays one game between two players.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_games::{GameLine, Outcome, Position, Side};
use tesuji_search::Limits;
use tesuji_store::{Ending, EndingKind, SearchRecord};

use crate::clock::Clocks;
use crate::{Adjudication, Adjudicator, Choice, Player, PlayerError, ScoreRule, TimeControl, Turn};

/// The conditions of a game: limits, clocks and adjudication.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GameConditions {
    /// Search limits of a move, for players without limits of their own. Setting the stop flag
    /// aborts the game.
    #[serde(flatten)]
    pub limits: Limits,
    /// The clocks.
    pub clock: TimeControl,
    /// When the game ends early.
    pub adjudication: Adjudication,
}

impl GameConditions {
    /// The conditions as text: games under different conditions are different games. The text is
    /// part of the identity of an event, in a format of its own that must not change; a condition
    /// added later is appended, and only if it is set.
    pub fn text(&self) -> String {
        let ms = |time: Option<Duration>| time.map(|time| time.as_millis());
        let rule = |rule: ScoreRule| format!("({}, {}, {})", rule.score, rule.moves, rule.from_ply);
        let Adjudication { solver, decided, even, max_plies } = self.adjudication.clone();
        format!(
            "depth={} nodes={} time={} move={} game={}+{} margin={} solver={} decided={} even={} \
             plies={max_plies}",
            optional(self.limits.depth),
            optional(self.limits.nodes),
            optional(ms(self.limits.time)),
            optional(ms(self.clock.per_move)),
            optional(ms(self.clock.per_game)),
            self.clock.increment.as_millis(),
            self.clock.margin.as_millis(),
            optional(solver.map(|rule| format!("({}, {})", rule.nodes, rule.from_ply))),
            optional(decided.map(rule)),
            optional(even.map(rule)),
        )
    }

    fn is_stopped(&self) -> bool {
        self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The form of an optional value in the identity of an event.
fn optional(value: Option<impl Display>) -> String {
    value.map_or_else(|| "None".to_string(), |value| format!("Some({value})"))
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves, the opening included.
    pub line: GameLine,
    /// Number of opening moves.
    pub opening_plies: usize,
    /// The result.
    pub outcome: Outcome,
    /// The reason for the end.
    pub ending: Ending,
    /// Search data of each move after the opening.
    pub thoughts: Vec<SearchRecord>,
}

/// Plays a game from the end of `opening`. `players` are in the order of the sides. Returns `None`
/// if the game was stopped.
pub fn play_game(
    opening: &GameLine,
    players: [&mut dyn Player; 2],
    conditions: &GameConditions,
    adjudicator: &mut Adjudicator,
) -> Option<PlayedGame> {
    let mut line = opening.clone();
    let mut clocks = Clocks::start(conditions.clock);
    let mut thoughts = Vec::new();
    adjudicator.new_game();
    let (outcome, ending) = loop {
        if let Some(outcome) = line.end.outcome() {
            break (outcome, Ending::plain(EndingKind::Rules));
        }
        if adjudicator.is_too_long(line.moves.len()) {
            break (Outcome::Draw, Ending::plain(EndingKind::Length));
        }
        let side = line.end.to_move();
        let player = &mut *players[side.index()];
        let turn = clocks.turn(side, &conditions.limits);
        let started = Instant::now();
        let answer = choose_catching_panics(player, &line, &turn);
        let used = started.elapsed();
        if conditions.is_stopped() {
            return None;
        }
        let name = player.name();
        let choice = match answer {
            Ok(choice) if line.end.is_legal(choice.m) => choice,
            Ok(Choice { m, .. }) => {
                let detail = format!("{name} chose {}, which is not a legal move", m.number());
                break lost(side, EndingKind::Illegal, detail);
            }
            Err(error) => break lost(side, error.ending(), error.to_string()),
        };
        if let Err(allowed) = clocks.stop(side, used) {
            let [used, allowed] = [used, allowed].map(|time| time.as_millis());
            let detail = format!("{name} took {used} ms for a move; expected at most {allowed} ms");
            break lost(side, EndingKind::Time, detail);
        }
        thoughts.push(thought(&choice, used));
        line.end.play(choice.m);
        line.moves.push(choice.m);
        let plies = line.moves.len();
        if let Some(result) = adjudicator.after_move(&line.end, plies, side, choice.score()) {
            // The rules take precedence over adjudication.
            break match line.end.outcome() {
                Some(outcome) => (outcome, Ending::plain(EndingKind::Rules)),
                None => result,
            };
        }
    };
    let opening_plies = opening.moves.len();
    Some(PlayedGame { line, opening_plies, outcome, ending, thoughts })
}

/// Asks for a move; a panic counts as a crash of this player, and the match continues.
fn choose_catching_panics(
    player: &mut dyn Player,
    line: &GameLine,
    turn: &Turn,
) -> Result<Choice, PlayerError> {
    let chosen = catch_unwind(AssertUnwindSafe(|| player.choose(line, turn)));
    chosen.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        let why = message.unwrap_or("no message");
        Err(PlayerError::Crash(format!("{} panicked: {why}", player.name())))
    })
}

fn lost(side: Side, kind: EndingKind, detail: String) -> (Outcome, Ending) {
    (Outcome::Win(!side), Ending::with(kind, detail))
}

fn thought(choice: &Choice, used: Duration) -> SearchRecord {
    let report = choice.report.as_ref();
    SearchRecord {
        score: choice.score(),
        depth: report.map_or(0, |report| report.depth),
        nodes: report.map_or(0, |report| report.nodes),
        micros: used.as_micros() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RandomPlayer, opened};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use tesuji_games::Move;
    use tesuji_games::Reference;
    use tesuji_games::rules::tictactoe::TicTacToe;

    /// A player that always gives the same answer, valid or not, after a delay.
    struct FixedAnswer(Result<u8, PlayerError>, Duration);

    impl Player for FixedAnswer {
        fn name(&self) -> &str {
            "stubborn"
        }
        fn choose(&mut self, _: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
            std::thread::sleep(self.1);
            match &self.0 {
                Ok(99) => panic!("ninety-nine"),
                answer => answer.clone().map(|m| Choice::without_report(Move::of(m))),
            }
        }
        fn new_game(&mut self, _: u64) {}
    }

    fn opening() -> GameLine {
        GameLine::new(opened("tictactoe").start().clone())
    }

    fn adjudicator(rules: Adjudication) -> Adjudicator {
        Adjudicator::new(&opened("tictactoe"), rules)
    }

    fn play(first: &mut dyn Player, conditions: &GameConditions) -> PlayedGame {
        let mut second = RandomPlayer::new(3);
        let mut adjudicator = adjudicator(conditions.adjudication.clone());
        play_game(&opening(), [first, &mut second], conditions, &mut adjudicator).unwrap()
    }

    /// The format in the stores of all versions.
    #[test]
    fn the_text_of_conditions_does_not_change() {
        assert_eq!(
            GameConditions::default().text(),
            "depth=None nodes=None time=None move=None game=None+0 margin=100 solver=None \
             decided=None even=None plies=1000"
        );
        let agreement = ScoreRule { score: 500, moves: 3, from_ply: 8 };
        let second = Duration::from_secs(1);
        let all = GameConditions {
            limits: Limits { depth: Some(4), nodes: Some(9), time: Some(second), stop: None },
            clock: TimeControl {
                per_move: Some(second),
                per_game: Some(2 * second),
                increment: second,
                margin: second,
            },
            adjudication: Adjudication {
                solver: Some(crate::SolverRule { nodes: 7, from_ply: 2 }),
                decided: Some(agreement),
                even: Some(agreement),
                max_plies: 50,
            },
        };
        assert_eq!(
            all.text(),
            "depth=Some(4) nodes=Some(9) time=Some(1000) move=Some(1000) game=Some(2000)+1000 \
             margin=1000 solver=Some((7, 2)) decided=Some((500, 3, 8)) even=Some((500, 3, 8)) plies=50"
        );
    }

    fn random() -> RandomPlayer {
        RandomPlayer::new(4)
    }

    #[test]
    fn a_normal_game_is_recorded() {
        let game = play(&mut random(), &GameConditions::default());
        assert_eq!(game.ending, Ending::plain(EndingKind::Rules));
        let end = game.line.end.downcast_ref::<TicTacToe>().unwrap();
        assert_eq!(end.outcome_by_scan(), Some(game.outcome));
        assert_eq!(game.thoughts.len(), game.line.moves.len());
    }

    #[test]
    fn failing_players_lose_with_the_reason_on_record() {
        let now = Duration::ZERO;
        let no_move = PlayerError::NoMove("stubborn".into());
        for (answer, kind, words) in [
            (Ok(200), EndingKind::Illegal, "stubborn chose 200"),
            (Ok(99), EndingKind::Crash, "stubborn panicked: ninety-nine"),
            (Err(no_move), EndingKind::Error, "stubborn found no move"),
            (Err(PlayerError::Crash("gone".into())), EndingKind::Crash, "gone"),
            (Err(PlayerError::Timeout("late".into())), EndingKind::Time, "late"),
        ] {
            let game = play(&mut FixedAnswer(answer, now), &GameConditions::default());
            assert_eq!(game.outcome, Outcome::Win(Side::Second));
            assert_eq!(game.ending.kind, kind);
            assert!(game.ending.detail.contains(words), "{:?}", game.ending);
        }
    }

    #[test]
    fn a_player_that_exceeds_the_clock_loses() {
        let clock = TimeControl {
            per_move: Some(Duration::from_millis(1)),
            margin: Duration::from_millis(1),
            ..TimeControl::default()
        };
        let conditions = GameConditions { clock, ..GameConditions::default() };
        let game = play(&mut FixedAnswer(Ok(0), Duration::from_millis(20)), &conditions);
        assert_eq!(
            (game.outcome, game.ending.kind),
            (Outcome::Win(Side::Second), EndingKind::Time)
        );
        assert!(game.ending.detail.contains("at most 1 ms"), "{:?}", game.ending);
    }

    #[test]
    fn a_long_game_is_a_draw() {
        let adjudication = Adjudication { max_plies: 4, ..Adjudication::default() };
        let game =
            play(&mut random(), &GameConditions { adjudication, ..GameConditions::default() });
        assert_eq!((game.outcome, game.ending.kind), (Outcome::Draw, EndingKind::Length));
        assert_eq!(game.thoughts.len(), 4);
    }

    #[test]
    fn a_game_sends_heartbeats() {
        let cancel = tesuji_queue::CancelToken::default();
        let mut adjudicator = adjudicator(Adjudication::default()).with_heartbeats(&cancel);
        let (mut one, mut two) = (random(), random());
        let conditions = GameConditions::default();
        let game =
            play_game(&opening(), [&mut one, &mut two], &conditions, &mut adjudicator).unwrap();
        assert_eq!(cancel.heartbeats(), game.line.moves.len() as u64);
    }

    #[test]
    fn a_stopped_game_is_no_game() {
        let stop = Arc::new(AtomicBool::new(true));
        let limits = Limits { stop: Some(stop), ..Limits::default() };
        let conditions = GameConditions { limits, ..GameConditions::default() };
        let (mut one, mut two) = (random(), random());
        let mut adjudicator = adjudicator(Adjudication::default());
        assert!(
            play_game(&opening(), [&mut one, &mut two], &conditions, &mut adjudicator).is_none()
        );
    }

    /// The format for other machines must not change: a resumed run compares it.
    #[test]
    fn the_json_of_conditions_does_not_change() {
        let solver = Some(crate::SolverRule { nodes: 10, from_ply: 4 });
        let even = Some(ScoreRule { score: 1, moves: 2, from_ply: 8 });
        let conditions = GameConditions {
            limits: Limits { depth: Some(3), ..Limits::default() },
            clock: TimeControl { per_move: Some(Duration::from_secs(1)), ..TimeControl::default() },
            adjudication: Adjudication { solver, even, ..Adjudication::default() },
        };
        let written = r#"{"depth":3,"nodes":null,"time":null,"clock":{"per_move":{"secs":1,"nanos":0},"per_game":null,"increment":{"secs":0,"nanos":0},"margin":{"secs":0,"nanos":100000000}},"adjudication":{"solver":{"nodes":10,"from_ply":4},"decided":null,"even":{"score":1,"moves":2,"from_ply":8},"max_plies":1000}}"#;
        assert_eq!(serde_json::to_string(&conditions).unwrap(), written);
        let read: GameConditions = serde_json::from_str(written).unwrap();
        assert_eq!(read.text(), conditions.text());
    }
}
