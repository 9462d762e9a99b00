//! Games won by people on the published page, compared with every agent.

use tesuji_games::rules::gem_island::GemRules;
use tesuji_learn::gem_island::GemLogs;

use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// The people with more than fifty games at level 1: nickname, percent won, games.
const PEOPLE: [(&str, f64, u64); 5] = [
    ("Astrophysicist", 89.0, 118),
    ("InputNameHere", 69.0, 65),
    ("Elliott", 68.0, 82),
    ("Gillyb", 37.0, 931),
    ("default", 35.0, 147),
];

/// The thesis's number for people in general; the number of games is unknown.
const IN_GENERAL: f64 = 43.0;

const AGENTS: [&str; 7] = [
    "random",
    "greedy",
    "flat-ucb",
    "flat-ucb:eval=crude",
    "flat-ucb:eval=nn-outcome",
    "flat-ucb:eval=nn-utility",
    "belief",
];

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let [best, ..] = PEOPLE.map(|(_, won, games)| of_games(won, games));
    let (mut against_best, mut against_all) = (Vec::new(), Vec::new());
    for agent in AGENTS {
        let games = if agent == "belief" { run.pick(40, 1_000) } else { run.pick(200, 2_000) };
        let won = run.gem_games(1, GemRules::Fixed, agent, games)?.won();
        let weaker = "it is meant to be weaker than people";
        let row = ComparisonRow::percent(agent, best, won, Better::Higher)
            .explain_difference("the best human is stronger");
        against_best.push(match agent {
            "belief" => row.headline("Gem Island, compared with the best human"),
            _ => row,
        });
        let general = Estimate::exact(IN_GENERAL);
        against_all.push(
            ComparisonRow::percent(agent, general, won, Better::Higher).explain_difference(weaker),
        );
    }
    let tables = vec![
        ComparisonTable::new(
            "Games won, compared with the best human (Astrophysicist, 118 games)",
            against_best,
        ),
        ComparisonTable::new("Games won, compared with people in general (43 %)", against_all),
        ComparisonTable::new("The thesis's average", averages(run)?),
    ];
    let names = PEOPLE.map(|(name, won, games)| format!("{name} {won} % of {games}")).join(", ");
    Ok(Findings::of_all(tables).note(format!("Published: {names}."))
        .note("Level 1 by the rules of the published page: dead boards are shuffled, rows of six and more make a star."))
}

fn of_games(percent: f64, games: u64) -> Estimate {
    Estimate::percent(percent / 100.0 * games as f64, games)
}

/// Compares the published average with the published table, and with the logs if there are any.
fn averages(run: &ReproductionRun<'_>) -> Result<Vec<ComparisonRow>, ReproduceError> {
    let mut rows = vec![together()];
    if let Some(logs) = run.logs {
        let logs = GemLogs::read(logs)?;
        let level_1 = logs.games.iter().filter(|log| log.header.level() == Some(1));
        let won: Vec<bool> = level_1.map(|log| log.won()).collect();
        let wins = won.iter().filter(|won| **won).count();
        let ours = Estimate::percent(wins as f64, won.len() as u64);
        let general = Estimate::exact(IN_GENERAL);
        let row = ComparisonRow::percent("people in the logs", general, ours, Better::Neither)
            .explain_difference("the thesis counts more games than its repository has")
            .with_note(&format!("{} finished games of level 1", won.len()));
        rows.push(row);
    }
    Ok(rows)
}

/// Compares the published average with the published table.
fn together() -> ComparisonRow {
    let won: f64 = PEOPLE.iter().map(|(_, won, games)| won / 100.0 * *games as f64).sum();
    let games = PEOPLE.iter().map(|(.., games)| games).sum();
    let all = Estimate::percent(won, games);
    let said = Estimate::exact(IN_GENERAL);
    ComparisonRow::sampled(
        "people of Table 6.4 together",
        (said, ReportedValue::percent(said)),
        (all, ReportedValue::percent(all)),
        Better::Neither,
    )
    .as_input("the published table, averaged again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_average_fits_the_published_table() {
        assert_eq!(together().verdict, crate::ComparisonVerdict::Input);
        assert!(together().why.ends_with("within the error of both"));
        assert!(together().ours.text.starts_with("44.8 %"), "{}", together().ours.text);
    }
}
