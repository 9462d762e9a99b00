//! Tests of the report's agents, and helpers that create boards.

mod agents;
mod alphabeta;
mod board;
mod evaluation;
mod patterns;
mod published;

use tesuji_games::Side;
use tesuji_games::random::{self, Rng};

use super::{FudanBoard, FudanCell, FudanSquare};

/// Creates a board from a picture with `X` (first side), `O` (second), `#` (wall) and `.`, rows
/// separated by blanks; the first side is to move.
fn board_from(picture: &str) -> FudanBoard {
    let rows: Vec<&str> = picture.split_whitespace().collect();
    let mut board = FudanBoard::new(rows.len(), rows[0].len()).unwrap();
    for (row, text) in rows.iter().enumerate() {
        for (column, mark) in text.chars().enumerate() {
            let cell = FudanCell::row_column(row as u8, column as u8);
            match mark {
                'X' => board.place(cell, Side::First).unwrap(),
                'O' => board.place(cell, Side::Second).unwrap(),
                '#' => board.block(cell).unwrap(),
                mark => assert_eq!(mark, '.'),
            }
        }
    }
    board
}

/// The same board with the sides swapped.
fn mirrored(board: &FudanBoard) -> FudanBoard {
    let mut other = FudanBoard::new(board.rows(), board.columns()).unwrap();
    for cell in board.cells() {
        match board.at(cell) {
            FudanSquare::Stone(side) => other.place(cell, !side).unwrap(),
            FudanSquare::Wall => other.block(cell).unwrap(),
            FudanSquare::Empty => {}
        }
    }
    other.set_to_move(!board.to_move());
    other
}

/// A board with random stones on a part of it, and a few walls.
fn random_board(rng: &mut Rng, rows: usize, columns: usize) -> FudanBoard {
    let mut board = FudanBoard::new(rows, columns).unwrap();
    let fullness = 10 + random::below(rng, 70);
    for cell in board.cells() {
        if random::below(rng, 100) < fullness {
            board.play_somewhere(rng, cell);
        }
    }
    board
}

impl FudanBoard {
    fn play_somewhere(&mut self, rng: &mut Rng, cell: FudanCell) {
        match random::below(rng, 20) {
            0 => self.block(cell).unwrap(),
            n if n % 2 == 0 => self.place(cell, Side::First).unwrap(),
            _ => self.place(cell, Side::Second).unwrap(),
        }
    }
}
