//! Chapter 4: how much faster a lookup table is than walking a tree, and whether the answers are
//! equal.

use tesuji_learn::forest::{CellContent, Forest, IGNORED, PatternTree};
use tesuji_play::quantity::grouped;

use super::measure::{EvaluationRates, evaluation_rates, forests};
use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// The thesis's number, "on average" and rounded.
const PUBLISHED_SPEED_UP: Estimate = Estimate { value: 5.0, low: 4.5, high: 5.5 };

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let forests = forests(run.seed);
    let steps = forests.len() as u64 + 1;
    let mut tables = Vec::new();
    for (done, forest) in forests.iter().enumerate() {
        run.report_progress(done as u64, steps, "evaluators");
        tables.push(speeds(&evaluation_rates(forest)));
    }
    run.report_progress(steps - 1, steps, "all contents of all patterns");
    tables.push(ComparisonTable::new("Answers", forests.iter().map(answers).collect()));
    Ok(Findings::of_all(tables).note(
        "Five in a row on 10×10, patterns of 8 cells in windows of side 7. Each factor is the \
         mean over rounds in which the methods take turns, in thread time. The thesis finds \
         tables by hash; here a pattern's content is the index in the table. Placing a stone and \
         taking it back changes only the placements that touch it; a peek changes nothing.",
    ))
}

fn speeds(measured: &EvaluationRates) -> ComparisonTable {
    let ways = [("cached table", 1), ("one stone put and taken back", 2), ("peek at one stone", 3)];
    let rows = ways.map(|(what, way)| {
        let is_published = way == 1;
        let factors: Vec<f64> = measured.rounds.iter().map(|round| round[way] / round[0]).collect();
        let ours = Estimate::mean(&factors);
        let published = PUBLISHED_SPEED_UP;
        let published = (published, ReportedValue::of(published, "about 5 ×"));
        let row = ComparisonRow::sampled(
            what,
            published,
            (ours, ReportedValue::number(ours, 1, " ×")),
            Better::Higher,
        );
        match is_published {
            true => row,
            false => row.not_comparable("another method: only placements at this stone change"),
        }
    });
    let walks = grouped(measured.tree_walk as u128);
    let title = format!(
        "{} trees: how many times as fast as walking the trees ({walks} evaluations a second)",
        measured.trees
    );
    ComparisonTable::new(title, rows.to_vec())
}

/// Checks that table and tree agree on every content.
fn answers(forest: &Forest) -> ComparisonRow {
    let (same, all) = forest.trees.iter().fold((0, 0), |(same, all), wood| {
        let contents = wood.table.len();
        (same + (0..contents).filter(|&content| agrees(wood, content)).count(), all + contents)
    });
    let text = format!(
        "{} of {} contents, {} trees",
        grouped(same as u128),
        grouped(all as u128),
        forest.trees.len()
    );
    ComparisonRow::claim(
        format!("{} trees: tables and trees agree", forest.trees.len()),
        "for every content",
        ReportedValue::words(text),
        same == all,
    )
}

/// Content 0 is the empty pattern, which no search evaluates: it does not vote.
fn agrees(wood: &PatternTree, content: usize) -> bool {
    let field = |cell: usize| CellContent::ALL[content / 3usize.pow(cell as u32) % 3];
    let answer = match content {
        0 => IGNORED,
        _ => wood.decisions.vote(field).entry(),
    };
    wood.table[content] == answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loos::measure::{forest, samples};
    use std::sync::Arc;

    #[test]
    fn a_table_that_is_not_its_trees_is_noticed() {
        let mut forest = forest(&samples(60, 1, [true, true]), 3, 2);
        assert!(answers(&forest).ours.text.starts_with("19,683 of 19,683"));
        let mut wood = (*forest.trees[1]).clone();
        wood.table[5] = (wood.table[5] + 1) % 3;
        forest.trees[1] = Arc::new(wood);
        assert!(answers(&forest).ours.text.starts_with("19,682 of 19,683"));
    }
}
