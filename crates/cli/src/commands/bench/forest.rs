//! `tesuji bench forest`: the speed of evaluation, search and training with forests, on the board
//! of Loos's thesis. The slow evaluators are measured in the same run, for meaningful ratios.

use std::hint::black_box;

use serde::Serialize;
use tesuji_games::{RowPosition, Side};
use tesuji_learn::forest::{
    CandidateOrder, RowSearch, RowSearchMethod, SearchStyle, contents_seen_by,
};
use tesuji_reproduce::loos::measure::{self, EvaluationRates, FORESTS, MoveTimes, TrainingTimes};

use crate::prelude::*;

/// All figures.
#[derive(Serialize)]
pub(crate) struct ForestSpeeds {
    evaluators: Vec<EvaluationRates>,
    ordering: OrderingRates,
    searches: Vec<SearchTimes>,
    training: TrainingTimes,
}

/// The times of one search at growing depth.
#[derive(Serialize)]
struct SearchTimes {
    trees: usize,
    style: &'static str,
    order: &'static str,
    moves: Vec<MoveTimes>,
}

/// Moves scored per second by the thesis's move ordering.
#[derive(Serialize)]
struct OrderingRates {
    /// The number of patterns, counting those of both sides.
    patterns: usize,
    /// One pattern after another, as in the thesis.
    one_by_one: f64,
    /// All patterns in one pass.
    all_at_once: f64,
    /// Lookups of the change by each move, with the tables made anew for every position.
    changes: f64,
}

const DEEPEST: u32 = 5;
/// The number of positions for each number of stones.
const OF_EACH: usize = 3;
/// The seed of the forests.
const SEED: u64 = 1;
const SEARCHES: [(SearchStyle, &str, CandidateOrder, &str); 3] = [
    (SearchStyle::Thesis, "thesis", CandidateOrder::Patterns, "patterns"),
    (SearchStyle::Strong, "strong", CandidateOrder::Patterns, "patterns"),
    (SearchStyle::Thesis, "thesis", CandidateOrder::Forest, "forest"),
];

pub(crate) fn run() -> ForestSpeeds {
    let searches = FORESTS.iter().flat_map(|&trees| SEARCHES.map(|search| (trees, search)));
    // Ordering by the forest is slow, so it is measured only with the small forest.
    let searches = searches.filter(|&(trees, (_, _, order, _))| {
        order == CandidateOrder::Patterns || trees == FORESTS[0]
    });
    let searches: Vec<_> = searches.collect();
    let steps = (FORESTS.len() + searches.len() + 2) as u64;
    let progress = Progress::new(Some(steps), "measurements");
    progress.show(0, || "samples".to_string());
    let forests = measure::forests(SEED);
    let mut done = 0;
    let mut next = |what: &str| {
        done += 1;
        progress.show(done, || what.to_string());
    };
    let evaluators = forests.iter().map(|forest| {
        next("evaluators");
        measure::evaluation_rates(forest)
    });
    let evaluators = evaluators.collect();
    next("move ordering");
    let ordering = ordering_rates();
    let searches = searches.into_iter().map(|(trees, (style, style_name, order, order_name))| {
        next(style_name);
        let forest = &forests[usize::from(trees != FORESTS[0])];
        let moves = (1..=DEEPEST).map(|depth| {
            measure::move_times(measure::evaluation(forest), style, order, depth, OF_EACH)
        });
        SearchTimes { trees, style: style_name, order: order_name, moves: moves.collect() }
    });
    let searches = searches.collect();
    next("training");
    ForestSpeeds { evaluators, ordering, searches, training: measure::training_times() }
}

/// The best of several rounds in which the methods take turns, as for the evaluators.
fn ordering_rates() -> OrderingRates {
    const ROUNDS: usize = 6;
    let mut search = RowSearch::new(&measure::start().grid());
    let positions = [4, 8, 12, 16].into_iter().flat_map(|stones| measure::positions(stones, 4, 11));
    let mut boards: Vec<_> =
        positions.map(|position| contents_seen_by(Side::First, &position)).collect();
    let mut best = [0.0; 3];
    for _ in 0..ROUNDS {
        use RowSearchMethod::{AllAtOnce, Changes, OneByOne};
        for (best, method) in best.iter_mut().zip([OneByOne, AllAtOnce, Changes]) {
            let scored = |board: &mut Vec<_>| black_box(search.move_scores(board, method)).len();
            *best = f64::max(*best, measure::per_second(&mut boards, scored));
        }
    }
    let [one_by_one, all_at_once, changes] = best;
    OrderingRates { patterns: search.patterns(), one_by_one, all_at_once, changes }
}

pub(crate) fn print(figures: &ForestSpeeds) -> Result<(), Failure> {
    say!(
        "\nForest evaluation, five in a row on 10x10, 8 cells of a 7x7 window: evaluations per second"
    )?;
    let rows = figures.evaluators.iter().flat_map(|one| {
        let evaluators = [
            ("tree traversal", one.tree_walk),
            ("cached table", one.cached),
            ("make and unmake", one.make_unmake),
            ("peek", one.peek),
        ];
        evaluators.map(|(name, speed)| {
            [
                one.trees.to_string(),
                one.placements.to_string(),
                format!("{:.0}", one.placements_per_cell),
                name.to_string(),
                format!("{speed:.0}"),
                format!("{:.1}", speed / one.tree_walk),
                format!("{:.1}", speed / one.cached),
            ]
        })
    });
    let titles =
        ["trees", "placements", "per cell", "evaluator", "per second", "x traversal", "x cached"];
    print_titled(&titles, rows)?;
    let OrderingRates { patterns, one_by_one, all_at_once, changes } = figures.ordering;
    say!("\nMove ordering by {patterns} patterns of rows: moves per second")?;
    let methods = [
        ("one pattern at a time (Horspool)", one_by_one),
        ("all patterns at once (Aho-Corasick)", all_at_once),
        ("changes by table", changes),
    ];
    let rows = methods.map(|(name, speed)| {
        [name.to_string(), format!("{speed:.0}"), format!("{:.1}", speed / one_by_one)]
    });
    print_titled(&["search", "per second", "x one at a time"], rows)?;
    let positions = figures.searches.first().and_then(|search| search.moves.first());
    let positions = positions.map_or(0, |moves| moves.positions);
    say!(
        "\nSeconds per move, mean (longest) of {positions} positions with 4 to 16 stones, one thread"
    )?;
    let rows = figures.searches.iter().flat_map(|search| {
        search.moves.iter().map(|moves| {
            [
                search.trees.to_string(),
                search.style.to_string(),
                search.order.to_string(),
                moves.depth.to_string(),
                format!("{:.4}", moves.mean_seconds),
                format!("({:.4})", moves.longest_seconds),
                format!("{:.0}", moves.mean_nodes),
            ]
        })
    });
    let titles = ["trees", "style", "order", "depth", "seconds", "longest", "positions"];
    print_titled(&titles, rows)?;
    let TrainingTimes { ten_forests_of_100, one_tree } = figures.training;
    say!(
        "\nTraining: 10 forests of 100 trees on 10,000 samples {ten_forests_of_100:.3} s; one tree on \
         100,000 samples {one_tree:.4} s"
    )
}
