//! Who can be compared with the anchor, and from which sides.

use std::collections::VecDeque;

use super::PoolGame;
use tesuji_games::Side;

/// What games (directly or through others) say about each player against the anchor.
pub(super) struct Reach {
    /// Connected with the anchor by games.
    pub(super) connected: Vec<bool>,
    /// A chain of players, each of whom took points from the next, leads from the player to the anchor: it cannot
    /// be infinitely weaker.
    pub(super) bounded_below: Vec<bool>,
    /// Such a chain leads from the anchor to the player: it cannot be infinitely stronger.
    pub(super) bounded_above: Vec<bool>,
}

impl Reach {
    /// Follows the games from the anchor (Ford's condition, 1957, for each player).
    pub(super) fn from_anchor(players: usize, games: &[PoolGame], anchor: usize) -> Reach {
        // took[a][b]: a took points from b.
        let mut took = vec![vec![false; players]; players];
        for game in games {
            let [first, second] = game.players;
            took[first][second] |= game.outcome.points(Side::First) > 0.0;
            took[second][first] |= game.outcome.points(Side::Second) > 0.0;
        }
        Reach {
            connected: reached(players, anchor, |a, b| took[a][b] || took[b][a]),
            bounded_below: reached(players, anchor, |a, b| took[b][a]),
            bounded_above: reached(players, anchor, |a, b| took[a][b]),
        }
    }
}

fn reached(players: usize, from: usize, linked: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; players];
    seen[from] = true;
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for (next, seen) in seen.iter_mut().enumerate() {
            if !*seen && linked(at, next) {
                *seen = true;
                queue.push_back(next);
            }
        }
    }
    seen
}
