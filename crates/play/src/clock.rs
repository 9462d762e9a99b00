//! Clocks: the time control of a game and the remaining time.

use std::time::Duration;

use tesuji_games::Side;
use tesuji_search::Limits;

use crate::{Clock, Turn};

/// The time control of each side. Unlimited by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TimeControl {
    /// Time per move.
    pub per_move: Option<Duration>,
    /// Time for the whole game.
    pub per_game: Option<Duration>,
    /// Increment of the game time after every move.
    pub increment: Duration,
    /// Tolerance: overstepping by this much is accepted, since pipes and busy machines cost a
    /// little time.
    pub margin: Duration,
}

impl Default for TimeControl {
    fn default() -> Self {
        let (increment, margin) = (Duration::ZERO, Duration::from_millis(100));
        TimeControl { per_move: None, per_game: None, increment, margin }
    }
}

/// A search with a game clock plans to spend 1 / this part of the remaining time on a move.
const MOVES_TO_PLAN_FOR: u32 = 25;

/// The clocks of one game.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    control: TimeControl,
    left: [Option<Duration>; 2],
}

impl Clocks {
    pub(crate) fn start(control: TimeControl) -> Clocks {
        Clocks { control, left: [control.per_game; 2] }
    }

    /// The limits and the clock of the side to move.
    pub(crate) fn turn(&self, side: Side, limits: &Limits) -> Turn {
        let clock = Clock {
            per_move: self.control.per_move,
            per_game: self.control.per_game,
            left: self.left[side.index()],
            increment: self.control.increment,
            margin: self.control.margin,
        };
        let time = shorter(limits.time, allotment(&clock));
        Turn { limits: Limits { time, ..limits.clone() }, clock, ..Turn::default() }
    }

    /// Subtracts the time of a move. `Err` contains the allowed time if it was exceeded.
    pub(crate) fn stop(&mut self, side: Side, used: Duration) -> Result<(), Duration> {
        let left = &mut self.left[side.index()];
        let mut allowed = [self.control.per_move, *left].into_iter().flatten();
        if let Some(allowed) = allowed.find(|time| used > *time + self.control.margin) {
            return Err(allowed);
        }
        *left = left.map(|left| left.saturating_sub(used) + self.control.increment);
        Ok(())
    }
}

/// The time for this move: all of the time per move, a part of the game time.
fn allotment(clock: &Clock) -> Option<Duration> {
    let share = clock.left.map(|left| {
        let planned = left / MOVES_TO_PLAN_FOR + clock.increment * 3 / 4;
        planned.min(left.mul_f64(0.8))
    });
    shorter(clock.per_move, share)
}

/// The shorter of two optional times.
pub fn shorter(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_game_clock_runs_down_and_gains_its_increment() {
        let control = TimeControl {
            per_game: Some(ms(1000)),
            increment: ms(10),
            margin: ms(5),
            ..TimeControl::default()
        };
        let mut clocks = Clocks::start(control);
        assert_eq!(clocks.stop(Side::First, ms(300)), Ok(()));
        assert_eq!(clocks.left, [Some(ms(710)), Some(ms(1000))]);
        assert_eq!(clocks.stop(Side::First, ms(715)), Ok(()));
        assert_eq!(clocks.left[0], Some(ms(10)));
        assert!(clocks.stop(Side::First, ms(16)).is_err());
        assert_eq!(clocks.stop(Side::Second, ms(1005)), Ok(()));
    }

    #[test]
    fn a_move_clock_restarts() {
        let control =
            TimeControl { per_move: Some(ms(50)), margin: ms(5), ..TimeControl::default() };
        let mut clocks = Clocks::start(control);
        for _ in 0..5 {
            assert_eq!(clocks.stop(Side::First, ms(55)), Ok(()));
        }
        assert_eq!(clocks.stop(Side::Second, ms(56)), Err(ms(50)));
    }

    #[test]
    fn searches_get_a_share_and_never_more_than_the_clock() {
        let control = TimeControl {
            per_move: Some(ms(30)),
            per_game: Some(ms(1000)),
            ..TimeControl::default()
        };
        let clocks = Clocks::start(control);
        let time = |limits: &Limits| clocks.turn(Side::First, limits).limits.time;
        assert_eq!(time(&Limits::default()), Some(ms(30)));
        assert_eq!(time(&Limits::time(ms(7))), Some(ms(7)));
        assert_eq!(time(&Limits::time(ms(70))), Some(ms(30)));
        let without = Clocks::start(TimeControl::default());
        assert_eq!(without.turn(Side::First, &Limits::default()).limits.time, None);
    }
}
