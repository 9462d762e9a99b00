//! The Gomoku trainings of chapter 5.4: the configuration of four of them (Table 5-5), and the time
//! of an iteration by the number of trees (Figure 5-3).

use std::rc::Rc;

use tesuji_games::RowPosition;
use tesuji_learn::Model;
use tesuji_learn::evolution::{EvolutionMetrics, ForestLearnerSettings};
use tesuji_learn::forest::{CandidateOrder, SearchStyle};

use super::games::settings;
use super::measure::{move_times, start};
use super::training::EvolutionRun;
use crate::comparison::{Better, Estimate};
use crate::picture::{Series, plot};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue, duration};
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

/// The depth that fits the time of the thesis, which does not give it.
const PLAUSIBLE_DEPTH: u32 = 4;

/// The depth in training. Lower depths than [`PLAUSIBLE_DEPTH`] finish in minutes.
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
        ComparisonTable::new("Settings that come with the program", properties(&settings, games)),
        ComparisonTable::new("The four trainings", trainings(&evolved)),
        ComparisonTable::new("Training time", times),
    ];
    let depth = training_depth(run);
    Ok(Findings::of_all(tables).note(format!(
        "Published times are of virtual machines with 14 threads. The depth in training is not \
         published; 13 days fit depth {PLAUSIBLE_DEPTH}, that of the shipped settings. The four \
         trainings here used depth {depth}, so their times are not comparable.",
    )))
}

/// The kind of input of rows with a setting.
const SETTING: &str = "a setting";

