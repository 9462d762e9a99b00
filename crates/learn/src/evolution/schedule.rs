//! The schedule of an iteration: mating and pairings.

use std::collections::HashMap;

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

/// A game of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pairing {
    /// The first and the second player, as indices of forests: survivors, children, champions.
    pub players: [usize; 2],
    /// The number of its opening.
    pub opening: u64,
}

/// Every game of an iteration. Consecutive games form a pair with swapped colors. `forests` is the
/// number of all forests, including champions, which are the last.
pub fn games(settings: &EvolutionSettings, forests: usize, champions: usize) -> Vec<Pairing> {
    let population = forests - champions;
    // The opponent is the first of two forests, or the champion.
    let mut pairs: Vec<[usize; 2]> = match settings.games {
        GameSchedule::Full => unordered_pairs(population).collect(),
        GameSchedule::Limited => limited_pairs(settings, population),
    };
    let champions = population..forests;
    pairs.extend(champions.flat_map(|champion| (0..population).map(move |one| [champion, one])));
    let mut meetings = HashMap::new();
    let mut games = Vec::with_capacity(2 * pairs.len());
    for (number, [opponent, other]) in (0..).zip(pairs) {
        let meeting: &mut usize = meetings.entry([opponent, other]).or_default();
        let opening = match settings.common_openings {
            true => (opponent + forests * *meeting) as u64,
            false => number,
        };
        *meeting += 1;
        let colors = [[opponent, other], [other, opponent]];
        games.extend(colors.map(|players| Pairing { players, opening }));
    }
    games
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
        let games = games(&settings, all, 0);
        let distinct: HashSet<&Pairing> = games.iter().collect();
        assert_eq!(distinct.len(), games.len(), "no game twice");
        let swapped = |[a, b]: [usize; 2]| [b, a];
        for (number, pair) in (0..).zip(games.chunks(2)) {
            assert_eq!(pair[0].players, swapped(pair[1].players));
            assert_eq!([pair[0].opening, pair[1].opening], [number; 2]);
        }
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
    fn champions_meet_everybody_and_openings_are_common() {
        let settings = EvolutionSettings {
            population: 2,
            games_per_individual: Some(8),
            common_openings: true,
            ..EvolutionSettings::default()
        };
        let games = games(&settings, 4 + 2, 2);
        // 2 children with 8 games against survivors; 2 champions with a pair against each of 4.
        assert_eq!(games.len(), 2 * 8 + 2 * 4 * 2);
        let openings = |one: usize, other: usize| {
            let met =
                |game: &&Pairing| game.players.contains(&one) && game.players.contains(&other);
            games.iter().filter(met).map(|game| game.opening).collect::<Vec<_>>()
        };
        for child in [2, 3] {
            assert_eq!(openings(0, child), [0, 0, 6, 6]);
            assert_eq!(openings(1, child), [1, 1, 7, 7]);
        }
        for forest in 0..4 {
            assert_eq!([openings(4, forest), openings(5, forest)], [[4, 4], [5, 5]]);
        }
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
            let games = games(&settings, population + children, 0);
            assert_eq!(games.len(), children * each);
            let count = |player| games.iter().filter(|game| game.players.contains(&player)).count();
            assert!((population..population + children).all(|child| count(child) == each));
            let survivors: Vec<usize> = (0..population).map(count).collect();
            let (most, fewest) = (survivors.iter().max(), survivors.iter().min());
            assert!(most.unwrap() - fewest.unwrap() <= 2, "{survivors:?}");
            games
        };
        let usual = EvolutionSettings { population: 5, ..EvolutionSettings::default() };
        assert_eq!(check(5, 5, 10), games(&usual, 10, 0), "5 + 5 of Table 5-5 is the default");
        check(10, 10, 4);
        check(4, 9, 6);
        let twice = check(3, 3, 12);
        let once: HashSet<[usize; 2]> = twice.iter().map(|game| game.players).collect();
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
