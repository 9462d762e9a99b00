//! The tables of appendix A: the time of one `determine` from the empty Connect Four board by five
//! searches, and the gain of move ordering, bitboards, a hash table and an opening book.

use std::time::Instant;

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::{Connect4, Connect4Size};
use tesuji_games::rules::connect4_array::{Connect4Array, ThreeScoring};
use tesuji_games::{Heuristic, MoveOrder, Playable, Position, Score};
use tesuji_play::quantity::grouped;
use tesuji_search::book::{Book, BookEntry, BookKeys, layers};
use tesuji_search::{
    AlphaBeta, Connect4Book, Engine, EngineOptions, Evaluator, GameHeuristic, Limits, Minimax,
    NegaAlphaBeta, Negamax, Search, TableSize, choose_randomly_among_best,
};

use super::center_first::CenterFirst;
use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

type Outcome = Result<Findings, ReproduceError>;

/// Five searches on the bitboard, with columns from the left and with the center first.
pub(super) fn ordering(run: &ReproductionRun<'_>) -> Outcome {
    let setup = TimingSetup::new(run, 10, 5, 3);
    let plain = setup.measure_five(
        bit(),
        GameHeuristic,
        [1.667560, 1.616630, 0.296737, 0.298091, 0.495325],
    );
    let ordered =
        setup.measure_five(bit(), ORDERED, [1.808622, 1.627230, 0.105092, 0.106139, 0.162600]);
    let gains = gains(&plain, &ordered, "with ordering", |row| {
        row.explain_difference("ordering is free here; Python sorts the moves of every node")
    });
    let titles = ["bitboard, columns from the left", "bitboard, center first"];
    Ok(findings(&setup, titles, [plain, ordered], gains))
}

/// Five searches on a plain array and on the bitboard.
pub(super) fn bitboard(run: &ReproductionRun<'_>) -> Outcome {
    let setup = TimingSetup::new(run, 10, 5, 3);
    let array =
        setup.measure_five(array(), ORDERED, [7.635902, 7.665586, 0.411665, 0.425502, 0.639861]);
    let bit =
        setup.measure_five(bit(), ORDERED, [1.645729, 1.694620, 0.107524, 0.105038, 0.172701]);
    let gains = gains(&array, &bit, "with a bitboard", |row| {
        row.explain_difference(
            "the array spends its time on the heuristic, the bitboard hardly any",
        )
    });
    let titles = ["array, center first", "bitboard, center first"];
    Ok(findings(&setup, titles, [array, bit], gains))
}

/// Alpha-beta with and without a hash table, in one search and in ten.
pub(super) fn hash(run: &ReproductionRun<'_>) -> Outcome {
    let mut tables = Vec::new();
    let one = "our table leaves out positions with one ply to go: looking them up takes longer";
    let ten = "a repeated search looks up 56 positions, and each look-up is cheaper than in Python";
    for (iterations, paper, why) in
        [(1, [5.304098, 1.220764], one), (10, [2.985521, 0.138866], ten)]
    {
        let setup = TimingSetup::new(run, 2, 8, iterations);
        let plain = setup.measure("NegaAlphaBeta", paper[0], bit(), || NegaAlphaBeta::new(ORDERED));
        let table = setup.measure("NegaAlphaBetaTT", paper[1], bit(), || with_table(ORDERED));
        let gain = gain("with a hash table", &plain, &table).explain_difference(why);
        tables.extend([
            setup.table("bitboard, center first", vec![plain, table]),
            gained(vec![gain]),
        ]);
    }
    let images = "The table holds each position together with its mirror image, as Anigmo's does. \
        An independent copy of Anigmo's algorithm searches 48,030 positions with its table.";
    Ok(Findings::of_all(tables).note(NOTE).note(images))
}

