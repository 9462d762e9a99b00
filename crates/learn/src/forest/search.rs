//! Searches with a forest: the thesis's fixed-depth alpha-beta, or a search with all modern
//! techniques. Both are the engine with the forest as its evaluator.

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, choose, seeded};
use tesuji_games::{Playable, RowPosition, Score};
use tesuji_search::ordering::MoveOrdering;
use tesuji_search::report::sort_best_first;
use tesuji_search::transposition::DepthMatch;
use tesuji_search::{
    Deepening, Engine, EngineOptions, Evaluator, Limits, MoveScore, ProgressFn, Scheduler, Search,
    SearchReport, TableSize, WindowMode,
};

pub use tesuji_search::ParallelMode;

use super::evaluation::ForestEvaluation;
use super::evaluator::{CandidateOrder, ForestCandidates, ForestEvaluator};

/// Options of a search with a forest.
#[derive(Clone, Debug)]
pub struct ForestSearchOptions {
    /// The kind of search.
    pub style: SearchStyle,
    /// The largest distance of a move from a stone; unlimited if `None`. Ignored on boards with
    /// gravity.
    pub radius: Option<usize>,
    /// The order in which moves are tried.
    pub order: CandidateOrder,
    /// Which of several best moves is played.
    pub ties: TieBreak,
    /// The number of threads, including the calling one.
    pub threads: usize,
    /// How threads share the work.
    pub parallel: ParallelMode,
    /// The size of the transposition table, for the strong search and for threads that share a
    /// table.
    pub table: TableSize,
}

/// The kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchStyle {
    /// Alpha-beta to a fixed depth, with the value of plain minimax.
    #[default]
    Thesis,
    /// Iterative deepening with a transposition table, null windows, killer moves, and only the
    /// forced reply where a win must be stopped.
    Strong,
}

/// Which of several best moves is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TieBreak {
    /// The first one found.
    #[default]
    First,
    /// A random one. Slower, because every move needs its exact value.
    Random,
}

impl Default for ForestSearchOptions {
    fn default() -> Self {
        ForestSearchOptions {
            style: SearchStyle::Thesis,
            radius: Some(2),
            order: CandidateOrder::Patterns,
            ties: TieBreak::First,
            threads: 1,
            parallel: ParallelMode::RootSplit,
            table: TableSize::megabytes(16),
        }
    }
}

/// A search with a forest or network. The position must be on the evaluation's board.
pub struct ForestSearch<P: Playable + RowPosition> {
    /// For moves at depth 0.
    evaluator: ForestEvaluator<P::Move>,
    ties: TieBreak,
    rng: Rng,
    engine: Engine<P, ForestEvaluator<P::Move>>,
}

impl<P: Playable + RowPosition> ForestSearch<P> {
    /// Creates a search; the seed is for ties.
    pub fn new(evaluation: Arc<ForestEvaluation>, options: ForestSearchOptions, seed: u64) -> Self {
        let strong = options.style == SearchStyle::Strong;
        let candidates =
            ForestCandidates::new(evaluation.grid(), options.radius, options.order, strong);
        let evaluator = ForestEvaluator::new(evaluation, Arc::new(candidates));
        ForestSearch {
            evaluator: evaluator.clone(),
            ties: options.ties,
            rng: seeded(seed),
            engine: Engine::new(evaluator, engine_options(&options)),
        }
    }

    /// Limits the threads to those that the scheduler has idle.
    pub fn with_scheduler(self, scheduler: Scheduler) -> Self {
        ForestSearch { engine: self.engine.with_scheduler(scheduler), ..self }
    }

    /// The moves near enough to a stone to be considered.
    pub fn near_moves(&mut self, position: &P) -> Vec<P::Move> {
        let mut moves = Vec::new();
        self.evaluator.start(position);
        self.evaluator.for_each_near_move(position, |m| moves.push(m));
        moves
    }
}

fn engine_options<P: Playable + RowPosition>(options: &ForestSearchOptions) -> EngineOptions<P> {
    let common = EngineOptions {
        threads: options.threads,
        parallel: options.parallel,
        win_detection: true,
        ..EngineOptions::plain()
    };
    let shares_table = options.parallel == ParallelMode::SharedTable && options.threads > 1;
    match options.style {
        SearchStyle::Thesis => EngineOptions {
            ordering: if options.order == CandidateOrder::Off {
                MoveOrdering::Off
            } else {
                MoveOrdering::Game
            },
            table: shares_table.then_some(options.table),
            ..common
        },
        SearchStyle::Strong => EngineOptions {
            table: Some(options.table),
            depth_match: DepthMatch::SameOrDeeper,
            ordering: MoveOrdering::Full,
            window: WindowMode::PrincipalVariation,
            deepening: Deepening::On,
            ..common
        },
    }
}

impl<P: Playable + RowPosition> Search<P> for ForestSearch<P> {
    /// Depth 0 takes the child with the forest's highest score and does not detect wins. Learned
    /// weights do, because they cannot evaluate finished games.
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        if limits.depth != Some(0) && self.ties == TieBreak::First {
            return self.engine.search(position, limits, progress);
        }
        let mut report = self.analyze(position, limits, progress);
        if self.ties == TieBreak::Random {
            self.pick_among_equals(&mut report);
        }
        report
    }

    /// Scores every move at the depth reached, best first.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        match limits.depth {
            Some(0) => self.best_child(position),
            _ => self.engine.analyze(position, limits, progress),
        }
    }

    fn forget(&mut self) {
        self.engine.forget();
    }
}

impl<P: Playable + RowPosition> ForestSearch<P> {
    fn pick_among_equals(&mut self, report: &mut SearchReport<P::Move>) {
        let best = report.moves.first().map(|known| known.score);
        let equal: Vec<P::Move> = report
            .moves
            .iter()
            .take_while(|known| Some(known.score) == best)
            .map(|known| known.m)
            .collect();
        if let Some(&m) = choose(&mut self.rng, &equal)
            && report.best != Some(m)
        {
            report.best = Some(m);
            report.line = vec![m];
        }
    }

    /// The forest's score of every child, best first.
    fn best_child(&mut self, position: &P) -> SearchReport<P::Move> {
        let started = Instant::now();
        let moves = self.near_moves(position);
        let mut position = position.clone();
        let mut value = |m| self.evaluator.value_after(&mut position, m);
        let mut scores: Vec<MoveScore<P::Move>> =
            moves.into_iter().map(|m| MoveScore { m, score: value(m), visits: 0 }).collect();
        sort_best_first(&mut scores);
        let first = scores.first().copied();
        SearchReport {
            best: first.map(|known| known.m),
            score: first.map_or(Score::DRAW, |known| known.score),
            line: first.map(|known| known.m).into_iter().collect(),
            nodes: scores.len() as u64,
            time: started.elapsed(),
            moves: scores,
            ..SearchReport::empty()
        }
    }
}
