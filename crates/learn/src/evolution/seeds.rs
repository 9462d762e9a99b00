//! The random seeds of a run: each is derived from the run's seed, a purpose and numbers.

use tesuji_games::random::{Rng, derived, seeded};

/// The purpose of a seed. The discriminants enter the seeds, so they never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeedPurpose {
    /// The cells of a new tree: iteration, child, tree.
    Pattern = 1,
    /// The bootstrap of a tree: its id (three numbers), iteration.
    Bootstrap = 2,
    /// The parents of a child: iteration, child.
    Parents = 3,
    /// The trees of a child: iteration, child.
    Crossover = 4,
    /// The mutation of a child: iteration, child.
    Mutation = 5,
    /// The random opening of a pair of games: iteration, pair.
    Opening = 6,
    /// A player of a game: iteration, game, side.
    Player = 7,
    /// A game before the first iteration: number.
    SeedGame = 8,
    /// A scenario: kind, number.
    Scenario = 9,
    /// A game against an opponent: iteration, individual, opponent, game.
    OpponentGame = 10,
    /// The weight of a tree: iteration, child, tree.
    Weight = 11,
    /// The change of a mutated tree: iteration, child, tree.
    Adjustment = 12,
}

/// Derives all seeds of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeedSource {
    seed: u64,
}

impl SeedSource {
    /// Creates the source for a run with this seed.
    pub fn new(seed: u64) -> SeedSource {
        SeedSource { seed }
    }

    /// The seed for a purpose.
    pub fn seed(&self, purpose: SeedPurpose, numbers: &[u64]) -> u64 {
        let what = [purpose as u64, numbers.len() as u64];
        derived(self.seed ^ 0x6576_6f6c_7665, what.into_iter().chain(numbers.iter().copied()))
    }

    /// A random generator for a purpose.
    pub fn rng(&self, purpose: SeedPurpose, numbers: &[u64]) -> Rng {
        seeded(self.seed(purpose, numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn seeds_never_change_and_differ() {
        let seeds = SeedSource::new(7);
        let mut seen = HashSet::new();
        for purpose in [SeedPurpose::Pattern, SeedPurpose::Bootstrap, SeedPurpose::Weight] {
            for a in 0..50 {
                assert!(seen.insert(seeds.seed(purpose, &[a])));
                for b in 0..50 {
                    assert!(seen.insert(seeds.seed(purpose, &[a, b])));
                }
            }
        }
        assert_ne!(
            seeds.seed(SeedPurpose::Opening, &[]),
            SeedSource::new(8).seed(SeedPurpose::Opening, &[])
        );
    }
}
