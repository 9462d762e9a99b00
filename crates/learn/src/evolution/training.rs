//! The learner `forest`: games, fitness, selection, retraining, mating, and again. What each part does to forests stands in
//! [`knowledge`](super::knowledge); here is when. A step is an iteration.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_play::Roster;
use tesuji_queue::{FinishedItem, JobSpec, QueueError};
use tesuji_search::Registry;
use tesuji_store::Store;
use tesuji_train::{Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError};

use crate::forest::{Class, Dataset, WindowSample, xml};

use super::bank::{Bank, Stage, importable};
use super::chance::Chance;
use super::checkpoint::Checkpoint;
use super::errand::Errand;
use super::fitness::{Standing, select, standings};
use super::games::{IterationGames, Played, SeedGames, Table, board_of};
use super::knowledge::{Individual, Knowledge, distinct_genes};
use super::population::Population;
use super::scenarios::{Exercises, Lesson, rivals};
use super::schedule;
use super::settings::{Fitness, Settings};

/// The learner by name.
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

/// The survivors of the last iteration, for people and pages.
pub const POPULATION: &str = "population.json";

/// What is written down about an iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// Mean points of the whole population.
    pub average: f64,
    /// Mean points of those that survive.
    pub survivors: f64,
    /// Points of the best.
    pub best: f64,
    /// What decided, of the best: between 0 and 1.
    pub fitness: f64,
    /// The mean share of exercises that survivors solve, where there are any.
    pub solved: Option<f64>,
    /// Children among the survivors.
    pub new: u64,
    /// The mean out-of-bag error of the survivors' trees after training.
    pub error: Option<f64>,
    /// Distinct trees among the survivors.
    pub trees: u64,
    /// Games of the iteration.
    pub games: u64,
    /// How many of them were drawn.
    pub drawn: u64,
    /// Their mean length.
    pub plies: f64,
    /// Samples after it.
    pub samples: u64,
    /// Seconds in which games were played.
    pub games_seconds: f64,
    /// Games for each of these seconds.
    pub games_per_second: f64,
    /// Positions that searches visited.
    pub nodes: u64,
}

impl Metrics {
    fn line(&self) -> String {
        let Metrics { average, survivors, best, new, games, drawn, games_per_second, .. } = self;
        let error = self.error.map_or(String::new(), |it| format!(", error {:.1} %", 100.0 * it));
        let solved =
            self.solved.map_or(String::new(), |it| format!(", solved {:.0} %", 100.0 * it));
        format!(
            "best {best:.1}, average {average:.2}, survivors {survivors:.2}, {new} new{error}{solved}; {games} games \
             ({drawn} drawn), {games_per_second:.0} games/s"
        )
    }
}

/// The population between two iterations.
pub struct ForestLearner {
    settings: Settings,
    knowledge: Knowledge,
    bank: Bank,
    data: Dataset,
    exercises: Option<Arc<Exercises>>,
    survivors: Vec<Individual>,
    standings: Vec<Standing>,
    iteration: u64,
    stagnant: u64,
}

impl Learner for ForestLearner {
    type Settings = Settings;

    fn check(settings: &Settings, games: &Registry, players: Roster) -> Result<(), TrainError> {
        let (_, window) = board_of(settings)?;
        rivals(settings, games, players)?;
        for place in &settings.data.import {
            let store = tesuji_store::open_existing(place).map_err(TrainError::settings)?;
            importable(&*store, &settings.game, window).map_err(TrainError::settings)?;
        }
        Ok(())
    }

    fn begin(settings: &Settings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let mut learner = ForestLearner::new(settings, env)?;
        let Some(data) = learner.first_data(env)? else { return Ok(None) };
        learner.survivors = learner.knowledge.first_population(&data);
        learner.standings = vec![Standing::default(); learner.survivors.len()];
        learner.data = data;
        env.folder.replace(POPULATION, &learner.checkpoint())?;
        Ok(Some(learner))
    }

