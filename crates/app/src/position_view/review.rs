//! Reviews a game: the value of every position, the best moves and the mistakes.
//!
//! Positions are analyzed from the last to the first, because later positions prove the values of
//! earlier moves. A move is compared with the best other move. A move that keeps a proven win is
//! not a mistake, and neither is the only move that does not lose at once. Where all moves lose, a
//! move that loses much sooner than necessary is a mistake.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::{Score, Side};
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::Limits;
use tesuji_search::terminal::terminal_score;

use super::{BoardMove, MoveTable, PositionViewError, Snapshot, ValuedMove};

/// The review of one position and of the move played there.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReviewedPosition {
    /// Moves played before it.
    pub ply: usize,
    /// Its value for the first side; `None` if unknown.
    pub score: Option<Score>,
    /// The best move; `None` if the game is over.
    pub best: Option<ReviewedMove>,
    /// The played move; `None` in the last position.
    pub played: Option<ReviewedMove>,
    /// The cost of the played move, if it is a mistake; higher is worse.
    pub mistake: Option<f64>,
}

/// A move and its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReviewedMove {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The cells that the move touches; the destination is the last.
    pub cells: Vec<usize>,
    /// The value for the side that makes it; `None` if unknown.
    pub score: Option<Score>,
}

/// The estimate that means a clear advantage, by game, as every evaluation has its own unit. The
/// pages use the same numbers (`pages/lib/format.js`).
pub const CLEAR_ADVANTAGES: [(&str, i32); 8] = [
    ("connect4", 60),
    ("othello", 25),
    ("chess", 150),
    ("renju", 600),
    ("mnk", 600),
    ("gomoku", 600),
    ("caro", 600),
    ("connect6", 300),
];
/// The same for all other games.
pub const DEFAULT_CLEAR_ADVANTAGE: i32 = 100;

/// A move that costs more than this is a mistake.
const MISTAKE_COST: f64 = 0.3;
/// The value of a win or a clearly won position; a loss has the negated value.
const WON_VALUE: f64 = 0.7;
/// The cost of losing at once instead of after many plies, in a lost position.
const IMMEDIATE_LOSS_COST: f64 = 0.6;
/// The share of the time for the positions of the game. The rest is for checking better moves.
const GAME_SHARE: f64 = 0.7;
/// The most other moves to check before a move is called a mistake.
const MAX_CHECKS: usize = 3;

/// Reviews a game, and calls `report` for each position, the last first. The limits are for all
/// positions together.
pub fn review(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    report: &mut dyn FnMut(&ReviewedPosition),
) -> Result<(), PositionViewError> {
    let game = super::snapshot(&context.game, moves)?;
    let parts = (game.played.len() + 1) as f64;
    let share = limits.time.map(|time| time.mul_f64(GAME_SHARE).div_f64(parts));
    let limit = Limits { time: share, ..limits.clone() };
    let checking = limits.time.map(|time| time.mul_f64(1.0 - GAME_SHARE));
    let mut review = Review { game: &game, player, context, limit, checking };
    let mut after = None;
    for ply in (0..=game.played.len()).rev() {
        if limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            break;
        }
        let position = review.position(ply, after)?;
        after = position.score;
        report(&position);
    }
    Ok(())
}

struct Review<'a> {
    game: &'a Snapshot,
    player: &'a PlayerSpec,
    context: &'a PlayerContext,
    /// The limits for one position.
    limit: Limits,
    /// The time left for checking better moves; `None` without a time limit.
    checking: Option<Duration>,
}

