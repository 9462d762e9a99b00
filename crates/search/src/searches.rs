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
    AlphaBeta, BookKeys, Engine, EngineOptions, ExactSolverOptions, FlatUcb, FlatUcbOptions,
    GameHeuristic, Limits, Minimax, Negamax, ProgressFn, ProofSearch, SearchReport, Scheduler, Search,
    AlphaBetaSolver, TableSize, Uct, UctOptions,
};

/// The searches for states of this type of position.
pub fn of<P: Playable>(_: &State) -> &'static dyn Searches {
    const { &Compiled::<P>(PhantomData) }
}

struct Compiled<P>(PhantomData<fn(P)>);

impl<P: Playable> Searches for Compiled<P> {
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
        Box::new(Typed(search, PhantomData))
    }

    fn solver(&self, options: &ExactSolverOptions) -> Box<dyn ExactSolver<State>> {
        let solver: Box<dyn ExactSolver<P>> = Box::new(AlphaBetaSolver::<P>::new(options.table));
        Box::new(Typed(solver, PhantomData))
    }

    fn prove(&self, position: &State, side: Side, table: TableSize, limits: &Limits) -> Proof {
        let proof = ProofSearch::<P>::new(table).prove(own(position), side, limits);
        Proof {
            verdict: proof.verdict,
            best: proof.best.map(Move::of),
            line: erased(&proof.line),
            nodes: proof.nodes,
            time: proof.time,
        }
    }

    fn perft(&self, position: &State, depth: u32, options: PerftOptions) -> u64 {
        perft::<P>(own(position), depth, options)
    }

    fn divide(&self, position: &State, depth: u32, options: PerftOptions) -> Vec<(Move, u64)> {
        let parts = divide::<P>(own(position), depth, options);
        parts.into_iter().map(|(m, paths)| (Move::of(m), paths)).collect()
    }

    fn statistics(
        &self,
        start: &State,
        plies: Option<u32>,
        max_states: Option<usize>,
    ) -> Result<GameTreeStatistics, StatisticsError> {
        /// The default memory limit.
        const MEMORY: usize = 2 << 30;
        // The position, its key and count, and the free part of the hash table.
        let bytes_a_state = 2 * (size_of::<P>() + 32);
        let usual = StatisticsOptions::default().max_states.min(MEMORY / bytes_a_state);
        let max_states = max_states.unwrap_or(usual);
        statistics::<P>(own(start), StatisticsOptions { max_states, plies })
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
fn own<P: Playable>(state: &State) -> &P {
    state.downcast_ref().expect("the state belongs to the game of the search")
}

fn erased<M: Copy + Into<u64>>(moves: &[M]) -> Vec<Move> {
    moves.iter().map(|&m| Move::of(m)).collect()
}

/// Adapts a search or solver for one type of position to states.
pub(crate) struct Typed<P, S: ?Sized>(pub(crate) Box<S>, pub(crate) PhantomData<fn(P)>);

impl<P: Playable, S: Search<P> + ?Sized> Search<State> for Typed<P, S> {
    fn search(&mut self, position: &State, limits: &Limits, progress: ProgressFn<'_>) -> SearchReport {
        let tell = &mut |report: &SearchReport<P::Move>| progress(&report.erase_type());
        self.0.search(own(position), limits, tell).erase_type()
    }

    fn analyze(&mut self, position: &State, limits: &Limits, progress: ProgressFn<'_>) -> SearchReport {
        let tell = &mut |report: &SearchReport<P::Move>| progress(&report.erase_type());
        self.0.analyze(own(position), limits, tell).erase_type()
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}

impl<P: Playable, S: ExactSolver<P> + ?Sized> ExactSolver<State> for Typed<P, S> {
    fn solve(&mut self, position: &State, options: SolveOptions, limits: &Limits) -> Solution {
        let found = self.0.solve(own(position), options, limits);
        Solution {
            exact_value: found.exact_value,
            best: erased(&found.best),
            moves: found.moves.iter().map(|&(m, worth)| (Move::of(m), worth)).collect(),
            line: erased(&found.line),
            nodes: found.nodes,
            time: found.time,
        }
    }
}
