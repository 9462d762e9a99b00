//! The brain's side of the Gomocup protocol with Yixin's extensions (docs/protocol.md): five in a row by four rules, on
//! boards from 5×5 to 20×20. Here is the conversation and what every brain must understand; rooms of their own have
//! how lines come in ([`inbox`]), what the manager says of rules and clocks ([`info`]), the stones ([`stones`]), the opening
//! rule swap2 ([`swap2`]) and what programs for analysis ask ([`yixin`]).

mod inbox;
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
use tesuji_games::{Line, Move, Position, Score};
use tesuji_play::{AnalyzeOptions, PlayerError, PlayerSpec, Turn};
use tesuji_search::{Registry, Report};

use super::{Session, say};
use crate::external::command;
use inbox::Inbox;
use info::Info;
use stones::{Stones, point_text, read_point};

/// The boards on which five in a row can be played here.
const SIDES: std::ops::RangeInclusive<usize> = 5..=20;

/// Answers until `END` or the end of the input, which is read by a thread of its own.
pub fn serve_gomocup(
    player: &PlayerSpec,
    games: &Registry,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<()> {
    converse(&mut Inbox::open(input), &mut Brain::new(player, games), output)
}

fn converse(inbox: &mut Inbox, brain: &mut Brain<'_>, output: &mut dyn Write) -> io::Result<()> {
    while let Some(line) = inbox.next_line_or(|| brain.prepare()) {
        let (word, rest) = command(&line);
        let word = word.to_ascii_uppercase();
        let list = if yixin::has_a_list(&word) { read_list(inbox) } else { Vec::new() };
        brain.stop = inbox.stop_sign();
        let said = brain.obey(&word, rest, &list);
        // The manager waits for the answer to START. What it says after that may be followed by a very short move.
        if starts_a_game(&word) && inbox.is_quiet() {
            brain.prepare();
        }
        if inbox.is_over() {
            break;
        }
        match said {
            Ok(lines) => lines.iter().try_for_each(|line| say(output, line))?,
            Err(refusal) => say(output, &refusal)?,
        }
    }
    Ok(())
}

fn starts_a_game(word: &str) -> bool {
    matches!(word, "START" | "RECTSTART" | "RESTART")
}

/// The lines up to `DONE`.
fn read_list(inbox: &mut Inbox) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = inbox.next_line() {
        if line.eq_ignore_ascii_case("DONE") {
            break;
        }
        // More stones than that are on no board.
        if lines.len() <= SIDES.end() * SIDES.end() {
            lines.push(line);
        }
    }
    lines
}

/// What is said to a command: lines, or one line that says why not.
type Said = Result<Vec<String>, String>;

fn error(why: impl std::fmt::Display) -> String {
    format!("ERROR {why}")
}

fn ok() -> Said {
    Ok(vec!["OK".to_string()])
}

/// What the manager has said so far, and who answers.
struct Brain<'a> {
    player: &'a PlayerSpec,
    registry: &'a Registry,
    size: Option<(usize, usize)>,
    info: Info,
    stones: Stones,
    /// Where the manager wants no stone of this brain.
    blocked: Vec<Point>,
    session: Option<Session>,
    games: u64,
    stop: Arc<AtomicBool>,
}

/// A move and what the player says about it, in points.
struct Answer {
    point: Option<Point>,
    report: Option<Report<Point>>,
    /// Whether the wishes were heeded.
    heeded: bool,
}

impl Answer {
    /// What the position is worth to the side to move.
    fn value(&self) -> Option<i64> {
        self.report.as_ref().map(|report| i64::from(report.score.raw()))
    }
}

