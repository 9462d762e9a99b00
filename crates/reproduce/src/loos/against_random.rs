//! Table 5-1: a forest for tic-tac-toe against random moves at each depth, and its training time.

use std::rc::Rc;

use tesuji_learn::evolution::ForestLearnerSettings;
use tesuji_play::WinDrawLoss;

use super::games::{
    MatchSeries, as_first_and_second, from_file, settings, shipped_weights, tic_tac_toe,
};
use super::training::EvolutionRun;
use crate::comparison::Estimate;
use crate::report::{ComparisonRow, ComparisonTable, Findings};
use crate::run::{ReproduceError, ReproductionRun};

/// Wins, draws and losses in 100 games each as first and as second, for depths 0 to 5.
const PUBLISHED: [[[u64; 3]; 2]; 6] = [
    [[97, 0, 3], [72, 0, 28]],
    [[95, 5, 0], [81, 17, 2]],
    [[100, 0, 0], [78, 15, 7]],
    [[99, 0, 1], [76, 13, 11]],
    [[99, 1, 0], [90, 10, 0]],
    [[100, 0, 0], [95, 5, 0]],
];

/// 102 iterations took 6 hours and 30 minutes.
const ITERATIONS: u64 = 102;
const SECONDS: f64 = 6.5 * 3600.0;

const DEPTHS: usize = PUBLISHED.len();

/// Evolves the forest of the thesis with the shipped settings.
pub(super) fn evolved(run: &ReproductionRun<'_>) -> Result<Rc<EvolutionRun>, ReproduceError> {
    let mut settings = as_published()?;
    settings.stop.iterations = Some(run.pick(40, ITERATIONS));
    run.evolve(&settings)
}

fn as_published() -> Result<ForestLearnerSettings, ReproduceError> {
    settings(include_str!("../../../../examples/training/tictactoe.toml"))
}

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let evolved = evolved(run)?;
    let mut series = MatchSeries::new(2 * DEPTHS + 1, run.pick(200, 2000));
    let mut played = |player: String, what: &str| {
        let result = series.play(run, &tic_tac_toe()?, [&player, "random"], what)?;
        Ok::<_, ReproduceError>(as_first_and_second(&result))
    };
    let mut votes = Vec::new();
    for depth in 0..=DEPTHS as u32 {
        votes.push(played(from_file(&evolved.best(), depth), &format!("votes, depth {depth}"))?);
    }
    let mut weights = Vec::new();
    for depth in 0..DEPTHS as u32 {
        let player = shipped_weights(depth);
        weights.push(played(player, &format!("weights, depth {depth}"))?);
    }
    let tables = vec![
        ComparisonTable::new("A forest evolved here, against random moves", rows(&votes, 0)),
        ComparisonTable::new(
            "The same, one ply deeper than the published row",
            rows(&votes[1..], 1),
        ),
        ComparisonTable::new(
            "Weights learned instead of votes (tictactoe-weights)",
            rows(&weights, 0),
        ),
        ComparisonTable::new("Training", vec![training(&evolved)]),
    ];
    Ok(Findings::of_all(tables)
        .note("Wins-draws-losses, then points in percent with a draw as half a point.")
        .note(
            "Depth counts plies here, the own move included. The published rows look like ours one ply deeper, so the \
             thesis may not count the own move; the second table compares them so.",
        )
        .note(
            "Votes come from finished games only, so trees know no threats: below depth 2 the \
             opponent's reply is not seen.",
        ))
}

fn rows(ours: &[[WinDrawLoss; 2]], deeper: u32) -> Vec<ComparisonRow> {
    let both_sides = PUBLISHED.iter().zip(ours).enumerate().flat_map(|(depth, (theirs, ours))| {
        ["as first", "as second"].into_iter().zip(theirs.iter().zip(ours)).map(
            move |(side, (&[wins, draws, losses], ours))| {
                let published = WinDrawLoss { wins, draws, losses };
                let at = match deeper {
                    0 => format!("depth {depth}, {side}"),
                    more => format!("depth {depth} (ours {}), {side}", depth as u32 + more),
                };
                ComparisonRow::tally(at, &published, ours).explain_difference(reason(deeper))
            },
        )
    });
    both_sides.collect()
}

fn reason(deeper: u32) -> &'static str {
    match deeper {
        0 => "its depth may not count the own move",
        _ => "another forest, and the thesis does not define depth",
    }
}

fn training(evolved: &EvolutionRun) -> ComparisonRow {
    let iterations = evolved.metrics.len() as u64;
    let seconds = evolved.seconds.iter().sum::<f64>();
    let scaled = seconds * ITERATIONS as f64 / iterations.max(1) as f64;
    let row = ComparisonRow::time(
        format!("{ITERATIONS} iterations, 25 trees of 4 cells, population 20"),
        SECONDS,
        Estimate::exact(scaled),
    );
    let row =
        row.with_note(&format!("published on 100 threads, ours on {}", evolved.settings.threads));
    let row = match iterations < ITERATIONS {
        true => row.with_note(&format!("from {iterations} iterations")),
        false => row,
    };
    row.headline("tic-tac-toe: time to evolve the forest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_those_of_the_thesis() {
        let settings = as_published().unwrap();
        assert_eq!((settings.forest.trees, settings.forest.attributes), (25, 4));
        assert_eq!(settings.evolution.population, 20);
        assert_eq!(settings.stop.iterations, Some(ITERATIONS));
    }

    #[test]
    fn every_published_row_is_of_a_hundred_games() {
        assert!(PUBLISHED.as_flattened().iter().all(|tally| tally.iter().sum::<u64>() == 100));
    }

    #[test]
    fn a_table_has_two_rows_a_depth() {
        let ours = vec![[WinDrawLoss { wins: 100, draws: 0, losses: 0 }; 2]; DEPTHS];
        let rows = rows(&ours, 1);
        assert_eq!(rows.len(), 12);
        assert_eq!(rows[3].what, "depth 1 (ours 2), as second");
    }
}