    fn restore(
        settings: &Settings,
        env: &Env<'_>,
        _: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let saved: Checkpoint =
            serde_json::from_slice(checkpoint).map_err(TrainError::checkpoint)?;
        let mut learner = ForestLearner::new(settings, env)?;
        learner.data = learner.bank.dataset_of(Stage::of(saved.iteration), saved.samples)?;
        (learner.survivors, learner.standings) =
            saved.survivors(&learner.knowledge, &learner.data)?;
        (learner.iteration, learner.stagnant) = (saved.iteration, saved.stagnant);
        Ok(learner)
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        let iteration = self.iteration + 1;
        let chance = Chance::new(self.settings.seed);
        let evolution = self.settings.evolution.clone();
        let parents = schedule::parents(&evolution, &chance, iteration);
        let mut population = self.survivors.clone();
        let children = self.knowledge.children(&self.data, &population, &parents, iteration);
        let survivors = population.len();
        population.extend(children);
        let forests = population.iter().map(|one| self.knowledge.forest(one)).collect();
        let players = Arc::new(Population::new(forests));
        let pairings = schedule::games(evolution.games, survivors, population.len());
        let games = IterationGames::new(self.table(env, iteration)?, players.clone());
        let Some(played) = self.play(env, iteration, &games, pairings.len() as u64)? else {
            return Ok(None);
        };
        let samples = &played.samples;
        let mut standings = standings(&self.settings, population.len(), &pairings, samples);
        if !self.examine(env, iteration, players, &mut standings)? {
            return Ok(None);
        }
        let best = select(&population, &standings, evolution.population);
        self.survivors = best.iter().map(|&place| population[place].clone()).collect();
        self.standings = best.iter().map(|&place| standings[place]).collect();
        self.data.extend(&played.samples);
        self.knowledge.retrain(&self.data, &mut self.survivors, iteration);
        self.iteration = iteration;
        let child_is_best = self.survivors.first().is_some_and(|best| best.born == iteration);
        self.stagnant = if child_is_best { 0 } else { self.stagnant + 1 };
        env.folder.replace(POPULATION, &self.checkpoint())?;
        let metrics = self.metrics(&standings, &played);
        Ok(Some(StepMetrics::new(&metrics, metrics.line())))
    }

    fn checkpoint(&self) -> Vec<u8> {
        let (samples, standings) = (self.data.len(), &self.standings);
        let state =
            Checkpoint::of(self.iteration, samples, self.stagnant, &self.survivors, standings);
        serde_json::to_vec(&state).expect("numbers and text are always JSON")
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let best = self.survivors.first().ok_or_else(|| TrainError::failed("no survivors"))?;
        Ok(xml::write(&self.knowledge.forest(best)).into_bytes())
    }

    fn has_stagnated(&self) -> bool {
        self.settings.stop.stagnation.is_some_and(|most| self.stagnant >= most)
    }
}

/// The games of an iteration.
#[derive(Default)]
struct PlayedGames {
    /// All samples, in the order of the schedule.
    samples: Vec<WindowSample>,
    /// Those that were played just now, not found in the store.
    new: u64,
    plies: u64,
    nodes: u64,
    time: Duration,
}

impl ForestLearner {
    fn new(settings: &Settings, env: &Env<'_>) -> Result<ForestLearner, TrainError> {
        let settings = Settings { threads: env.threads, ..settings.clone() };
        let (start, window) = board_of(&settings)?;
        let no_store = || TrainError::failed("forests need a store for their samples");
        let store: Arc<dyn Store> = env.store.cloned().ok_or_else(no_store)?;
        let exercises = match settings.evolution.fitness {
            Fitness::Games => None,
            Fitness::Scenarios | Fitness::Both => {
                let rivals = rivals(&settings, env.games, env.players)?;
                let exercises = Exercises::make(&settings, &start, rivals);
                tracing::info!(target: "train", "{}", exercises.described());
                Some(exercises)
            }
        };
        Ok(ForestLearner {
            knowledge: Knowledge::new(&settings, window),
            bank: Bank::open(store, env.run, &settings.game, window)?,
            data: Dataset::new(window),
            exercises,
            survivors: Vec::new(),
            standings: Vec::new(),
            iteration: 0,
            stagnant: 0,
            settings,
        })
    }

    fn table(&self, env: &Env<'_>, iteration: u64) -> Result<Table, TrainError> {
        Table::new(Errand { run: env.run.to_string(), iteration, settings: self.settings.clone() })
    }

