//! The shared part of the four textbook searches: the position, the stack of moves, the meter, and
//! the loop over the moves of the root. Their recursions differ and have a file each.

use std::ops::Range;

use tesuji_games::{Position, Score, Side};

use crate::principal_variation::PrincipalVariations;
use crate::report::sort_best_first;
use crate::{Evaluator, Limits, Meter, MoveScore, ProgressFn, SearchReport};

/// A depth-first traversal of the game tree.
pub(crate) struct Traversal<'e, P: Position, E> {
    pub(crate) position: P,
    pub(crate) lines: PrincipalVariations<P::Move>,
    moves: Vec<P::Move>,
    evaluator: &'e mut E,
    meter: Meter,
}

/// Whether a search scores every root move, or only the best one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootScores {
    All,
    BestOnly,
}

impl<'e, P: Position, E: Evaluator<P>> Traversal<'e, P, E> {
    pub(crate) fn new(position: &P, evaluator: &'e mut E, limits: &Limits) -> Self {
        let mut meter = Meter::start(limits);
        meter.tick();
        evaluator.start(position);
        let (lines, moves) = (PrincipalVariations::new(), Vec::new());
        Traversal { position: position.clone(), lines, moves, evaluator, meter }
    }

    /// The evaluator's estimate of the position, for the side to move.
    #[inline]
    pub(crate) fn estimate(&mut self) -> Score {
        Score::estimate(self.evaluator.evaluate(&self.position))
    }

    /// Pushes the evaluator's candidates on the stack; returns their range.
    #[inline]
    pub(crate) fn push_moves(&mut self) -> Range<usize> {
        let (base, moves) = (self.moves.len(), &mut self.moves);
        self.evaluator.for_each_candidate(&self.position, |_, m| moves.push(m));
        base..self.moves.len()
    }

    #[inline]
    pub(crate) fn pop_moves(&mut self, moves: Range<usize>) {
        self.moves.truncate(moves.start);
    }

    /// Plays the move at `index` of the stack, calls `value` for the position after it, and undoes
    /// the move.
    #[inline]
    pub(crate) fn search_move(
        &mut self,
        index: usize,
        value: impl FnOnce(&mut Self) -> Score,
    ) -> (P::Move, Score) {
        let m = self.moves[index];
        self.evaluator.before_play(&self.position, m);
        let undo = self.position.play(m);
        self.meter.tick();
        let score = value(self);
        self.position.undo(m, undo);
        self.evaluator.after_undo(&self.position, m);
        (m, score)
    }

    /// Whether a limit was reached; values returned from then on are invalid.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.meter.is_stopped()
    }

    /// Searches every root move to `limits.depth` and reports the best. Calls `value` after the
    /// move was played, with the side that played it, the remaining depth and the best score so
    /// far; it returns the value of the move for that side.
    ///
    /// When a limit is reached, the current move is dropped and the best finished move is reported;
    /// the reported depth is then 0, since the search is incomplete.
    pub(crate) fn best_move(
        mut self,
        limits: &Limits,
        root_scores: RootScores,
        progress: ProgressFn<'_, P::Move>,
        mut value: impl FnMut(&mut Self, Side, u32, Score) -> Score,
    ) -> SearchReport<P::Move> {
        let (side, depth) = (self.position.to_move(), limits.plies());
        let moves = self.push_moves();
        let mut report =
            SearchReport { best: self.moves.first().copied(), ..SearchReport::empty() };
        if depth == 0 {
            report.score = self.estimate();
            return self.with_totals(report);
        }
        let mut best = Score::MIN;
        for index in moves {
            let (m, score) =
                self.search_move(index, |traversal| value(traversal, side, depth - 1, best));
            if self.is_stopped() {
                break;
            }
            if root_scores == RootScores::All {
                report.moves.push(MoveScore { m, score, visits: 0 });
            }
            if score > best {
                best = score;
                self.lines.prepend(0, m);
                report.best = Some(m);
                report.score = score;
                report.line = self.lines.main_line().to_vec();
            }
        }
        report.depth = if self.is_stopped() { 0 } else { depth };
        sort_best_first(&mut report.moves);
        let report = self.with_totals(report);
        progress(&report);
        report
    }

    fn with_totals(&self, report: SearchReport<P::Move>) -> SearchReport<P::Move> {
        SearchReport { nodes: self.meter.nodes(), time: self.meter.elapsed(), ..report }
    }
}
