//! The tables of appendix A of the Anigmo paper (Woebker, 2013) on this library: the same rows, the time
//! of one `determine` from the empty Connect Four board, and its share of the first row, each beside the
//! paper's figure.

use std::io::{self, Write};
use std::time::Instant;

use serde::Serialize;
use tesuji_arena::quantity::grouped;
use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::{Connect4, Size};
use tesuji_games::rules::connect4_array::{Connect4Array, Threes};
use tesuji_games::{Heuristic, MoveOrder, Playable, Position};
use tesuji_search::book::{Book, BookKeys};
use tesuji_search::{
    AlphaBeta, Engine, EngineOptions, Evaluator, GameHeuristic, Limits, Minimax, NegaAlphaBeta,
    Negamax, Ordering, Search, TableSize, determine,
};

use super::ordered::Ordered;
use crate::failure::Failure;
use crate::output::print_table;

/// One table of the appendix.
#[derive(Serialize)]
pub(crate) struct Table {
    title: &'static str,
    depth: u32,
    iterations: u32,
    rows: Vec<Row>,
}

/// One line of it. Percentages are of the first row.
#[derive(Serialize)]
struct Row {
    board: &'static str,
    search: &'static str,
    /// Positions visited in one iteration, the first.
    nodes: u64,
    seconds: f64,
    percent: f64,
    paper_seconds: f64,
    paper_percent: f64,
    times_as_fast: f64,
}

/// The whole appendix.
pub(crate) fn run() -> Vec<Table> {
    vec![
        move_ordering(),
        bitboard(),
        hash_table(1, [5.304098, 1.220764]),
        hash_table(10, [2.985521, 0.138866]),
        opening_book(),
        complete(1, [6.293436, 0.142414]),
        complete(10, [6.640882, 0.020803]),
    ]
}

const BIT: &str = "bitboard";
const BIT_ORDERED: &str = "bitboard, ordered";
const ARRAY: &str = "array";
const ARRAY_ORDERED: &str = "array, ordered";

fn bit() -> Connect4 {
    Connect4::new()
}

fn array() -> Connect4Array {
    Connect4Array::new(Size::STANDARD, Threes::ByParity)
}

fn move_ordering() -> Table {
    let mut table = TableInTheMaking::new("Move ordering", 5, 3);
    table.five_searches(BIT, bit(), [1.667560, 1.616630, 0.296737, 0.298091, 0.495325]);
    table.five_searches(
        BIT_ORDERED,
        Ordered(bit()),
        [1.808622, 1.627230, 0.105092, 0.106139, 0.162600],
    );
    table.finish()
}

fn bitboard() -> Table {
    let mut table = TableInTheMaking::new("Bitboard", 5, 3);
    table.five_searches(
        ARRAY_ORDERED,
        Ordered(array()),
        [7.635902, 7.665586, 0.411665, 0.425502, 0.639861],
    );
    table.five_searches(
        BIT_ORDERED,
        Ordered(bit()),
        [1.645729, 1.694620, 0.107524, 0.105038, 0.172701],
    );
    table.finish()
}

fn hash_table(iterations: u32, paper: [f64; 2]) -> Table {
    let mut table = TableInTheMaking::new("Hash table", 8, iterations);
    let plain = || NegaAlphaBeta::new(GameHeuristic);
    table.row(BIT_ORDERED, "NegaAlphaBeta", paper[0], Ordered(bit()), plain);
    table.row(BIT_ORDERED, "NegaAlphaBetaTT", paper[1], Ordered(bit()), with_table);
    table.finish()
}

fn opening_book() -> Table {
    let mut table = TableInTheMaking::new("Opening book", 8, 10);
    let plain = || NegaAlphaBeta::new(GameHeuristic);
    table.row(BIT_ORDERED, "NegaAlphaBeta", 3.025746, Ordered(bit()), plain);
    let leaves = BookLeaves { book: eight_ply_book(), keys: BookKeys::new(Connect4::symmetry()) };
    // The book answers after eight plies: the first move and seven more.
    table.depth = BOOK_PLIES - 1;
    let search = || NegaAlphaBeta::new(&leaves);
    table.row(BIT_ORDERED, "NegaAlphaBeta with book", 1.722482, Ordered(bit()), search);
    table.depth = 8;
    table.finish()
}

fn complete(iterations: u32, paper: [f64; 2]) -> Table {
    let mut table = TableInTheMaking::new("Complete results", 6, iterations);
    let plain = || NegaAlphaBeta::new(GameHeuristic);
    table.row(ARRAY, "NegaAlphaBeta", paper[0], array(), plain);
    table.row(BIT_ORDERED, "NegaAlphaBetaTT", paper[1], Ordered(bit()), with_table);
    table.finish()
}