    /// Everything that is learned from before the first iteration; `None` when it was stopped.
    fn first_data(&mut self, env: &Env<'_>) -> Result<Option<Dataset>, TrainError> {
        let data = &self.settings.data;
        // One write brings all imports: an interruption leaves all of them or none.
        if self.bank.known(Stage::Import).is_empty() {
            let others = data.import.iter().map(|place| tesuji_store::open_existing(place));
            self.bank.import(&others.collect::<Result<Vec<_>, _>>()?)?;
        }
        let count = (data.random + data.mixed + data.heuristic) as u64;
        let games = SeedGames::new(self.table(env, 0)?);
        self.play_due(env, Stage::Seed, count, &games, &mut |_| Ok(()))?;
        let is_whole = self.bank.known(Stage::Seed).len() as u64 == count;
        Ok(is_whole.then(|| self.bank.dataset(Stage::Seed)))
    }

    /// Plays the games of a stage that the store does not have yet.
    fn play_due(
        &mut self,
        env: &Env<'_>,
        stage: Stage,
        of: u64,
        games: &dyn JobSpec,
        each: &mut dyn FnMut(&FinishedItem) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let known = self.bank.known(stage);
        let due: Vec<u64> = (0..of).filter(|&game| !known.contains_key(&(game as usize))).collect();
        let mut done = known.len() as u64;
        let performed = env.run_batch(&stage.to_string(), &due, games, &mut |finished| {
            self.bank.hear(&finished.output.records)?;
            done += 1;
            env.progress("game", done, of);
            each(finished)
        })?;
        // What the store has counts, whatever was heard.
        if performed.contested || (self.bank.known(stage).len() as u64) < of {
            self.bank.reread()?;
        }
        Ok(())
    }

    /// Plays all games of an iteration that are not in the store already; `None` when it was stopped.
    fn play(
        &mut self,
        env: &Env<'_>,
        iteration: u64,
        games: &dyn JobSpec,
        of: u64,
    ) -> Result<Option<PlayedGames>, TrainError> {
        let (started, stage) = (Instant::now(), Stage::Iteration(iteration));
        let mut played = PlayedGames::default();
        self.play_due(env, stage, of, games, &mut |finished| {
            let one: Played = finished.output.note().map_err(QueueError::Job)?;
            played.nodes += one.nodes;
            played.plies += one.plies;
            played.new += 1;
            Ok(())
        })?;
        played.time = started.elapsed();
        played.samples = self.bank.known(stage).into_values().collect();
        Ok((played.samples.len() as u64 == of).then_some(played))
    }

    /// Exercises, where they count; false when they were stopped.
    fn examine(
        &self,
        env: &Env<'_>,
        iteration: u64,
        players: Arc<Population>,
        standings: &mut [Standing],
    ) -> Result<bool, TrainError> {
        let Some(exercises) = &self.exercises else { return Ok(true) };
        let evolution = &self.settings.evolution;
        let share = match evolution.fitness {
            Fitness::Games => 0.0,
            Fitness::Scenarios => 1.0,
            Fitness::Both => evolution.scenarios.share,
        };
        let table = self.table(env, iteration)?;
        let exercises = Lesson { exercises: exercises.clone(), table, population: players };
        let places: Vec<u64> = (0..standings.len() as u64).collect();
        let stage = format!("{}-exercises", Stage::Iteration(iteration));
        let Some(solved) = env.notes::<f64>(&stage, &places, &exercises)? else {
            return Ok(false);
        };
        for (standing, solved) in standings.iter_mut().zip(solved) {
            standing.solved = Some(solved);
            standing.fitness = (1.0 - share) * standing.fitness + share * solved;
        }
        Ok(true)
    }

    fn metrics(&self, all: &[Standing], played: &PlayedGames) -> Metrics {
        let points = |standings: &[Standing]| {
            standings.iter().map(|one| one.points).sum::<f64>() / standings.len().max(1) as f64
        };
        let genes = distinct_genes(&self.survivors);
        let drawn = played.samples.iter().filter(|sample| sample.class == Class::Draw).count();
        let best = self.standings.first().copied().unwrap_or_default();
        let seconds = played.time.as_secs_f64();
        let new = self.survivors.iter().filter(|one| one.born == self.iteration).count();
        Metrics {
            average: points(all),
            survivors: points(&self.standings),
            best: best.points,
            fitness: best.fitness,
            solved: mean(self.standings.iter().filter_map(|one| one.solved)),
            new: new as u64,
            error: mean(genes.iter().filter_map(|gene| gene.wood.error)),
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
