//! A position as it is shown: the board, who is to move, what was played, what may be played, what won.

use std::collections::BTreeSet;

use serde::Serialize;
use tesuji_games::diagram::{Cell, Diagram, Look};
use tesuji_games::{Draw, Grid, Line, Move, Notation, Outcome, Position, RowGame, Side, State};

/// A position as it is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Snapshot {
    /// The moves that led here, as text that can be given back; begins with the start, if that is not the usual one.
    pub position: String,
    /// Where the game started, if not at its usual start.
    pub start: Option<String>,
    /// The board.
    pub board: Diagram,
    /// What it looks like.
    #[serde(flatten)]
    pub look: Look,
    /// Who is to move, or would be.
    pub to_move: Side,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
    /// What was played.
    pub played: Vec<PlayedMove>,
    /// What may be played.
    pub moves: Vec<LegalMove>,
    /// The cells of the rows that won.
    pub winning: Vec<usize>,
    /// Empty cells on which the side to move may not play, though the board has no other reason.
    pub forbidden: Vec<usize>,
    /// The cells of pieces that must be saved at once, such as a king in check.
    pub check: Vec<usize>,
}

/// A move on the board, by whoever makes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// As the game writes it.
    #[serde(rename = "move")]
    pub text: String,
    /// Who makes it.
    pub side: Side,
    /// The cells that it touches, the one where it arrives last.
    pub cells: Vec<usize>,
}

/// A move of the past.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlayedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// So much of [`Snapshot::position`] leads to the position after it.
    pub until: usize,
}

/// A move that is possible now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LegalMove {
    /// As the game writes it.
    #[serde(rename = "move")]
    pub text: String,
    /// The cells that it touches, the one where it arrives last.
    pub cells: Vec<usize>,
}

/// What was written down of a game, with its last position as it is shown.
pub(super) fn of(end: &State, written: Written) -> Snapshot {
    let (board, moves) = (end.diagram(), legal_moves(end));
    Snapshot {
        position: written.position,
        start: written.start,
        look: end.look(),
        to_move: end.to_move(),
        outcome: end.outcome(),
        played: written.played,
        winning: winning_cells(end),
        forbidden: forbidden(end, &board, &moves),
        check: end.cell_in_check().into_iter().collect(),
        board,
        moves,
    }
}

/// A list of moves as text that can be given back, and where in it each of them ends.
pub(super) struct Written {
    /// Where the game started, if not at its usual start.
    pub(super) start: Option<String>,
    /// The start, if it is not the usual one, and the moves.
    pub(super) position: String,
    pub(super) played: Vec<PlayedMove>,
}

impl Written {
    /// `usual` is where games of this kind start.
    pub(super) fn of(usual: &State, line: &Line) -> Written {
        let start = line.start_text(usual);
        let position = start.clone().unwrap_or_default();
        let played = Vec::with_capacity(line.moves.len() + 1);
        let mut written = Written { start, position, played };
        for step in steps(&line.start, &line.moves) {
            written.add(step, usual.separator());
        }
        written
    }

    pub(super) fn add(&mut self, step: Step, separator: &str) {
        if !self.played.is_empty() {
            self.position.push_str(separator);
        } else if self.start.is_some() {
            self.position.push(' ');
        }
        self.position.push_str(&step.text);
        self.played.push(PlayedMove { step, until: self.position.len() });
    }
}

/// Moves one after the other from a position, as far as they can be played.
pub(super) fn steps(position: &State, moves: &[Move]) -> Vec<Step> {
    let mut position = position.clone();
    let step = |&m: &Move| {
        let possible = position.outcome().is_none() && position.is_legal(m);
        let step = possible.then(|| step(&position, m))?;
        position.play(m);
        Some(step)
    };
    moves.iter().map_while(step).collect()
}

/// A move that the side to move makes.
pub(super) fn step(position: &State, m: Move) -> Step {
    Step { text: position.move_text(m), side: position.to_move(), cells: position.cells_of(m) }
}

fn legal_moves(position: &State) -> Vec<LegalMove> {
    let mut moves = Vec::new();
    if position.outcome().is_none() {
        position.for_each_move(|m| {
            moves.push(LegalMove { text: position.move_text(m), cells: position.cells_of(m) });
        });
    }
    moves
}

/// Empty cells that no move goes to, in games in which a move may go to nearly every one of them.
fn forbidden(position: &State, board: &Diagram, moves: &[LegalMove]) -> Vec<usize> {
    let goes_anywhere = position.rows().is_some_and(|game| !game.grid.gravity);
    if position.outcome().is_some() || !goes_anywhere {
        return Vec::new();
    }
    let reached: BTreeSet<usize> = moves.iter().filter_map(|m| m.cells.last().copied()).collect();
    let is_empty = |cell: &usize| board.cells[*cell] == Cell::Empty;
    (0..board.cells.len()).filter(is_empty).filter(|cell| !reached.contains(cell)).collect()
}

fn winning_cells(position: &State) -> Vec<usize> {
    let Some(winner) = position.outcome().and_then(Outcome::winner) else { return Vec::new() };
    let Some(RowGame { grid, .. }) = position.rows() else { return position.winning_cells() };
    // The cells of every row of at least `k` stones of the winner.
    let cells: BTreeSet<usize> = (0..grid.cells())
        .flat_map(|cell| [(0, 1), (1, 0), (1, 1), (1, -1)].map(|step| (cell, step)))
        .map(|(cell, step)| row_from(position, grid, winner, cell, step))
        .filter(|row| row.len() >= grid.k)
        .flatten()
        .collect();
    cells.into_iter().collect()
}

/// The winner's stones from a cell on in one direction.
fn row_from(
    position: &State,
    grid: Grid,
    winner: Side,
    cell: usize,
    step: (isize, isize),
) -> Vec<usize> {
    let next = |&cell: &usize| {
        let row = (cell / grid.columns).checked_add_signed(step.0)?;
        let column = (cell % grid.columns).checked_add_signed(step.1)?;
        (row < grid.rows && column < grid.columns).then_some(row * grid.columns + column)
    };
    let is_own = |cell: &usize| position.stone_at(*cell) == Some(winner);
    std::iter::successors(Some(cell), next).take_while(is_own).collect()
}
