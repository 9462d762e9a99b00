//! Invariant of the evaluations: decision trees, tables and accumulators agree on every position,
//! for every kind of table.

use std::sync::Arc;

use crate::forests::random_forest;
use tesuji_games::random::{Rng, below, seeded, word};
use tesuji_games::{RowGrid, Side};
use tesuji_learn::forest::{
    CellContent, Class, DecisionNode, DecisionTree, Forest, ForestEvaluation, IGNORED,
    PatternSymmetries, PatternTree, ShareOf, Spread, Translations, Vote, VoteFormula, Votes,
    contents_seen_by,
};

/// A board, and the parameters of a random forest for it.
struct BoardCase {
    grid: RowGrid,
    trees: usize,
    side: usize,
    cells: usize,
    /// The number of positions to check.
    positions: usize,
}

const fn grid(columns: usize, rows: usize, k: usize, gravity: bool) -> RowGrid {
    RowGrid { columns, rows, k, gravity }
}

/// Tic-tac-toe, Connect Four, Gomoku twice, Connect6: 10⁵ positions in total, few on the boards
/// where evaluating trees is slow.
const BOARDS: [BoardCase; 5] = [
    BoardCase { grid: grid(3, 3, 3, false), trees: 9, side: 3, cells: 4, positions: 50_000 },
    BoardCase { grid: grid(7, 7, 4, true), trees: 4, side: 5, cells: 5, positions: 36_000 },
    BoardCase { grid: grid(10, 10, 5, false), trees: 2, side: 7, cells: 8, positions: 10_000 },
    BoardCase { grid: grid(15, 15, 5, false), trees: 2, side: 5, cells: 6, positions: 3_000 },
    BoardCase { grid: grid(19, 19, 6, false), trees: 2, side: 7, cells: 7, positions: 1_000 },
];

/// Places and removes stones on random cells and compares all three evaluations after each.
struct RandomStones<'a> {
    evaluation: &'a ForestEvaluation,
    contents: Vec<CellContent>,
    stones: Vec<usize>,
    rng: Rng,
}

impl RandomStones<'_> {
    fn compare(&mut self, positions: usize) {
        let mut accumulator = self.evaluation.accumulator(&self.contents);
        let start = accumulator.clone();
        for _ in 0..positions {
            let cells = self.contents.len();
            let full = self.stones.len() == cells;
            if full || (!self.stones.is_empty() && below(&mut self.rng, 3) == 0) {
                let cell = self.stones.pop().unwrap();
                let stone = std::mem::replace(&mut self.contents[cell], CellContent::Empty);
                self.evaluation.unmake(&mut accumulator, cell, stone);
            } else {
                let cell = self.empty_cell();
                let stone =
                    [CellContent::Mine, CellContent::Theirs][below(&mut self.rng, 2) as usize];
                let peeked =
                    Side::ALL.map(|side| self.evaluation.peek(&accumulator, cell, stone, side));
                self.contents[cell] = stone;
                self.stones.push(cell);
                self.evaluation.make(&mut accumulator, cell, stone);
                let made = Side::ALL.map(|side| self.evaluation.score(&accumulator, side));
                assert_eq!(peeked, made, "peek and make");
            }
            for side in Side::ALL {
                let tables = self.evaluation.by_tables(&self.contents, side);
                assert_eq!(
                    self.evaluation.score(&accumulator, side),
                    tables,
                    "{:?}",
                    self.contents
                );
                assert_eq!(
                    self.evaluation.by_trees(&self.contents, side),
                    tables,
                    "tree and table"
                );
            }
        }
        while let Some(cell) = self.stones.pop() {
            let stone = std::mem::replace(&mut self.contents[cell], CellContent::Empty);
            self.evaluation.unmake(&mut accumulator, cell, stone);
        }
        assert_eq!(accumulator, start, "all stones are removed");
    }

    fn empty_cell(&mut self) -> usize {
        let empty: Vec<usize> = (0..self.contents.len())
            .filter(|&cell| self.contents[cell] == CellContent::Empty)
            .collect();
        empty[below(&mut self.rng, empty.len() as u32) as usize]
    }
}

fn compare(evaluation: &ForestEvaluation, positions: usize, seed: u64) {
    let contents = vec![CellContent::Empty; evaluation.grid().cells()];
    RandomStones { evaluation, contents, stones: Vec::new(), rng: seeded(seed) }.compare(positions);
}

#[test]
fn evaluations_agree_on_five_boards() {
    for (seed, board) in BOARDS.iter().enumerate() {
        let seed = seed as u64;
        let forest = random_forest(&board.grid, board.trees, board.side, board.cells, seed);
        let evaluation = ForestEvaluation::of_forest(&forest, &board.grid).unwrap();
        compare(&evaluation, board.positions, seed);
    }
}

fn with_formula(forest: &Forest, formula: VoteFormula) -> Forest {
    Forest { formula, ..forest.clone() }
}

