//! Adjudication: ends a game before its end, because an exact solver knows the result, both
//! players' scores agree on it, or the game is too long.

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Position, Score, Side, State};
use tesuji_queue::CancelToken;
use tesuji_search::exact::{ExactSolver, GameValue, SolveOptions};
use tesuji_search::{BookChoice, ExactSolverOptions, Game, Limits, TableSize};
use tesuji_store::{Ending, EndingKind};

/// The rules for ending games early. The keys in tournament files have hyphens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct Adjudication {
    /// Ends a game when an exact solver knows the result. For games that cannot repeat a position.
    pub solver: Option<SolverRule>,
    /// Ends a game when both players' scores say that it is decided.
    pub decided: Option<ScoreRule>,
    /// Draws a game when both players' scores are even.
    pub even: Option<ScoreRule>,
    /// Draws a game after this number of moves, opening included.
    #[serde(alias = "max_plies")]
    pub max_plies: usize,
}

/// When an exact solver is asked. A solved game ends with the result of perfect play, which the
/// players might have missed: use this for players that would not, or for the last moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct SolverRule {
    /// Maximum number of nodes of the solver after each move.
    pub nodes: u64,
    /// Number of moves before the rule applies.
    #[serde(default, alias = "from_ply")]
    pub from_ply: usize,
}

/// When both players' scores decide the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct ScoreRule {
    /// The threshold: decided scores are at least this far from 0, even scores at most.
    pub score: i32,
    /// Number of consecutive moves of each side that must satisfy the rule.
    pub moves: usize,
    /// Number of moves before the rule applies.
    #[serde(default, alias = "from_ply")]
    pub from_ply: usize,
}

impl Default for Adjudication {
    fn default() -> Self {
        Adjudication { solver: None, decided: None, even: None, max_plies: 1000 }
    }
}

/// Memory of the solver's transposition table.
const SOLVER_TABLE: TableSize = TableSize::megabytes(16);

/// Applies an [`Adjudication`] to one game after another.
pub struct Adjudicator {
    rules: Adjudication,
    solver: Box<dyn ExactSolver<State>>,
    scores: [Vec<Option<Score>>; 2],
    /// Receives a heartbeat after every move.
    cancel: CancelToken,
}

impl Adjudicator {
    /// Creates an adjudicator.
    pub fn new(game: &Game, rules: Adjudication) -> Self {
        // No opening book: a rule that counts nodes must not depend on which books are installed.
        let options = ExactSolverOptions { table: SOLVER_TABLE, book: BookChoice::Off, threads: 1 };
        let (solver, scores) = (game.solver(options), [Vec::new(), Vec::new()]);
        Adjudicator { rules, solver, scores, cancel: CancelToken::default() }
    }

    /// Sends a heartbeat after every move.
    pub(crate) fn with_heartbeats(self, cancel: &CancelToken) -> Self {
        Adjudicator { cancel: cancel.clone(), ..self }
    }

    /// Starts a new game.
    pub(crate) fn new_game(&mut self) {
        self.scores.iter_mut().for_each(Vec::clear);
    }

    /// Records a move of `mover` with its score and returns the result if that ends the game.
    /// `plies` is the number of moves played.
    pub(crate) fn after_move(
        &mut self,
        position: &State,
        plies: usize,
        mover: Side,
        score: Option<Score>,
    ) -> Option<(Outcome, Ending)> {
        self.cancel.heartbeat();
        self.scores[mover.index()].push(score);
        self.decide_by_scores(plies).or_else(|| self.decide_by_solver(position, plies))
    }

    /// Whether a game of this length is too long.
    pub(crate) fn is_too_long(&self, plies: usize) -> bool {
        plies >= self.rules.max_plies
    }

    fn decide_by_scores(&self, plies: usize) -> Option<(Outcome, Ending)> {
        let is_active = |rule: &ScoreRule| plies >= rule.from_ply;
        if let Some(ScoreRule { score, moves, .. }) = self.rules.decided.filter(is_active) {
            let least = Score::estimate(score);
            let has_won = |side: &Side| {
                self.last_scores_satisfy(*side, moves, |score| score >= least)
                    && self.last_scores_satisfy(!*side, moves, |score| -score >= least)
            };
            if let Some(winner) = Side::ALL.into_iter().find(has_won) {
                return Some((Outcome::Win(winner), agreement("both scores say so")));
            }
        }
        let even = self.rules.even.filter(is_active)?;
        let limit = Score::estimate(even.score);
        let is_even = |score: Score| -limit <= score && score <= limit;
        let both_even =
            Side::ALL.into_iter().all(|side| self.last_scores_satisfy(side, even.moves, is_even));
        both_even.then(|| (Outcome::Draw, agreement("both scores are even")))
    }