/// Alpha-beta with and without a book of the positions after eight plies.
pub(super) fn book(run: &ReproductionRun<'_>) -> Outcome {
    let setup = TimingSetup::new(run, 2, 8, 10);
    let plain = setup.measure("NegaAlphaBeta", 3.025746, bit(), || NegaAlphaBeta::new(ORDERED));
    let leaves = BookLeaves { book: eight_ply_book()?, keys: BookKeys::new(Connect4::symmetry()) };
    // The book answers after eight plies: the first move and seven more.
    let shallow = TimingSetup { depth: BOOK_PLIES - 1, ..setup };
    let search = || NegaAlphaBeta::new(CenterFirst(&leaves));
    let with_book = shallow.measure("NegaAlphaBeta with book", 1.722482, bit(), search);
    let gain = gain("with a book", &plain, &with_book).explain_difference(
        "the search ends a ply earlier; a look-up costs as much as a few nodes",
    );
    let times = setup.table("bitboard, center first", vec![plain, with_book]);
    let sizes = format!(
        "Ours has the {} positions of the UCI list: after eight plies, neither side can win with the \
         next stone; mirror images count once (134,934 with both). The published program reports \
         77,238. That is neither of these numbers, nor the 91,295 unfinished positions, nor the \
         77,715 of them in which the side to move cannot win at once; how its file was made is not \
         published.",
        grouped(leaves.book.len() as u128)
    );
    let tables = vec![times, gained(vec![gain])];
    Ok(Findings::of_all(tables).note(NOTE).note(sizes))
}

/// All improvements together: from the plain array without ordering to the bitboard with ordering
/// and a hash table.
pub(super) fn complete(run: &ReproductionRun<'_>) -> Outcome {
    let mut tables = Vec::new();
    for (iterations, paper) in [(1, [6.293436, 0.142414]), (10, [6.640882, 0.020803])] {
        let setup = TimingSetup::new(run, 2, 6, iterations);
        let plain = setup.measure("NegaAlphaBeta on the array", paper[0], array(), || {
            NegaAlphaBeta::new(GameHeuristic)
        });
        let all = setup
            .measure("NegaAlphaBetaTT, all improvements", paper[1], bit(), || with_table(ORDERED));
        let all = match iterations {
            10 => Measured {
                row: all.row.headline("Anigmo: Connect Four at depth 6, all improvements"),
                ..all
            },
            _ => all,
        };
        let gain = gain("by all together", &plain, &all)
            .explain_difference("bitboards gain more here than in Python");
        tables.extend([setup.table("all together", vec![plain, all]), gained(vec![gain])]);
    }
    Ok(Findings::of_all(tables).note(NOTE))
}

const NOTE: &str = "One determine from the empty board: each first move is made, and the position after it is \
    searched to the given depth. Published: Python on a 2.66 GHz Core i7 of 2010. Times are \
    means of the faster half of many attempts.";

fn findings(
    setup: &TimingSetup<'_, '_>,
    titles: [&str; 2],
    times: [Vec<Measured>; 2],
    gains: Vec<ComparisonRow>,
) -> Findings {
    let mut tables: Vec<ComparisonTable> =
        titles.into_iter().zip(times).map(|(title, rows)| setup.table(title, rows)).collect();
    tables.push(gained(gains));
    Findings::of_all(tables).note(NOTE)
}

/// The rows with their times in percent of the first one, as the paper prints them.
fn in_percent(rows: Vec<Measured>) -> Vec<ComparisonRow> {
    let Some((first_paper, first)) = rows.first().map(|row| (row.paper, row.seconds.value)) else {
        return Vec::new();
    };
    let percent = |measured: Measured| {
        let paper = 100.0 * measured.paper / first_paper;
        let ours = 100.0 * measured.seconds.value / first;
        let shares = format!("{ours:.1} % of the first row, published {paper:.1} %");
        measured.row.with_note(&shares).with_note(&measured.positions)
    };
    rows.into_iter().map(percent).collect()
}

fn gained(rows: Vec<ComparisonRow>) -> ComparisonTable {
    ComparisonTable::new("How many times as fast", rows)
}

/// Returns the speedup of each search.
fn gains(
    before: &[Measured],
    after: &[Measured],
    with: &str,
    explain: impl Fn(ComparisonRow) -> ComparisonRow,
) -> Vec<ComparisonRow> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| explain(gain(&format!("{} {with}", before.row.what), before, after)))
        .collect()
}

