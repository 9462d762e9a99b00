//! Any player as an engine for other programs: reads commands from one side, answers on the other. The two
//! protocols have a file each; what they share stands here: lines of bounded length, and a session in
//! which a player is asked about a game.

mod gomocup;
mod lines;

use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

use tesuji_games::point::{Point, board_size, move_at, point_of};
use tesuji_games::{Draw, Line, Notation, Position, Score, SpecError, State};
use tesuji_search::{MoveScore, Registry};

use tesuji_play::{Choice, Player, PlayerContext, PlayerError, PlayerSpec, Turn, Wishes};

pub use gomocup::serve_gomocup;
pub use lines::serve_lines;

/// The longest line that is read; the rest of a longer one is dropped.
const LONGEST_LINE: u64 = 1 << 20;

/// The two ends of the conversation.
struct Talk<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

impl Talk<'_> {
    /// The next line without its end; `None` when there are no more.
    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = (&mut *self.input).take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        if read as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            self.input.skip_until(b'\n')?;
        }
        Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim().to_string()))
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        say(self.output, line)
    }
}

fn say(output: &mut dyn Write, line: &str) -> io::Result<()> {
    // One write a line: the other side may read as soon as it sees anything.
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

/// A first word and the rest.
fn command(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim())
}

/// A move and what the player says about it.
#[derive(Clone, Debug)]
struct Answer {
    text: String,
    point: Option<Point>,
    score: Option<Score>,
    depth: u32,
    nodes: u64,
    /// How the player thinks that it goes on, beginning with the move.
    line: Vec<Point>,
    /// The values of several moves, best first, as far as they are known.
    moves: Vec<(Point, Score)>,
    /// Whether the wishes were heeded.
    heeded: bool,
}

/// A game under way, and the player that is asked about it.
struct Session {
    start: State,
    line: Line,
    /// The moves of the line as points, if it was set up so.
    points: Option<Vec<Point>>,
    player: Box<dyn Player>,
}

impl Session {
    /// A game from its start; `game` is its name.
    fn open(games: &Registry, game: &str, player: &PlayerSpec) -> Result<Session, SpecError> {
        let game = games.open(game)?;
        let player = player.build(&PlayerContext::new(&game, 0))?;
        let start = game.start().clone();
        Ok(Session { line: Line::new(start.clone()), points: Some(Vec::new()), start, player })
    }

    /// Forgets earlier games.
    fn new_game(&mut self, seed: u64) {
        (self.line, self.points) = (Line::new(self.start.clone()), Some(Vec::new()));
        self.player.new_game(seed);
    }

    /// Sets up a position given as text.
    fn set_text(&mut self, text: &str) -> Result<(), String> {
        self.line = self.start.parse_line(text).map_err(|error| error.to_string())?;
        self.points = None;
        Ok(())
    }

    /// Sets up a position given as stones in the order of play.
    fn set_stones(&mut self, stones: &[Point]) -> Result<(), String> {
        // Usually the game has only gone on.
        let known = self.points.take().filter(|known| stones.starts_with(known));
        if known.is_none() {
            self.line = Line::new(self.start.clone());
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
    fn think(&mut self, turn: &Turn, wishes: &Wishes<Point>) -> Result<Answer, PlayerError> {
        let position = &self.line.end;
        let avoid = wishes.avoid.iter().filter_map(|&point| move_at(position, Some(point)));
        let wished = Wishes { best: wishes.best, avoid: avoid.collect() };
        let consulted = match wished.are_none() {
            true => None,
            false => self.player.consult(&self.line, turn, &wished),
        };
        let heeded = wished.are_none() || consulted.is_some();
        let choice = consulted.unwrap_or_else(|| self.player.choose(&self.line, turn))?;
        Ok(Answer { heeded, ..Answer::of(&self.line.end, &choice) })
    }

    /// Makes ready what the first move would otherwise have to wait for.
    fn prepare(&mut self) {
        self.player.prepare();
    }

    /// Lets the player forget what it found out, but not the position.
    fn forget(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    /// The empty points on which the side to move may not play.
    fn forbidden(&self) -> Vec<Point> {
        let position = &self.line.end;
        let Some((width, _)) = board_size(position).filter(|_| position.outcome().is_none()) else {
            return Vec::new();
        };
        let mut is_legal = vec![false; position.diagram().cells.len()];
        position.for_each_move(|m| {
            if let Some(&cell) = position.cells_of(m).last() {
                is_legal[cell] = true;
            }
        });
        let cells = position.diagram().cells;
        let refused =
            cells.iter().zip(&is_legal).enumerate().filter(|(_, (what, legal))| {
                **what == tesuji_games::diagram::Cell::Empty && !**legal
            });
        refused.map(|(cell, _)| Point { x: cell % width, y: cell / width }).collect()
    }
}

impl Answer {
    fn of(position: &State, choice: &Choice) -> Answer {
        let report = choice.report.as_ref();
        let (mut end, mut line) = (position.clone(), Vec::new());
        for &m in report.map_or(&[][..], |report| &report.line) {
            let point = point_of(&end, m);
            if end.try_play(m).is_err() {
                break;
            }
            line.extend(point);
        }
        let values = report.map_or(&[][..], |report| &report.moves);
        let value = |known: &MoveScore| Some((point_of(position, known.m)?, known.score));
        Answer {
            text: position.move_text(choice.m),
            point: point_of(position, choice.m),
            score: report.map(|report| report.score),
            depth: report.map_or(0, |report| report.depth),
            nodes: report.map_or(0, |report| report.nodes),
            line,
            moves: values.iter().filter_map(value).collect(),
            heeded: true,
        }
    }
}

/// Time for a move out of what is left for the game: a fair share, never more than half of it.
fn share_of(left: Duration, increment: Duration) -> Duration {
    const MOVES_TO_COME: u32 = 20;
    (left / MOVES_TO_COME + increment.mul_f64(0.8)).min(left / 2)
}

/// Leaves some of the time for the way there and back.
fn with_safety(time: Duration) -> Duration {
    const WAY: Duration = Duration::from_millis(30);
    time.saturating_sub(WAY.min(time / 4)).max(Duration::from_millis(1))
}
