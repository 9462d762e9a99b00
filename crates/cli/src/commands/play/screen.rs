//! The board in colors: the human's pieces blue, the computer's red, its last move green (as in
//! Connect-o-bot's terminal).

use tesuji_games::{Diagram, DiagramCell};

/// What the output can show, and whether somebody types.
#[derive(Clone, Copy)]
pub(super) struct Screen {
    pub(super) colors: bool,
    pub(super) prompts: bool,
}

/// Who stands in a cell, as the code of a color.
#[derive(Clone, Copy)]
pub(super) enum PieceColor {
    Human = 34,
    Computer = 31,
    LastComputerMove = 32,
}

impl Screen {
    /// The board as text. `human` says of each side whether a person plays it, `last` is where the
    /// computer has just moved to.
    pub(super) fn board(self, diagram: &Diagram, human: [bool; 2], last: &[usize]) -> String {
        diagram.to_text(|index, symbol| {
            let ink = match diagram.cells[index] {
                _ if last.contains(&index) => PieceColor::LastComputerMove,
                DiagramCell::Piece { side, .. } if human[side.index()] => PieceColor::Human,
                DiagramCell::Piece { .. } => PieceColor::Computer,
                DiagramCell::Empty | DiagramCell::Unused => return symbol.to_string(),
            };
            self.paint(ink, symbol)
        })
    }

    /// A word in color, if colors are on.
    pub(super) fn paint(self, ink: PieceColor, text: &str) -> String {
        if self.colors { format!("\x1b[{}m{text}\x1b[0m", ink as u8) } else { text.to_string() }
    }

    /// What stands in front of the cursor; nothing when no person types.
    pub(super) fn prompt(self, text: &str) -> String {
        if self.prompts { format!("{text}> ") } else { String::new() }
    }
}
