//! Table 3-1: how many individuals and games full and limited training have. Ours are counted on the schedule that
//! trainings follow, parents and pairings one by one.

use tesuji_learn::evolution::seeds::{SeedSource};
use tesuji_learn::evolution::schedule::{games, parents};
use tesuji_learn::evolution::settings::{EvolutionSettings, GameSchedule, Mating};

use crate::report::{Findings, Row, Table};
use crate::run::{ReproduceError, Run};

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

/// Counts.
pub(super) fn run(run: &Run<'_>) -> Result<Findings, ReproduceError> {
    let tables = COLUMNS.iter().map(|column| table(column, run.seed)).collect();
    Ok(Findings::of_all(tables).note(
        "Full: every ordered pair has a child and everybody meets everybody as first and as second. Limited: random pairs \
         until there are twice as many, and every survivor meets every child as first and as second.",
    ))
}

fn table(column: &Column, seed: u64) -> Table {
    let (individuals, played) = counted(column, seed);
    let rows = vec![
        Row::count("maximum population", column.maximum, individuals),
        Row::count("number of total games", column.total_games, played),
    ];
    Table::new(format!("{}, initial population {}", column.name, column.initial), rows)
}

/// The whole population of an iteration, and the games in it.
fn counted(column: &Column, seed: u64) -> (u64, u64) {
    let population = column.initial;
    let mating = column.mating;
    let settings = EvolutionSettings { population, mating, ..EvolutionSettings::default() };
    let all = population + parents(&settings, &SeedSource::new(seed), 1).len();
    (all as u64, games(column.games, population, all).len() as u64)
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
