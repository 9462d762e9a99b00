//! Experiments: a training run or match repeated over a grid of settings and several seeds, with
//! one table of results. A folder keeps all results, so a killed experiment resumes without
//! repeating completed runs.

mod progress;
mod report;

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use tesuji_learn::read_settings;
use tesuji_play::{Match, Openings};
use tesuji_queue::{Pool, WorkQueue};
use tesuji_search::Registry;
use tesuji_store::Access;
use tesuji_store::safe_file::{self, IfExists};
use tesuji_train::measure::StrengthScore;
use tesuji_train::{
    MetricsRow, RunFolder, RunSettings, SettingsError, SettingsFile, StopReason, TrainError,
};

use crate::training::{OpenStore, TrainingOptions, TrainingPlan};

pub use progress::{ExperimentProgress, read_progress};
pub use report::{ExperimentCell, ExperimentResult, ExperimentStep, ParameterPlot};

/// Experiments with more runs need explicit permission.
pub const DEFAULT_RUN_LIMIT: usize = 100;
/// The most runs of an experiment.
const MAX_RUNS: usize = 10_000;
/// The longest name of a run's folder.
const MAX_NAME_LENGTH: usize = 90;

/// The content of an experiment's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentFile {
    /// The title, in one line.
    #[serde(default)]
    title: String,
    /// The seeds of each cell.
    #[serde(default = "default_seeds")]
    seeds: Vec<u64>,
    /// The settings of a training run.
    #[serde(default)]
    train: Option<toml::Table>,
    /// The settings of a match.
    #[serde(default, rename = "match")]
    game: Option<MatchSettings>,
    /// Keys and their values; every combination is one cell.
    #[serde(default)]
    grid: toml::Table,
    /// Explicit cells.
    #[serde(default)]
    cells: Vec<toml::Table>,
}

fn default_seeds() -> Vec<u64> {
    vec![1, 2, 3]
}

/// The match of an experiment. The keys of the grid are options of the player.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchSettings {
    game: String,
    player: String,
    opponents: Vec<String>,
    #[serde(default = "default_games")]
    games: u64,
    /// Random plies before the players take over.
    #[serde(default = "default_openings")]
    openings: usize,
}

const fn default_games() -> u64 {
    100
}

const fn default_openings() -> usize {
    2
}

/// A parsed experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The title, in one line.
    pub title: String,
    text: String,
    seeds: Vec<u64>,
    keys: Vec<String>,
    cells: Vec<Vec<toml::Value>>,
    kind: ExperimentKind,
}

#[derive(Clone, Debug)]
enum ExperimentKind {
    Train(Box<RunSettings>),
    Match(MatchSettings),
}

/// How to run an experiment.
pub struct ExperimentOptions<'a> {
    /// The games.
    pub games: &'a Registry,
    /// The queue for the games of all runs; `None` for one thread per run.
    pub queue: Option<&'a dyn WorkQueue>,
    /// The store for games and samples; `None` for files in the folder.
    pub store: Option<&'a str>,
    /// Opens a store.
    pub open: OpenStore<'a>,
    /// Parallel runs.
    pub jobs: usize,
    /// The stop flag; completed runs are kept.
    pub stop: Arc<AtomicBool>,
}

/// Why an experiment failed.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file makes no invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The folder contains something else.
    #[error("{0}: holds another experiment; expected an empty folder (--out)")]
    Taken(PathBuf),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// A training run failed.
    #[error("{run}: {error}")]
    Train {
        /// The name of the run.
        run: String,
        /// The cause.
        error: TrainError,
    },
    /// A match failed.
    #[error("{0}")]
    Match(String),
}

/// One run of an experiment: a cell with a seed.
#[derive(Clone, PartialEq, Debug)]
pub struct ExperimentRun {
    /// Its name, which is the folder of a training run.
    pub name: String,
    /// The index of its cell.
    pub cell: usize,
    /// The values of the cell's keys.
    pub values: Vec<String>,
    /// Its seed.
    pub seed: u64,
    /// The score against each opponent, once it is completed.
    pub scores: Option<Scores>,
}

type Scores = BTreeMap<String, StrengthScore>;

/// The settings or players of an experiment's runs, as the runs read them.
#[derive(Clone, PartialEq, Debug)]
pub enum ExperimentInputs {
    /// The settings of the training runs, as TOML.
    Settings(Vec<String>),
    /// The players of the matches.
    Players(Vec<String>),
}

