//! A critic as an evaluator: it updates pattern counts incrementally with the game's position and
//! evaluates positions and moves.

use std::sync::Arc;

use tesuji_games::{Playable, RowPosition, Side};
use tesuji_search::Evaluator;

use super::matcher::PatternMatcher;
use super::model::{Critic, HiddenVec};
use super::pattern_board::PatternBoard;

/// See the top of this file. [`Self::candidates`] prunes the moves.
#[derive(Clone, Debug)]
pub struct CriticEvaluator {
    critic: Arc<Critic>,
    pattern_board: PatternBoard,
    /// By cell: the number of stones within two steps; direct neighbors count twice.
    nearby_stones: Vec<u8>,
    /// The counts' contribution to the hidden units, cached while moves are ordered.
    sums: HiddenVec,
}

impl CriticEvaluator {
    /// An evaluator of an empty board.
    pub fn new(matcher: Arc<PatternMatcher>, critic: Arc<Critic>) -> Self {
        let (nearby_stones, pattern_board) =
            (vec![0; matcher.grid().cells()], PatternBoard::new(matcher));
        let sums = critic.sums(pattern_board.counts());
        CriticEvaluator { critic, pattern_board, nearby_stones, sums }
    }

    /// The stones and their pattern counts.
    pub fn pattern_board(&self) -> &PatternBoard {
        &self.pattern_board
    }

    /// The chance that the side to move wins.
    pub fn chance(&self, to_move: Side) -> f32 {
        let first = self.critic.value(self.pattern_board.counts(), to_move);
        if to_move == Side::First { first } else { 1.0 - first }
    }

    pub(super) fn critic(&self) -> &Critic {
        &self.critic
    }

    /// Whether the report considers a move here: a cell one or two steps from a stone, or any cell
    /// of a game with gravity.
    pub(super) fn is_near_stone(&self, cell: usize) -> bool {
        self.pattern_board.matcher().grid().gravity || self.nearby_stones[cell] > 0
    }

    /// The number of stones within two steps of a cell; direct neighbors count twice.
    pub(super) fn nearby_stones(&self, cell: usize) -> u8 {
        self.nearby_stones[cell]
    }

    /// The center cell.
    pub(super) fn center(&self) -> usize {
        let grid = self.pattern_board.matcher().grid();
        grid.rows / 2 * grid.columns + grid.columns / 2
    }

    fn flip(&mut self, cell: usize, side: Side, change: impl Fn(&mut u8)) {
        self.pattern_board.flip(cell, side);
        let reach = self.pattern_board.matcher().reach(cell);
        reach.iter().for_each(|&near| change(&mut self.nearby_stones[usize::from(near)]));
    }
}

/// In alpha-beta, all moves of the game are candidates.
impl<P: Playable + RowPosition> Evaluator<P> for CriticEvaluator {
    fn start(&mut self, position: &P) {
        self.pattern_board.clear();
        self.nearby_stones.fill(0);
        for cell in 0..self.nearby_stones.len() {
            if let Some(side) = position.stone_at(cell) {
                self.flip(cell, side, |stones| *stones += 1);
            }
        }
    }

    #[inline]
    fn before_play(&mut self, position: &P, m: P::Move) {
        self.flip(position.cell(m), position.to_move(), |stones| *stones += 1);
    }

    #[inline]
    fn after_undo(&mut self, position: &P, m: P::Move) {
        self.flip(position.cell(m), position.to_move(), |stones| *stones -= 1);
    }

    /// The logit in hundredths, since searches use integer scores.
    fn evaluate(&mut self, position: &P) -> i32 {
        let chance = self.chance(position.to_move()).clamp(1e-6, 1.0 - 1e-6);
        (100.0 * (chance / (1.0 - chance)).ln()) as i32
    }

    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        self.sums = self.critic.sums(self.pattern_board.counts());
        position.for_each_move(|m| each(self, m));
    }

    fn order(&self, position: &P, m: P::Move) -> i32 {
        (1e6 * self.chance_with_sums(position, m, &self.sums)) as i32
    }
}
