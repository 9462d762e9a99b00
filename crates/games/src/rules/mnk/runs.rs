//! Operations on stones as bits of a word: runs of `k`, cells that complete a run, windows of `k`
//! cells with stones of only one side. The cells of a line are `step` bits apart, so the same
//! functions work on a line word (step 1) and on a bitboard (steps 1, 7, 8, 9).
//!
//! Bits outside the board are 0 in every word of stones. The functions know the edge of the board
//! only from their arguments.

use std::ops::{BitAnd, BitXor, Not, Shr};

use crate::RowRule;

/// The stones in a line from the point of view of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStones {
    /// The side's own stones.
    pub(super) own: u64,
    /// The other side's stones.
    pub(super) other: u64,
}

/// The first cells of all runs of at least `k` stones.
#[inline]
pub(super) fn run_starts(stones: u64, step: u32, k: u32) -> u64 {
    let mut starts = stones;
    let mut length = 1;
    while length < k {
        // Combines each run with the one `more` steps later: the length at most doubles in each
        // round.
        let more = length.min(k - length);
        starts &= starts >> (more * step);
        length += more;
    }
    starts
}

/// The first cells of all runs that win.
#[inline]
pub(super) fn winning_starts(stones: LineStones, step: u32, k: u32, row: RowRule) -> u64 {
    run_starts(stones.own, step, k) & allowed_starts(stones, step, k, row)
}

/// The cells where a run of `k` can start so that the cells before and after it allow a win.
#[inline(always)]
fn allowed_starts(stones: LineStones, step: u32, k: u32, row: RowRule) -> u64 {
    match row {
        RowRule::AtLeast => u64::MAX,
        RowRule::Exactly | RowRule::Renju => !either_end(stones.own, step, k),
        RowRule::Caro => !either_end(stones.own, step, k) & !both_ends(stones.other, step, k),
    }
}

/// The cells with a stone directly before them or `k` cells after them: a run of `k` from there
/// would be longer.
#[inline]
fn either_end(stones: u64, step: u32, k: u32) -> u64 {
    stones << step | stones >> ((k - 1) * step) >> step
}

/// The cells with stones directly before them and `k` cells after them: a run of `k` from there is
/// enclosed.
#[inline]
fn both_ends(stones: u64, step: u32, k: u32) -> u64 {
    stones << step & stones >> ((k - 1) * step) >> step
}

/// The cells where another own stone completes a winning run. They may include cells outside the
/// board and cells of the other side, which the caller removes.
#[inline(always)]
pub(super) fn completing_cells(stones: LineStones, step: u32, k: u32, row: RowRule) -> u64 {
    let (mut one_missing, mut two_missing) = (0, 0);
    for place in 0..k {
        let missing = !(stones.own >> (place * step));
        two_missing |= one_missing & missing;
        one_missing |= missing;
    }
    let windows = one_missing & !two_missing & allowed_starts(stones, step, k, row);
    let mut cells = 0;
    for place in 0..k {
        cells |= windows << (place * step);
    }
    cells & !stones.own
}

/// One more than the maximum length of a run.
pub(super) const LENGTHS: usize = 21;

/// The value `VALUE[k][n]` of a window of `k` cells with `n` stones of only one side. It grows
/// tenfold with every stone; for long runs only with the last six, so that the sum over a board of
/// 20x20 stays below a billion.
pub(super) const VALUE: [[i32; LENGTHS]; LENGTHS] = {
    let mut table = [[0; LENGTHS]; LENGTHS];
    let mut k = 1;
    while k < LENGTHS {
        let mut stones = 1;
        while stones <= k {
            let late = k.saturating_sub(6);
            let exponent = stones.saturating_sub(late);
            table[k][stones] = 10_i32.pow(exponent as u32);
            stones += 1;
        }
        k += 1;
    }
    table
};

/// A word with one bit per cell.
pub(super) trait Word:
    Copy + BitAnd<Output = Self> + BitXor<Output = Self> + Not<Output = Self> + Shr<u32, Output = Self>
{
    const NONE: Self;
    fn count(self) -> i32;
}

impl Word for u32 {
    const NONE: u32 = 0;
    #[inline(always)]
    fn count(self) -> i32 {
        self.count_ones() as i32
    }
}

impl Word for u64 {
    const NONE: u64 = 0;
    #[inline(always)]
    fn count(self) -> i32 {
        self.count_ones() as i32
    }
}

