//! A game's position that knows what a line network thinks of it, so that the alpha-beta engine for games searches with
//! the network: the value where it stops, the policy for which moves it tries and in which order.

use std::sync::Arc;

use tesuji_games::{MoveOrder, Outcome, Playable, Position, Side, Stones};
use tesuji_search::Evaluator;

use super::board::{NetworkBoard, UnfitBoard};
use super::eye::Eye;
use super::table::LineNetwork;

/// See the top of this file.
#[derive(Debug)]
pub struct LinePosition<P: Position> {
    game: P,
    board: NetworkBoard,
    eye: Eye,
    /// How many moves are tried at most.
    width: usize,
    /// What the eye looked at last.
    seen: Option<Seen<P::Move>>,
    /// For finding out which moves are among the most promising, and which are forced.
    promises: Vec<f32>,
    asked: Vec<P::Move>,
}

/// A position whose moves were looked at.
#[derive(Clone, Copy, Debug)]
struct Seen<M> {
    key: u64,
    /// Moves that promise less are left out.
    least: f32,
    /// The only move that stops a win.
    forced: Option<M>,
}

impl<P: Playable + Stones> LinePosition<P> {
    /// The game as a network sees it; of each position only so many moves are tried.
    pub fn new(game: P, network: Arc<LineNetwork>, width: usize) -> Result<Self, UnfitBoard> {
        Ok(LinePosition::on(NetworkBoard::of(network, &game)?, game, width))
    }

    /// The same with a board of the right size, whatever lies on it.
    pub fn on(mut board: NetworkBoard, game: P, width: usize) -> Self {
        board.follow(&game);
        let (promises, asked) = (Vec::new(), Vec::new());
        LinePosition { game, board, eye: Eye::new(), width, seen: None, promises, asked }
    }

    /// Becomes another position of the same game.
    pub fn follow(&mut self, game: &P) {
        self.game.clone_from(game);
        self.board.follow(game);
        self.seen = None;
    }

    /// The position of the game.
    pub fn game(&self) -> &P {
        &self.game
    }

    /// The stones as the network sees them.
    pub fn board(&self) -> &NetworkBoard {
        &self.board
    }

    fn seen(&self) -> Option<&Seen<P::Move>> {
        self.seen.as_ref().filter(|seen| seen.key == self.game.key())
    }

    /// What the least promising of the moves that are tried promises.
    fn least(&mut self) -> f32 {
        let LinePosition { game, eye, promises, .. } = self;
        promises.clear();
        game.for_each_move(|m| promises.push(eye.promise(game.cell(m))));
        let last = self.width.min(self.promises.len()).saturating_sub(1);
        match self.promises.is_empty() {
            true => f32::NEG_INFINITY,
            false => *self.promises.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1,
        }
    }

    /// The only reply to a threat, if there is one: a game's forcing moves are wins and such replies.
    fn forced(&mut self) -> Option<P::Move> {
        let tactics = P::tactics()?;
        self.asked.clear();
        (tactics.push)(&self.game, &mut self.asked);
        match self.asked[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl<P: Position> Clone for LinePosition<P> {
    fn clone(&self) -> Self {
        LinePosition {
            game: self.game.clone(),
            board: self.board.clone(),
            eye: self.eye.clone(),
            width: self.width,
            seen: self.seen,
            promises: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Without allocating: a search does this with every position that it is given.
    fn clone_from(&mut self, other: &Self) {
        self.game.clone_from(&other.game);
        self.board.clone_from(&other.board);
        (self.width, self.seen) = (other.width, None);
    }
}

impl<P: Playable + Stones> Position for LinePosition<P> {
    type Move = P::Move;
    type Undo = P::Undo;
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

    /// Those that are tried, once the network has looked at the position; all of them before.
    fn for_each_move(&self, mut each: impl FnMut(P::Move)) {
        match self.seen() {
            Some(Seen { forced: Some(forced), .. }) => each(*forced),
            Some(seen) => self.game.for_each_move(|m| {
                if self.eye.promise(self.game.cell(m)) >= seen.least {
                    each(m);
                }
            }),
            None => self.game.for_each_move(each),
        }
    }

    #[inline]
    fn is_legal(&self, m: P::Move) -> bool {
        self.game.is_legal(m)
    }

    fn play(&mut self, m: P::Move) -> P::Undo {
        self.board.put(self.game.cell(m), self.game.to_move());
        self.game.play(m)
    }

    fn undo(&mut self, m: P::Move, undo: P::Undo) {
        self.game.undo(m, undo);
        self.board.lift(self.game.cell(m));
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

impl<P: Playable + Stones> MoveOrder for LinePosition<P> {
    /// Thousandths of what the policy's softmax is taken of.
    fn promise(&self, m: P::Move) -> i32 {
        self.seen().map_or(0, |_| (1000.0 * self.eye.promise(self.game.cell(m))) as i32)
    }

    fn before_moves(&mut self) {
        self.eye.look(&self.board, self.game.to_move());
        let (key, forced, least) = (self.game.key(), self.forced(), self.least());
        self.seen = Some(Seen { key, least, forced });
    }
}

/// The value of a network for a search.
#[derive(Clone, Debug, Default)]
pub struct LineEvaluator {
    eye: Eye,
}

/// Logits in hundredths: where searches want whole numbers.
impl<P: Playable + Stones> Evaluator<LinePosition<P>> for LineEvaluator {
    fn evaluate(&mut self, position: &LinePosition<P>) -> i32 {
        self.eye.look(position.board(), position.to_move());
        (100.0 * self.eye.logit()) as i32
    }
}
