//! The search at the root: every move has a value and a line, and the best comes first.

use super::moves::{OpponentThreat, push_moves};
use super::node::{Node, Window};
use super::selective::reduction_index;
use super::value::{INFINITE, win_at};
use super::worker::Worker;
use crate::cell::Cell;
use crate::class::MoveClass;

/// A move at the root.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) cell: Cell,
    pub(crate) value: i32,
    /// The principal variation that begins with the move.
    pub(crate) line: Vec<Cell>,
}

impl Worker<'_> {
    /// The legal moves at the root, best score first: the moves allowed by the threat, or those
    /// near stones.
    pub(crate) fn root_moves(&mut self) -> Vec<Cell> {
        let mut moves = Vec::new();
        let threat = OpponentThreat::facing(&self.board);
        push_moves(&self.board, self.weights, threat, &mut moves);
        let side = self.board.to_move();
        moves.retain(|ranked| !self.board.is_forbidden(side, ranked.cell));
        if moves.is_empty() && threat != OpponentThreat::None {
            push_moves(&self.board, self.weights, OpponentThreat::None, &mut moves);
            moves.retain(|ranked| !self.board.is_forbidden(side, ranked.cell));
        }
        moves.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        // A five ends the game whatever the opponent threatens.
        let fives = *self.board.cells(side, MoveClass::Five);
        let mut cells = Vec::new();
        fives.for_each(|cell| cells.push(cell));
        cells.extend(moves.into_iter().map(|ranked| ranked.cell).filter(|&c| !fives.contains(c)));
        cells
    }

    /// Searches root moves in order and moves the best one to the front. Returns its value, or a
    /// bound outside the window.
    pub(crate) fn search_root(
        &mut self,
        moves: &mut [RootMove],
        window: Window,
        depth: i32,
    ) -> i32 {
        let (mut alpha, mut best) = (window.alpha, -INFINITE);
        for n in 0..moves.len() {
            let cell = moves[n].cell;
            let value = self.try_root_move(cell, n, Window { alpha, ..window }, depth);
            if self.meter.is_stopped() {
                break;
            }
            if n == 0 || value > alpha {
                moves[n].value = value;
                moves[n].line.clear();
                moves[n].line.push(cell);
                moves[n].line.extend(&self.lines[1]);
                moves[..=n].rotate_right(1);
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// Searches the `n`th root move.
    fn try_root_move(&mut self, cell: Cell, n: usize, window: Window, depth: i32) -> i32 {
        // Nodes below the root detect a five before it is played; the root plays its moves first.
        if self.board.class(self.board.to_move(), cell) == MoveClass::Five {
            self.meter.tick();
            self.lines[1].clear();
            return win_at(1);
        }
        let node = Node { depth: depth - 1, ply: 1, pv: true, cut_node: true };
        let late = n > 2 && depth > 2;
        let reduction = if late {
            self.reductions[reduction_index(depth)][reduction_index(n as i32)] / 200
        } else {
            0
        };
        self.play(cell);
        let mut value = -INFINITE;
        if n > 0 {
            value = self.search_null_window(window.alpha, node, reduction);
        }
        if n == 0 || (value > window.alpha && !self.meter.is_stopped()) {
            value = -self.search(window.negated(), Node { cut_node: false, ..node });
        }
        self.undo();
        value
    }
}
