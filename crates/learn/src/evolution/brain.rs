//! The process of the genetic algorithm: games, fitness, selection, retraining, mating, and again. What each step
//! does to forests stands in [`knowledge`](super::knowledge); here is when, what is measured, and what is kept.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tesuji_games::{Grid, RowBoard, Stones};
use tesuji_queue::{Batch, Bench, Finished, QueueError, WorkQueue};
use tesuji_store::{Kind, Record, Run, Selection, Store, StoreError};

use crate::forest::{Class, Dataset, Window, WindowSample, xml};

use super::bank::{Bank, BankError, Stage};
use super::checkpoint::{Checkpoint, Stale};
use super::errand::Errand;
use super::fitness::{Standing, select, standings};
use super::games::{IterationGames, Played, SeedGames, Table, board_of};
use super::knowledge::{Individual, Knowledge, distinct_genes};
use super::metrics::{self, Metrics};
use super::population::Population;
use super::run_folder::{FolderError, RunFolder, RunName, now};
use super::scenarios::{Exercises, RivalSource};
use super::schedule;
use super::settings::{Fitness, Settings};
use crate::sharing::{notes, perform};
use crate::workers;

/// A run, ready to go on.
pub struct Training {
    /// What is to be done.
    pub settings: Settings,
    /// What the run leaves behind.
    pub folder: RunFolder,
    /// Where its samples are.
    pub store: Box<dyn Store>,
    /// Where other players for the exercises come from.
    pub rivals: RivalSource,
    /// Who plays its games.
    pub queue: Arc<dyn WorkQueue>,
    /// Raised to end the run soon; what is done is kept.
    pub stop: Arc<AtomicBool>,
}

/// How far it is.
pub struct Progress<'a> {
    /// The iteration that is being done.
    pub iteration: u64,
    /// Its finished games.
    pub games: u64,
    /// All of its games.
    pub of: u64,
    /// The last iteration that is done.
    pub last: Option<&'a Metrics>,
}

/// Why it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// All iterations are done.
    Iterations,
    /// The time is over.
    Time,
    /// For too long no child was the best.
    Stagnation,
    /// Somebody asked for it.
    Interrupted,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Summary {
    /// The run's name in its store.
    pub run: String,
    /// Why it ended.
    pub ending: Ending,
    /// Iterations that are done.
    pub iterations: u64,
    /// Samples that were learned from.
    pub samples: usize,
    /// Seconds in all iterations.
    pub seconds: f64,
    /// The share of them in which games were played.
    pub games_share: f64,
    /// The last iteration.
    pub last: Option<Metrics>,
}

