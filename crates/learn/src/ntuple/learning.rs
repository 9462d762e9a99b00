//! Learning by playing against itself: temporal differences (Sutton, 1988) on the positions after each move, with a
//! step size for each weight by temporal coherence (Beal and Smith, 1999; for Connect Four: Bagheri, Thill, Koch and
//! Konen, 2014).
//!
//! A game is played with the weights as they are. Then its positions are learned from, the last one first: each is
//! moved towards a mixture of what came next and how the game ended (the λ-return, Watkins 1989). After a random move
//! the mixture starts anew with the best move that could have been played.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, unit};
use tesuji_games::{Outcome, Playable, Position, Side, Stones};

use super::chance::{Purpose, chance};
use super::self_play::{Board, Instinct};
use super::{Layout, TupleNetwork, TuplesError};
use crate::forest::{Pattern, Spread};

/// How weights are learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Learning {
    /// Games against itself.
    pub games: u64,
    /// Games of a step: after each block there is a line of metrics and a checkpoint.
    pub block: u64,
    /// The step towards what is learned, as a share of the error, spread over all weights in use.
    pub alpha: f64,
    /// The step at the end; between, it shrinks by the same factor from game to game.
    pub alpha_end: f64,
    /// How much the end of a game counts beside the position after the next move: 0 to 1.
    pub lambda: f64,
    /// The share of random moves.
    pub epsilon: f64,
    /// The share of random moves at the end; between, it changes evenly.
    pub epsilon_end: f64,
    /// The most random moves at the beginning of a game. How many there are differs from game to game.
    pub openings: u32,
    /// Whether each weight has a step of its own, which shrinks where errors contradict each other.
    pub coherence: Coherence,
    /// What both sides know beside the weights.
    pub instinct: Instinct,
    /// Only moves within so many cells of a stone are looked at; 0 for all moves.
    pub radius: usize,
}

/// Whether each weight has a step of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coherence {
    /// By temporal coherence.
    #[default]
    On,
    /// All weights have the same.
    Off,
}

/// From trials with one seed each: at Connect Four 7x7, after a million games, λ = 0, 0.6 and 0.8 gave weights that scored
/// 59, 63 and 72 % (± 4) against the game's heuristic at depth 6.
impl Default for Learning {
    fn default() -> Learning {
        Learning {
            games: 20_000,
            block: 1_000,
            alpha: 1.0,
            alpha_end: 0.1,
            lambda: 0.8,
            epsilon: 0.1,
            epsilon_end: 0.05,
            openings: 4,
            coherence: Coherence::On,
            instinct: Instinct::Forced,
            radius: 2,
        }
    }
}

impl Learning {
    /// How far the run is before this game, from 0 to 1.
    fn progress(&self, game: u64) -> f64 {
        (game as f64 / self.games.max(1) as f64).min(1.0)
    }

    fn step(&self, game: u64) -> f64 {
        self.alpha * (self.alpha_end / self.alpha).powf(self.progress(game))
    }

    fn exploration(&self, game: u64) -> f64 {
        self.epsilon + (self.epsilon_end - self.epsilon) * self.progress(game)
    }
}

/// What happened in some games.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Moves of all games.
    pub moves: u64,
    /// Games that the first side won.
    pub first: u64,
    /// Drawn games.
    pub draws: u64,
    /// Positions that were learned from.
    pub positions: u64,
    /// The sum of the absolute errors of those positions, on the scale of -1 to 1.
    pub error: f64,
}

/// Weights that are being learned.
pub struct TupleLearning<P: Position> {
    start: P,
    game: String,
    seed: u64,
    pub(super) learning: Learning,
    spread: Spread,
    patterns: Vec<Pattern>,
    layout: Layout,
    /// By entry of the layout, in the eyes of the side to move.
    pub(super) weights: Vec<f32>,
    /// By entry, the sum of all errors and of their absolute values.
    pub(super) coherence: Vec<[f32; 2]>,
    /// Games that were learned from.
    pub(super) games: u64,
    /// The entries of one position, for use in one function.
    active: Vec<u32>,
}

/// Weights on the way: what is kept to go on learning as if nothing had happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Games that were learned from.
    pub games: u64,
    /// What is looked at.
    pub patterns: Vec<Pattern>,
    /// How that is laid on the board.
    pub spread: Spread,
    /// By entry.
    pub weights: Vec<f32>,
    /// By entry, the sum of all errors and of their absolute values.
    pub coherence: Vec<[f32; 2]>,
}

/// One move of a game that is learned from.
struct Step {
    cell: usize,
    side: Side,
    /// Who moves next.
    next: Side,
    /// What the best move here was worth to the first side.
    best: f32,
    /// Whether another move than the best was played.
    explored: bool,
}

impl<P: Playable + Stones> TupleLearning<P> {
    /// A learner that knows nothing.
    pub fn new(
        start: P,
        game: &str,
        seed: u64,
        learning: Learning,
        spread: Spread,
        patterns: Vec<Pattern>,
    ) -> TupleLearning<P> {
        let layout = Layout::new(&patterns, &spread, &start.grid());
        TupleLearning {
            weights: vec![0.0; layout.entries()],
            coherence: vec![[0.0; 2]; layout.entries()],
            games: 0,
            active: Vec::new(),
            game: game.to_string(),
            start,
            seed,
            learning,
            spread,
            patterns,
            layout,
        }
    }

