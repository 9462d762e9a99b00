//! Table 3-1: individuals and games of full and limited training. Ours are counted on the schedule
//! of our training, parents and pairings one by one.

use tesuji_learn::evolution::schedule::{games, parents};
use tesuji_learn::evolution::seeds::SeedSource;
use tesuji_learn::evolution::settings::{EvolutionSettings, GameSchedule, Mating};

use crate::report::{ComparisonRow, ComparisonTable, Findings};
use crate::run::{ReproduceError, ReproductionRun};

/// A column of the table.
struct Column {
    name: &'static str,
    mating: Mating,
    games: GameSchedule,
    initial: usize,
    maximum: u64,
    total_games: u64,
}

const COLUMNS: [Column; 2] = [
    Column {
        name: "Full training and crossover",
        mating: Mating::Full,
        games: GameSchedule::Full,
        initial: 10,
        maximum: 100,
        total_games: 9_900,
    },
    Column {
        name: "Limited training and crossover",
        mating: Mating::Partial,
        games: GameSchedule::Limited,
        initial: 10,
        maximum: 20,
        total_games: 200,
    },
];

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let tables = COLUMNS.iter().map(|column| table(column, run.seed)).collect();
    Ok(Findings::of_all(tables).note(
        "Full: every ordered pair has a child, and every pair plays with both sides. Limited: \
         random pairs until the population has doubled, and every survivor plays every child \
         with both sides.",
    ))
}

fn table(column: &Column, seed: u64) -> ComparisonTable {
    let (individuals, played) = counted(column, seed);
    let rows = vec![
        ComparisonRow::count("maximum population", column.maximum, individuals),
        ComparisonRow::count("number of total games", column.total_games, played),
    ];
    ComparisonTable::new(format!("{}, initial population {}", column.name, column.initial), rows)
}

/// Counts the individuals and the games of an iteration.
fn counted(column: &Column, seed: u64) -> (u64, u64) {
    let population = column.initial;
    let Column { mating, games: kind, .. } = *column;
    let settings =
        EvolutionSettings { population, mating, games: kind, ..EvolutionSettings::default() };
    let all = population + parents(&settings, &SeedSource::new(seed), 1).len();
    (all as u64, games(&settings, all).len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_the_thesis_whatever_the_seed() {
        for column in &COLUMNS {
            for seed in 0..3 {
                assert_eq!(counted(column, seed), (column.maximum, column.total_games));
            }
        }
    }
}
