//! Speeds of forests on the thesis's board: evaluation, search and training, for `tesuji bench
//! forest` and for the experiments on speed. Everything is seeded, so that two runs measure the
//! same.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use tesuji_games::bits::mix;
use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Position, RowPosition, Side};
use tesuji_learn::forest::{
    Accumulator, CandidateOrder, CellContent, Dataset, Forest, ForestEvaluation, ForestSearch,
    ForestSearchOptions, LeafVotes, LineOrder, PatternShape, PatternWindow, SearchStyle, Spread,
    TreeSpec, VoteFormula, contents_seen_by, grow_tree, heuristic_move, random_pattern,
};
use tesuji_search::{Limits, Search};

use crate::thread_timer::ThreadTimer;

/// Five in a row.
pub type Gomoku = Mnk<LineBoard>;

/// Five in a row on 10x10, patterns of 8 cells from windows of side 7: the board of the thesis.
const SIDE: usize = 10;
const WINDOW: PatternWindow = PatternWindow { side: 7 };
const CELLS: usize = 8;

/// Returns the empty board.
pub fn start() -> Gomoku {
    let rules = MnkRules::new(SIDE, SIDE, 5).expect("five fit on ten");
    Mnk::new(rules)
}

/// Returns final positions of games between random players; where `rows` is set, the side plays by
/// rows in half of the games.
pub fn samples(count: usize, seed: u64, rows: [bool; 2]) -> Dataset {
    let start = start();
    let order = LineOrder::new(&start.grid());
    let mut data = Dataset::new(WINDOW);
    for game in 0..count as u64 {
        let mut rng = seeded(mix(seed ^ mix(game)));
        let by_rows = [rows[0] && game & 1 != 0, rows[1] && game & 2 != 0];
        let (end, last) = play_out(&start, &order, by_rows, &mut rng);
        if let Some(sample) = WINDOW.sample(&end, last) {
            data.push(&sample);
        }
    }
    data
}

fn play_out(
    start: &Gomoku,
    order: &LineOrder,
    by_rows: [bool; 2],
    rng: &mut Rng,
) -> (Gomoku, usize) {
    let (mut position, mut last) = (start.clone(), 0);
    while position.outcome().is_none() {
        let m = match by_rows[position.to_move().index()] {
            true => heuristic_move(&position, order, rng),
            false => position.random_move(rng),
        };
        last = position.cell(m);
        position.play(m);
    }
    (position, last)
}

/// Grows a forest of `trees` scattered patterns on samples.
pub fn forest(data: &Dataset, trees: usize, seed: u64) -> Forest {
    let mut rng = seeded(seed);
    let recipe = |_| {
        let pattern = random_pattern(WINDOW, CELLS, PatternShape::Scattered, &mut rng);
        TreeSpec {
            pattern,
            seed: below(&mut rng, u32::MAX).into(),
            samples: data.len(),
            votes: LeafVotes::default(),
        }
    };
    let recipes: Vec<TreeSpec> = (0..trees).map(recipe).collect();
    let woods = recipes.iter().map(|recipe| Arc::new(grow_tree(data, recipe))).collect();
    let game = format!("mnk:{SIDE}x{SIDE},k=5");
    Forest {
        game,
        window: WINDOW,
        spread: Spread::default(),
        formula: VoteFormula::default(),
        trees: woods,
    }
}

/// Number of trees of the measured forests: the smallest and the largest of the thesis.
pub const FORESTS: [usize; 2] = [25, 100];
const SAMPLES: usize = 6_000;

/// Returns the measured forests.
pub fn forests(seed: u64) -> [Forest; 2] {
    let data = samples(SAMPLES, seed, [true, true]);
    FORESTS.map(|trees| forest(&data, trees, seed.wrapping_add(1)))
}

/// Players by rows alone would repeat the same few games.
fn stone_in_the_middle(position: &Gomoku, rng: &mut Rng) -> <Gomoku as Position>::Move {
    loop {
        let [column, row] = [(); 2].map(|()| 3 + below(rng, 4) as usize);
        if let Some(m) = position.move_to(row * SIDE + column) {
            return m;
        }
    }
}

