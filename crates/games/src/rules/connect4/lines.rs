//! Finds lines of four by shifts of whole boards: a few instructions handle all lines of a
//! direction. A shift by one step moves each cell onto its neighbor in that direction.

use super::geometry::{Bits, Geometry};

/// Whether `stones` contain four in a row.
#[inline]
pub(super) fn has_four<G: Geometry>(geometry: G, stones: G::Bits) -> bool {
    let mut fours = G::Bits::ZERO;
    geometry.for_each_step(|step| {
        let pairs = stones & stones >> step;
        fours = fours | pairs & pairs >> (2 * step);
    });
    fours != G::Bits::ZERO
}

/// The cells, occupied or not, that form a line of four with three of `stones`. They include cells
/// above the board.
#[inline]
pub(super) fn fourth_cells<G: Geometry>(geometry: G, stones: G::Bits) -> G::Bits {
    let mut cells = G::Bits::ZERO;
    geometry.for_each_step(|step| {
        let (before, after) = (stones << step, stones >> step);
        let two_before = before & before << step;
        let two_after = after & after >> step;
        cells = cells
            | two_before & (after | before << (2 * step))
            | two_after & (before | after >> (2 * step));
    });
    cells
}

/// The value of a line with one, two or three stones of one side and none of the other (Anigmo).
pub(in crate::rules) const LINE_VALUES: [i32; 4] = [0, 1, 8, 128];

/// The value of all lines with stones only of `mine`, minus that of all lines with stones only of
/// `theirs`. Neither side may have four in a row.
#[inline]
pub(super) fn balance<G: Geometry>(geometry: G, mine: G::Bits, theirs: G::Bits) -> i32 {
    let cells = geometry.cells();
    let mut sum = 0;
    geometry.for_each_step(|step| {
        let pairs = cells & cells >> step;
        let lines = pairs & pairs >> (2 * step);
        let my_lines = lines & !touched(theirs, step);
        let their_lines = lines & !touched(mine, step);
        sum += value(my_lines, mine, step) - value(their_lines, theirs, step);
    });
    sum
}

/// The lines, each represented by its first cell, that contain any of `stones`.
#[inline]
fn touched<B: Bits>(stones: B, step: u32) -> B {
    let pairs = stones | stones >> step;
    pairs | pairs >> (2 * step)
}

/// The value of `lines`. Half adders count the stones of all lines at once, as two binary digits:
/// one for each pair of cells, and one for the two results.
#[inline]
fn value<B: Bits>(lines: B, stones: B, step: u32) -> i32 {
    let next = stones >> step;
    let (odd, even) = (stones ^ next, stones & next);
    let (odd_beyond, even_beyond) = (odd >> (2 * step), even >> (2 * step));
    let ones = odd ^ odd_beyond;
    let twos = even ^ even_beyond ^ odd & odd_beyond;
    let lines_of = |digits: B| (lines & digits).count() as i32;
    LINE_VALUES[1] * lines_of(ones & !twos)
        + LINE_VALUES[2] * lines_of(twos & !ones)
        + LINE_VALUES[3] * lines_of(ones & twos)
}
