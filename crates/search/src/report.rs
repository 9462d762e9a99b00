//! The report that every search returns, and the common interface of all searches.

use std::time::Duration;

use tesuji_games::{Move, Position, Score};

use crate::{Limits, analysis};

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SearchReport<M = Move> {
    /// The move to play; `None` only when the game is over.
    pub best: Option<M>,
    /// The value of the position for the side to move.
    pub score: Score,
    /// The principal variation, starting with `best`.
    pub line: Vec<M>,
    /// The number of plies searched completely.
    pub depth: u32,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
    /// The moves with a score, best first. Moves that were not searched are omitted.
    pub moves: Vec<MoveScore<M>>,
    /// The principal variations of other moves than `best`, if available; each starts
    /// with its move.
    pub lines: Vec<Vec<M>>,
}

/// The value of one move for the side that plays it.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MoveScore<M = Move> {
    /// The move.
    pub m: M,
    /// Its value.
    pub score: Score,
    /// The number of visits in Monte Carlo searches; 0 in others.
    pub visits: u64,
}

/// Sorts moves by score, best first; equal moves keep their order. A separate function, because a
/// sort is a lot of code and would otherwise be compiled for every search of every game.
pub fn sort_best_first<M>(moves: &mut [MoveScore<M>]) {
    moves.sort_by_key(|scored| std::cmp::Reverse(scored.score));
}

impl<M: Copy> SearchReport<M> {
    /// Creates the report of a search that has not started.
    pub fn empty() -> Self {
        SearchReport {
            best: None,
            score: Score::DRAW,
            line: Vec::new(),
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
            moves: Vec::new(),
            lines: Vec::new(),
        }
    }
}

impl<M: Copy> SearchReport<M> {
    /// Translates the report to the moves of another board. Omits moves that the other board does
    /// not have.
    pub fn map_moves<N>(
        &self,
        m: impl Fn(M) -> Option<N>,
        line: impl Fn(&[M]) -> Vec<N>,
    ) -> SearchReport<N> {
        let mapped = |scored: &MoveScore<M>| {
            Some(MoveScore { m: m(scored.m)?, score: scored.score, visits: scored.visits })
        };
        SearchReport {
            best: self.best.and_then(&m),
            score: self.score,
            line: line(&self.line),
            depth: self.depth,
            nodes: self.nodes,
            time: self.time,
            moves: self.moves.iter().filter_map(mapped).collect(),
            lines: self.lines.iter().map(|moves| line(moves)).collect(),
        }
    }
}

impl<M: Copy + Into<u64>> SearchReport<M> {
    /// Converts the report to untyped moves.
    pub fn erase_type(&self) -> SearchReport {
        let line = |moves: &[M]| moves.iter().map(|&m| Move::of(m)).collect();
        self.map_moves(|m| Some(Move::of(m)), line)
    }
}

impl<M: Copy + Eq> SearchReport<M> {
    /// The principal variation that starts with a move, as far as it is known.
    pub fn line_from(&self, m: M) -> Vec<M> {
        let mut lines = std::iter::once(&self.line).chain(&self.lines);
        lines.find(|line| line.first() == Some(&m)).cloned().unwrap_or_else(|| vec![m])
    }

    /// Sorts the moves by proof: wins first, the shortest before the others, and losses last, the
    /// longest before the others. Other moves keep the search's order. The first move becomes the
    /// best one.
    pub fn sort_by_proof(&mut self) {
        self.moves.sort_by_key(|scored| std::cmp::Reverse(scored.score.proven_or_even()));
        let Some(first) = self.moves.first().filter(|first| self.best != Some(first.m)) else {
            return;
        };
        (self.best, self.score) = (Some(first.m), first.score);
        let line = self.line_from(first.m);
        self.lines.push(std::mem::replace(&mut self.line, line));
    }
}

/// A callback that receives intermediate reports.
pub type ProgressFn<'a, M = Move> = &'a mut dyn FnMut(&SearchReport<M>);

/// An algorithm that searches for a good move.
pub trait Search<P: Position>: Send {
    /// Searches within the limits. The position must not be finished.
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move>;

    /// Scores every legal move. In the report, `moves` holds the scores, best first. It omits only
    /// moves without a score, such as those that no simulation visited or that the evaluator does
    /// not list as candidates. The position must not be finished.
    ///
    /// By default, searches the position after each move ([`analysis::analyze_each_move`]).
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        analysis::analyze_each_move(self, position, limits, progress)
    }

    /// Searches without a progress callback.
    fn run(&mut self, position: &P, limits: &Limits) -> SearchReport<P::Move> {
        self.search(position, limits, &mut |_| {})
    }

    /// Clears everything kept from earlier searches (tables, trees, histories), as for a new game.
    fn forget(&mut self) {}
}