impl Review<'_> {
    /// Reviews one position; `after` is the value of the next position for the first side.
    fn position(
        &mut self,
        ply: usize,
        after: Option<Score>,
    ) -> Result<ReviewedPosition, PositionViewError> {
        let moves = self.moves_until(ply).to_string();
        let now = super::snapshot(&self.context.game, &moves)?;
        let for_first = |score: Score| for_side(score, now.to_move);
        if let Some(outcome) = now.outcome {
            let score = Some(terminal_score(outcome, Side::First, 0));
            return Ok(ReviewedPosition { ply, score, best: None, played: None, mistake: None });
        }
        let table = self.analyzed(&moves)?;
        let Some(played) = self.game.played.get(ply) else {
            let best = table.moves.first().map(|best| reviewed(&best.step, best.score));
            let score = best.as_ref().and_then(|best| best.score).map(for_first);
            return Ok(ReviewedPosition { ply, score, best, played: None, mistake: None });
        };
        let after = after.map(|after| for_first(after).further(1));
        let played = reviewed(&played.step, played_score(&table, played, after));
        let (other, mistake) = self.compare(&moves, &table, &played, after)?;
        let is_better = |other: &ReviewedMove| mistake.is_some() || other.score > played.score;
        let best = other.filter(is_better).unwrap_or_else(|| played.clone());
        let score = best.score.map(for_first);
        Ok(ReviewedPosition { ply, score, best: Some(best), played: Some(played), mistake })
    }

    /// Returns the best other move, and the cost of the played move if it is a mistake. An
    /// estimate alone is not enough: before a move is called a mistake, the position after the
    /// better move is searched like the position after the played move.
    fn compare(
        &mut self,
        moves: &str,
        table: &MoveTable,
        played: &ReviewedMove,
        after: Option<Score>,
    ) -> Result<(Option<ReviewedMove>, Option<f64>), PositionViewError> {
        let is_other = |known: &&ValuedMove| known.step.text != played.text;
        let mut others = table.moves.iter().filter(is_other).filter(|known| known.score.is_some());
        let mut best = others.next().map(|other| reviewed(&other.step, other.score));
        for _ in 0..MAX_CHECKS {
            let Some(other) = &mut best else { return Ok((None, None)) };
            let Some(cost) = self.cost(other.score, played.score) else { break };
            let is_certain = table.exact || other.score.is_some_and(Score::is_decided);
            if is_certain {
                return Ok((best, Some(cost)));
            }
            let Some(score) = self.value_after(moves, other)? else { break };
            other.score = Some(score);
            if let Some(cost) = self.cost(Some(score), after.or(played.score)) {
                return Ok((best, Some(cost)));
            }
            match others.next() {
                Some(next) if score.is_loss() => best = Some(reviewed(&next.step, next.score)),
                _ => break,
            }
        }
        Ok((best, None))
    }

    /// The cost of a move compared with a better one; `None` if it is not a mistake.
    fn cost(&self, better: Option<Score>, played: Option<Score>) -> Option<f64> {
        let clear = clear_advantage(self.context.game.name());
        let cost = better.zip(played).map(|(better, played)| cost(better, played, clear));
        cost.filter(|&cost| cost > MISTAKE_COST)
    }

    /// The value of another move, by a search of the position after it.
    fn value_after(
        &mut self,
        moves: &str,
        m: &ReviewedMove,
    ) -> Result<Option<Score>, PositionViewError> {
        if self.checking.zip(self.limit.time).is_some_and(|(left, share)| left < share) {
            return Ok(None);
        }
        let started = Instant::now();
        let side = super::snapshot(&self.context.game, moves)?.to_move;
        let after = super::played(&self.context.game, moves, &m.text)?;
        let now = super::snapshot(&self.context.game, &after)?;
        if now.outcome.is_some() {
            return Ok(m.score);
        }
        let best = self.analyzed(&after)?.moves.first().and_then(|best| best.score);
        self.checking = self.checking.map(|left| left.saturating_sub(started.elapsed()));
        let sign = |score: Score| if now.to_move == side { score } else { -score };
        Ok(best.map(|score| sign(score).further(1)))
    }

    fn analyzed(&self, moves: &str) -> Result<MoveTable, PositionViewError> {
        super::analyze(self.context, moves, self.player, &self.limit, &mut |_| {})
    }

    fn moves_until(&self, ply: usize) -> &str {
        match ply.checked_sub(1) {
            Some(last) => &self.game.position[..self.game.played[last].until],
            None => self.game.start.as_deref().unwrap_or(""),
        }
    }
}

