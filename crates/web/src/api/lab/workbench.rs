//! Starts, stops and resumes jobs for operators, and summarizes the lab for all clients.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Path as Address, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::job_command::{self, LabJobKind, StartMode};
use super::jobs::{self, Job, JobRequest, MAX_PARALLEL_JOBS};
use super::process::ProcessEnd;
use super::{examples, experiments, runs, tournaments};
use crate::access::{Operator, Role, TOKEN_REQUIRED};
use crate::errors::ApiError;
use crate::extract::JsonBody;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/jobs", get(list).post(start))
        .route("/api/lab/jobs/{id}/stop", post(stop))
        .route("/api/lab/jobs/{id}/resume", post(resume))
        .route("/api/lab/summary", get(summary))
}

/// The time to wait for an early error of the program.
const START_WAIT: Duration = Duration::from_millis(1500);

#[derive(Serialize)]
struct JobsResponse {
    jobs: Vec<Job>,
    /// Whether the client may start and stop jobs.
    allowed: bool,
    /// Why it may not.
    why: Option<&'static str>,
    /// Whether a token would allow it.
    token: bool,
    most_at_once: usize,
    /// Whether remote workers can play games of jobs.
    workers: bool,
}

async fn list(State(state): State<AppState>, role: Role) -> Result<Json<JobsResponse>, ApiError> {
    let may = role == Role::Operator;
    let shared = state.clone();
    let work = move || Ok(shared.lab().jobs().list(&shared.options().runs));
    let mut jobs = state.blocking(work).await?;
    if !may {
        // The output may name files.
        jobs.iter_mut().for_each(|job| job.output.clear());
    }
    let program = state.options().program.is_some();
    let why = match (may, program) {
        (false, _) => Some(TOKEN_REQUIRED),
        (true, false) => Some(jobs::NO_PROGRAM),
        (true, true) => None,
    };
    let token = !may && state.options().token.is_some();
    let workers = jobs::can_be_shared(state.options());
    let allowed = why.is_none();
    Ok(Json(JobsResponse { jobs, allowed, why, token, most_at_once: MAX_PARALLEL_JOBS, workers }))
}

/// The settings of a job, or the name of an example.
#[derive(Deserialize)]
struct StartRequest {
    kind: Option<LabJobKind>,
    toml: Option<String>,
    example: Option<String>,
    name: Option<String>,
    /// Whether remote workers play the games.
    workers: Option<bool>,
}

async fn start(
    _: Operator,
    State(state): State<AppState>,
    JsonBody(request): JsonBody<StartRequest>,
) -> Result<Json<Value>, ApiError> {
    let request = job_request(request)?;
    let shared = state.clone();
    let work = move || shared.lab().jobs().start(shared.options(), &request);
    let id = state.blocking(work).await?;
    await_start(&state, &id, StartMode::New).await?;
    Ok(Json(json!({ "id": id })))
}

const KINDS: &str = "train, tournament, match, experiment or reproduce";

fn job_request(request: StartRequest) -> Result<JobRequest, ApiError> {
    let example = match request.example.as_deref() {
        None => None,
        Some(name) => Some(examples::find(name).ok_or_else(|| {
            let name: String = name.chars().take(60).collect();
            ApiError::missing(format!("example '{name}': not found; see /api/lab/examples"))
        })?),
    };
    let kind = request.kind.or(example.as_ref().map(|example| example.kind));
    let kind = kind.ok_or_else(|| ApiError::bad(format!("kind: missing; expected {KINDS}")))?;
    let toml = request.toml.or(example.as_ref().map(|example| example.text.clone()));
    let missing = "settings: missing; expected `toml` or `example`";
    let toml = toml.ok_or_else(|| ApiError::bad(missing))?;
    let usual = match kind {
        LabJobKind::Train => "training",
        LabJobKind::Tournament => "tournament",
        LabJobKind::Match => "match",
        LabJobKind::Experiment => "experiment",
        LabJobKind::Reproduce => job_command::reproduction_id(&toml)?,
    };
    let stem = example.as_ref().and_then(|it| it.name.rsplit('/').next()?.strip_suffix(".toml"));
    let name = request.name.filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| stem.unwrap_or(usual).to_string());
    jobs::check_name(&name)?;
    // Reproductions run on one machine.
    let workers = request.workers.unwrap_or(false) && kind != LabJobKind::Reproduce;
    Ok(JobRequest { kind, toml, name, workers })
}

