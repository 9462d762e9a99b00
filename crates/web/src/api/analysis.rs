//! What every move is worth, and how a game went.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::json;
use tesuji_arena::desk::{self, MoveTable, Snapshot};
use tesuji_arena::{Desk, PlayerContext, PlayerSpec, Turn};
use tesuji_games::{Score, Side};
use tesuji_search::Limits;

use super::{Question, check_place, seed_of, time_for};
use crate::admission::admit;
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::opponents::is_solvable;
use crate::state::AppState;
use crate::stream::{Teller, stream, think};

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/api/analysis", get(live).post(at_once)).route("/api/chart", get(chart))
}

/// Time for an analysis.
const USUAL_SECONDS: f64 = 3.0;
/// Who estimates a position of a game's chart that could not be solved in time.
const ESTIMATOR: &str = "pvs:tt=1M";
/// Memory of an analysis.
const TABLE: &str = "16M";

async fn live(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let (player, time) = check(&state, &question).await?;
    stream(&state, client, time, move |teller| {
        let mut tell = |so_far: &MoveTable| teller.glimpse("progress", || so_far.clone());
        let found = analyze(&question, &player, time, teller.stop.clone(), &mut tell)?;
        teller.tell("done", &found);
        Ok(())
    })
}

async fn at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<MoveTable>, ApiError> {
    let (player, time) = check(&state, &question).await?;
    let work = move |stop| analyze(&question, &player, time, stop, &mut |_| {});
    think(&state, client, time, work).await.map(Json)
}

async fn check(state: &AppState, question: &Question) -> Result<(PlayerSpec, Duration), ApiError> {
    check_place(&question.game, &question.moves)?;
    let text = {
        let desk = desk::open(&question.game)?;
        let usual = || analyst(&question.game, desk.as_ref());
        question.player.as_deref().map_or_else(usual, str::to_string)
    };
    let player = admit(state, &text).await?;
    Ok((player, time_for(state, question.seconds, USUAL_SECONDS)?))
}

/// Who looks at a game's positions when nobody is named.
fn analyst(game: &str, desk: &dyn Desk) -> String {
    let can = |text: &str| {
        let player = text.parse::<PlayerSpec>();
        player.is_ok_and(|player| desk.admits(&player, &PlayerContext::new(game, 0)).is_ok())
    };
    let special = ["gomoku:tt=16M", "connect6"].into_iter().find(|text| can(text));
    match (is_solvable(game, desk), special) {
        (true, _) => "solver".to_string(),
        (false, Some(special)) => special.to_string(),
        (false, None) => format!("pvs:tt={TABLE}"),
    }
}

fn analyze(
    question: &Question,
    player: &PlayerSpec,
    time: Duration,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, ApiError> {
    let Question { game, moves, .. } = question;
    let context = PlayerContext::new(game, seed_of(game, moves));
    let limits = Limits { stop: Some(stop), ..Limits::time(time) };
    Ok(desk::open(game)?.analyze(moves, player, &context, &limits, tell)?)
}

/// What one position of a game was worth, and what was played there.
#[derive(Serialize)]
struct Point {
    ply: usize,
    /// For the first side.
    score: Score,
    best: Option<Value>,
    played: Option<Value>,
}

/// A move and its value for the side that makes it.
#[derive(Serialize)]
struct Value {
    #[serde(rename = "move")]
    text: String,
    cells: Vec<usize>,
    score: Score,
}

async fn chart(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let (player, time) = check(&state, &question).await?;
    stream(&state, client, time, move |teller| {
        let desk = desk::open(&question.game)?;
        let game = desk.snapshot(&question.moves)?;
        Chart { desk: desk.as_ref(), game: &game, question: &question, player: &player, time }
            .draw(&teller)?;
        teller.tell("done", &json!({}));
        Ok(())
    })
}

struct Chart<'a> {
    desk: &'a dyn Desk,
    game: &'a Snapshot,
    question: &'a Question,
    player: &'a PlayerSpec,
    time: Duration,
}

impl Chart<'_> {
    /// From the last position to the first: what a move was worth is known from the position after it.
    fn draw(&self, teller: &Teller) -> Result<(), ApiError> {
        let plies = self.game.played.len();
        let share = self.time.div_f64((plies + 1) as f64);
        let mut after: Option<Score> = None;
        for ply in (0..=plies).rev() {
            if teller.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let point = self.point(ply, share, after, &teller.stop)?;
            after = Some(point.score);
            teller.tell("point", &point);
        }
        Ok(())
    }

    fn point(
        &self,
        ply: usize,
        time: Duration,
        after: Option<Score>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Point, ApiError> {
        let moves = self.moves_until(ply);
        let now = self.desk.snapshot(moves)?;
        let mover = now.to_move;
        let played = self.game.played.get(ply).zip(after).map(|(played, after)| Value {
            text: played.step.text.clone(),
            cells: played.step.cells.clone(),
            score: for_side(after, mover).further(1),
        });
        if let Some(outcome) = now.outcome {
            let score = match outcome.winner() {
                Some(Side::First) => Score::win_in(0),
                Some(Side::Second) => Score::loss_in(0),
                None => Score::DRAW,
            };
            return Ok(Point { ply, score, best: None, played });
        }
        let best = self.best(moves, &Limits { stop: Some(stop.clone()), ..Limits::time(time) })?;
        Ok(Point { ply, score: for_side(best.score, mover), best: Some(best), played })
    }

    /// The best move: proven where a solver is asked and finds a proof in time, else estimated.
    fn best(&self, moves: &str, limits: &Limits) -> Result<Value, ApiError> {
        let context = PlayerContext::new(&self.question.game, 0);
        let is_solver = self.player.text().starts_with("solver");
        let proven = is_solver.then(|| self.desk.solve(moves, limits).ok()).flatten();
        if let Some(best) = proven.and_then(|known| known.moves.into_iter().next()) {
            return Ok(Value { text: best.step.text, cells: best.step.cells, score: best.score });
        }
        let estimator: PlayerSpec =
            if is_solver { ESTIMATOR.parse()? } else { self.player.clone() };
        let choice =
            self.desk.choose(moves, &estimator, &context, &Turn::limited(limits.clone()))?;
        let score = choice.score.unwrap_or(Score::DRAW);
        Ok(Value { text: choice.step.text, cells: choice.step.cells, score })
    }

    fn moves_until(&self, ply: usize) -> &str {
        match ply.checked_sub(1) {
            Some(last) => &self.game.position[..self.game.played[last].until],
            None => self.game.start.as_deref().unwrap_or(""),
        }
    }
}

/// A value for the first side as one for `side`, or the other way about.
fn for_side(score: Score, side: Side) -> Score {
    if side == Side::First { score } else { -score }
}
