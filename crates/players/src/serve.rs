//! Players as engines for other programs: reads commands and writes answers. Each of the two
//! protocols has a file; bounded lines and the game session are here.

mod gomocup;
mod lines;

use std::io::{self, BufRead, Read, Write};

use tesuji_games::point::Point;
use tesuji_games::{GameLine, SpecError};
use tesuji_play::{Player, PlayerContext, PlayerSpec};
use tesuji_search::{Game, Registry};

pub use gomocup::serve_gomocup;
pub use lines::serve_lines;

/// Reads the next line without its end, at most `longest` bytes; the rest of a longer line is
/// dropped. Returns `None` at the end of the input.
fn read_line(input: &mut (impl BufRead + ?Sized), longest: u64) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = (&mut *input).take(longest).read_until(b'\n', &mut bytes)?;
    if read as u64 == longest && bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).trim().to_string()))
}

fn write_line(output: &mut dyn Write, line: &str) -> io::Result<()> {
    // One write per line: the other side may read as soon as data arrives.
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

/// A game in progress and its player.
struct Session {
    game: Game,
    line: GameLine,
    /// The moves of the line as points, if it was set up from points.
    points: Option<Vec<Point>>,
    player: Box<dyn Player>,
    /// The text that the player was built from.
    player_text: String,
}

impl Session {
    /// Starts a game by its name.
    fn open(games: &Registry, game: &str, player: &PlayerSpec) -> Result<Session, SpecError> {
        let game = games.open(game)?;
        let player_text = player.text().to_string();
        let player = player.build(&PlayerContext::new(&game, 0))?;
        let line = GameLine::new(game.start().clone());
        Ok(Session { game, line, points: Some(Vec::new()), player, player_text })
    }

    /// Starts a new game.
    fn new_game(&mut self, seed: u64) {
        (self.line, self.points) = (GameLine::new(self.game.start().clone()), Some(Vec::new()));
        self.player.new_game(seed);
    }
}
