//! The positions to solve for a book: those of the deepest ply without an immediate win. Their
//! order is that of play, so neighbors share most of their subtrees, and an index identifies the
//! same position for all processes with the same board and number of plies.

use tesuji_games::Position;
use tesuji_games::rules::connect4::{Connect4, Connect4Size, Geometry};

use super::file::deepest_scores;
use super::tree::{MAX_POSITIONS, TooManyPositions, Tree};
use super::{Connect4Book, ForGeometry, with_best_geometry};
use crate::connect4::{Connect4Solver, TableWord};
use crate::{Limits, TableSize};

/// The positions of a book build by index, on a board of any size.
pub struct BookPositions(Box<dyn Positions>);

impl BookPositions {
    pub(super) fn new(size: Connect4Size, plies: u32) -> Result<BookPositions, TooManyPositions> {
        with_best_geometry(size, Enumeration { size, plies }).map(BookPositions)
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.0.count()
    }

    /// Whether there are none: every deepest position has an immediate win, or no such position
    /// exists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Creates a solver for these positions. It keeps its table, of this size, from one position to
    /// the next.
    pub fn solver(&self, table: TableSize) -> BookSolver<'_> {
        BookSolver(self.0.solver(table))
    }

    /// Creates the book from the scores of all positions.
    pub(super) fn into_book(self, scores: &[i8]) -> Option<Connect4Book> {
        self.0.into_book(scores)
    }
}

/// Solves positions by index.
pub struct BookSolver<'a>(Box<dyn IndexedSolver + 'a>);

impl BookSolver<'_> {
    /// Returns the exact score of a position; `None` when a limit is reached or the position does
    /// not exist.
    pub fn score(&mut self, index: usize, limits: &Limits) -> Option<i8> {
        self.0.score(index, limits)
    }
}

/// Positions on a board of any geometry.
trait Positions: Send + Sync {
    fn count(&self) -> usize;
    fn solver(&self, table: TableSize) -> Box<dyn IndexedSolver + '_>;
    fn into_book(self: Box<Self>, scores: &[i8]) -> Option<Connect4Book>;
}

trait IndexedSolver {
    fn score(&mut self, index: usize, limits: &Limits) -> Option<i8>;
}

struct Enumeration {
    size: Connect4Size,
    plies: u32,
}

impl ForGeometry for Enumeration {
    type Output = Result<Box<dyn Positions>, TooManyPositions>;

    fn run<G: Geometry<Bits: TableWord>>(self, geometry: G) -> Self::Output {
        let (tree, deepest) = Tree::grow(geometry, self.plies, MAX_POSITIONS)?;
        let unsolved = deepest.iter().filter(|p| p.winning_move().is_none()).copied().collect();
        Ok(Box::new(EnumeratedPositions { size: self.size, geometry, tree, deepest, unsolved }))
    }
}

struct EnumeratedPositions<G: Geometry> {
    size: Connect4Size,
    geometry: G,
    tree: Tree,
    deepest: Vec<Connect4<G>>,
    unsolved: Vec<Connect4<G>>,
}

impl<G: Geometry<Bits: TableWord>> Positions for EnumeratedPositions<G> {
    fn count(&self) -> usize {
        self.unsolved.len()
    }

    fn solver(&self, table: TableSize) -> Box<dyn IndexedSolver + '_> {
        Box::new(PositionSolver {
            unsolved: &self.unsolved,
            solver: Connect4Solver::new(self.geometry, table),
        })
    }

    fn into_book(self: Box<Self>, scores: &[i8]) -> Option<Connect4Book> {
        let mut solved = scores.iter().copied();
        let scores = deepest_scores(&self.deepest, || solved.next())?;
        Some(Connect4Book::from_tree(self.size, self.tree, &scores))
    }
}

struct PositionSolver<'a, G: Geometry<Bits: TableWord>> {
    unsolved: &'a [Connect4<G>],
    solver: Connect4Solver<G>,
}

impl<G: Geometry<Bits: TableWord>> IndexedSolver for PositionSolver<'_, G> {
    fn score(&mut self, index: usize, limits: &Limits) -> Option<i8> {
        let position = self.unsolved.get(index)?;
        self.solver.score(position, limits).ok().map(|score| score as i8)
    }
}
