//! Experiments: a list of cards, and the results, runs and plot of one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::{Path as Address, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use tesuji_app::experiment::{self, ExperimentCell, ExperimentProgress};

use super::folders::{self, Folder};
use super::metrics::MetricSeries;
use crate::errors::ApiError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/experiments", get(list))
        .route("/api/lab/experiments/{id}", get(one))
        .route("/api/lab/experiments/{id}/results.svg", get(picture))
}

/// The most listed experiments, latest first.
const MAX_CARDS: usize = 50;
/// The files that change while an experiment runs.
const FILES: [&str; 3] = [experiment::FILE, "scores.json", "results.json"];
/// The plot drawn by a finished experiment.
const PICTURE: &str = "results.svg";
/// The largest plot.
const MAX_PICTURE_BYTES: u64 = 4 << 20;

/// A summary of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct ExperimentCard {
    pub(super) id: String,
    title: String,
    game: String,
    pub(super) state: &'static str,
    /// Completed runs.
    done: usize,
    /// All runs.
    total: usize,
    pub(super) updated_at: u64,
}

impl ExperimentCard {
    /// Describes the experiment and its progress in one line.
    pub(super) fn text(&self) -> String {
        let title = if self.title.is_empty() { "Experiment" } else { &self.title };
        format!("{title} ({}): {} of {} runs", self.id, self.done, self.total)
    }
}

/// Cached experiments, valid until their files change.
#[derive(Default)]
pub(crate) struct ExperimentCache(Mutex<HashMap<String, (Stamp, CachedProgress)>>);

/// The progress of an experiment; `None` if its file is invalid.
type CachedProgress = Option<Arc<ExperimentProgress>>;

/// The modification times and sizes of an experiment's files.
type Stamp = [Option<(SystemTime, u64)>; FILES.len()];

impl ExperimentCache {
    fn of(&self, folder: &Folder) -> CachedProgress {
        let stamp = FILES.map(|name| folders::stamp_of(&folder.path.join(name)));
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&folder.id).cloned();
        if let Some((_, progress)) = known.filter(|(known, _)| *known == stamp) {
            return progress;
        }
        let progress = experiment::read_progress(&folder.path).map(Arc::new);
        let mut all = lock();
        if all.len() >= 10 * MAX_CARDS {
            all.clear();
        }
        all.insert(folder.id.clone(), (stamp, progress.clone()));
        progress
    }
}

/// Returns the experiment of a run in its folder.
pub(super) fn of_run(run: &Folder) -> Option<String> {
    let (id, _) = run.id.split_once('/')?;
    let folder = run.path.parent()?;
    folders::holds_experiment(folder).then(|| id.to_string())
}

/// Lists the experiments, which are directly in the folder of runs.
fn all(runs: &Path) -> Vec<Folder> {
    let found = folders::folders_in(runs).map(|(id, path)| Folder { id, path });
    found.filter(|folder| folders::holds_experiment(&folder.path)).collect()
}

fn find(runs: &Path, id: &str) -> Result<Folder, ApiError> {
    let path = runs.join(id);
    let is_one = folders::is_plain(id)
        && folders::holds_experiment(&path)
        && folders::is_inside(&path, runs);
    let missing = || ApiError::missing("experiment: not found; see /api/lab/experiments");
    is_one.then(|| Folder { id: id.to_string(), path }).ok_or_else(missing)
}

fn changed_at(path: &Path) -> u64 {
    let changed = FILES.iter().filter_map(|name| folders::changed_at(&path.join(name)));
    changed.max().unwrap_or(0)
}

fn state_of(path: &Path, progress: &ExperimentProgress) -> &'static str {
    match (folders::is_at_work(path), progress.is_finished) {
        (true, _) => "running",
        (false, true) => "finished",
        (false, false) => "interrupted",
    }
}

fn card_of(folder: &Folder, progress: &ExperimentProgress) -> ExperimentCard {
    ExperimentCard {
        id: folder.id.clone(),
        title: progress.result.title.clone(),
        game: progress.game.clone(),
        state: state_of(&folder.path, progress),
        done: progress.runs.iter().filter(|run| run.scores.is_some()).count(),
        total: progress.runs.len(),
        updated_at: changed_at(&folder.path),
    }
}

#[derive(Serialize)]
struct ExperimentsResponse {
    experiments: Vec<ExperimentCard>,
}

async fn list(State(state): State<AppState>) -> Result<Json<ExperimentsResponse>, ApiError> {
    Ok(Json(ExperimentsResponse { experiments: cards(&state).await? }))
}

/// Returns the latest experiments, running ones first.
pub(super) async fn cards(state: &AppState) -> Result<Vec<ExperimentCard>, ApiError> {
    let shared = state.clone();
    let work = move || {
        let mut folders = all(&shared.options().runs);
        let age = |folder: &Folder| std::cmp::Reverse(changed_at(&folder.path));
        folders.sort_by_cached_key(|folder| (age(folder), folder.id.clone()));
        folders.truncate(MAX_CARDS);
        let known = shared.lab().experiments();
        let card = |folder: &Folder| Some(card_of(folder, &*known.of(folder)?));
        let mut cards: Vec<ExperimentCard> = folders.iter().filter_map(card).collect();
        cards.sort_by_key(|card| card.state != "running");
        Ok(cards)
    };
    state.blocking(work).await
}