impl Session {
    /// Sets up a position given as stones in the order of play.
    fn set_stones(&mut self, stones: &[Point]) -> Result<(), String> {
        // Usually the game has only gone on.
        let known = self.points.take().filter(|known| stones.starts_with(known));
        if known.is_none() {
            self.line = Line::new(self.game.start().clone());
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

    /// The player's move, which is not played.
    fn think(
        &mut self,
        turn: &Turn,
        wishes: &AnalyzeOptions<Point>,
    ) -> Result<Answer, PlayerError> {
        let position = &self.line.end;
        let avoid = wishes.avoid.iter().filter_map(|&point| move_at(position, Some(point)));
        let wished = AnalyzeOptions { best: wishes.best, avoid: avoid.collect() };
        let consulted = match wished.is_default() {
            true => None,
            false => self.player.analyze(&self.line, turn, &wished),
        };
        let heeded = wished.is_default() || consulted.is_some();
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
        Ok(Answer { point: point_of(position, choice.m), report, heeded })
    }
}

impl<'a> Brain<'a> {
    fn new(player: &'a PlayerSpec, registry: &'a Registry) -> Self {
        Brain {
            player,
            registry,
            size: None,
            info: Info::default(),
            stones: Stones::default(),
            blocked: Vec::new(),
            session: None,
            games: 0,
            stop: Arc::default(),
        }
    }

    fn obey(&mut self, word: &str, rest: &str, list: &[String]) -> Said {
        match word {
            "INFO" => Ok(self.info.note(rest).into_iter().collect()),
            "ABOUT" => Ok(vec![self.about()]),
            "START" => self.start(read_size(rest)),
            "RECTSTART" => self.start(read_point(rest).map(|Point { x, y }| (x, y))),
            "RESTART" if self.size.is_some() => self.start(self.size),
            "BEGIN" if self.stones.is_empty() => self.moves(),
            "BEGIN" => Err(error("there are stones on the board; RESTART takes them away")),
            "TURN" => {
                let stones = self.with_stone(rest, "TURN x,y")?;
                self.try_stones(stones, Brain::moves)
            }
            // The answer to a move that the brain suggested, or the order to make this one.
            "PLAY" => {
                let stones = self.with_stone(rest, "PLAY x,y")?;
                let echo = read_point(rest).map(point_text);
                self.try_stones(stones, |brain| {
                    brain.place()?;
                    Ok(echo.into_iter().collect())
                })
            }
            "TAKEBACK" => {
                let point = read_point(rest).ok_or_else(|| error("expected TAKEBACK x,y"))?;
                self.stones.take(point).map_err(error)?;
                ok()
            }
            "BOARD" => {
                let stones = Stones::of_board(list).map_err(error)?;
                self.try_stones(stones, Brain::moves)
            }
            "SWAP2BOARD" => self.swap2(list),
            "DONE" => Err(error("DONE without BOARD")),
            word => self.obey_yixin(word, rest, list),
        }
    }

    fn about(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let player = self.player.text().replace('"', "'");
        format!(
            "name=\"Tesuji {player}\", version=\"{version}\", author=\"Tesuji\", country=\"-\", www=\"-\""
        )
    }

    fn start(&mut self, size: Option<(usize, usize)>) -> Said {
        let fits =
            |&(width, height): &(usize, usize)| SIDES.contains(&width) && SIDES.contains(&height);
        let size = size.filter(fits).ok_or_else(|| error("boards from 5 to 20 are supported"))?;
        self.size = Some(size);
        self.stones = Stones::default();
        self.blocked.clear();
        self.info.new_game();
        self.games += 1;
        if let Some(session) = &mut self.session {
            session.new_game(self.games);
        }
        ok()
    }

    /// The stones with one more of the side to move.
    fn with_stone(&self, text: &str, expected: &str) -> Result<Stones, String> {
        let point = read_point(text).ok_or_else(|| error(format!("expected {expected}")))?;
        let mut stones = self.stones.clone();
        stones.put(point).map_err(error)?;
        Ok(stones)
    }

    /// Does something with other stones. If it fails, the old ones are there again.
    fn try_stones(&mut self, stones: Stones, act: impl FnOnce(&mut Self) -> Said) -> Said {
        let before = std::mem::replace(&mut self.stones, stones);
        let said = act(self);
        if said.is_err() {
            self.stones = before;
        }
        said
    }

    /// Thinks, puts the stone on the board and says where.
    fn moves(&mut self) -> Said {
        let answer = self.think(&AnalyzeOptions { best: 1, avoid: self.blocked.clone() })?;
        self.answer(&answer)
    }

    /// Puts the stone of an answer on the board and says where.
    fn answer(&mut self, answer: &Answer) -> Said {
        let point = answer.point.ok_or_else(|| error("no move"))?;
        if self.blocked.contains(&point) {
            return Err(error(format!("{} cannot avoid the blocked points", self.player)));
        }
        self.stones.put(point).map_err(error)?;
        let mut lines: Vec<String> = message(answer).into_iter().collect();
        lines.push(point_text(point));
        Ok(lines)
    }

    /// What the player thinks of the stones that lie there.
    fn think(&mut self, wishes: &AnalyzeOptions<Point>) -> Result<Answer, String> {
        let turn = self.turn();
        self.think_within(&turn, wishes)
    }

    fn think_within(
        &mut self,
        turn: &Turn,
        wishes: &AnalyzeOptions<Point>,
    ) -> Result<Answer, String> {
        let started = Instant::now();
        let answer = self.place()?.think(&turn.without(started.elapsed()), wishes).map_err(error);
        self.info.spent(started.elapsed());
        answer
    }

    /// What a move may cost now.
    fn turn(&self) -> Turn {
        let cells = self.size.map_or(0, |(width, height)| width * height);
        self.info.turn(self.stones.len(), cells, &self.stop)
    }

    /// The session with the stones on the board.
    fn place(&mut self) -> Result<&mut Session, String> {
        let order = self.stones.order().map_err(error)?;
        let session = self.session()?;
        session.set_stones(&order).map_err(error)?;
        Ok(session)
    }

    /// Opens the session while the manager is silent: that takes longer than a very short move may. What is wrong with
    /// it is said when a move is asked for.
    fn prepare(&mut self) {
        if self.size.is_some() && !self.is_open() {
            let _ = self.session().map(|session| session.player.prepare());
        }
    }

    fn is_open(&self) -> bool {
        let (Some(size), Some(session)) = (self.size, &self.session) else { return false };
        let (game, player) = (self.info.game(size), self.info.player(self.player));
        session.game.name() == game && session.made_from == player.text()
    }

    /// The session for the board and rule that are in force.
    fn session(&mut self) -> Result<&mut Session, String> {
        let size = self.size.ok_or_else(|| error("START comes first"))?;
        if !self.is_open() {
            let (game, player) = (self.info.game(size), self.info.player(self.player));
            // The old one first: two great tables may be more than the manager allows.
            self.session = None;
            let mut session = Session::open(self.registry, &game, &player).map_err(error)?;
            session.new_game(self.games);
            self.session = Some(session);
        }
        self.session.as_mut().ok_or_else(|| error("no game"))
    }
}

/// `15`, or `15 12` as Yixin's board says it.
fn read_size(text: &str) -> Option<(usize, usize)> {
    let mut words = text.split_whitespace();
    let width = words.next()?.parse().ok()?;
    let height = words.next().map_or(Some(width), |word| word.parse().ok())?;
    words.next().is_none().then_some((width, height))
}

/// What other managers read from messages, if they read any.
fn message(answer: &Answer) -> Option<String> {
    let Report { score, depth, nodes, .. } = answer.report.as_ref()?;
    Some(format!("MESSAGE depth {depth} eval {} nodes {nodes}", value_text(*score)))
}

fn value_text(score: Score) -> String {
    match score.plies_to_end() {
        Some(plies) if score.is_win() => format!("+M{plies}"),
        Some(plies) => format!("-M{plies}"),
        None => score.raw().to_string(),
    }
}