/// Returns positions with a number of stones from games between players by rows, after three random
/// stones.
pub fn positions(stones: usize, count: usize, seed: u64) -> Vec<Gomoku> {
    let start = start();
    let order = LineOrder::new(&start.grid());
    let game = |game: u64| {
        let mut rng = seeded(mix(seed ^ mix(game << 8 | stones as u64)));
        let mut position = start.clone();
        for stone in 0..stones {
            let m = match stone {
                0..3 => stone_in_the_middle(&position, &mut rng),
                _ => heuristic_move(&position, &order, &mut rng),
            };
            position.play(m);
            position.outcome().map_or(Some(()), |_| None)?;
        }
        Some(position)
    };
    (0..).filter_map(game).take(count).collect()
}

/// Evaluations per second, by method.
#[derive(Clone, Debug, serde::Serialize)]
pub struct EvaluationRates {
    /// Number of trees.
    pub trees: usize,
    /// Total number of placements on the board.
    pub placements: usize,
    /// Mean number of placements that touch a cell.
    pub placements_per_cell: f64,
    /// Walking every tree at every placement.
    pub tree_walk: f64,
    /// Table lookup at every placement.
    pub cached: f64,
    /// Placing a stone and taking it back.
    pub make_unmake: f64,
    /// Computing the difference that a stone would make.
    pub peek: f64,
    /// The four methods in every round, in this order.
    #[serde(skip)]
    pub rounds: Vec<[f64; 4]>,
}

/// Time of each method in a round.
const ROUND_TIME: Duration = Duration::from_millis(100);
/// The methods take turns and the best round of each counts, so that a disturbance spoils only one
/// round.
const ROUNDS: usize = 6;

/// Measures all four methods.
pub fn evaluation_rates(forest: &Forest) -> EvaluationRates {
    let evaluation = evaluation(forest);
    let stones = [4, 8, 12, 16, 20];
    let boards: Vec<Vec<CellContent>> = stones
        .into_iter()
        .flat_map(|stones| positions(stones, 4, 11))
        .map(|position| contents_seen_by(Side::First, &position))
        .collect();
    let rounds: Vec<[f64; 4]> = (0..ROUNDS).map(|_| one_round(&evaluation, &boards)).collect();
    let best = rounds.iter().copied().fold([0.0; 4], best_of);
    let [tree_walk, cached, make_unmake, peek] = best;
    EvaluationRates {
        trees: forest.trees.len(),
        placements: evaluation.placements(),
        placements_per_cell: evaluation.placements_per_cell(),
        tree_walk,
        cached,
        make_unmake,
        peek,
        rounds,
    }
}

fn best_of(best: [f64; 4], round: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|way| f64::max(best[way], round[way]))
}

fn one_round(evaluation: &ForestEvaluation, boards: &[Vec<CellContent>]) -> [f64; 4] {
    let mut all: Vec<&Vec<CellContent>> = boards.iter().collect();
    [
        per_second(&mut all, |board| {
            black_box(evaluation.by_trees(black_box(board), Side::First));
            1
        }),
        per_second(&mut all, |board| {
            black_box(evaluation.by_tables(black_box(board), Side::First));
            1
        }),
        incremental(evaluation, boards, |standing, cell, stone| {
            evaluation.make(standing, cell, stone);
            black_box(evaluation.score(standing, Side::First));
            evaluation.unmake(standing, cell, stone);
        }),
        incremental(evaluation, boards, |standing, cell, stone| {
            black_box(evaluation.peek(standing, cell, stone, Side::First));
        }),
    ]
}

/// Tries stones of both sides on every empty cell of every board.
fn incremental(
    evaluation: &ForestEvaluation,
    boards: &[Vec<CellContent>],
    one: impl Fn(&mut Accumulator, usize, CellContent),
) -> f64 {
    let mut all: Vec<_> =
        boards.iter().map(|board| (board, evaluation.accumulator(board))).collect();
    per_second(&mut all, |(board, standing)| {
        let empty = (0..board.len()).filter(|&cell| board[cell] == CellContent::Empty);
        let mut done = 0;
        for cell in empty {
            for stone in [CellContent::Mine, CellContent::Theirs] {
                one(standing, cell, stone);
                done += 1;
            }
        }
        done
    })
}

