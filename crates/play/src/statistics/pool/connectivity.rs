//! Which players can be compared with the anchor, and from which sides.

use crate::statistics::WinDrawLoss;

/// The bounds that games (direct or through other players) set on each player relative to the
/// anchor.
pub(super) struct Connectivity {
    /// Whether games connect the player to the anchor.
    pub(super) connected: Vec<bool>,
    /// Whether a chain of players, each of which took points from the next, leads from the player
    /// to the anchor: it cannot be infinitely weaker.
    pub(super) bounded_below: Vec<bool>,
    /// Whether such a chain leads from the anchor to the player: it cannot be infinitely stronger.
    pub(super) bounded_above: Vec<bool>,
}

impl Connectivity {
    /// Traverses the games from the anchor (Ford's condition, 1957, for each player).
    pub(super) fn from_anchor(against: &[Vec<WinDrawLoss>], anchor: usize) -> Connectivity {
        let took = |a: usize, b: usize| against[a][b].points() > 0.0;
        let reached = |linked: &dyn Fn(usize, usize) -> bool| {
            let mut seen = vec![false; against.len()];
            seen[anchor] = true;
            let mut due = vec![anchor];
            while let Some(at) = due.pop() {
                for next in (0..seen.len()).filter(|&next| linked(at, next)) {
                    if !std::mem::replace(&mut seen[next], true) {
                        due.push(next);
                    }
                }
            }
            seen
        };
        Connectivity {
            connected: reached(&|a, b| took(a, b) || took(b, a)),
            bounded_below: reached(&|a, b| took(b, a)),
            bounded_above: reached(&took),
        }
    }
}