/// Waits for an early failure, so that the response can report an invalid file.
async fn await_start(state: &AppState, id: &str, start: StartMode) -> Result<(), ApiError> {
    let since = Instant::now();
    while since.elapsed() < START_WAIT {
        match state.lab().jobs().end_of(id) {
            Some(ProcessEnd::Failed) => {
                let (runs, id) = (state.options().runs.clone(), id.to_string());
                return state.blocking(move || Err(jobs::failure(&runs, &id, start))).await;
            }
            Some(_) => return Ok(()),
            None => tokio::time::sleep(Duration::from_millis(30)).await,
        }
    }
    Ok(())
}

async fn stop(
    _: Operator,
    State(state): State<AppState>,
    Address(id): Address<String>,
) -> Result<Json<Value>, ApiError> {
    let shared = state.clone();
    let work = move || shared.lab().jobs().stop(&shared.options().runs, &id);
    state.blocking(work).await?;
    Ok(Json(json!({ "stopping": true })))
}

async fn resume(
    _: Operator,
    State(state): State<AppState>,
    Address(id): Address<String>,
) -> Result<Json<Value>, ApiError> {
    let shared = state.clone();
    let name = id.clone();
    let work = move || shared.lab().jobs().resume(shared.options(), &name);
    state.blocking(work).await?;
    await_start(&state, &id, StartMode::Resume).await?;
    Ok(Json(json!({ "id": id })))
}

/// A summary of the running and the latest work.
#[derive(Clone, Serialize)]
struct Summary {
    running: Vec<SummaryItem>,
    latest: Vec<SummaryItem>,
    runs: usize,
    events: usize,
}

#[derive(Clone, Serialize)]
struct SummaryItem {
    words: String,
    href: String,
    at: u64,
}

/// The most items of each list.
const MAX_ITEMS: usize = 4;

/// The summary is cached, because the home page requests it.
const CACHE_TIME: Duration = Duration::from_secs(2);

/// The cached summary.
#[derive(Default)]
pub(super) struct SummaryCache(Mutex<Option<(Instant, Summary)>>);

async fn summary(State(state): State<AppState>) -> Result<Json<Summary>, ApiError> {
    let known = || state.lab().summary().0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, summary)) = &*known()
        && at.elapsed() < CACHE_TIME
    {
        return Ok(Json(summary.clone()));
    }
    let summary = build_summary(&state).await?;
    *known() = Some((Instant::now(), summary.clone()));
    Ok(Json(summary))
}

async fn build_summary(state: &AppState) -> Result<Summary, ApiError> {
    let (cards, left_out) = runs::cards(state, runs::RunFilter::Alone).await?;
    let events = tournaments::cards(state).await?;
    let tried = experiments::cards(state).await?;
    let of_run = |card: &runs::RunCard| SummaryItem {
        words: run_words(card),
        href: format!("/lab/runs/{}", card.id),
        at: card.updated_at,
    };
    let of_event = |card: &tournaments::EventCard| SummaryItem {
        words: card.text(),
        href: format!("/lab/tournaments/{}", card.id),
        at: card.updated_at,
    };
    let of_experiment = |card: &experiments::ExperimentCard| SummaryItem {
        words: card.text(),
        href: format!("/lab/experiments/{}", card.id),
        at: card.updated_at,
    };
    let items = |running: bool| {
        let tried = tried.iter().filter(|card| (card.state == "running") == running);
        let runs = cards.iter().filter(|card| (card.state == "running") == running).map(of_run);
        let tables = events.iter().filter(|card| (card.state == "running") == running);
        let words = runs.chain(tables.map(of_event)).chain(tried.map(of_experiment));
        let mut words: Vec<SummaryItem> = words.collect();
        words.sort_by_key(|words| std::cmp::Reverse(words.at));
        words.truncate(MAX_ITEMS);
        words
    };
    Ok(Summary {
        running: items(true),
        latest: items(false),
        runs: cards.len() + left_out,
        events: events.len(),
    })
}

fn run_words(card: &runs::RunCard) -> String {
    let goal = card.goal.map_or(String::new(), |goal| format!(" of {goal}"));
    let game = if card.game.is_empty() { String::new() } else { format!(" for {}", card.game) };
    let far = match card.unit.as_str() {
        "" => "just started".to_string(),
        unit => format!("{unit} {}{goal}", card.step),
    };
    format!("{}{game} ({}): {far}", card.learner, card.name)
}
