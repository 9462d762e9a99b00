//! How strong weights are at one ply: games against a player of random moves and against the line heuristic.

use tesuji_games::random::{Rng, below};
use tesuji_games::{Outcome, Playable, Side, Stones};

use super::chance::{Purpose, chance};
use super::self_play::{Board, Instinct};
use super::{Learner, Learning};
use crate::forest::{LineOrder, heuristic_move};

/// Somebody to play against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rival {
    /// Any move, each as likely as any other.
    Random,
    /// The move with the best rows ([`heuristic_move`]).
    Heuristic,
}

/// How games ended for one of the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Results {
    /// Games that it won.
    pub won: u64,
    /// Games that nobody won.
    pub drawn: u64,
    /// Games that it lost.
    pub lost: u64,
}

impl Results {
    fn count(&mut self, end: Outcome, side: Side) {
        match end.winner() {
            Some(winner) if winner == side => self.won += 1,
            Some(_) => self.lost += 1,
            None => self.drawn += 1,
        }
    }

    /// The share of points, a draw being half of one.
    pub fn share(&self) -> f64 {
        let games = self.won + self.drawn + self.lost;
        (self.won as f64 + 0.5 * self.drawn as f64) / (games as f64).max(1.0)
    }
}

/// Random moves before both players begin to think, at most; both games of a pair begin alike.
const OPENING: u32 = 3;

impl<P: Playable + Stones> Learner<P> {
    /// Plays pairs of games, once with each colour, with the weights as they are.
    pub fn measure(&self, rival: Rival, games: u64) -> Results {
        let order = LineOrder::new(&self.start().grid());
        let mut board = Board::new(self.start(), self.layout(), self.learning().radius);
        let mut results = Results::default();
        for number in 0..games {
            let side = Side::ALL[number as usize % 2];
            board.restart(self.start());
            self.open(&mut board, &mut chance(self.seed(), Purpose::Measure, number / 2));
            let mut rng = chance(self.seed(), Purpose::Measure, (1 << 40) + number);
            let end = self.contest(&mut board, side, rival, &order, &mut rng);
            results.count(end, side);
        }
        results
    }

    /// A few random moves that decide nothing.
    fn open(&self, board: &mut Board<'_, P>, rng: &mut Rng) {
        for _ in 0..below(rng, OPENING + 1) {
            let m = board.random_move(rng);
            board.play(&self.weights, m);
        }
        if board.position.outcome().is_some() {
            board.restart(self.start());
        }
    }

    fn contest(
        &self,
        board: &mut Board<'_, P>,
        side: Side,
        rival: Rival,
        order: &LineOrder,
        rng: &mut Rng,
    ) -> Outcome {
        loop {
            if let Some(end) = board.position.outcome() {
                return end;
            }
            let m = if board.position.to_move() == side {
                choose_move(board, &self.weights, self.learning(), rng)
            } else {
                match rival {
                    Rival::Random => board.position.random_move(rng),
                    Rival::Heuristic => heuristic_move(&board.position, order, rng),
                }
            };
            board.play(&self.weights, m);
        }
    }
}

/// The move of a player of one ply.
pub(super) fn choose_move<P: Playable + Stones>(
    board: &mut Board<'_, P>,
    weights: &[f32],
    learning: &Learning,
    rng: &mut Rng,
) -> P::Move {
    let forced = match learning.instinct {
        Instinct::Forced => board.forced_move(),
        Instinct::None => board.win_by_trying(),
    };
    forced.unwrap_or_else(|| board.best(weights, rng).m)
}
