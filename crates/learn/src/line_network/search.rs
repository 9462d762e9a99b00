//! Alpha-beta with a line network: the engine for games, with the network as its evaluator.

use std::sync::Arc;

use tesuji_games::{Playable, Stones};
use tesuji_search::ordering::Ordering;
use tesuji_search::transposition::DepthMatch;
use tesuji_search::{
    Deepening, Engine, EngineOptions, Limits, Progress, Report, Scheduler, Search, TableSize,
    Window,
};

use super::board::UnfitBoard;
use super::evaluator::LineEvaluator;
use super::table::LineNetwork;

/// How a network is searched with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineSearchOptions {
    /// How many moves of a position are tried: the most promising ones.
    pub width: usize,
    /// The size of the transposition table.
    pub table: TableSize,
    /// How many threads may search, this one included.
    pub threads: usize,
}

impl Default for LineSearchOptions {
    fn default() -> Self {
        LineSearchOptions { width: 12, table: TableSize::megabytes(16), threads: 1 }
    }
}

/// See the top of this file. What it proves, it proves for the moves that are tried: a loss may be none.
pub struct LineSearch<P: Playable + Stones> {
    engine: Engine<P, LineEvaluator<P::Move>>,
}

impl<P: Playable + Stones> LineSearch<P> {
    /// A search for positions of five in a row on boards of this size.
    pub fn new(
        network: Arc<LineNetwork>,
        size: (usize, usize),
        options: &LineSearchOptions,
    ) -> Result<Self, UnfitBoard> {
        let evaluator = LineEvaluator::new(network, size, options.width)?;
        let engine = EngineOptions {
            table: Some(options.table),
            depth_match: DepthMatch::SameOrDeeper,
            ordering: Ordering::Full,
            window: Window::PrincipalVariation,
            deepening: Deepening::On,
            win_detection: true,
            threads: options.threads,
            ..EngineOptions::plain()
        };
        Ok(LineSearch { engine: Engine::new(evaluator, engine) })
    }

    /// Takes no more threads than the scheduler has idle.
    pub fn with_scheduler(self, scheduler: Scheduler) -> Self {
        LineSearch { engine: self.engine.with_scheduler(scheduler) }
    }
}

impl<P: Playable + Stones> Search<P> for LineSearch<P> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        self.engine.search(position, limits, progress)
    }

    /// A score for every move that is tried at the depth reached, best first.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        self.engine.analyze(position, limits, progress)
    }

    fn forget(&mut self) {
        self.engine.forget();
    }
}
