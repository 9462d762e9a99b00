//! Clocks: how much time a game gives, and how much of it is left.

use std::time::Duration;

use tesuji_games::Side;
use tesuji_search::Limits;

use crate::{Clock, Turn};

/// How much time each side has. With nothing set, all the time in the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TimeControl {
    /// For one move.
    pub per_move: Option<Duration>,
    /// For the whole game.
    pub per_game: Option<Duration>,
    /// Added to the time for the game after every move.
    pub increment: Duration,
    /// How much too late is still in time: pipes and busy machines cost a little.
    pub margin: Duration,
}

impl Default for TimeControl {
    fn default() -> Self {
        let (increment, margin) = (Duration::ZERO, Duration::from_millis(100));
        TimeControl { per_move: None, per_game: None, increment, margin }
    }
}

/// A search that has a whole game's time spends this part of what is left on a move.
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

    /// What the side to move is told.
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

    /// ValueType off what a move took. `Err` has the time that was allowed to one that came too late.
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

/// What a search should spend on this move: all of the time for a move, a share of that for a game.
fn allotment(clock: &Clock) -> Option<Duration> {
    let share = clock.left.map(|left| {
        let planned = left / MOVES_TO_PLAN_FOR + clock.increment * 3 / 4;
        planned.min(left.mul_f64(0.8))
    });
    shorter(clock.per_move, share)
}

/// The shorter of two times, each of which may be missing.
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
    fn a_move_clock_starts_anew() {
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