fn invalid(what: impl std::fmt::Display) -> ExperimentError {
    ExperimentError::Settings(SettingsError::value(what))
}

impl Experiment {
    /// Parses the text of a TOML file, and checks that all runs can start.
    pub fn read(text: &str, games: &Registry) -> Result<Experiment, ExperimentError> {
        let experiment = Experiment::parse(text)?;
        experiment.check(games)?;
        Ok(experiment)
    }

    /// Parses the text of a TOML file, without checking its runs.
    pub fn parse(text: &str) -> Result<Experiment, ExperimentError> {
        let written: ExperimentFile =
            toml::from_str(text).map_err(|error| SettingsError::of_toml(text, &error))?;
        let kind = match (&written.train, &written.game) {
            (Some(table), None) => {
                let text = toml::to_string(table).unwrap_or_default();
                let settings =
                    read_settings(&text).map_err(|error| invalid(format!("`train`: {error}")))?;
                ExperimentKind::Train(Box::new(settings))
            }
            (None, Some(game)) => ExperimentKind::Match(game.clone()),
            _ => return Err(invalid("expected one table, [train] or [match]")),
        };
        if written.seeds.is_empty() {
            return Err(invalid(
                "`seeds` is empty; expected at least one seed, such as seeds = [1]",
            ));
        }
        let (keys, cells) = cells_of(&written)?;
        let title = match written.title.is_empty() {
            true => keys.join(" × "),
            false => written.title,
        };
        Ok(Experiment { title, text: text.to_string(), seeds: written.seeds, keys, cells, kind })
    }

    /// Returns the settings or players of all runs, for checks of an experiment from an untrusted
    /// source.
    pub fn inputs(&self) -> Result<ExperimentInputs, ExperimentError> {
        match &self.kind {
            ExperimentKind::Train(settings) => {
                let read = |cell: &Vec<_>| self.settings(settings, cell, self.seeds[0]);
                let texts = self.cells.iter().map(|cell| Ok(read(cell)?.toml));
                texts.collect::<Result<_, _>>().map(ExperimentInputs::Settings)
            }
            ExperimentKind::Match(game) => {
                let players = self.cells.iter().map(|cell| self.player(game, cell));
                Ok(ExperimentInputs::Players(
                    players.chain(game.opponents.iter().cloned()).collect(),
                ))
            }
        }
    }

