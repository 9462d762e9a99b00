//! Chapter 4: how much faster a tree's answers are looked up in a table than found by walking the tree, and whether they
//! are the same.

use tesuji_learn::forest::{CellContent, Forest, IGNORED, PatternTree};
use tesuji_play::quantity::grouped;

use super::measure::{Evaluators, evaluators, forests};
use crate::comparison::{Better, Estimate};
use crate::report::{Figure, Findings, Row, Table};
use crate::run::{ReproduceError, Run};

/// What the thesis gives, "on average".
const PUBLISHED_SPEED_UP: f64 = 5.0;

/// Measures all ways to ask a forest.
pub(super) fn run(run: &Run<'_>) -> Result<Findings, ReproduceError> {
    let forests = forests(run.seed);
    let steps = forests.len() as u64 + 1;
    let mut tables = Vec::new();
    for (done, forest) in forests.iter().enumerate() {
        run.show(done as u64, steps, "evaluators");
        tables.push(speeds(&evaluators(forest)));
    }
    run.show(steps - 1, steps, "all contents of all patterns");
    tables.push(Table::new("The answers", forests.iter().map(answers).collect()));
    Ok(Findings::of_all(tables).note(
        "Five in a row on 10×10, patterns of 8 cells in windows of side 7. Each factor is the mean over rounds in which the ways \
         take turns, in time that the thread has run. The thesis looks tables up by hash; here a pattern's content is the place in \
         the table. Stones that are put and taken back change the few places that they touch, and a peek changes nothing at all.",
    ))
}

fn speeds(measured: &Evaluators) -> Table {
    let ways = [("cached table", 1), ("one stone put and taken back", 2), ("peek at one stone", 3)];
    let rows = ways.map(|(what, way)| {
        let factors: Vec<f64> = measured.rounds.iter().map(|round| round[way] / round[0]).collect();
        let ours = Estimate::mean(&factors);
        let published = Estimate::exact(PUBLISHED_SPEED_UP);
        let published = (published, Figure::of(published, "about 5 ×"));
        Row::sampled(what, published, (ours, Figure::number(ours, 1, " ×")), Better::Higher)
    });
    let walks = grouped(measured.tree_walk as u128);
    let title = format!(
        "{} trees: how many times as fast as walking the trees ({walks} evaluations a second)",
        measured.trees
    );
    Table::new(title, rows.to_vec())
}

/// Whether the tables say what the trees say, on every content.
fn answers(forest: &Forest) -> Row {
    let (same, all) = forest.trees.iter().fold((0, 0), |(same, all), wood| {
        let contents = wood.table.len();
        (same + (0..contents).filter(|&content| agrees(wood, content)).count(), all + contents)
    });
    let told = format!(
        "{} of {} contents, {} trees",
        grouped(same as u128),
        grouped(all as u128),
        forest.trees.len()
    );
    Row::claim(
        format!("{} trees: the table says what the tree says", forest.trees.len()),
        "for every content",
        Figure::words(told),
        same == all,
    )
}

/// Content 0 is the empty pattern, which no search asks the tree about: it does not vote.
fn agrees(wood: &PatternTree, content: usize) -> bool {
    let field = |cell: usize| CellContent::ALL[content / 3usize.pow(cell as u32) % 3];
    let answer = match content {
        0 => IGNORED,
        _ => wood.decisions.classify(field) as u8,
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
