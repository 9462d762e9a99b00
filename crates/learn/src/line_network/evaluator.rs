//! A line network as the evaluator of the alpha-beta engine: its value where the search stops, its
//! policy for which moves are tried and in which order. It keeps its board beside the game's
//! position.

use std::sync::Arc;

use tesuji_games::{Playable, Stones};
use tesuji_search::Evaluator;

use super::board::{NetworkBoard, UnfitBoard};
use super::eye::Eye;
use super::table::LineNetwork;

/// See the top of this file. `M` is a move of the game.
#[derive(Clone, Debug)]
pub struct LineEvaluator<M> {
    board: NetworkBoard,
    eye: Eye,
    /// How many moves are tried at most.
    width: usize,
    /// For finding out which moves are among the most promising, and which are forced.
    promises: Vec<f32>,
    asked: Vec<M>,
}

impl<M: Copy> LineEvaluator<M> {
    /// For positions of five in a row on boards of this size; of each only so many moves are tried.
    pub fn new(
        network: Arc<LineNetwork>,
        (columns, rows): (usize, usize),
        width: usize,
    ) -> Result<Self, UnfitBoard> {
        let board = NetworkBoard::new(network, columns, rows)?;
        let (promises, asked) = (Vec::new(), Vec::new());
        Ok(LineEvaluator { board, eye: Eye::new(), width, promises, asked })
    }

    /// What the least promising of the moves that are tried promises.
    fn least<P: Stones<Move = M>>(&mut self, position: &P) -> f32 {
        let LineEvaluator { eye, promises, .. } = self;
        promises.clear();
        position.for_each_move(|m| promises.push(eye.promise(position.cell(m))));
        let last = self.width.min(self.promises.len()).saturating_sub(1);
        match self.promises.is_empty() {
            true => f32::NEG_INFINITY,
            false => *self.promises.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1,
        }
    }

    /// The only reply to a threat, if there is one: a game's forcing moves are wins and such
    /// replies.
    fn forced<P: Playable<Move = M>>(&mut self, position: &P) -> Option<M> {
        let tactics = P::tactics()?;
        self.asked.clear();
        (tactics.push)(position, &mut self.asked);
        match self.asked[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl<P: Playable + Stones> Evaluator<P> for LineEvaluator<P::Move> {
    fn start(&mut self, position: &P) {
        self.board.follow(position);
    }

    fn playing(&mut self, position: &P, m: P::Move) {
        self.board.put(position.cell(m), position.to_move());
    }

    fn undone(&mut self, position: &P, m: P::Move) {
        self.board.lift(position.cell(m));
    }

    /// Logits in hundredths: where searches want whole numbers.
    fn evaluate(&mut self, position: &P) -> i32 {
        self.eye.look(&self.board, position.to_move());
        (100.0 * self.eye.logit()) as i32
    }

    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        self.eye.look(&self.board, position.to_move());
        if let Some(forced) = self.forced(position) {
            return each(self, forced);
        }
        let least = self.least(position);
        position.for_each_move(|m| {
            if self.eye.promise(position.cell(m)) >= least {
                each(self, m);
            }
        });
    }

    /// Thousandths of what the policy's softmax is taken of.
    fn order(&self, position: &P, m: P::Move) -> i32 {
        (1000.0 * self.eye.promise(position.cell(m))) as i32
    }
}