/// The details of an experiment.
#[derive(Serialize)]
struct ExperimentResponse {
    #[serde(flatten)]
    card: ExperimentCard,
    /// The varied keys.
    keys: Vec<String>,
    seeds: Vec<u64>,
    opponents: Vec<String>,
    cells: Vec<CellRow>,
    plot: Option<PlotView>,
    runs: Vec<RunRow>,
    /// Its file.
    toml: String,
    /// Whether the plot exists as a file.
    picture: bool,
}

/// The result of a cell against one opponent.
#[derive(Serialize)]
struct CellRow {
    values: Vec<String>,
    opponent: String,
    /// The mean over the completed seeds; `None` before the first.
    score: Option<f64>,
    error: Option<f64>,
    elo: Option<f64>,
    games: u64,
    /// The score of each seed, in order.
    scores: Vec<Option<f64>>,
}

/// The score over the values of a key.
#[derive(Serialize)]
struct PlotView {
    key: String,
    /// The values of a key that is not numeric; x = 0 is the first.
    labels: Option<Vec<String>>,
    series: Vec<MetricSeries>,
}

#[derive(Serialize)]
struct RunRow {
    name: String,
    values: Vec<String>,
    seed: u64,
    /// `waiting`, or the state of the run.
    state: &'static str,
    /// The id of a started training run.
    run: Option<String>,
}

async fn one(
    State(state): State<AppState>,
    Address(id): Address<String>,
) -> Result<Json<ExperimentResponse>, ApiError> {
    let shared = state.clone();
    let work = move || {
        let folder = find(&shared.options().runs, &id)?;
        let progress = shared
            .lab()
            .experiments()
            .of(&folder)
            .ok_or_else(|| ApiError::conflict("experiment: invalid file; expected TOML"))?;
        Ok(about(&folder, &progress))
    };
    state.blocking(work).await.map(Json)
}

fn about(folder: &Folder, progress: &ExperimentProgress) -> ExperimentResponse {
    let result = &progress.result;
    ExperimentResponse {
        card: card_of(folder, progress),
        keys: result.keys.clone(),
        seeds: result.seeds.clone(),
        opponents: result.opponents.clone(),
        cells: rows_of(progress),
        plot: plot_of(progress),
        runs: progress.runs.iter().map(|run| run_of(folder, run)).collect(),
        toml: progress.text.clone(),
        picture: folder.path.join(PICTURE).is_file(),
    }
}

fn rows_of(progress: &ExperimentProgress) -> Vec<CellRow> {
    let result = &progress.result;
    let row = |(number, row): (usize, &ExperimentCell)| {
        let is_known = !row.scores.is_empty();
        // The opponents of a cell are adjacent.
        let cell = number / result.opponents.len().max(1);
        let runs = progress.runs.iter().filter(|run| run.cell == cell);
        let score =
            |run: &experiment::ExperimentRun| Some(run.scores.as_ref()?.get(&row.opponent)?.score);
        CellRow {
            values: row.values.clone(),
            opponent: row.opponent.clone(),
            score: is_known.then_some(row.score),
            error: is_known.then_some(row.error),
            elo: row.elo,
            games: row.games,
            scores: runs.map(score).collect(),
        }
    };
    result.cells.iter().enumerate().map(row).collect()
}

fn plot_of(progress: &ExperimentProgress) -> Option<PlotView> {
    let plot = progress.result.plot()?;
    let series = plot.curves.into_iter().map(|curve| MetricSeries {
        label: if curve.name.is_empty() { "score".to_string() } else { curve.name.clone() },
        name: curve.name,
        points: curve.points.into_iter().map(|(x, y)| [x, y]).collect(),
        errors: Some(curve.errors),
    });
    Some(PlotView { key: plot.key, labels: plot.labels, series: series.collect() })
}

fn run_of(folder: &Folder, run: &experiment::ExperimentRun) -> RunRow {
    let path = folder.path.join(&run.name);
    let begun = folders::holds_run(&path);
    let state = match (&run.scores, begun) {
        (Some(_), _) => "finished",
        (None, true) => folders::state_of(&path),
        (None, false) => "waiting",
    };
    RunRow {
        name: run.name.clone(),
        values: run.values.clone(),
        seed: run.seed,
        state,
        run: begun.then(|| format!("{}/{}", folder.id, run.name)),
    }
}

async fn picture(
    State(state): State<AppState>,
    Address(id): Address<String>,
) -> Result<Response, ApiError> {
    let runs = state.options().runs.clone();
    let work = move || {
        let folder = find(&runs, &id)?;
        let path = folder.path.join(PICTURE);
        let missing = || ApiError::missing("plot: not found; the experiment is not finished");
        if !folders::is_inside(&path, &folder.path) {
            return Err(missing());
        }
        folders::text_of(&path, MAX_PICTURE_BYTES).ok_or_else(missing)
    };
    let svg = state.blocking(work).await?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}