fn with_weights(forest: &Forest) -> Forest {
    let weighted = |(place, tree): (usize, &Arc<PatternTree>)| {
        Arc::new(PatternTree { weight: [3, 0, 1, 700][place % 4], ..(**tree).clone() })
    };
    Forest { trees: forest.trees.iter().enumerate().map(weighted).collect(), ..forest.clone() }
}

/// The same classes with several votes for some.
fn with_counts(forest: &Forest) -> Forest {
    let counted = |tree: &Arc<PatternTree>| {
        let node = |(place, node): (usize, &DecisionNode)| match *node {
            DecisionNode::Leaf(vote) => DecisionNode::Leaf(match vote.class() {
                Some(class) => Vote::new(class, [1, 2, 7, Vote::MAX_COUNT][place % 4]),
                None => vote,
            }),
            split => split,
        };
        let nodes = tree.decisions.nodes().iter().enumerate().map(node).collect();
        let decisions = DecisionTree::new(nodes).unwrap();
        Arc::new(PatternTree::new(tree.pattern.clone(), decisions, None))
    };
    Forest { trees: forest.trees.iter().map(counted).collect(), ..forest.clone() }
}

#[test]
fn evaluations_agree_for_every_kind_of_table() {
    let zero_sum = VoteFormula { zero_sum: true, draw: 1.5, ..VoteFormula::default() };
    for board in &BOARDS[..3] {
        let plain = random_forest(&board.grid, 5, board.side, board.cells, 77);
        let forests = [
            with_formula(&plain, VoteFormula { drawn_game: Some(3.25), ..VoteFormula::default() }),
            with_formula(&plain, zero_sum),
            with_weights(&plain),
            with_weights(&with_formula(&plain, zero_sum)),
            with_counts(&plain),
            with_counts(&with_formula(&plain, zero_sum)),
            with_formula(&plain, VoteFormula { share_of: ShareOf::Placements, ..zero_sum }),
            Forest {
                spread: Spread {
                    symmetries: PatternSymmetries::Mirror,
                    slide: Translations::Sideways,
                    ..Spread::default()
                },
                ..plain.clone()
            },
        ];
        for forest in forests {
            let evaluation = ForestEvaluation::of_forest(&forest, &board.grid).unwrap();
            compare(&evaluation, 300, 5);
        }
        compare(&random_network(&plain, &board.grid), 2_000, 5);
    }
}

fn random_network(forest: &Forest, grid: &RowGrid) -> ForestEvaluation {
    let mut rng = seeded(8);
    let patterns: Vec<_> = forest.trees.iter().map(|tree| tree.pattern.clone()).collect();
    let weights = [(); 2].map(|()| {
        let table =
            |tree: &Arc<PatternTree>| tree.table.iter().map(|_| word(&mut rng) as i16).collect();
        forest.trees.iter().map(table).collect()
    });
    ForestEvaluation::of_weights(&patterns, &forest.spread, &weights, grid).unwrap()
}

/// The score, computed directly from the definition.
fn by_definition(forest: &Forest, grid: &RowGrid, contents: &[CellContent]) -> f64 {
    let (mut votes, mut placements) = ([Votes::default(); 2], 0);
    for tree in &forest.trees {
        for placement in forest.spread.placements(&tree.pattern, grid) {
            placements += tree.weight;
            let content = |j: usize| contents[usize::from(placement[j])];
            if (0..placement.len()).any(|j| content(j) != CellContent::Empty) {
                let both =
                    [tree.decisions.vote(content), tree.decisions.vote(|j| content(j).swapped())];
                for (votes, vote) in votes.iter_mut().zip(both) {
                    let count = vote.count() * tree.weight;
                    vote.class().into_iter().for_each(|class| votes.add(class, count));
                }
            }
        }
    }
    let both = votes[0].total() + votes[1].total();
    let zero_sum = forest.formula.zero_sum;
    let total = |votes: Votes| match forest.formula.share_of {
        ShareOf::Placements => f64::from(placements),
        ShareOf::Votes if zero_sum => f64::from(both) / 2.0,
        ShareOf::Votes => f64::from(votes.total()),
    };
    let value = |votes: Votes| {
        let sum: f64 =
            [(Class::Win, votes.win), (Class::Draw, votes.draw), (Class::Loss, votes.loss)]
                .map(|(class, count)| forest.formula.of(class) * f64::from(count))
                .iter()
                .sum();
        if total(votes) == 0.0 { 0.0 } else { 100.0 * sum / total(votes) }
    };
    let [mine, theirs] = votes.map(value);
    match zero_sum {
        true => (mine - theirs) / 2.0,
        false => mine - forest.formula.drawn_game(),
    }
}

