//! Import and export of games: files of other programs, lists of moves, pictures.

use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_app::position_view::{self, Snapshot};
use tesuji_games::Outcome;
use tesuji_store::exchange::{ExchangeError, ReadOptions, ReadSummary, pgn, psq, sgf};
use tesuji_store::key::digest;
use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord, Record};

use super::{MAX_MOVES_BYTES, check_lengths};
use crate::errors::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::picture::picture;
use crate::state::AppState;

/// The largest body of an import, in bytes.
const MAX_IMPORT_BYTES: usize = 1 << 20;
/// The most games of one import.
const MAX_GAMES: usize = 200;
/// The longest name of a player.
const MAX_NAME_LENGTH: usize = 200;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/export", post(export))
        .route("/api/board.svg", get(board))
        .route("/api/import", post(import).layer(DefaultBodyLimit::max(MAX_IMPORT_BYTES)))
}

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Sgf,
    Psq,
    Pgn,
    Moves,
    Svg,
}

impl Format {
    const ALL: [Format; 5] = [Format::Sgf, Format::Psq, Format::Pgn, Format::Moves, Format::Svg];

    fn name(self) -> &'static str {
        match self {
            Format::Sgf => "sgf",
            Format::Psq => "psq",
            Format::Pgn => "pgn",
            Format::Moves => "moves",
            Format::Svg => "svg",
        }
    }

    /// The file extension and the content type.
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Format::Sgf => ("sgf", "application/x-go-sgf"),
            Format::Psq => ("psq", "text/plain; charset=utf-8"),
            Format::Pgn => ("pgn", "application/vnd.chess-pgn"),
            Format::Moves => ("txt", "text/plain; charset=utf-8"),
            Format::Svg => ("svg", "image/svg+xml"),
        }
    }

    fn can_hold(self, game: &str) -> bool {
        match self {
            Format::Psq => psq::can_hold(game),
            Format::Pgn => pgn::can_hold(game),
            Format::Sgf | Format::Moves | Format::Svg => true,
        }
    }
}

#[derive(Deserialize)]
struct ExportRequest {
    game: String,
    #[serde(default)]
    moves: String,
    format: Format,
    first: Option<String>,
    second: Option<String>,
}

/// An exported file.
#[derive(Serialize)]
struct ExportedFile {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
}

async fn export(
    State(state): State<AppState>,
    JsonBody(request): JsonBody<ExportRequest>,
) -> Result<Json<ExportedFile>, ApiError> {
    check_lengths(&request.game, &request.moves)?;
    let shown = position_view::snapshot(&state.open(&request.game)?, &request.moves)?;
    if !request.format.can_hold(&request.game) {
        let fits = Format::ALL.into_iter().filter(|format| format.can_hold(&request.game));
        let words: Vec<&str> = fits.map(Format::name).collect();
        let (word, game) = (request.format.name(), &request.game);
        return Err(ApiError::bad(format!(
            "format '{word}': does not support '{game}'; expected one of {}",
            words.join(", ")
        )));
    }
    let text = match request.format {
        Format::Moves => shown.position,
        Format::Svg => picture(&request.game, &shown),
        Format::Sgf | Format::Psq | Format::Pgn => written(&request, shown)?,
    };
    let (ending, kind) = request.format.file();
    Ok(Json(ExportedFile { name: format!("{}.{ending}", file_name(&request.game)), kind, text }))
}

/// A portable file name, such as `tesuji-mnk-10x10-k-5`.
fn file_name(game: &str) -> String {
    let safe = game.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("tesuji-{}", safe.trim_matches('-'))
}

