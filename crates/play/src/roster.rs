//! Players by name, the counterpart of the games' [`Registry`](tesuji_search::Registry).

use tesuji_games::SpecError;

use crate::options::{self, SpecKind};
use crate::setup::PlayerSetup;
use crate::spec::PlayerSpec;
use crate::attachments::FilePaths;

/// A player by name: what help texts say of it, its options and what they mean.
pub type PlayerKind = SpecKind<Box<dyn PlayerSetup>>;

/// The players by name, in the order of the help.
#[derive(Clone, Copy, Debug)]
pub struct Roster(&'static [&'static [PlayerKind]]);

impl Roster {
    /// The players of these tables.
    pub const fn new(tables: &'static [&'static [PlayerKind]]) -> Roster {
        Roster(tables)
    }

    /// Every player, in the order of the help.
    pub fn all(&self) -> impl Iterator<Item = &'static PlayerKind> + Clone + use<> {
        self.0.iter().flat_map(|kinds| kinds.iter())
    }

    /// The player of a text, such as `alphabeta:depth=4`. Nothing is opened.
    pub fn read(&self, text: &str) -> Result<PlayerSpec, SpecError> {
        self.read_with(text, &FilePaths::new())
    }

    /// The same, with the files that the text names from where they lie here.
    pub fn read_with(&self, text: &str, files: &FilePaths) -> Result<PlayerSpec, SpecError> {
        let (kind, options) = options::read("player", self.all(), text, files)?;
        PlayerSpec::new(kind, text, options)
    }

    /// The canonical text of a player, see [`PlayerSpec::text`]; the text itself where it means
    /// none.
    pub fn canonical(&self, text: &str) -> String {
        self.read(text).map_or_else(|_| text.to_string(), |player| player.text().to_string())
    }
}
