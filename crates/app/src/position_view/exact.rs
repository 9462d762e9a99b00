//! Solves positions: the exact value and best line of every move, within the limits of a request.

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::diagram::DiagramCell;
use tesuji_games::{Draw, GameLine, Move, Position, Score, State};
use tesuji_play::analysis::shallow_proof;
use tesuji_search::connect4::Connect4Book;
use tesuji_search::exact::{ExactSolver, SolveOptions, connect4_size};
use tesuji_search::{ExactSolverOptions, Game, Limits, TableSize};

use super::snapshot::{BoardMove, step, steps};
use super::{PositionViewError, unfinished};

/// A solved position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SolvedPosition {
    /// Always true: scores are not estimates, and 0 is a draw.
    pub exact: bool,
    /// The value for the side to move.
    pub score: Score,
    /// Every move, best first.
    pub moves: Vec<SolvedMove>,
    /// Best play.
    pub line: Vec<BoardMove>,
    /// The source of the values: `book` (shipped with the program) or `search`.
    pub known_from: &'static str,
    /// Searched positions.
    pub nodes: u64,
    /// Search time.
    pub seconds: f64,
}

/// The exact value of a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SolvedMove {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// The value for the side that makes it.
    pub score: Score,
    /// The best line, beginning with the move.
    pub line: Vec<BoardMove>,
}

/// Memory of the solver.
const TABLE_SIZE: TableSize = TableSize::megabytes(32);

/// Solves the position after a list of moves, and every move in it.
pub fn solve(
    game: &Game,
    moves: &str,
    limits: &Limits,
) -> Result<SolvedPosition, PositionViewError> {
    solve_line(game, &unfinished(game, moves)?, limits)
}

pub(super) fn solve_line(
    game: &Game,
    line: &GameLine,
    limits: &Limits,
) -> Result<SolvedPosition, PositionViewError> {
    let position = &line.end;
    if position.may_repeat() {
        return Err(PositionViewError::Unsolved(
            "solver: games with repetitions are not supported",
        ));
    }
    let search =
        game.solver(ExactSolverOptions { table: TABLE_SIZE, ..ExactSolverOptions::default() });
    let mut solver = MoveSolver { position, search, limits, started: Instant::now(), nodes: 0 };
    let moves = position.legal_moves().into_iter();
    let mut scored = moves.map(|m| solver.score(m)).collect::<Result<Vec<_>, _>>()?;
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    solver.find_lines(&mut scored);
    let written = scored.into_iter().map(|(score, line)| {
        let (step, line) = (step(position, line[0]), steps(position, &line));
        SolvedMove { step, score, line }
    });
    let moves: Vec<SolvedMove> = written.collect();
    let best = moves.first().ok_or(PositionViewError::GameOver)?;
    Ok(SolvedPosition {
        exact: true,
        score: best.score,
        line: best.line.clone(),
        moves,
        known_from: known_from(position),
        nodes: solver.nodes,
        seconds: solver.started.elapsed().as_secs_f64(),
    })
}

struct MoveSolver<'p> {
    position: &'p State,
    search: Box<dyn ExactSolver<State>>,
    limits: &'p Limits,
    started: Instant,
    nodes: u64,
}

/// The value of a move, and its best line beginning with the move.
type ScoredLine = (Score, Vec<Move>);

impl MoveSolver<'_> {
    /// Returns the value of a move for the side that makes it, and the part of its best line that
    /// comes for free.
    fn score(&mut self, m: Move) -> Result<ScoredLine, PositionViewError> {
        // Not every solver finds the shortest win, so wins and losses within two plies are detected
        // here.
        let proven = shallow_proof(self.position, m);
        if let Some(score) = proven.score {
            return Ok((score, proven.line));
        }
        let (mover, after) = (self.position.to_move(), self.after(m));
        let detail = SolveOptions { no_line: true, ..SolveOptions::default() };
        let solution = self.search.solve(&after, detail, &self.limits_left(1));
        self.nodes += solution.nodes;
        if solution.exact_value.is_none() {
            return Err(PositionViewError::Unsolved(
                "solver: out of time; allow more time or retry later in the game",
            ));
        }
        let report = solution.into_report(None);
        let score = if after.to_move() == mover { report.score } else { -report.score };
        let line = std::iter::once(m).chain(report.line).collect();
        Ok((score.further(1), line))
    }

    /// Completes the best lines while time is left, best moves first.
    fn find_lines(&mut self, scored: &mut [ScoredLine]) {
        let moves = scored.len();
        for (place, (_, line)) in scored.iter_mut().enumerate() {
            let after = self.after(line[0]);
            if line.len() == 1 && after.outcome().is_none() {
                let limits = self.limits_left((moves - place) as u32);
                let solution = self.search.solve(&after, SolveOptions::default(), &limits);
                self.nodes += solution.nodes;
                line.extend(solution.line);
            }
        }
    }

    fn after(&self, m: Move) -> State {
        let mut after = self.position.clone();
        after.play(m);
        after
    }

    /// One of `parts` equal shares of the remaining limits.
    fn limits_left(&self, parts: u32) -> Limits {
        let left = |limit: Duration| limit.saturating_sub(self.started.elapsed()) / parts;
        Limits {
            depth: None,
            nodes: self.limits.nodes.map(|limit| limit.saturating_sub(self.nodes).max(1)),
            time: self.limits.time.map(left),
            stop: self.limits.stop.clone(),
        }
    }
}

/// Returns `book` if the shipped book contains positions with this many stones.
fn known_from(position: &State) -> &'static str {
    let book = connect4_size(position.rows()).and_then(Connect4Book::built_in);
    let cells = position.diagram().cells;
    let stones = cells.iter().filter(|cell| matches!(cell, DiagramCell::Piece { .. })).count();
    match book {
        Some(book) if stones <= book.plies() as usize => "book",
        _ => "search",
    }
}
