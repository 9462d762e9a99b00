//! The results of individuals, and the selection of survivors.

use serde::{Deserialize, Serialize};

use crate::forest::Class;

use super::operators::Individual;
use super::schedule::Pairing;
use super::settings::ForestLearnerSettings;

/// The result of an individual.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct IndividualResult {
    /// The fitness that decides selection; larger is better.
    pub fitness: f64,
    /// Points from games.
    pub points: f64,
    /// Games won.
    pub won: u64,
    /// Games drawn.
    pub drawn: u64,
    /// Games lost.
    pub lost: u64,
    /// The share of exercises solved, if there are any.
    pub solved: Option<f64>,
}

impl IndividualResult {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.won + self.drawn + self.lost
    }
}

/// The indices of the best `count` individuals, best first: by fitness, then by fewer losses, then
/// the younger.
pub fn select(population: &[Individual], results: &[IndividualResult], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..population.len()).collect();
    order.sort_by(|&a, &b| {
        let (one, other) = (&results[a], &results[b]);
        other
            .fitness
            .total_cmp(&one.fitness)
            .then(one.lost.cmp(&other.lost))
            .then(population[b].born.cmp(&population[a].born))
            .then(population[a].number.cmp(&population[b].number))
    });
    order.truncate(count);
    order
}

/// The results of all individuals in the games. Fitness is points per game, scaled to 0 to 1,
/// because individuals may play different numbers of games.
pub fn game_results(
    settings: &ForestLearnerSettings,
    population: usize,
    pairings: &[Pairing],
    classes: &[Class],
) -> Vec<IndividualResult> {
    let points = settings.evolution.points;
    let mut all = vec![IndividualResult::default(); population];
    for (pairing, class) in pairings.iter().zip(classes) {
        for (player, class) in pairing.players.into_iter().zip([*class, class.swapped()]) {
            // Champions are not in the population.
            let Some(result) = all.get_mut(player) else { continue };
            let (count, value) = match class {
                Class::Win => (&mut result.won, points.win),
                Class::Draw => (&mut result.drawn, points.draw),
                Class::Loss => (&mut result.lost, points.loss),
            };
            *count += 1;
            result.points += value;
        }
    }
    for result in &mut all {
        let mean = result.points / result.games().max(1) as f64;
        result.fitness = (mean - points.loss) / (points.win - points.loss);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_thesis() {
        let pairings =
            [[0, 1], [1, 0], [0, 1], [3, 0]].map(|players| Pairing { players, opening: 0 });
        let classes = [Class::Win, Class::Loss, Class::Draw, Class::Draw];
        let all = game_results(&ForestLearnerSettings::default(), 3, &pairings, &classes);
        let one = |points, won, drawn, lost| (points, won, drawn, lost);
        let found: Vec<(f64, u64, u64, u64)> =
            all.iter().map(|it| one(it.points, it.won, it.drawn, it.lost)).collect();
        assert_eq!(found, [(6.0, 2, 2, 0), (-5.0, 0, 1, 2), (0.0, 0, 0, 0)]);
        assert!((all[0].fitness - (6.0 / 4.0 + 3.0) / 5.0).abs() < 1e-12);
    }

    #[test]
    fn ties_go_to_fewer_losses_and_then_to_the_younger() {
        let one = |born, number| Individual { born, number, genes: Vec::new() };
        let population = [one(1, 0), one(3, 5), one(3, 4), one(2, 0)];
        let result =
            |fitness, lost| IndividualResult { fitness, lost, ..IndividualResult::default() };
        let results = [result(5.0, 0), result(5.0, 1), result(5.0, 1), result(9.0, 7)];
        assert_eq!(select(&population, &results, 4), [3, 0, 2, 1]);
        assert_eq!(select(&population, &results, 2), [3, 0]);
    }
}
