//! Move generation: scores every candidate by the patterns after a stone of either side on it, and
//! keeps the candidates that the threats allow.

use std::cmp::Reverse;

use tesuji_games::Side;

use super::board::{CandidateReach, FudanBoard, FudanCell};
use super::count_cache::CountCache;
use super::evaluation::{FudanEvaluation, Points, forcing, has_five};
use super::parameters::{FudanParameters, ThreatRule};
use super::patterns::{FUDAN_PATTERNS, PatternCounts};

/// A candidate with its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove {
    pub(super) cell: FudanCell,
    /// The value for the maximizing side after the move.
    pub(super) points: Points,
    /// The patterns after the move.
    pub(super) counts: PatternCounts<10>,
    own: ThreatGain,
    other: ThreatGain,
}

/// The threats that a stone of one side on a cell creates.
#[derive(Clone, Copy, Debug)]
struct ThreatGain {
    five: bool,
    /// A winning threat on the board, or two forcing threats.
    winning: bool,
}

/// The moves of a node.
#[derive(Debug)]
pub(super) enum GeneratedMoves {
    /// There are no candidates.
    None,
    /// A threat decides: the value and the move.
    Decided(Points, FudanCell),
    /// The moves to search, best first; at least one.
    Moves(Vec<ScoredMove>, Urgency),
}

/// Whether a threat has narrowed the list, which extends the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Urgency {
    Quiet,
    Forced,
}

/// Whether a node maximizes or minimizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeType {
    Maximize,
    Minimize,
}

/// Generates moves and caches pattern counts.
#[derive(Clone, Debug)]
pub(super) struct MoveGenerator {
    pub(super) parameters: FudanParameters,
    pub(super) faithful: bool,
    pub(super) cache: CountCache,
}

impl MoveGenerator {
    /// The moves of the side to move on a board with these pattern counts.
    pub(super) fn generate(
        &mut self,
        board: &FudanBoard,
        counts: &PatternCounts<10>,
        node_type: NodeType,
        ply: usize,
    ) -> GeneratedMoves {
        let cells = board.candidates(CandidateReach::Two);
        let scored: Vec<ScoredMove> =
            cells.into_iter().map(|cell| self.score(board, counts, node_type, cell)).collect();
        if scored.is_empty() {
            return GeneratedMoves::None;
        }
        let five = match node_type {
            NodeType::Maximize => FudanEvaluation::five(),
            NodeType::Minimize => -FudanEvaluation::five(),
        };
        if let Some(winner) = scored.iter().find(|m| m.own.five) {
            return GeneratedMoves::Decided(five, winner.cell);
        }
        let (mut moves, urgency) = match self.parameters.threats {
            ThreatRule::Narrow => narrow_to_threat(scored),
            ThreatRule::Decide => match decide_by_threat(scored, five) {
                Ok((points, cell)) => return GeneratedMoves::Decided(points, cell),
                Err(moves) => (moves, Urgency::Quiet),
            },
        };
        match node_type {
            NodeType::Maximize => moves.sort_by_key(|m| Reverse(m.points)),
            NodeType::Minimize => moves.sort_by_key(|m| m.points),
        }
        moves.truncate(self.parameters.width(ply));
        GeneratedMoves::Moves(moves, urgency)
    }

    fn score(
        &mut self,
        board: &FudanBoard,
        counts: &PatternCounts<10>,
        node_type: NodeType,
        cell: FudanCell,
    ) -> ScoredMove {
        let mover = board.to_move();
        let own_side = if node_type == NodeType::Maximize { mover } else { !mover };
        let before = FUDAN_PATTERNS.count_through(board, cell);
        let mut off_lines = *counts;
        off_lines -= before;
        let (_, other) = self.threat_gain(board, cell, !mover, &off_lines, before);
        let (after, own) = self.threat_gain(board, cell, mover, &off_lines, before);
        let points = self.parameters.evaluation.points(&after, own_side, mover);
        ScoredMove { cell, points, counts: after, own, other }
    }

    /// The patterns of the board with a stone of `side` on the cell, and the threats that it
    /// creates. `off_lines` and `before` are the current patterns: off the four lines through the
    /// cell, and on them.
    fn threat_gain(
        &mut self,
        board: &FudanBoard,
        cell: FudanCell,
        side: Side,
        off_lines: &PatternCounts<10>,
        before: PatternCounts<10>,
    ) -> (PatternCounts<10>, ThreatGain) {
        let (stones, key) = (board.stones() + 1, board.key_with(cell, side));
        let (after, through) = match self.cache.get(stones, key) {
            Some(after) => (after, self.through_when_cached(after, off_lines, before)),
            None => {
                let through = FUDAN_PATTERNS.count_through_with(board, cell, side);
                let mut after = *off_lines;
                after += through;
                self.cache.put(stones, key, after);
                (after, through)
            }
        };
        let threats = match self.parameters.threats {
            ThreatRule::Narrow => forcing(through.of(side)),
            ThreatRule::Decide => forcing(after.of(side)),
        };
        let winning = self.parameters.evaluation.wins_next(after.of(side)) || threats > 1;
        (after, ThreatGain { five: has_five(after.of(side)), winning })
    }

    /// The patterns on the four lines after the move, when those of the whole board are cached. The
    /// published program uses those from *before* the move in this case, so it overlooks double
    /// threats, or sees them where they are already blocked.
    fn through_when_cached(
        &self,
        after: PatternCounts<10>,
        off_lines: &PatternCounts<10>,
        before: PatternCounts<10>,
    ) -> PatternCounts<10> {
        if self.faithful {
            return before;
        }
        let mut through = after;
        through -= *off_lines;
        through
    }
}

/// Keeps only the cells of the most urgent threat, if there is one.
fn narrow_to_threat(moves: Vec<ScoredMove>) -> (Vec<ScoredMove>, Urgency) {
    let urgent: [fn(&ScoredMove) -> bool; 3] =
        [|m| m.other.five, |m| m.own.winning, |m| m.other.winning];
    for is_urgent in urgent {
        if moves.iter().any(is_urgent) {
            return (moves.into_iter().filter(is_urgent).collect(), Urgency::Forced);
        }
    }
    (moves, Urgency::Quiet)
}

/// A threat that decides at once with its value, or the list with the opponent's winning cells
/// twice.
fn decide_by_threat(
    moves: Vec<ScoredMove>,
    five: Points,
) -> Result<(Points, FudanCell), Vec<ScoredMove>> {
    if let Some(must_block) = moves.iter().find(|m| m.other.five) {
        return Ok((-five, must_block.cell));
    }
    if let Some(winning) = moves.iter().find(|m| m.own.winning) {
        return Ok((five, winning.cell));
    }
    let mut list: Vec<ScoredMove> = moves.iter().filter(|m| m.other.winning).copied().collect();
    list.extend(moves);
    Err(list)
}
