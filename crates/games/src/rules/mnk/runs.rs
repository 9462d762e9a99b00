//! Stones as bits of a word, and what can be said of them with shifts: runs of `k`, cells that would
//! complete one, windows of `k` cells that only one side has entered. The cells of a line lie `step` bits
//! apart, so one function serves a row word (step 1) and a bitboard (steps 1, 7, 8, 9).
//!
//! Bits outside the board are 0 in every word of stones; nothing here knows where the board ends unless
//! it is told.

use std::ops::{BitAnd, BitXor, Not, Shr};

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

/// The first cells of all runs of exactly `k` stones.
#[inline]
pub(super) fn exact_run_starts(stones: u64, step: u32, k: u32) -> u64 {
    run_starts(stones, step, k) & bare_ends(stones, step, k)
}

/// The cells with no stone just before them and none `k` cells after them: a run of `k` that begins here
/// does not go on at either end.
#[inline]
fn bare_ends(stones: u64, step: u32, k: u32) -> u64 {
    !(stones << step) & !(stones >> ((k - 1) * step) >> step)
}

/// The cells without a stone where one more stone makes a run of `k` (of exactly `k` when `exact`). Cells
/// outside the board and cells of the other side are among them: the caller takes those out.
#[inline(always)]
pub(super) fn completing_cells(stones: u64, step: u32, k: u32, exact: bool) -> u64 {
    let (mut one_missing, mut two_missing) = (0, 0);
    for place in 0..k {
        let missing = !(stones >> (place * step));
        two_missing |= one_missing & missing;
        one_missing |= missing;
    }
    let mut windows = one_missing & !two_missing;
    if exact {
        windows &= bare_ends(stones, step, k);
    }
    let mut cells = 0;
    for place in 0..k {
        cells |= windows << (place * step);
    }
    cells & !stones
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

    /// The length of the run through `cell`, counted cell by cell.
    fn run_through(stones: u64, cell: u32) -> u32 {
        let stone = |c: &u32| stones >> c & 1 != 0;
        let before = (0..cell).rev().take_while(stone).count();
        let after = (cell..64).take_while(stone).count();
        (before + after) as u32
    }

    #[test]
    fn runs_and_completing_cells_agree_with_counting() {
        let mut rng = seeded(3);
        for _ in 0..2_000 {
            let stones = (word(&mut rng) | word(&mut rng)) & 0xf_ffff;
            let k = 1 + below(&mut rng, 8);
            let longest =
                (0..20).map(|c| if stones >> c & 1 != 0 { run_through(stones, c) } else { 0 });
            assert_eq!(run_starts(stones, 1, k) != 0, longest.clone().any(|run| run >= k));
            assert_eq!(exact_run_starts(stones, 1, k) != 0, longest.clone().any(|run| run == k));
            for exact in [false, true] {
                let found = completing_cells(stones, 1, k, exact);
                for cell in (0..20).filter(|c| stones >> c & 1 == 0) {
                    let run = run_through(stones | 1 << cell, cell);
                    let completes = if exact { run == k } else { run >= k };
                    assert_eq!(found >> cell & 1 != 0, completes, "{stones:b} {cell} {k} {exact}");
                }
            }
        }
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
