//! The manager's side of the Gomocup protocol. docs/protocol.md has the commands that are sent
//! here.

use std::time::{Duration, Instant};

use tesuji_games::point::{Point, move_at, point_of};
use tesuji_games::{GameLine, Move, Position, RowRule};

use super::engine_info::EngineInfo;
use super::process::{EngineFault, Process};
use super::{MAX_UNEXPECTED_LINES, MoveRequest, ProtocolClient, command, excerpt};
use crate::five_in_a_row::FiveInARow;
use tesuji_play::Choice;

/// The protocol's value of `time_left` for no clock.
const NO_CLOCK: u128 = i32::MAX as u128;
/// The value of `INFO game_type` for a tournament.
const TOURNAMENT: u32 = 2;

/// How long an engine is left alone after its move. Rapfi drops lines that arrive sooner.
const PAUSE_AFTER_MOVE: Duration = Duration::from_millis(5);

/// The conversation with an engine.
pub(crate) struct GomocupClient {
    board: FiveInARow,
    memory: u64,
    /// When its last move arrived.
    moved: Option<Instant>,
    /// The moves on the engine's board.
    known: Vec<Move>,
    /// The last limits that were sent, in the order of [`limits`].
    sent_limits: Vec<Option<String>>,
}

impl GomocupClient {
    /// Makes a client for a board, with a memory limit in bytes.
    pub(crate) fn new(board: FiveInARow, memory: u64) -> Self {
        GomocupClient { board, memory, moved: None, known: Vec::new(), sent_limits: Vec::new() }
    }

    /// Waits until the engine reads what is sent to it.
    fn pause(&self) {
        if let Some(moved) = self.moved {
            std::thread::sleep(PAUSE_AFTER_MOVE.saturating_sub(moved.elapsed()));
        }
    }
}

/// Returns the command that starts a game.
pub(crate) fn start_command(FiveInARow { width, height, .. }: FiveInARow) -> String {
    match width == height {
        true => format!("START {width}"),
        false => format!("RECTSTART {width},{height}"),
    }
}

/// Returns the protocol's number of a rule.
pub(crate) fn rule_number(rule: RowRule) -> u8 {
    match rule {
        RowRule::AtLeast => 0,
        RowRule::Exactly => 1,
        RowRule::Renju => 4,
        // Caro's own number plus exactly five, since longer rows do not win.
        RowRule::Caro => 8 | 1,
    }
}

/// Returns the limits, times in milliseconds. `max_depth` and `max_node` are extensions (Yixin's);
/// other engines ignore them.
fn limits(request: &MoveRequest<'_>) -> Vec<Option<String>> {
    let clock = &request.turn.clock;
    let turn = request.thinking.or(clock.left).unwrap_or(Duration::from_secs(1));
    let of_match = clock.per_game.map_or(0, |time| time.as_millis());
    vec![
        Some(format!("INFO timeout_turn {}", turn.as_millis().min(NO_CLOCK))),
        Some(format!("INFO timeout_match {}", of_match.min(NO_CLOCK))),
        request.turn.limits.depth.map(|depth| format!("INFO max_depth {depth}")),
        request.turn.limits.nodes.map(|nodes| format!("INFO max_node {nodes}")),
    ]
}

impl ProtocolClient for GomocupClient {
    fn handshake(
        &mut self,
        process: &mut Process,
        deadline: Instant,
    ) -> Result<Option<String>, EngineFault> {
        self.sent_limits.clear();
        self.moved = None;
        process.send("ABOUT");
        loop {
            let line = process.next_line(deadline)?;
            match EngineLine::read(&line) {
                EngineLine::Message(_) | EngineLine::Debug => {}
                _ => return Ok(about_name(&line)),
            }
        }
    }

    fn start_game(
        &mut self,
        process: &mut Process,
        _: u64,
        deadline: Instant,
    ) -> Result<(), EngineFault> {
        let start = start_command(self.board);
        self.pause();
        process.send(&start);
        wait_for_ok(process, &start, deadline)?;
        self.known.clear();
        process.send(&format!("INFO rule {}", rule_number(self.board.rule)));
        process.send(&format!("INFO max_memory {}", self.memory));
        process.send(&format!("INFO game_type {TOURNAMENT}"));
        Ok(())
    }

