//! Proven results of nodes in MCTS-Solver: the outcome with best play and the number of moves to
//! it.

use tesuji_games::{Outcome, Score, Side};

/// A proven outcome. `plies` is an upper bound for the winner: a shorter win may exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Proven {
    pub(crate) outcome: Outcome,
    pub(crate) plies: u16,
}

/// The outcome bits of a packed result: nothing proven, and a draw.
pub(crate) const UNPROVEN: u16 = 0;
pub(crate) const DRAW: u16 = 3;
/// The mask of these bits.
pub(crate) const OUTCOME_MASK: u16 = 3;

const MAX_PLIES: u16 = (1 << 14) - 1;

impl Proven {
    /// The result of a finished game.
    pub(crate) fn finished(outcome: Outcome) -> Self {
        Proven { outcome, plies: 0 }
    }

    /// The side to move wins with its next move.
    pub(crate) fn win_next(side: Side) -> Self {
        Proven { outcome: Outcome::Win(side), plies: 1 }
    }

    /// The result seen from one ply earlier.
    pub(crate) fn one_ply_earlier(self) -> Self {
        Proven { plies: (self.plies + 1).min(MAX_PLIES), ..self }
    }

    /// Packs two bits for the outcome and the rest for the distance; 0 means that nothing is
    /// proven.
    #[inline]
    pub(crate) fn pack(self) -> u16 {
        let outcome = match self.outcome {
            Outcome::Win(Side::First) => 1,
            Outcome::Win(Side::Second) => 2,
            Outcome::Draw => DRAW,
        };
        outcome | self.plies << 2
    }

    #[inline]
    pub(crate) fn unpack(packed: u16) -> Option<Self> {
        let outcome = match packed & OUTCOME_MASK {
            UNPROVEN => return None,
            1 => Outcome::Win(Side::First),
            2 => Outcome::Win(Side::Second),
            _ => Outcome::Draw,
        };
        Some(Proven { outcome, plies: packed >> 2 })
    }

    #[inline]
    pub(crate) fn is_win_for(self, side: Side) -> bool {
        self.outcome == Outcome::Win(side)
    }

    /// The score for `side`.
    pub(crate) fn score(self, side: Side) -> Score {
        match self.outcome {
            Outcome::Draw => Score::DRAW,
            Outcome::Win(winner) if winner == side => Score::win_in(u32::from(self.plies)),
            Outcome::Win(_) => Score::loss_in(u32::from(self.plies)),
        }
    }
}

/// The result of a node from its children when `side` chooses among them: a win if one child is
/// won, otherwise nothing until all are proven (Winands, Björnsson and Saito, 2008).
pub(crate) fn from_children(
    side: Side,
    children: impl Iterator<Item = Option<Proven>>,
) -> Option<Proven> {
    let mut best: Option<Proven> = None;
    let mut all_proven = true;
    for child in children {
        match child {
            None => all_proven = false,
            Some(proven) if best.is_none_or(|b| proven.score(side) > b.score(side)) => {
                best = Some(proven);
            }
            Some(_) => {}
        }
    }
    let best = best.filter(|b| all_proven || b.is_win_for(side))?;
    Some(best.one_ply_earlier())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_everything() {
        for outcome in [Outcome::Draw, Outcome::Win(Side::First), Outcome::Win(Side::Second)] {
            for plies in [0, 1, 77, MAX_PLIES] {
                let proven = Proven { outcome, plies };
                assert_eq!(Proven::unpack(proven.pack()), Some(proven));
            }
        }
        assert_eq!(Proven::unpack(0), None);
    }

    #[test]
    fn children_decide_by_the_side_that_chooses() {
        let win = Some(Proven { outcome: Outcome::Win(Side::First), plies: 2 });
        let quick_loss = Some(Proven { outcome: Outcome::Win(Side::Second), plies: 2 });
        let slow_loss = Some(Proven { outcome: Outcome::Win(Side::Second), plies: 6 });
        let draw = Some(Proven { outcome: Outcome::Draw, plies: 0 });
        let first = |children: &[Option<Proven>]| {
            from_children(Side::First, children.iter().copied()).map(|p| p.score(Side::First))
        };
        assert_eq!(first(&[None, win]), Some(Score::win_in(3)));
        assert_eq!(first(&[None, draw]), None);
        assert_eq!(first(&[quick_loss, draw]), Some(Score::DRAW));
        assert_eq!(first(&[quick_loss, slow_loss]), Some(Score::loss_in(7)));
    }
}
