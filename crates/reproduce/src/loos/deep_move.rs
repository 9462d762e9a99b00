//! Chapter 5.4: a move at depth 5 on 10×10 took 15 minutes on 4 threads. Chapter 2.1: alpha-beta
//! reduces the branching factor by a quarter. Both with the shipped forest.

use tesuji_games::RowPosition;
use tesuji_learn::ShippedModel;
use tesuji_learn::forest::{CandidateOrder, ForestEvaluation, SearchStyle};

use super::measure::{MoveTimes, move_times, start};
use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue, duration};
use crate::run::{ReproduceError, ReproductionRun};

/// The shipped forest for five in a row on 10×10.
pub(super) const FOREST: &str = "gomoku-10x10";
const DEPTH: u32 = 5;
/// 15 minutes on each of 4 threads.
const PUBLISHED_SECONDS: f64 = 4.0 * 15.0 * 60.0;
const PUBLISHED_CUT: f64 = 25.0;

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let evaluation = shipped()?;
    let trees = evaluation.trees().len();
    let measured = |step: u64, style, depth, of_each| {
        run.report_progress(step, 3, &format!("moves at depth {depth}"));
        move_times(evaluation.clone(), style, CandidateOrder::Patterns, depth, of_each)
    };
    let thesis = measured(0, SearchStyle::Thesis, DEPTH, run.pick(2, 10));
    let strong = measured(1, SearchStyle::Strong, DEPTH, run.pick(2, 10));
    let deeper = measured(2, SearchStyle::Thesis, DEPTH + 1, run.pick(1, 5));
    let times = vec![
        time(format!("depth {DEPTH}, style=thesis"), &thesis).headline(&format!(
            "Gomoku 10×10: thread time for a move at depth {DEPTH}, {trees} trees"
        )),
        time(format!("depth {}, style=thesis", DEPTH + 1), &deeper)
            .not_comparable("one ply deeper, in case the thesis does not count the own move"),
        time(format!("depth {DEPTH}, style=strong"), &strong)
            .not_comparable("another search: with a transposition table and null windows"),
    ];
    let tables = vec![
        ComparisonTable::new("Thread time for a move of the shipped forest", times),
        ComparisonTable::new(
            "Reduction of the branching factor by alpha-beta with sorted moves",
            vec![cut(format!("depth {DEPTH}, style=thesis"), &thesis)],
        ),
    ];
    Ok(Findings::of_all(tables)
        .note(format!(
            "The forest is `{FOREST}`, the shipped one, with {} trees; those of the thesis's tests \
             have 25 to 100 trees of 8 cells. Positions have 4, 8, 12 or 16 stones: {} \
             at depth {DEPTH}, {} one ply deeper. The thesis gives neither the trees nor the \
             positions of its 15 minutes, nor whether a depth counts the own move (ours does); \
             its processor ran at 2.27 GHz.",
            trees, thesis.positions, deeper.positions
        ))
        .note(
            "The branching factor with cuts is the fifth root of the number of positions \
             visited; without cuts it is the number of candidate moves, those at most two cells \
             from a stone.",
        ))
}

/// Reads the shipped forest.
fn shipped() -> Result<ForestEvaluation, ReproduceError> {
    let other = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
    let shipped =
        ShippedModel::named(FOREST).ok_or_else(|| other(&format!("no model {FOREST}")))?;
    let model = shipped.model().map_err(|error| other(&error))?;
    model.evaluation(&start().grid()).map_err(|error| other(&error))
}

fn time(what: String, found: &MoveTimes) -> ComparisonRow {
    let seconds: Vec<f64> = found.each.iter().map(|one| one.seconds).collect();
    let mean = Estimate::mean(&seconds);
    let text = format!("{} ± {}", duration(mean.value), duration(mean.high - mean.value));
    let row = ComparisonRow::time(what, PUBLISHED_SECONDS, mean);
    ComparisonRow { ours: ReportedValue::of(mean, text), ..row }
}

fn cut(what: String, found: &MoveTimes) -> ComparisonRow {
    let left = |nodes: u64| (nodes as f64).powf(1.0 / f64::from(DEPTH));
    let cuts = found.each.iter().map(|one| 100.0 * (1.0 - left(one.nodes) / one.choices as f64));
    let ours = Estimate::mean(&cuts.collect::<Vec<f64>>());
    ComparisonRow::percent(what, Estimate::exact(PUBLISHED_CUT), ours, Better::Higher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;
    use crate::loos::measure::MoveTime;

    #[test]
    fn cuts_and_times_of_moves() {
        let one = |seconds| MoveTime { seconds, nodes: 100_000, choices: 40 };
        let each = vec![one(0.1), one(0.3)];
        let found = MoveTimes {
            depth: DEPTH,
            positions: 2,
            mean_seconds: 0.2,
            longest_seconds: 0.3,
            mean_nodes: 1e5,
            each,
        };
        let cut = cut("cut".to_string(), &found);
        assert!((cut.ours.value.unwrap() - 75.0).abs() < 1e-9);
        let time = time("time".to_string(), &found);
        assert_eq!((time.verdict, &*time.why), (ComparisonVerdict::Better, "18,000 times less"));
        assert!(time.ours.text.starts_with("200 ms ± "), "{}", time.ours.text);
    }
}