/// Alpha-beta with a table that is kept from move to move and from iteration to iteration.
fn with_table<P: MoveOrder + Heuristic>() -> Engine<P, GameHeuristic> {
    let table = Some(TableSize::megabytes(16));
    let options = EngineOptions { table, ordering: Ordering::Off, ..EngineOptions::plain() };
    Engine::new(GameHeuristic, options)
}

const BOOK_PLIES: u32 = 8;

/// Every position within eight plies, each searched a little further.
fn eight_ply_book() -> Book {
    let mut book = Book::new("connect4");
    let mut search = Engine::new(GameHeuristic, EngineOptions::<Connect4>::exact());
    let keys = BookKeys::new(Connect4::symmetry());
    book.build(&bit(), BOOK_PLIES, keys, &mut search, &Limits::depth(3), |_| {});
    book
}

/// A leaf that stands in the book has the book's value.
struct BookLeaves {
    book: Book,
    keys: BookKeys<Connect4>,
}

impl Evaluator<Ordered<Connect4>> for &BookLeaves {
    fn evaluate(&mut self, position: &Ordered<Connect4>) -> i32 {
        match self.book.score(&position.0, self.keys) {
            Some(score) => score.raw(),
            None => position.evaluate(),
        }
    }
}

/// A table whose rows are being measured.
struct TableInTheMaking {
    title: &'static str,
    depth: u32,
    iterations: u32,
    rows: Vec<Row>,
}

impl TableInTheMaking {
    fn new(title: &'static str, depth: u32, iterations: u32) -> Self {
        TableInTheMaking { title, depth, iterations, rows: Vec::new() }
    }

    /// Minimax, Negamax, AlphaBeta, NegaAlphaBeta and NegaAlphaBetaTT, as the paper lists them.
    fn five_searches<P>(&mut self, board: &'static str, start: P, paper: [f64; 5])
    where
        P: Position + MoveOrder + Heuristic,
    {
        self.row(board, "Minimax", paper[0], start.clone(), || Minimax::new(GameHeuristic));
        self.row(board, "Negamax", paper[1], start.clone(), || Negamax::new(GameHeuristic));
        self.row(board, "AlphaBeta", paper[2], start.clone(), || AlphaBeta::new(GameHeuristic));
        let nega = || NegaAlphaBeta::new(GameHeuristic);
        self.row(board, "NegaAlphaBeta", paper[3], start.clone(), nega);
        self.row(board, "NegaAlphaBetaTT", paper[4], start, with_table::<P>);
    }

    fn row<P: Position, S: Search<P>>(
        &mut self,
        board: &'static str,
        search: &'static str,
        paper_seconds: f64,
        start: P,
        make: impl Fn() -> S,
    ) {
        let nodes = determine(&start, self.depth, &mut make(), &mut seeded(1)).nodes;
        let seconds = seconds_per_iteration(&start, self.depth, self.iterations, make);
        let (first, paper_first) =
            self.rows.first().map_or((seconds, paper_seconds), |r| (r.seconds, r.paper_seconds));
        self.rows.push(Row {
            board,
            search,
            nodes,
            seconds,
            percent: 100.0 * (seconds / first),
            paper_seconds,
            paper_percent: 100.0 * (paper_seconds / paper_first),
            times_as_fast: paper_seconds / seconds,
        });
    }

    fn finish(self) -> Table {
        let TableInTheMaking { title, depth, iterations, rows } = self;
        Table { title, depth, iterations, rows }
    }
}

/// The average over the iterations; of a few such averages, each with a fresh search, the best.
fn seconds_per_iteration<P: Position, S: Search<P>>(
    start: &P,
    depth: u32,
    iterations: u32,
    make: impl Fn() -> S,
) -> f64 {
    const ATTEMPTS: usize = 5;
    let attempt = |_| {
        let (mut search, mut rng) = (make(), seeded(1));
        let started = Instant::now();
        for _ in 0..iterations {
            std::hint::black_box(determine(start, depth, &mut search, &mut rng));
        }
        started.elapsed().as_secs_f64() / f64::from(iterations)
    };
    (0..ATTEMPTS).map(attempt).fold(f64::INFINITY, f64::min)
}

/// Prints the tables.
pub(crate) fn print(tables: &[Table]) -> Result<(), Failure> {
    for Table { title, depth, iterations, rows } in tables {
        writeln!(io::stdout(), "\n{title}: {iterations} iterations at depth {depth}")?;
        let heading = ["board", "search", "nodes", "seconds", "%", "paper", "%", "times as fast"];
        let cells = rows.iter().map(|row| {
            [
                row.board.to_string(),
                row.search.to_string(),
                grouped(row.nodes.into()),
                format!("{:.6}", row.seconds),
                format!("{:.2}", row.percent),
                format!("{:.6}", row.paper_seconds),
                format!("{:.2}", row.paper_percent),
                format!("{:.0}", row.times_as_fast),
            ]
        });
        let cells: Vec<_> = std::iter::once(heading.map(String::from)).chain(cells).collect();
        print_table(&cells)?;
    }
    Ok(())
}
