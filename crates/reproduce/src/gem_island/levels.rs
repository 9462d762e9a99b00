//! The three levels, and how often agents win each.

use tesuji_games::rules::gem_island::{GemRules, GemSettings};

use crate::comparison::{Better, ComparisonVerdict, Estimate, compare};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// Table 5.2: rows of ice, medals, moves.
const LEVELS: [[u64; 3]; 3] = [[5, 3, 20], [7, 4, 25], [9, 5, 30]];

/// Agents that are compared with the published result of a level.
const AGENTS: [&str; 3] = ["greedy", "flat-ucb:eval=nn-utility", "belief"];

/// The thesis's best agent, HB.
const HB: &str = "flat-ucb";

/// A published result, and the same agent here.
struct Published {
    won: f64,
    games: u64,
    whose: &'static str,
    agent: &'static str,
}

/// The published result for a level; level 3 has none.
fn published(level: usize) -> Option<Published> {
    match level {
        1 => Some(Published {
            won: 261.0,
            games: 300,
            whose: "the thesis's best agent (HB)",
            agent: HB,
        }),
        2 => Some(Published {
            won: 82.0,
            games: 100,
            whose: "the author's own run (crude, 200 rollouts of 10 swaps)",
            agent: "flat-ucb:sims=200,depth=10,eval=crude,simulator=original",
        }),
        _ => None,
    }
}

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let mut tables = vec![ComparisonTable::new("The levels", settings()?)];
    for level in 1..=LEVELS.len() {
        tables.push(match published(level) {
            Some(published) => with_published(run, level, &published)?,
            None => without_published(run, level)?,
        });
    }
    Ok(Findings::of_all(tables).note("The published rules."))
}

fn won(run: &ReproductionRun<'_>, level: usize, agent: &str) -> Result<Estimate, ReproduceError> {
    let games = if agent == "belief" { run.pick(20, 500) } else { run.pick(100, 1_000) };
    Ok(run.gem_games(level, GemRules::Original, agent, games)?.won())
}

/// Compares the same agent with the published result, and others that should be better.
fn with_published(
    run: &ReproductionRun<'_>,
    level: usize,
    published: &Published,
) -> Result<ComparisonTable, ReproduceError> {
    let Published { won: wins, games, whose, agent } = published;
    let estimate = Estimate::percent(*wins, *games);
    let same = ComparisonRow::percent(
        format!("{agent} (the same agent)"),
        estimate,
        won(run, level, agent)?,
        Better::Neither,
    );
    let mut rows = vec![same];
    for agent in AGENTS {
        let row = ComparisonRow::percent(agent, estimate, won(run, level, agent)?, Better::Higher);
        rows.push(match agent {
            "greedy" => row.explain_difference("it looks only one swap ahead"),
            _ => row,
        });
    }
    let title = format!("Games won at level {level}, compared with {whose}, {games} games");
    Ok(ComparisonTable::new(title, rows))
}

/// Compares agents with HB at the same level.
fn without_published(
    run: &ReproductionRun<'_>,
    level: usize,
) -> Result<ComparisonTable, ReproduceError> {
    let hb = won(run, level, HB)?;
    let mut rows = Vec::new();
    for agent in AGENTS {
        let ours = won(run, level, agent)?;
        let (_, why) = compare(hb, ours, Better::Higher);
        rows.push(ComparisonRow::from_parts(
            agent,
            None,
            ReportedValue::percent(ours),
            ComparisonVerdict::NotComparable,
            format!("nothing is published; HB: {:.1} %; {why}", hb.value),
        ));
    }
    let title = format!("Games won at level {level}, compared with HB here (nothing is published)");
    Ok(ComparisonTable::new(title, rows))
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
