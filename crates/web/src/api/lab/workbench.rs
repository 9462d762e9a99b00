//! Starting, stopping and carrying on with jobs, for those who may; and what the laboratory is doing, for everybody.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Path as Address, State};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::jobs::{self, Job, MOST_AT_ONCE, Order};
use super::order::{self, Kind, Start};
use super::process::End;
use super::{examples, runs, tournaments};
use crate::body;
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/jobs", get(list).post(start))
        .route("/api/lab/jobs/{id}/stop", post(stop))
        .route("/api/lab/jobs/{id}/resume", post(resume))
        .route("/api/lab/summary", get(summary))
}

/// So long it is waited whether the program likes what it was given.
const FIRST_LOOK: Duration = Duration::from_millis(1500);

/// What somebody may do here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Right {
    /// Sits at this machine: everything.
    Here,
    /// Knows the word: everything that reaches no files and starts no programs of this machine.
    Elsewhere,
    /// Look only.
    None,
}

pub(super) fn right(state: &AppState, client: &Client, headers: &HeaderMap) -> Right {
    // A program in between speaks for people elsewhere.
    let is_passed_on = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]
        .iter()
        .any(|name| headers.contains_key(*name));
    if client.is_local() && !is_passed_on && is_asked_by_address(headers) {
        return Right::Here;
    }
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let word = given.and_then(|value| value.strip_prefix("Bearer "));
    let expected = state.options().token.as_deref();
    // Digests are compared in a time that tells nothing about the word.
    let same = word.zip(expected).is_some_and(|(word, expected)| {
        blake3::hash(word.as_bytes()) == blake3::hash(expected.as_bytes())
    });
    if same { Right::Elsewhere } else { Right::None }
}

/// Whether the server was called by a number or as `localhost`. Another site's name may lead here as well, and then its
/// pages look like ours to a browser at this machine.
fn is_asked_by_address(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let host = host.to_str().unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let number = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || number.parse::<IpAddr>().is_ok()
}

/// The right to start and stop, or why there is none.
pub(super) fn demand(
    state: &AppState,
    client: &Client,
    headers: &HeaderMap,
) -> Result<Right, ApiError> {
    match right(state, client, headers) {
        Right::None => Err(ApiError::forbidden(why_not(state))),
        right => Ok(right),
    }
}

pub(super) fn why_not(state: &AppState) -> &'static str {
    match state.options().token {
        Some(_) => "from another machine this needs the server's token",
        None => "runs are started and stopped at the machine of the server",
    }
}

#[derive(Serialize)]
struct Listed {
    jobs: Vec<Job>,
    /// Whether the one who asks may start and stop.
    allowed: bool,
    /// If not, why.
    why: Option<&'static str>,
    /// Whether a token would help.
    token: bool,
    most_at_once: usize,
    /// Whether games can be left to the workers of other machines.
    workers: bool,
}

async fn list(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
) -> Result<Json<Listed>, ApiError> {
    let may = right(&state, &client, &headers) != Right::None;
    let shared = state.clone();
    let work = move || Ok(shared.lab().jobs().list(&shared.options().runs));
    let mut jobs = state.blocking(work).await?;
    if !may {
        // What programs say may name files.
        jobs.iter_mut().for_each(|job| job.output.clear());
    }
    let program = state.options().program.is_some();
    let why = match (may, program) {
        (false, _) => Some(why_not(&state)),
        (true, false) => Some("nothing can be started here: the server knows no program"),
        (true, true) => None,
    };
    let token = !may && state.options().token.is_some();
    let workers = jobs::can_be_shared(state.options());
    let allowed = why.is_none();
    Ok(Json(Listed { jobs, allowed, why, token, most_at_once: MOST_AT_ONCE, workers }))
}

