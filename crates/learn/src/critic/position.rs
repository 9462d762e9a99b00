//! A game's position together with what the critic thinks of it.

use std::sync::Arc;

use tesuji_games::{Heuristic, MoveOrder, Outcome, Playable, Position, Side, Stones};

use super::judgement::{Critic, Row};
use super::scheme::Scheme;
use super::tally::Tally;

/// See the top of this file. It is a position itself, so that searches for games also search with critics.
#[derive(Clone, Debug)]
pub struct CriticPosition<P> {
    game: P,
    critic: Arc<Critic>,
    tally: Tally,
    /// What the counts bring to the critic's hidden units.
    sums: Row,
    /// How many stones reach each cell, neighbours counted twice.
    reached: Vec<u8>,
}

/// What a move changed.
pub struct Undo<P: Position> {
    game: P::Undo,
    sums: Row,
}

impl<P: Stones> CriticPosition<P> {
    /// The game as a critic sees it; the scheme must be that of its board.
    pub fn new(game: P, scheme: Arc<Scheme>, critic: Arc<Critic>) -> Self {
        let mut reached = vec![0; scheme.grid().cells()];
        for cell in (0..reached.len()).filter(|&cell| game.stone_at(cell).is_some()) {
            scheme.reach(cell).iter().for_each(|&near| reached[usize::from(near)] += 1);
        }
        let tally = Tally::of(scheme, &game);
        let sums = critic.sums(tally.counts());
        CriticPosition { game, critic, tally, sums, reached }
    }

    /// The position of the game.
    pub fn game(&self) -> &P {
        &self.game
    }

    /// The stones and their patterns.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The chance that the side to move wins, as the critic sees it.
    pub fn chance(&self) -> f32 {
        let to_move = self.game.to_move();
        let first = self.critic.value(self.tally.counts(), to_move);
        if to_move == Side::First { first } else { 1.0 - first }
    }

    pub(super) fn critic(&self) -> &Critic {
        &self.critic
    }

    pub(super) fn sums(&self) -> &Row {
        &self.sums
    }

    /// Whether the report looks for moves here: an empty cell one or two steps from a stone, or any where stones fall.
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

    fn reach_out(&mut self, cell: usize, change: impl Fn(&mut u8)) {
        let reach = self.tally.scheme().reach(cell);
        reach.iter().for_each(|&near| change(&mut self.reached[usize::from(near)]));
    }
}

/// The moves are those of the game: what threats leave of them is [`Self::prospects`].
impl<P: Playable + Stones> Position for CriticPosition<P> {
    type Move = P::Move;
    type Undo = Undo<P>;
    const WIN_DETECTION: bool = P::WIN_DETECTION;
    const REPEATS: bool = P::REPEATS;

    #[inline]
    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    #[inline]
    fn key(&self) -> u64 {
        self.game.key()
    }

    #[inline]
    fn for_each_move(&self, each: impl FnMut(P::Move)) {
        self.game.for_each_move(each);
    }

    #[inline]
    fn is_legal(&self, m: P::Move) -> bool {
        self.game.is_legal(m)
    }

    #[inline]
    fn play(&mut self, m: P::Move) -> Undo<P> {
        let (cell, side) = (self.game.cell(m), self.game.to_move());
        let undo = Undo { game: self.game.play(m), sums: self.sums };
        self.tally.put(cell, side);
        self.reach_out(cell, |stones| *stones += 1);
        // Not from the sums before it: rounding would depend on the way here.
        self.sums = self.critic.sums(self.tally.counts());
        undo
    }

    #[inline]
    fn undo(&mut self, m: P::Move, undo: Undo<P>) {
        self.game.undo(m, undo.game);
        let cell = self.game.cell(m);
        self.tally.lift(cell, self.game.to_move());
        self.reach_out(cell, |stones| *stones -= 1);
        self.sums = undo.sums;
    }

    #[inline]
    fn move_index(&self, m: P::Move) -> usize {
        self.game.move_index(m)
    }

    #[inline]
    fn move_indices(&self) -> usize {
        self.game.move_indices()
    }

    #[inline]
    fn winning_move(&self) -> Option<P::Move> {
        self.game.winning_move()
    }
}

/// Logits in hundredths: where searches want whole numbers that add up.
impl<P: Playable + Stones> Heuristic for CriticPosition<P> {
    fn evaluate(&self) -> i32 {
        let chance = self.chance().clamp(1e-6, 1.0 - 1e-6);
        (100.0 * (chance / (1.0 - chance)).ln()) as i32
    }
}

impl<P: Playable + Stones> MoveOrder for CriticPosition<P> {
    fn promise(&self, m: P::Move) -> i32 {
        (1e6 * self.chance_after(m)) as i32
    }
}
