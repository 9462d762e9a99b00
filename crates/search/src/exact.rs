//! Exact values, whoever finds them: a game's own solver where it has one, else the general one.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tesuji_games::rules::connect4::{Connect4, Connect4Size, FixedSize, Geometry, RuntimeSize};
use tesuji_games::{Move, Outcome, Position, RowGame, RowRule, Score, Side, State};

use crate::connect4::{Connect4Book, Connect4BookError, Connect4Solver, TableWord};
use crate::searches::Typed;
use crate::{Limits, MoveScore, Report, Search, TableSize};

/// The result with best play, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum GameValue {
    /// The side to move loses.
    Loss,
    /// Nobody can force anything.
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

    /// What a score means: positive for a win, negative for a loss.
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

/// What a position or a move is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ExactValue {
    /// Who wins.
    pub value: GameValue,
    /// The score in the game's usual scale, where it has one and it was asked for.
    pub score: Option<i32>,
    /// Moves from the position to the end of the game if all play as well as can be, where the solver
    /// counts them.
    pub plies: Option<u32>,
}

impl ExactValue {
    /// Of a solver that only knows who wins.
    pub fn without_score(value: GameValue) -> Self {
        ExactValue { value, score: None, plies: None }
    }
}

/// What a solver found.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution<M = Move> {
    /// The worth of the position; `None` when the limits were too tight.
    pub exact_value: Option<ExactValue>,
    /// Moves that keep it: one of them, or all when every move was asked for.
    pub best: Vec<M>,
    /// Every move, best first, when that was asked for.
    pub moves: Vec<(M, ExactValue)>,
    /// One line of play that keeps the value; where moves are counted also their number.
    pub line: Vec<M>,
    /// Positions visited.
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
}

impl<M> Solution<M> {
    /// Who wins.
    pub fn value(&self) -> Option<GameValue> {
        self.exact_value.map(|exact| exact.value)
    }

    /// What a player needs to know: the score counts the moves to the end, those of the line where the
    /// solver does not count them. Without an answer, the move given here, which has no value.
    pub fn into_report(self, fallback: Option<M>) -> Report<M>
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
        let known = best.filter(|_| self.exact_value.is_some());
        Report {
            best,
            score,
            depth: self.line.len() as u32,
            moves: known.map(|m| MoveScore { m, score, visits: 0 }).into_iter().collect(),
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

/// How much a solver finds out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SolveOptions {
    /// The worth of every move, not only of the best.
    pub every_move: bool,
    /// Who wins, but not how soon: faster.
    pub value_only: bool,
    /// The worth alone: no line of play is looked for, nor a best move.
    pub no_line: bool,
}

impl SolveOptions {
    /// The worth of every move.
    pub const EVERY_MOVE: SolveOptions =
        SolveOptions { every_move: true, value_only: false, no_line: false };
}

/// A search that finds exact values.
pub trait Exact<P: Position>: Search<P> {
    /// Solves an unfinished position. `limits.depth` is not looked at.
    fn solve(&mut self, position: &P, options: SolveOptions, limits: &Limits) -> Solution<P::Move>;
}

/// What an exact solver may use.
#[derive(Clone, Debug)]
pub struct ExactOptions {
    /// Memory for known positions.
    pub table: TableSize,
    /// Threads, where the game's solver uses several.
    pub threads: usize,
    /// Which book to look into, where the game has any.
    pub book: OpeningBook,
}

/// Which book an exact solver looks into.
#[derive(Clone, Debug, Default)]
pub enum OpeningBook {
    /// The one that comes with the program, if there is one for the board.
    #[default]
    Shipped,
    /// None.
    Off,
    /// This one.
    Own(Arc<Connect4Book>),
}

impl OpeningBook {
    /// Takes a book if it is for the game that is played.
    pub fn for_game(
        book: Connect4Book,
        game: Option<RowGame>,
    ) -> Result<OpeningBook, Connect4BookError> {
        let size = connect4_size(game).ok_or(Connect4BookError::OtherGame)?;
        book.check_size(size)?;
        Ok(OpeningBook::Own(Arc::new(book)))
    }

    fn for_size(&self, size: Connect4Size) -> Option<Arc<Connect4Book>> {
        match self {
            OpeningBook::Shipped => Connect4Book::shipped(size),
            OpeningBook::Off => None,
            OpeningBook::Own(book) => Some(book.clone()),
        }
    }
}

/// The size of the board, if the game is Connect Four with a solver of its own.
pub fn connect4_size(game: Option<RowGame>) -> Option<Connect4Size> {
    let RowGame { grid, rule: RowRule::AtLeast, .. } = game.filter(RowGame::alternates)? else {
        return None;
    };
    let size = Connect4Size::new(grid.columns, grid.rows)?;
    (grid.gravity && grid.k == 4).then_some(size)
}

impl Default for ExactOptions {
    fn default() -> Self {
        let table = TableSize::megabytes(64);
        ExactOptions { table, threads: 1, book: OpeningBook::Shipped }
    }
}

/// The solver that was written for this game alone, if there is one.
pub(crate) fn own_solver(start: &State, options: &ExactOptions) -> Option<Box<dyn Exact<State>>> {
    connect4::<FixedSize<7, 6>>(start, options)
        .or_else(|| connect4::<FixedSize<7, 7>>(start, options))
        .or_else(|| connect4::<RuntimeSize<u64>>(start, options))
        .or_else(|| connect4::<RuntimeSize<u128>>(start, options))
}

fn connect4<G: Geometry<Bits: TableWord>>(
    start: &State,
    options: &ExactOptions,
) -> Option<Box<dyn Exact<State>>> {
    let start: &Connect4<G> = start.downcast_ref()?;
    let solver = Connect4Solver::new(start.geometry(), options.table)
        .with_threads(options.threads)
        .with_book(options.book.for_size(start.geometry().size()));
    Some(Box::new(Typed::<Connect4<G>, _>(Box::new(solver), PhantomData)))
}