/// Runs `one` on all items again and again for a tenth of a second; it returns what it counts.
/// Returns the counts per second.
pub fn per_second<T>(items: &mut [T], mut one: impl FnMut(&mut T) -> usize) -> f64 {
    let (started, mut done) = (ThreadTimer::start(), 0);
    while started.elapsed() < ROUND_TIME {
        done += items.iter_mut().map(&mut one).sum::<usize>();
    }
    done as f64 / started.elapsed().as_secs_f64()
}

/// Times of moves at one depth.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MoveTimes {
    /// Depth in plies, own move included.
    pub depth: u32,
    /// Number of positions.
    pub positions: usize,
    /// Mean seconds per move.
    pub mean_seconds: f64,
    /// Seconds of the slowest move.
    pub longest_seconds: f64,
    /// Mean number of positions visited per move.
    pub mean_nodes: f64,
    /// Each move.
    #[serde(skip)]
    pub each: Vec<MoveTime>,
}

/// The time of one move.
#[derive(Clone, Copy, Debug)]
pub struct MoveTime {
    /// Seconds of thread time.
    pub seconds: f64,
    /// Number of positions visited.
    pub nodes: u64,
    /// Number of moves to choose from.
    pub choices: usize,
}

impl MoveTimes {
    /// Returns the mean time of a visited position.
    pub fn seconds_per_node(&self) -> f64 {
        self.mean_seconds / self.mean_nodes.max(1.0)
    }
}

/// Places a forest on the measured board.
pub fn evaluation(forest: &Forest) -> ForestEvaluation {
    ForestEvaluation::of_forest(forest, &start().grid()).expect("made for this board")
}

/// Measures moves in positions with 4, 8, 12 and 16 stones, `of_each` of each.
pub fn move_times(
    evaluation: ForestEvaluation,
    style: SearchStyle,
    order: CandidateOrder,
    depth: u32,
    of_each: usize,
) -> MoveTimes {
    let options = ForestSearchOptions { style, order, ..ForestSearchOptions::default() };
    let mut search: ForestSearch<Gomoku> = ForestSearch::new(Arc::new(evaluation), options, 1);
    let all = [4, 8, 12, 16].into_iter().flat_map(|stones| positions(stones, of_each, 21));
    let each: Vec<MoveTime> = all.map(|position| one_move(&mut search, &position, depth)).collect();
    let mean = |of: fn(&MoveTime) -> f64| each.iter().map(of).sum::<f64>() / each.len() as f64;
    MoveTimes {
        depth,
        positions: each.len(),
        mean_seconds: mean(|one| one.seconds),
        longest_seconds: each.iter().map(|one| one.seconds).fold(0.0, f64::max),
        mean_nodes: mean(|one| one.nodes as f64),
        each,
    }
}

fn one_move(search: &mut ForestSearch<Gomoku>, position: &Gomoku, depth: u32) -> MoveTime {
    search.forget();
    let choices = search.near_moves(position).len();
    let started = ThreadTimer::start();
    let nodes = search.run(position, &Limits::depth(depth)).nodes;
    MoveTime { seconds: started.elapsed().as_secs_f64(), nodes, choices }
}

/// Seconds to grow ten forests of 100 trees on 10,000 samples, and one tree on 100,000.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct TrainingTimes {
    /// Ten forests.
    pub ten_forests_of_100: f64,
    /// One tree.
    pub one_tree: f64,
}

/// Measures training.
pub fn training_times() -> TrainingTimes {
    let data = samples(10_000, 31, [true, true]);
    let started = ThreadTimer::start();
    (0..10).for_each(|seed| drop(black_box(forest(&data, 100, seed))));
    let ten_forests_of_100 = started.elapsed().as_secs_f64();
    let data = samples(100_000, 32, [false, false]);
    let started = ThreadTimer::start();
    const TREES: usize = 10;
    drop(black_box(forest(&data, TREES, 1)));
    TrainingTimes { ten_forests_of_100, one_tree: started.elapsed().as_secs_f64() / TREES as f64 }
}
