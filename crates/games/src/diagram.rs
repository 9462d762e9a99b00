//! A position as a grid of cells, for terminals and web pages. Independent of the rules.

use std::fmt;

use crate::{Position, Side};

/// A game whose positions can be shown as diagrams.
pub trait Draw: Position {
    /// The current board.
    fn diagram(&self) -> Diagram;

    /// The cells that a move changes, as indices into [`Diagram::cells`]; the destination is the
    /// last one.
    fn cells_of(&self, m: Self::Move) -> Vec<usize>;

    /// How board and pieces are drawn.
    fn style(&self) -> BoardStyle {
        BoardStyle::PAPER
    }

    /// The cells of the winning rows of a finished game. A game with
    /// [`RowPosition`](crate::RowPosition) does not need to implement this: its rows are found from
    /// its stones.
    fn winning_cells(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The cell of a king in check.
    fn cell_in_check(&self) -> Option<usize> {
        None
    }
}

/// How a board and its pieces are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BoardStyle {
    /// The material of the board.
    pub material: BoardMaterial,
    /// The names of the two sides, in order.
    pub sides: [&'static str; 2],
    /// The side whose pieces start at the bottom of the [`Diagram`], if pieces have a home side.
    pub bottom: Option<Side>,
}

/// The material of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum BoardMaterial {
    /// Ink on paper: crosses and noughts in a grid of lines.
    Paper,
    /// Wood with stones on the intersections of lines.
    Kaya,
    /// An upright rack into whose columns discs fall.
    Rack,
    /// Green cloth with two-sided discs.
    Felt,
    /// Light and dark squares.
    Squares,
}

impl BoardStyle {
    /// Crosses and noughts.
    pub const PAPER: BoardStyle =
        BoardStyle { material: BoardMaterial::Paper, sides: ["X", "O"], bottom: None };
    /// Black and white stones on wood.
    pub const KAYA: BoardStyle =
        BoardStyle { material: BoardMaterial::Kaya, sides: ["black", "white"], bottom: None };
    /// Red and yellow discs in a rack.
    pub const RACK: BoardStyle =
        BoardStyle { material: BoardMaterial::Rack, sides: ["red", "yellow"], bottom: None };
    /// Black and white discs on cloth.
    pub const FELT: BoardStyle =
        BoardStyle { material: BoardMaterial::Felt, sides: ["black", "white"], bottom: None };
}

/// One or more rectangular boards of the same size.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diagram {
    /// Labels of the columns, from the left.
    pub columns: Vec<String>,
    /// Labels of the rows, from the top.
    pub rows: Vec<String>,
    /// Labels of the boards; more than one for games of three and four dimensions.
    pub layers: Vec<String>,
    /// How many boards are shown next to each other in a line of boards.
    pub layers_across: usize,
    /// The cells: layer by layer, row by row from the top, from left to right.
    pub cells: Vec<DiagramCell>,
}

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum DiagramCell {
    /// Nothing.
    Empty,
    /// Never used, such as a light square in checkers.
    Unused,
    /// A piece.
    Piece {
        /// Its owner.
        side: Side,
        /// Its letter: `X`, `O`, `K`.
        symbol: char,
    },
}

impl DiagramCell {
    /// The usual marks of games with one kind of piece: X for the first side, O for the second.
    pub fn mark(side: Option<Side>) -> DiagramCell {
        match side {
            None => DiagramCell::Empty,
            Some(Side::First) => DiagramCell::Piece { side: Side::First, symbol: 'X' },
            Some(Side::Second) => DiagramCell::Piece { side: Side::Second, symbol: 'O' },
        }
    }
}

impl Diagram {
    /// A single board with columns `a b c …` and rows numbered from the bottom; `cell(column, row)`
    /// gives the content of a cell, row 0 being the bottom one.
    pub fn lettered(
        width: usize,
        height: usize,
        cell: impl Fn(usize, usize) -> DiagramCell,
    ) -> Diagram {
        let cells = (0..height)
            .rev()
            .flat_map(|row| (0..width).map(move |column| (column, row)))
            .map(|(column, row)| cell(column, row))
            .collect();
        Diagram {
            columns: (0..width).map(|c| crate::notation::column_letter(c).to_string()).collect(),
            rows: (1..=height).rev().map(|row| row.to_string()).collect(),
            layers: vec![String::new()],
            layers_across: 1,
            cells,
        }
    }

    /// The index of a cell of a single board, row 0 being the bottom one.
    pub fn index(width: usize, height: usize, column: usize, row: usize) -> usize {
        (height - 1 - row) * width + column
    }

    /// The diagram as text. `paint` gets the index and the symbol of a cell and may add color codes
    /// to the symbol.
    pub fn to_text(&self, paint: impl Fn(usize, &str) -> String) -> String {
        let (width, height) = (self.columns.len(), self.rows.len());
        let margin = self.rows.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let column_width =
            self.columns.iter().map(|label| label.chars().count()).max().unwrap_or(1);
        let board_width = margin + width * (column_width + 1);
        let mut text = String::new();
        let across = self.layers_across.max(1);
        for (block, layers) in self.layers.chunks(across).enumerate() {
            let first_layer = block * across;
            if block > 0 {
                text.push('\n');
            }
            if layers.iter().any(|label| !label.is_empty()) {
                let titles: Vec<String> =
                    layers.iter().map(|label| format!("{label:<board_width$}")).collect();
                push_line(&mut text, &titles.join("   "));
            }
            for row in 0..height {
                let boards = (0..layers.len()).map(|layer| {
                    let mut line = format!("{:>margin$}", self.rows[row]);
                    for column in 0..width {
                        let index = ((first_layer + layer) * height + row) * width + column;
                        let symbol = symbol_of(self.cells[index]).to_string();
                        line += &" ".repeat(column_width);
                        line += &paint(index, &symbol);
                    }
                    line
                });
                push_line(&mut text, &boards.collect::<Vec<_>>().join("   "));
            }
            let labels: String =
                self.columns.iter().map(|label| format!(" {label:>column_width$}")).collect();
            let labels = format!("{:margin$}{labels}", "");
            push_line(&mut text, &vec![labels; layers.len()].join("   "));
        }
        text
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

fn symbol_of(cell: DiagramCell) -> char {
    match cell {
        DiagramCell::Empty => '.',
        DiagramCell::Unused => ' ',
        DiagramCell::Piece { symbol, .. } => symbol,
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(|_, symbol| symbol.to_string()))
    }
}
