//! A counting allocator checks that searches allocate nothing once their buffers have grown. A
//! separate test binary, since the allocator is global.

// SAFETY: `GlobalAlloc` is an unsafe trait; this implementation forwards every call unchanged to
// the system's allocator and only counts.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::gem_island::{GemIsland, GemSettings};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, Position};
use tesuji_search::gem_island::{Agent, HalvingAgent, HalvingOptions};
use tesuji_search::{
    AlphaBetaSolver, Engine, EngineOptions, GameHeuristic, Limits, Puct, PuctOptions, Search,
    TableSize, Uct, UctOptions, UniformPolicy,
};

thread_local! {
    /// Allocations of this thread; other threads of the test harness do not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct CountingAllocator;

fn count() {
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: see the top of the file.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

fn check<P: Playable>(position: &P, depth: u32) {
    let table = Some(TableSize::megabytes(1));
    let exact = || EngineOptions { table, ..EngineOptions::exact() };
    let strongest = || EngineOptions { table, ..EngineOptions::strongest() };
    for options in [EngineOptions::plain(), exact(), strongest()] {
        let mut engine = Engine::new(GameHeuristic, options);
        let mut search = || {
            engine.forget();
            let _ = engine.value(position, depth);
        };
        assert!(allocations_of(&mut search) > 0, "the first search grows its buffers");
        assert_eq!(allocations_of(search), 0);
    }
}

#[test]
fn a_second_search_allocates_nothing() {
    check(&Connect4::new(), 8);
    check(&TicTacToe::new(), 6);
    let mut middle_game = Connect4::new();
    for column in [3, 3, 2, 4, 4] {
        let m = middle_game.drop_into(column).expect("the column is open");
        middle_game.play(m);
    }
    check(&middle_game, 8);
}

/// A complete search allocates only for its reports: a few allocations per iteration, independent
/// of the number of nodes.
#[test]
fn a_search_allocates_only_for_its_reports() {
    let (position, depth) = (Connect4::new(), 9);
    let options = EngineOptions { table: None, ..EngineOptions::exact() };
    let mut engine = Engine::new(GameHeuristic, options);
    engine.run(&position, &Limits::depth(depth));
    let mut nodes = 0;
    let allocations = allocations_of(|| nodes = engine.run(&position, &Limits::depth(depth)).nodes);
    assert!(nodes > 10_000, "{nodes}");
    assert!(allocations <= 4 * u64::from(depth), "{allocations} allocations for {nodes} nodes");
}

/// The maximum number of allocations for the report of a simulation search: the best moves and
/// their lines.
const MAX_REPORT_ALLOCATIONS: u64 = 300;

/// Simulations reuse the tree of the previous search.
#[test]
fn simulations_allocate_nothing() {
    for rave in [None, Some(500.0)] {
        let options = UctOptions { rave, reuse: false, ..UctOptions::default() };
        let mut uct = Uct::new(options);
        uct.run(&Connect4::new(), &Limits::nodes(25_000));
        let allocations = allocations_of(|| {
            uct.run(&Connect4::new(), &Limits::nodes(20_000));
        });
        assert!(
            allocations < MAX_REPORT_ALLOCATIONS,
            "{allocations} allocations for 20,000 simulations"
        );
    }
}

#[test]
fn guided_simulations_allocate_nothing() {
    let options = PuctOptions { reuse: false, ..PuctOptions::default() };
    let mut puct = Puct::new(options, UniformPolicy);
    puct.run(&Connect4::new(), &Limits::nodes(20_000));
    let allocations = allocations_of(|| {
        puct.run(&Connect4::new(), &Limits::nodes(20_000));
    });
    assert!(allocations < 100, "{allocations} allocations for 20,000 simulations");
}

#[test]
fn solving_allocates_for_its_line_alone() {
    let mut late_position = Connect4::new();
    for column in [3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4] {
        let m = late_position.drop_into(column).expect("the column is open");
        late_position.play(m);
    }
    let mut solver = AlphaBetaSolver::new(TableSize::megabytes(1));
    let mut nodes = 0;
    let allocations =
        allocations_of(|| nodes = solver.run(&late_position, &Limits::nodes(50_000)).nodes);
    assert!(nodes > 1_000, "{nodes}");
    assert!(allocations < 200, "{allocations} allocations for {nodes} nodes");
}

/// Decisions in Gem Island allocate for their result and a few lists, and nothing per rollout.
#[test]
fn rollouts_allocate_nothing() {
    for level in 1..=3 {
        let settings = GemSettings::level(level).expect("a level");
        let game: GemIsland = GemIsland::generate(settings, &mut seeded(1)).expect("it fits");
        let view = game.view();
        let mut agent =
            HalvingAgent::new(HalvingOptions { rollouts: 200, ..HalvingOptions::default() });
        agent.decide(&view);
        let allocations = allocations_of(|| {
            agent.decide(&view);
        });
        assert!(allocations < 80, "{allocations} allocations for 200 rollouts at level {level}");
    }
}
