//! A position as a picture made of cells: what the terminal prints, and what a page draws. It knows no
//! rules.

use std::fmt;

use crate::{Position, Side};

/// A game whose positions can be drawn.
pub trait Draw: Position {
    /// The board as it stands.
    fn diagram(&self) -> Diagram;

    /// The cells that a move touches, as indices into [`Diagram::cells`]; the one it arrives at last.
    fn cells_of(&self, m: Self::Move) -> Vec<usize>;

    /// What board and pieces are made of, where they are drawn as things.
    fn look(&self) -> Look {
        Look::PAPER
    }

    /// The cells of the rows that won a finished game, where rows win; not asked of games with
    /// [`Stones`](crate::Stones), whose rows can be found from their stones.
    fn winning_cells(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The cell of the piece that must be saved at once, such as a king in check.
    fn cell_in_check(&self) -> Option<usize> {
        None
    }
}

/// What a board and its pieces look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Look {
    /// What the board is made of.
    pub material: Material,
    /// What the two sides are called, in order.
    pub sides: [&'static str; 2],
    /// The side whose pieces start at the bottom of the [`Diagram`], where sides have a bottom.
    pub bottom: Option<Side>,
}

/// What a board is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Material {
    /// Ink on paper: crosses and noughts in a grid of lines.
    Paper,
    /// Wood with stones on the crossings of lines.
    Kaya,
    /// An upright rack into whose columns discs fall.
    Rack,
    /// Green cloth with discs that are turned over.
    Felt,
    /// Light and dark squares.
    Squares,
}

impl Look {
    /// Crosses and noughts.
    pub const PAPER: Look = Look { material: Material::Paper, sides: ["X", "O"], bottom: None };
    /// Black and white stones on wood.
    pub const KAYA: Look =
        Look { material: Material::Kaya, sides: ["black", "white"], bottom: None };
    /// Red and yellow discs in a rack.
    pub const RACK: Look =
        Look { material: Material::Rack, sides: ["red", "yellow"], bottom: None };
    /// Black and white discs on cloth.
    pub const FELT: Look =
        Look { material: Material::Felt, sides: ["black", "white"], bottom: None };
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
    /// How many boards stand side by side before the next line of boards begins.
    pub layers_across: usize,
    /// Layer by layer, row by row from the top, from the left.
    pub cells: Vec<Cell>,
}

/// What stands in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Nothing, and nothing ever will: a light square at checkers.
    Unused,
    /// A piece.
    Piece {
        /// Whose it is.
        side: Side,
        /// How it is written: `X`, `O`, `K`.
        symbol: char,
    },
}

impl Cell {
    /// The usual marks of games with one kind of piece: X for the first side, O for the second.
    pub fn mark(side: Option<Side>) -> Cell {
        match side {
            None => Cell::Empty,
            Some(Side::First) => Cell::Piece { side: Side::First, symbol: 'X' },
            Some(Side::Second) => Cell::Piece { side: Side::Second, symbol: 'O' },
        }
    }
}

impl Diagram {
    /// A single board with columns `a b c …` and rows numbered from the bottom; `cell(column, row)` says
    /// what stands where, row 0 being the bottom one.
    pub fn lettered(width: usize, height: usize, cell: impl Fn(usize, usize) -> Cell) -> Diagram {
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

    /// The picture as text. `paint` may wrap the symbol of a cell (given its index) in colour.
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

fn symbol_of(cell: Cell) -> char {
    match cell {
        Cell::Empty => '.',
        Cell::Unused => ' ',
        Cell::Piece { symbol, .. } => symbol,
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(|_, symbol| symbol.to_string()))
    }
}
