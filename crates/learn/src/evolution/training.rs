//! The learner `forest`: games, fitness, selection, retraining and mating in a loop. The
//! [`operators`](super::operators) implement each part; this module applies them. A step is an
//! iteration.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_play::Roster;
use tesuji_queue::{FinishedItem, JobSpec, QueueError};
use tesuji_search::Registry;
use tesuji_store::Store;
use tesuji_train::{Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError};

use crate::forest::{Class, Dataset, WindowSample, xml};

use super::checkpoint::EvolutionCheckpoint;
use super::fitness::{IndividualResult, game_results, select};
use super::games::{GameStats, IterationGames, JobContext, SeedGames, start_and_window};
use super::job::EvolutionJob;
use super::operators::{GeneticOperators, Individual, distinct_genes};
use super::population::Population;
use super::sample_store::{SampleStage, SampleStore, importable_samples};
use super::scenarios::{ExerciseJob, ExerciseSet, build_opponents};
use super::schedule;
use super::seeds::SeedSource;
use super::settings::{FitnessSource, ForestLearnerSettings};

/// The entry of this learner in the table of learners.
pub const KIND: LearnerKind = LearnerKind {
    step: StepNoun { singular: "iteration", plural: "iterations" },
    noun: "best forest",
    extension: "xml",
    player: Some("forest:file="),
    players: &["forest"],
    charts: CHARTS,
    main_metric: ("survivors", "mean points of the survivors"),
    resumable: &["threads", "stop"],
    keeps_samples: true,
    keeps_models: true,
    open_ended: true,
    example: "game = \"tictactoe\"",
    ..LearnerKind::new::<ForestLearner>(
        "forest",
        "a population of random forests, evolved by a genetic algorithm (Loos, 2012)",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "score",
        title: "Points in the population",
        unit: "points",
        series: &[("best", "best"), ("survivors", "survivors"), ("average", "population")],
    },
    Chart {
        file: "error",
        title: "Out-of-bag error of the survivors' trees",
        unit: "share wrong",
        series: &[("error", "error")],
    },
    Chart {
        file: "solved",
        title: "Exercises solved by the survivors",
        unit: "share",
        series: &[("solved", "solved")],
    },
    Chart {
        file: "speed",
        title: "Games per second",
        unit: "games per second",
        series: &[("games_per_second", "games per second")],
    },
    Chart {
        file: "time",
        title: "Time per iteration",
        unit: "seconds",
        series: &[("seconds", "all"), ("games_seconds", "games")],
    },
];

/// The survivors of the last iteration, for users and the web pages.
pub const POPULATION_FILE: &str = "population.json";

/// The metrics of an iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EvolutionMetrics {
    /// Mean points of the whole population.
    pub average: f64,
    /// Mean points of the survivors.
    pub survivors: f64,
    /// Points of the best.
    pub best: f64,
    /// The fitness of the best, between 0 and 1.
    pub fitness: f64,
    /// The mean share of exercises that survivors solve, if there are any.
    pub solved: Option<f64>,
    /// The number of children among the survivors.
    pub new: u64,
    /// The mean out-of-bag error of the survivors' trees after training.
    pub error: Option<f64>,
    /// The number of distinct trees of the survivors.
    pub trees: u64,
    /// The number of games.
    pub games: u64,
    /// The number of drawn games.
    pub drawn: u64,
    /// The mean number of moves of a game.
    pub plies: f64,
    /// The number of samples after the iteration.
    pub samples: u64,
    /// The time in which games were played, in seconds.
    pub games_seconds: f64,
    /// Games per second of that time.
    pub games_per_second: f64,
    /// The number of positions visited by searches.
    pub nodes: u64,
}

