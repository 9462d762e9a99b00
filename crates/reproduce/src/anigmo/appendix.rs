//! The tables of appendix A on this library: the time of one `determine` from the empty Connect Four board by five
//! searches, and what move ordering, bitboards, a hash table and an opening book gain.

use std::time::Instant;

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::{Connect4, Connect4Size};
use tesuji_games::rules::connect4_array::{Connect4Array, ThreeScoring};
use tesuji_games::{Heuristic, MoveOrder, Playable, Position};
use tesuji_play::quantity::grouped;
use tesuji_search::book::{Book, BookKeys};
use tesuji_search::{
    AlphaBeta, Engine, EngineOptions, Evaluator, GameHeuristic, Limits, Minimax, MoveOrdering,
    NegaAlphaBeta, Negamax, Search, TableSize, choose_randomly_among_best,
};

use super::ordered::BestFirst;
use crate::comparison::{Better, Estimate};
use crate::report::{Figure, Findings, Row, Table};
use crate::run::{ReproduceError, Run};

type Outcome = Result<Findings, ReproduceError>;

/// Five searches on the bitboard, with columns from the left and with the centre first.
pub(super) fn ordering(run: &Run<'_>) -> Outcome {
    let stand = Stand::new(run, 10, 5, 3);
    let plain =
        stand.five(bit(), GameHeuristic, [1.667560, 1.616630, 0.296737, 0.298091, 0.495325]);
    let ordered = stand.five(bit(), BEST_FIRST, [1.808622, 1.627230, 0.105092, 0.106139, 0.162600]);
    let gains = gains(&plain, &ordered, "with ordering", |row| {
        row.explained("what ordering costs and what it saves differ from Python to compiled code")
    });
    let titles = ["bitboard, columns from the left", "bitboard, centre first"];
    Ok(findings(&stand, titles, [plain, ordered], gains))
}

/// Five searches on a plain array and on the bitboard.
pub(super) fn bitboard(run: &Run<'_>) -> Outcome {
    let stand = Stand::new(run, 10, 5, 3);
    let array = stand.five(array(), BEST_FIRST, [7.635902, 7.665586, 0.411665, 0.425502, 0.639861]);
    let bit = stand.five(bit(), BEST_FIRST, [1.645729, 1.694620, 0.107524, 0.105038, 0.172701]);
    let gains = gains(&array, &bit, "with a bitboard", |row| {
        row.explained("the array spends its time on the heuristic, the bitboard on nothing much")
    });
    let titles = ["array, centre first", "bitboard, centre first"];
    Ok(findings(&stand, titles, [array, bit], gains))
}

/// Alpha-beta with and without a hash table, in one search and in ten.
pub(super) fn hash(run: &Run<'_>) -> Outcome {
    let mut tables = Vec::new();
    for (iterations, paper) in [(1, [5.304098, 1.220764]), (10, [2.985521, 0.138866])] {
        let stand = Stand::new(run, 2, 8, iterations);
        let plain = stand.one("NegaAlphaBeta", paper[0], bit(), || NegaAlphaBeta::new(BEST_FIRST));
        let table = stand.one("NegaAlphaBetaTT", paper[1], bit(), || with_table(BEST_FIRST));
        let gain = gain("with a hash table", &plain, &table)
            .explained("here a node costs less than waiting for memory");
        tables.extend([
            stand.table("bitboard, centre first", vec![plain, table]),
            gained(vec![gain]),
        ]);
    }
    Ok(Findings::of_all(tables).note(NOTE))
}

/// Alpha-beta with and without a book of all positions within eight plies.
pub(super) fn book(run: &Run<'_>) -> Outcome {
    let stand = Stand::new(run, 2, 8, 10);
    let plain = stand.one("NegaAlphaBeta", 3.025746, bit(), || NegaAlphaBeta::new(BEST_FIRST));
    let leaves = BookLeaves { book: eight_ply_book(), keys: BookKeys::new(Connect4::symmetry()) };
    // The book answers after eight plies: the first move and seven more.
    let shallow = Stand { depth: BOOK_PLIES - 1, ..stand };
    let search = || NegaAlphaBeta::new(BestFirst(&leaves));
    let with_book = shallow.one("NegaAlphaBeta with book", 1.722482, bit(), search);
    let gain = gain("with a book", &plain, &with_book).explained(
        "the book is ours: every position within eight plies, searched three plies further",
    );
    let times = stand.table("bitboard, centre first", vec![plain, with_book]);
    Ok(Findings::of_all(vec![times, gained(vec![gain])]).note(NOTE))
}

/// Everything together: from the plain array without order to the bitboard with order and a hash table.
pub(super) fn complete(run: &Run<'_>) -> Outcome {
    let mut tables = Vec::new();
    for (iterations, paper) in [(1, [6.293436, 0.142414]), (10, [6.640882, 0.020803])] {
        let stand = Stand::new(run, 2, 6, iterations);
        let plain = stand.one("NegaAlphaBeta on the array", paper[0], array(), || {
            NegaAlphaBeta::new(GameHeuristic)
        });
        let all = stand
            .one("NegaAlphaBetaTT, all improvements", paper[1], bit(), || with_table(BEST_FIRST));
        let all = match iterations {
            10 => Measured {
                row: all.row.headline("Anigmo: Connect Four at depth 6, all improvements"),
                ..all
            },
            _ => all,
        };
        let gain = gain("by all together", &plain, &all)
            .explained("bitboards gain more here than in Python");
        tables.extend([stand.table("all together", vec![plain, all]), gained(vec![gain])]);
    }
    Ok(Findings::of_all(tables).note(NOTE))
}