impl Summary {
    /// Of a run that was stopped before its first iteration.
    fn interrupted(name: &RunName) -> Summary {
        Summary {
            run: name.id.clone(),
            ending: Ending::Interrupted,
            iterations: 0,
            samples: 0,
            seconds: 0.0,
            games_share: 0.0,
            last: None,
        }
    }
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The settings do not fit the game.
    #[error("{0}")]
    Settings(String),
    /// Its folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its samples are not there, or not what they were.
    #[error(transparent)]
    Bank(#[from] BankError),
    /// Its checkpoint is not that of this run.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// A player of the exercises cannot be had.
    #[error("{0}")]
    Rival(String),
    /// Its games could not be played.
    #[error(transparent)]
    Queue(QueueError),
}

impl From<QueueError> for TrainError {
    fn from(error: QueueError) -> TrainError {
        match error {
            QueueError::Store(error) => TrainError::Store(error),
            error => TrainError::Queue(error),
        }
    }
}

/// The window of a run on a board, if its settings fit the board.
pub fn window_on(settings: &Settings, grid: &Grid) -> Result<Window, TrainError> {
    let window = Window::within(settings.forest.window, grid);
    let (attributes, cells) = (settings.forest.attributes, window.cells());
    if attributes > cells {
        let side = window.side;
        return Err(TrainError::Settings(format!(
            "`forest.attributes` is {attributes}, but the {side}x{side} window on this board has {cells} \
             cells; expected 1 to {cells}"
        )));
    }
    if settings.data.openings >= grid.cells() {
        return Err(TrainError::Settings(format!(
            "`data.openings` is {}, but the board has {} cells; expected fewer",
            settings.data.openings,
            grid.cells()
        )));
    }
    Ok(window)
}

impl Training {
    /// Goes on until it is enough, and says what came of it.
    pub fn run(self, observer: &mut dyn FnMut(&Progress<'_>)) -> Result<Summary, TrainError> {
        let start = board_of(&self.settings)?;
        let window = window_on(&self.settings, &start.grid())?;
        let name = self.folder.name()?;
        note_run(&*self.store, &name, &self.settings, "running")?;
        let mut bank = Bank::open(&*self.store, &name.id, &self.settings.game, window)?;
        let summary = match Brain::wake(&self, &name, &mut bank, start, window)? {
            Some(brain) => brain.live(&mut bank, observer)?,
            None => Summary::interrupted(&name),
        };
        let ending = summary.ending;
        let state = if ending == Ending::Interrupted { "interrupted" } else { "finished" };
        self.folder.log(&format!("{state} after iteration {}", summary.iterations))?;
        note_run(&*self.store, &name, &self.settings, state)?;
        Ok(summary)
    }
}

/// The state of a run between two iterations.
struct Brain<'a> {
    training: &'a Training,
    name: &'a RunName,
    knowledge: Knowledge,
    start: RowBoard,
    data: Dataset,
    exercises: Option<Arc<Exercises>>,
    survivors: Vec<Individual>,
    standings: Vec<Standing>,
    iteration: u64,
    stagnant: u64,
    metrics: Vec<Metrics>,
}

impl<'a> Brain<'a> {
    /// The state to go on from: that of the checkpoint, or the first population. `None` when it was stopped before
    /// there was one.
    fn wake(
        training: &'a Training,
        name: &'a RunName,
        bank: &mut Bank<'_>,
        start: RowBoard,
        window: Window,
    ) -> Result<Option<Brain<'a>>, TrainError> {
        let settings = &training.settings;
        let knowledge = Knowledge::new(settings, window);
        let saved: Option<Checkpoint> = training.folder.checkpoint()?;
        let iteration = saved.as_ref().map_or(0, |saved| saved.iteration);
        let metrics = training.folder.metrics(|line: &Metrics| line.iteration <= iteration)?;
        let exercises = match settings.evolution.fitness {
            Fitness::Games => None,
            Fitness::Scenarios | Fitness::Both => {
                Some(Exercises::of_run(settings, &start, &training.rivals)?)
            }
        };
        let (data, stagnant) = match &saved {
            Some(saved) => {
                let last = if iteration == 0 { Stage::Seed } else { Stage::Iteration(iteration) };
                (bank.dataset_of(last, saved.samples)?, saved.stagnant)
            }
            None => match first_data(training, name, bank, &start)? {
                Some(data) => (data, 0),
                None => return Ok(None),
            },
        };
        let (survivors, standings) = match &saved {
            Some(saved) => saved.survivors(&knowledge, &data)?,
            None => {
                let first = knowledge.first_population(&data);
                let standings = vec![Standing::default(); first.len()];
                (first, standings)
            }
        };
        let brain = Brain {
            training,
            name,
            knowledge,
            start,
            data,
            exercises,
            survivors,
            standings,
            iteration,
            stagnant,
            metrics,
        };
        if saved.is_none() {
            brain.keep_forest()?;
            brain.training.folder.save_checkpoint(&brain.checkpoint())?;
        }
        brain.log_start(saved.is_some())?;
        Ok(Some(brain))
    }

    /// Iteration after iteration, until it is enough.
    fn live(
        mut self,
        bank: &mut Bank<'_>,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Summary, TrainError> {
        let ending = loop {
            if let Some(ending) = self.enough() {
                break ending;
            }
            if !self.iterate(bank, observer)? {
                break Ending::Interrupted;
            }
        };
        Ok(self.summary(ending))
    }