/// A file, as it was pasted or by the name of an example.
#[derive(Deserialize)]
struct Wanted {
    kind: Option<Kind>,
    toml: Option<String>,
    example: Option<String>,
    name: Option<String>,
    /// Whether the games are for the workers of all machines.
    workers: Option<bool>,
}

async fn start(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    body::Json(wanted): body::Json<Wanted>,
) -> Result<Json<Value>, ApiError> {
    let right = demand(&state, &client, &headers)?;
    let order = order_of(wanted)?;
    if right == Right::Elsewhere {
        order::check_for_strangers(&state, order.kind, &order.toml)?;
    }
    let shared = state.clone();
    let work = move || shared.lab().jobs().start(shared.options(), &order);
    let id = state.blocking(work).await?;
    first_look(&state, &id, Start::New).await?;
    Ok(Json(json!({ "id": id })))
}

const KINDS: &str = "train, tournament, match or reproduce";

fn order_of(wanted: Wanted) -> Result<Order, ApiError> {
    let example = match wanted.example.as_deref() {
        None => None,
        Some(name) => Some(examples::find(name).ok_or_else(|| {
            let name: String = name.chars().take(60).collect();
            ApiError::missing(format!("there is no example '{name}'; /api/lab/examples lists them"))
        })?),
    };
    let kind = wanted.kind.or(example.as_ref().map(|example| example.kind));
    let kind = kind.ok_or_else(|| ApiError::bad(format!("say which kind: {KINDS}")))?;
    let toml = wanted.toml.or(example.as_ref().map(|example| example.text.clone()));
    let toml = toml.ok_or_else(|| ApiError::bad("give a file as `toml`, or name an `example`"))?;
    let usual = match kind {
        Kind::Train => "training",
        Kind::Tournament => "tournament",
        Kind::Match => "match",
        Kind::Reproduce => order::experiment(&toml)?,
    };
    let stem = example.as_ref().and_then(|it| it.name.rsplit('/').next()?.strip_suffix(".toml"));
    let name = wanted.name.filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| stem.unwrap_or(usual).to_string());
    jobs::check_name(&name)?;
    // Reports are made on one machine.
    let workers = wanted.workers.unwrap_or(false) && kind != Kind::Reproduce;
    Ok(Order { kind, toml, name, workers })
}

