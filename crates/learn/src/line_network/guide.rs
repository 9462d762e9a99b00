//! A line network that leads a tree search (PUCT): its policy says which moves are looked at, its value who is ahead.

use std::sync::Arc;

use tesuji_games::Stones;
use tesuji_search::puct::Guide;

use super::board::{NetworkBoard, UnfitBoard};
use super::eye::Eye;
use super::table::LineNetwork;

/// Moves that are less likely than this, compared with the likeliest, are left out.
const LEAST: f32 = 0.003;

/// See the top of this file. Positions that are looked at one after the other differ in a few stones; only these are put
/// and taken away.
#[derive(Clone, Debug)]
pub struct LineGuide {
    board: NetworkBoard,
    eye: Eye,
}

impl LineGuide {
    /// A guide for positions of five in a row on boards of this size.
    pub fn new(
        network: Arc<LineNetwork>,
        columns: usize,
        rows: usize,
    ) -> Result<LineGuide, UnfitBoard> {
        Ok(LineGuide { board: NetworkBoard::new(network, columns, rows)?, eye: Eye::new() })
    }
}

impl<P: Stones> Guide<P> for LineGuide {
    fn look(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32 {
        self.board.follow(position);
        let chance = self.eye.look(&self.board, position.to_move());
        position.for_each_move(|m| moves.push((m, self.eye.promise(position.cell(m)))));
        soften(moves);
        chance
    }
}

/// From promises to weights that add up to 1.
fn soften<M>(moves: &mut Vec<(M, f32)>) {
    let most = moves.iter().map(|&(_, promise)| promise).fold(f32::NEG_INFINITY, f32::max);
    moves.iter_mut().for_each(|(_, promise)| *promise = (*promise - most).exp());
    moves.retain(|&(_, weight)| weight >= LEAST);
    let all: f32 = moves.iter().map(|&(_, weight)| weight).sum();
    moves.iter_mut().for_each(|(_, weight)| *weight /= all);
}
