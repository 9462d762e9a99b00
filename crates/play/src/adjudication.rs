//! Ending a game before its end: an exact solver knows the result, both players agree on it by their
//! scores, or it has gone on for too long.

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Position, Score, Side, State};
use tesuji_queue::Life;
use tesuji_search::exact::{Exact, GameValue, SolveOptions};
use tesuji_search::{ExactOptions, Game, Limits, OpeningBook, TableSize};
use tesuji_store::{Ending, EndingKind};

/// When games are ended early. In files of tournaments its keys have hyphens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct Adjudication {
    /// An exact solver knows the result. For games that cannot repeat a position.
    pub solver: Option<SolverRule>,
    /// Both players call the game decided.
    pub decided: Option<ScoreRule>,
    /// Both players call the game even.
    pub even: Option<ScoreRule>,
    /// After so many moves altogether the game is a draw.
    #[serde(alias = "max_plies")]
    pub max_plies: usize,
}

/// When an exact solver looks at a game. What it solves ends with the result of perfect play, which the
/// players might have missed: this is for players that would not, or for the last moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct SolverRule {
    /// It looks for no more than so many nodes after each move.
    pub nodes: u64,
    /// Not before so many moves of the game have been played.
    #[serde(default, alias = "from_ply")]
    pub from_ply: usize,
}

/// What two players must agree on, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct ScoreRule {
    /// Scores at least this far from 0 are decided; scores at most so far from 0 are even.
    pub score: i32,
    /// In so many moves of each side, one after the other.
    pub moves: usize,
    /// Not before so many moves of the game have been played.
    #[serde(default, alias = "from_ply")]
    pub from_ply: usize,
}

impl Default for Adjudication {
    fn default() -> Self {
        Adjudication { solver: None, decided: None, even: None, max_plies: 1000 }
    }
}

/// Memory for known positions of the solver that adjudicates.
const SOLVER_TABLE: TableSize = TableSize::megabytes(16);

/// Applies an [`Adjudication`] to one game after another.
pub struct Adjudicator {
    rules: Adjudication,
    solver: Box<dyn Exact<State>>,
    scores: [Vec<Option<Score>>; 2],
    /// Told after every move that the game gets on.
    pub(crate) life: Life,
}

impl Adjudicator {
    /// A judge who has seen no game yet.
    pub fn new(game: &Game, rules: Adjudication) -> Self {
        // Without a book: a rule that counts nodes should not depend on what is shipped.
        let options = ExactOptions { table: SOLVER_TABLE, book: OpeningBook::Off, threads: 1 };
        let (solver, scores) = (game.solver(options), [Vec::new(), Vec::new()]);
        Adjudicator { rules, solver, scores, life: Life::default() }
    }

    /// A new game begins.
    pub(crate) fn new_game(&mut self) {
        self.scores.iter_mut().for_each(Vec::clear);
    }

    /// `mover` has made a move that it values like this; `plies` moves have been played. Whether that
    /// ends the game.
    pub(crate) fn after_move(
        &mut self,
        position: &State,
        plies: usize,
        mover: Side,
        score: Option<Score>,
    ) -> Option<(Outcome, Ending)> {
        self.life.beat();
        self.scores[mover.index()].push(score);
        self.agreed(plies).or_else(|| self.solved(position, plies))
    }

    /// Whether a game of so many moves has gone on for too long.
    pub(crate) fn is_too_long(&self, plies: usize) -> bool {
        plies >= self.rules.max_plies
    }

    fn agreed(&self, plies: usize) -> Option<(Outcome, Ending)> {
        let due = |agreement: &ScoreRule| plies >= agreement.from_ply;
        if let Some(ScoreRule { score, moves, .. }) = self.rules.decided.filter(due) {
            let least = Score::estimate(score);
            let has_won = |side: &Side| {
                self.lately(*side, moves, |score| score >= least)
                    && self.lately(!*side, moves, |score| -score >= least)
            };
            if let Some(winner) = Side::ALL.into_iter().find(has_won) {
                return Some((Outcome::Win(winner), agreement("both scores say so")));
            }
        }
        let even = self.rules.even.filter(due)?;
        let limit = Score::estimate(even.score);
        let level = |score: Score| -limit <= score && score <= limit;
        let agreed = Side::ALL.into_iter().all(|side| self.lately(side, even.moves, level));
        agreed.then(|| (Outcome::Draw, agreement("both scores are even")))
    }

