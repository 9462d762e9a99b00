//! A search with a forest allocates nothing once its buffers have grown, as measured by a counting
//! allocator. It needs its own test binary, because the allocator is global.

// SAFETY: `GlobalAlloc` is an unsafe trait; this allocator passes every call to the system's
// unchanged and only counts.
#![allow(unsafe_code)]

mod forests;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use forests::random_forest;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Notation, Playable, RowPosition};
use tesuji_learn::forest::{CandidateOrder, ForestCandidates, ForestEvaluation, ForestEvaluator};
use tesuji_search::{Engine, EngineOptions, Search, TableSize};

thread_local! {
    /// The allocations of this thread; the test harness has others.
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
        // SAFETY: the caller upholds the contract, which is that of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract, which is that of the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract, which is that of the system's allocator.
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

fn check<P: Playable + RowPosition>(position: &P, depth: u32) {
    let grid = position.grid();
    let forest = random_forest(&grid, 3, 5, 5, 1);
    let evaluation = Arc::new(ForestEvaluation::of_forest(&forest, &grid).unwrap());
    let table = Some(TableSize::megabytes(1));
    let exact = || EngineOptions { table, ..EngineOptions::exact() };
    for (options, order) in
        [(EngineOptions::plain(), CandidateOrder::Off), (exact(), CandidateOrder::Patterns)]
    {
        let candidates = Arc::new(ForestCandidates::new(&grid, Some(2), order, true));
        let evaluator = ForestEvaluator::new(evaluation.clone(), candidates);
        let mut engine = Engine::new(evaluator, options);
        let mut search = || {
            engine.forget();
            let _ = engine.value(position, depth);
        };
        assert!(allocations_of(&mut search) > 0, "the first search warms up");
        assert_eq!(allocations_of(search), 0);
    }
}

#[test]
fn a_second_search_allocates_nothing() {
    let start = |k| Mnk::<LineBoard>::new(MnkRules::new(9, 9, k).unwrap());
    check(&start(5).parse_line("e5e6d5d6c5").unwrap().end, 3);
    check(&start(7).parse_line("e5e6d5d6c5").unwrap().end, 2);
    check(&Connect4::new(), 4);
}

/// Networks use their scratch memory, and evaluations own theirs.
#[test]
fn networks_allocate_nothing() {
    use tesuji_games::random::seeded;
    use tesuji_games::rules::gem_island::{GemIsland, GemSettings};
    use tesuji_learn::gem_island::{NetworkValue, ValueKind};
    use tesuji_learn::network::{Activation, Input, Layer, Network, Padding, Shape};
    use tesuji_search::flat_ucb::RolloutValue;

    let layers = [
        Layer::convolution(4, 3, Padding::Same, Activation::Relu),
        Layer::Dropout { rate: 0.5 },
        Layer::dense(8, Activation::Sigmoid),
    ];
    let network = Network::new(Shape::new(5, 5, 2), &layers, 1).expect("the layers fit");
    let (mut scratch, dense) = (network.scratch(), [0.5; 50]);
    let allocations = allocations_of(|| {
        network.predict(Input::Dense(&dense), &mut scratch);
        network.predict(Input::OneHot(&[1, 7, 30]), &mut scratch);
        network.predict(Input::Sparse(&[(2, 0.5), (49, -1.0)]), &mut scratch);
    });
    assert_eq!(allocations, 0);

    let level = GemSettings::level(2).expect("there are three levels");
    let mut state = GemIsland::<u128>::generate(level, &mut seeded(1)).expect("it fits");
    let view = state.view();
    let (mut utility, mut outcome) =
        (NetworkValue::shipped(ValueKind::Utility), NetworkValue::shipped(ValueKind::Outcome));
    state.play(state.swap_at(0), &mut seeded(2), &mut ());
    let allocations = allocations_of(|| {
        utility.value(&view, &state, 0.0);
        outcome.value(&view, &state, 0.0);
    });
    assert_eq!(allocations, 0);
}

/// The boards and inference buffers of line networks keep their memory.
#[test]
fn line_networks_allocate_nothing() {
    use tesuji_games::Side;
    use tesuji_learn::line_network::{
        Inference, LineGuide, LineNetwork, LineSearchOptions, NetworkBoard, line_search,
    };
    use tesuji_search::Limits;
    use tesuji_search::puct::PolicyValue;

    let network = LineNetwork::shipped();
    let mut board = NetworkBoard::new(network.clone(), 9, 9).expect("the board fits");
    let mut inference = Inference::default();
    inference.evaluate(&board, Side::First);
    let allocations = allocations_of(|| {
        board.put(40, Side::First);
        inference.evaluate(&board, Side::Second);
        inference.policy_logit(41);
        board.remove(40);
    });
    assert_eq!(allocations, 0);

    let start = Mnk::<LineBoard>::new(MnkRules::new(9, 9, 5).expect("such a game exists"));
    let game = start.parse_line("e5e6d5d6c5").expect("legal moves").end;
    let mut guide = LineGuide::new(network.clone(), 9, 9).expect("the board fits");
    let mut moves = Vec::with_capacity(81);
    guide.policy_and_value(&start, &mut moves);
    moves.clear();
    assert_eq!(
        allocations_of(|| {
            guide.policy_and_value(&game, &mut moves);
        }),
        0
    );

    let options = LineSearchOptions { table: TableSize::megabytes(1), ..Default::default() };
    let mut search = line_search(network, (9, 9), &options).expect("the board fits");
    search.run(&game, &Limits::depth(4));
    search.forget();
    // Every depth has a report with lists of moves; positions and their networks allocate nothing.
    let mut nodes = 0;
    let allocations = allocations_of(|| nodes = search.run(&game, &Limits::depth(4)).nodes);
    assert!(allocations < 60 && nodes > 400, "{allocations} in {nodes} nodes");
}
