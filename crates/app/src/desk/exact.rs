//! What every move is worth with best play to the end, where a solver finds that out while somebody waits.

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::diagram::DiagramCell;
use tesuji_games::{Draw, GameLine, Move, Position, Score, State};
use tesuji_play::analysis::shallow_proof;
use tesuji_search::connect4::Connect4Book;
use tesuji_search::exact::{ExactSolver, SolveOptions, connect4_size};
use tesuji_search::{ExactSolverOptions, Game, Limits, TableSize};

use super::snapshot::{Step, step, steps};
use super::{DeskError, unfinished};

/// What best play leads to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExactTable {
    /// Always: these are no estimates, and 0 is a draw.
    pub exact: bool,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Every move, best first.
    pub moves: Vec<ExactMove>,
    /// Best play.
    pub line: Vec<Step>,
    /// How that is known: by a `book` that comes with the program, or by a `search`.
    pub known_from: &'static str,
    /// Positions that were looked at.
    pub nodes: u64,
    /// How long that took.
    pub seconds: f64,
}

/// What a move is worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExactMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// For the side that makes it.
    pub score: Score,
    /// Best play from it on, the move included.
    pub line: Vec<Step>,
}

/// Memory of the solver.
const TABLE: TableSize = TableSize::megabytes(32);

/// What every move is worth with best play to the end.
pub fn solve(game: &Game, moves: &str, limits: &Limits) -> Result<ExactTable, DeskError> {
    solve_line(game, &unfinished(game, moves)?, limits)
}

pub(super) fn solve_line(
    game: &Game,
    line: &GameLine,
    limits: &Limits,
) -> Result<ExactTable, DeskError> {
    let position = &line.end;
    if position.may_repeat() {
        return Err(DeskError::Unsolved(
            "positions of this game may come back, and no solver here can cope with that",
        ));
    }
    let solver = game.solver(ExactSolverOptions { table: TABLE, ..ExactSolverOptions::default() });
    let mut solving = Solving { position, solver, limits, started: Instant::now(), nodes: 0 };
    let moves = position.legal_moves().into_iter();
    let mut known = moves.map(|m| solving.worth(m)).collect::<Result<Vec<_>, _>>()?;
    known.sort_by_key(|known| std::cmp::Reverse(known.0));
    solving.find_lines(&mut known);
    let written = known.into_iter().map(|(score, line)| {
        let (step, line) = (step(position, line[0]), steps(position, &line));
        ExactMove { step, score, line }
    });
    let moves: Vec<ExactMove> = written.collect();
    let best = moves.first().ok_or(DeskError::Over)?;
    Ok(ExactTable {
        exact: true,
        score: best.score,
        line: best.line.clone(),
        moves,
        known_from: known_from(position),
        nodes: solving.nodes,
        seconds: solving.started.elapsed().as_secs_f64(),
    })
}

struct Solving<'p> {
    position: &'p State,
    solver: Box<dyn ExactSolver<State>>,
    limits: &'p Limits,
    started: Instant,
    nodes: u64,
}

/// What a move is worth, and best play from it on, the move included.
type Known = (Score, Vec<Move>);

impl Solving<'_> {
    /// What a move is worth to the side that makes it, and how play goes on where that is known by the way.
    fn worth(&mut self, m: Move) -> Result<Known, DeskError> {
        // Not every solver looks for the shortest way; what the next two moves end is told as such.
        let at_once = shallow_proof(self.position, m);
        if let Some(score) = at_once.score {
            return Ok((score, at_once.line));
        }
        let (mover, after) = (self.position.to_move(), self.after(m));
        let detail = SolveOptions { no_line: true, ..SolveOptions::default() };
        let solution = self.solver.solve(&after, detail, &self.limits_left(1));
        self.nodes += solution.nodes;
        if solution.exact_value.is_none() {
            return Err(DeskError::Unsolved(
                "there was not enough time to see every line to its end; \
                 give it more, or ask again later in the game",
            ));
        }
        let report = solution.into_report(None);
        let score = if after.to_move() == mover { report.score } else { -report.score };
        let line = std::iter::once(m).chain(report.line).collect();
        Ok((score.further(1), line))
    }

    /// Looks for the lines that are not known yet, as far as there is time; the best moves come first.
    fn find_lines(&mut self, known: &mut [Known]) {
        let moves = known.len();
        for (place, (_, line)) in known.iter_mut().enumerate() {
            let after = self.after(line[0]);
            if line.len() == 1 && after.outcome().is_none() {
                let limits = self.limits_left((moves - place) as u32);
                let solution = self.solver.solve(&after, SolveOptions::default(), &limits);
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

    /// A part of what is left.
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

/// A book knows every position with so many stones.
fn known_from(position: &State) -> &'static str {
    let book = connect4_size(position.rows()).and_then(Connect4Book::built_in);
    let cells = position.diagram().cells;
    let stones = cells.iter().filter(|cell| matches!(cell, DiagramCell::Piece { .. })).count();
    match book {
        Some(book) if stones <= book.plies() as usize => "book",
        _ => "search",
    }
}
