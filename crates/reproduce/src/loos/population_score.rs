//! Figure 5-2: the average score of the population, iteration by iteration, while forests for tic-tac-toe evolve.

use tesuji_learn::evolution::{EvolutionMetrics};

use super::against_random::evolved;
use crate::comparison::Estimate;
use crate::picture::{Curve, plot};
use crate::report::{Figure, Findings, Row, Table};
use crate::run::{ReproduceError, Run};

/// Within so many iterations the published curve has grown.
const EARLY: usize = 10;

/// Looks at the run of Table 5-1.
pub(super) fn run(run: &Run<'_>) -> Result<Findings, ReproduceError> {
    let evolved = evolved(run)?;
    let metrics = &evolved.metrics;
    if metrics.len() <= 2 * EARLY {
        return Err(ReproduceError::Other("the run has too few iterations".to_string()));
    }
    let rows = vec![growth(metrics), stability(metrics), draws(metrics)];
    Ok(Findings::of(Table::new("Average population score in tic-tac-toe", rows))
        .note(
            "The figure's points are not printed in the thesis, only what is to be seen in them. Points: a win 2, a draw 1, \
             a loss -3, summed over the games of an iteration and averaged over the whole population.",
        )
        .note(format!(
            "{} iterations of the run that loos-5-1 evolves. Score and share of draws are drawn.",
            metrics.len()
        ))
        .drawn(picture(metrics)))
}

/// Most of the rise comes early.
fn growth(metrics: &[EvolutionMetrics]) -> Row {
    let first = metrics[0].average;
    let [early, last] = [&metrics[EARLY / 2..EARLY], tail(metrics)].map(|part| mean(part).value);
    let text = format!(
        "{first:.1} in the first iteration, {early:.1} in iterations {} to {EARLY}, {last:.1} in the last third",
        EARLY / 2 + 1
    );
    let holds = early > first && early - first >= (last - first) / 2.0;
    let said = "rapid growth within 10 iterations";
    Row::claim("the score grows early", said, Figure::words(text), holds)
        .noting("held to be so if half of the whole rise comes by then")
}

/// The middle and the last third are alike, compared with the whole rise.
fn stability(metrics: &[EvolutionMetrics]) -> Row {
    let third = metrics.len() / 3;
    let [middle, last] = [&metrics[third..2 * third], tail(metrics)].map(mean);
    let rise = (last.value - metrics[0].average).abs();
    let text = format!(
        "{} in the middle third, {} in the last",
        Figure::number(middle, 1, "").text,
        Figure::number(last, 1, "").text
    );
    let holds = (last.value - middle.value).abs() <= rise / 5.0;
    Row::claim("then it stays", "stabilises later", Figure::of(last, text), holds)
        .noting("held to be so if they differ by at most a fifth of the whole rise")
}

fn draws(metrics: &[EvolutionMetrics]) -> Row {
    let share = |part: &[EvolutionMetrics]| {
        let [drawn, games] = [|m: &EvolutionMetrics| m.drawn, |m: &EvolutionMetrics| m.games]
            .map(|count| part.iter().map(count).sum::<u64>());
        Estimate::percent(drawn as f64, games)
    };
    let (first, last) = (share(&metrics[..1]), share(tail(metrics)));
    let text = format!(
        "{} drawn in the last third, {:.1} % in the first iteration",
        Figure::percent(last).text,
        first.value
    );
    Row::claim(
        "because of draws",
        "most games end in a draw",
        Figure::of(last, text),
        last.low > 50.0,
    )
}

/// The last third.
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
        Curve::new("average score", curve(|m| m.average)),
        Curve::new(
            "games drawn, in percent",
            curve(|m| 100.0 * m.drawn as f64 / m.games.max(1) as f64),
        ),
    ];
    plot("Figure 5-2: average population score", "iteration", "points", &curves)
}
