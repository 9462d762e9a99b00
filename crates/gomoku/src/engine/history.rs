//! Move ordering statistics of the search: the history heuristic and counter moves.

use tesuji_games::Side;

use crate::cell::{CELL_NUMBERS, Cell};

/// The bound of history values.
const MAX_HISTORY: i32 = 8192;

/// History and counter moves of both sides.
#[derive(Clone, Debug)]
pub(crate) struct MoveHistory {
    scores: Box<[[i16; CELL_NUMBERS]; 2]>,
    counter_moves: Box<[[Option<Cell>; CELL_NUMBERS]; 2]>,
}

impl MoveHistory {
    pub(crate) fn new() -> MoveHistory {
        MoveHistory {
            scores: Box::new([[0; CELL_NUMBERS]; 2]),
            counter_moves: Box::new([[None; CELL_NUMBERS]; 2]),
        }
    }

    /// Halves the history between searches of a game.
    pub(crate) fn age(&mut self) {
        self.scores.iter_mut().flatten().for_each(|score| *score /= 2);
    }

    /// The history of a move of `side`, within ±8192.
    #[inline]
    pub(crate) fn of(&self, side: Side, cell: Cell) -> i32 {
        i32::from(self.scores[side.index()][cell.number()])
    }

    /// The counter move of `side` to the opponent's last move.
    #[inline]
    pub(crate) fn counter_move(&self, side: Side, last: Option<Cell>) -> Option<Cell> {
        self.counter_moves[side.index()][last?.number()]
    }

    /// Rewards the move that caused a cutoff and penalizes the moves tried before it.
    pub(crate) fn reward(
        &mut self,
        side: Side,
        cell: Cell,
        last: Option<Cell>,
        depth: i32,
        before: impl Iterator<Item = Cell>,
    ) {
        let bonus = (24 * depth * depth + 48 * depth).min(1600);
        self.change(side, cell, bonus);
        for earlier in before {
            self.change(side, earlier, -bonus);
        }
        if let Some(last) = last {
            self.counter_moves[side.index()][last.number()] = Some(cell);
        }
    }

    /// Moves a value towards the bound without reaching it.
    #[inline]
    fn change(&mut self, side: Side, cell: Cell, by: i32) {
        let score = &mut self.scores[side.index()][cell.number()];
        let old = i32::from(*score);
        *score = (old + by - old * by.abs() / MAX_HISTORY) as i16;
    }
}
