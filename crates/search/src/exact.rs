//! Exact values, found by a game's own solver or by the general one.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tesuji_games::rules::connect4::{Connect4, Connect4Size, FixedSize, Geometry, RuntimeSize};
use tesuji_games::{Move, Outcome, Position, RowGame, RowRule, Score, Side, State};

use crate::connect4::{Connect4Book, Connect4BookError, Connect4Solver, TableWord};
use crate::searches::ErasedSearch;
use crate::{Limits, MoveScore, Search, SearchReport, TableSize};

/// The result of best play, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum GameValue {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl GameValue {
    pub(crate) fn of(outcome: Outcome, side: Side) -> Self {
        match outcome {
            Outcome::Draw => GameValue::Draw,
            Outcome::Win(winner) if winner == side => GameValue::Win,
            Outcome::Win(_) => GameValue::Loss,
        }
    }

    /// The value of a score: positive for a win, negative for a loss.
    pub fn of_score(score: i32) -> Self {
        match score.signum() {
            1 => GameValue::Win,
            0 => GameValue::Draw,
            _ => GameValue::Loss,
        }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            GameValue::Loss => GameValue::Win,
            GameValue::Draw => GameValue::Draw,
            GameValue::Win => GameValue::Loss,
        }
    }
}

/// The exact value of a position or a move, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ExactValue {
    /// The game's result.
    pub value: GameValue,
    /// The score on the game's usual scale, if the game has one and it was requested.
    pub score: Option<i32>,
    /// The number of moves to the end of the game with best play, if the solver counts them.
    pub plies: Option<u32>,
}

impl ExactValue {
    /// The value of a solver that finds only the result.
    pub fn without_score(value: GameValue) -> Self {
        ExactValue { value, score: None, plies: None }
    }
}

/// The result of a solver.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution<M = Move> {
    /// The exact value of the position; `None` when the limits were too tight.
    pub exact_value: Option<ExactValue>,
    /// Moves that keep the value: one of them, or all when every move was requested.
    pub best: Vec<M>,
    /// Every move, best first, if requested.
    pub moves: Vec<(M, ExactValue)>,
    /// A line of play that keeps the value, of optimal length if the solver counts moves.
    pub line: Vec<M>,
    /// Positions visited.
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
}

impl<M> Solution<M> {
    /// The game's result, if known.
    pub fn value(&self) -> Option<GameValue> {
        self.exact_value.map(|exact| exact.value)
    }

    /// Converts the solution to a report. The score counts the moves to the end, or those of the
    /// line if the solver does not count them. Without a result, the best move is `fallback`,
    /// without a value.
    pub fn into_report(self, fallback: Option<M>) -> SearchReport<M>
    where
        M: Copy,
    {
        let score = self.exact_value.map_or(Score::DRAW, |ExactValue { value, plies, .. }| {
            let plies = plies.unwrap_or(self.line.len() as u32);
            match value {
                GameValue::Win => Score::win_in(plies),
                GameValue::Loss => Score::loss_in(plies),
                GameValue::Draw => Score::DRAW,
            }
        });
        let best = self.best.first().copied().or(fallback);
        let scored = best.filter(|_| self.exact_value.is_some());
        SearchReport {
            best,
            score,
            depth: self.line.len() as u32,
            moves: scored.map(|m| MoveScore { m, score, visits: 0 }).into_iter().collect(),
            line: self.line,
            nodes: self.nodes,
            time: self.time,
            lines: Vec::new(),
        }
    }

    pub(crate) fn of(value: ExactValue) -> Self {
        Solution { exact_value: Some(value), ..Solution::unknown(0, Duration::ZERO) }
    }

    pub(crate) fn unknown(nodes: u64, time: Duration) -> Self {
        Solution { exact_value: None, best: vec![], moves: vec![], line: vec![], nodes, time }
    }
}

/// What to solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SolveOptions {
    /// Find the value of every move, not only of the best.
    pub every_move: bool,
    /// Find the result, but not the number of moves to it: faster.
    pub value_only: bool,
    /// Find only the value: no line of play and no best move.
    pub no_line: bool,
}

impl SolveOptions {
    /// Finds the value of every move.
    pub const EVERY_MOVE: SolveOptions =
        SolveOptions { every_move: true, value_only: false, no_line: false };
}

/// A search that finds exact values.
pub trait ExactSolver<P: Position>: Search<P> {
    /// Solves an unfinished position. Ignores `limits.depth`.
    fn solve(&mut self, position: &P, options: SolveOptions, limits: &Limits) -> Solution<P::Move>;
}

/// The options of an exact solver.
#[derive(Clone, Debug)]
pub struct ExactSolverOptions {
    /// The memory for solved positions.
    pub table: TableSize,
    /// The number of threads, if the game's solver supports several.
    pub threads: usize,
    /// The opening book, if the game has any.
    pub book: BookChoice,
}

/// The opening book of an exact solver.
#[derive(Clone, Debug, Default)]
pub enum BookChoice {
    /// The built-in book, if there is one for the board.
    #[default]
    BuiltIn,
    /// No book.
    Off,
    /// The given book.
    Custom(Arc<Connect4Book>),
}

impl BookChoice {
    /// Accepts a book if it is for this game.
    pub fn for_game(
        book: Connect4Book,
        game: Option<RowGame>,
    ) -> Result<BookChoice, Connect4BookError> {
        let size = connect4_size(game).ok_or(Connect4BookError::OtherGame)?;
        book.check_size(size)?;
        Ok(BookChoice::Custom(Arc::new(book)))
    }

    fn for_size(&self, size: Connect4Size) -> Option<Arc<Connect4Book>> {
        match self {
            BookChoice::BuiltIn => Connect4Book::built_in(size),
            BookChoice::Off => None,
            BookChoice::Custom(book) => Some(book.clone()),
        }
    }
}

/// The size of the board, if the game is Connect Four.
pub fn connect4_size(game: Option<RowGame>) -> Option<Connect4Size> {
    let RowGame { grid, rule: RowRule::AtLeast, .. } = game.filter(RowGame::alternates)? else {
        return None;
    };
    let size = Connect4Size::new(grid.columns, grid.rows)?;
    (grid.gravity && grid.k == 4).then_some(size)
}

impl Default for ExactSolverOptions {
    fn default() -> Self {
        let table = TableSize::megabytes(64);
        ExactSolverOptions { table, threads: 1, book: BookChoice::BuiltIn }
    }
}

/// The specialized solver for this game, if there is one.
pub(crate) fn specialized_solver(
    start: &State,
    options: &ExactSolverOptions,
) -> Option<Box<dyn ExactSolver<State>>> {
    connect4::<FixedSize<7, 6>>(start, options)
        .or_else(|| connect4::<FixedSize<7, 7>>(start, options))
        .or_else(|| connect4::<RuntimeSize<u64>>(start, options))
        .or_else(|| connect4::<RuntimeSize<u128>>(start, options))
}

fn connect4<G: Geometry<Bits: TableWord>>(
    start: &State,
    options: &ExactSolverOptions,
) -> Option<Box<dyn ExactSolver<State>>> {
    let start: &Connect4<G> = start.downcast_ref()?;
    let solver = Connect4Solver::new(start.geometry(), options.table)
        .with_threads(options.threads)
        .with_book(options.book.for_size(start.geometry().size()));
    Some(Box::new(ErasedSearch::<Connect4<G>, _>(Box::new(solver), PhantomData)))
}
