//! The value that a search assigns to a position: a forced win or loss with its distance, or an
//! estimate.

use std::fmt;
use std::ops::Neg;

/// A value from the point of view of the side to move. The order is total: losses (sooner is worse)
/// < estimates < wins (sooner is better). A draw is the estimate 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// The bound of the absolute value of estimates; larger values are forced results.
const ESTIMATE_LIMIT: i32 = 1_000_000_000;
/// A win in 0 plies. There is room for 100,000 plies.
const WON: i32 = ESTIMATE_LIMIT + 100_001;

impl Score {
    /// A drawn position.
    pub const DRAW: Score = Score(0);
    /// Below every other score.
    pub const MIN: Score = Score(-WON - 1);
    /// Above every other score.
    pub const MAX: Score = Score(WON + 1);

    /// The side to move wins, and the game ends after `plies` more moves.
    #[inline]
    pub const fn win_in(plies: u32) -> Score {
        Score(WON - plies as i32)
    }

    /// The side to move loses, and the game ends after `plies` more moves.
    #[inline]
    pub const fn loss_in(plies: u32) -> Score {
        Score(-WON + plies as i32)
    }

    /// A heuristic value, clamped to the range of estimates.
    #[inline]
    pub const fn estimate(value: i32) -> Score {
        if value > ESTIMATE_LIMIT {
            Score(ESTIMATE_LIMIT)
        } else if value < -ESTIMATE_LIMIT {
            Score(-ESTIMATE_LIMIT)
        } else {
            Score(value)
        }
    }

