//! Self-play learning: temporal differences (Sutton, 1988) on the positions after each move, with a
//! learning rate for each weight by temporal coherence (Beal and Smith, 1999; for Connect Four:
//! Bagheri, Thill, Koch and Konen, 2014).
//!
//! A game is played with fixed weights. Training then visits its positions from last to first: the
//! target of each is the λ-return (Watkins, 1989), which combines the next position's value with
//! the game's result. An exploratory move resets the λ-return to the value of the best move.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, unit};
use tesuji_games::{Outcome, Playable, Position, RowPosition, Side};

use super::layout::TupleLayout;
use super::rng::{RngPurpose, rng_for};
use super::self_play::{SelfPlayBoard, TacticsMode};
use super::{TupleNetwork, TuplesError};
use crate::blocks::BlockStats;
use crate::forest::{Pattern, Spread};
use crate::settings::settings;

settings! {
    /// Settings of temporal differences. Defaults are from trials with one seed each: at Connect
    /// Four 7x7, after a million games, λ = 0, 0.6 and 0.8 gave weights that scored 59, 63 and 72 %
    /// (± 4) against the game's heuristic at depth 6.
    pub struct TdSettings {
        /// Self-play games.
        pub games: u64 = 20_000, 1.0..=1e12;
        /// Games per step. Each step writes a line of metrics and a checkpoint.
        pub block: u64 = 1_000, 1.0..=1e12;
        /// The learning rate: the share of the error that is corrected, spread over all active
        /// weights.
        pub alpha: f64 = 1.0, 1e-9..=1e3;
        /// The learning rate at the end; it decays exponentially.
        pub alpha_end: f64 = 0.1, 1e-9..=1e3;
        /// λ, the weight of later positions and the game's result against the position after the
        /// next move: 0 to 1.
        pub lambda: f64 = 0.8, 0.0..=1.0;
        /// The share of random moves.
        pub epsilon: f64 = 0.1, 0.0..=1.0;
        /// The share of random moves at the end; it changes linearly.
        pub epsilon_end: f64 = 0.05, 0.0..=1.0;
        /// The maximum number of random opening moves; the number is drawn for each game.
        pub openings: u32 = 4, 0.0..=1e6;
        /// Whether each weight has its own learning rate, which falls where errors contradict each
        /// other.
        pub coherence: Coherence = Coherence::On;
        /// Which moves both sides play regardless of the weights.
        #[serde(alias = "instinct")]
        pub tactics: TacticsMode = TacticsMode::Forced;
        /// Considers only moves within this distance of a stone; 0 for all moves.
        pub radius: usize = 2, 0.0..=20.0;
    }
}

/// Whether each weight has its own learning rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coherence {
    /// Yes, by temporal coherence.
    On,
    /// No: all weights have the same.
    Off,
}

impl TdSettings {
    /// The progress of the run before this game, from 0 to 1.
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

/// Weights in training.
pub(super) struct TupleTrainer<P: Position> {
    start: P,
    seed: u64,
    pub(super) learning: TdSettings,
    pub(super) spread: Spread,
    pub(super) patterns: Vec<Pattern>,
    pub(super) layout: Arc<TupleLayout>,
    /// By entry of the layout, from the point of view of the side to move.
    pub(super) weights: Vec<f32>,
    /// By entry, the sum of all errors and the sum of their absolute values.
    pub(super) coherence: Vec<[f32; 2]>,
    /// Games trained on so far.
    pub(super) games: u64,
    /// A buffer for the entries of one position.
    active: Vec<u32>,
}

/// One move of a training game.
struct PlayedMove {
    cell: usize,
    side: Side,
    /// The side to move next.
    next: Side,
    /// The value of the best move here for the first side.
    best: f32,
    /// Whether a move other than the best was played.
    explored: bool,
}

impl<P: Playable + RowPosition> TupleTrainer<P> {
    /// A trainer with zero weights.
    pub(super) fn new(
        start: P,
        seed: u64,
        learning: TdSettings,
        spread: Spread,
        patterns: Vec<Pattern>,
    ) -> TupleTrainer<P> {
        let layout = Arc::new(TupleLayout::new(&patterns, &spread, &start.grid()));
        TupleTrainer {
            weights: vec![0.0; layout.entries()],
            coherence: vec![[0.0; 2]; layout.entries()],
            games: 0,
            active: Vec::new(),
            start,
            seed,
            learning,
            spread,
            patterns,
            layout,
        }
    }

    /// Restores a saved state of the same patterns: games, weights and their coherence.
    pub(super) fn resume(
        &mut self,
        games: u64,
        weights: Vec<f32>,
        coherence: Vec<[f32; 2]>,
    ) -> Result<(), TuplesError> {
        if [weights.len(), coherence.len()] != [self.layout.entries(); 2] {
            let what = format!(
                "{} weights; expected {}, as the patterns have on this board",
                weights.len(),
                self.layout.entries()
            );
            return Err(TuplesError::Content(what));
        }
        (self.games, self.weights, self.coherence) = (games, weights, coherence);
        Ok(())
    }

