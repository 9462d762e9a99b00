//! The engine's side of the Gomocup protocol with Yixin's extensions (docs/protocol.md): five in a
//! row by four rules, on boards from 5×5 to 20×20. This file has the basic commands; the modules
//! have the input ([`command_queue`]), rules and clocks ([`info`]), the stones ([`stones`]), the
//! opening rule swap2 ([`swap2`]) and commands of analysis programs ([`yixin`]).

mod command_queue;
mod info;
mod stones;
mod swap2;
#[cfg(test)]
mod tests;
mod yixin;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tesuji_games::point::{Point, move_at, point_of};
use tesuji_games::{GameLine, Move, Position, Score};
use tesuji_play::{AnalyzeOptions, PlayerError, PlayerSpec, Turn};
use tesuji_search::{Registry, SearchReport};

use super::{Session, write_line};
use crate::external::command;
use command_queue::CommandQueue;
use info::Info;
use stones::{StoneList, point_text, read_point};

/// Supported sides of boards.
const SIDES: std::ops::RangeInclusive<usize> = 5..=20;

/// Answers until `END` or the end of the input, which is read on a separate thread.
pub fn serve_gomocup(
    player: &PlayerSpec,
    games: &Registry,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<()> {
    converse(&mut CommandQueue::open(input), &mut GomocupEngine::new(player, games), output)
}

fn converse(
    commands: &mut CommandQueue,
    engine: &mut GomocupEngine<'_>,
    output: &mut dyn Write,
) -> io::Result<()> {
    while let Some(line) = commands.next_line_or(|| engine.prepare()) {
        let (word, rest) = command(&line);
        let word = word.to_ascii_uppercase();
        let list = if yixin::takes_list(&word) { read_list(commands) } else { Vec::new() };
        engine.stop = commands.stop_flag();
        let reply = engine.execute(&word, rest, &list);
        // The manager waits for the answer to START. A very short move may follow what it sends
        // next.
        if starts_a_game(&word) && commands.is_empty() {
            engine.prepare();
        }
        if commands.is_ended() {
            break;
        }
        match reply {
            Ok(lines) => lines.iter().try_for_each(|line| write_line(output, line))?,
            Err(refusal) => write_line(output, &refusal)?,
        }
    }
    Ok(())
}

fn starts_a_game(word: &str) -> bool {
    matches!(word, "START" | "RECTSTART" | "RESTART")
}

/// Reads the lines up to `DONE`.
fn read_list(commands: &mut CommandQueue) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = commands.next_line() {
        if line.eq_ignore_ascii_case("DONE") {
            break;
        }
        // No board has more stones.
        if lines.len() <= SIDES.end() * SIDES.end() {
            lines.push(line);
        }
    }
    lines
}

/// The answer to a command: lines, or one error line.
type Reply = Result<Vec<String>, String>;

fn error(why: impl std::fmt::Display) -> String {
    format!("ERROR {why}")
}

fn ok() -> Reply {
    Ok(vec!["OK".to_string()])
}

/// The state of the conversation and the player that answers.
struct GomocupEngine<'a> {
    player: &'a PlayerSpec,
    registry: &'a Registry,
    size: Option<(usize, usize)>,
    info: Info,
    stones: StoneList,
    /// Points that this engine may not play.
    blocked: Vec<Point>,
    session: Option<Session>,
    games: u64,
    stop: Arc<AtomicBool>,
}

/// A move and the player's report, in points.
struct EngineMove {
    point: Option<Point>,
    report: Option<SearchReport<Point>>,
    /// Whether the player supports the analysis options.
    supports_options: bool,
}

impl EngineMove {
    /// The score of the position for the side to move.
    fn value(&self) -> Option<i64> {
        self.report.as_ref().map(|report| i64::from(report.score.raw()))
    }
}

impl Session {
    /// Sets up a position from stones in the order of play.
    fn set_stones(&mut self, stones: &[Point]) -> Result<(), String> {
        // Usually the game has only been continued.
        let known = self.points.take().filter(|known| stones.starts_with(known));
        if known.is_none() {
            self.line = GameLine::new(self.game.start().clone());
        }
        let from = known.map_or(0, |known| known.len());
        for &point in &stones[from..] {
            let position = &self.line.end;
            let m = move_at(position, Some(point)).filter(|_| position.outcome().is_none());
            let m = m.ok_or_else(|| format!("{},{} cannot be played", point.x, point.y))?;
            self.line.play(m).map_err(|error| error.to_string())?;
        }
        self.points = Some(stones.to_vec());
        Ok(())
    }