    fn restart(
        &mut self,
        process: &mut Process,
        _: u64,
        deadline: Instant,
    ) -> Result<(), EngineFault> {
        self.pause();
        process.send("RESTART");
        wait_for_ok(process, "RESTART", deadline)?;
        self.known.clear();
        Ok(())
    }

    fn request_move(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
    ) -> Result<Choice, EngineFault> {
        self.pause();
        let line = request.line;
        let limits = limits(request);
        for (index, limit) in limits.iter().enumerate() {
            if let Some(line) =
                limit.as_ref().filter(|_| self.sent_limits.get(index) != Some(limit))
            {
                process.send(line);
            }
        }
        self.sent_limits = limits;
        let left = request.turn.clock.left.map_or(NO_CLOCK, |left| left.as_millis());
        process.send(&format!("INFO time_left {}", left.min(NO_CLOCK)));
        match line.moves.split_last() {
            None if self.known.is_empty() => process.send("BEGIN"),
            Some((last, before)) if before == self.known => {
                process.send(&format!("TURN {}", point_text(line, *last)));
            }
            _ => send_board(process, line),
        }
        let choice = wait_for_move(process, request)?;
        self.moved = Some(Instant::now());
        self.known.clone_from(&line.moves);
        self.known.push(choice.m);
        Ok(choice)
    }
}

/// Sends the whole position, stones in the order of play.
fn send_board(process: &mut Process, line: &GameLine) {
    let own = line.end.to_move();
    let mut position = line.start.clone();
    process.send("BOARD");
    for &m in &line.moves {
        let who = if position.to_move() == own { 1 } else { 2 };
        process.send(&format!("{},{who}", point_text(line, m)));
        position.play(m);
    }
    process.send("DONE");
}

fn point_text(line: &GameLine, m: Move) -> String {
    // Stones do not move: a cell has the same point in every position.
    point_of(&line.start, m).map_or_else(String::new, |Point { x, y }| format!("{x},{y}"))
}

fn wait_for_ok(process: &mut Process, command: &str, deadline: Instant) -> Result<(), EngineFault> {
    for _ in 0..MAX_UNEXPECTED_LINES {
        let line = process.next_line(deadline)?;
        match EngineLine::read(&line) {
            EngineLine::Ok => return Ok(()),
            EngineLine::Refusal => {
                let words = excerpt(&line);
                return Err(EngineFault::InvalidReply(format!(
                    "answers {command} with '{words}', not OK"
                )));
            }
            _ => {}
        }
    }
    Err(EngineFault::InvalidReply(format!("never answers OK to {command}")))
}

fn wait_for_move(process: &mut Process, request: &MoveRequest<'_>) -> Result<Choice, EngineFault> {
    let started = Instant::now();
    let mut info = EngineInfo::default();
    let mut unexpected = 0;
    while unexpected < MAX_UNEXPECTED_LINES {
        let line = process.next_line(request.deadline)?;
        match EngineLine::read(&line) {
            EngineLine::Move(x, y) => {
                let m = legal_move(request.line, x, y)?;
                return Ok(info.into_choice(m, started.elapsed()));
            }
            EngineLine::Message(text) => info.read_message(text),
            EngineLine::Debug => {}
            // Accept the suggestion.
            EngineLine::Suggest(x, y) => {
                unexpected += 1;
                process.send(&format!("PLAY {x},{y}"));
            }
            EngineLine::Refusal => {
                let words = excerpt(&line);
                return Err(EngineFault::InvalidReply(format!(
                    "answers '{words}' instead of a move"
                )));
            }
            EngineLine::Ok | EngineLine::Other => unexpected += 1,
        }
    }
    Err(EngineFault::InvalidReply("sends too many lines without a move".to_string()))
}

fn legal_move(line: &GameLine, x: i32, y: i32) -> Result<Move, EngineFault> {
    let point = usize::try_from(x).ok().zip(usize::try_from(y).ok()).map(|(x, y)| Point { x, y });
    point
        .and_then(|point| move_at(&line.end, Some(point)))
        .ok_or_else(|| EngineFault::IllegalMove(format!("plays {x},{y}, which is illegal")))
}

/// One line of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EngineLine<'a> {
    /// `OK`.
    Ok,
    /// `ERROR …` or `UNKNOWN …`.
    Refusal,
    /// `MESSAGE …`, for people.
    Message(&'a str),
    /// `DEBUG …`, for its author.
    Debug,
    /// `SUGGEST x,y`: a move, unless the manager has a better one.
    Suggest(i32, i32),
    /// `x,y`.
    Move(i32, i32),
    /// Any other line.
    Other,
}

