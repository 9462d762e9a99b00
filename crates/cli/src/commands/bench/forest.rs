//! `tesuji bench forest`: the speed of evaluation, search and training with forests, on the board
//! of Loos's thesis. The slow evaluators are measured in the same run, for meaningful ratios.

use serde::Serialize;
use tesuji_learn::forest::{CandidateOrder, SearchStyle};
use tesuji_reproduce::loos::measure::{self, EvaluationRates, FORESTS, MoveTimes, TrainingTimes};

use crate::prelude::*;

/// All figures.
#[derive(Serialize)]
pub(crate) struct ForestSpeeds {
    evaluators: Vec<EvaluationRates>,
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
    let steps = (FORESTS.len() + searches.len() + 1) as u64;
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
    ForestSpeeds { evaluators, searches, training: measure::training_times() }
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
