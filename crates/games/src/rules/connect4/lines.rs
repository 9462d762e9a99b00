//! Lines of four by shifting whole boards: every line of a direction is looked at in the same few
//! instructions. A shift by one step lays each cell over its neighbour in that direction.

use super::geometry::{Bits, Geometry};

/// Whether `stones` hold four in a row.
#[inline]
pub(super) fn has_four<G: Geometry>(geometry: G, stones: G::Bits) -> bool {
    let mut fours = G::Bits::ZERO;
    geometry.for_each_step(|step| {
        let pairs = stones & stones >> step;
        fours = fours | pairs & pairs >> (2 * step);
    });
    fours != G::Bits::ZERO
}

/// The cells, taken or not, that stand in a line with three of `stones`. Cells above the board are
/// among them.
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

/// What a line with one, two or three stones of one side, and none of the other, is worth (Anigmo).
pub(in crate::rules) const LINE_VALUES: [i32; 4] = [0, 1, 8, 128];

/// The worth of all lines that only `mine` have stones in, less that of the lines that only `theirs`
/// have. Neither side may have four in a row.
#[inline]
pub(super) fn balance<G: Geometry>(geometry: G, mine: G::Bits, theirs: G::Bits) -> i32 {
    let cells = geometry.cells();
    let mut sum = 0;
    geometry.for_each_step(|step| {
        let pairs = cells & cells >> step;
        let lines = pairs & pairs >> (2 * step);
        let my_lines = lines & !touched(theirs, step);
        let their_lines = lines & !touched(mine, step);
        sum += worth(my_lines, mine, step) - worth(their_lines, theirs, step);
    });
    sum
}

/// The lines (each named by its first cell) that hold any of `stones`.
#[inline]
fn touched<B: Bits>(stones: B, step: u32) -> B {
    let pairs = stones | stones >> step;
    pairs | pairs >> (2 * step)
}

/// The worth of those `lines`. The four cells of each line are added up in two binary digits, all lines
/// at once: a half adder for each pair of cells, and one for the two results.
#[inline]
fn worth<B: Bits>(lines: B, stones: B, step: u32) -> i32 {
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
