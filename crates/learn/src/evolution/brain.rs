//! The process of the genetic algorithm: games, fitness, selection, retraining, mating, and again. What each step
//! does to forests stands in [`knowledge`](super::knowledge); here is when, what is measured, and what is kept.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tesuji_games::{Grid, Playable, Stones};
use tesuji_store::{Kind, Record, Run, Selection, Store, StoreError};

use crate::forest::{Class, Dataset, Evaluation, Misfit, Window, xml};

use super::bank::{Bank, BankError, Stage};
use super::checkpoint::{Checkpoint, Stale};
use super::evening::{Desk, Evening};
use super::fitness::{Standing, select, standings};
use super::games::{Played, Table, seed_games};
use super::knowledge::{Individual, Knowledge, distinct_genes};
use super::metrics::{self, Metrics};
use super::run_folder::{FolderError, RunFolder, RunName, now};
use super::scenarios::{Exercises, RivalMaker};
use super::schedule::{self, Pairing};
use super::settings::{Fitness, Settings};
use crate::workers;

/// A run, ready to go on.
pub struct Training<P: Playable + Stones> {
    /// What is to be done.
    pub settings: Settings,
    /// Where games begin.
    pub start: P,
    /// What the run leaves behind.
    pub folder: RunFolder,
    /// Where its samples are.
    pub store: Box<dyn Store>,
    /// Other players for the exercises, in the order of the settings.
    pub rivals: Vec<RivalMaker<P>>,
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
    /// A forest cannot be laid on the board.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// A player of the exercises failed.
    #[error("{0}")]
    Rival(String),
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

impl<P: Playable + Stones> Training<P> {
    /// Goes on until it is enough, and says what came of it.
    pub fn run(self, observer: &mut dyn FnMut(&Progress<'_>)) -> Result<Summary, TrainError> {
        let grid = self.start.grid();
        let window = window_on(&self.settings, &grid)?;
        let name = self.folder.name()?;
        note_run(&*self.store, &name, &self.settings, "running")?;
        let mut bank = Bank::open(&*self.store, &name.id, &self.settings.game, window)?;
        let mut brain = Brain::wake(&self, &mut bank, grid, window)?;
        let ending = loop {
            if let Some(ending) = brain.enough() {
                break ending;
            }
            if !brain.iterate(&mut bank, &name, observer)? {
                break Ending::Interrupted;
            }
        };
        let summary = brain.summary(&name, ending);
        let state = if ending == Ending::Interrupted { "interrupted" } else { "finished" };
        self.folder.log(&format!("{state} after iteration {}", summary.iterations))?;
        note_run(&*self.store, &name, &self.settings, state)?;
        Ok(summary)
    }
}

/// The state of a run between two iterations.
struct Brain<'a, P: Playable + Stones> {
    training: &'a Training<P>,
    knowledge: Knowledge,
    grid: Grid,
    data: Dataset,
    exercises: Option<Exercises<P>>,
    survivors: Vec<Individual>,
    standings: Vec<Standing>,
    iteration: u64,
    stagnant: u64,
    metrics: Vec<Metrics>,
}

impl<'a, P: Playable + Stones> Brain<'a, P> {
    /// The state to go on from: that of the checkpoint, or the first population.
    fn wake(
        training: &'a Training<P>,
        bank: &mut Bank<'_>,
        grid: Grid,
        window: Window,
    ) -> Result<Brain<'a, P>, TrainError> {
        let settings = &training.settings;
        let knowledge = Knowledge::new(settings, window);
        let saved: Option<Checkpoint> = training.folder.checkpoint()?;
        let iteration = saved.as_ref().map_or(0, |saved| saved.iteration);
        let metrics = training.folder.metrics(|line: &Metrics| line.iteration <= iteration)?;
        let exercises = match settings.evolution.fitness {
            Fitness::Games => None,
            Fitness::Scenarios | Fitness::Both => Some(Exercises::make(settings, &training.start)),
        };
        let (data, stagnant) = match &saved {
            Some(saved) => {
                let last = if iteration == 0 { Stage::Seed } else { Stage::Iteration(iteration) };
                (bank.dataset_of(last, saved.samples)?, saved.stagnant)
            }
            None => (first_data(training, bank, &knowledge, window)?, 0),
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
            knowledge,
            grid,
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
        Ok(brain)
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
        name: &RunName,
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
        let players = self.lay_out(&population)?;
        let pairings = schedule::games(settings.evolution.games, survivors, population.len());
        let Some(played) = self.play(bank, iteration, &players, &pairings, observer)? else {
            return Ok(false);
        };
        let mut standings = standings(settings, population.len(), &pairings, &played.samples);
        if !self.examine(iteration, &players, &mut standings)? {
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
        self.keep(name, line)?;
        Ok(true)
    }

    /// All forests of a population, laid on the board.
    fn lay_out(&self, population: &[Individual]) -> Result<Vec<Arc<Evaluation>>, TrainError> {
        let threads = workers::threads(self.training.settings.threads);
        let laid = workers::map(threads, population, |individual| {
            Evaluation::of_forest(&self.knowledge.forest(individual), &self.grid).map(Arc::new)
        });
        Ok(laid.into_iter().collect::<Result<_, Misfit>>()?)
    }

    fn table(&self) -> Table<'_, P> {
        let settings = &self.training.settings;
        Table {
            start: &self.training.start,
            window: self.data.window(),
            search: &settings.search,
            openings: settings.data.openings,
            chance: *self.knowledge.chance(),
            threads: workers::threads(settings.threads),
            stop: self.training.stop.clone(),
        }
    }

