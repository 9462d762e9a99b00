//! Random generators: one for each purpose, derived from the run's seed and a number. Checkpoints
//! need no random state, and a resumed run draws the same numbers.

use tesuji_games::random::{Rng, derived, seeded};

/// The purpose of a generator. The numbers must not change: the results of a seed depend on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RngPurpose {
    /// The cells of a pattern.
    Pattern = 1,
    /// A training game.
    SelfPlay = 2,
    /// A game for the pattern search.
    Example = 4,
    /// Anything else in the pattern search.
    PatternSearch = 5,
}

/// The generator for a purpose.
pub(super) fn rng_for(seed: u64, purpose: RngPurpose, number: u64) -> Rng {
    seeded(derived(seed ^ 0x7475_706c_6573, [purpose as u64, number]))
}