fn properties(settings: &ForestLearnerSettings, games: u64) -> Vec<ComparisonRow> {
    let ForestLearnerSettings { forest, evolution, .. } = settings;
    let children = evolution.largest() - evolution.population;
    let number = |what: &str, published: f64, ours: f64| {
        let [published, ours] = [published, ours].map(Estimate::exact);
        ComparisonRow::mean(what, published, ours, 2, Better::Neither).as_input(SETTING)
    };
    let count = |what: &str, published: u64, ours: usize| {
        ComparisonRow::count(what, published, ours as u64).as_input(SETTING)
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
            ComparisonRow::count(name("trees"), test.trees as u64, trees).as_input(SETTING),
            ComparisonRow::count(name("iterations"), test.iterations, evolved.metrics.len() as u64)
                .explain_difference("the quick run makes an eighth of them")
                .as_input(SETTING),
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
    let row = ComparisonRow::time(
        format!("{name}, ours at depth {}", training_depth(run)),
        SECONDS,
        times(seconds, test.iterations),
    )
    .with_note(&format!("from {made} iterations on {} threads", evolved.settings.threads));
    at_plausible_depth(row, training_depth(run))
}

/// Marks the time of a training at another depth than that which fits the published time.
fn at_plausible_depth(row: ComparisonRow, depth: u32) -> ComparisonRow {
    match depth {
        PLAUSIBLE_DEPTH => row,
        _ => row.not_comparable(format!(
            "training at depth {depth}; the published time fits depth {PLAUSIBLE_DEPTH}"
        )),
    }
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
    let row = at_plausible_depth(row, settings.search.depth);
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
    let runs: Vec<Rc<EvolutionRun>> = evolved.iter().map(|(_, run)| run.clone()).collect();
    let times = times_per_position(run, &runs)?;
    let costs: Vec<IterationCost> =
        runs.iter().zip(times).map(|(run, position)| IterationCost::of(run, position)).collect();
    let depth = training_depth(run);
    let tables = vec![
        ComparisonTable::new("Time of a searched position", per_position(&costs)),
        ComparisonTable::new("Positions of an iteration", positions(&costs)),
        ComparisonTable::new(
            format!("Time of an iteration, training at depth {depth}"),
            whole_iterations(&costs, depth),
        ),
    ];
    Ok(Findings::of_all(tables)
        .note(format!(
            "Published: 13 days divided by the iterations, on 14 threads; the points of the \
             figure are not printed. Ours: depth {depth} in training; threads: {}.",
            run.threads
        ))
        .note(
            "The games of an iteration take the time of a searched position times the number of \
             positions. The first grows with the trees. The second does not: how many plies a \
             game has and how many positions alpha-beta visits for a move depend on what the \
             forests have learned, so the time of an iteration need not grow with the trees. The \
             thesis also has one training for each number of trees.",
        )
        .note(
            "A searched position is measured in searches of depth 4 on twelve positions with 4 \
             to 16 stones, the same for all forests, in thread time; the forests are the best of \
             the trainings.",
        )
        .with_svg(picture(&evolved)))
}

/// What an iteration of a training costs.
struct IterationCost {
    trees: usize,
    /// Seconds of an iteration.
    seconds: Estimate,
    /// Thread time of a searched position.
    position: Estimate,
    /// Searched positions of an iteration.
    nodes: Estimate,
    /// Plies of a game.
    plies: Estimate,
}

impl IterationCost {
    fn of(evolved: &EvolutionRun, position: Estimate) -> IterationCost {
        let mean = |of: fn(&EvolutionMetrics) -> f64| {
            Estimate::mean(&evolved.metrics.iter().map(of).collect::<Vec<_>>())
        };
        IterationCost {
            trees: evolved.settings.forest.trees,
            seconds: Estimate::mean(&evolved.seconds),
            position,
            nodes: mean(|metrics| metrics.nodes as f64),
            plies: mean(|metrics| metrics.plies),
        }
    }
}

/// Measures the time of a searched position with the best forest of each training. The forests take
/// turns, so that a disturbance meets all of them.
fn times_per_position(
    run: &ReproductionRun<'_>,
    trainings: &[Rc<EvolutionRun>],
) -> Result<Vec<Estimate>, ReproduceError> {
    let other = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
    let evaluation = |training: &Rc<EvolutionRun>| {
        let model = Model::load(&training.best()).map_err(|error| other(&error))?;
        model.evaluation(&start().grid()).map_err(|error| other(&error))
    };
    let evaluations = trainings.iter().map(evaluation).collect::<Result<Vec<_>, _>>()?;
    let mut rounds = vec![Vec::new(); trainings.len()];
    for round in 0..ROUNDS {
        run.report_progress(round, ROUNDS, "searched positions");
        for (evaluation, times) in evaluations.iter().zip(&mut rounds) {
            let (style, order) = (SearchStyle::Thesis, CandidateOrder::Patterns);
            let moves = move_times(evaluation.clone(), style, order, MEASURED_DEPTH, 3);
            times.push(moves.seconds_per_node());
        }
    }
    Ok(rounds.iter().map(|times| Estimate::mean(times)).collect())
}

/// How often the searched positions are measured.
const ROUNDS: u64 = 8;
/// The depth of the searches that are measured: deep enough for times of milliseconds.
const MEASURED_DEPTH: u32 = 4;

fn per_position(costs: &[IterationCost]) -> Vec<ComparisonRow> {
    let shown = |estimate: Estimate| {
        let error = duration((estimate.high - estimate.low) / 2.0);
        ReportedValue::of(estimate, format!("{} ± {error}", duration(estimate.value)))
    };
    let mut rows: Vec<ComparisonRow> = costs
        .iter()
        .map(|cost| {
            let what = format!("{} trees", cost.trees);
            ComparisonRow::unpublished(what, shown(cost.position), "not published")
        })
        .collect();
    let steps = costs.windows(2).map(|pair| pair[1].position.minus(pair[0].position));
    let smallest = steps.min_by(|a, b| a.low.total_cmp(&b.low));
    let (first, last) = (&costs[0], &costs[costs.len() - 1]);
    let ratio = last.position.over(first.position);
    let text = ReportedValue::number(ratio, 2, " ×").text;
    rows.push(
        ComparisonRow::decided_claim(
            format!("from {} to {} trees", first.trees, last.trees),
            "more trees make training longer",
            ReportedValue::of(ratio, format!("{text} from first to last")),
            smallest.unwrap_or(Estimate::exact(0.0)),
        )
        .with_note("decided by the smallest of the three steps"),
    );
    rows
}

fn positions(costs: &[IterationCost]) -> Vec<ComparisonRow> {
    let row = |cost: &IterationCost| {
        let text = format!(
            "{} positions, games of {} plies",
            ReportedValue::number(cost.nodes, 0, "").text,
            ReportedValue::number(cost.plies, 1, "").text
        );
        let ours = ReportedValue::of(cost.nodes, text);
        ComparisonRow::unpublished(format!("{} trees", cost.trees), ours, "not published")
    };
    costs.iter().map(row).collect()
}

fn whole_iterations(costs: &[IterationCost], depth: u32) -> Vec<ComparisonRow> {
    let mut rows: Vec<ComparisonRow> = GROUP
        .iter()
        .zip(costs)
        .map(|(test, cost)| {
            let what = format!("{} trees", test.trees);
            let published = SECONDS / test.iterations as f64;
            at_plausible_depth(ComparisonRow::time(what, published, cost.seconds), depth)
        })
        .collect();
    let published = GROUP[0].iterations as f64 / GROUP[GROUP.len() - 1].iterations as f64;
    let (first, last) = (&costs[0], &costs[costs.len() - 1]);
    rows.push(
        ComparisonRow::mean(
            format!("{} trees against {}, times as long", last.trees, first.trees),
            Estimate::exact(published),
            last.seconds.over(first.seconds),
            2,
            Better::Neither,
        )
        .not_comparable(format!(
            "one training each; a position takes {:.2} times as long, the number of positions is \
             {:.2} times as large",
            last.position.value / first.position.value,
            last.nodes.value / first.nodes.value
        )),
    );
    rows
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
        let settings = as_published().unwrap();
        let rows = properties(&settings, 50);
        assert!(rows.iter().all(|row| row.why.ends_with("the same")), "{rows:?}");
        let measured: Vec<_> = rows.iter().filter(|row| row.verdict.is_counted()).collect();
        assert!(matches!(measured[..], [row] if row.what.ends_with("as played")), "{measured:?}");
        assert_eq!(rows.len(), 13);
        assert_eq!(settings.search.depth, PLAUSIBLE_DEPTH);
    }

    fn costs(positions: [f64; 4], nodes: [f64; 4]) -> Vec<IterationCost> {
        let cost = |n: usize| IterationCost {
            trees: GROUP[n].trees,
            seconds: Estimate::exact(positions[n] * nodes[n]),
            position: Estimate::exact(positions[n]),
            nodes: Estimate::exact(nodes[n]),
            plies: Estimate::exact(30.0),
        };
        (0..4).map(cost).collect()
    }

    #[test]
    fn a_position_takes_longer_with_more_trees_even_if_an_iteration_does_not() {
        let measured = costs([1e-6, 2e-6, 3e-6, 4e-6], [9e5, 9e5, 3e5, 6e5]);
        let rows = per_position(&measured);
        assert_eq!(rows.last().unwrap().verdict, ComparisonVerdict::Agrees);
        assert_eq!(rows.iter().filter(|row| row.verdict.is_counted()).count(), 1);
        let rows = whole_iterations(
            &measured,
            training_depth(&ReproductionRun::new(crate::run::Effort::Full, 1, 1, &|_| {})),
        );
        assert!(rows.iter().all(|row| row.verdict == ComparisonVerdict::NotComparable), "{rows:?}");
        assert!(rows[4].why.contains("4.00 times as long") && rows[4].why.contains("0.67 times"));
        let at_depth = whole_iterations(&measured, PLAUSIBLE_DEPTH);
        assert_eq!(at_depth[0].verdict, ComparisonVerdict::Better);
        let falling = costs([1e-6, 2e-6, 1.5e-6, 4e-6], [1e6; 4]);
        assert_eq!(per_position(&falling).last().unwrap().verdict, ComparisonVerdict::Differs);
    }

    #[test]
    fn the_group_has_the_published_trees() {
        let trees: Vec<usize> = GROUP.iter().map(|test| test.trees).collect();
        assert_eq!(trees, [25, 50, 75, 100]);
    }
}
