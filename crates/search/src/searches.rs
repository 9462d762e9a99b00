//! Implements [`Searches`] for each type of position, so that the algorithms are compiled once per
//! game. A state is converted to its position once per search, never inside of one.

use std::marker::PhantomData;

use tesuji_games::{Move, Playable, Side, State};

use crate::exact::{ExactSolver, Solution, SolveOptions};
use crate::game::{BoxedSearch, EngineBase, EnginePlan, LeafEvaluation, SearchPlan, Searches};
use crate::perft::{PerftOptions, divide, perft};
use crate::proof::Proof;
use crate::statistics::{GameTreeStatistics, StatisticsError, StatisticsOptions, statistics};
use crate::{
    AlphaBeta, AlphaBetaSolver, BookKeys, Engine, EngineOptions, ExactSolverOptions, FlatUcb,
    FlatUcbOptions, GameHeuristic, Limits, Minimax, Negamax, ProgressFn, ProofSearch, Scheduler,
    Search, SearchReport, TableSize, Uct, UctOptions,
};

/// The searches for states of this type of position.
pub fn of<P: Playable>(_: &State) -> &'static dyn Searches {
    const { &CompiledSearches::<P>(PhantomData) }
}

struct CompiledSearches<P>(PhantomData<fn(P)>);

impl<P: Playable> Searches for CompiledSearches<P> {
    fn search(&self, plan: &SearchPlan, seed: u64, scheduler: Option<&Scheduler>) -> BoxedSearch {
        let search: Box<dyn Search<P>> = match plan {
            SearchPlan::Minimax => Box::new(Minimax::new(GameHeuristic)),
            SearchPlan::Negamax => Box::new(Negamax::new(GameHeuristic)),
            SearchPlan::AlphaBeta => Box::new(AlphaBeta::new(GameHeuristic)),
            SearchPlan::Engine(plan) => Box::new(engine::<P>(plan, scheduler)),
            SearchPlan::Uct(options, rollout) => {
                let options = UctOptions { seed, ..options.clone() };
                let search = Uct::<P, LeafEvaluation>::with_leaf(options, *rollout);
                match scheduler {
                    Some(scheduler) => Box::new(search.with_scheduler(scheduler.clone())),
                    None => Box::new(search),
                }
            }
            SearchPlan::FlatUcb(options) => {
                Box::new(FlatUcb::two_sided(FlatUcbOptions { seed, ..options.clone() }))
            }
        };
        Box::new(ErasedSearch(search, PhantomData))
    }

    fn solver(&self, options: &ExactSolverOptions) -> Box<dyn ExactSolver<State>> {
        let solver: Box<dyn ExactSolver<P>> = Box::new(AlphaBetaSolver::<P>::new(options.table));
        Box::new(ErasedSearch(solver, PhantomData))
    }

    fn prove(&self, position: &State, side: Side, table: TableSize, limits: &Limits) -> Proof {
        let proof = ProofSearch::<P>::new(table).prove(typed_position(position), side, limits);
        Proof {
            verdict: proof.verdict,
            best: proof.best.map(Move::of),
            line: untyped(&proof.line),
            nodes: proof.nodes,
            time: proof.time,
        }
    }

    fn perft(&self, position: &State, depth: u32, options: PerftOptions) -> u64 {
        perft::<P>(typed_position(position), depth, options)
    }

    fn divide(&self, position: &State, depth: u32, options: PerftOptions) -> Vec<(Move, u64)> {
        let parts = divide::<P>(typed_position(position), depth, options);
        parts.into_iter().map(|(m, paths)| (Move::of(m), paths)).collect()
    }

    fn statistics(
        &self,
        start: &State,
        plies: Option<u32>,
        max_states: Option<usize>,
    ) -> Result<GameTreeStatistics, StatisticsError> {
        /// The default memory limit.
        const MEMORY_LIMIT: usize = 2 << 30;
        // The position, its key and count, and the free part of the hash table.
        let bytes_per_state = 2 * (size_of::<P>() + 32);
        let default_max =
            StatisticsOptions::default().max_states.min(MEMORY_LIMIT / bytes_per_state);
        let max_states = max_states.unwrap_or(default_max);
        statistics::<P>(typed_position(start), StatisticsOptions { max_states, plies })
    }
}

fn engine<P: Playable>(
    plan: &EnginePlan,
    scheduler: Option<&Scheduler>,
) -> Engine<P, GameHeuristic> {
    let base = match plan.base {
        EngineBase::Plain => EngineOptions::plain(),
        EngineBase::Exact => EngineOptions::exact(),
        EngineBase::Strongest => EngineOptions::strongest(),
    };
    let options = EngineOptions {
        table: plan.table,
        symmetries: P::symmetry().filter(|_| plan.symmetry),
        ordering: plan.ordering,
        quiescence: P::tactics().filter(|_| plan.quiescence),
        aspiration: plan.aspiration,
        deepening: plan.deepening,
        threads: plan.threads,
        parallel: plan.parallel,
        ..base
    };
    let mut engine = Engine::new(GameHeuristic, options);
    if let Some(scheduler) = scheduler {
        engine = engine.with_scheduler(scheduler.clone());
    }
    if let Some(book) = &plan.book {
        engine = engine.with_book(book.clone(), BookKeys::new(P::symmetry()));
    }
    engine
}

/// The position inside a state.
///
/// # Panics
/// When the state belongs to another game.
fn typed_position<P: Playable>(state: &State) -> &P {
    state.downcast_ref().expect("the state belongs to the game of the search")
}

fn untyped<M: Copy + Into<u64>>(moves: &[M]) -> Vec<Move> {
    moves.iter().map(|&m| Move::of(m)).collect()
}

/// Adapts a search or solver for one type of position to states.
pub(crate) struct ErasedSearch<P, S: ?Sized>(pub(crate) Box<S>, pub(crate) PhantomData<fn(P)>);

impl<P: Playable, S: Search<P> + ?Sized> Search<State> for ErasedSearch<P, S> {
    fn search(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let progress_typed = &mut |report: &SearchReport<P::Move>| progress(&report.erase_type());
        self.0.search(typed_position(position), limits, progress_typed).erase_type()
    }

    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let progress_typed = &mut |report: &SearchReport<P::Move>| progress(&report.erase_type());
        self.0.analyze(typed_position(position), limits, progress_typed).erase_type()
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}

impl<P: Playable, S: ExactSolver<P> + ?Sized> ExactSolver<State> for ErasedSearch<P, S> {
    fn solve(&mut self, position: &State, options: SolveOptions, limits: &Limits) -> Solution {
        let solution = self.0.solve(typed_position(position), options, limits);
        Solution {
            exact_value: solution.exact_value,
            best: untyped(&solution.best),
            moves: solution.moves.iter().map(|&(m, value)| (Move::of(m), value)).collect(),
            line: untyped(&solution.line),
            nodes: solution.nodes,
            time: solution.time,
        }
    }
}