    fn check(&self, games: &Registry) -> Result<(), ExperimentError> {
        let seed = self.seeds[0];
        for cell in &self.cells {
            match &self.kind {
                ExperimentKind::Train(settings) => {
                    let settings = self.settings(settings, cell, seed)?;
                    let checked = settings.kind.check(&settings, games, tesuji_players::roster());
                    checked.map_err(invalid)?;
                    let measured = settings.common.measure.as_ref();
                    if settings.common.steps.is_none() && settings.common.seconds.is_none() {
                        return Err(invalid("`train` has no end; expected `stop.iterations`"));
                    }
                    if measured.is_none_or(|it| it.every == 0 || it.opponents.is_empty()) {
                        return Err(invalid(
                            "`train.measure` measures nothing; expected `every` above 0 and opponents",
                        ));
                    }
                }
                ExperimentKind::Match(game) => {
                    let opened = games.open(&game.game).map_err(invalid)?;
                    let context = tesuji_play::PlayerContext::new(&opened, 1);
                    let player = self.player(game, cell);
                    for text in game.opponents.iter().chain([&player]) {
                        let player = tesuji_players::player(text).map_err(invalid)?;
                        player.supports(&context).map_err(invalid)?;
                    }
                    if game.opponents.is_empty() || game.games < 2 || game.games % 2 == 1 {
                        return Err(invalid(
                            "`match` needs opponents and an even number of games, at least 2",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.cells.len() * self.seeds.len()
    }

    fn settings(
        &self,
        settings: &RunSettings,
        cell: &[toml::Value],
        seed: u64,
    ) -> Result<RunSettings, ExperimentError> {
        let values = self.keys.iter().cloned().zip(cell.iter().cloned());
        let seed = ("seed".to_string(), toml::Value::Integer(seed as i64));
        let values: Vec<(String, toml::Value)> = values.chain([seed]).collect();
        settings.with(&values).map_err(|error| match error {
            SettingsError::Syntax { what, .. } | SettingsError::Value(what) => {
                invalid(format!("`grid`: {what}"))
            }
        })
    }

    /// The player of a cell; the grid's keys are its options.
    fn player(&self, game: &MatchSettings, cell: &[toml::Value]) -> String {
        let options =
            self.keys.iter().zip(cell).map(|(key, value)| format!("{key}={}", value_text(value)));
        let options: Vec<String> = options.collect();
        let mark = if game.player.contains(':') { "," } else { ":" };
        match options.is_empty() {
            true => game.player.clone(),
            false => format!("{}{mark}{}", game.player, options.join(",")),
        }
    }

    fn all(&self) -> Vec<ExperimentRun> {
        let (mut runs, mut taken) = (Vec::new(), HashSet::new());
        for cell in 0..self.cells.len() {
            for &seed in &self.seeds {
                let values: Vec<String> = self.cells[cell].iter().map(value_text).collect();
                let mut name = self.plain_name(&values, seed);
                // A name that is too long or taken gets the number of the run.
                if name.len() > MAX_NAME_LENGTH || taken.contains(&name) {
                    name.truncate(MAX_NAME_LENGTH - 10);
                    name = format!("{name}_run-{}", runs.len() + 1);
                }
                taken.insert(name.clone());
                runs.push(ExperimentRun { name, cell, values, seed, scores: None });
            }
        }
        runs
    }

    /// A name from the values of a cell and a seed, in characters that every file system accepts.
    fn plain_name(&self, values: &[String], seed: u64) -> String {
        let parts = self.keys.iter().zip(values).map(|(key, value)| {
            let key = key.rsplit('.').next().unwrap_or(key);
            format!("{key}-{value}")
        });
        let parts: Vec<String> = parts.chain([format!("seed-{seed}")]).collect();
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' };
        parts.join("_").chars().map(plain).collect()
    }

    /// The names of all runs, in order.
    pub fn names(&self) -> Vec<String> {
        self.all().into_iter().map(|run| run.name).collect()
    }

    /// Runs everything that is not completed, several runs in parallel, and writes the results into
    /// the folder. Returns `None` if it was stopped; the same call resumes. `progress` gets the
    /// number of completed runs and the name of the last one.
    pub fn run(
        &self,
        folder: &Path,
        options: &ExperimentOptions<'_>,
        progress: &(dyn Fn(usize, &str) + Sync),
    ) -> Result<Option<ExperimentResult>, ExperimentError> {
        let _lock = self.claim(folder)?;
        let (mut runs, stop) = (self.all(), &options.stop);
        let found: Vec<Option<Scores>> = runs.iter().map(|_| None).collect();
        let outcome = Mutex::new((progress::CompletedRuns::from_folder(folder), found, None));
        let work = |number: usize| {
            if stop.load(Relaxed) {
                return None;
            }
            let run = &runs[number];
            let made = match &self.kind {
                ExperimentKind::Train(settings) => self.train(settings, run, folder, options),
                ExperimentKind::Match(game) => self.play(game, run, folder, options),
            };
            let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            let (done, found, failed) = &mut *outcome;
            let kept = made.and_then(|scores| {
                scores.iter().try_for_each(|scores| done.add(folder, &run.name, scores))?;
                Ok(scores)
            });
            match kept {
                Ok(scores) => {
                    found[number] = Some(scores?);
                    tracing::info!(target: "experiment", "{} is done", run.name);
                    progress(found.iter().flatten().count(), &run.name);
                    Some(())
                }
                Err(error) => {
                    failed.get_or_insert(error);
                    stop.store(true, Relaxed);
                    None
                }
            }
        };
        tesuji_train::threads::for_each_result(options.jobs, runs.len(), work, |_, ()| {});
        let (_, found, failed) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed {
            return Err(error);
        }
        runs.iter_mut().zip(found).for_each(|(run, scores)| run.scores = scores);
        if runs.iter().any(|run| run.scores.is_none()) {
            return Ok(None);
        }
        let steps = self.steps(folder, &runs);
        let result = ExperimentResult { steps, ..self.result(&runs) };
        for (name, content) in result.files() {
            write(&folder.join(name), content.as_bytes())?;
        }
        Ok(Some(result))
    }

    /// Locks the folder for this experiment, as long as the returned file is open.
    fn claim(&self, folder: &Path) -> Result<File, ExperimentError> {
        let place = folder.join(FILE);
        let known = safe_file::read_text(&place, MAX_FILE_BYTES).ok();
        if known.as_ref().map_or(RunFolder::holds_run(folder), |text| *text != self.text) {
            return Err(ExperimentError::Taken(folder.to_path_buf()));
        }
        let failed = |error| ExperimentError::File { path: folder.to_path_buf(), error };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let busy = "experiment: locked by another program; expected a free folder";
        let file = OpenOptions::new().create(true).append(true).open(folder.join(".lock"));
        let locked = file.and_then(|file| match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(std::io::Error::other(busy)),
            locked => Ok(locked.map(|()| file)?),
        });
        let lock = locked.map_err(failed)?;
        if known.is_none() {
            write(&place, self.text.as_bytes())?;
        }
        Ok(lock)
    }

    /// Runs one training run; `None` if it was stopped.
    fn train(
        &self,
        settings: &RunSettings,
        run: &ExperimentRun,
        folder: &Path,
        options: &ExperimentOptions<'_>,
    ) -> Result<Option<Scores>, ExperimentError> {
        let failed = |error: TrainError| ExperimentError::Train { run: run.name.clone(), error };
        let settings = self.settings(settings, &self.cells[run.cell], run.seed)?;
        let place = folder.join(&run.name);
        let plan = match RunFolder::holds_run(&place) {
            true => TrainingPlan::resumed(settings, place).map_err(failed)?,
            false => {
                let given = SettingsFile { extension: "toml", text: settings.toml.clone() };
                TrainingPlan::new(settings, given, place).map_err(|error| failed(error.into()))?
            }
        };
        let alone = Pool::new(1);
        let training = TrainingOptions {
            games: options.games,
            queue: options.queue.unwrap_or(&alone),
            threads: plan.settings.common.threads.map(|_| 1),
            steps: None,
            tensorboard: false,
            stop: options.stop.clone(),
        };
        let summary = plan.run(&training, options.store, options.open, &mut |_| {});
        let summary = summary.map_err(failed)?;
        if summary.ending == StopReason::Interrupted {
            return Ok(None);
        }
        // The last step is measured, so its row has the scores of the final model.
        Ok(Some(summary.last.map(|row| row.strength).unwrap_or_default()))
    }

    /// Plays the matches of one run. Their games are stored, so none is played twice.
    fn play(
        &self,
        game: &MatchSettings,
        run: &ExperimentRun,
        folder: &Path,
        options: &ExperimentOptions<'_>,
    ) -> Result<Option<Scores>, ExperimentError> {
        let failed = |error: &dyn std::fmt::Display| {
            ExperimentError::Match(format!("{}: {error}", run.name))
        };
        let opened = options.games.open(&game.game).map_err(|error| failed(&error))?;
        let own = folder.join("games.db").to_string_lossy().into_owned();
        let place = options.store.unwrap_or(&own);
        let store = (options.open)(place, Access::Create).map_err(|error| failed(&error))?;
        let alone = Pool::new(1);
        let player = self.player(game, &self.cells[run.cell]);
        let mut scores = Scores::new();
        for opponent in &game.opponents {
            let players = [&player, opponent].map(|text| tesuji_players::player(text));
            let [Ok(first), Ok(second)] = players else { continue };
            let settings = Match { games: game.games, seed: run.seed, ..Match::default() };
            let openings = Openings::Random { plies: game.openings };
            let ready = settings.prepare(&opened, &[first, second], &openings);
            let ready = ready.map_err(|error| failed(&error))?.stopped_by(options.stop.clone());
            let queue = options.queue.unwrap_or(&alone);
            let result = ready.run_on(queue, Some(&*store), &|_| {});
            let result = result.map_err(|error| failed(&error))?;
            if result.score.tally.games() < game.games {
                return Ok(None);
            }
            scores.extend(
                StrengthScore::from_pairs(&result.score.pairs)
                    .map(|score| (opponent.clone(), score)),
            );
        }
        Ok(Some(scores))
    }

    /// The opponents named in the file.
    fn opponents(&self) -> Vec<String> {
        let named = match &self.kind {
            ExperimentKind::Train(settings) => {
                settings.common.measure.as_ref().map(|it| &it.opponents)
            }
            ExperimentKind::Match(game) => Some(&game.opponents),
        };
        let mut named = named.cloned().unwrap_or_default();
        named.sort();
        named.dedup();
        named
    }

    /// The table of the results so far.
    fn result(&self, runs: &[ExperimentRun]) -> ExperimentResult {
        let known = runs.iter().find_map(|run| run.scores.as_ref());
        let opponents: Vec<String> =
            known.map_or_else(|| self.opponents(), |scores| scores.keys().cloned().collect());
        let mut cells = Vec::new();
        for of_cell in runs.chunks(self.seeds.len()) {
            for opponent in &opponents {
                let scores = of_cell.iter().filter_map(|run| run.scores.as_ref()?.get(opponent));
                let scores: Vec<&StrengthScore> = scores.collect();
                cells.push(ExperimentCell::new(of_cell[0].values.clone(), opponent, &scores));
            }
        }
        let (title, keys, seeds) = (self.title.clone(), self.keys.clone(), self.seeds.clone());
        ExperimentResult { title, keys, seeds, opponents, cells, steps: Vec::new() }
    }

    /// The results of training runs at every measured step, from the metrics in their folders.
    fn steps(&self, folder: &Path, runs: &[ExperimentRun]) -> Vec<ExperimentStep> {
        let mut steps = Vec::new();
        for of_cell in runs.chunks(self.seeds.len()) {
            let mut found = BTreeMap::<(String, u64), Vec<StrengthScore>>::new();
            for run in of_cell {
                let Ok(folder) = RunFolder::open(&folder.join(&run.name)) else { continue };
                let rows = folder.metrics::<MetricsRow>(|_| true).unwrap_or_default();
                for row in rows {
                    for (opponent, score) in row.strength {
                        found.entry((opponent, row.step)).or_default().push(score);
                    }
                }
            }
            for ((opponent, step), scores) in found {
                let scores: Vec<&StrengthScore> = scores.iter().collect();
                let cell = ExperimentCell::new(of_cell[0].values.clone(), &opponent, &scores);
                steps.push(ExperimentStep { step, cell });
            }
        }
        steps
    }
}

/// The name of the experiment's file in its folder.
pub const FILE: &str = "experiment.toml";
/// The largest experiment file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

fn write(path: &Path, content: &[u8]) -> Result<(), ExperimentError> {
    safe_file::write(path, IfExists::Replace, |out| out.write_all(content))
        .map_err(|error| ExperimentError::File { path: path.to_path_buf(), error })
}

/// A value as text for a player's option or a table.
fn value_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Refuses oversized experiments before their runs are listed.
fn check_size(cells: usize, seeds: usize) -> Result<(), ExperimentError> {
    if cells.saturating_mul(seeds) <= MAX_RUNS {
        return Ok(());
    }
    Err(invalid(format!("more than {MAX_RUNS} runs; expected fewer cells or seeds")))
}

/// The keys of all cells, and the values of each cell.
fn cells_of(
    written: &ExperimentFile,
) -> Result<(Vec<String>, Vec<Vec<toml::Value>>), ExperimentError> {
    if !written.cells.is_empty() {
        if !written.grid.is_empty() {
            return Err(invalid("expected [grid] or [[cells]], not both"));
        }
        check_size(written.cells.len(), written.seeds.len())?;
        let keys: Vec<String> = written.cells[0].keys().cloned().collect();
        let cell = |table: &toml::Table| {
            let values: Option<Vec<toml::Value>> =
                keys.iter().map(|key| table.get(key).cloned()).collect();
            values.filter(|values| values.len() == table.len()).ok_or_else(|| {
                invalid(format!("`cells`: expected the same keys in each: {}", keys.join(", ")))
            })
        };
        let cells = written.cells.iter().map(cell).collect::<Result<_, _>>()?;
        return Ok((keys, cells));
    }
    let mut cells: Vec<Vec<toml::Value>> = vec![Vec::new()];
    for (key, values) in &written.grid {
        let values = values.as_array().filter(|values| !values.is_empty()).ok_or_else(|| {
            invalid(format!("`grid`: \"{key}\" has no values; expected a list, such as [1, 2, 3]"))
        })?;
        check_size(cells.len().saturating_mul(values.len()), written.seeds.len())?;
        let longer = |cell: &Vec<toml::Value>| {
            let with = |value: &toml::Value| [&cell[..], std::slice::from_ref(value)].concat();
            values.iter().map(with).collect::<Vec<_>>()
        };
        cells = cells.iter().flat_map(longer).collect();
    }
    Ok((written.grid.keys().cloned().collect(), cells))
}