    /// Whether the last `moves` scores of a side all satisfy a condition.
    fn last_scores_satisfy(
        &self,
        side: Side,
        moves: usize,
        condition: impl Fn(Score) -> bool,
    ) -> bool {
        let scores = &self.scores[side.index()];
        scores.len() >= moves
            && scores[scores.len() - moves..].iter().all(|score| score.is_some_and(&condition))
    }

    fn decide_by_solver(&mut self, position: &State, plies: usize) -> Option<(Outcome, Ending)> {
        let rule = self.rules.solver.filter(|rule| plies >= rule.from_ply)?;
        if position.outcome().is_some() {
            return None;
        }
        let options = SolveOptions { value_only: true, no_line: true, ..SolveOptions::default() };
        let solution = self.solver.solve(position, options, &Limits::nodes(rule.nodes));
        let to_move = position.to_move();
        let outcome = match solution.value()? {
            GameValue::Win => Outcome::Win(to_move),
            GameValue::Loss => Outcome::Win(!to_move),
            GameValue::Draw => Outcome::Draw,
        };
        Some((outcome, Ending::plain(EndingKind::Solver)))
    }
}

fn agreement(detail: &str) -> Ending {
    Ending::with(EndingKind::Agreement, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::opened;

    fn adjudicatord(rules: Adjudication, scores: &[Score]) -> Option<Outcome> {
        let tictactoe = opened("tictactoe");
        let mut adjudicator = Adjudicator::new(&tictactoe, rules);
        let mut side = Side::First;
        for (ply, &score) in scores.iter().enumerate() {
            let result = adjudicator.after_move(tictactoe.start(), ply + 1, side, Some(score));
            if let Some((outcome, _)) = result {
                return Some(outcome);
            }
            side = !side;
        }
        None
    }

    const TWICE: ScoreRule = ScoreRule { score: 100, moves: 2, from_ply: 0 };

    #[test]
    fn a_game_is_decided_when_enough_scores_of_both_sides_agree() {
        let rules = Adjudication { decided: Some(TWICE), ..Adjudication::default() };
        let [up, down] = [Score::estimate(150), Score::estimate(-150)];
        let first = Some(Outcome::Win(Side::First));
        assert_eq!(adjudicatord(rules.clone(), &[up, down, up, down]), first);
        assert_eq!(
            adjudicatord(rules.clone(), &[down, Score::win_in(9), down, up]),
            Some(Outcome::Win(Side::Second))
        );
        // One side does not agree, or did not one move before.
        assert_eq!(adjudicatord(rules.clone(), &[up, Score::DRAW, up, down]), None);
        assert_eq!(adjudicatord(rules.clone(), &[up, up, up, up]), None);
        let later = Adjudication { decided: Some(ScoreRule { from_ply: 5, ..TWICE }), ..rules };
        assert_eq!(adjudicatord(later.clone(), &[up, down, up, down]), None);
        assert_eq!(adjudicatord(later, &[up, down, up, down, up]), first);
    }

    #[test]
    fn a_game_is_even_when_enough_scores_of_both_sides_agree() {
        let rules = Adjudication {
            even: Some(ScoreRule { score: 5, moves: 2, from_ply: 0 }),
            ..Adjudication::default()
        };
        let [little, much] = [Score::estimate(-5), Score::estimate(6)];
        assert_eq!(adjudicatord(rules.clone(), &[little; 4]), Some(Outcome::Draw));
        assert_eq!(adjudicatord(rules.clone(), &[little; 3]), None);
        assert_eq!(adjudicatord(rules, &[little, little, much, little]), None);
    }

    #[test]
    fn the_solver_ends_only_games_that_it_solves() {
        let connect4 = opened("connect4");
        let position = |moves: &str| connect4.line(moves).unwrap().end;
        let solver = Some(SolverRule { nodes: 1000, from_ply: 6 });
        let rules = Adjudication { solver, ..Adjudication::default() };
        let ask = |moves: &str, ply| {
            let mut adjudicator = Adjudicator::new(&connect4, rules.clone());
            adjudicator.after_move(&position(moves), ply, Side::First, None)
        };
        let won = ask("112233", 6).map(|(outcome, ending)| (outcome, ending.kind));
        assert_eq!(won, Some((Outcome::Win(Side::First), EndingKind::Solver)));
        // The same three with the other side to move: both ends cannot be stopped.
        let lost = ask("2233447", 7).map(|(outcome, _)| outcome);
        assert_eq!(lost, Some(Outcome::Win(Side::First)));
        assert_eq!(ask("112233", 5), None);
        let othello = opened("othello");
        let mut adjudicator = Adjudicator::new(&othello, rules);
        let unknown = adjudicator.after_move(othello.start(), 9, Side::First, None);
        assert_eq!(unknown, None);
    }
}
