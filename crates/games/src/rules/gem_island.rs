//! Gem Island (Brereton, 2017): a match-three puzzle. A move swaps two neighboring gems so that
//! three or more of a kind are in a row. These vanish, the ice under them breaks, gems fall, and
//! new gems appear. All medals below the ice must be freed before the moves run out. The game has
//! one agent, chance and hidden medals, so it is a [`Simulator`](crate::Simulator).
//!
//! [`GemIsland`] is the full state, [`GemView`] the part of it that an agent may know.

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

pub use board::{GemBoard, bonus_code, bonus_of};
pub use gain::SwapPair;
pub use gem::{Bonus, Gem, GemCell, Swap};
pub use grid::{Fidelity, GemGrid};
pub use mask::{Mask, MaskFamily, WideMask};
pub use runs::LegalSwaps;
pub use settings::{GemRules, GemSettings, GemSettingsError, MAX_KINDS, MAX_LAYERS, MAX_SIDE};
pub use state::{GemIsland, GemStatus};
pub use step::{CascadeStep, CreatedBonuses};
pub use turn::{CascadePass, MAX_PASSES, RecordedRefill, Refill, TurnObserver, TurnSummary};
pub use view::GemView;

use crate::registry::{GameInfo, Puzzle, PuzzleCommands, PuzzleSettings};

/// The name of the game.
pub const NAME: &str = "gem-island";

/// The registry entry of Gem Island.
pub const PUZZLE: Puzzle = Puzzle {
    info: GameInfo {
        name: NAME,
        title: "Gem Island",
        summary: "Gem Island: gems in a row, ice, hidden medals; one player (tesuji gem)",
        rules: "Swap two neighboring gems so that three or more of a kind are in a row: they vanish, \
                the gems above fall, and the ice below breaks. Free every hidden medal before the \
                moves run out.",
        options: &[
            ("level=L", "1, 2 or 3 (default 1); the other options override parts of the level"),
            ("COLUMNSxROWS", "size of the board, up to 31x31 (default 9x9)"),
            ("kinds=N", "kinds of gems, 3 to 8 (default 6)"),
            ("ice=N", "rows under ice, from the bottom"),
            ("layers=N", "layers of ice, 1 to 7 (default 1)"),
            ("medals=N", "medals under the ice"),
            ("moves=N", "moves in which all medals must be freed"),
            (
                "rules=fixed|original",
                "without or with the faults of the published program (default fixed)",
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
    open: |spec| GemSettings::from_spec(spec).map(PuzzleSettings::GemIsland),
};

/// Code that is generic over the size of the board.
pub trait MaskVisitor {
    /// The result.
    type Output;
    /// Called once, with the narrowest mask that fits the board.
    fn visit<M: Mask>(self) -> Self::Output;
}

/// Calls the visitor with the mask for these settings, which must be valid.
pub fn with_mask<V: MaskVisitor>(settings: &GemSettings, visitor: V) -> V::Output {
    match GemGrid::<u128>::new(*settings) {
        Some(_) => visitor.visit::<u128>(),
        None => visitor.visit::<WideMask>(),
    }
}
