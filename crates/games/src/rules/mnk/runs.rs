//! Stones as bits of a word, and what can be said of them with shifts: runs of `k`, cells that would
//! complete one, windows of `k` cells that only one side has entered. The cells of a line lie `step` bits
//! apart, so one function serves a row word (step 1) and a bitboard (steps 1, 7, 8, 9).
//!
//! Bits outside the board are 0 in every word of stones; nothing here knows where the board ends unless
//! it is told.

use std::ops::{BitAnd, BitXor, Not, Shr};

use crate::RowRule;

/// The stones in a line as a side sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stones {
    /// Its own.
    pub(super) own: u64,
    /// The other side's.
    pub(super) other: u64,
}

/// The first cells of all runs of at least `k` stones.
#[inline]
pub(super) fn run_starts(stones: u64, step: u32, k: u32) -> u64 {
    let mut starts = stones;
    let mut length = 1;
    while length < k {
        // A run of n overlapping one of n further on: at most doubles in each round.
        let more = length.min(k - length);
        starts &= starts >> (more * step);
        length += more;
    }
    starts
}

/// The first cells of all runs that win.
#[inline]
pub(super) fn winning_starts(stones: Stones, step: u32, k: u32, row: RowRule) -> u64 {
    run_starts(stones.own, step, k) & where_it_counts(stones, step, k, row)
}

/// The cells where a run of `k` may begin so that it wins, as far as the cells before and behind it say.
#[inline(always)]
fn where_it_counts(stones: Stones, step: u32, k: u32, row: RowRule) -> u64 {
    match row {
        RowRule::AtLeast => u64::MAX,
        RowRule::Exactly | RowRule::Renju => !either_end(stones.own, step, k),
        RowRule::Open => !either_end(stones.own, step, k) & !both_ends(stones.other, step, k),
    }
}

/// The cells with a stone just before them or `k` cells after them: there a run of `k` would go on.
#[inline]
fn either_end(stones: u64, step: u32, k: u32) -> u64 {
    stones << step | stones >> ((k - 1) * step) >> step
}

/// The cells with a stone just before them and another `k` cells after them: there a run of `k` is enclosed.
#[inline]
fn both_ends(stones: u64, step: u32, k: u32) -> u64 {
    stones << step & stones >> ((k - 1) * step) >> step
}

/// The cells without an own stone where one more makes a run that wins. Cells outside the board and cells of
/// the other side are among them: the caller takes those out.
#[inline(always)]
pub(super) fn completing_cells(stones: Stones, step: u32, k: u32, row: RowRule) -> u64 {
    let (mut one_missing, mut two_missing) = (0, 0);
    for place in 0..k {
        let missing = !(stones.own >> (place * step));
        two_missing |= one_missing & missing;
        one_missing |= missing;
    }
    let windows = one_missing & !two_missing & where_it_counts(stones, step, k, row);
    let mut cells = 0;
    for place in 0..k {
        cells |= windows << (place * step);
    }
    cells & !stones.own
}

/// The longest run that any board here can ask for, and one more.
pub(super) const LENGTHS: usize = 21;

/// What a window of `k` cells is worth to the side that alone has `n` stones in it: `VALUE[k][n]`. Tenfold
/// for every stone; for long runs the growth begins at the sixth stone before the last, so that the sum
/// over a whole board of 20x20 stays below a billion.
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

/// A word with one bit a cell.
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

/// The value of the windows that only `mine` has entered; `all` holds the first cells of all windows.
///
/// A window with all its k stones is a row too long for an exact game, and worth nothing.
#[inline(always)]
pub(super) fn open_windows<W: Word>(mine: W, theirs: W, all: W, step: u32, k: u32) -> i32 {
    // The number of stones in the window beginning at each bit, as binary digits.
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

/// What a window of `k` cells through an empty cell says for playing there, when it holds `mine` stones of
/// the side to move and `theirs` of the other: `PROMISE[k][mine][theirs]`.
///
/// Attack first: a window counts by what it becomes. Of the other side's windows only those near completion
/// count. (Chosen among a few weights by the nodes of proofs on small boards, which vary so much from one
/// weight to the next that nothing finer is claimed.)
pub(super) static PROMISE: [[[i32; LENGTHS]; LENGTHS]; LENGTHS] = {
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

/// Calls a function of `k` compiled for the usual lengths: its loops unroll (measured 2x on
/// [`completing_cells`]).
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
    fn wins(stones: Stones, cell: u32, k: u32, row: RowRule) -> bool {
        let mine = |c: &u32| stones.own >> c & 1 != 0;
        let before = (0..cell).rev().take_while(mine).count() as u32;
        let after = (cell..64).take_while(mine).count() as u32;
        let theirs = |c: u32| c < 64 && stones.other >> c & 1 != 0;
        let enclosed = cell > before && theirs(cell - before - 1) && theirs(cell + after);
        let length = before + after;
        match row {
            RowRule::AtLeast => length >= k,
            RowRule::Exactly | RowRule::Renju => length == k,
            RowRule::Open => length == k && !enclosed,
        }
    }

    #[test]
    fn runs_and_completing_cells_agree_with_counting() {
        let mut rng = seeded(3);
        let mut enclosed = 0;
        for _ in 0..2_000 {
            let own = (word(&mut rng) | word(&mut rng)) & 0xf_ffff;
            let stones = Stones { own, other: !own & word(&mut rng) & 0xf_ffff };
            let k = 1 + below(&mut rng, 8);
            for row in [RowRule::AtLeast, RowRule::Exactly, RowRule::Open] {
                let won = (0..20).any(|c| own >> c & 1 != 0 && wins(stones, c, k, row));
                assert_eq!(winning_starts(stones, 1, k, row) != 0, won);
                let found = completing_cells(stones, 1, k, row);
                for cell in (0..20).filter(|c| own >> c & 1 == 0) {
                    let filled =
                        Stones { own: own | 1 << cell, other: stones.other & !(1 << cell) };
                    let completes = wins(filled, cell, k, row);
                    assert_eq!(found >> cell & 1 != 0, completes, "{stones:?} {cell} {k} {row:?}");
                }
            }
            enclosed += usize::from(
                winning_starts(stones, 1, k, RowRule::Open)
                    != winning_starts(stones, 1, k, RowRule::Exactly),
            );
        }
        assert!(enclosed > 100, "too few enclosed runs to tell: {enclosed}");
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
