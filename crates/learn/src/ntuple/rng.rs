//! All chance of learning: a generator for each purpose, made from the run's seed and a number. Nothing random is
//! carried along, so a run that goes on after a checkpoint meets the same chance.

use tesuji_games::random::{Rng, derived, seeded};

/// What chance is needed for. The numbers are part of what a seed means: they never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RngPurpose {
    /// The cells of a pattern.
    Pattern = 1,
    /// A game against itself, from which is learned.
    SelfPlay = 2,
    /// A game for the search for patterns.
    Example = 4,
    /// Anything else in the search for patterns.
    PatternSearch = 5,
}

/// A generator for a purpose.
pub(super) fn rng_for(seed: u64, purpose: RngPurpose, number: u64) -> Rng {
    seeded(derived(seed ^ 0x7475_706c_6573, [purpose as u64, number]))
}