    fn log_start(&self, resumed: bool) -> Result<(), FolderError> {
        let word = if resumed { "resumed" } else { "begun" };
        let exercises = self.exercises.as_ref().map(|it| format!("; {}", it.described()));
        self.training.folder.log(&format!(
            "{word} at iteration {} with {} samples on {} threads{}",
            self.iteration,
            self.data.len(),
            workers::threads(self.training.settings.threads),
            exercises.unwrap_or_default()
        ))
    }

    /// Whether to stop, and why.
    fn enough(&self) -> Option<Ending> {
        let stop = &self.training.settings.stop;
        let seconds: f64 = self.metrics.iter().map(|line| line.seconds).sum();
        if self.training.stop.load(Ordering::Relaxed) {
            Some(Ending::Interrupted)
        } else if stop.iterations.is_some_and(|most| self.iteration >= most) {
            Some(Ending::Iterations)
        } else if stop.seconds.is_some_and(|most| seconds >= most) {
            Some(Ending::Time)
        } else if stop.stagnation.is_some_and(|most| self.stagnant >= most) {
            Some(Ending::Stagnation)
        } else {
            None
        }
    }

    /// One iteration; false when it was broken off.
    fn iterate(
        &mut self,
        bank: &mut Bank<'_>,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<bool, TrainError> {
        let started = Instant::now();
        let settings = &self.training.settings;
        let iteration = self.iteration + 1;
        let chance = *self.knowledge.chance();
        let parents = schedule::parents(&settings.evolution, &chance, iteration);
        let mut population = std::mem::take(&mut self.survivors);
        let children = self.knowledge.children(&self.data, &population, &parents, iteration);
        let survivors = population.len();
        population.extend(children);
        let forests = population.iter().map(|one| self.knowledge.forest(one)).collect();
        let players = Arc::new(Population::new(forests));
        let pairings = schedule::games(settings.evolution.games, survivors, population.len());
        let table = Table::new(self.start.clone(), settings)?;
        let games = IterationGames::new(table, self.errand(iteration), players.clone());
        let evening = Evening { games: pairings.len() as u64, ..Evening::default() };
        let Some(played) = self.play(bank, iteration, &games, evening, observer)? else {
            return Ok(false);
        };
        let mut standings = standings(settings, population.len(), &pairings, &played.samples);
        if !self.examine(iteration, players, &mut standings)? {
            return Ok(false);
        }
        let best = select(&population, &standings, settings.evolution.population);
        self.survivors = best.iter().map(|&place| population[place].clone()).collect();
        self.standings = best.iter().map(|&place| standings[place]).collect();
        played.samples.iter().for_each(|sample| self.data.push(sample));
        self.knowledge.retrain(&self.data, &mut self.survivors, iteration);
        self.iteration = iteration;
        let child_is_best = self.survivors.first().is_some_and(|best| best.born == iteration);
        self.stagnant = if child_is_best { 0 } else { self.stagnant + 1 };
        let line = self.measured(&standings, &played, started.elapsed());
        self.keep(line)?;
        Ok(true)
    }

    fn errand(&self, iteration: u64) -> Errand {
        errand(self.training, self.name, iteration)
    }

