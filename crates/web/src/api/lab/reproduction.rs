//! Reproduction: what can be made again of the published systems, and the reports there are, made here or shipped with the
//! program. Only ids of the catalogue become names of files.

use std::path::Path;

use axum::extract::{Path as Address, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_reproduce::{
    Effort, Experiment, Report, Verdict, catalogue, experiments, picture, shipped,
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

/// No report is larger.
const MAX_REPORT_BYTES: u64 = 4 << 20;
/// No picture is larger.
const MAX_PICTURE_BYTES: u64 = 4 << 20;

/// Where a report comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    /// Made on this machine.
    Here,
    /// Came with the program.
    Shipped,
}

/// What was made here comes first.
const ORIGINS: [Origin; 2] = [Origin::Here, Origin::Shipped];

/// A table or figure that can be made again.
#[derive(Serialize)]
struct ExperimentInfo {
    id: &'static str,
    document: &'static str,
    place: &'static str,
    title: &'static str,
    command: String,
}

impl ExperimentInfo {
    fn of(experiment: &'static Experiment) -> ExperimentInfo {
        let &Experiment { id, source, place, title, .. } = experiment;
        let command = format!("tesuji reproduce {id}");
        ExperimentInfo { id, document: source.document(), place, title, command }
    }
}

/// A report in a few words.
#[derive(Serialize)]
struct ReportSummary {
    agrees: usize,
    better: usize,
    differs: usize,
    /// All of that as words.
    summary: String,
    effort: Effort,
    day: String,
}

impl ReportSummary {
    fn of(report: &Report) -> ReportSummary {
        let count = |wanted| report.rows().filter(|row| row.verdict == wanted).count();
        ReportSummary {
            agrees: count(Verdict::Agrees),
            better: count(Verdict::Better),
            differs: count(Verdict::Differs),
            summary: report.summary(),
            effort: report.effort,
            day: report.made.day.clone(),
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
    let card = move |experiment: &'static Experiment| {
        let summary =
            |origin| report_of(&folder, experiment.id, origin).as_ref().map(ReportSummary::of);
        let [here, shipped] = ORIGINS.map(summary);
        ReproductionCard { about: ExperimentInfo::of(experiment), here, shipped }
    };
    let work = move || Ok(ReproductionsResponse { experiments: experiments().map(card).collect() });
    state.blocking(work).await.map(Json)
}

/// ReportQuery report is wanted; without a word the first there is.
#[derive(Deserialize)]
struct ReportQuery {
    origin: Option<Origin>,
}

/// All about an experiment.
#[derive(Serialize)]
struct ReproductionResponse {
    #[serde(flatten)]
    about: ExperimentInfo,
    /// Where the report below comes from.
    origin: Option<Origin>,
    /// Where there are reports.
    origins: Vec<Origin>,
    report: Option<Report>,
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
        let mut found: Vec<(Origin, Report)> = ORIGINS.into_iter().filter_map(of).collect();
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

/// Commands of other programs may name files of this machine.
fn hide_programs(report: &mut Report) {
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
        let missing = || ApiError::missing("there is no report of this yet, and so no picture");
        ORIGINS.into_iter().filter(wanted).find_map(draw).ok_or_else(missing)
    };
    let svg = state.blocking(work).await?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

fn find(id: &str) -> Result<&'static Experiment, ApiError> {
    let missing = || ApiError::missing("there is no such experiment; the laboratory lists them");
    catalogue::find(id).ok_or_else(missing)
}

/// A report, if there is one that can be read and is what its name says.
fn report_of(folder: &Path, id: &str, origin: Origin) -> Option<Report> {
    match origin {
        Origin::Here => {
            let text = file_in(folder, &format!("{id}.json"), MAX_REPORT_BYTES)?;
            serde_json::from_str(&text).ok().filter(|report: &Report| report.id == id)
        }
        Origin::Shipped => shipped::report(id).cloned(),
    }
}

/// The picture of a report; where only its file is missing, it is report_picture again.
fn picture_of(folder: &Path, experiment: &Experiment, origin: Origin) -> Option<String> {
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
