//! Encodes a count as four inputs, and a position as 81. A count of 1, 2, 3 sets one, two, three
//! inputs to 1 (thermometer encoding); beyond 3 the fourth input is (n − 3) / 2. Tesauro (1992)
//! encoded the checkers on a point in this way. The eighty-first input is 1 when the first side is
//! to move.

use tesuji_games::Side;

use super::pattern_board::CriticPatternCounts;
use super::patterns::PATTERNS;

/// Inputs of one count.
pub const INPUTS_PER_COUNT: usize = 4;
/// Inputs of a position: the first side's ten counts, the second's, the side to move.
pub const INPUTS: usize = 2 * PATTERNS * INPUTS_PER_COUNT + 1;
/// The index of the input for the side to move.
pub const TO_MOVE_INPUT: usize = INPUTS - 1;

/// Encodes a count.
#[inline]
pub fn thermometer(count: u16) -> [f32; INPUTS_PER_COUNT] {
    let unit = |step: u16| if count >= step { 1.0 } else { 0.0 };
    [unit(1), unit(2), unit(3), f32::from(count.saturating_sub(3)) / 2.0]
}

/// Replaces `inputs` by the nonzero inputs of a position, as indices and values.
pub fn push_inputs(counts: &CriticPatternCounts, to_move: Side, inputs: &mut Vec<(u32, f32)>) {
    inputs.clear();
    for (field, &count) in counts.0.iter().enumerate().filter(|(_, count)| **count > 0) {
        let numbers = thermometer(count).into_iter().enumerate().filter(|(_, n)| *n != 0.0);
        inputs.extend(
            numbers.map(|(step, number)| ((field * INPUTS_PER_COUNT + step) as u32, number)),
        );
    }
    if to_move == Side::First {
        inputs.push((TO_MOVE_INPUT as u32, 1.0));
    }
}

/// The counts with the sides swapped.
pub fn sides_swapped(counts: &CriticPatternCounts) -> CriticPatternCounts {
    let mut other = *counts;
    other.0.rotate_left(PATTERNS);
    other
}
