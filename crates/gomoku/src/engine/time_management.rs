//! Time management: how much time a move gets, given the clocks.

use std::time::Duration;

/// The time for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// After this time a search ends early if it would not finish another depth.
    pub soft: Duration,
    /// The time by which the move must be sent.
    pub hard: Duration,
}

/// The fixed part of the time reserved for sending the move.
const DELAY: Duration = Duration::from_millis(10);
/// The divisor of the part of the time reserved for sending the move.
const DELAY_PART: u32 = 40;
/// The least number of own moves that the rest of a game is expected to take.
const FEWEST_MOVES: u32 = 8;
/// The number of own moves that a game is expected to take.
const MOST_MOVES: u32 = 26;
/// The divisor of the remaining time that one move may take at most.
const MOST_OF_REST: u32 = 4;

/// The time for a move, given the limit of a move, the time left for the game, the increment, and
/// how full the board is. `None` without a clock.
pub fn time_budget(
    per_move: Option<Duration>,
    left: Option<Duration>,
    increment: Duration,
    stones: usize,
    cells: usize,
) -> Option<TimeBudget> {
    let per_move = per_move.map(without_delay);
    let share = left.map(|left| share_of(without_delay(left), increment, stones, cells));
    let time_budget = match (per_move, share) {
        (None, None) => return None,
        // Unused time of a move is lost, so use all of it.
        (Some(per_move), None) => TimeBudget { soft: per_move, hard: per_move },
        (None, Some(share)) => share,
        (Some(per_move), Some(share)) => {
            TimeBudget { soft: share.soft.min(per_move), hard: share.hard.min(per_move) }
        }
    };
    Some(time_budget)
}

fn without_delay(time: Duration) -> Duration {
    // Do not reserve more than half of a very short time.
    let kept = (DELAY + time / DELAY_PART).min(time / 2);
    time - kept
}

fn share_of(left: Duration, increment: Duration, stones: usize, cells: usize) -> TimeBudget {
    let played = (stones / 2) as u32;
    let room = (cells.saturating_sub(stones) / 2) as u32;
    let moves = MOST_MOVES.saturating_sub(played).clamp(FEWEST_MOVES, MOST_MOVES).min(room.max(1));
    let soft = left / moves + increment / 2;
    let hard = (2 * soft).min(left / MOST_OF_REST.min(moves) + increment / 2).min(left);
    TimeBudget { soft: soft.min(hard), hard }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn an_answer_is_in_time_with_any_clock() {
        for left in [0, 1, 30, 100, 1_000, 90_000, 2_000_000] {
            for stones in [0, 10, 100, 224, 225] {
                let found = time_budget(None, Some(MS(left)), MS(0), stones, 225).unwrap();
                assert!(found.soft <= found.hard && found.hard <= MS(left), "{left} {stones}");
                let both = time_budget(Some(MS(500)), Some(MS(left)), MS(0), stones, 225).unwrap();
                assert!(both.hard <= MS(490) && both.hard <= found.hard);
            }
        }
        assert_eq!(time_budget(None, None, MS(100), 0, 225), None);
    }

    #[test]
    fn a_clock_for_moves_is_used_up_and_one_for_games_lasts() {
        let hard = time_budget(Some(MS(1000)), None, MS(0), 4, 225).unwrap().hard;
        assert_eq!(hard, MS(965));
        assert_eq!(
            time_budget(Some(MS(30)), None, MS(0), 4, 225).unwrap().hard.as_micros(),
            19_250
        );
        let (mut left, mut moves) = (MS(180_000), 0);
        while moves < 60 {
            left -= time_budget(Some(MS(30_000)), Some(left), MS(0), 2 * moves, 225).unwrap().soft;
            moves += 1;
        }
        assert!(left > MS(100), "{left:?}");
    }
}