    /// Plays all games of an iteration that are not in the store already; `None` when it was broken off.
    fn play(
        &self,
        bank: &mut Bank<'_>,
        iteration: u64,
        games: &dyn Bench,
        mut evening: Evening,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Option<Evening>, TrainError> {
        let started = Instant::now();
        let (stage, of) = (Stage::Iteration(iteration), evening.games);
        let mut done = bank.known(stage).len() as u64;
        let mut show = |games| {
            observer(&Progress { iteration, games, of, last: self.metrics.last() });
        };
        show(done);
        play_due(self.training, self.name, bank, stage, of, games, &mut |finished| {
            let played: Played = finished.product.note().map_err(QueueError::Work)?;
            evening.nodes += played.nodes;
            evening.plies += played.plies;
            evening.played += 1;
            done += 1;
            show(done);
            Ok(())
        })?;
        evening.seconds = started.elapsed().as_secs_f64();
        let samples = bank.known(stage);
        if (samples.len() as u64) < of {
            return Ok(None);
        }
        evening.samples = samples.into_values().collect();
        Ok(Some(evening))
    }

    /// Exercises, where they count; false when they were broken off.
    fn examine(
        &self,
        iteration: u64,
        players: Arc<Population>,
        standings: &mut [Standing],
    ) -> Result<bool, TrainError> {
        let Some(exercises) = &self.exercises else { return Ok(true) };
        let evolution = &self.training.settings.evolution;
        let share = match evolution.fitness {
            Fitness::Games => 0.0,
            Fitness::Scenarios => 1.0,
            Fitness::Both => evolution.scenarios.share,
        };
        let exercises = exercises.clone().lesson(self.errand(iteration), players)?;
        let places: Vec<u64> = (0..standings.len() as u64).collect();
        let stage = format!("{}-exercises", Stage::Iteration(iteration));
        let batch = Batch::new(&self.name.id, &stage, &places, &exercises)
            .stopped_by(self.training.stop.clone());
        let Some(solved) = notes::<f64>(&*self.training.queue, &batch)? else { return Ok(false) };
        for (standing, solved) in standings.iter_mut().zip(solved) {
            standing.solved = Some(solved);
            standing.fitness = (1.0 - share) * standing.fitness + share * solved;
        }
        Ok(true)
    }

    fn measured(&self, all: &[Standing], evening: &Evening, time: Duration) -> Metrics {
        let mean = |standings: &[Standing]| {
            standings.iter().map(|one| one.points).sum::<f64>() / standings.len().max(1) as f64
        };
        let genes = distinct_genes(&self.survivors);
        let errors: Vec<f64> = genes.iter().filter_map(|gene| gene.wood.error).collect();
        let solved: Vec<f64> = self.standings.iter().filter_map(|one| one.solved).collect();
        let drawn = evening.samples.iter().filter(|sample| sample.class == Class::Draw).count();
        let best = self.standings.first().copied().unwrap_or_default();
        let seconds = time.as_secs_f64();
        let new = self.survivors.iter().filter(|one| one.born == self.iteration).count();
        Metrics {
            iteration: self.iteration,
            average: mean(all),
            survivors: mean(&self.standings),
            best: best.points,
            fitness: best.fitness,
            solved: mean_of(&solved),
            new: new as u64,
            error: mean_of(&errors),
            trees: genes.len() as u64,
            games: evening.games,
            drawn: drawn as u64,
            plies: evening.plies as f64 / evening.played.max(1) as f64,
            samples: self.data.len() as u64,
            seconds,
            games_seconds: evening.seconds,
            games_share: evening.seconds / seconds.max(1e-9),
            games_per_second: evening.played as f64 / evening.seconds.max(1e-9),
            nodes: evening.nodes,
        }
    }

    fn checkpoint(&self) -> Checkpoint {
        let samples = self.data.len();
        Checkpoint::of(self.iteration, samples, self.stagnant, &self.survivors, &self.standings)
    }

    /// Writes down an iteration. The checkpoint comes last: until it is there, the iteration is done again.
    fn keep(&mut self, line: Metrics) -> Result<(), TrainError> {
        let folder = &self.training.folder;
        self.keep_forest()?;
        folder.add_metrics(&line)?;
        folder.log(&line.line())?;
        self.training.store.add(&line.records(&self.name.id))?;
        self.metrics.push(line);
        metrics::draw(folder, &self.metrics)?;
        folder.save_checkpoint(&self.checkpoint())?;
        Ok(())
    }

    fn keep_forest(&self) -> Result<(), FolderError> {
        let Some(best) = self.survivors.first() else { return Ok(()) };
        let text = xml::write(&self.knowledge.forest(best));
        let folder = &self.training.folder;
        folder.replace(&format!("forests/iteration-{:03}.xml", self.iteration), text.as_bytes())?;
        folder.replace("best.xml", text.as_bytes())
    }

    fn summary(&self, ending: Ending) -> Summary {
        let seconds: f64 = self.metrics.iter().map(|line| line.seconds).sum();
        let games: f64 = self.metrics.iter().map(|line| line.games_seconds).sum();
        Summary {
            run: self.name.id.clone(),
            ending,
            iterations: self.iteration,
            samples: self.data.len(),
            seconds,
            games_share: games / seconds.max(1e-9),
            last: self.metrics.last().cloned(),
        }
    }
}

fn mean_of(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The games of an iteration.
#[derive(Default)]
struct Evening {
    /// All samples, in the order of the schedule.
    samples: Vec<WindowSample>,
    games: u64,
    /// Those that were played just now.
    played: u64,
    plies: u64,
    nodes: u64,
    seconds: f64,
}

fn errand(training: &Training, name: &RunName, iteration: u64) -> Errand {
    Errand { run: name.id.clone(), iteration, settings: training.settings.clone() }
}

/// Plays the games of a stage that the store does not have yet, of so many in all.
fn play_due(
    training: &Training,
    name: &RunName,
    bank: &mut Bank<'_>,
    stage: Stage,
    of: u64,
    games: &dyn Bench,
    each: &mut dyn FnMut(&Finished) -> Result<(), TrainError>,
) -> Result<(), TrainError> {
    let known = bank.known(stage);
    let due: Vec<u64> = (0..of).filter(|&game| !known.contains_key(&(game as usize))).collect();
    let part = stage.to_string();
    let batch = Batch::new(&name.id, &part, &due, games)
        .kept_in(Some(&*training.store))
        .stopped_by(training.stop.clone());
    let performed = perform(&*training.queue, &batch, &mut |finished| {
        bank.hear(&finished.product.records)?;
        each(finished)
    })?;
    // What the store has counts, whatever was heard.
    if performed.contested || (bank.known(stage).len() as u64) < of {
        bank.reread()?;
    }
    Ok(())
}

/// Everything that is learned from before the first iteration; `None` when it was broken off.
fn first_data(
    training: &Training,
    name: &RunName,
    bank: &mut Bank<'_>,
    start: &RowBoard,
) -> Result<Option<Dataset>, TrainError> {
    let data = &training.settings.data;
    // One write brings all imports: an interruption leaves all of them or none.
    if bank.known(Stage::Import).is_empty() {
        let mut others: Vec<Box<dyn Store>> = Vec::new();
        for place in &data.import {
            others.push(tesuji_store::open_existing(place)?);
        }
        bank.import(&others)?;
    }
    let errand = errand(training, name, 0);
    let window = window_on(&errand.settings, &start.grid())?;
    let games = SeedGames::new(start.clone(), window, errand);
    let count = (data.random + data.mixed + data.heuristic) as u64;
    play_due(training, name, bank, Stage::Seed, count, &games, &mut |_| Ok(()))?;
    let is_whole = bank.known(Stage::Seed).len() as u64 == count;
    Ok(is_whole.then(|| bank.dataset(Stage::Seed)))
}

/// Keeps in the store what is being done, and how far it came.
fn note_run(
    store: &dyn Store,
    name: &RunName,
    settings: &Settings,
    state: &str,
) -> Result<(), StoreError> {
    let mut earlier = None;
    let selection = Selection { event: Some(name.id.clone()), ..Selection::all(Kind::Run) };
    store.for_each(&selection, &mut |record| {
        if let Record::Run(run) = record {
            earlier = Some(run.updated_at);
        }
        ControlFlow::Continue(())
    })?;
    store.add(&[Record::Run(Run {
        id: name.id.clone(),
        kind: "train".to_string(),
        name: name.id.clone(),
        config: settings.to_toml(),
        state: state.to_string(),
        started_at: name.started_at,
        // Of two versions the later one counts, also within one second.
        updated_at: earlier.map_or(now(), |earlier| now().max(earlier + 1)),
    })])?;
    Ok(())
}
