//! How strong numbers are: games against other numbers with as many nodes a move, played to the end, in pairs from one
//! opening with exchanged colours.

use std::fmt;

use serde::{Deserialize, Serialize};
use tesuji_games::Side;
use tesuji_games::random::derived;
use tesuji_gomoku::{Board, BoardError};

use super::self_play::{SelfPlay, Thinker};

/// What came of pairs of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// How many pairs ended with 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl Standing {
    /// Of pairs with these half points.
    pub(super) fn of(half_points: &[usize]) -> Standing {
        let mut standing = Standing::default();
        for &half_points in half_points {
            if let Some(pairs) = standing.pairs.get_mut(half_points) {
                *pairs += 1;
            }
        }
        standing
    }

    /// The share of points.
    pub fn share(&self) -> f64 {
        let points: u64 =
            (0..).zip(self.pairs).map(|(half_points, pairs)| half_points * pairs).sum();
        points as f64 / (4 * self.count()).max(1) as f64
    }

    /// Two standard errors of that share. Pairs are independent, their two games are not.
    pub fn margin(&self) -> f64 {
        let (mean, count) = (self.share(), self.count() as f64);
        let square = |half_points: usize| (half_points as f64 / 4.0 - mean).powi(2);
        let sum: f64 =
            self.pairs.iter().enumerate().map(|(n, &pairs)| square(n) * pairs as f64).sum();
        2.0 * (sum / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
    }

    fn count(&self) -> u64 {
        self.pairs.iter().sum()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (share, margin) = (100.0 * self.share(), 100.0 * self.margin());
        write!(f, "{share:.1} ± {margin:.1} % of {} games", 2 * self.count())
    }
}

/// The half points of the first player in a pair of games, whatever was played before.
pub(super) fn half_points(
    play: &SelfPlay<'_>,
    players: &mut [impl Thinker; 2],
    pair: u64,
) -> Result<usize, BoardError> {
    players.iter_mut().for_each(Thinker::forget);
    let [_, judge] = players;
    let (board, _) = play.even_opening(judge, derived(pair, [u64::MAX]))?;
    let mut half_points = 0;
    for side in Side::ALL {
        players.iter_mut().for_each(Thinker::forget);
        let winner = play_out(board.clone(), players, side, play.games.longest);
        half_points += winner.map_or(1, |winner| if winner == side { 2 } else { 0 });
    }
    Ok(half_points)
}

/// Who wins if the first player has this side.
fn play_out(
    mut board: Board,
    players: &mut [impl Thinker; 2],
    first: Side,
    longest: usize,
) -> Option<Side> {
    while board.winner().is_none() && !board.is_full() && board.stones() < longest {
        let player = if board.to_move() == first { 0 } else { 1 };
        let best = players[player].think(&board)?.best;
        board.try_play(best).ok()?;
    }
    board.winner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_their_margin() {
        let standing = Standing { pairs: [1, 0, 2, 0, 1] };
        assert_eq!(standing.share(), 0.5);
        // Squares 1/4, 0, 0, 1/4: a variance of 1/6, and of the mean of four 1/24.
        assert!((standing.margin() - 2.0 * (1.0f64 / 24.0).sqrt()).abs() < 1e-12);
        assert_eq!(Standing { pairs: [0, 0, 0, 1, 3] }.share(), 15.0 / 16.0);
        assert_eq!(Standing::default().to_string(), "0.0 ± 0.0 % of 0 games");
    }
}