/// A program that does not like its file says so at once; whoever started it should hear that.
async fn first_look(state: &AppState, id: &str, start: Start) -> Result<(), ApiError> {
    let since = Instant::now();
    while since.elapsed() < FIRST_LOOK {
        match state.lab().jobs().end_of(id) {
            Some(End::Failed) => {
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
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Address(id): Address<String>,
) -> Result<Json<Value>, ApiError> {
    demand(&state, &client, &headers)?;
    let shared = state.clone();
    let work = move || shared.lab().jobs().stop(&shared.options().runs, &id);
    state.blocking(work).await?;
    Ok(Json(json!({ "stopping": true })))
}

async fn resume(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Address(id): Address<String>,
) -> Result<Json<Value>, ApiError> {
    demand(&state, &client, &headers)?;
    let shared = state.clone();
    let name = id.clone();
    let work = move || shared.lab().jobs().resume(shared.options(), &name);
    state.blocking(work).await?;
    first_look(&state, &id, Start::Again).await?;
    Ok(Json(json!({ "id": id })))
}

/// What the laboratory is doing and what came of it lately, in a few words.
#[derive(Clone, Serialize)]
struct Summary {
    running: Vec<Words>,
    latest: Vec<Words>,
    runs: usize,
    events: usize,
}

#[derive(Clone, Serialize)]
struct Words {
    words: String,
    href: String,
    at: u64,
}

/// So many of each are told.
const MOST_WORDS: usize = 4;

/// It stands on the first page, which many look at; so it is not made for each of them.
const SUMMARY_LASTS: Duration = Duration::from_secs(2);

/// The last summary.
#[derive(Default)]
pub(super) struct Lately(Mutex<Option<(Instant, Summary)>>);

async fn summary(State(state): State<AppState>) -> Result<Json<Summary>, ApiError> {
    let known = || state.lab().lately().0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, summary)) = &*known()
        && at.elapsed() < SUMMARY_LASTS
    {
        return Ok(Json(summary.clone()));
    }
    let summary = summed_up(&state).await?;
    *known() = Some((Instant::now(), summary.clone()));
    Ok(Json(summary))
}

async fn summed_up(state: &AppState) -> Result<Summary, ApiError> {
    let (cards, left_out) = runs::cards(state).await?;
    let events = tournaments::cards(state).await?;
    let of_run = |card: &runs::Card| Words {
        words: run_words(card),
        href: format!("/lab/runs/{}", card.id),
        at: card.updated_at,
    };
    let of_event = |card: &tournaments::Card| Words {
        words: card.words(),
        href: format!("/lab/tournaments/{}", card.id),
        at: card.updated_at,
    };
    let told = |running: bool| {
        let runs = cards.iter().filter(|card| (card.state == "running") == running).map(of_run);
        let tables = events.iter().filter(|card| (card.state == "running") == running);
        let mut words: Vec<Words> = runs.chain(tables.map(of_event)).collect();
        words.sort_by_key(|words| std::cmp::Reverse(words.at));
        words.truncate(MOST_WORDS);
        words
    };
    Ok(Summary {
        running: told(true),
        latest: told(false),
        runs: cards.len() + left_out,
        events: events.len(),
    })
}

fn run_words(card: &runs::Card) -> String {
    let goal = card.goal.map_or(String::new(), |goal| format!(" of {goal}"));
    let game = if card.game.is_empty() { String::new() } else { format!(" for {}", card.game) };
    let far = match card.axis.as_str() {
        "" => "just begun".to_string(),
        "iteration" | "round" => format!("{} {}{goal}", card.axis, card.iteration),
        axis => format!("{}{goal} {axis}", card.iteration),
    };
    format!("{}{game} ({}): {far}", card.learner, card.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use std::net::Ipv4Addr;

    fn asked(token: Option<&str>, address: [u8; 4], headers: &[(&'static str, &str)]) -> Right {
        let options = Options { token: token.map(str::to_string), ..Options::default() };
        let state = AppState::new(options).unwrap();
        let client = Client { session: 1, address: IpAddr::V4(Ipv4Addr::from(address)) };
        let mut map = HeaderMap::new();
        headers.iter().for_each(|(name, value)| drop(map.insert(*name, value.parse().unwrap())));
        right(&state, &client, &map)
    }

    #[test]
    fn only_this_machine_and_those_with_the_word_may_start() {
        let (here, there) = ([127, 0, 0, 1], [192, 0, 2, 7]);
        assert_eq!(asked(None, here, &[]), Right::Here);
        assert_eq!(asked(Some("word"), here, &[]), Right::Here);
        assert_eq!(asked(None, here, &[("x-forwarded-for", "192.0.2.7")]), Right::None);
        for host in ["127.0.0.1:7800", "localhost:7800", "[::1]:7800", "[::1]", "192.0.2.1"] {
            assert_eq!(asked(None, here, &[("host", host)]), Right::Here, "{host}");
        }
        assert_eq!(asked(None, here, &[("host", "elsewhere.example:7800")]), Right::None);
        assert_eq!(asked(None, there, &[]), Right::None);
        assert_eq!(asked(None, there, &[("authorization", "Bearer ")]), Right::None);
        assert_eq!(asked(Some("word"), there, &[]), Right::None);
        assert_eq!(asked(Some("word"), there, &[("authorization", "Bearer wort")]), Right::None);
        assert_eq!(asked(Some("word"), there, &[("authorization", "word")]), Right::None);
        assert_eq!(
            asked(Some("word"), there, &[("authorization", "Bearer word")]),
            Right::Elsewhere
        );
    }
}