impl EngineLine<'_> {
    /// Reads any line; an unknown one is [`EngineLine::Other`].
    pub(crate) fn read(line: &str) -> EngineLine<'_> {
        let (word, rest) = command(line);
        match word.to_ascii_uppercase().as_str() {
            "OK" => EngineLine::Ok,
            "ERROR" | "UNKNOWN" => EngineLine::Refusal,
            "MESSAGE" => EngineLine::Message(rest),
            "DEBUG" => EngineLine::Debug,
            "SUGGEST" => {
                read_pair(rest).map_or(EngineLine::Other, |(x, y)| EngineLine::Suggest(x, y))
            }
            _ => read_pair(line).map_or(EngineLine::Other, |(x, y)| EngineLine::Move(x, y)),
        }
    }
}

/// Reads `7,8`, with or without spaces.
pub(crate) fn read_pair(text: &str) -> Option<(i32, i32)> {
    let (x, y) = text.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

/// Reads the name in an answer to `ABOUT`: `name="Wine", version="2.1"`, with or without spaces
/// around the equals sign.
pub(crate) fn about_name(line: &str) -> Option<String> {
    let after = line.split_once("name")?.1.trim_start().strip_prefix('=')?.trim_start();
    let (name, _) = after.strip_prefix('"')?.split_once('"')?;
    let name = excerpt(name.trim());
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random::{below, seeded};

    #[test]
    fn lines_are_understood() {
        for (line, expected) in [
            ("OK", EngineLine::Ok),
            ("ok - everything is fine", EngineLine::Ok),
            ("ERROR unsupported size", EngineLine::Refusal),
            ("UNKNOWN command", EngineLine::Refusal),
            ("MESSAGE depth 3", EngineLine::Message("depth 3")),
            ("DEBUG x", EngineLine::Debug),
            ("SUGGEST 7,8", EngineLine::Suggest(7, 8)),
            ("SUGGEST", EngineLine::Other),
            ("7,8", EngineLine::Move(7, 8)),
            (" 7 , 8 ", EngineLine::Move(7, 8)),
            ("-1,300", EngineLine::Move(-1, 300)),
            ("7,8,1", EngineLine::Other),
            ("99999999999,1", EngineLine::Other),
            ("", EngineLine::Other),
        ] {
            assert_eq!(EngineLine::read(line), expected, "{line}");
        }
    }

    #[test]
    fn an_engine_is_left_alone_after_its_move() {
        let board = FiveInARow::of(&crate::opened("gomoku")).unwrap();
        let mut client = GomocupClient::new(board, 1);
        let moved = Instant::now();
        client.moved = Some(moved);
        client.pause();
        assert!(moved.elapsed() >= PAUSE_AFTER_MOVE);
    }

    #[test]
    fn rules_have_the_numbers_of_the_protocol() {
        let game = |text| FiveInARow::of(&crate::opened(text));
        let number = |text| rule_number(game(text).unwrap().rule);
        assert_eq!(["gomoku", "gomoku:exact", "renju", "caro"].map(number), [0, 1, 4, 9]);
        assert_eq!(game("connect6"), None);
    }

    #[test]
    fn names_are_found() {
        for (line, name) in [
            ("name=\"Wine\", version=\"2.1\"", Some("Wine")),
            ("name = \"A, B\", author = \"x\"", Some("A, B")),
            ("version=\"1\", name=\"late\"", Some("late")),
            ("name=\"\"", None),
            ("name=open", None),
            ("UNKNOWN command", None),
        ] {
            assert_eq!(about_name(line).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn any_bytes_are_some_line() {
        let mut rng = seeded(5);
        let words = ["OK", "SUGGEST ", "MESSAGE ", "eval:", "depth ", "name=\"", ",", "-7", "9k"];
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            for _ in 0..below(&mut rng, 8) {
                if below(&mut rng, 2) == 0 {
                    bytes.extend(words[below(&mut rng, words.len() as u32) as usize].bytes());
                } else {
                    bytes.push(below(&mut rng, 256) as u8);
                }
            }
            let line = String::from_utf8_lossy(&bytes);
            about_name(&line);
            let mut info = EngineInfo::default();
            info.read_info(&line);
            if let EngineLine::Message(text) = EngineLine::read(&line) {
                info.read_message(text);
            }
        }
    }
}
