//! The Gomoku trainings of chapter 5.4: the configuration of four of them (Table 5-5), and the time
//! of an iteration by the number of trees (Figure 5-3).

use std::rc::Rc;

use tesuji_learn::evolution::ForestLearnerSettings;

use super::games::settings;
use super::training::EvolutionRun;
use crate::comparison::{Better, Estimate};
use crate::picture::{Series, plot};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// A training of the thesis.
pub(super) struct ThesisTest {
    /// Its number in the thesis.
    pub(super) number: u64,
    /// Trees of each forest. Those of tests 87 and 90 are unknown; 25 is our choice.
    trees: usize,
    /// Number of iterations.
    iterations: u64,
}

const fn test(number: u64, trees: usize, iterations: u64) -> ThesisTest {
    ThesisTest { number, trees, iterations }
}

/// All trainings of the competition.
pub(super) const TESTS: [ThesisTest; 6] = [
    test(87, 25, 172),
    test(90, 25, 58),
    test(92, 25, 55),
    test(93, 50, 47),
    test(94, 75, 36),
    test(96, 100, 24),
];

/// The four of Table 5-5, which differ only in their number of trees.
const GROUP: &[ThesisTest] = TESTS.split_at(2).1;

/// Each of them took 13 days.
const SECONDS: f64 = 13.0 * 86_400.0;

impl ThesisTest {
    /// Formats `test #87 (25 trees, 172 iterations)`.
    pub(super) fn name(&self, run: &ReproductionRun<'_>) -> String {
        let ThesisTest { number, trees, .. } = self;
        format!("test #{number} ({trees} trees, {} iterations)", self.iterations_here(run))
    }

    /// Returns the number of iterations; an eighth in a quick run.
    fn iterations_here(&self, run: &ReproductionRun<'_>) -> u64 {
        run.pick(self.iterations / 8, self.iterations)
    }

    /// Evolves it as published, except for the depth; each has its own seed.
    pub(super) fn evolved(
        &self,
        run: &ReproductionRun<'_>,
    ) -> Result<Rc<EvolutionRun>, ReproduceError> {
        let mut settings = as_published()?;
        settings.seed = self.number;
        settings.forest.trees = self.trees;
        settings.search.depth = training_depth(run);
        settings.stop.iterations = Some(self.iterations_here(run));
        run.evolve(&settings)
    }
}

/// The depth in training. That of the thesis is unknown; 4 fits its time. Lower depths finish in
/// minutes.
pub(super) fn training_depth(run: &ReproductionRun<'_>) -> u32 {
    run.pick(1, 3)
}

/// Reads the shipped settings of test 92.
fn as_published() -> Result<ForestLearnerSettings, ReproduceError> {
    settings(include_str!("../../../../examples/training/gomoku-10x10.toml"))
}

/// Runs Table 5-5.
pub(super) fn configuration(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let settings = as_published()?;
    let mut evolved = Vec::new();
    for test in GROUP {
        evolved.push((test, test.evolved(run)?));
    }
    let games = evolved[0].1.metrics.first().map_or(0, |first| first.games);
    let mut times = vec![at_full_depth(run, &settings)?];
    times.extend(evolved.iter().map(|(test, evolved)| whole_time(run, test, evolved)));
    let tables = vec![
        ComparisonTable::new(
            "ForestLearnerSettings that come with the program",
            properties(&settings, games),
        ),
        ComparisonTable::new("The four trainings", trainings(&evolved)),
        ComparisonTable::new("Training time", times),
    ];
    let depth = training_depth(run);
    Ok(Findings::of_all(tables).note(format!(
        "Published times are of virtual machines with 14 threads. The depth in training is not \
         published; the shipped settings use {}, and the four trainings here used depth {depth}.",
        settings.search.depth
    )))
}

fn properties(settings: &ForestLearnerSettings, games: u64) -> Vec<ComparisonRow> {
    let ForestLearnerSettings { forest, evolution, .. } = settings;
    let children = evolution.largest() - evolution.population;
    let number = |what: &str, published: f64, ours: f64| {
        let [published, ours] = [published, ours].map(Estimate::exact);
        ComparisonRow::mean(what, published, ours, 2, Better::Neither)
    };
    let count = |what: &str, published: u64, ours: usize| {
        ComparisonRow::count(what, published, ours as u64)
    };
    vec![
        count("genetic population", 5, evolution.population),
        count("maximum population size", 10, evolution.largest()),
        number("genetic mutation rate", 0.15, evolution.mutation),
        count("games of one individual, of 5+5 with each color", 5, children),
        ComparisonRow::count("games of an iteration, as played", 50, games),
        number("points for a win", 2.0, evolution.points.win),
        number("points for a draw", 1.0, evolution.points.draw),
        number("points for a loss", -3.0, evolution.points.loss),
        count("attributes of a tree", 8, forest.attributes),
        count("pattern radius (the side of its window)", 7, forest.window),
        number("weight of a predicted win", 2.0, forest.weights.win),
        number("weight of a predicted draw", 1.5, forest.weights.draw),
        number("weight of a predicted loss", -0.5, forest.weights.loss),
    ]
}

fn trainings(evolved: &[(&ThesisTest, Rc<EvolutionRun>)]) -> Vec<ComparisonRow> {
    let rows = evolved.iter().flat_map(|(test, evolved)| {
        let name = |what| format!("test #{}: {what}", test.number);
        let trees = evolved.settings.forest.trees as u64;
        [
            ComparisonRow::count(name("trees"), test.trees as u64, trees),
            ComparisonRow::count(name("iterations"), test.iterations, evolved.metrics.len() as u64)
                .explain_difference("the quick run makes an eighth of them"),
        ]
    });
    rows.collect()
}

