//! Table 5-3: a forest for Connect Four on 7×7 at depth 6. The thesis played it against people;
//! here players of known strength are stand-ins for them.

use tesuji_play::{MatchResult, WinDrawLoss};

use super::games::{MatchSeries, connect_four, from_file, settings, shipped_weights};
use super::training::EvolutionRun;
use crate::comparison::{Better, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings};
use crate::run::{ReproduceError, ReproductionRun};

/// 20 games against people.
const PUBLISHED: WinDrawLoss = WinDrawLoss { wins: 12, draws: 0, losses: 8 };
const DEPTH: u32 = 6;

/// 107 iterations took 4 days.
const ITERATIONS: u64 = 107;
const SECONDS: f64 = 4.0 * 86_400.0;

/// Stand-ins for people, from weak to strong. See `docs/levels.md` for the levels.
const STAND_INS: [(&str, &str); 5] = [
    ("random moves", "random"),
    ("a beginner (level 1 of 10)", "solver:level=1"),
    ("a player who sees a move and the reply (level 3)", "solver:level=3"),
    ("a practised player (level 5)", "solver:level=5"),
    ("a strong player (level 7)", "solver:level=7"),
];

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let evolved = evolved(run)?;
    let mut series = MatchSeries::new(2 * STAND_INS.len(), run.pick(40, 400));
    let mut against_all = |player: &str| {
        let played = STAND_INS.iter().map(|(name, spec)| {
            series.play(run, &connect_four()?, [player, spec], &format!("against {name}"))
        });
        played.collect::<Result<Vec<_>, _>>()
    };
    let votes = against_all(&from_file(&evolved.best(), DEPTH))?;
    let weights = against_all(&shipped_weights(DEPTH))?;
    let tables = vec![
        ComparisonTable::new("A forest evolved here, against stand-ins for people", rows(&votes)),
        ComparisonTable::new(
            "Weights learned instead of votes (connect4-7x7-weights)",
            rows(&weights),
        ),
        ComparisonTable::new("Training", vec![training(&evolved)]),
    ];
    Ok(Findings::of_all(tables)
        .note(
            "No people took part here. Each row shows the published 20 games against people next \
             to games against one stand-in, from weak to strong. The strength of those people is \
             not published, so the rows are not comparable.",
        )
        .note(
            "Each pair of games begins with four random stones and swaps colors; the thesis began at the empty board.",
        ))
}

fn rows(results: &[MatchResult]) -> Vec<ComparisonRow> {
    let against = STAND_INS.iter().zip(results).map(|((name, _), result)| {
        let what = format!("depth {DEPTH} against people; here {name}");
        ComparisonRow::tally(what, &PUBLISHED, &result.score.tally).not_comparable(PEOPLE)
    });
    against.chain([draws(results).not_comparable(PEOPLE)]).collect()
}

const PEOPLE: &str = "a stand-in, not the people of the thesis; their strength is not published";

fn draws(results: &[MatchResult]) -> ComparisonRow {
    let tallies = || results.iter().map(|result| &result.score.tally);
    let drawn: u64 = tallies().map(|tally| tally.draws).sum();
    ComparisonRow::percent(
        "games drawn, over all stand-ins",
        Estimate::percent(PUBLISHED.draws as f64, PUBLISHED.games()),
        Estimate::percent(drawn as f64, tallies().map(WinDrawLoss::games).sum()),
        Better::Neither,
    )
}

/// Evolves with the shipped settings, with as many iterations as the effort allows.
fn evolved(run: &ReproductionRun<'_>) -> Result<std::rc::Rc<EvolutionRun>, ReproduceError> {
    let text = include_str!("../../../../examples/training/connect-four.toml");
    let mut settings = settings(text)?;
    settings.search.depth = run.pick(4, settings.search.depth);
    settings.stop.iterations = Some(run.pick(10, ITERATIONS));
    run.evolve(&settings)
}

fn training(evolved: &EvolutionRun) -> ComparisonRow {
    let seconds = &evolved.seconds;
    let Estimate { value, low, high } = Estimate::mean(seconds);
    let [value, low, high] = [value, low, high].map(|end| end * ITERATIONS as f64);
    let what = format!("{ITERATIONS} iterations, 50 trees of 5 cells");
    let (iterations, depth) = (seconds.len(), evolved.settings.search.depth);
    let threads = evolved.settings.threads;
    let row = ComparisonRow::time(what, SECONDS, Estimate { value, low, high }).with_note(&format!(
        "published on 40 threads, ours on {threads}, both at depth {DEPTH}, from {iterations} iterations"
    ));
    let row = match depth {
        DEPTH => row,
        _ => row.not_comparable(format!("training at depth {depth} instead of {DEPTH}")),
    };
    row.headline("Connect Four 7×7: time to evolve the forest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_those_of_the_thesis() {
        let settings =
            settings(include_str!("../../../../examples/training/connect-four.toml")).unwrap();
        assert_eq!((settings.forest.trees, settings.forest.attributes), (50, 5));
        assert_eq!(settings.search.depth, DEPTH);
        assert_eq!(settings.stop.iterations, Some(ITERATIONS));
    }
}