    /// Games that were learned from so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Where the patterns lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Everything that is needed to carry on, beside what the learner was made with.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            games: self.games,
            patterns: self.patterns.clone(),
            spread: self.spread,
            weights: self.weights.clone(),
            coherence: self.coherence.clone(),
        }
    }

    /// Carries on from a checkpoint.
    pub fn restore(&mut self, saved: Checkpoint) -> Result<(), TuplesError> {
        let same = saved.patterns == self.patterns && saved.spread == self.spread;
        let entries = self.layout.entries();
        if !same || [saved.weights.len(), saved.coherence.len()] != [entries; 2] {
            let what = "they belong to other patterns or to another board".to_string();
            return Err(TuplesError::Content { what });
        }
        Checkpoint { games: self.games, weights: self.weights, coherence: self.coherence, .. } =
            saved;
        Ok(())
    }

    /// Plays and learns from so many games.
    pub fn learn(&mut self, games: u64) -> Tally {
        // Taken out while a board that borrows the layout is in use beside the weights.
        let layout = std::mem::replace(&mut self.layout, Layout::empty());
        let mut board = Board::new(&self.start, &layout, self.learning.radius);
        let mut steps = Vec::new();
        let mut tally = Tally::default();
        for _ in 0..games {
            let mut rng = chance(self.seed, Purpose::SelfPlay, self.games);
            let end = self.play(&mut board, &mut steps, &mut rng);
            tally.games += 1;
            tally.moves += steps.len() as u64;
            tally.first += u64::from(end == Outcome::Win(Side::First));
            tally.draws += u64::from(end == Outcome::Draw);
            self.study(&layout, &mut board, &steps, end, &mut tally);
            self.games += 1;
        }
        self.layout = layout;
        tally
    }

    /// One game, written down in `steps`.
    fn play(&self, board: &mut Board<'_, P>, steps: &mut Vec<Step>, rng: &mut Rng) -> Outcome {
        board.restart(&self.start);
        steps.clear();
        let epsilon = self.learning.exploration(self.games);
        let opening = below(rng, self.learning.openings + 1);
        loop {
            if let Some(end) = board.position.outcome() {
                return end;
            }
            let blind = (steps.len() as u32) < opening;
            let explored = blind || unit(rng) < epsilon;
            steps.push(self.advance(board, explored, rng));
        }
    }

    fn advance(&self, board: &mut Board<'_, P>, explore: bool, rng: &mut Rng) -> Step {
        let side = board.position.to_move();
        let forced = match self.learning.instinct {
            Instinct::Forced => board.forced_move(),
            Instinct::None => board.win_by_trying(),
        };
        let (m, best) = match forced {
            Some(m) => (m, None),
            None => {
                let best = board.best(&self.weights, rng);
                let m = if explore { board.random_move(rng) } else { best.m };
                (m, Some(best))
            }
        };
        let cell = board.position.cell(m);
        board.play(&self.weights, m);
        let next = board.position.to_move();
        let explored = best.is_some_and(|best| best.m != m);
        let best = match best {
            Some(best) => best.sum.tanh() * sign(side),
            None => board.sum().tanh() * sign(next),
        };
        Step { cell, side, next, best, explored }
    }

    /// Learns from a game, the last position first. The board stands at the end of the game.
    fn study(
        &mut self,
        layout: &Layout,
        board: &mut Board<'_, P>,
        steps: &[Step],
        end: Outcome,
        tally: &mut Tally,
    ) {
        let mut goal = end.winner().map_or(0.0, sign);
        let step = self.learning.step(self.games) as f32;
        let lambda = self.learning.lambda as f32;
        for (place, made) in steps.iter().enumerate().rev() {
            // The position after this move; the end of the game needs no learning.
            if place + 1 < steps.len() {
                let seen = board.contents.seen_by(made.next);
                let error = self.approach(layout, seen, goal * sign(made.next), step);
                tally.positions += 1;
                tally.error += f64::from(error.abs());
                goal = (1.0 - lambda) * made.best + lambda * goal;
            }
            if made.explored {
                goal = made.best;
            }
            board.contents.take(layout, made.cell, made.side);
        }
    }

    /// Moves the worth of what the side to move sees towards a goal in its eyes; gives the error before that.
    fn approach(&mut self, layout: &Layout, seen: &[u32], goal: f32, step: f32) -> f32 {
        self.active.clear();
        let pairs = seen.iter().zip(layout.empty_entries());
        self.active.extend(pairs.filter(|(entry, empty)| entry != empty).map(|(&entry, _)| entry));
        let sum: f32 = self.active.iter().map(|&entry| self.weights[entry as usize]).sum();
        let error = goal - sum.tanh();
        let size = step * error / self.active.len() as f32;
        match self.learning.coherence {
            Coherence::Off => {
                for &entry in &self.active {
                    self.weights[entry as usize] += size;
                }
            }
            Coherence::On => {
                for &entry in &self.active {
                    let entry = entry as usize;
                    let [net, total] = &mut self.coherence[entry];
                    let share = if *total > 0.0 { net.abs() / *total } else { 1.0 };
                    self.weights[entry] += size * share;
                    *net += error;
                    *total += error.abs();
                }
            }
        }
        error
    }

    /// What was learned, for play.
    pub fn network(&self) -> Result<TupleNetwork, TuplesError> {
        let tables: Vec<Vec<f32>> = (0..self.patterns.len())
            .map(|pattern| self.weights[self.layout.entries_of(pattern)].to_vec())
            .collect();
        TupleNetwork::rounded(self.game.clone(), self.spread, self.patterns.clone(), &tables)
    }
}

/// 1 for the first side, -1 for the other.
fn sign(side: Side) -> f32 {
    if side == Side::First { 1.0 } else { -1.0 }
}
