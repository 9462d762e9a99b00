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
        TimeControl { per_move: None, per_game: None, increment: Duration::ZERO, margin: MARGIN }
    }
}

const MARGIN: Duration = Duration::from_millis(100);

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

    /// Takes off what a move took. `Err` says how late it was.
    pub(crate) fn stop(&mut self, side: Side, used: Duration) -> Result<(), Overrun> {
        let late = |allowed: Duration| Err(Overrun { used, allowed });
        if let Some(allowed) = self.control.per_move
            && used > allowed + self.control.margin
        {
            return late(allowed);
        }
        if let Some(left) = self.left[side.index()] {
            if used > left + self.control.margin {
                return late(left);
            }
            self.left[side.index()] = Some(left.saturating_sub(used) + self.control.increment);
        }
        Ok(())
    }
}

/// A move that came too late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Overrun {
    used: Duration,
    allowed: Duration,
}

impl Overrun {
    /// What the record says.
    pub(crate) fn text(&self, player: &str) -> String {
        let [used, allowed] = [self.used, self.allowed].map(|time| time.as_millis());
        format!("{player} took {used} ms for a move and had {allowed} ms")
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
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
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
        let overrun = clocks.stop(Side::Second, ms(56)).unwrap_err();
        assert_eq!(overrun.text("x"), "x took 56 ms for a move and had 50 ms");
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