/// Extrapolates the time of a training from its iterations.
fn whole_time(
    run: &ReproductionRun<'_>,
    test: &ThesisTest,
    evolved: &EvolutionRun,
) -> ComparisonRow {
    let seconds = per_iteration(&evolved.seconds);
    let name = format!("{} trees, {} iterations", test.trees, test.iterations);
    let made = evolved.metrics.len();
    ComparisonRow::time(
        format!("{name}, ours at depth {}", training_depth(run)),
        SECONDS,
        times(seconds, test.iterations),
    )
    .with_note(&format!("from {made} iterations on {} threads", evolved.settings.threads))
}

/// Measures a few iterations with the shipped settings, at the depth that fits the published time.
fn at_full_depth(
    run: &ReproductionRun<'_>,
    settings: &ForestLearnerSettings,
) -> Result<ComparisonRow, ReproduceError> {
    let mut settings = settings.clone();
    settings.search.depth = run.pick(3, settings.search.depth);
    settings.stop.iterations = Some(run.pick(2, 4));
    let evolved = run.evolve(&settings)?;
    let iterations = GROUP[0].iterations;
    let whole = times(per_iteration(&evolved.seconds), iterations);
    let what =
        format!("25 trees, {iterations} iterations, ours at depth {}", settings.search.depth);
    let row = ComparisonRow::time(what, SECONDS, whole).with_note(&format!(
        "from the first {} iterations on {} threads",
        evolved.metrics.len(),
        evolved.settings.threads
    ));
    Ok(row.headline("Gomoku 10×10: time to evolve test #92"))
}

fn times(seconds: Estimate, iterations: u64) -> Estimate {
    let Estimate { value, low, high } = seconds;
    let [value, low, high] = [value, low, high].map(|end| end * iterations as f64);
    Estimate { value, low, high }
}

fn per_iteration(seconds: &[f64]) -> Estimate {
    Estimate::mean(seconds)
}

/// Runs Figure 5-3.
pub(super) fn iteration_time(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let mut evolved = Vec::new();
    for test in GROUP {
        evolved.push((test, test.evolved(run)?));
    }
    let means: Vec<Estimate> =
        evolved.iter().map(|(_, evolved)| per_iteration(&evolved.seconds)).collect();
    let mut rows: Vec<ComparisonRow> = GROUP
        .iter()
        .zip(&means)
        .map(|(test, ours)| {
            let what = format!("{} trees: time of an iteration", test.trees);
            ComparisonRow::time(what, SECONDS / test.iterations as f64, *ours)
        })
        .collect();
    rows.push(longer(&means));
    rows.push(growth(&means));
    let depth = training_depth(run);
    Ok(Findings::of(ComparisonTable::new("Time of an iteration by the number of trees", rows))
        .note(format!(
            "Published: 13 days divided by the iterations, on 14 threads; the points of the \
             figure are not printed. Ours: depth {depth} in training, {} threads.",
            run.threads
        ))
        .with_svg(picture(&evolved)))
}

fn longer(means: &[Estimate]) -> ComparisonRow {
    let shown: Vec<String> = means.iter().map(|mean| ReportedValue::seconds(*mean).text).collect();
    let holds = means.windows(2).all(|pair| pair[0].value < pair[1].value);
    let said = "more trees make training longer";
    ComparisonRow::claim(
        "from 25 to 100 trees",
        said,
        ReportedValue::words(shown.join(", ")),
        holds,
    )
    .explain_difference("the length of games also changes with the forests")
}

/// Compares the time of 100 trees with that of 25.
fn growth(means: &[Estimate]) -> ComparisonRow {
    let ours = means[means.len() - 1].over(means[0]);
    let published = GROUP[0].iterations as f64 / GROUP[GROUP.len() - 1].iterations as f64;
    ComparisonRow::mean(
        "100 trees against 25, times as long",
        Estimate::exact(published),
        ours,
        2,
        Better::Neither,
    )
    .explain_difference(
        "our games spend nearly all their time on forests, and the tables of 100 trees do \
             not fit into the fastest cache; the length of games also changes with the forests",
    )
}

fn picture(evolved: &[(&ThesisTest, Rc<EvolutionRun>)]) -> String {
    let names: Vec<String> =
        evolved.iter().map(|(test, _)| format!("{} trees", test.trees)).collect();
    let curves: Vec<Series> = evolved
        .iter()
        .zip(&names)
        .map(|((_, evolved), name)| {
            let points = (1..).zip(&evolved.seconds).map(|(step, s)| (f64::from(step), *s));
            Series::new(name, points.collect())
        })
        .collect();
    plot("Figure 5-3: iteration training time", "iteration", "seconds", &curves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;

    #[test]
    fn the_settings_of_the_program_are_those_of_table_5_5() {
        let rows = properties(&as_published().unwrap(), 50);
        assert!(rows.iter().all(|row| row.verdict == ComparisonVerdict::Agrees), "{rows:?}");
        assert_eq!(rows.len(), 13);
    }

    #[test]
    fn more_trees_that_take_longer_are_as_published() {
        let means = [1.0, 1.2, 1.6, 55.0 / 24.0].map(Estimate::exact);
        assert_eq!(longer(&means).verdict, ComparisonVerdict::Agrees);
        assert_eq!(growth(&means).verdict, ComparisonVerdict::Agrees);
        assert_eq!(longer(&[means[3], means[0]]).verdict, ComparisonVerdict::Differs);
    }

    #[test]
    fn the_group_has_the_published_trees() {
        let trees: Vec<usize> = GROUP.iter().map(|test| test.trees).collect();
        assert_eq!(trees, [25, 50, 75, 100]);
    }
}
