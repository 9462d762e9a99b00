//! Chapter 5.4: a move at depth 5 on 10×10 took 15 minutes on 4 threads. Chapter 2.1: alpha-beta
//! reduces the branching factor by a quarter.

use tesuji_learn::forest::{CandidateOrder, SearchStyle};

use super::measure::{FORESTS, MoveTimes, forests, move_times};
use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue, duration};
use crate::run::{ReproduceError, ReproductionRun};

const DEPTH: u32 = 5;
/// 15 minutes on each of 4 threads.
const PUBLISHED_SECONDS: f64 = 4.0 * 15.0 * 60.0;
const PUBLISHED_CUT: f64 = 25.0;

const STYLES: [(SearchStyle, &str); 2] =
    [(SearchStyle::Thesis, "thesis"), (SearchStyle::Strong, "strong")];

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let of_each = run.pick(2, 10);
    let steps = (FORESTS.len() * STYLES.len()) as u64;
    let (mut times, mut cuts) = (Vec::new(), Vec::new());
    for (n, forest) in forests(run.seed).iter().enumerate() {
        for (m, (style, name)) in STYLES.into_iter().enumerate() {
            let trees = forest.trees.len();
            run.report_progress(
                (n * STYLES.len() + m) as u64,
                steps,
                &format!("{trees} trees, {name}"),
            );
            let found = move_times(forest, style, CandidateOrder::Patterns, DEPTH, of_each);
            times.push(time(format!("{trees} trees, style={name}"), &found));
            if style == SearchStyle::Thesis {
                cuts.push(cut(format!("{trees} trees, style={name}"), &found));
            }
        }
    }
    times[0] = times[0].clone().headline("Gomoku 10×10: thread time for a move at depth 5");
    let positions = 4 * of_each;
    let tables = vec![
        ComparisonTable::new(
            format!("Thread time for a move at depth {DEPTH}, {positions} positions"),
            times,
        ),
        ComparisonTable::new(
            "Reduction of the branching factor by alpha-beta with sorted moves",
            cuts,
        ),
    ];
    Ok(Findings::of_all(tables)
        .note(
            "Positions have 4, 8, 12 or 16 stones. The thesis gives neither the trees nor the \
             positions of its 15 minutes, nor whether a depth counts the own move (ours does); \
             its processor ran at 2.27 GHz.",
        )
        .note(
            "The branching factor with cuts is the fifth root of the number of positions \
             visited; without cuts it is the number of candidate moves, those at most two cells \
             from a stone.",
        ))
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