    /// Whether this is a forced win.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > ESTIMATE_LIMIT
    }

    /// Whether this is a forced loss.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -ESTIMATE_LIMIT
    }

    /// Whether this is a forced win or loss.
    #[inline]
    pub const fn is_decided(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// This score if it is a forced win or loss, otherwise a draw. For comparisons that ignore
    /// estimates.
    #[inline]
    pub const fn proven_or_even(self) -> Score {
        if self.is_decided() { self } else { Score::DRAW }
    }

    /// The number of plies to the end of the game, for a forced win or loss.
    #[inline]
    pub const fn plies_to_end(self) -> Option<u32> {
        if self.is_decided() { Some((WON - self.0.abs()) as u32) } else { None }
    }

    /// The same result seen from `plies` plies earlier: a win in 3 becomes a win in 3 + `plies`.
    /// Estimates do not change. Searches count plies from the root, tables from the stored
    /// position; `further` and [`nearer`](Self::nearer) convert between them.
    #[inline]
    pub const fn further(self, plies: u32) -> Score {
        if self.is_win() {
            Score(self.0 - plies as i32)
        } else if self.is_loss() {
            Score(self.0 + plies as i32)
        } else {
            self
        }
    }

    /// The same result seen from `plies` plies later: the inverse of [`further`](Self::further).
    #[inline]
    pub const fn nearer(self, plies: u32) -> Score {
        if self.is_win() {
            Score(self.0 + plies as i32)
        } else if self.is_loss() {
            Score(self.0 - plies as i32)
        } else {
            self
        }
    }

    /// The next larger score: the upper end of a null window.
    #[inline]
    pub const fn next(self) -> Score {
        Score(self.0 + 1)
    }

    /// The next smaller score.
    #[inline]
    pub const fn previous(self) -> Score {
        Score(self.0 - 1)
    }

    /// This score plus `by`, saturating, for aspiration windows.
    #[inline]
    pub const fn widened(self, by: i32) -> Score {
        let moved = self.0.saturating_add(by);
        if moved > Score::MAX.0 {
            Score::MAX
        } else if moved < Score::MIN.0 {
            Score::MIN
        } else {
            Score(moved)
        }
    }

    /// The score as a number, for tables and files. The numbers are ordered as the scores are.
    #[inline]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The score of a [`raw`](Self::raw) number.
    #[inline]
    pub const fn from_raw(raw: i32) -> Score {
        Score(raw)
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// `win in 5`, `loss in 2` (plies), `+37`, `0`, `-12`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.plies_to_end() {
            Some(plies) if self.is_win() => format!("win in {plies}"),
            Some(plies) => format!("loss in {plies}"),
            None if self.0 == 0 => "0".to_string(),
            None => format!("{:+}", self.0),
        };
        f.pad(&text)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The largest distance of a forced result.
#[cfg(feature = "serde")]
const FURTHEST: u32 = (WON - ESTIMATE_LIMIT - 1) as u32;

#[cfg(feature = "serde")]
mod json {
    use super::{FURTHEST, Score};

    /// `{"win_in": 5}`, `{"loss_in": 2}` or `{"estimate": 37}`.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum ScoreJson {
        WinIn(u32),
        LossIn(u32),
        Estimate(i32),
    }

    impl serde::Serialize for Score {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.plies_to_end() {
                Some(plies) if self.is_win() => ScoreJson::WinIn(plies),
                Some(plies) => ScoreJson::LossIn(plies),
                None => ScoreJson::Estimate(self.0),
            }
            .serialize(serializer)
        }
    }

    impl<'de> serde::Deserialize<'de> for Score {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
            match ScoreJson::deserialize(deserializer)? {
                ScoreJson::WinIn(plies) | ScoreJson::LossIn(plies) if plies > FURTHEST => {
                    Err(serde::de::Error::custom(format!("no game ends after {plies} more moves")))
                }
                ScoreJson::WinIn(plies) => Ok(Score::win_in(plies)),
                ScoreJson::LossIn(plies) => Ok(Score::loss_in(plies)),
                ScoreJson::Estimate(value) => Ok(Score::estimate(value)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_losses_estimates_wins() {
        let ascending = [
            Score::MIN,
            Score::loss_in(0),
            Score::loss_in(7),
            Score::estimate(i32::MIN),
            Score::estimate(-1),
            Score::DRAW,
            Score::estimate(1),
            Score::estimate(i32::MAX),
            Score::win_in(7),
            Score::win_in(0),
            Score::MAX,
        ];
        assert!(ascending.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(ascending.iter().all(|&s| -(-s) == s));
        assert_eq!(-Score::win_in(3), Score::loss_in(3));
    }

    #[test]
    fn distance_moves_only_decided_scores() {
        assert_eq!(Score::win_in(3).further(2), Score::win_in(5));
        assert_eq!(Score::loss_in(3).further(2), Score::loss_in(5));
        assert_eq!(Score::estimate(9).further(2), Score::estimate(9));
        for score in [Score::win_in(4), Score::loss_in(4), Score::DRAW] {
            assert_eq!(score.further(3).nearer(3), score);
        }
        assert_eq!(Score::loss_in(12).plies_to_end(), Some(12));
        assert_eq!(Score::estimate(12).plies_to_end(), None);
    }

    #[test]
    fn text_form() {
        assert_eq!(Score::win_in(5).to_string(), "win in 5");
        assert_eq!(Score::loss_in(2).to_string(), "loss in 2");
        assert_eq!(Score::estimate(37).to_string(), "+37");
        assert_eq!(Score::DRAW.to_string(), "0");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_round_trips() {
        let scores = [Score::win_in(0), Score::win_in(FURTHEST), Score::loss_in(7), Score::DRAW];
        for score in scores.into_iter().chain([Score::estimate(i32::MIN), Score::estimate(37)]) {
            let text = serde_json::to_string(&score).unwrap();
            assert_eq!(serde_json::from_str::<Score>(&text).unwrap(), score, "{text}");
        }
        assert_eq!(serde_json::to_string(&Score::win_in(5)).unwrap(), r#"{"win_in":5}"#);
        assert!(serde_json::from_str::<Score>(r#"{"win_in":4000000000}"#).is_err());
    }
}
