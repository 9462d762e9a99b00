//! Views of a game for clients: the visible state, and a turn pass by pass. They contain nothing
//! that the ice hides.

use serde::{Deserialize, Serialize};
use tesuji_games::rules::gem_island::updates::{PassUpdate, TurnUpdates};
use tesuji_games::rules::gem_island::{Bonus, Gem, GemCell, GemIsland, GemStatus, Swap};

use super::games::GemGame;
use crate::errors::ApiError;

/// The visible state of a game.
#[derive(Serialize)]
pub(super) struct GameView {
    pub(super) level: u8,
    pub(super) rows: u8,
    pub(super) columns: u8,
    /// All moves of the game.
    pub(super) moves: u16,
    pub(super) moves_left: u16,
    pub(super) moves_made: u16,
    /// All medals of the game.
    pub(super) medals: u8,
    pub(super) medals_left: u8,
    pub(super) score: u64,
    /// The part of the score that a win added for remaining moves.
    pub(super) bonus: u64,
    pub(super) status: GemStatus,
    /// Whether the computer gave a hint or played.
    pub(super) helped: bool,
    /// Row by row.
    pub(super) cells: Vec<CellView>,
    /// The legal swaps.
    pub(super) swaps: Vec<Swap>,
}

/// The visible state of a cell.
#[derive(Serialize)]
pub(super) struct CellView {
    pub(super) kind: u8,
    pub(super) bonus: Option<Bonus>,
    /// Layers.
    pub(super) ice: u8,
    /// The part of a medal on this cell, from 0 to 3 for upper left, upper right, lower left and
    /// lower right. All parts of a medal are shown as soon as one is uncovered.
    pub(super) medal: Option<u8>,
}

impl GameView {
    /// The view of a running game.
    pub(super) fn of(played: &GemGame) -> GameView {
        GameView::of_game(&played.game, played.level, played.helped)
    }

    pub(super) fn of_game(game: &GemIsland, level: u8, helped: bool) -> GameView {
        let view = game.view();
        let (grid, board) = (view.known.grid(), view.known.board());
        let cell = |cell: GemCell| {
            let index = grid.index(cell);
            let Gem { kind, bonus } = board.gem(index);
            let medal = board.portion(grid, board.medals, cell);
            CellView { kind, bonus, ice: board.layers(index), medal }
        };
        let status = game.status();
        GameView {
            level,
            rows: grid.settings.rows,
            columns: grid.settings.columns,
            moves: grid.settings.moves,
            moves_left: game.moves_left(),
            moves_made: game.moves_made(),
            medals: grid.settings.medals,
            medals_left: game.medals_left(),
            score: final_score(game),
            bonus: final_score(game) - game.score(),
            status,
            helped,
            cells: grid.row_major().map(cell).collect(),
            swaps: if status == GemStatus::Running { game.legal_swaps() } else { Vec::new() },
        }
    }
}

/// The score in whole points.
pub(super) fn final_score(game: &GemIsland) -> u64 {
    game.final_score().floor() as u64
}

/// A turn for an animation.
#[derive(Serialize)]
pub(super) struct TurnView {
    pub(super) swap: Swap,
    pub(super) frames: Vec<PassView>,
    /// The score of its passes.
    pub(super) gained: u64,
    /// The gems after a shuffle, row by row, if no swap was legal.
    pub(super) reshuffled: Option<Vec<Vec<Gem>>>,
}

/// One pass of a turn.
#[derive(Serialize)]
pub(super) struct PassView {
    #[serde(flatten)]
    pass: PassUpdate,
    /// Uncovered parts of medals.
    parts: Vec<MedalPart>,
}

#[derive(Serialize)]
struct MedalPart {
    cell: GemCell,
    part: u8,
}

impl TurnView {
    /// The view of any turn of this game; medals never move, so later states serve as well.
    pub(super) fn of(game: &GemIsland, updates: TurnUpdates) -> TurnView {
        let (grid, board) = (game.grid(), game.board());
        let part = |cell| {
            let part = board.portion(grid, board.medals | board.freed, cell)?;
            Some(MedalPart { cell, part })
        };
        let frame = |pass: PassUpdate| {
            let bare = pass.ice.iter().filter(|ice| ice.layers == 0);
            PassView { parts: bare.filter_map(|ice| part(ice.cell)).collect(), pass }
        };
        TurnView {
            swap: updates.swap,
            frames: updates.passes.into_iter().map(frame).collect(),
            gained: updates.score,
            reshuffled: updates.reshuffled,
        }
    }
}

/// A requested swap, in the format of the views.
#[derive(Deserialize)]
pub(super) struct SwapRequest {
    first: CellRequest,
    second: CellRequest,
}

#[derive(Deserialize)]
struct CellRequest {
    row: u8,
    column: u8,
}

impl SwapRequest {
    /// Returns the swap if its cells are neighbors.
    pub(super) fn checked(&self) -> Result<Swap, ApiError> {
        let cell = |asked: &CellRequest| GemCell::new(asked.row, asked.column);
        let (first, second) = (cell(&self.first), cell(&self.second));
        match first.touches(second) {
            true => Ok(Swap { first, second }),
            false => Err(ApiError::bad("swap: cells are not neighbors")),
        }
    }
}
