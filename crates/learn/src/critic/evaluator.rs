//! A critic beside a game's position: it keeps the patterns from stone to stone, and says who is
//! ahead and which moves are worth a look.

use std::sync::Arc;

use tesuji_games::{Playable, Side, Stones};
use tesuji_search::Evaluator;

use super::judgement::{Critic, Row};
use super::scheme::Scheme;
use super::tally::Tally;

/// See the top of this file. What threats leave of the moves is [`Self::prospects`].
#[derive(Clone, Debug)]
pub struct CriticEvaluator {
    critic: Arc<Critic>,
    tally: Tally,
    /// How many stones reach each cell, neighbours counted twice.
    reached: Vec<u8>,
    /// What the counts bring to the critic's hidden units, while moves are put in order.
    sums: Row,
}

impl CriticEvaluator {
    /// At an empty board of the scheme.
    pub fn new(scheme: Arc<Scheme>, critic: Arc<Critic>) -> Self {
        let (reached, tally) = (vec![0; scheme.grid().cells()], Tally::new(scheme));
        let sums = critic.sums(tally.counts());
        CriticEvaluator { critic, tally, reached, sums }
    }

    /// The stones and their patterns.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The chance that the side to move wins, as the critic sees it.
    pub fn chance(&self, to_move: Side) -> f32 {
        let first = self.critic.value(self.tally.counts(), to_move);
        if to_move == Side::First { first } else { 1.0 - first }
    }

    pub(super) fn critic(&self) -> &Critic {
        &self.critic
    }

    /// Whether the report looks for moves here: an empty cell one or two steps from a stone, or any
    /// where stones fall.
    pub(super) fn is_reached(&self, cell: usize) -> bool {
        self.tally.scheme().grid().gravity || self.reached[cell] > 0
    }

    /// How many stones reach a cell, neighbours counted twice.
    pub(super) fn reached(&self, cell: usize) -> u8 {
        self.reached[cell]
    }

    /// The cell in the middle.
    pub(super) fn centre(&self) -> usize {
        let grid = self.tally.scheme().grid();
        grid.rows / 2 * grid.columns + grid.columns / 2
    }

    fn flip(&mut self, cell: usize, side: Side, change: impl Fn(&mut u8)) {
        self.tally.flip(cell, side);
        let reach = self.tally.scheme().reach(cell);
        reach.iter().for_each(|&near| change(&mut self.reached[usize::from(near)]));
    }
}

/// The candidates are all moves of the game.
impl<P: Playable + Stones> Evaluator<P> for CriticEvaluator {
    fn start(&mut self, position: &P) {
        self.tally.clear();
        self.reached.fill(0);
        for cell in 0..self.reached.len() {
            if let Some(side) = position.stone_at(cell) {
                self.flip(cell, side, |stones| *stones += 1);
            }
        }
    }

    #[inline]
    fn playing(&mut self, position: &P, m: P::Move) {
        self.flip(position.cell(m), position.to_move(), |stones| *stones += 1);
    }

    #[inline]
    fn undone(&mut self, position: &P, m: P::Move) {
        self.flip(position.cell(m), position.to_move(), |stones| *stones -= 1);
    }

    /// Logits in hundredths: where searches want whole numbers that add up.
    fn evaluate(&mut self, position: &P) -> i32 {
        let chance = self.chance(position.to_move()).clamp(1e-6, 1.0 - 1e-6);
        (100.0 * (chance / (1.0 - chance)).ln()) as i32
    }

    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        self.sums = self.critic.sums(self.tally.counts());
        position.for_each_move(|m| each(self, m));
    }

    fn order(&self, position: &P, m: P::Move) -> i32 {
        (1e6 * self.chance_with_sums(position, m, &self.sums)) as i32
    }
}