impl EvolutionMetrics {
    fn line(&self) -> String {
        let EvolutionMetrics {
            average, survivors, best, new, games, drawn, games_per_second, ..
        } = self;
        let error = self.error.map_or(String::new(), |it| format!(", error {:.1} %", 100.0 * it));
        let solved =
            self.solved.map_or(String::new(), |it| format!(", solved {:.0} %", 100.0 * it));
        format!(
            "best {best:.1}, average {average:.2}, survivors {survivors:.2}, {new} \
             new{error}{solved}; {games} games ({drawn} drawn), {games_per_second:.0} games/s"
        )
    }
}

/// The state of the genetic algorithm between two iterations.
pub struct ForestLearner {
    settings: ForestLearnerSettings,
    operators: GeneticOperators,
    sample_store: SampleStore,
    data: Dataset,
    exercises: Option<Arc<ExerciseSet>>,
    survivors: Vec<Individual>,
    results: Vec<IndividualResult>,
    iteration: u64,
    stagnant: u64,
}

impl Learner for ForestLearner {
    type Settings = ForestLearnerSettings;

    fn check(
        settings: &ForestLearnerSettings,
        games: &Registry,
        players: Roster,
    ) -> Result<(), TrainError> {
        let (_, window) = start_and_window(settings)?;
        build_opponents(settings, games, players)?;
        for url in &settings.data.import {
            let store = tesuji_store::open_existing(url).map_err(TrainError::settings)?;
            importable_samples(&*store, &settings.game, window).map_err(TrainError::settings)?;
        }
        Ok(())
    }

    fn begin(settings: &ForestLearnerSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let mut learner = ForestLearner::new(settings, env)?;
        let Some(data) = learner.initial_data(env)? else { return Ok(None) };
        learner.survivors = learner.operators.initial_population(&data);
        learner.results = vec![IndividualResult::default(); learner.survivors.len()];
        learner.data = data;
        env.folder.replace(POPULATION_FILE, &learner.checkpoint())?;
        Ok(Some(learner))
    }

    fn restore(
        settings: &ForestLearnerSettings,
        env: &Env<'_>,
        _: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let saved: EvolutionCheckpoint =
            serde_json::from_slice(checkpoint).map_err(TrainError::checkpoint)?;
        let mut learner = ForestLearner::new(settings, env)?;
        learner.data = learner
            .sample_store
            .dataset_of_length(SampleStage::of(saved.iteration), saved.samples)?;
        (learner.survivors, learner.results) =
            saved.survivors(&learner.operators, &learner.data)?;
        (learner.iteration, learner.stagnant) = (saved.iteration, saved.stagnant);
        Ok(learner)
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        let iteration = self.iteration + 1;
        let seeds = SeedSource::new(self.settings.seed);
        let evolution = self.settings.evolution.clone();
        let parents = schedule::parents(&evolution, &seeds, iteration);
        let mut population = self.survivors.clone();
        let children = self.operators.children(&self.data, &population, &parents, iteration);
        population.extend(children);
        let forests = population.iter().map(|one| self.operators.forest(one)).collect();
        let players = Arc::new(Population::new(forests));
        let pairings = schedule::games(&evolution, population.len());
        let games = IterationGames::new(self.context(env, iteration)?, players.clone());
        let Some(played) = self.play(env, iteration, &games, pairings.len() as u64)? else {
            return Ok(None);
        };
        let samples = &played.samples;
        let mut results = game_results(&self.settings, population.len(), &pairings, samples);
        if !self.solve_exercises(env, iteration, players, &mut results)? {
            return Ok(None);
        }
        let best = select(&population, &results, evolution.population);
        self.survivors = best.iter().map(|&index| population[index].clone()).collect();
        self.results = best.iter().map(|&index| results[index]).collect();
        self.data.extend(&played.samples);
        self.operators.retrain(&self.data, &mut self.survivors, iteration);
        self.iteration = iteration;
        let child_is_best = self.survivors.first().is_some_and(|best| best.born == iteration);
        self.stagnant = if child_is_best { 0 } else { self.stagnant + 1 };
        env.folder.replace(POPULATION_FILE, &self.checkpoint())?;
        let metrics = self.metrics(&results, &played);
        Ok(Some(StepMetrics::new(&metrics, metrics.line())))
    }

