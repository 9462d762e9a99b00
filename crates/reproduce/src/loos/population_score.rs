//! Figure 5-2: the average score of the population in each iteration, while forests for tic-tac-toe
//! evolve.

use tesuji_learn::evolution::EvolutionMetrics;

use super::against_random::evolved;
use crate::comparison::Estimate;
use crate::picture::{Series, plot};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// Number of iterations in which the published curve grows.
const EARLY: usize = 10;

/// Runs the experiment, on the training of Table 5-1.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let evolved = evolved(run)?;
    let metrics = &evolved.metrics;
    if metrics.len() <= 2 * EARLY {
        return Err(ReproduceError::Other("the run has too few iterations".to_string()));
    }
    let rows = vec![growth(metrics), stability(metrics), draws(metrics)];
    Ok(Findings::of(ComparisonTable::new("Average population score in tic-tac-toe", rows))
        .note(
            "The thesis describes the figure's points without printing them. Points: 2 for a win, \
             1 for a draw, -3 for a loss, summed over the games of an iteration and averaged over \
             the whole population.",
        )
        .note(format!(
            "{} iterations of the run that loos-5-1 evolves. Score and share of draws are drawn.",
            metrics.len()
        ))
        .with_svg(picture(metrics)))
}

/// Checks that most of the growth is early.
fn growth(metrics: &[EvolutionMetrics]) -> ComparisonRow {
    let first = metrics[0].average;
    let [early, last] = [&metrics[EARLY / 2..EARLY], tail(metrics)].map(|part| mean(part).value);
    let text = format!(
        "{first:.1} in the first iteration, {early:.1} in iterations {} to {EARLY}, {last:.1} in the last third",
        EARLY / 2 + 1
    );
    let holds = early > first && early - first >= (last - first) / 2.0;
    let said = "rapid growth within 10 iterations";
    ComparisonRow::claim("the score grows early", said, ReportedValue::words(text), holds)
        .with_note("counted as true if half of the total growth is reached by then")
}

/// Checks that the middle and the last third are similar, compared with the total growth.
fn stability(metrics: &[EvolutionMetrics]) -> ComparisonRow {
    let third = metrics.len() / 3;
    let [middle, last] = [&metrics[third..2 * third], tail(metrics)].map(mean);
    let rise = (last.value - metrics[0].average).abs();
    let text = format!(
        "{} in the middle third, {} in the last",
        ReportedValue::number(middle, 1, "").text,
        ReportedValue::number(last, 1, "").text
    );
    let holds = (last.value - middle.value).abs() <= rise / 5.0;
    ComparisonRow::claim("then it stays", "stabilizes later", ReportedValue::of(last, text), holds)
        .with_note("counted as true if they differ by at most a fifth of the total growth")
}

fn draws(metrics: &[EvolutionMetrics]) -> ComparisonRow {
    let share = |part: &[EvolutionMetrics]| {
        let [drawn, games] = [|m: &EvolutionMetrics| m.drawn, |m: &EvolutionMetrics| m.games]
            .map(|count| part.iter().map(count).sum::<u64>());
        Estimate::percent(drawn as f64, games)
    };
    let (first, last) = (share(&metrics[..1]), share(tail(metrics)));
    let text = format!(
        "{} drawn in the last third, {:.1} % in the first iteration",
        ReportedValue::percent(last).text,
        first.value
    );
    ComparisonRow::claim(
        "because of draws",
        "most games end in a draw",
        ReportedValue::of(last, text),
        last.low > 50.0,
    )
}

/// Returns the last third.
fn tail(metrics: &[EvolutionMetrics]) -> &[EvolutionMetrics] {
    &metrics[metrics.len() - metrics.len() / 3..]
}

fn mean(metrics: &[EvolutionMetrics]) -> Estimate {
    Estimate::mean(&metrics.iter().map(|m| m.average).collect::<Vec<_>>())
}

fn picture(metrics: &[EvolutionMetrics]) -> String {
    let curve = |number: fn(&EvolutionMetrics) -> f64| {
        (1..).zip(metrics).map(|(step, m)| (f64::from(step), number(m))).collect::<Vec<_>>()
    };
    let curves = [
        Series::new("average score", curve(|m| m.average)),
        Series::new(
            "games drawn, in percent",
            curve(|m| 100.0 * m.drawn as f64 / m.games.max(1) as f64),
        ),
    ];
    plot("Figure 5-2: average population score", "iteration", "points", &curves)
}
