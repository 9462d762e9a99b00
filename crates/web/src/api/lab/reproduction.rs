//! Reproduction: the catalogue of published tables and figures, and the reports made here or
//! shipped with the program. Only ids of the catalogue become file names.

use std::path::Path;

use axum::extract::{Path as Address, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_reproduce::{
    Effort, Reproduction, ReproductionReport, VerdictCounts, catalogue, experiments, picture,
    shipped,
};

use super::folders;
use crate::access::Role;
use crate::errors::ApiError;
use crate::extract::QueryParams;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/reproduction", get(list))
        .route("/api/lab/reproduction/{id}", get(one))
        .route("/api/lab/reproduction/{id}/picture.svg", get(report_picture))
}

/// The largest report.
const MAX_REPORT_BYTES: u64 = 4 << 20;
/// The largest picture.
const MAX_PICTURE_BYTES: u64 = 4 << 20;

/// The origin of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    /// Made on this server.
    Here,
    /// Shipped with the program.
    Shipped,
}

/// Reports made here take precedence.
const ORIGINS: [Origin; 2] = [Origin::Here, Origin::Shipped];

/// A published table or figure.
#[derive(Serialize)]
struct ExperimentInfo {
    id: &'static str,
    document: &'static str,
    place: &'static str,
    title: &'static str,
    command: String,
}

impl ExperimentInfo {
    fn of(experiment: &'static Reproduction) -> ExperimentInfo {
        let &Reproduction { id, source, place, title, .. } = experiment;
        let command = format!("tesuji reproduce {id}");
        ExperimentInfo { id, document: source.document(), place, title, command }
    }
}

/// A summary of a report.
#[derive(Serialize)]
struct ReportSummary {
    /// Number of rows with each verdict.
    #[serde(flatten)]
    counts: VerdictCounts,
    /// All counts as text.
    summary: String,
    effort: Effort,
    day: String,
}

impl ReportSummary {
    fn of(report: &ReproductionReport) -> ReportSummary {
        ReportSummary {
            counts: report.counts,
            summary: report.summary(),
            effort: report.effort,
            day: report.provenance.day.clone(),
        }
    }
}

#[derive(Serialize)]
struct ReproductionCard {
    #[serde(flatten)]
    about: ExperimentInfo,
    here: Option<ReportSummary>,
    shipped: Option<ReportSummary>,
}

#[derive(Serialize)]
struct ReproductionsResponse {
    experiments: Vec<ReproductionCard>,
}

async fn list(State(state): State<AppState>) -> Result<Json<ReproductionsResponse>, ApiError> {
    let folder = state.options().reports.clone();
    let card = move |experiment: &'static Reproduction| {
        let summary =
            |origin| report_of(&folder, experiment.id, origin).as_ref().map(ReportSummary::of);
        let [here, shipped] = ORIGINS.map(summary);
        ReproductionCard { about: ExperimentInfo::of(experiment), here, shipped }
    };
    let work = move || Ok(ReproductionsResponse { experiments: experiments().map(card).collect() });
    state.blocking(work).await.map(Json)
}

/// The requested report; by default the first available one.
#[derive(Deserialize)]
struct ReportQuery {
    origin: Option<Origin>,
}

/// The details of an experiment.
#[derive(Serialize)]
struct ReproductionResponse {
    #[serde(flatten)]
    about: ExperimentInfo,
    /// The origin of the report.
    origin: Option<Origin>,
    /// The origins of all available reports.
    origins: Vec<Origin>,
    report: Option<ReproductionReport>,
}

async fn one(
    State(state): State<AppState>,
    role: Role,
    Address(id): Address<String>,
    QueryParams(query): QueryParams<ReportQuery>,
) -> Result<Json<ReproductionResponse>, ApiError> {
    let experiment = find(&id)?;
    let is_guest = role == Role::Guest;
    let folder = state.options().reports.clone();
    let work = move || {
        let of = |origin| Some((origin, report_of(&folder, experiment.id, origin)?));
        let mut found: Vec<(Origin, ReproductionReport)> =
            ORIGINS.into_iter().filter_map(of).collect();
        let origins = found.iter().map(|(origin, _)| *origin).collect();
        found.retain(|(origin, _)| query.origin.is_none_or(|wanted| wanted == *origin));
        let first = found.into_iter().next();
        let (origin, mut report) = first.map_or((None, None), |(o, r)| (Some(o), Some(r)));
        if let Some(report) = report.as_mut().filter(|_| is_guest) {
            hide_programs(report);
        }
        Ok(ReproductionResponse { about: ExperimentInfo::of(experiment), origin, origins, report })
    };
    state.blocking(work).await.map(Json)
}

/// Hides commands of other programs, which may name files of this machine.
fn hide_programs(report: &mut ReproductionReport) {
    let kept = report.command.find(" --engine ").unwrap_or(report.command.len());
    report.command.truncate(kept);
}

async fn report_picture(
    State(state): State<AppState>,
    Address(id): Address<String>,
    QueryParams(query): QueryParams<ReportQuery>,
) -> Result<Response, ApiError> {
    let experiment = find(&id)?;
    let folder = state.options().reports.clone();
    let work = move || {
        let wanted = |origin: &Origin| query.origin.is_none_or(|wanted: Origin| wanted == *origin);
        let draw = |origin| picture_of(&folder, experiment, origin);
        let missing = || ApiError::missing("picture: not found; the experiment has no report");
        ORIGINS.into_iter().filter(wanted).find_map(draw).ok_or_else(missing)
    };
    let svg = state.blocking(work).await?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

fn find(id: &str) -> Result<&'static Reproduction, ApiError> {
    let missing = || ApiError::missing("experiment: not found; see /api/lab/reproduction");
    catalogue::find(id).ok_or_else(missing)
}

/// Reads a report; `None` if it is invalid or has another id.
fn report_of(folder: &Path, id: &str, origin: Origin) -> Option<ReproductionReport> {
    match origin {
        Origin::Here => {
            let text = file_in(folder, &format!("{id}.json"), MAX_REPORT_BYTES)?;
            serde_json::from_str(&text).ok().filter(|report: &ReproductionReport| report.id == id)
        }
        Origin::Shipped => shipped::report(id).cloned(),
    }
}

/// The picture of a report; drawn again if its file is missing.
fn picture_of(folder: &Path, experiment: &Reproduction, origin: Origin) -> Option<String> {
    let report = report_of(folder, experiment.id, origin)?;
    let kept = match origin {
        Origin::Here => file_in(folder, &format!("{}.svg", experiment.id), MAX_PICTURE_BYTES),
        Origin::Shipped => shipped::picture(experiment.id),
    };
    let title = || format!("{}: {}", experiment.place, experiment.title);
    Some(kept.unwrap_or_else(|| picture::of_tables(&title(), &report.tables)))
}

fn file_in(folder: &Path, name: &str, most: u64) -> Option<String> {
    let path = folder.join(name);
    folders::is_inside(&path, folder).then(|| folders::text_of(&path, most)).flatten()
}