    /// Whether the last `moves` scores of a side all fit.
    fn lately(&self, side: Side, moves: usize, fits: impl Fn(Score) -> bool) -> bool {
        let scores = &self.scores[side.index()];
        scores.len() >= moves
            && scores[scores.len() - moves..].iter().all(|score| score.is_some_and(&fits))
    }

    fn solved(&mut self, position: &State, plies: usize) -> Option<(Outcome, Ending)> {
        let rule = self.rules.solver.filter(|rule| plies >= rule.from_ply)?;
        if position.outcome().is_some() {
            return None;
        }
        let detail = SolveOptions { value_only: true, no_line: true, ..SolveOptions::default() };
        let solution = self.solver.solve(position, detail, &Limits::nodes(rule.nodes));
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

    fn judged(rules: Adjudication, scores: &[Score]) -> Option<Outcome> {
        let tictactoe = opened("tictactoe");
        let mut judge = Adjudicator::new(&tictactoe, rules);
        let mut side = Side::First;
        for (ply, &score) in scores.iter().enumerate() {
            let verdict = judge.after_move(tictactoe.start(), ply + 1, side, Some(score));
            if let Some((outcome, _)) = verdict {
                return Some(outcome);
            }
            side = !side;
        }
        None
    }

    const TWICE: ScoreRule = ScoreRule { score: 100, moves: 2, from_ply: 0 };

    #[test]
    fn a_game_is_decided_when_both_say_so_often_enough() {
        let rules = Adjudication { decided: Some(TWICE), ..Adjudication::default() };
        let [up, down] = [Score::estimate(150), Score::estimate(-150)];
        let first = Some(Outcome::Win(Side::First));
        assert_eq!(judged(rules.clone(), &[up, down, up, down]), first);
        assert_eq!(
            judged(rules.clone(), &[down, Score::win_in(9), down, up]),
            Some(Outcome::Win(Side::Second))
        );
        // One side is not convinced, or was not one move ago.
        assert_eq!(judged(rules.clone(), &[up, Score::DRAW, up, down]), None);
        assert_eq!(judged(rules.clone(), &[up, up, up, up]), None);
        let later = Adjudication { decided: Some(ScoreRule { from_ply: 5, ..TWICE }), ..rules };
        assert_eq!(judged(later.clone(), &[up, down, up, down]), None);
        assert_eq!(judged(later, &[up, down, up, down, up]), first);
    }

    #[test]
    fn a_game_is_even_when_both_say_so_often_enough() {
        let rules = Adjudication {
            even: Some(ScoreRule { score: 5, moves: 2, from_ply: 0 }),
            ..Adjudication::default()
        };
        let [little, much] = [Score::estimate(-5), Score::estimate(6)];
        assert_eq!(judged(rules.clone(), &[little; 4]), Some(Outcome::Draw));
        assert_eq!(judged(rules.clone(), &[little; 3]), None);
        assert_eq!(judged(rules, &[little, little, much, little]), None);
    }

    #[test]
    fn the_solver_ends_what_it_knows_and_leaves_the_rest() {
        let connect4 = opened("connect4");
        let position = |moves: &str| connect4.line(moves).unwrap().end;
        let solver = Some(SolverRule { nodes: 1000, from_ply: 6 });
        let rules = Adjudication { solver, ..Adjudication::default() };
        let ask = |moves: &str, ply| {
            let mut judge = Adjudicator::new(&connect4, rules.clone());
            judge.after_move(&position(moves), ply, Side::First, None)
        };
        let won = ask("112233", 6).map(|(outcome, ending)| (outcome, ending.kind));
        assert_eq!(won, Some((Outcome::Win(Side::First), EndingKind::Solver)));
        // The same three, and it is the other's turn: both ends cannot be stopped.
        let lost = ask("2233447", 7).map(|(outcome, _)| outcome);
        assert_eq!(lost, Some(Outcome::Win(Side::First)));
        assert_eq!(ask("112233", 5), None);
        let othello = opened("othello");
        let mut judge = Adjudicator::new(&othello, rules);
        let unknown = judge.after_move(othello.start(), 9, Side::First, None);
        assert_eq!(unknown, None);
    }
}
