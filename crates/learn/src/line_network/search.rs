//! Searches with a line network. In alpha-beta, the network's value is the score of leaves, and its
//! policy selects and orders moves. In tree search (PUCT), its policy supplies priors and its value
//! leaf values. Both update a [`NetworkBoard`] in parallel to the game's position.

use std::sync::Arc;

use tesuji_games::{Playable, Position, RowPosition};
use tesuji_search::ordering::MoveOrdering;
use tesuji_search::puct::PolicyValue;
use tesuji_search::transposition::DepthMatch;
use tesuji_search::{Deepening, Engine, EngineOptions, Evaluator, TableSize, WindowMode};

use super::board::{NetworkBoard, UnsupportedBoard};
use super::inference::Inference;
use super::table::LineNetwork;

/// The network as an evaluator for alpha-beta. `M` is a move of the game.
#[derive(Clone, Debug)]
pub struct LineEvaluator<M> {
    board: NetworkBoard,
    inference: Inference,
    /// The maximum number of moves to try.
    width: usize,
    /// Buffers for the policy threshold and for forced moves.
    logits: Vec<f32>,
    forcing_moves: Vec<M>,
}

impl<M: Copy> LineEvaluator<M> {
    /// For five in a row on boards of this size; tries the `width` moves with the highest policy.
    pub fn new(
        network: Arc<LineNetwork>,
        (columns, rows): (usize, usize),
        width: usize,
    ) -> Result<Self, UnsupportedBoard> {
        let board = NetworkBoard::new(network, columns, rows)?;
        let (logits, forcing_moves) = (Vec::new(), Vec::new());
        Ok(LineEvaluator { board, inference: Inference::default(), width, logits, forcing_moves })
    }

    /// The lowest policy logit of a move to try.
    fn policy_threshold<P: RowPosition<Move = M>>(&mut self, position: &P) -> f32 {
        self.logits.clear();
        position.for_each_move(|m| self.logits.push(self.inference.policy_logit(position.cell(m))));
        let last = self.width.min(self.logits.len()).saturating_sub(1);
        match self.logits.is_empty() {
            true => f32::NEG_INFINITY,
            false => *self.logits.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1,
        }
    }

    /// The only forcing move, a win or a reply to a threat; `None` if there is none or several.
    fn only_forcing_move<P: Playable<Move = M>>(&mut self, position: &P) -> Option<M> {
        let tactics = P::tactics()?;
        self.forcing_moves.clear();
        (tactics.push)(position, &mut self.forcing_moves);
        match self.forcing_moves[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl<P: Playable + RowPosition> Evaluator<P> for LineEvaluator<P::Move> {
    fn start(&mut self, position: &P) {
        self.board.sync_with(position);
    }

    fn before_play(&mut self, position: &P, m: P::Move) {
        self.board.put(position.cell(m), position.to_move());
    }

    fn after_undo(&mut self, position: &P, m: P::Move) {
        self.board.remove(position.cell(m));
    }

    /// The logit in hundredths, since searches use integer scores.
    fn evaluate(&mut self, position: &P) -> i32 {
        self.inference.evaluate(&self.board, position.to_move());
        (100.0 * self.inference.last) as i32
    }

    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        self.inference.evaluate(&self.board, position.to_move());
        if let Some(forced) = self.only_forcing_move(position) {
            return each(self, forced);
        }
        let policy_threshold = self.policy_threshold(position);
        position.for_each_move(|m| {
            if self.inference.policy_logit(position.cell(m)) >= policy_threshold {
                each(self, m);
            }
        });
    }

    /// The policy logit in thousandths.
    fn order(&self, position: &P, m: P::Move) -> i32 {
        (1000.0 * self.inference.policy_logit(position.cell(m))) as i32
    }
}

/// Options of an alpha-beta search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineSearchOptions {
    /// How many moves of a position to try, those with the highest policy.
    pub width: usize,
    /// The size of the transposition table.
    pub table: TableSize,
    /// The number of search threads, including the calling one.
    pub threads: usize,
}

impl Default for LineSearchOptions {
    fn default() -> Self {
        LineSearchOptions { width: 12, table: TableSize::megabytes(16), threads: 1 }
    }
}

/// Alpha-beta with a line network. Proofs cover only the moves that are tried, so a proved loss may
/// be wrong.
pub type LineSearch<P> = Engine<P, LineEvaluator<<P as Position>::Move>>;

/// A search for five in a row on boards of this size.
pub fn line_search<P: Playable + RowPosition>(
    network: Arc<LineNetwork>,
    size: (usize, usize),
    options: &LineSearchOptions,
) -> Result<LineSearch<P>, UnsupportedBoard> {
    let engine = EngineOptions {
        table: Some(options.table),
        depth_match: DepthMatch::SameOrDeeper,
        ordering: MoveOrdering::Full,
        window: WindowMode::PrincipalVariation,
        deepening: Deepening::On,
        win_detection: true,
        threads: options.threads,
        ..EngineOptions::plain()
    };
    Ok(Engine::new(LineEvaluator::new(network, size, options.width)?, engine))
}

/// Moves with a lower probability, relative to the most likely one, are dropped.
const MIN_POLICY: f32 = 0.003;

/// The network as a guide for tree search. Successive positions differ in a few stones; only these
/// are placed and removed.
#[derive(Clone, Debug)]
pub struct LineGuide {
    board: NetworkBoard,
    inference: Inference,
}

impl LineGuide {
    /// A guide for five in a row on boards of this size.
    pub fn new(
        network: Arc<LineNetwork>,
        columns: usize,
        rows: usize,
    ) -> Result<LineGuide, UnsupportedBoard> {
        Ok(LineGuide {
            board: NetworkBoard::new(network, columns, rows)?,
            inference: Inference::default(),
        })
    }
}

impl<P: RowPosition> PolicyValue<P> for LineGuide {
    fn policy_and_value(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32 {
        self.board.sync_with(position);
        let chance = self.inference.evaluate(&self.board, position.to_move());
        position.for_each_move(|m| moves.push((m, self.inference.policy_logit(position.cell(m)))));
        softmax(moves);
        chance
    }
}

/// Turns logits into probabilities, drops unlikely moves and normalizes the rest.
fn softmax<M>(moves: &mut Vec<(M, f32)>) {
    let max = moves.iter().map(|&(_, logit)| logit).fold(f32::NEG_INFINITY, f32::max);
    moves.iter_mut().for_each(|(_, logit)| *logit = (*logit - max).exp());
    moves.retain(|&(_, weight)| weight >= MIN_POLICY);
    let sum: f32 = moves.iter().map(|&(_, weight)| weight).sum();
    moves.iter_mut().for_each(|(_, weight)| *weight /= sum);
}
