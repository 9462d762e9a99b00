//! What every search returns, and the one interface through which players, pages and the command line
//! call any of them.

use std::time::Duration;

use tesuji_games::{Move, Position, Score};

use crate::{Limits, analysis};

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report<M = Move> {
    /// The move to play; `None` only when the game is over.
    pub best: Option<M>,
    /// The value of the position for the side to move.
    pub score: Score,
    /// Best play for both sides as far as it was seen, beginning with `best`.
    pub line: Vec<M>,
    /// Plies searched in full.
    pub depth: u32,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
    /// The moves that have a value, best first. A move that was not searched is not among them.
    pub moves: Vec<MoveScore<M>>,
    /// Best play after other moves than `best`, where the search knows it: each line begins with
    /// its move.
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
    /// Monte Carlo: how often it was tried. 0 for other searches.
    pub visits: u64,
}

/// Sorts moves by value, best first; equals keep their order. A function of its own because a sort is a lot of code,
/// and would be compiled anew for every search of every game.
pub fn sort_best_first<M>(moves: &mut [MoveScore<M>]) {
    moves.sort_by_key(|known| std::cmp::Reverse(known.score));
}

impl<M: Copy> Report<M> {
    /// The report on a position before anything was searched.
    pub fn empty() -> Self {
        Report {
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

impl<M: Copy> Report<M> {
    /// The same report in the moves of another board. A move that the other board does not have is
    /// left out.
    pub fn map_moves<N>(
        &self,
        m: impl Fn(M) -> Option<N>,
        line: impl Fn(&[M]) -> Vec<N>,
    ) -> Report<N> {
        let valued = |known: &MoveScore<M>| {
            Some(MoveScore { m: m(known.m)?, score: known.score, visits: known.visits })
        };
        Report {
            best: self.best.and_then(&m),
            score: self.score,
            line: line(&self.line),
            depth: self.depth,
            nodes: self.nodes,
            time: self.time,
            moves: self.moves.iter().filter_map(valued).collect(),
            lines: self.lines.iter().map(|moves| line(moves)).collect(),
        }
    }
}

impl<M: Copy + Into<u64>> Report<M> {
    /// The same report without the type of the moves.
    pub fn erase_type(&self) -> Report {
        let line = |moves: &[M]| moves.iter().map(|&m| Move::of(m)).collect();
        self.map_moves(|m| Some(Move::of(m)), line)
    }
}

impl<M: Copy + Eq> Report<M> {
    /// Best play from a move on, the move included, as far as it is known.
    pub fn line_from(&self, m: M) -> Vec<M> {
        let mut lines = std::iter::once(&self.line).chain(&self.lines);
        lines.find(|line| line.first() == Some(&m)).cloned().unwrap_or_else(|| vec![m])
    }

    /// Puts the moves in the order of what is proven: wins first, the quickest before the others,
    /// and losses last, the slowest before the others. The moves between them keep their order,
    /// which is the search's own. The first move becomes the best one.
    pub fn sort_by_proof(&mut self) {
        self.moves.sort_by_key(|known| std::cmp::Reverse(known.score.proven_or_even()));
        let Some(first) = self.moves.first().filter(|first| self.best != Some(first.m)) else {
            return;
        };
        (self.best, self.score) = (Some(first.m), first.score);
        let line = self.line_from(first.m);
        self.lines.push(std::mem::replace(&mut self.line, line));
    }
}

/// Called now and then with what is known so far.
pub type Progress<'a, M = Move> = &'a mut dyn FnMut(&Report<M>);

/// Any algorithm that looks for a good move.
pub trait Search<P: Position>: Send {
    /// Searches within the limits. The position must not be finished.
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move>;

    /// Values every legal move: a report in which `moves` holds the score of each, best first.
    /// Missing are only moves of which the search has nothing to say, such as those that no
    /// simulation tried or that its evaluator does not name as candidates. The position must not be
    /// finished.
    ///
    /// Unless a search knows better, it searches the position after each move
    /// ([`analysis::analyze_each_move`]).
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        analysis::analyze_each_move(self, position, limits, progress)
    }

    /// Searches without an observer.
    fn run(&mut self, position: &P, limits: &Limits) -> Report<P::Move> {
        self.search(position, limits, &mut |_| {})
    }

    /// Forgets everything kept from earlier searches (tables, trees, histories), as for a new game.
    fn forget(&mut self) {}
}