    /// Asks the player for a move, which is not played.
    fn think(
        &mut self,
        turn: &Turn,
        wishes: &AnalyzeOptions<Point>,
    ) -> Result<EngineMove, PlayerError> {
        let position = &self.line.end;
        let avoid = wishes.avoid.iter().filter_map(|&point| move_at(position, Some(point)));
        let wished = AnalyzeOptions { best: wishes.best, avoid: avoid.collect() };
        let consulted = match wished.is_default() {
            true => None,
            false => self.player.analyze(&self.line, turn, &wished),
        };
        let supports_options = wished.is_default() || consulted.is_some();
        let choice = consulted.unwrap_or_else(|| self.player.choose(&self.line, turn))?;
        let line = |moves: &[Move]| {
            let mut end = position.clone();
            let point = |&m: &Move| {
                let point = point_of(&end, m);
                end.try_play(m).ok().map(|_| point)
            };
            moves.iter().map_while(point).flatten().collect()
        };
        let report = choice.report.map(|report| report.map_moves(|m| point_of(position, m), line));
        Ok(EngineMove { point: point_of(position, choice.m), report, supports_options })
    }
}

impl<'a> GomocupEngine<'a> {
    fn new(player: &'a PlayerSpec, registry: &'a Registry) -> Self {
        GomocupEngine {
            player,
            registry,
            size: None,
            info: Info::default(),
            stones: StoneList::default(),
            blocked: Vec::new(),
            session: None,
            games: 0,
            stop: Arc::default(),
        }
    }

    fn execute(&mut self, word: &str, rest: &str, list: &[String]) -> Reply {
        match word {
            "INFO" => Ok(self.info.set(rest).into_iter().collect()),
            "ABOUT" => Ok(vec![self.about()]),
            "START" => self.start(read_size(rest)),
            "RECTSTART" => self.start(read_point(rest).map(|Point { x, y }| (x, y))),
            "RESTART" if self.size.is_some() => self.start(self.size),
            "BEGIN" if self.stones.is_empty() => self.moves(),
            "BEGIN" => Err(error("the board is not empty; expected RESTART first")),
            "TURN" => {
                let stones = self.with_stone(rest, "TURN x,y")?;
                self.try_stones(stones, GomocupEngine::moves)
            }
            // The answer to a suggested move, or the order to make this move.
            "PLAY" => {
                let stones = self.with_stone(rest, "PLAY x,y")?;
                let echo = read_point(rest).map(point_text);
                self.try_stones(stones, |engine| {
                    engine.place()?;
                    Ok(echo.into_iter().collect())
                })
            }
            "TAKEBACK" => {
                let point = read_point(rest).ok_or_else(|| error("expected TAKEBACK x,y"))?;
                self.stones.take(point).map_err(error)?;
                ok()
            }
            "BOARD" => {
                let stones = StoneList::from_board(list).map_err(error)?;
                self.try_stones(stones, GomocupEngine::moves)
            }
            "SWAP2BOARD" => self.swap2(list),
            "DONE" => Err(error("DONE without BOARD")),
            word => self.execute_yixin(word, rest, list),
        }
    }

    fn about(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let player = self.player.text().replace('"', "'");
        format!(
            "name=\"Tesuji {player}\", version=\"{version}\", author=\"Tesuji\", country=\"-\", www=\"-\""
        )
    }

    fn start(&mut self, size: Option<(usize, usize)>) -> Reply {
        let fits =
            |&(width, height): &(usize, usize)| SIDES.contains(&width) && SIDES.contains(&height);
        let size =
            size.filter(fits).ok_or_else(|| error("unsupported board size; expected 5 to 20"))?;
        self.size = Some(size);
        self.stones = StoneList::default();
        self.blocked.clear();
        self.info.new_game();
        self.games += 1;
        if let Some(session) = &mut self.session {
            session.new_game(self.games);
        }
        ok()
    }

