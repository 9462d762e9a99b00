//! What solvers may know of a game beyond its rules, looked up at run time, so that they work with any
//! [`Position`] and better with those that know more.

use tesuji_games::{ForcingMoves, Playable, Position, Symmetries};

/// The optional knowledge of a game.
pub struct Knowledge<P: Position> {
    /// [`MoveOrder::promise`](tesuji_games::MoveOrder::promise).
    pub promise: Option<fn(&P, P::Move) -> i32>,
    /// The game's symmetries.
    pub images: Option<Symmetries<P>>,
    /// The moves to which a side is bound when it may not stand pat.
    pub forcing: Option<ForcingMoves<P>>,
}

impl<P: Position> Knowledge<P> {
    /// Nothing but the rules.
    pub fn none() -> Self {
        Knowledge { promise: None, images: None, forcing: None }
    }
}

impl<P: Playable> Knowledge<P> {
    /// All that the game has declared.
    pub fn of_game() -> Self {
        Knowledge {
            promise: if P::HAS_MOVE_ORDER { Some(P::move_score_of) } else { None },
            images: P::symmetry(),
            forcing: P::tactics(),
        }
    }
}

impl<P: Position> Clone for Knowledge<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for Knowledge<P> {}

impl<P: Position> Knowledge<P> {
    /// Adds the moves that can matter for the result: all of them, or, where every other move loses at
    /// once, the forced ones.
    pub(crate) fn push_sensible_moves(&self, position: &P, buffer: &mut Vec<P::Move>) {
        let start = buffer.len();
        if let Some(forcing) = &self.forcing
            && !(forcing.may_stand_pat)(position)
        {
            (forcing.push)(position, buffer);
        }
        if buffer.len() == start {
            position.push_moves(buffer);
        }
    }
}
