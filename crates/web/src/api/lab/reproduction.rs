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
    ComparisonVerdict, Effort, Experiment, ReproductionReport, catalogue, experiments, picture,
    shipped,
};

use super::folders;
use crate::access::Access;
use crate::body::Asked;
use crate::errors::ApiError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/reproduction", get(list))
        .route("/api/lab/reproduction/{id}", get(one))
        .route("/api/lab/reproduction/{id}/picture.svg", get(drawn))
}

/// No report is larger.
const LARGEST_REPORT: u64 = 4 << 20;
/// No picture is larger.
const LARGEST_PICTURE: u64 = 4 << 20;

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
struct About {
    id: &'static str,
    document: &'static str,
    place: &'static str,
    title: &'static str,
    command: String,
}

impl About {
    fn of(experiment: &'static Experiment) -> About {
        let &Experiment { id, source, place, title, .. } = experiment;
        let command = format!("tesuji reproduce {id}");
        About { id, document: source.document(), place, title, command }
    }
}

/// A report in a few words.
#[derive(Serialize)]
struct Gist {
    agrees: usize,
    better: usize,
    differs: usize,
    /// All of that as words.
    summary: String,
    effort: Effort,
    day: String,
}

impl Gist {
    fn of(report: &ReproductionReport) -> Gist {
        let count = |wanted| report.rows().filter(|row| row.verdict == wanted).count();
        Gist {
            agrees: count(ComparisonVerdict::Agrees),
            better: count(ComparisonVerdict::Better),
            differs: count(ComparisonVerdict::Differs),
            summary: report.summary(),
            effort: report.effort,
            day: report.provenance.day.clone(),
        }
    }
}

#[derive(Serialize)]
struct Card {
    #[serde(flatten)]
    about: About,
    here: Option<Gist>,
    shipped: Option<Gist>,
}

#[derive(Serialize)]
struct Listed {
    experiments: Vec<Card>,
}

async fn list(State(state): State<AppState>) -> Result<Json<Listed>, ApiError> {
    let folder = state.options().reports.clone();
    let card = move |experiment: &'static Experiment| {
        let gist = |origin| report_of(&folder, experiment.id, origin).as_ref().map(Gist::of);
        let [here, shipped] = ORIGINS.map(gist);
        Card { about: About::of(experiment), here, shipped }
    };
    let work = move || Ok(Listed { experiments: experiments().map(card).collect() });
    state.blocking(work).await.map(Json)
}

/// Which report is wanted; without a word the first there is.
#[derive(Deserialize)]
struct Which {
    origin: Option<Origin>,
}

/// All about an experiment.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    about: About,
    /// Where the report below comes from.
    origin: Option<Origin>,
    /// Where there are reports.
    origins: Vec<Origin>,
    report: Option<ReproductionReport>,
}

async fn one(
    State(state): State<AppState>,
    access: Access,
    Address(id): Address<String>,
    Asked(which): Asked<Which>,
) -> Result<Json<Whole>, ApiError> {
    let experiment = find(&id)?;
    let looks_only = access == Access::Guest;
    let folder = state.options().reports.clone();
    let work = move || {
        let of = |origin| Some((origin, report_of(&folder, experiment.id, origin)?));
        let mut found: Vec<(Origin, ReproductionReport)> =
            ORIGINS.into_iter().filter_map(of).collect();
        let origins = found.iter().map(|(origin, _)| *origin).collect();
        found.retain(|(origin, _)| which.origin.is_none_or(|wanted| wanted == *origin));
        let first = found.into_iter().next();
        let (origin, mut report) = first.map_or((None, None), |(o, r)| (Some(o), Some(r)));
        if let Some(report) = report.as_mut().filter(|_| looks_only) {
            forget_programs(report);
        }
        Ok(Whole { about: About::of(experiment), origin, origins, report })
    };
    state.blocking(work).await.map(Json)
}

/// Commands of other programs may name files of this machine.
fn forget_programs(report: &mut ReproductionReport) {
    let kept = report.command.find(" --engine ").unwrap_or(report.command.len());
    report.command.truncate(kept);
}

async fn drawn(
    State(state): State<AppState>,
    Address(id): Address<String>,
    Asked(which): Asked<Which>,
) -> Result<Response, ApiError> {
    let experiment = find(&id)?;
    let folder = state.options().reports.clone();
    let work = move || {
        let wanted = |origin: &Origin| which.origin.is_none_or(|wanted: Origin| wanted == *origin);
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
fn report_of(folder: &Path, id: &str, origin: Origin) -> Option<ReproductionReport> {
    match origin {
        Origin::Here => {
            let text = file_in(folder, &format!("{id}.json"), LARGEST_REPORT)?;
            serde_json::from_str(&text).ok().filter(|report: &ReproductionReport| report.id == id)
        }
        Origin::Shipped => shipped::report(id).cloned(),
    }
}

/// The picture of a report; where only its file is missing, it is drawn again.
fn picture_of(folder: &Path, experiment: &Experiment, origin: Origin) -> Option<String> {
    let report = report_of(folder, experiment.id, origin)?;
    let kept = match origin {
        Origin::Here => file_in(folder, &format!("{}.svg", experiment.id), LARGEST_PICTURE),
        Origin::Shipped => shipped::picture(experiment.id),
    };
    let title = || format!("{}: {}", experiment.place, experiment.title);
    Some(kept.unwrap_or_else(|| picture::of_tables(&title(), &report.tables)))
}

fn file_in(folder: &Path, name: &str, most: u64) -> Option<String> {
    let path = folder.join(name);
    folders::is_inside(&path, folder).then(|| folders::text_of(&path, most)).flatten()
}