#[test]
fn scores_are_thousandths_of_the_formula() {
    let grid = grid(10, 10, 5, false);
    let plain = random_forest(&grid, 6, 7, 8, 3);
    let mut rng = seeded(4);
    for (zero_sum, share_of) in [
        (false, ShareOf::Votes),
        (true, ShareOf::Votes),
        (false, ShareOf::Placements),
        (true, ShareOf::Placements),
    ] {
        let formula = VoteFormula { zero_sum, share_of, ..plain.formula };
        let forest = with_counts(&with_formula(&with_weights(&plain), formula));
        let evaluation = ForestEvaluation::of_forest(&forest, &grid).unwrap();
        for _ in 0..50 {
            let empty = 1 + below(&mut rng, 20);
            let content = |n: u32| *CellContent::ALL.get(n as usize).unwrap_or(&CellContent::Empty);
            let contents: Vec<CellContent> =
                (0..100).map(|_| content(below(&mut rng, empty + 3))).collect();
            let expected = 1000.0 * by_definition(&forest, &grid, &contents);
            let found = f64::from(evaluation.by_tables(&contents, Side::First));
            assert!((expected - found).abs() <= 0.501, "{expected} {found}");
        }
    }
}

#[test]
fn zero_sum_scores_are_opposite() {
    let grid = grid(7, 7, 4, false);
    let plain = random_forest(&grid, 5, 5, 6, 1);
    let forest = with_formula(&plain, VoteFormula { zero_sum: true, ..VoteFormula::default() });
    let evaluation = ForestEvaluation::of_forest(&forest, &grid).unwrap();
    let mut rng = seeded(2);
    for _ in 0..100 {
        let contents: Vec<CellContent> =
            (0..49).map(|_| CellContent::ALL[below(&mut rng, 3) as usize]).collect();
        let swapped: Vec<CellContent> = contents.iter().map(|content| content.swapped()).collect();
        let [one, other] = [&contents, &swapped].map(|f| evaluation.by_trees(f, Side::First));
        assert_eq!(one, -other);
    }
}

#[test]
fn lookup_tables_equal_their_trees() {
    for cells in 1..=9 {
        let forest = random_forest(&grid(10, 10, 5, false), 3, 7, cells, cells as u64);
        for tree in &forest.trees {
            assert_eq!(tree.table.len(), 3usize.pow(cells as u32));
            assert_eq!(tree.table[0], IGNORED);
            for (index, &entry) in tree.table.iter().enumerate().skip(1) {
                let digit = |j: usize| CellContent::ALL[index / 3usize.pow(j as u32) % 3];
                assert_eq!(Vote::of_entry(entry), tree.decisions.vote(digit));
            }
        }
    }
}

#[test]
fn unsuitable_forests_are_rejected() {
    let forest = random_forest(&grid(10, 10, 5, false), 3, 7, 8, 1);
    let small = ForestEvaluation::of_forest(&forest, &grid(3, 3, 3, false)).unwrap_err();
    let text = small.to_string();
    assert!(text.contains("fits nowhere on a board of 3x3"), "{text}");
    let none = Forest { trees: Vec::new(), ..forest.clone() };
    let on = grid(10, 10, 5, false);
    let error_of =
        |forest: &Forest| ForestEvaluation::of_forest(forest, &on).unwrap_err().to_string();
    assert_eq!(error_of(&none), "a model without patterns; expected at least one");
    let heavy =
        |tree: &Arc<PatternTree>| Arc::new(PatternTree { weight: u32::MAX, ..(**tree).clone() });
    let heavy = Forest { trees: forest.trees.iter().map(heavy).collect(), ..forest.clone() };
    let error = error_of(&heavy);
    assert!(error.starts_with("the votes on a board of 10x10 add up to"), "{error}");
    for draw in [1e9, f64::INFINITY, f64::NAN] {
        let formula = VoteFormula { draw, zero_sum: true, ..VoteFormula::default() };
        let error = error_of(&with_formula(&forest, formula));
        assert!(error.contains("votes on a board of 10x10 are too large"), "{error}");
    }
    let cut =
        |tree: &Arc<PatternTree>| Arc::new(PatternTree { table: vec![0; 7], ..(**tree).clone() });
    let cut = Forest { trees: forest.trees.iter().map(cut).collect(), ..forest };
    assert_eq!(error_of(&cut), "the table of pattern 1 has 7 entries; expected 6561");
}

#[test]
fn a_large_forest_fits_on_the_largest_usual_board() {
    let grid = grid(19, 19, 6, false);
    let forest = random_forest(&grid, 100, 7, 6, 9);
    let evaluation = ForestEvaluation::of_forest(&forest, &grid).unwrap();
    assert!(evaluation.placements() > 1 << 16, "{}", evaluation.placements());
    compare(&evaluation, 4, 1);
}

#[test]
fn contents_are_from_the_viewers_side() {
    use tesuji_games::Notation;
    use tesuji_games::rules::tictactoe::TicTacToe;
    let position = TicTacToe::new().parse_line("a3b2").unwrap().end;
    let digits =
        |side| contents_seen_by(side, &position).iter().map(|&f| f as u8).collect::<Vec<_>>();
    assert_eq!(digits(Side::First), [1, 0, 0, 0, 2, 0, 0, 0, 0]);
    assert_eq!(digits(Side::Second), [2, 0, 0, 0, 1, 0, 0, 0, 0]);
}