fn gain(what: &str, before: &Measured, after: &Measured) -> ComparisonRow {
    let published = Estimate::exact(before.paper / after.paper);
    let ours = before.seconds.over(after.seconds);
    let figure = |estimate| ReportedValue::number(estimate, 2, " ×");
    ComparisonRow::sampled(
        what,
        (published, figure(published)),
        (ours, figure(ours)),
        Better::Neither,
    )
}

fn bit() -> Connect4 {
    Connect4::new()
}

fn array() -> Connect4Array {
    Connect4Array::new(Connect4Size::STANDARD, ThreeScoring::ByParity)
}

/// The game's heuristic; the game generates its moves with the center first.
const ORDERED: CenterFirst<GameHeuristic> = CenterFirst(GameHeuristic);

/// Alpha-beta with a table that holds positions and their mirror images, and is kept between moves
/// and iterations, as Anigmo's.
fn with_table<P: Playable, E: Evaluator<P>>(evaluator: E) -> Engine<P, E> {
    let (table, symmetries) = (Some(TableSize::megabytes(16)), P::symmetry());
    Engine::new(evaluator, EngineOptions { table, symmetries, ..EngineOptions::plain() })
}

const BOOK_PLIES: u32 = 8;

/// The results of the quiet positions after eight plies, as in the list of the UCI repository, from
/// which Anigmo made its book.
fn eight_ply_book() -> Result<Book, ReproduceError> {
    /// The value of a position won by the side to move.
    const WON: i32 = 1_000_000;
    let exact = Connect4Book::built_in(Connect4Size::STANDARD)
        .ok_or_else(|| ReproduceError::Other("no built-in book of connect4".to_string()))?;
    let (mut book, keys) = (Book::new("connect4"), BookKeys::new(Connect4::symmetry()));
    let positions = layers(&bit(), keys).nth(BOOK_PLIES as usize).into_iter().flatten();
    for position in positions.filter(is_quiet) {
        if let Some(score) = exact.score(&position) {
            let score = Score::estimate(score.signum() * WON);
            book.insert(&position, keys, BookEntry { score, depth: 0, after_best: 0 });
        }
    }
    Ok(book)
}

/// Whether neither side can win with the next stone.
fn is_quiet(position: &Connect4) -> bool {
    let wins = position.winning_cells() | position.opponent_winning_cells();
    wins & position.playable_cells() == 0
}

/// An evaluator that takes the book's score for positions in the book.
struct BookLeaves {
    book: Book,
    keys: BookKeys<Connect4>,
}

impl Evaluator<Connect4> for &BookLeaves {
    fn evaluate(&mut self, position: &Connect4) -> i32 {
        match self.book.score(position, self.keys) {
            Some(score) => score.raw(),
            None => position.evaluate(),
        }
    }

    fn order(&self, position: &Connect4, m: <Connect4 as Position>::Move) -> i32 {
        position.move_score(m)
    }
}

/// A row with its numbers.
struct Measured {
    row: ComparisonRow,
    /// The searched positions.
    positions: String,
    paper: f64,
    seconds: Estimate,
}

/// What is measured: depth and number of iterations.
#[derive(Clone, Copy)]
struct TimingSetup<'r, 'w> {
    run: &'r ReproductionRun<'w>,
    searches: u64,
    depth: u32,
    iterations: u32,
}

impl<'r, 'w> TimingSetup<'r, 'w> {
    fn new(run: &'r ReproductionRun<'w>, searches: u64, depth: u32, iterations: u32) -> Self {
        TimingSetup { run, searches, depth, iterations }
    }

    fn table(&self, title: &str, rows: Vec<Measured>) -> ComparisonTable {
        let TimingSetup { depth, iterations, .. } = self;
        let plural = if *iterations == 1 { "" } else { "s" };
        let title = format!("{title}: {iterations} iteration{plural} at depth {depth}");
        ComparisonTable::new(title, in_percent(rows))
    }