fn reviewed(step: &BoardMove, score: Option<Score>) -> ReviewedMove {
    ReviewedMove { text: step.text.clone(), cells: step.cells.clone(), score }
}

/// The value of the played move: a proven value from the table or from the next position, else the
/// value from the table, else the value of the next position.
fn played_score(
    table: &MoveTable,
    played: &super::PlayedMove,
    after: Option<Score>,
) -> Option<Score> {
    let listed = table.moves.iter().find(|known| known.step.text == played.step.text);
    let listed = listed.and_then(|known| known.score);
    let is_proof = |score: &Score| table.exact || score.is_decided();
    let proven = listed.filter(is_proof).or(after.filter(|score| score.is_decided()));
    proven.or(listed).or(after)
}

/// The cost of a move; 0 if it wins. `clear` is a clear advantage in the unit of the estimates.
fn cost(better: Score, played: Score, clear: i32) -> f64 {
    match (better.plies_to_end(), played.plies_to_end()) {
        _ if played.is_win() => 0.0,
        (Some(later), Some(sooner)) if better.is_loss() => {
            IMMEDIATE_LOSS_COST * (1.0 - f64::from(sooner) / f64::from(later.max(1)))
        }
        _ => bounded_value(better, clear) - bounded_value(played, clear),
    }
}

/// Maps a score to -0.7 (lost) to 0.7 (won). A very high estimate counts as won, so that an
/// unproven win costs nothing.
fn bounded_value(score: Score, clear: i32) -> f64 {
    if score.is_win() {
        WON_VALUE
    } else if score.is_loss() {
        -WON_VALUE
    } else {
        let clear = f64::from(clear);
        (0.96 * (f64::from(score.raw()) / (2.0 * clear)).tanh()).clamp(-WON_VALUE, WON_VALUE)
    }
}

fn clear_advantage(game: &str) -> i32 {
    let name = game.split(':').next().unwrap_or(game);
    let known = CLEAR_ADVANTAGES.iter().find(|(game, _)| *game == name);
    known.map_or(DEFAULT_CLEAR_ADVANTAGE, |(_, clear)| *clear)
}

/// Converts a value between the views of the first side and of `side`.
fn for_side(score: Score, side: Side) -> Score {
    if side == Side::First { score } else { -score }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: i32 = 100;

    #[test]
    fn keeping_a_win_costs_nothing() {
        assert_eq!(cost(Score::win_in(3), Score::win_in(41), CLEAR), 0.0);
        assert_eq!(cost(Score::estimate(900), Score::win_in(9), CLEAR), 0.0);
    }

    #[test]
    fn results_weigh_more_than_plies() {
        let sooner = cost(Score::loss_in(40), Score::loss_in(2), CLEAR);
        let drawn = cost(Score::win_in(40), Score::DRAW, CLEAR);
        let lost = cost(Score::win_in(40), Score::loss_in(40), CLEAR);
        assert!(MISTAKE_COST < sooner && sooner < drawn && drawn < lost, "{sooner} {drawn} {lost}");
    }

    #[test]
    fn losing_slightly_sooner_is_not_a_mistake() {
        for (later, sooner) in [(41, 39), (4, 2), (8, 8), (2, 2), (10, 12)] {
            assert!(cost(Score::loss_in(later), Score::loss_in(sooner), CLEAR) <= MISTAKE_COST);
        }
        assert!(cost(Score::loss_in(6), Score::loss_in(2), CLEAR) > MISTAKE_COST);
    }

    #[test]
    fn an_unproven_win_is_not_a_mistake_yet() {
        assert!(cost(Score::win_in(9), Score::estimate(CLEAR), CLEAR) <= MISTAKE_COST);
        assert!(cost(Score::win_in(9), Score::DRAW, CLEAR) > MISTAKE_COST);
    }
}