fn written(request: &ExportRequest, shown: Snapshot) -> Result<String, ApiError> {
    let record = record(request, shown)?;
    let mut bytes = Vec::new();
    let result = match request.format {
        Format::Psq => psq::write(&mut bytes, &record),
        Format::Pgn => pgn::write(&mut bytes, &record),
        _ => sgf::write(&mut bytes, &record),
    };
    result.map_err(|error| ApiError::bad(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn record(request: &ExportRequest, shown: Snapshot) -> Result<GameRecord, ApiError> {
    let player = |name: &Option<String>| {
        let name = name.as_deref().unwrap_or("?");
        match name.len() <= MAX_NAME_LENGTH {
            true => Ok(PlayerRecord { name: name.to_string(), spec: String::new() }),
            false => Err(ApiError::bad(format!(
                "player name: too long; expected at most {MAX_NAME_LENGTH} bytes"
            ))),
        }
    };
    let ending = match shown.outcome {
        Some(_) => Ending::plain(EndingKind::Rules),
        None => Ending::unfinished(),
    };
    // The moves follow the start position.
    let moves = match shown.start.as_deref() {
        Some(start) => shown.position.get(start.len()..).unwrap_or_default().trim_start(),
        None => &shown.position,
    };
    Ok(GameRecord {
        key: format!("export/{}", digest(&[&request.game, &shown.position])),
        event: String::new(),
        game: request.game.clone(),
        players: [player(&request.first)?, player(&request.second)?],
        pair: None,
        seed: 0,
        moves: moves.to_string(),
        opening_plies: 0,
        outcome: shown.outcome.unwrap_or(Outcome::Draw),
        ending,
        thoughts: Vec::new(),
        played_at: 0,
        start: shown.start,
    })
}

#[derive(Deserialize)]
struct BoardQuery {
    game: String,
    #[serde(default)]
    moves: String,
}

async fn board(
    State(state): State<AppState>,
    QueryParams(query): QueryParams<BoardQuery>,
) -> Result<Response, ApiError> {
    check_lengths(&query.game, &query.moves)?;
    let shown = position_view::snapshot(&state.open(&query.game)?, &query.moves)?;
    let (_, kind) = Format::Svg.file();
    Ok(([(CONTENT_TYPE, kind)], picture(&query.game, &shown)).into_response())
}

#[derive(Deserialize)]
struct ImportRequest {
    text: String,
    /// The game of texts that do not name one.
    game: Option<String>,
    format: Option<Format>,
}

#[derive(Serialize)]
struct ImportResponse {
    games: Vec<ImportedGame>,
    /// The number of unreadable games, and the error of the first one.
    left_out: u64,
    why: Option<String>,
    /// The number of ignored variations; only main lines are read.
    variations: u64,
    /// Whether the text has more games than were read.
    more: bool,
}

#[derive(Serialize)]
struct ImportedGame {
    game: String,
    /// The moves, for other requests; begin with the start position if that is not the usual one.
    moves: String,
    start: Option<String>,
    first: String,
    second: String,
    outcome: Option<Outcome>,
}

async fn import(
    State(state): State<AppState>,
    JsonBody(request): JsonBody<ImportRequest>,
) -> Result<Json<ImportResponse>, ApiError> {
    check_lengths(request.game.as_deref().unwrap_or_default(), "")?;
    let games = state.clone();
    state.blocking(move || import_games(&games, &request)).await.map(Json)
}

fn import_games(state: &AppState, request: &ImportRequest) -> Result<ImportResponse, ApiError> {
    if request.format.is_none() && request.text.trim().is_empty() {
        return Err(ApiError::bad("text: empty; expected SGF, PSQ, PGN or a list of moves"));
    }
    match request.format.unwrap_or_else(|| detect_format(&request.text)) {
        Format::Svg => {
            Err(ApiError::bad("format: pictures cannot be read; expected sgf, psq, pgn or moves"))
        }
        Format::Moves => {
            let Some(game) = &request.game else {
                return Err(ApiError::bad("game: missing; a list of moves does not name its game"));
            };
            check_lengths(game, &request.text)?;
            let unknown = ["?".to_string(), "?".to_string()];
            let found = ImportedGame::at(state, game, &request.text, unknown)?;
            Ok(ImportResponse {
                games: vec![found],
                left_out: 0,
                why: None,
                variations: 0,
                more: false,
            })
        }
        format => from_file(state, format, request),
    }
}

/// Guesses the format of a text.
fn detect_format(text: &str) -> Format {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let is_numbered = text.split_once('.').is_some_and(|(number, _)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if text.starts_with("Piskvorky") {
        Format::Psq
    } else if text.starts_with(['[', '%', '{']) || is_numbered {
        Format::Pgn
    } else if text.contains("(;") || text.starts_with('(') {
        Format::Sgf
    } else {
        Format::Moves
    }
}

/// Reads the games of a file: of the game that the file names, or else of the requested game.
fn from_file(
    state: &AppState,
    format: Format,
    request: &ImportRequest,
) -> Result<ImportResponse, ApiError> {
    let read = |game: Option<String>| GameCollector::read(state, format, &request.text, game);
    let by_itself = read(None);
    let found_nothing = by_itself.as_ref().map_or(true, |found| found.games.is_empty());
    let found = match &request.game {
        Some(game) if found_nothing => read(Some(game.clone())).or(by_itself)?,
        _ => by_itself?,
    };
    match (found.games.is_empty(), &found.why) {
        (true, Some(why)) => Err(ApiError::bad(format!("{}: {why}", format.name()))),
        _ => Ok(found),
    }
}

/// Collects games up to a limit.
struct GameCollector<'a> {
    state: &'a AppState,
    games: Vec<ImportedGame>,
    unfit: u64,
    why: Option<String>,
}

impl GameCollector<'_> {
    fn read(
        state: &AppState,
        format: Format,
        text: &str,
        game: Option<String>,
    ) -> Result<ImportResponse, ApiError> {
        let reading = ReadOptions { partial: true, game, unfinished: true };
        let mut collector = GameCollector { state, games: Vec::new(), unfit: 0, why: None };
        let input: &mut dyn std::io::BufRead = &mut text.as_bytes();
        let mut each = |record| collector.take(record);
        let result = match format {
            Format::Psq => psq::read(input, &reading, &mut each),
            Format::Pgn => pgn::read(input, &reading, &mut each),
            _ => sgf::read(input, &reading, &mut each),
        };
        let (tally, more) = match result {
            Ok(tally) => (tally, false),
            Err(ExchangeError::Io(_)) => (ReadSummary::default(), true),
            Err(error) => return Err(ApiError::bad(format!("{}: {error}", format.name()))),
        };
        let why = tally.why.map(|why| why.to_string()).or(collector.why);
        Ok(ImportResponse {
            games: collector.games,
            left_out: tally.left_out + collector.unfit,
            why,
            variations: tally.variations,
            more,
        })
    }

    fn take(&mut self, record: Record) -> Result<(), ExchangeError> {
        let Record::Game(record) = record else { return Ok(()) };
        if self.games.len() >= MAX_GAMES {
            return Err(std::io::Error::other("too many games").into());
        }
        match ImportedGame::of(self.state, record) {
            Ok(game) => self.games.push(game),
            Err(error) => {
                self.unfit += 1;
                self.why.get_or_insert(error.message);
            }
        }
        Ok(())
    }
}

impl ImportedGame {
    fn of(state: &AppState, record: GameRecord) -> Result<ImportedGame, ApiError> {
        let parts = [record.start.unwrap_or_default(), record.moves];
        let moves = parts.join(" ");
        if moves.len() > MAX_MOVES_BYTES {
            return Err(ApiError::bad(format!(
                "game: too long; expected at most {MAX_MOVES_BYTES} bytes"
            )));
        }
        let names =
            record.players.map(|player| player.name.chars().take(MAX_NAME_LENGTH).collect());
        let found = ImportedGame::at(state, &record.game, moves.trim(), names)?;
        let said = (!record.ending.is_unfinished()).then_some(record.outcome);
        Ok(ImportedGame { outcome: found.outcome.or(said), ..found })
    }

    fn at(
        state: &AppState,
        game: &str,
        moves: &str,
        [first, second]: [String; 2],
    ) -> Result<ImportedGame, ApiError> {
        let shown = position_view::snapshot(&state.open(game)?, moves)?;
        let (moves, start, outcome) = (shown.position, shown.start, shown.outcome);
        Ok(ImportedGame { game: game.to_string(), moves, start, first, second, outcome })
    }
}
