//! The schedule of an iteration: mating and pairings.

use tesuji_games::random::below;

use super::seeds::{SeedPurpose, SeedSource};
use super::settings::{EvolutionSettings, GameSchedule, Mating};

/// The parents of every child of an iteration, as indices of survivors.
pub fn parents(
    settings: &EvolutionSettings,
    seeds: &SeedSource,
    iteration: u64,
) -> Vec<[usize; 2]> {
    let population = settings.population;
    match settings.mating {
        Mating::Full => ordered_pairs(population).collect(),
        Mating::Partial => (population..settings.largest())
            .map(|child| random_pair(population, seeds, iteration, child as u64))
            .collect(),
    }
}

fn random_pair(population: usize, seeds: &SeedSource, iteration: u64, child: u64) -> [usize; 2] {
    let mut rng = seeds.rng(SeedPurpose::Parents, &[iteration, child]);
    let one = below(&mut rng, population as u32) as usize;
    let other = below(&mut rng, population as u32 - 1) as usize;
    [one, other + usize::from(other >= one)]
}

/// Every game of an iteration: first and second player, as indices into the population, survivors
/// first. Consecutive games form a pair with swapped colors.
pub fn games(settings: &EvolutionSettings, population: usize) -> Vec<[usize; 2]> {
    let pairs: Vec<[usize; 2]> = match settings.games {
        GameSchedule::Full => unordered_pairs(population).collect(),
        GameSchedule::Limited => limited_pairs(settings, population),
    };
    pairs.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]).collect()
}

/// Each child meets as many survivors as its number of games allows. The children continue where
/// the one before stopped, so survivors play equally often, up to one pair of games.
fn limited_pairs(settings: &EvolutionSettings, population: usize) -> Vec<[usize; 2]> {
    let (survivors, of_child) = (settings.population, settings.games_per_individual() / 2);
    let mut next = 0;
    let mut pairs: Vec<[usize; 2]> = (survivors..population)
        .flat_map(|child| {
            let first = next;
            next += of_child;
            (first..next).map(move |n| [n % survivors, child])
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

fn ordered_pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |a| (0..count).filter(move |&b| b != a).map(move |b| [a, b]))
}

fn unordered_pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn counts(population: usize, mating: Mating, kind: GameSchedule) -> (usize, usize) {
        let settings =
            EvolutionSettings { population, mating, games: kind, ..EvolutionSettings::default() };
        let children = parents(&settings, &SeedSource::new(1), 3);
        assert!(children.iter().all(|[a, b]| a != b && *a < population && *b < population));
        let all = population + children.len();
        assert_eq!(all, settings.largest());
        let games = games(&settings, all);
        let distinct: HashSet<&[usize; 2]> = games.iter().collect();
        assert_eq!(distinct.len(), games.len(), "no game twice");
        assert!(games.chunks(2).all(|pair| pair[0][0] == pair[1][1] && pair[0][1] == pair[1][0]));
        (all, games.len())
    }

    /// Table 3-1, and the 5 + 5 of Table 5-5.
    #[test]
    fn population_sizes_and_games_equal_the_thesis() {
        assert_eq!(counts(10, Mating::Full, GameSchedule::Full), (100, 9_900));
        assert_eq!(counts(10, Mating::Partial, GameSchedule::Limited), (20, 200));
        assert_eq!(counts(5, Mating::Partial, GameSchedule::Limited), (10, 50));
        assert_eq!(counts(20, Mating::Partial, GameSchedule::Limited), (40, 800));
    }

    #[test]
    fn the_number_of_games_per_individual_can_be_set() {
        let check = |population: usize, children: usize, each: usize| {
            let settings = EvolutionSettings {
                population,
                largest: Some(population + children),
                games_per_individual: Some(each),
                ..EvolutionSettings::default()
            };
            let games = games(&settings, population + children);
            assert_eq!(games.len(), children * each);
            let count = |player| games.iter().filter(|game| game.contains(&player)).count();
            assert!((population..population + children).all(|child| count(child) == each));
            let survivors: Vec<usize> = (0..population).map(count).collect();
            let (most, fewest) = (survivors.iter().max(), survivors.iter().min());
            assert!(most.unwrap() - fewest.unwrap() <= 2, "{survivors:?}");
            games
        };
        let usual = EvolutionSettings { population: 5, ..EvolutionSettings::default() };
        assert_eq!(check(5, 5, 10), games(&usual, 10), "5 + 5 of Table 5-5 is the default");
        check(10, 10, 4);
        check(4, 9, 6);
        let twice = check(3, 3, 12);
        let once: HashSet<&[usize; 2]> = twice.iter().collect();
        assert_eq!(once.len() * 2, twice.len(), "more games than opponents: each meets twice");
    }

    #[test]
    fn partial_mating_draws_every_pair_eventually() {
        let settings = EvolutionSettings { population: 3, ..EvolutionSettings::default() };
        let seeds = SeedSource::new(5);
        let drawn: HashSet<[usize; 2]> =
            (0..40).flat_map(|iteration| parents(&settings, &seeds, iteration)).collect();
        assert_eq!(drawn, ordered_pairs(3).collect());
    }
}
