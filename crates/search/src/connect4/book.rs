//! Books for Connect Four: the exact score of every unfinished position of the first plies on one
//! board.
//!
//! The scores of the deepest ply are solved; all others follow from the scores of their moves. The
//! rules determine which positions exist, so a [file](file) does not need to store them: it lists
//! the scores of the deepest ply in the order in which enumeration reaches the positions.

mod build;
#[cfg(feature = "serde")]
mod exchange;
mod file;
mod journal;
mod positions;
mod summary;
mod tree;
mod with_moves;

pub use build::{BookBuildError, BookBuilder, BookProgress};
#[cfg(feature = "serde")]
pub use exchange::{LabeledPositions, LabeledPositionsError};
pub use file::Connect4BookError;
pub use positions::{BookPositions, BookSolver};
pub use summary::{BookSummary, PlySummary, ResultCounts};

use std::sync::{Arc, OnceLock};

use tesuji_games::Position;
use tesuji_games::rules::connect4::{
    Bits, Connect4, Connect4Size, FixedSize, Geometry, RuntimeSize,
};

use super::TableWord;
use tree::{PositionIndex, Tree};

/// The exact scores of all unfinished positions with at most a given number of stones, up to mirror
/// images.
#[derive(Clone)]
pub struct Connect4Book {
    size: Connect4Size,
    index: PositionIndex,
    /// The score of every position, in the order of `index`.
    scores: Vec<i8>,
}

impl Connect4Book {
    /// The size of the board.
    pub fn size(&self) -> Connect4Size {
        self.size
    }

    /// The number of stones of its deepest positions.
    pub fn plies(&self) -> u32 {
        self.index.plies()
    }

    /// The number of positions; mirror images count once.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Always false: every book contains the empty board.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The score of an unfinished position for the side to move, if the book contains it.
    pub fn score<G: Geometry<Bits: TableWord>>(&self, position: &Connect4<G>) -> Option<i32> {
        let size = position.geometry().size();
        if position.ply() > self.plies() || position.outcome().is_some() || size != self.size {
            return None;
        }
        let index = self.index.find(compact_code(position))?;
        Some(i32::from(self.scores[index]))
    }

    /// The built-in book for boards of this size. It is decompressed on first use.
    pub fn built_in(size: Connect4Size) -> Option<Arc<Connect4Book>> {
        static STANDARD: OnceLock<Option<Arc<Connect4Book>>> = OnceLock::new();
        if size != Connect4Size::STANDARD {
            return None;
        }
        #[cfg(feature = "book")]
        let bytes = include_bytes!("../../models/connect4-7x6.book");
        #[cfg(not(feature = "book"))]
        let bytes = b"";
        let unpack = || {
            // The bytes are part of the program and covered by tests. Without a book the solver
            // works, only slower.
            Connect4Book::from_bytes(bytes).ok().map(Arc::new)
        };
        STANDARD.get_or_init(unpack).clone()
    }

    /// Creates a book from the scores of the deepest ply, in the order of the tree.
    fn from_tree(size: Connect4Size, tree: Tree, deepest: &[i8]) -> Self {
        let scores = tree.all_scores(size.cells() as i32, deepest);
        Connect4Book { size, index: tree.index, scores }
    }
}

impl PartialEq for Connect4Book {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.plies() == other.plies() && self.scores == other.scores
    }
}

impl std::fmt::Debug for Connect4Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Connect4Book({}, {} plies)", size_text(self.size), self.plies())
    }
}

/// `7x6`.
fn size_text(size: Connect4Size) -> String {
    format!("{}x{}", size.width(), size.height())
}

/// The smaller of the codes of a position and its mirror image, on a board without gaps: the same
/// for all geometries of a size.
#[inline]
fn compact_code<G: Geometry<Bits: TableWord>>(position: &Connect4<G>) -> u128 {
    let geometry = position.geometry();
    let code = position.code();
    let code = code.min(geometry.mirrored(code));
    let stride = geometry.height() + 1;
    if G::Bits::COUNT > u64::BITS {
        // Only boards without gaps need more than 64 bits.
        let high = u128::from((code >> (G::Bits::COUNT / 2)).low());
        return high << u64::BITS | u128::from(code.low());
    }
    if geometry.stride() == stride {
        return code.low().into();
    }
    let column_bits = (1 << stride) - 1;
    let compact = |compact, column| {
        let here = code.low() >> (column * geometry.stride()) & column_bits;
        compact | here << (column * stride)
    };
    (0..geometry.width()).fold(0_u64, compact).into()
}