    fn checkpoint(&self) -> Vec<u8> {
        let (samples, results) = (self.data.len(), &self.results);
        let state = EvolutionCheckpoint::of(
            self.iteration,
            samples,
            self.stagnant,
            &self.survivors,
            results,
        );
        serde_json::to_vec(&state).expect("numbers and text are always JSON")
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let best = self.survivors.first().ok_or_else(|| TrainError::failed("no survivors"))?;
        Ok(xml::write(&self.operators.forest(best)).into_bytes())
    }

    fn has_stagnated(&self) -> bool {
        self.settings.stop.stagnation.is_some_and(|most| self.stagnant >= most)
    }
}

/// The games of an iteration.
#[derive(Default)]
struct IterationGameResults {
    /// All samples, in schedule order.
    samples: Vec<WindowSample>,
    /// The number of games that were played now, not found in the store.
    new: u64,
    plies: u64,
    nodes: u64,
    time: Duration,
}

impl ForestLearner {
    fn new(settings: &ForestLearnerSettings, env: &Env<'_>) -> Result<ForestLearner, TrainError> {
        let settings = ForestLearnerSettings { threads: env.threads, ..settings.clone() };
        let (start, window) = start_and_window(&settings)?;
        let no_store = || TrainError::failed("forests need a store for their samples");
        let store: Arc<dyn Store> = env.store.cloned().ok_or_else(no_store)?;
        let exercises = match settings.evolution.fitness {
            FitnessSource::Games => None,
            FitnessSource::Scenarios | FitnessSource::Both => {
                let opponents = build_opponents(&settings, env.games, env.players)?;
                let exercises = ExerciseSet::create(&settings, &start, opponents);
                tracing::info!(target: "train", "{}", exercises.description());
                Some(exercises)
            }
        };
        Ok(ForestLearner {
            operators: GeneticOperators::new(&settings, window),
            sample_store: SampleStore::open(store, env.run, &settings.game, window)?,
            data: Dataset::new(window),
            exercises,
            survivors: Vec::new(),
            results: Vec::new(),
            iteration: 0,
            stagnant: 0,
            settings,
        })
    }

    fn context(&self, env: &Env<'_>, iteration: u64) -> Result<JobContext, TrainError> {
        JobContext::new(EvolutionJob {
            run: env.run.to_string(),
            iteration,
            settings: self.settings.clone(),
        })
    }

    /// All samples from before the first iteration; `None` if it was stopped.
    fn initial_data(&mut self, env: &Env<'_>) -> Result<Option<Dataset>, TrainError> {
        let data = &self.settings.data;
        // All imports are one write: an interruption leaves all of them or none.
        if self.sample_store.samples_of(SampleStage::Import).is_empty() {
            let others = data.import.iter().map(|url| tesuji_store::open_existing(url));
            self.sample_store.import(&others.collect::<Result<Vec<_>, _>>()?)?;
        }
        let count = (data.random + data.mixed + data.heuristic) as u64;
        let games = SeedGames::new(self.context(env, 0)?);
        self.play_missing(env, SampleStage::Seed, count, &games, &mut |_| Ok(()))?;
        let is_complete = self.sample_store.samples_of(SampleStage::Seed).len() as u64 == count;
        Ok(is_complete.then(|| self.sample_store.dataset(SampleStage::Seed)))
    }

