//! Decided results of nodes: the outcome with best play. A result is certain if it follows from the
//! rules alone, and assumed if it also depends on moves that the model omitted.

use tesuji_games::{Outcome, Score, Side};

use crate::mcts::proven::Proven;

/// The decided result of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeResult {
    pub(super) proven: Proven,
    pub(super) certain: bool,
}

impl NodeResult {
    pub(super) fn certain(proven: Proven) -> Self {
        NodeResult { proven, certain: true }
    }

    /// The points for the first side.
    #[inline]
    pub(super) fn points(self) -> f64 {
        match self.proven.outcome {
            Outcome::Win(Side::First) => 1.0,
            Outcome::Win(Side::Second) => 0.0,
            Outcome::Draw => 0.5,
        }
    }

    /// The score to report: only a certain result gives the number of moves to the end.
    pub(super) fn score(self, side: Side) -> Score {
        let score = self.proven.score(side);
        match self.certain {
            true => score,
            false if score.is_win() => Score::estimate(500),
            false if score.is_loss() => Score::estimate(-500),
            false => Score::DRAW,
        }
    }

    pub(super) fn is_win_for(self, side: Side) -> bool {
        self.proven.is_win_for(side)
    }

    pub(super) fn is_loss_for(self, side: Side) -> bool {
        self.proven.is_win_for(!side)
    }
}

/// The result of a node from its children when `side` chooses among them: a win if one child is
/// won, otherwise nothing until all are decided (Winands, Björnsson and Saito, 2008). `complete`:
/// no move that could be better was omitted.
pub(super) fn from_children(
    side: Side,
    complete: bool,
    children: impl Iterator<Item = Option<NodeResult>>,
) -> Option<NodeResult> {
    let (mut best, mut all_decided, mut all_certain) = (None::<NodeResult>, true, complete);
    for child in children {
        let Some(result) = child else {
            all_decided = false;
            continue;
        };
        all_certain &= result.certain;
        // Of two wins, prefer the certain one, then the shorter one.
        let sort_key =
            |v: NodeResult| (v.proven.score(side).is_win() && v.certain, v.proven.score(side));
        if best.is_none_or(|best| sort_key(result) > sort_key(best)) {
            best = Some(result);
        }
    }
    let best = best.filter(|best| all_decided || best.is_win_for(side))?;
    let certain = if best.is_win_for(side) { best.certain } else { all_certain };
    Some(NodeResult { proven: best.proven.one_ply_earlier(), certain })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(outcome: Outcome, plies: u16, certain: bool) -> Option<NodeResult> {
        Some(NodeResult { proven: Proven { outcome, plies }, certain })
    }

    #[test]
    fn what_rests_on_a_guess_is_a_guess() {
        let (win, loss) = (Outcome::Win(Side::First), Outcome::Win(Side::Second));
        let first = |complete, children: &[Option<NodeResult>]| {
            from_children(Side::First, complete, children.iter().copied())
                .map(|result| result.score(Side::First))
        };
        let sure_win = result(win, 4, true);
        assert_eq!(first(false, &[None, sure_win]), Some(Score::win_in(5)));
        assert_eq!(first(false, &[result(win, 2, false), sure_win]), Some(Score::win_in(5)));
        assert_eq!(first(true, &[result(win, 2, false)]), Some(Score::estimate(500)));
        let sure_loss = result(loss, 2, true);
        assert_eq!(first(true, &[sure_loss]), Some(Score::loss_in(3)));
        assert_eq!(first(false, &[sure_loss]), Some(Score::estimate(-500)));
        assert_eq!(first(true, &[sure_loss, result(loss, 8, false)]), Some(Score::estimate(-500)));
        assert_eq!(first(true, &[sure_loss, None]), None);
        let draw = result(Outcome::Draw, 1, true);
        assert_eq!(first(true, &[sure_loss, draw]), Some(Score::DRAW));
        assert_eq!(first(true, &[None, draw]), None);
    }
}
