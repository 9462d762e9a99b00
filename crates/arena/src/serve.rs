//! Any player as an engine for other programs: reads commands from one side, answers on the other. The two
//! protocols have a file each; what they share stands here: lines of bounded length, and a [`Table`] at which
//! a player sits whatever the game.
//!
//! Which games there are is the caller's to say ([`Opener`]): a registry opened in here would compile every
//! search for every game into this library, and once more into whoever uses it.

mod gomocup;
mod lines;

use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

use tesuji_games::point::{Point, move_at, point_of};
use tesuji_games::{Line, Playable, Score, SpecError};

use crate::{Player, PlayerContext, PlayerError, PlayerSpec, Turn};

pub use gomocup::serve_gomocup;
pub use lines::serve_lines;

/// The longest line that is read; the rest of a longer one is dropped.
const LONGEST_LINE: u64 = 1 << 20;

/// The two ends of the conversation.
struct Desk<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

impl Desk<'_> {
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
        // One write a line: the other side may read as soon as it sees anything.
        self.output.write_all(format!("{line}\n").as_bytes())?;
        self.output.flush()
    }
}

/// A first word and the rest.
fn command(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim())
}

/// A player and a game, of whatever type.
pub trait Table {
    /// Forgets earlier games.
    fn new_game(&mut self, seed: u64);

    /// Sets up a position given as text.
    fn set_text(&mut self, text: &str) -> Result<(), String>;

    /// Sets up a position given as stones in the order of play.
    fn set_stones(&mut self, stones: &[Point]) -> Result<(), String>;

    /// The player's move, which is not played.
    fn think(&mut self, turn: &Turn) -> Result<Answer, PlayerError>;
}

/// A move and what the player says about it.
#[derive(Clone, Debug)]
pub struct Answer {
    text: String,
    point: Option<Point>,
    score: Option<Score>,
    depth: u32,
    nodes: u64,
}

/// Opens the game that a text names and seats the player, usually with [`table`] in a visitor of the registry.
pub type Opener<'a> = &'a dyn Fn(&str, &PlayerSpec) -> Result<Box<dyn Table>, SpecError>;

/// A table for a game from its start; `game` is its text.
pub fn table<P: Playable>(
    start: P,
    game: &str,
    player: &PlayerSpec,
) -> Result<Box<dyn Table>, SpecError> {
    let player = player.build::<P>(&PlayerContext::new(game, 0))?;
    Ok(Box::new(Seat { line: Line::new(start.clone()), start, player }))
}

struct Seat<P: Playable> {
    start: P,
    line: Line<P>,
    player: Box<dyn Player<P>>,
}

impl<P: Playable> Table for Seat<P> {
    fn new_game(&mut self, seed: u64) {
        self.line = Line::new(self.start.clone());
        self.player.new_game(seed);
    }

    fn set_text(&mut self, text: &str) -> Result<(), String> {
        self.line = self.start.parse_line(text).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn set_stones(&mut self, stones: &[Point]) -> Result<(), String> {
        let mut line = Line::new(self.start.clone());
        for &point in stones {
            let m = move_at(&line.end, Some(point)).filter(|_| line.end.outcome().is_none());
            let m = m.ok_or_else(|| format!("{},{} cannot be played", point.x, point.y))?;
            line.play(m).map_err(|error| error.to_string())?;
        }
        self.line = line;
        Ok(())
    }

    fn think(&mut self, turn: &Turn) -> Result<Answer, PlayerError> {
        let choice = self.player.choose(&self.line, turn)?;
        let report = choice.report.as_ref();
        Ok(Answer {
            text: self.line.end.move_text(choice.m),
            point: point_of(&self.line.end, choice.m),
            score: report.map(|report| report.score),
            depth: report.map_or(0, |report| report.depth),
            nodes: report.map_or(0, |report| report.nodes),
        })
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
