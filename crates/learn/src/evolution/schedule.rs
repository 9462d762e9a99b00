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
    let (survivors, population) = (settings.population, forests - champions);
    // The opponent is the first of two forests, or the champion.
    let mut pairs: Vec<[usize; 2]> = match settings.games {
        GameSchedule::Full => unordered_pairs(population).collect(),
        GameSchedule::Limited => (0..survivors)
            .flat_map(|survivor| (survivors..population).map(move |child| [survivor, child]))
            .collect(),
        GameSchedule::Champions => Vec::new(),
    };
    let champions = population..forests;
    pairs.extend(champions.flat_map(|champion| (0..population).map(move |one| [champion, one])));
    let rounds = settings.rounds as u64;
    let mut games = Vec::with_capacity(2 * pairs.len() * settings.rounds);
    for (number, [a, b]) in (0..).zip(pairs) {
        let opponent = if settings.common_openings { a as u64 } else { number };
        for round in 0..rounds {
            let opening = opponent * rounds + round;
            games.extend([[a, b], [b, a]].map(|players| Pairing { players, opening }));
        }
    }
    games
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
        let settings = EvolutionSettings { population, mating, ..EvolutionSettings::default() };
        let children = parents(&settings, &SeedSource::new(1), 3);
        assert!(children.iter().all(|[a, b]| a != b && *a < population && *b < population));
        let all = population + children.len();
        assert_eq!(all, settings.largest());
        let settings = EvolutionSettings { games: kind, ..settings };
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
            rounds: 3,
            common_openings: true,
            ..EvolutionSettings::default()
        };
        let games = games(&settings, 4 + 2, 2);
        // 2 survivors and 2 children, then 2 champions and 4 forests, 3 rounds, both colors.
        assert_eq!(games.len(), (4 + 8) * 3 * 2);
        for forest in 0..4 {
            let against = |champion: usize| {
                let met = |game: &&Pairing| {
                    game.players.contains(&forest) && game.players.contains(&champion)
                };
                games.iter().filter(met).map(|game| game.opening).collect::<Vec<_>>()
            };
            assert_eq!(against(4), [12, 12, 13, 13, 14, 14]);
            assert_eq!(against(5), [15, 15, 16, 16, 17, 17]);
        }
        let only = EvolutionSettings { games: GameSchedule::Champions, ..settings };
        assert!(super::games(&only, 6, 2).iter().all(|game| game.players.iter().any(|&p| p >= 4)));
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
