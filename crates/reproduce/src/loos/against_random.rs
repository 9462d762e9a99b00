//! Table 5-1: a forest for tic-tac-toe against random moves at each depth, and its training time.

use std::rc::Rc;

use tesuji_learn::evolution::ForestLearnerSettings;
use tesuji_play::WinDrawLoss;

use super::games::{
    MatchSeries, as_first_and_second, from_file, settings, shipped, shipped_weights, tic_tac_toe,
};
use super::training::EvolutionRun;
use crate::comparison::Estimate;
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
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
    let of_perfect = PERFECT_DEPTHS.len();
    let mut series = MatchSeries::new(2 * DEPTHS + 1 + of_perfect, run.pick(200, 2000));
    let mut played = |player: String, other: &str, what: &str| {
        let result = series.play(run, &tic_tac_toe()?, [&player, other], what)?;
        Ok::<_, ReproduceError>(as_first_and_second(&result))
    };
    let mut votes = Vec::new();
    for depth in 0..=DEPTHS as u32 {
        let player = from_file(&evolved.best(), depth);
        votes.push(played(player, "random", &format!("votes, depth {depth}"))?);
    }
    let mut weights = Vec::new();
    for depth in 0..DEPTHS as u32 {
        let player = shipped_weights(depth);
        weights.push(played(player, "random", &format!("weights, depth {depth}"))?);
    }
    let mut perfect = Vec::new();
    for depth in PERFECT_DEPTHS {
        let player = shipped(SHIPPED, depth);
        let [first, second] =
            played(player, PERFECT_PLAY, &format!("perfect play, depth {depth}"))?;
        perfect.push(against_perfect_play(depth, &[first, second].into_iter().sum()));
    }
    let depth = evolved.settings.search.depth;
    let other_depth = "the same games, read one ply deeper than printed";
    let other_learner = "another learner: weights, not votes";
    let tables = vec![
        ComparisonTable::new(
            format!("A forest evolved here (training at depth {depth}), against random moves"),
            rows(&votes, 0),
        ),
        ComparisonTable::new(
            "The same, one ply deeper than the published row",
            not_comparable(rows(&votes[1..], 1), other_depth),
        ),
        ComparisonTable::new(
            "Weights learned instead of votes (tictactoe-weights)",
            not_comparable(rows(&weights, 0), other_learner),
        ),
        ComparisonTable::new(
            format!("The shipped forest ({SHIPPED}) against perfect play"),
            perfect,
        ),
        ComparisonTable::new("Training", training(run, &evolved)?),
    ];
    Ok(Findings::of_all(tables)
        .note("Wins-draws-losses, then points in percent with a draw as half a point.")
        .note(
            "Depth counts plies here, the own move included; the thesis does not define it. Only \
             the reading as printed is counted; the second table shows the other one, which fits \
             better.",
        )
        .note(format!(
            "The depth in training is not published; that of the forest evolved here is {depth}. \
             Votes come from finished games only, so trees know no threats: below depth 2 the \
             opponent's reply is not seen.",
        ))
        .note(
            "Perfect play chooses at random among all moves that keep the value of the game. The \
             thesis's forest was tested against people.",
        ))
}

fn not_comparable(rows: Vec<ComparisonRow>, reason: &str) -> Vec<ComparisonRow> {
    rows.into_iter().map(|row| row.not_comparable(reason)).collect()
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
                ComparisonRow::tally(at, &published, ours)
                    .explain_difference("the thesis's depth may not count the own move")
            },
        )
    });
    both_sides.collect()
}

/// The shipped forest, by name: which file it is may change.
const SHIPPED: &str = "tictactoe";
const PERFECT_PLAY: &str = "engine:depth=9,ties=random";
/// Without search, and at the depths that the thesis comments on.
const PERFECT_DEPTHS: [u32; 5] = [0, 1, 2, 3, 6];

/// The thesis: without search the forest was able to play draws; at depth 6 it was near perfect.
fn against_perfect_play(depth: u32, tally: &WinDrawLoss) -> ComparisonRow {
    let (what, ours) = (format!("depth {depth}"), ReportedValue::tally(tally));
    let lost = Estimate::percent(tally.losses as f64, tally.games());
    match depth {
        0 => ComparisonRow::claim(what, "able to play draws", ours, tally.losses == 0)
            .with_note("counted as true if no game is lost"),
        6 => ComparisonRow::claim(what, "near perfect", ours, lost.low <= NEARLY)
            .with_note(&format!("counted as true unless more than {NEARLY} % are lost")),
        _ => ComparisonRow::unpublished(what, ours, "nothing is published for perfect play"),
    }
}

/// The share of games that a nearly perfect player may lose, in percent.
const NEARLY: f64 = 5.0;

fn training(
    run: &ReproductionRun<'_>,
    evolved: &EvolutionRun,
) -> Result<Vec<ComparisonRow>, ReproduceError> {
    let mut deepest = evolved.settings.clone();
    deepest.search.depth = *PERFECT_DEPTHS.last().unwrap_or(&0);
    deepest.stop.iterations = Some(run.pick(1, 3));
    // The run adds its seed again.
    deepest.seed = as_published()?.seed;
    let deepest = run.evolve(&deepest)?;
    let row = training_time(evolved).headline("tic-tac-toe: time to evolve the forest");
    Ok(vec![row, training_time(&deepest)])
}

/// Extrapolates the time of a training from its iterations.
fn training_time(evolved: &EvolutionRun) -> ComparisonRow {
    let (iterations, depth) = (evolved.metrics.len() as u64, evolved.settings.search.depth);
    let seconds = evolved.seconds.iter().sum::<f64>();
    let scaled = seconds * ITERATIONS as f64 / iterations.max(1) as f64;
    let row = ComparisonRow::time(
        format!("{ITERATIONS} iterations, ours at depth {depth}"),
        SECONDS,
        Estimate::exact(scaled),
    );
    let row = row.with_note(&format!(
        "25 trees of 4 cells, population 20; the depth in training is not published; published on \
         100 threads, ours on {}",
        evolved.settings.threads
    ));
    match iterations < ITERATIONS {
        true => row.with_note(&format!("from {iterations} iterations")),
        false => row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;

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

    #[test]
    fn a_forest_that_loses_a_game_without_search_does_not_draw() {
        let verdict = |depth, draws, losses| {
            against_perfect_play(depth, &WinDrawLoss { wins: 0, draws, losses }).verdict
        };
        assert_eq!(verdict(0, 60, 0), ComparisonVerdict::Agrees);
        assert_eq!(verdict(0, 59, 1), ComparisonVerdict::Differs);
        assert_eq!(verdict(6, 59, 1), ComparisonVerdict::Agrees);
        assert_eq!(verdict(6, 30, 30), ComparisonVerdict::Differs);
        assert_eq!(verdict(2, 60, 0), ComparisonVerdict::NotComparable);
    }
}
