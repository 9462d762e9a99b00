//! Training runs: a list of cards, and the details, plots and forests of one.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::{Path as Address, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_learn::evolution::KIND;
use tesuji_learn::forest::picture::{ForestPicture, PictureOptions};
use tesuji_learn::forest::xml;
use tesuji_learn::read_settings;
use tesuji_train::RunSettings;

use super::folders::{self, Folder};
use super::metrics::{self, BestStep, MetricSeries, RunChart, RunMetrics};
use super::results::{self, Population, RunModel, SampleGame};
use super::{experiments, model_file};
use crate::errors::ApiError;
use crate::extract::QueryParams;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/runs", get(list))
        .route("/api/lab/runs/{id}", get(one))
        .route("/api/lab/runs/{id}/plots/{name}", get(plot))
        .route("/api/lab/runs/{id}/forest", get(forest))
}

/// The most listed runs, latest first.
const MAX_CARDS: usize = 100;
/// The most points of a card's curve.
const CARD_POINTS: usize = 200;
/// The most points of a run's curve.
const RUN_POINTS: usize = 1000;
/// The largest file of settings.
pub(super) const MAX_SETTINGS: u64 = 256 << 10;
/// The largest plot.
const MAX_PLOT: u64 = 4 << 20;
/// The largest forest.
const MAX_FOREST: u64 = 32 << 20;

/// A summary of a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunCard {
    pub(super) id: String,
    pub(super) learner: String,
    pub(super) game: String,
    pub(super) name: String,
    pub(super) state: &'static str,
    /// The last step.
    pub(super) step: u64,
    /// The name of a step; empty before the first step.
    pub(super) unit: String,
    /// The last step by the settings.
    pub(super) goal: Option<u64>,
    pub(super) main: Option<MetricSeries>,
    pub(super) updated_at: u64,
}

/// The part of a card that changes only with the files of the run.
#[derive(Debug)]
struct RunSummary {
    learner: String,
    game: String,
    goal: Option<u64>,
    unit: String,
    last: Option<u64>,
    main: Option<MetricSeries>,
}

/// Cached summaries, as pages request them often.
#[derive(Default)]
pub(crate) struct RunSummaryCache(Mutex<HashMap<String, (Stamp, Arc<RunSummary>)>>);

/// The modification time and size of a run's metrics; `None` before the first line.
type Stamp = Option<(SystemTime, u64)>;

impl RunSummaryCache {
    fn of(&self, folder: &Folder) -> Arc<RunSummary> {
        let stamp = folders::stamp_of(&folder.path.join(metrics::FILE));
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&folder.id).cloned();
        if let Some((_, summary)) = known.filter(|(known, _)| *known == stamp) {
            return summary;
        }
        let summary = Arc::new(read_summary(folder, CARD_POINTS));
        let mut summaries = lock();
        if summaries.len() >= 10 * MAX_CARDS {
            summaries.clear();
        }
        summaries.insert(folder.id.clone(), (stamp, summary.clone()));
        summary
    }
}

fn read_summary(folder: &Folder, points: usize) -> RunSummary {
    let settings = settings_of(&folder.path);
    let kind = settings.as_ref().map(|settings| settings.kind);
    let metrics = metrics::read(&folder.path, kind, points);
    let unit = metrics.last.and(kind).map_or("", |kind| kind.step.singular);
    RunSummary {
        learner: kind.map_or("unknown", |kind| kind.name).to_string(),
        game: settings.as_ref().map_or(String::new(), |it| it.common.game.clone()),
        goal: settings.as_ref().and_then(|it| it.common.steps),
        main: metrics::main_series(kind, &metrics),
        unit: unit.to_string(),
        last: metrics.last,
    }
}

fn settings_of(path: &Path) -> Option<RunSettings> {
    let text = folders::text_of(&path.join(folders::SETTINGS), MAX_SETTINGS)?;
    read_settings(&text).ok()
}

fn card_of(folder: &Folder, summary: &RunSummary) -> RunCard {
    let changed = |name: &str| folders::changed_at(&folder.path.join(name));
    RunCard {
        id: folder.id.clone(),
        learner: summary.learner.clone(),
        game: summary.game.clone(),
        name: folder.id.clone(),
        state: folders::state_of(&folder.path),
        step: summary.last.unwrap_or(0),
        unit: summary.unit.clone(),
        goal: summary.goal,
        main: summary.main.clone(),
        updated_at: changed(metrics::FILE).or_else(|| changed(folders::SETTINGS)).unwrap_or(0),
    }
}

#[derive(Serialize)]
struct RunsResponse {
    runs: Vec<RunCard>,
    /// The number of older runs that are not listed.
    left_out: usize,
}

/// The amount of data; polling pages request little.
#[derive(Deserialize)]
struct RunsQuery {
    /// The most runs.
    limit: Option<usize>,
    /// The most points of a curve.
    points: Option<usize>,
    /// Whether to leave out the runs of experiments.
    alone: Option<bool>,
}

async fn list(
    State(state): State<AppState>,
    QueryParams(RunsQuery { limit, points, alone }): QueryParams<RunsQuery>,
) -> Result<Json<RunsResponse>, ApiError> {
    let filter = if alone.unwrap_or(false) { RunFilter::Alone } else { RunFilter::All };
    let (mut runs, left_out) = cards(&state, filter).await?;
    let all = runs.len() + left_out;
    runs.truncate(limit.unwrap_or(MAX_CARDS).max(1));
    let points = points.unwrap_or(CARD_POINTS).clamp(2, CARD_POINTS);
    for series in runs.iter_mut().filter_map(|card| card.main.as_mut()) {
        series.downsample(points);
    }
    Ok(Json(RunsResponse { left_out: all - runs.len(), runs }))
}

