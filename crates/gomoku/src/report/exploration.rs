//! One look around: every candidate with both sides' stone on it in thought, what that makes of the patterns,
//! and which candidates are left when threats have been obeyed.

use std::cmp::Reverse;

use tesuji_games::Side;

use super::board::{Board, Cell, Reach};
use super::cache::Cache;
use super::evaluation::{Evaluation, Points, forcing, has_five};
use super::parameters::{Parameters, ThreatRule};
use super::patterns::{Counts, REPORT_PATTERNS};

/// A candidate, looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) cell: Cell,
    /// Worth to the maximising side after the move.
    pub(super) points: Points,
    /// The patterns after the move.
    pub(super) counts: Counts<10>,
    own: Chance,
    other: Chance,
}

/// What a stone of one side on a cell would give it.
#[derive(Clone, Copy, Debug)]
struct Chance {
    five: bool,
    /// A winning threat on the board, or two forcing threats.
    winning: bool,
}

/// What is left of the candidates.
#[derive(Debug)]
pub(super) enum Exploration {
    /// No candidate at all.
    Nothing,
    /// Threats decide: this move, worth so much.
    Decided(Points, Cell),
    /// The moves to look at, best first; at least one.
    Moves(Vec<Scored>, Urgency),
}

/// Whether a threat has narrowed the list, so that the search goes deeper here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Urgency {
    Quiet,
    Forced,
}

/// For whom a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Maximise,
    Minimise,
}

/// Looks at candidates and remembers what it counted.
#[derive(Clone, Debug)]
pub(super) struct Explorer {
    pub(super) parameters: Parameters,
    pub(super) faithful: bool,
    pub(super) cache: Cache,
}

impl Explorer {
    /// The moves of the side to move of a board whose patterns are `counts`.
    pub(super) fn explore(
        &mut self,
        board: &Board,
        counts: &Counts<10>,
        role: Role,
        ply: usize,
    ) -> Exploration {
        let cells = board.candidates(Reach::Two);
        let scored: Vec<Scored> =
            cells.into_iter().map(|cell| self.score(board, counts, role, cell)).collect();
        if scored.is_empty() {
            return Exploration::Nothing;
        }
        let five = match role {
            Role::Maximise => Evaluation::five(),
            Role::Minimise => -Evaluation::five(),
        };
        if let Some(winner) = scored.iter().find(|m| m.own.five) {
            return Exploration::Decided(five, winner.cell);
        }
        let (mut moves, urgency) = match self.parameters.threats {
            ThreatRule::Narrow => narrowed(scored),
            ThreatRule::Decide => match decided(scored, five) {
                Ok((points, cell)) => return Exploration::Decided(points, cell),
                Err(moves) => (moves, Urgency::Quiet),
            },
        };
        match role {
            Role::Maximise => moves.sort_by_key(|m| Reverse(m.points)),
            Role::Minimise => moves.sort_by_key(|m| m.points),
        }
        moves.truncate(self.parameters.width(ply));
        Exploration::Moves(moves, urgency)
    }

    fn score(&mut self, board: &Board, counts: &Counts<10>, role: Role, cell: Cell) -> Scored {
        let mover = board.to_move();
        let own_side = if role == Role::Maximise { mover } else { !mover };
        let before = REPORT_PATTERNS.count_through(board, cell);
        let mut elsewhere = *counts;
        elsewhere -= before;
        let (_, other) = self.chance(board, cell, !mover, &elsewhere, before);
        let (after, own) = self.chance(board, cell, mover, &elsewhere, before);
        let points = self.parameters.evaluation.points(&after, own_side, mover);
        Scored { cell, points, counts: after, own, other }
    }

    /// All patterns with a stone of `side` on the cell, and what that would give the side. `elsewhere` and `before`
    /// are the patterns of now: off the four lines through the cell, and on them.
    fn chance(
        &mut self,
        board: &Board,
        cell: Cell,
        side: Side,
        elsewhere: &Counts<10>,
        before: Counts<10>,
    ) -> (Counts<10>, Chance) {
        let (stones, key) = (board.stones() + 1, board.key_with(cell, side));
        let (after, through) = match self.cache.get(stones, key) {
            Some(after) => (after, self.through_when_cached(after, elsewhere, before)),
            None => {
                let through = REPORT_PATTERNS.count_through_with(board, cell, side);
                let mut after = *elsewhere;
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
        (after, Chance { five: has_five(after.of(side)), winning })
    }

    /// The patterns on the four lines after the move, when those of the whole board were remembered. The published
    /// program takes those of *before* the move in this case, and so overlooks double threats, or sees them where
    /// they are already blocked.
    fn through_when_cached(
        &self,
        after: Counts<10>,
        elsewhere: &Counts<10>,
        before: Counts<10>,
    ) -> Counts<10> {
        if self.faithful {
            return before;
        }
        let mut through = after;
        through -= *elsewhere;
        through
    }
}

/// The cells of the most urgent threat only, if there is one.
fn narrowed(moves: Vec<Scored>) -> (Vec<Scored>, Urgency) {
    let urgent: [fn(&Scored) -> bool; 3] =
        [|m| m.other.five, |m| m.own.winning, |m| m.other.winning];
    for is_urgent in urgent {
        if moves.iter().any(is_urgent) {
            return (moves.into_iter().filter(is_urgent).collect(), Urgency::Forced);
        }
    }
    (moves, Urgency::Quiet)
}

/// A threat that decides at once, with its value, or the list with the other side's winning cells twice.
fn decided(moves: Vec<Scored>, five: Points) -> Result<(Points, Cell), Vec<Scored>> {
    if let Some(must_block) = moves.iter().find(|m| m.other.five) {
        return Ok((-five, must_block.cell));
    }
    if let Some(winning) = moves.iter().find(|m| m.own.winning) {
        return Ok((five, winning.cell));
    }
    let mut list: Vec<Scored> = moves.iter().filter(|m| m.other.winning).copied().collect();
    list.extend(moves);
    Err(list)
}
