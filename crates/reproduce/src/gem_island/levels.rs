//! The three levels, and how often agents win each.

use tesuji_games::rules::gem_island::{GemRules, GemSettings};

use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings};
use crate::run::{ReproduceError, ReproductionRun};

/// Table 5.2: rows of ice, medals, moves.
const LEVELS: [[u64; 3]; 3] = [[5, 3, 20], [7, 4, 25], [9, 5, 30]];

const AGENTS: [&str; 4] = ["greedy", "flat-ucb", "flat-ucb:eval=nn-utility", "belief"];

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let mut tables = vec![ComparisonTable::new("The levels", settings()?)];
    for level in 1..=LEVELS.len() {
        let (published, whose) = yardstick(level);
        let mut rows = Vec::new();
        for agent in AGENTS {
            let games = if agent == "belief" { run.pick(20, 500) } else { run.pick(100, 1_000) };
            let won = run.gem_games(level, GemRules::Fixed, agent, games)?.won();
            let row = ComparisonRow::percent(agent, published, won, Better::Higher);
            rows.push(match (level, agent) {
                (3, _) => row.not_comparable("the published number is of level 1"),
                (_, "greedy") => row.explain_difference("it looks only one swap ahead"),
                _ => row,
            });
        }
        tables.push(ComparisonTable::new(
            format!("Games won at level {level}, compared with {whose}"),
            rows,
        ));
    }
    Ok(Findings::of_all(tables))
}

/// Returns the published result for a level, and its agent.
fn yardstick(level: usize) -> (Estimate, &'static str) {
    match level {
        1 => (Estimate::percent(261.0, 300), "the thesis's best agent there (HB, 300 games)"),
        2 => (Estimate::percent(82.0, 100), "the author's own run there (200 rollouts, 100 games)"),
        _ => (
            Estimate::percent(261.0, 300),
            "the thesis's best agent at level 1 (nothing is published)",
        ),
    }
}

/// The kind of input of rows with a setting.
const SETTING: &str = "a setting";

fn settings() -> Result<Vec<ComparisonRow>, ReproduceError> {
    let mut rows = Vec::new();
    for (level, [ice, medals, moves]) in (1..).zip(LEVELS) {
        let ours = GemSettings::level(level)
            .ok_or_else(|| ReproduceError::Other(format!("level {level}: does not exist")))?;
        rows.push(
            ComparisonRow::count(format!("level {level}: rows of ice"), ice, ours.ice_rows.into())
                .as_input(SETTING),
        );
        rows.push(
            ComparisonRow::count(format!("level {level}: medals"), medals, ours.medals.into())
                .as_input(SETTING),
        );
        rows.push(
            ComparisonRow::count(format!("level {level}: moves"), moves, ours.moves.into())
                .as_input(SETTING),
        );
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_thesis() {
        assert!(settings().unwrap().iter().all(|row| row.why.ends_with("the same")));
    }
}