    /// Measures Minimax, Negamax, AlphaBeta, NegaAlphaBeta and NegaAlphaBetaTT, as in the paper.
    fn measure_five<P: Playable>(
        &self,
        start: P,
        evaluator: impl Evaluator<P> + Copy,
        paper: [f64; 5],
    ) -> Vec<Measured> {
        let start = || start.clone();
        vec![
            self.measure("Minimax", paper[0], start(), || Minimax::new(evaluator)),
            self.measure("Negamax", paper[1], start(), || Negamax::new(evaluator)),
            self.measure("AlphaBeta", paper[2], start(), || AlphaBeta::new(evaluator)),
            self.measure("NegaAlphaBeta", paper[3], start(), || NegaAlphaBeta::new(evaluator)),
            self.measure("NegaAlphaBetaTT", paper[4], start(), || with_table(evaluator)),
        ]
    }

    fn measure<P: Position, S: Search<P>>(
        &self,
        search: &str,
        paper: f64,
        start: P,
        make: impl Fn() -> S,
    ) -> Measured {
        self.run.report_progress(0, self.searches, search);
        let limits = Limits::depth(self.depth);
        let nodes = choose_randomly_among_best(&start, &limits, &mut make(), &mut seeded(1)).nodes;
        let seconds = self.seconds_per_iteration(&start, make);
        let positions = format!("{} positions", grouped(nodes.into()));
        Measured { row: ComparisonRow::time(search, paper, seconds), positions, paper, seconds }
    }

    /// Returns the mean of the faster half of many attempts, each with a new search, since
    /// disturbances only make an attempt longer.
    fn seconds_per_iteration<P: Position, S: Search<P>>(
        &self,
        start: &P,
        make: impl Fn() -> S,
    ) -> Estimate {
        let (attempts, limits) = (self.run.pick(10, 40), Limits::depth(self.depth));
        let attempt = |_| {
            let (mut search, mut rng) = (make(), seeded(1));
            let started = Instant::now();
            for _ in 0..self.iterations {
                std::hint::black_box(choose_randomly_among_best(
                    start,
                    &limits,
                    &mut search,
                    &mut rng,
                ));
            }
            started.elapsed().as_secs_f64() / f64::from(self.iterations)
        };
        let mut times: Vec<f64> = (0..attempts).map(attempt).collect();
        times.sort_by(f64::total_cmp);
        Estimate::mean(&times[..attempts / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Effort;

    /// The node counts were computed independently of this program.
    #[test]
    fn searches_visit_the_known_number_of_nodes() {
        let watch = |_: crate::run::ReproductionProgress<'_>| {};
        let run = ReproductionRun::new(Effort::Quick, 1, 1, &watch);
        let found = ordering(&run).unwrap();
        let nodes = |table: usize, row: usize| {
            let why = &found.tables[table].rows[row].why;
            why.rsplit("; ").next().unwrap().to_string()
        };
        assert_eq!([nodes(0, 0), nodes(0, 1)], ["137,256 positions"; 2], "Minimax and Negamax");
        assert_eq!([nodes(0, 2), nodes(0, 3)], ["25,423 positions"; 2], "columns from the left");
        assert_eq!([nodes(1, 0), nodes(1, 1)], ["137,256 positions"; 2], "order does not help");
        assert_eq!([nodes(1, 2), nodes(1, 3)], ["7,916 positions"; 2], "centre first");
        assert_eq!(found.tables[2].rows.len(), 5);
        let found = hash(&run).unwrap();
        let why = |row: usize| &*found.tables[0].rows[row].why;
        assert!(why(0).ends_with("212,330 positions"), "depth 8: {}", why(0));
        assert!(why(0).contains("100.0 % of the first row, published 100.0 %"), "{}", why(0));
        assert!(why(1).contains("published 23.0 %; 5"), "fewer than 60,000: {}", why(1));
        let found = book(&run).unwrap();
        assert!(found.notes[1].starts_with("Ours has the 67,557 positions"), "{:?}", found.notes);
    }
}