    /// Plays all games of an iteration that are not in the store already; `None` when it was broken off.
    fn play(
        &self,
        bank: &mut Bank<'_>,
        iteration: u64,
        players: &[Arc<Evaluation>],
        pairings: &[Pairing],
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Option<Evening>, TrainError> {
        let started = Instant::now();
        let stage = Stage::Iteration(iteration);
        let known = bank.known(stage);
        let mut evening = Evening { games: pairings.len() as u64, ..Evening::default() };
        let mut desk = Desk::new(stage);
        let mut done = known.len() as u64;
        let mut show = |games| {
            let (of, last) = (pairings.len() as u64, self.metrics.last());
            observer(&Progress { iteration, games, of, last });
        };
        show(done);
        self.table().play_all(iteration, players, pairings, &known, |game, played: Played| {
            evening.nodes += played.nodes;
            evening.plies += played.plies;
            evening.played += 1;
            desk.take(game, played.sample, bank, &self.training.stop);
            done += 1;
            show(done);
        });
        desk.close(bank)?;
        evening.seconds = started.elapsed().as_secs_f64();
        let samples = bank.known(stage);
        if samples.len() < pairings.len() {
            return Ok(None);
        }
        evening.samples = samples.into_values().collect();
        Ok(Some(evening))
    }

    /// Exercises, where they count; false when they were broken off.
    fn examine(
        &self,
        iteration: u64,
        players: &[Arc<Evaluation>],
        standings: &mut [Standing],
    ) -> Result<bool, TrainError> {
        let Some(exercises) = &self.exercises else { return Ok(true) };
        let evolution = &self.training.settings.evolution;
        let share = match evolution.fitness {
            Fitness::Games => 0.0,
            Fitness::Scenarios => 1.0,
            Fitness::Both => evolution.scenarios.share,
        };
        let table = self.table();
        let places: Vec<usize> = (0..players.len()).collect();
        let solved = workers::map(table.threads, &places, |&place| {
            exercises.share_solved(&table, &players[place], &self.training.rivals, iteration, place)
        });
        for (standing, solved) in standings.iter_mut().zip(solved) {
            let Some(solved) = solved.map_err(TrainError::Rival)? else { return Ok(false) };
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
    fn keep(&mut self, name: &RunName, line: Metrics) -> Result<(), TrainError> {
        let folder = &self.training.folder;
        self.keep_forest()?;
        folder.add_metrics(&line)?;
        folder.log(&line.line())?;
        self.training.store.add(&line.records(&name.id))?;
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

    fn summary(&self, name: &RunName, ending: Ending) -> Summary {
        let seconds: f64 = self.metrics.iter().map(|line| line.seconds).sum();
        let games: f64 = self.metrics.iter().map(|line| line.games_seconds).sum();
        Summary {
            run: name.id.clone(),
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

/// Everything that is learned from before the first iteration.
fn first_data<P: Playable + Stones>(
    training: &Training<P>,
    bank: &mut Bank<'_>,
    knowledge: &Knowledge,
    window: Window,
) -> Result<Dataset, TrainError> {
    let settings = &training.settings;
    // One write brings all imports: an interruption leaves all of them or none.
    if bank.known(Stage::Import).is_empty() {
        let mut others: Vec<Box<dyn Store>> = Vec::new();
        for place in &settings.data.import {
            others.push(tesuji_store::open_existing(place)?);
        }
        bank.import(&others)?;
    }
    let known = bank.known(Stage::Seed);
    let threads = workers::threads(settings.threads);
    let (start, chance) = (&training.start, knowledge.chance());
    let found = seed_games(start, window, &settings.data, chance, threads, &known);
    bank.add(Stage::Seed, found)?;
    Ok(bank.dataset(Stage::Seed))
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