/// The value of the windows with stones only of `mine`; `all` holds the first cells of all windows.
///
/// A window with k stones has no value: it is part of an overline in a game of exactly k.
#[inline(always)]
pub(super) fn open_windows<W: Word>(mine: W, theirs: W, all: W, step: u32, k: u32) -> i32 {
    // The number of stones in the window that starts at each bit, as binary digits.
    let mut digits = [W::NONE; 5];
    let needed = (32 - k.leading_zeros()) as usize;
    let mut open = all;
    for place in 0..k {
        let mut carry = mine >> (place * step);
        for digit in &mut digits[..needed] {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
        open = open & !(theirs >> (place * step));
    }
    let mut value = 0;
    for n in 1..k {
        let with_n = (0..needed).fold(open, |windows, place| {
            windows & if n >> place & 1 != 0 { digits[place] } else { !digits[place] }
        });
        value += with_n.count() * VALUE[k as usize][n as usize];
    }
    value
}

/// The contribution `MOVE_SCORES[k][mine][theirs]` of a window of `k` cells to the move score of an
/// empty cell in it, with `mine` stones of the side to move and `theirs` of the other.
///
/// Attack comes first: an own window counts with the value that it gets. Windows of the other side
/// count only near completion. (Selected from a few weights by the number of nodes of proofs on
/// small boards. That number varies too much between weights for a finer choice.)
pub(super) static MOVE_SCORES: [[[i32; LENGTHS]; LENGTHS]; LENGTHS] = {
    let mut table = [[[0; LENGTHS]; LENGTHS]; LENGTHS];
    let mut k = 1;
    while k < LENGTHS {
        let mut stones = 0;
        while stones < k {
            if stones > 0 {
                table[k][0][stones] = match k - stones {
                    1 => 4 * VALUE[k][stones],
                    2 => VALUE[k][stones],
                    _ => 0,
                };
            }
            table[k][stones][0] = VALUE[k][stones + 1];
            stones += 1;
        }
        k += 1;
    }
    table
};

/// Calls a function of `k` that is compiled for the common lengths, so that its loops are unrolled
/// (measured 2x on [`completing_cells`]).
macro_rules! for_constant_k {
    ($k:expr, $function:ident($($argument:expr),*)) => {
        match $k {
            3 => $function($($argument,)* 3),
            4 => $function($($argument,)* 4),
            5 => $function($($argument,)* 5),
            6 => $function($($argument,)* 6),
            7 => $function($($argument,)* 7),
            8 => $function($($argument,)* 8),
            k => $function($($argument,)* k),
        }
    };
}
pub(super) use for_constant_k;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, seeded, word};

    /// Whether the run through `cell` wins, counted cell by cell.
    fn wins(stones: LineStones, cell: u32, k: u32, row: RowRule) -> bool {
        let mine = |c: &u32| stones.own >> c & 1 != 0;
        let before = (0..cell).rev().take_while(mine).count() as u32;
        let after = (cell..64).take_while(mine).count() as u32;
        let theirs = |c: u32| c < 64 && stones.other >> c & 1 != 0;
        let enclosed = cell > before && theirs(cell - before - 1) && theirs(cell + after);
        let length = before + after;
        match row {
            RowRule::AtLeast => length >= k,
            RowRule::Exactly | RowRule::Renju => length == k,
            RowRule::Caro => length == k && !enclosed,
        }
    }

    #[test]
    fn runs_and_completing_cells_agree_with_counting() {
        let mut rng = seeded(3);
        let mut enclosed = 0;
        for _ in 0..2_000 {
            let own = (word(&mut rng) | word(&mut rng)) & 0xf_ffff;
            let stones = LineStones { own, other: !own & word(&mut rng) & 0xf_ffff };
            let k = 1 + below(&mut rng, 8);
            for row in [RowRule::AtLeast, RowRule::Exactly, RowRule::Caro] {
                let won = (0..20).any(|c| own >> c & 1 != 0 && wins(stones, c, k, row));
                assert_eq!(winning_starts(stones, 1, k, row) != 0, won);
                let found = completing_cells(stones, 1, k, row);
                for cell in (0..20).filter(|c| own >> c & 1 == 0) {
                    let filled =
                        LineStones { own: own | 1 << cell, other: stones.other & !(1 << cell) };
                    let completes = wins(filled, cell, k, row);
                    assert_eq!(found >> cell & 1 != 0, completes, "{stones:?} {cell} {k} {row:?}");
                }
            }
            enclosed += usize::from(
                winning_starts(stones, 1, k, RowRule::Caro)
                    != winning_starts(stones, 1, k, RowRule::Exactly),
            );
        }
        assert!(enclosed > 100, "too few enclosed runs for a test: {enclosed}");
    }

    #[test]
    fn values_grow_and_no_board_overflows() {
        for (k, values) in VALUE.iter().enumerate() {
            assert!((1..k).all(|n| values[n] <= values[n + 1] && values[n] > 0));
            // A board of 20x20 has fewer than 1,600 windows.
            assert!(k == 0 || 1_600 * i64::from(values[k - 1]) < 1_000_000_000);
        }
    }
}
