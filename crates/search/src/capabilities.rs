//! The optional capabilities of a game for solvers, looked up at run time. Solvers work with any
//! [`Position`] and use the capabilities that it has.

use tesuji_games::{ForcingMoves, Playable, Position, Symmetries};

/// The optional capabilities of a game.
pub struct GameCapabilities<P: Position> {
    /// The move-ordering score of a move, from [`MoveOrder`](tesuji_games::MoveOrder).
    pub move_score: Option<fn(&P, P::Move) -> i32>,
    /// The game's symmetries.
    pub symmetries: Option<Symmetries<P>>,
    /// The forcing moves for a side that may not stand pat.
    pub forcing: Option<ForcingMoves<P>>,
}

impl<P: Position> GameCapabilities<P> {
    /// No capabilities, only the rules.
    pub fn none() -> Self {
        GameCapabilities { move_score: None, symmetries: None, forcing: None }
    }
}

impl<P: Playable> GameCapabilities<P> {
    /// All capabilities that the game declares.
    pub fn declared() -> Self {
        GameCapabilities {
            move_score: if P::HAS_MOVE_ORDER { Some(P::move_score_of) } else { None },
            symmetries: P::symmetry(),
            forcing: P::tactics(),
        }
    }
}

impl<P: Position> Clone for GameCapabilities<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for GameCapabilities<P> {}

impl<P: Position> GameCapabilities<P> {
    /// Appends the moves that can affect the result: all legal moves, or only the forced ones where
    /// every other move loses at once.
    pub(crate) fn push_relevant_moves(&self, position: &P, buffer: &mut Vec<P::Move>) {
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