    /// Plays this many games and trains on each.
    pub(super) fn learn(&mut self, games: u64) -> BlockStats {
        let layout = self.layout.clone();
        let mut board = SelfPlayBoard::new(&self.start, &layout, self.learning.radius);
        let (mut stats, mut moves) = (BlockStats::default(), Vec::new());
        for _ in 0..games {
            let mut rng = rng_for(self.seed, RngPurpose::SelfPlay, self.games);
            let end = self.play(&mut board, &mut moves, &mut rng);
            stats.add(end, moves.len() as u64);
            self.train_on_game(&layout, &mut board, &moves, end, &mut stats);
            self.games += 1;
        }
        stats
    }

    /// Plays one game and records it in `moves`.
    fn play(
        &self,
        board: &mut SelfPlayBoard<'_, P>,
        moves: &mut Vec<PlayedMove>,
        rng: &mut Rng,
    ) -> Outcome {
        board.restart(&self.start);
        moves.clear();
        let epsilon = self.learning.exploration(self.games);
        let opening = below(rng, self.learning.openings + 1);
        loop {
            if let Some(end) = board.position.outcome() {
                return end;
            }
            let in_opening = (moves.len() as u32) < opening;
            let explored = in_opening || unit(rng) < epsilon;
            moves.push(self.advance(board, explored, rng));
        }
    }

    fn advance(
        &self,
        board: &mut SelfPlayBoard<'_, P>,
        explore: bool,
        rng: &mut Rng,
    ) -> PlayedMove {
        let side = board.position.to_move();
        let (m, best) = match board.tactical_move(self.learning.tactics) {
            Some(m) => (m, None),
            None => {
                let best = board.best(&self.weights, rng);
                let m = if explore { board.random_move(rng) } else { best.0 };
                (m, Some(best))
            }
        };
        let cell = board.position.cell(m);
        board.play(&self.weights, m);
        let next = board.position.to_move();
        let explored = best.is_some_and(|(best, _)| best != m);
        let best = match best {
            Some((_, sum)) => sum.tanh() * sign(side),
            None => board.sum().tanh() * sign(next),
        };
        PlayedMove { cell, side, next, best, explored }
    }

    /// Trains on a game, the last position first. The board must be at the end of the game.
    fn train_on_game(
        &mut self,
        layout: &TupleLayout,
        board: &mut SelfPlayBoard<'_, P>,
        moves: &[PlayedMove],
        end: Outcome,
        stats: &mut BlockStats,
    ) {
        let mut target = end.winner().map_or(0.0, sign);
        let step = self.learning.step(self.games) as f32;
        let lambda = self.learning.lambda as f32;
        for (ply, played) in moves.iter().enumerate().rev() {
            // The position after this move; a finished game needs no estimate.
            if ply + 1 < moves.len() {
                let entries = board.contents.entries_for(played.next);
                let error = self.update_towards(layout, entries, target * sign(played.next), step);
                stats.positions += 1;
                stats.error += f64::from(error.abs());
                target = (1.0 - lambda) * played.best + lambda * target;
            }
            if played.explored {
                target = played.best;
            }
            board.contents.take(layout, played.cell, played.side);
        }
    }

    /// Moves the value of a position towards a target, both for the side to move; returns the error
    /// before the update.
    fn update_towards(
        &mut self,
        layout: &TupleLayout,
        entries: &[u32],
        target: f32,
        step: f32,
    ) -> f32 {
        self.active.clear();
        let pairs = entries.iter().zip(&layout.empty);
        self.active.extend(pairs.filter(|(entry, empty)| entry != empty).map(|(&entry, _)| entry));
        let sum: f32 = self.active.iter().map(|&entry| self.weights[entry as usize]).sum();
        let error = target - sum.tanh();
        let size = step * error / self.active.len() as f32;
        for &entry in &self.active {
            let entry = entry as usize;
            let mut share = 1.0;
            if self.learning.coherence == Coherence::On {
                let [net, total] = &mut self.coherence[entry];
                if *total > 0.0 {
                    share = net.abs() / *total;
                }
                *net += error;
                *total += error.abs();
            }
            self.weights[entry] += size * share;
        }
        error
    }

    /// The network for play.
    pub(super) fn network(&self, game: &str) -> Result<TupleNetwork, TuplesError> {
        let tables: Vec<Vec<f32>> = (0..self.patterns.len())
            .map(|pattern| self.weights[self.layout.entries_of(pattern)].to_vec())
            .collect();
        TupleNetwork::rounded(game.to_string(), self.spread, self.patterns.clone(), &tables)
    }
}

/// 1 for the first side, -1 for the other.
fn sign(side: Side) -> f32 {
    if side == Side::First { 1.0 } else { -1.0 }
}