    /// Plays the games of a stage that are not in the store yet.
    fn play_missing(
        &mut self,
        env: &Env<'_>,
        stage: SampleStage,
        count: u64,
        games: &dyn JobSpec,
        each: &mut dyn FnMut(&FinishedItem) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let stored = self.sample_store.samples_of(stage);
        let missing: Vec<u64> =
            (0..count).filter(|&game| !stored.contains_key(&(game as usize))).collect();
        let mut done = stored.len() as u64;
        let performed = env.run_batch(&stage.to_string(), &missing, games, &mut |finished| {
            self.sample_store.add_stored(&finished.output.records)?;
            done += 1;
            env.progress("game", done, count);
            each(finished)
        })?;
        // The content of the store counts, whatever was delivered.
        if performed.contested || (self.sample_store.samples_of(stage).len() as u64) < count {
            self.sample_store.reload()?;
        }
        Ok(())
    }

    /// Plays the games of an iteration that are not in the store yet; `None` if it was stopped.
    fn play(
        &mut self,
        env: &Env<'_>,
        iteration: u64,
        games: &dyn JobSpec,
        count: u64,
    ) -> Result<Option<IterationGameResults>, TrainError> {
        let (started, stage) = (Instant::now(), SampleStage::Iteration(iteration));
        let mut played = IterationGameResults::default();
        self.play_missing(env, stage, count, games, &mut |finished| {
            let stats: GameStats = finished.output.note().map_err(QueueError::Job)?;
            played.nodes += stats.nodes;
            played.plies += stats.plies;
            played.new += 1;
            Ok(())
        })?;
        played.time = started.elapsed();
        played.samples = self.sample_store.samples_of(stage).into_values().collect();
        Ok((played.samples.len() as u64 == count).then_some(played))
    }

    /// Runs the exercises and adds them to the results; false if it was stopped.
    fn solve_exercises(
        &self,
        env: &Env<'_>,
        iteration: u64,
        players: Arc<Population>,
        results: &mut [IndividualResult],
    ) -> Result<bool, TrainError> {
        let Some(exercises) = &self.exercises else { return Ok(true) };
        let evolution = &self.settings.evolution;
        let share = match evolution.fitness {
            FitnessSource::Games => 0.0,
            FitnessSource::Scenarios => 1.0,
            FitnessSource::Both => evolution.scenarios.share,
        };
        let context = self.context(env, iteration)?;
        let exercises = ExerciseJob { exercises: exercises.clone(), context, population: players };
        let indices: Vec<u64> = (0..results.len() as u64).collect();
        let stage = format!("{}-exercises", SampleStage::Iteration(iteration));
        let Some(solved) = env.notes::<f64>(&stage, &indices, &exercises)? else {
            return Ok(false);
        };
        for (result, solved) in results.iter_mut().zip(solved) {
            result.solved = Some(solved);
            result.fitness = (1.0 - share) * result.fitness + share * solved;
        }
        Ok(true)
    }

    fn metrics(&self, all: &[IndividualResult], played: &IterationGameResults) -> EvolutionMetrics {
        let points = |results: &[IndividualResult]| {
            results.iter().map(|one| one.points).sum::<f64>() / results.len().max(1) as f64
        };
        let genes = distinct_genes(&self.survivors);
        let drawn = played.samples.iter().filter(|sample| sample.class == Class::Draw).count();
        let best = self.results.first().copied().unwrap_or_default();
        let seconds = played.time.as_secs_f64();
        let new = self.survivors.iter().filter(|one| one.born == self.iteration).count();
        EvolutionMetrics {
            average: points(all),
            survivors: points(&self.results),
            best: best.points,
            fitness: best.fitness,
            solved: mean(self.results.iter().filter_map(|one| one.solved)),
            new: new as u64,
            error: mean(genes.iter().filter_map(|gene| gene.tree.error)),
            trees: genes.len() as u64,
            games: played.samples.len() as u64,
            drawn: drawn as u64,
            plies: played.plies as f64 / played.new.max(1) as f64,
            samples: self.data.len() as u64,
            games_seconds: seconds,
            games_per_second: played.new as f64 / seconds.max(1e-9),
            nodes: played.nodes,
        }
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0u32), |(sum, count), number| (sum + number, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