/// An operation on the geometry that suits a size best.
trait ForGeometry {
    type Output;

    fn run<G: Geometry<Bits: TableWord>>(self, geometry: G) -> Self::Output;
}

fn with_best_geometry<W: ForGeometry>(size: Connect4Size, operation: W) -> W::Output {
    match ((size.width(), size.height()), RuntimeSize::narrow(size)) {
        ((7, 6), _) => operation.run(FixedSize::<7, 6>),
        ((7, 7), _) => operation.run(FixedSize::<7, 7>),
        (_, Some(narrow)) => operation.run(narrow),
        (_, None) => operation.run(RuntimeSize::wide(size)),
    }
}

#[cfg(test)]
mod test_support {
    use super::*;

    pub(super) fn small_book(width: usize, height: usize, plies: u32) -> Connect4Book {
        let size = Connect4Size::new(width, height).unwrap();
        BookBuilder::new(size, plies).unwrap().run(|_, _| {}).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::test_support::small_book;
    use super::*;
    use crate::connect4::Connect4Solver;
    use crate::exact::SolveOptions;
    use crate::exact::specialized_solver;
    use crate::{BookChoice, ExactSolverOptions, Limits, TableSize};
    use tesuji_games::Outcome;
    use tesuji_games::State;
    use tesuji_games::random::{Rng, seeded};

    const TABLE: TableSize = TableSize::megabytes(1);

    /// Compares the scores of all positions in the book, in both images, with a solver without a
    /// book.
    fn every_score_is_the_solvers<G: Geometry<Bits: TableWord>>(geometry: G, plies: u32) {
        let size = geometry.size();
        let book = small_book(size.width(), size.height(), plies);
        let mut solver = Connect4Solver::new(geometry, TABLE);
        let mut count = 0;
        for ply in 0..=plies {
            let (_, layer) = Tree::grow(geometry, ply, tree::MAX_POSITIONS).unwrap();
            for position in layer {
                let score = solver.score(&position, &Limits::default()).unwrap();
                assert_eq!(book.score(&position), Some(score));
                assert_eq!(book.score(&position.mirrored()), Some(score));
                count += 1;
            }
        }
        assert_eq!((count, book.plies()), (book.len(), plies));
    }

    fn rows(start: impl tesuji_games::Playable) -> Option<tesuji_games::RowGame> {
        State::new(start).rows()
    }

    #[test]
    fn every_score_is_that_of_the_solver() {
        let narrow =
            |width, height| RuntimeSize::narrow(Connect4Size::new(width, height).unwrap()).unwrap();
        every_score_is_the_solvers(narrow(5, 4), 5);
        every_score_is_the_solvers(narrow(6, 4), 3);
        every_score_is_the_solvers(narrow(4, 4), 8);
        every_score_is_the_solvers(RuntimeSize::wide(Connect4Size::new(1, 100).unwrap()), 40);
    }

    #[test]
    fn beyond_the_book_there_is_no_score() {
        let book = small_book(4, 4, 3);
        let mut position = Connect4::on(RuntimeSize::narrow(book.size()).unwrap());
        for _ in 0..4 {
            assert!(book.score(&position).is_some());
            position.play(position.drop_into(0).unwrap());
        }
        assert_eq!(book.score(&position), None);
        assert_eq!(book.score(&Connect4::new()), None, "another board size");
    }

    fn random_position(stones: u32, rng: &mut Rng) -> Connect4 {
        loop {
            let mut position = Connect4::new();
            while position.ply() < stones && position.outcome().is_none() {
                position.play(position.random_move(rng));
            }
            if position.outcome().is_none() {
                return position;
            }
        }
    }

    fn built_in() -> Arc<Connect4Book> {
        Connect4Book::built_in(Connect4Size::STANDARD).expect("there is a built-in book")
    }

    #[test]
    fn the_shipped_book_agrees_with_itself() {
        let book = built_in();
        let mut rng = seeded(1);
        for round in 0..2000 {
            let position = random_position(round % book.plies(), &mut rng);
            let mut best = i32::MIN;
            position.for_each_move(|m| {
                let mut child = position;
                child.play(m);
                let score = match child.outcome() {
                    Some(Outcome::Win(_)) => (42 + 2 - child.ply() as i32) / 2,
                    Some(Outcome::Draw) => 0,
                    None => -book.score(&child).unwrap(),
                };
                best = best.max(score);
            });
            assert_eq!(book.score(&position), Some(best));
        }
        assert_eq!(book.score(&Connect4::new()), Some(1));
    }

    /// Checks easy positions of the deepest ply; the hard ones take too long for a test. With fewer
    /// than eight stones hardly any position is easy.
    #[test]
    fn the_shipped_book_agrees_with_the_solver() {
        let book = built_in();
        let mut rng = seeded(2);
        let mut solver = Connect4Solver::new(FixedSize::<7, 6>, TABLE);
        let mut checked = 0;
        for _ in 0..60 {
            let position = random_position(book.plies(), &mut rng);
            if let Ok(score) = solver.score(&position, &Limits::nodes(50_000)) {
                assert_eq!(book.score(&position), Some(score));
                checked += 1;
            }
        }
        assert!(checked >= 5 || book.plies() < 8, "only {checked} were easy");
    }

    /// The numbers of positions won, drawn and lost by the first player at each ply, mirror images
    /// counted, finished positions excluded (Markus Böck, 2025).
    #[test]
    fn who_wins_on_the_first_plies() {
        let published = [
            (1, 0, 0),
            (1, 2, 4),
            (27, 12, 10),
            (35, 58, 145),
            (690, 200, 230),
            (1080, 697, 2486),
            (10889, 1943, 3590),
        ];
        let book = built_in();
        for (ply, counts) in (0..=book.plies()).zip(published) {
            let (_, layer) = Tree::grow(FixedSize::<7, 6>, ply, tree::MAX_POSITIONS).unwrap();
            let mut result_counts = ResultCounts::default();
            for position in layer {
                let score = book.score(&position).unwrap().signum();
                let sign = if ply % 2 == 0 { score } else { -score };
                let images = if position == position.mirrored() { 1 } else { 2 };
                (0..images).for_each(|_| result_counts.add(sign));
            }
            assert_eq!(
                (result_counts.won, result_counts.drawn, result_counts.lost),
                counts,
                "ply {ply}"
            );
        }
        let by_ply = book.summary().plies;
        assert_eq!(by_ply.iter().map(|ply| ply.positions).sum::<usize>(), book.len());
        assert_eq!(by_ply[1].results, ResultCounts { won: 1, drawn: 1, lost: 2 });
    }

    /// The 8-ply positions in the list of the UCI repository (John Tromp, 1995): those in which
    /// neither side can win with the next stone.
    #[test]
    fn the_shipped_book_counts_as_the_list_of_uci() {
        let book = built_in();
        assert_eq!(book.plies(), 8);
        let quiet = ResultCounts { won: 44_473, drawn: 6_449, lost: 16_635 };
        assert_eq!(book.summary().quiet, quiet);
        assert_eq!(quiet.total(), 67_557);
    }

    /// The solver answers from the book without a search.
    #[test]
    fn the_solver_looks_into_the_book() {
        let start = Connect4::new();
        let limits = Limits::nodes(1);
        let solve = |book: BookChoice, detail| {
            let options = ExactSolverOptions { book, ..ExactSolverOptions::default() };
            let start = State::new(start);
            let mut solver = specialized_solver(&start, &options).unwrap();
            solver.solve(&start, detail, &limits).exact_value
        };
        let value_only =
            SolveOptions { value_only: true, every_move: true, ..SolveOptions::default() };
        assert!(solve(BookChoice::BuiltIn, value_only).is_some());
        assert!(solve(BookChoice::Custom(built_in()), value_only).is_some());
        assert!(solve(BookChoice::Off, value_only).is_none());
        let mut solver = Connect4Solver::new(FixedSize::<7, 6>, TABLE).with_book(Some(built_in()));
        let scores = solver.scores(&start, &limits).unwrap();
        let scores: Vec<i32> = scores.into_iter().map(|(_, score)| score).collect();
        assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2]);
        assert_eq!(solver.nodes(), 0);
    }

    #[test]
    fn a_book_is_only_for_its_own_game() {
        let book = small_book(5, 4, 1);
        let other = BookChoice::for_game(book.clone(), rows(Connect4::new())).unwrap_err();
        assert_eq!(other.to_string(), "the book is for 5x4; expected a book for 7x6");
        let tictactoe = tesuji_games::rules::tictactoe::TicTacToe::new();
        let other = BookChoice::for_game(book.clone(), rows(tictactoe)).unwrap_err();
        assert_eq!(other, Connect4BookError::OtherGame);
        let own = Connect4::on(RuntimeSize::narrow(book.size()).unwrap());
        assert!(BookChoice::for_game(book, rows(own)).is_ok());
    }
}