    /// Returns the stones with one more of the side to move.
    fn with_stone(&self, text: &str, expected: &str) -> Result<StoneList, String> {
        let point = read_point(text).ok_or_else(|| error(format!("expected {expected}")))?;
        let mut stones = self.stones.clone();
        stones.put(point).map_err(error)?;
        Ok(stones)
    }

    /// Runs a command on other stones. Restores the old ones if it fails.
    fn try_stones(&mut self, stones: StoneList, act: impl FnOnce(&mut Self) -> Reply) -> Reply {
        let before = std::mem::replace(&mut self.stones, stones);
        let reply = act(self);
        if reply.is_err() {
            self.stones = before;
        }
        reply
    }

    /// Thinks, plays the move and returns it.
    fn moves(&mut self) -> Reply {
        let answer = self.think(&AnalyzeOptions { best: 1, avoid: self.blocked.clone() })?;
        self.answer(&answer)
    }

    /// Plays a move and returns it with its message.
    fn answer(&mut self, answer: &EngineMove) -> Reply {
        let point = answer.point.ok_or_else(|| error("no move"))?;
        if self.blocked.contains(&point) {
            return Err(error(format!("{} does not support blocked points", self.player)));
        }
        self.stones.put(point).map_err(error)?;
        let mut lines: Vec<String> = message(answer).into_iter().collect();
        lines.push(point_text(point));
        Ok(lines)
    }

    /// Asks the player about the current stones.
    fn think(&mut self, wishes: &AnalyzeOptions<Point>) -> Result<EngineMove, String> {
        let turn = self.turn();
        self.think_within(&turn, wishes)
    }

    fn think_within(
        &mut self,
        turn: &Turn,
        wishes: &AnalyzeOptions<Point>,
    ) -> Result<EngineMove, String> {
        let started = Instant::now();
        let answer = self.place()?.think(&turn.without(started.elapsed()), wishes).map_err(error);
        self.info.subtract_time(started.elapsed());
        answer
    }

    /// Returns the limits of a move.
    fn turn(&self) -> Turn {
        let cells = self.size.map_or(0, |(width, height)| width * height);
        self.info.turn(self.stones.len(), cells, &self.stop)
    }

    /// Returns the session with the current stones.
    fn place(&mut self) -> Result<&mut Session, String> {
        let order = self.stones.order().map_err(error)?;
        let session = self.session()?;
        session.set_stones(&order).map_err(error)?;
        Ok(session)
    }

    /// Opens the session while the manager is silent, since that takes longer than a very short
    /// move may. Errors are reported when a move is requested.
    fn prepare(&mut self) {
        if self.size.is_some() && !self.is_open() {
            let _ = self.session().map(|session| session.player.prepare());
        }
    }

    fn is_open(&self) -> bool {
        let (Some(size), Some(session)) = (self.size, &self.session) else { return false };
        let (game, player) = (self.info.game(size), self.info.player(self.player));
        session.game.name() == game && session.player_text == player.text()
    }

    /// Returns the session for the current board and rule.
    fn session(&mut self) -> Result<&mut Session, String> {
        let size = self.size.ok_or_else(|| error("no board; expected START first"))?;
        if !self.is_open() {
            let (game, player) = (self.info.game(size), self.info.player(self.player));
            // Drop the old session first: two large tables may exceed the memory limit.
            self.session = None;
            let mut session = Session::open(self.registry, &game, &player).map_err(error)?;
            session.new_game(self.games);
            self.session = Some(session);
        }
        self.session.as_mut().ok_or_else(|| error("no game"))
    }
}

/// Reads `15`, or `15 12` as Yixin's board sends it.
fn read_size(text: &str) -> Option<(usize, usize)> {
    let mut words = text.split_whitespace();
    let width = words.next()?.parse().ok()?;
    let height = words.next().map_or(Some(width), |word| word.parse().ok())?;
    words.next().is_none().then_some((width, height))
}

/// Formats the message that managers read, if they read any.
fn message(answer: &EngineMove) -> Option<String> {
    let SearchReport { score, depth, nodes, .. } = answer.report.as_ref()?;
    Some(format!("MESSAGE depth {depth} eval {} nodes {nodes}", value_text(*score)))
}

fn value_text(score: Score) -> String {
    match score.plies_to_end() {
        Some(plies) if score.is_win() => format!("+M{plies}"),
        Some(plies) => format!("-M{plies}"),
        None => score.raw().to_string(),
    }
}
