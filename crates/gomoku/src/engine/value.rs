//! Values inside the search: plain integers that allow margins. The magnitude distinguishes forced
//! results from estimates; forced results count plies from the root.

use tesuji_games::Score;

/// An immediate win.
pub(crate) const WIN: i32 = 30_000;
/// The greatest estimate.
pub(crate) const MAX_ESTIMATE: i32 = 20_000;
/// A value above all others.
pub(crate) const INFINITE: i32 = WIN + 1;
/// The greatest ply of a search. It keeps forced results apart from estimates.
pub(crate) const MAX_PLY: usize = 250;
/// The least value of a forced win.
const MIN_WIN: i32 = WIN - 2_000;

/// The side to move wins with the stone `ply` stones after the root.
#[inline]
pub(crate) const fn win_at(ply: usize) -> i32 {
    WIN - ply as i32
}

/// The side to move loses with the stone `ply` stones after the root.
#[inline]
pub(crate) const fn loss_at(ply: usize) -> i32 {
    ply as i32 - WIN
}

#[inline]
pub(crate) const fn is_win(value: i32) -> bool {
    value >= MIN_WIN
}

#[inline]
pub(crate) const fn is_loss(value: i32) -> bool {
    value <= -MIN_WIN
}

#[inline]
pub(crate) const fn is_decided(value: i32) -> bool {
    is_win(value) || is_loss(value)
}

/// Converts a value to a [`Score`] relative to the position `ply` stones after the root.
#[inline]
pub(crate) fn score_of(value: i32, ply: usize) -> Score {
    if is_win(value) {
        Score::win_in((WIN - value - ply as i32).max(0) as u32)
    } else if is_loss(value) {
        Score::loss_in((value + WIN - ply as i32).max(0) as u32)
    } else {
        Score::estimate(value)
    }
}

/// The inverse of [`score_of`].
#[inline]
pub(crate) fn value_of(score: Score, ply: usize) -> i32 {
    match score.plies_to_end() {
        Some(plies) if score.is_win() => win_at(ply + plies as usize),
        Some(plies) => loss_at(ply + plies as usize),
        None => score.raw(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_scores_convert_both_ways() {
        for ply in [0, 7] {
            for value in [win_at(12), loss_at(9), 0, MAX_ESTIMATE, -37] {
                assert_eq!(value_of(score_of(value, ply), ply), value);
            }
        }
        assert_eq!(score_of(win_at(12), 7), Score::win_in(5));
        assert_eq!(score_of(loss_at(9), 0), Score::loss_in(9));
        assert!(is_win(win_at(2 * MAX_PLY)) && !is_decided(MAX_ESTIMATE));
    }
}