/// Which runs to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RunFilter {
    All,
    /// Runs outside of experiments.
    Alone,
}

/// The latest runs, running ones first, and the number of runs that are left out.
pub(super) async fn cards(
    state: &AppState,
    filter: RunFilter,
) -> Result<(Vec<RunCard>, usize), ApiError> {
    let shared = state.clone();
    let work = move || {
        let mut folders = folders::all(&shared.options().runs);
        folders.retain(|folder| filter == RunFilter::All || experiments::of_run(folder).is_none());
        let age = |folder: &Folder| {
            let changed = |name: &str| folders::changed_at(&folder.path.join(name));
            std::cmp::Reverse(changed(metrics::FILE).or_else(|| changed(folders::SETTINGS)))
        };
        folders.sort_by_cached_key(|folder| (age(folder), folder.id.clone()));
        let left_out = folders.len().saturating_sub(MAX_CARDS);
        folders.truncate(MAX_CARDS);
        let summaries = shared.lab().run_summaries();
        let mut cards: Vec<RunCard> =
            folders.iter().map(|folder| card_of(folder, &summaries.of(folder))).collect();
        cards.sort_by_key(|card| card.state != "running");
        Ok((cards, left_out))
    };
    state.blocking(work).await
}

/// The details of a run.
#[derive(Serialize)]
struct RunResponse {
    #[serde(flatten)]
    card: RunCard,
    /// All settings, as the run wrote them.
    settings: String,
    /// The experiment of the run.
    experiment: Option<String>,
    /// The step of the best model, if models were measured.
    best: Option<BestStep>,
    series: Vec<MetricSeries>,
    charts: Vec<RunChart>,
    /// The plots drawn by the run.
    plots: Vec<String>,
    models: Vec<RunModel>,
    population: Option<Population>,
    games: Vec<SampleGame>,
    log: Vec<String>,
}

async fn one(
    State(state): State<AppState>,
    Address(id): Address<String>,
    QueryParams(RunsQuery { points, .. }): QueryParams<RunsQuery>,
) -> Result<Json<RunResponse>, ApiError> {
    let runs = state.options().runs.clone();
    let points = points.unwrap_or(RUN_POINTS).clamp(2, RUN_POINTS);
    let work = move || {
        let folder = folders::find(&runs, &id)?;
        Ok(about(&folder, points))
    };
    state.blocking(work).await.map(Json)
}

fn about(folder: &Folder, points: usize) -> RunResponse {
    let settings = settings_of(&folder.path);
    let kind = settings.as_ref().map(|settings| settings.kind);
    let metrics = metrics::read(&folder.path, kind, points);
    let text = folders::text_of(&folder.path.join(folders::SETTINGS), MAX_SETTINGS);
    let RunMetrics { series, .. } = &metrics;
    RunResponse {
        card: card_of(folder, &read_summary(folder, CARD_POINTS.min(points))),
        settings: text.unwrap_or_default(),
        experiment: experiments::of_run(folder),
        best: metrics.best,
        charts: metrics::charts(kind, &metrics),
        series: series.clone(),
        plots: plots_of(&folder.path),
        models: settings.as_ref().map_or(Vec::new(), |it| results::models(&folder.path, it)),
        population: results::population(&folder.path),
        games: results::games(&folder.path),
        log: folders::tail_of(&folder.path.join("log.txt"), 8 << 10, 12),
    }
}

/// The names of the plots, without extension.
fn plots_of(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path.join("plots")).into_iter().flatten().flatten().take(100);
    let name = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(|name| folders::is_plain(name))?;
        name.strip_suffix(".svg").map(str::to_string)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}

async fn plot(
    State(state): State<AppState>,
    Address((id, name)): Address<(String, String)>,
) -> Result<Response, ApiError> {
    let runs = state.options().runs.clone();
    let work = move || {
        let missing = || ApiError::missing("plot: not found; see `plots` of the run");
        let folder = folders::find(&runs, &id)?;
        let known = folders::is_plain(&name) && name.ends_with(".svg");
        let path = folder.path.join("plots").join(known.then_some(&name).ok_or_else(missing)?);
        if !folders::is_inside(&path, &folder.path) {
            return Err(missing());
        }
        folders::text_of(&path, MAX_PLOT).ok_or_else(missing)
    };
    let svg = state.blocking(work).await?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

#[derive(Deserialize)]
struct ForestQuery {
    /// The step; by default the best forest.
    step: Option<u32>,
}

/// Returns the patterns and rules of a forest.
async fn forest(
    State(state): State<AppState>,
    Address(id): Address<String>,
    QueryParams(filter): QueryParams<ForestQuery>,
) -> Result<Json<ForestPicture>, ApiError> {
    let runs = state.options().runs.clone();
    let work = move || {
        let folder = folders::find(&runs, &id)?;
        let path = match filter.step {
            Some(step) => model_file::of_step(&folder.path, &KIND, step),
            None => folder.path.join(model_file::best(&KIND)),
        };
        let missing = || ApiError::missing("forest: not found in this run");
        if !folders::is_inside(&path, &folder.path) {
            return Err(missing());
        }
        let mut bytes = Vec::new();
        let file = folders::open(&path).map_err(|_| missing())?;
        let read = file.take(MAX_FOREST + 1).read_to_end(&mut bytes).map_err(|_| missing())?;
        if read as u64 > MAX_FOREST {
            return Err(missing());
        }
        let forest = xml::read(&bytes)
            .map_err(|_| ApiError::conflict("forest: incomplete or damaged; retry"))?;
        Ok(ForestPicture::of(&forest, PictureOptions { trees: 24, rules: 1 }))
    };
    state.blocking(work).await.map(Json)
}