const NOTE: &str = "One determine from the empty board: each first move is made, and the position after it searched to \
    the given depth. Published: Python on a 2.66 GHz Core i7 of 2010. Times are means of the faster half of many attempts.";

fn findings(
    stand: &Stand<'_, '_>,
    titles: [&str; 2],
    times: [Vec<Measured>; 2],
    gains: Vec<Row>,
) -> Findings {
    let mut tables: Vec<Table> =
        titles.into_iter().zip(times).map(|(title, rows)| stand.table(title, rows)).collect();
    tables.push(gained(gains));
    Findings::of_all(tables).note(NOTE)
}

fn gained(rows: Vec<Row>) -> Table {
    Table::new("How many times as fast", rows)
}

/// How many times as fast each search became.
fn gains(
    before: &[Measured],
    after: &[Measured],
    with: &str,
    explain: impl Fn(Row) -> Row,
) -> Vec<Row> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| explain(gain(&format!("{} {with}", before.row.what), before, after)))
        .collect()
}

fn gain(what: &str, before: &Measured, after: &Measured) -> Row {
    let published = Estimate::exact(before.paper / after.paper);
    let ours = before.seconds.over(after.seconds);
    let figure = |estimate| Figure::number(estimate, 2, " ×");
    Row::sampled(what, (published, figure(published)), (ours, figure(ours)), Better::Neither)
}

fn bit() -> Connect4 {
    Connect4::new()
}

fn array() -> Connect4Array {
    Connect4Array::new(Connect4Size::STANDARD, ThreeScoring::ByParity)
}

/// The game's heuristic, the moves in the game's order.
const BEST_FIRST: BestFirst<GameHeuristic> = BestFirst(GameHeuristic);

/// Alpha-beta with a table that is kept from move to move and from iteration to iteration.
fn with_table<P: Position, E: Evaluator<P>>(evaluator: E) -> Engine<P, E> {
    let table = Some(TableSize::megabytes(16));
    let options = EngineOptions { table, ordering: MoveOrdering::Off, ..EngineOptions::plain() };
    Engine::new(evaluator, options)
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

/// A row with the numbers behind it.
struct Measured {
    row: Row,
    paper: f64,
    seconds: Estimate,
}

/// Where searches are measured: how deep and how often.
#[derive(Clone, Copy)]
struct Stand<'r, 'w> {
    run: &'r Run<'w>,
    searches: u64,
    depth: u32,
    iterations: u32,
}

impl<'r, 'w> Stand<'r, 'w> {
    fn new(run: &'r Run<'w>, searches: u64, depth: u32, iterations: u32) -> Self {
        Stand { run, searches, depth, iterations }
    }

    fn table(&self, title: &str, rows: Vec<Measured>) -> Table {
        let Stand { depth, iterations, .. } = self;
        let plural = if *iterations == 1 { "" } else { "s" };
        let title = format!("{title}: {iterations} iteration{plural} at depth {depth}");
        Table::new(title, rows.into_iter().map(|measured| measured.row).collect())
    }

    /// Minimax, Negamax, AlphaBeta, NegaAlphaBeta and NegaAlphaBetaTT, as the paper lists them.
    fn five<P: Position>(
        &self,
        start: P,
        evaluator: impl Evaluator<P> + Copy,
        paper: [f64; 5],
    ) -> Vec<Measured> {
        let start = || start.clone();
        vec![
            self.one("Minimax", paper[0], start(), || Minimax::new(evaluator)),
            self.one("Negamax", paper[1], start(), || Negamax::new(evaluator)),
            self.one("AlphaBeta", paper[2], start(), || AlphaBeta::new(evaluator)),
            self.one("NegaAlphaBeta", paper[3], start(), || NegaAlphaBeta::new(evaluator)),
            self.one("NegaAlphaBetaTT", paper[4], start(), || with_table(evaluator)),
        ]
    }

    fn one<P: Position, S: Search<P>>(
        &self,
        search: &str,
        paper: f64,
        start: P,
        make: impl Fn() -> S,
    ) -> Measured {
        self.run.show(0, self.searches, search);
        let nodes =
            choose_randomly_among_best(&start, self.depth, &mut make(), &mut seeded(1)).nodes;
        let seconds = self.seconds_per_iteration(&start, make);
        let row = Row::time(search, paper, seconds)
            .noting(&format!("{} positions", grouped(nodes.into())));
        Measured { row, paper, seconds }
    }

    /// The mean of the faster half of many attempts, each with a fresh search: what disturbs an attempt only makes it
    /// longer.
    fn seconds_per_iteration<P: Position, S: Search<P>>(
        &self,
        start: &P,
        make: impl Fn() -> S,
    ) -> Estimate {
        let attempts = self.run.pick(10, 40);
        let attempt = |_| {
            let (mut search, mut rng) = (make(), seeded(1));
            let started = Instant::now();
            for _ in 0..self.iterations {
                std::hint::black_box(choose_randomly_among_best(
                    start,
                    self.depth,
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

    /// The node counts were found independently of this program.
    #[test]
    fn searches_visit_the_known_number_of_nodes() {
        let watch = |_: crate::run::Step<'_>| {};
        let run = Run::new(Effort::Quick, 1, 1, &watch);
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
        assert!(found.tables[0].rows[0].why.ends_with("212,330 positions"), "depth 8");
    }
}
