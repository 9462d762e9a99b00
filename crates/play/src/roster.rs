//! Players by name, the counterpart of the games' [`Registry`](tesuji_search::Registry).

use tesuji_games::SpecError;

use crate::attachments::FilePaths;
use crate::options::{self, SpecKind};
use crate::setup::PlayerSetup;
use crate::spec::PlayerSpec;

/// The declaration of a player: its name, help text, options and the function that reads them.
pub type PlayerKind = SpecKind<Box<dyn PlayerSetup>>;

/// All players of a program by name, in the order of the help.
#[derive(Clone, Copy, Debug)]
pub struct Roster(&'static [&'static [PlayerKind]]);

impl Roster {
    /// Creates a roster from tables of players.
    pub const fn new(tables: &'static [&'static [PlayerKind]]) -> Roster {
        Roster(tables)
    }

    /// All players, in the order of the help.
    pub fn all(&self) -> impl Iterator<Item = &'static PlayerKind> + Clone + use<> {
        self.0.iter().flat_map(|kinds| kinds.iter())
    }

    /// Parses a player such as `alphabeta:depth=4`. Opens no file.
    pub fn read(&self, text: &str) -> Result<PlayerSpec, SpecError> {
        self.read_with(text, &FilePaths::new())
    }

    /// Parses a player as [`read`](Self::read) does. `files` maps the file names in the text to
    /// their paths on this machine.
    pub fn read_with(&self, text: &str, files: &FilePaths) -> Result<PlayerSpec, SpecError> {
        let (kind, options) = options::read("player", self.all(), text, files)?;
        PlayerSpec::new(kind, text, options)
    }

    /// The canonical text of a player, see [`PlayerSpec::text`]; the text itself if it is not a
    /// valid player.
    pub fn canonical(&self, text: &str) -> String {
        self.read(text).map_or_else(|_| text.to_string(), |player| player.text().to_string())
    }
}
