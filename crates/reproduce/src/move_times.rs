//! The times of a player's moves in a match.

use tesuji_play::MatchResult;

/// Returns the seconds of each move of one of the match's two players (0 or 1), without the moves of
/// the openings.
pub(crate) fn seconds_of_moves(result: &MatchResult, player: usize) -> Vec<f64> {
    let mut seconds = Vec::new();
    for game in &result.games {
        let side = game.first_player_side.index() ^ player;
        let opening = game.record.opening_plies as usize;
        let thoughts = game.record.thoughts.iter().enumerate();
        let own = thoughts.filter(|(ply, _)| (ply + opening) % 2 == side);
        seconds.extend(own.map(|(_, thought)| thought.micros as f64 / 1e6));
    }
    seconds
}
