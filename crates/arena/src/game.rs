//! One game between two players, and the record of it.

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::{Line, Outcome, Playable, Score, Side};
use tesuji_search::Limits;

use crate::{Choice, Player, Turn};

/// A game that was played, in text, ready for a file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameRecord {
    /// The moves that were given before the players took over.
    pub opening: String,
    /// All moves, the opening included.
    pub moves: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended.
    pub reason: Reason,
    /// What was thought at each move after the opening.
    pub plies: Vec<PlyRecord>,
}

/// One move of a game and the thinking behind it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlyRecord {
    /// Who moved.
    pub side: Side,
    /// The move.
    pub text: String,
    /// The mover's view of the position, if it has one.
    pub score: Option<Score>,
    /// Plies it looked ahead.
    pub depth: u32,
    /// Positions it visited.
    pub nodes: u64,
    /// Wall-clock time it took.
    #[serde(serialize_with = "as_seconds", rename = "seconds")]
    pub time: Duration,
}

fn as_seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By the rules.
    Normal,
    /// A player chose a move that the rules forbid, and lost.
    IllegalMove,
    /// A player failed, for this reason, and lost.
    Error(String),
    /// It went on for too long and was called a draw.
    MaxPlies,
}

/// Plays a game from the end of `opening`. The players stand in the order of the sides. After `max_plies`
/// moves altogether the game is a draw.
pub fn play_game<P: Playable>(
    opening: &Line<P>,
    players: [&mut dyn Player<P>; 2],
    per_move: &Limits,
    max_plies: usize,
) -> GameRecord {
    let mut line = opening.clone();
    let mut plies = Vec::new();
    let (outcome, reason) = loop {
        if let Some(outcome) = line.end.outcome() {
            break (outcome, Reason::Normal);
        }
        if line.moves.len() >= max_plies {
            break (Outcome::Draw, Reason::MaxPlies);
        }
        let side = line.end.to_move();
        let started = Instant::now();
        let choice = match players[side.index()].choose(&line, &Turn::limited(per_move.clone())) {
            Ok(choice) => choice,
            Err(error) => break (Outcome::Win(!side), Reason::Error(error.to_string())),
        };
        if !line.end.is_legal(choice.m) {
            break (Outcome::Win(!side), Reason::IllegalMove);
        }
        plies.push(ply_record(&line, &choice, started.elapsed()));
        line.end.play(choice.m);
        line.moves.push(choice.m);
    };
    GameRecord { opening: opening.text(), moves: line.text(), outcome, reason, plies }
}

fn ply_record<P: Playable>(line: &Line<P>, choice: &Choice<P::Move>, time: Duration) -> PlyRecord {
    let report = choice.report.as_ref();
    PlyRecord {
        side: line.end.to_move(),
        text: line.end.move_text(choice.m),
        score: choice.score(),
        depth: report.map_or(0, |report| report.depth),
        nodes: report.map_or(0, |report| report.nodes),
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerError;
    use crate::players::random::RandomPlayer;
    use tesuji_games::rules::tictactoe::TicTacToe;

    /// Always the same answer, right or wrong.
    struct Stubborn(Result<u8, PlayerError>);

    impl Player<TicTacToe> for Stubborn {
        fn name(&self) -> &str {
            "stubborn"
        }
        fn choose(&mut self, _: &Line<TicTacToe>, _: &Turn) -> Result<Choice<u8>, PlayerError> {
            self.0.clone().map(Choice::unexplained)
        }
        fn new_game(&mut self, _: u64) {}
    }

    fn play(mut first: impl Player<TicTacToe>, max_plies: usize) -> GameRecord {
        let mut second = RandomPlayer::new("random", 3);
        let opening = Line::new(TicTacToe::new());
        play_game(&opening, [&mut first, &mut second], &Limits::default(), max_plies)
    }

    #[test]
    fn a_normal_game_is_recorded() {
        let record = play(RandomPlayer::new("random", 4), 100);
        assert_eq!(record.reason, Reason::Normal);
        let texts: Vec<&str> = record.plies.iter().map(|ply| ply.text.as_str()).collect();
        assert_eq!(texts.concat(), record.moves);
        assert_eq!(record.plies[1].side, Side::Second);
    }

    #[test]
    fn failing_players_lose() {
        let record = play(Stubborn(Ok(200)), 100);
        assert_eq!(
            (record.outcome, &record.reason),
            (Outcome::Win(Side::Second), &Reason::IllegalMove)
        );
        let record = play(Stubborn(Err(PlayerError::NoMove("stubborn".into()))), 100);
        assert_eq!(record.outcome, Outcome::Win(Side::Second));
        assert!(matches!(&record.reason, Reason::Error(text) if text.contains("stubborn")));
    }

    #[test]
    fn a_long_game_is_a_draw() {
        let record = play(RandomPlayer::new("random", 4), 4);
        assert_eq!((record.outcome, record.reason), (Outcome::Draw, Reason::MaxPlies));
        assert_eq!(record.plies.len(), 4);
    }
}
