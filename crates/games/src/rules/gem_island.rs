//! Gem Island (Brereton, 2017): a match-three puzzle. Two neighbouring gems change places so that three or more of a
//! kind stand in a row; they vanish, gems fall and new ones come, ice under them breaks, and all medals beneath the ice
//! must be freed before the moves run out. One agent, chance, hidden medals: a [`Simulator`](crate::Simulator).
//!
//! [`GemIsland`] is the whole state, [`View`] what an agent may know of it.

mod board;
mod conversion;
mod gain;
mod gem;
mod generation;
mod grid;
pub mod log;
mod mask;
pub mod reference;
mod runs;
mod settings;
mod state;
mod step;
pub mod text;
mod turn;
pub mod updates;
mod view;

pub use board::{Board, bonus_code, bonus_of};
pub use gain::Pair;
pub use gem::{Bonus, Cell, Gem, Swap};
pub use grid::{Fidelity, Grid};
pub use mask::{Mask, OfMask, Wide};
pub use runs::Swaps;
pub use settings::{BadSettings, LONGEST_SIDE, MOST_KINDS, MOST_LAYERS, Rules, Settings};
pub use state::{GemIsland, Status};
pub use step::{Created, Step};
pub use turn::{MOST_PASSES, Pass, Refill, Tape, Turn, Witness};
pub use view::View;

use crate::registry::{GameInfo, Puzzle, PuzzleCommands, PuzzleSettings};

/// What it is called.
pub const NAME: &str = "gem-island";

/// Its entry in the registry.
pub const PUZZLE: Puzzle = Puzzle {
    info: GameInfo {
        name: NAME,
        title: "Gem Island",
        summary: "Gem Island: gems in a row, ice, hidden medals; one player (tesuji gem)",
        rules: "Swap two neighbouring gems so that three or more of a kind stand in a row: they \
                vanish, what is above falls, and ice beneath them breaks. Free every hidden medal \
                before the moves run out.",
        options: &[
            ("level=L", "1, 2 or 3 (default 1); what follows is different from it"),
            ("COLUMNSxROWS", "size of the board (default 9x9, up to 31x31)"),
            ("kinds=N", "kinds of gems, 3 to 8 (default 6)"),
            ("ice=N", "rows under ice, from the bottom"),
            ("layers=N", "layers of ice, 1 to 7 (default 1)"),
            ("medals=N", "medals under the ice"),
            ("moves=N", "moves in which all must be freed"),
            (
                "rules=fixed|original",
                "without or with the published program's faults (default fixed)",
            ),
        ],
        presets: &[],
    },
    nature: "one player, chance and hidden medals",
    commands: PuzzleCommands {
        verb: "tesuji gem",
        measure: "tesuji gem bench",
        hint: "the hint command of tesuji gem play",
        train: "learner = \"gem-outcome\" or \"gem-utility\"",
    },
    open: |spec| Settings::from_spec(spec).map(PuzzleSettings::GemIsland),
};

/// Code that works on a board of any size.
pub trait MaskVisitor {
    /// What comes back.
    type Output;
    /// Called once, with the narrowest mask that the board fits.
    fn visit<M: Mask>(self) -> Self::Output;
}

/// Calls the visitor with the mask for these settings, which must be possible.
pub fn with_mask<V: MaskVisitor>(settings: &Settings, visitor: V) -> V::Output {
    match Grid::<u128>::new(*settings) {
        Some(_) => visitor.visit::<u128>(),
        None => visitor.visit::<Wide>(),
    }
}
