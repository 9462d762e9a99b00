//! The board in colors: the human's pieces blue, the computer's red, its last move green, as in
//! Connect-o-bot's terminal.

use tesuji_games::{Diagram, DiagramCell};

/// Whether the output has colors, and whether stdin is a terminal.
#[derive(Clone, Copy)]
pub(super) struct Screen {
    pub(super) colors: bool,
    pub(super) prompts: bool,
}

/// The color of a piece, as its ANSI code.
#[derive(Clone, Copy)]
pub(super) enum PieceColor {
    Human = 34,
    Computer = 31,
    LastComputerMove = 32,
}

impl Screen {
    /// The board as text. `human` says for each side whether a person plays it; `last` has the
    /// cells of the computer's last move.
    pub(super) fn board(self, diagram: &Diagram, human: [bool; 2], last: &[usize]) -> String {
        diagram.to_text(|index, symbol| {
            let color = match diagram.cells[index] {
                _ if last.contains(&index) => PieceColor::LastComputerMove,
                DiagramCell::Piece { side, .. } if human[side.index()] => PieceColor::Human,
                DiagramCell::Piece { .. } => PieceColor::Computer,
                DiagramCell::Empty | DiagramCell::Unused => return symbol.to_string(),
            };
            self.paint(color, symbol)
        })
    }

    /// A text in color, if colors are on.
    pub(super) fn paint(self, color: PieceColor, text: &str) -> String {
        if self.colors { format!("\x1b[{}m{text}\x1b[0m", color as u8) } else { text.to_string() }
    }

    /// The prompt; empty if stdin is not a terminal.
    pub(super) fn prompt(self, text: &str) -> String {
        if self.prompts { format!("{text}> ") } else { String::new() }
    }
}
