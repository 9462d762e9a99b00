//! The view of a position: the board, the side to move, the played and the legal moves, the winning
//! cells.

use std::collections::BTreeSet;

use serde::Serialize;
use tesuji_games::diagram::{BoardStyle, Diagram, DiagramCell};
use tesuji_games::{Draw, GameLine, Move, Notation, Outcome, Position, RowGame, Side, State};
use tesuji_search::Game;

use super::PositionViewError;

/// The view of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Snapshot {
    /// The moves up to here, as text that [`ScoreSheet::read`] accepts. Begins with the start
    /// position if that is not the usual one.
    pub position: String,
    /// The start position, if it is not the usual one.
    pub start: Option<String>,
    /// The board.
    pub board: Diagram,
    /// The material of the board and the names of the sides.
    #[serde(flatten)]
    pub look: BoardStyle,
    /// The side to move, also after the end of the game.
    pub to_move: Side,
    /// The result, if the game is over.
    pub outcome: Option<Outcome>,
    /// The played moves.
    pub played: Vec<PlayedMove>,
    /// The legal moves.
    pub moves: Vec<LegalMove>,
    /// The cells of the winning rows.
    pub winning: Vec<usize>,
    /// Empty cells where the rules forbid the side to move to play.
    pub forbidden: Vec<usize>,
    /// The cells of pieces under attack that must be saved, such as a king in check.
    pub check: Vec<usize>,
}

/// A move with its side and cells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BoardMove {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The side that makes it.
    pub side: Side,
    /// The cells that the move touches; the destination is the last.
    pub cells: Vec<usize>,
}

/// A played move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlayedMove {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// The length of the prefix of [`Snapshot::position`] that leads to the position after the
    /// move.
    pub until: usize,
}

/// A legal move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LegalMove {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The cells that the move touches; the destination is the last.
    pub cells: Vec<usize>,
}

/// The moves of a game so far in its notation, and the position after them. Moves are appended
/// without parsing the list again.
pub struct ScoreSheet {
    /// The text with which the game was opened.
    pub game: String,
    /// The typed moves and positions.
    pub line: GameLine,
    /// The start position, if it is not the usual one.
    pub start: Option<String>,
    /// The canonical text of the moves; begins with the start position if that is not the usual
    /// one. It does not depend on the spelling of the input.
    pub position: String,
    /// The played moves.
    pub played: Vec<PlayedMove>,
}

impl ScoreSheet {
    /// Parses a list of moves.
    pub fn read(game: &Game, moves: &str) -> Result<ScoreSheet, PositionViewError> {
        let line = game.line(moves).map_err(PositionViewError::invalid_position)?;
        let start = line.start_text(game.start());
        let (game, position) = (game.name().to_string(), start.clone().unwrap_or_default());
        let played = Vec::with_capacity(line.moves.len() + 1);
        let steps = steps(&line.start, &line.moves);
        let mut sheet = ScoreSheet { game, line, start, position, played };
        steps.into_iter().for_each(|step| sheet.push(step));
        Ok(sheet)
    }

    /// Returns the sheet; an error if the game is over.
    pub fn unfinished(self) -> Result<ScoreSheet, PositionViewError> {
        if self.line.end.outcome().is_some() { Err(PositionViewError::GameOver) } else { Ok(self) }
    }

    /// Plays a move.
    pub fn play(&mut self, m: Move) -> Result<(), PositionViewError> {
        let before = self.line.end.clone();
        self.line.play(m).map_err(PositionViewError::invalid_position)?;
        self.push(step(&before, m));
        Ok(())
    }

    /// Plays a move given as text.
    pub fn play_text(&mut self, m: &str) -> Result<(), PositionViewError> {
        if self.line.end.outcome().is_some() {
            return Err(PositionViewError::GameOver);
        }
        self.play(self.line.end.parse_move(m.trim()).map_err(PositionViewError::invalid_position)?)
    }

    fn push(&mut self, step: BoardMove) {
        if !self.played.is_empty() {
            self.position.push_str(self.line.end.separator());
        } else if self.start.is_some() {
            self.position.push(' ');
        }
        self.position.push_str(&step.text);
        self.played.push(PlayedMove { step, until: self.position.len() });
    }

    /// Returns the view of the last position.
    pub fn snapshot(self) -> Snapshot {
        let end = &self.line.end;
        let (board, moves) = (end.diagram(), legal_moves(end));
        Snapshot {
            position: self.position,
            start: self.start,
            look: end.style(),
            to_move: end.to_move(),
            outcome: end.outcome(),
            played: self.played,
            winning: winning_cells(end),
            forbidden: forbidden(end, &board, &moves),
            check: end.cell_in_check().into_iter().collect(),
            board,
            moves,
        }
    }
}

/// Converts a line of moves; ends before the first move that is not legal.
pub(super) fn steps(position: &State, moves: &[Move]) -> Vec<BoardMove> {
    let mut position = position.clone();
    let step = |&m: &Move| {
        let possible = position.outcome().is_none() && position.is_legal(m);
        let step = possible.then(|| step(&position, m))?;
        position.play(m);
        Some(step)
    };
    moves.iter().map_while(step).collect()
}

/// Converts a move of the side to move.
pub(super) fn step(position: &State, m: Move) -> BoardMove {
    BoardMove { text: position.move_text(m), side: position.to_move(), cells: position.cells_of(m) }
}

fn legal_moves(position: &State) -> Vec<LegalMove> {
    let is_over = position.outcome().is_some();
    let moves = if is_over { Vec::new() } else { position.legal_moves() };
    let legal = |m| LegalMove { text: position.move_text(m), cells: position.cells_of(m) };
    moves.into_iter().map(legal).collect()
}

/// Empty cells without a legal move, in games where a stone may usually be placed on any empty
/// cell.
fn forbidden(position: &State, board: &Diagram, moves: &[LegalMove]) -> Vec<usize> {
    let goes_anywhere = position.rows().is_some_and(|game| !game.grid.gravity);
    if position.outcome().is_some() || !goes_anywhere {
        return Vec::new();
    }
    let reached: BTreeSet<usize> = moves.iter().filter_map(|m| m.cells.last().copied()).collect();
    let is_empty = |cell: &usize| board.cells[*cell] == DiagramCell::Empty;
    (0..board.cells.len()).filter(is_empty).filter(|cell| !reached.contains(cell)).collect()
}

fn winning_cells(position: &State) -> Vec<usize> {
    let Some(winner) = position.outcome().and_then(Outcome::winner) else { return Vec::new() };
    let Some(RowGame { grid, .. }) = position.rows() else { return position.winning_cells() };
    let is_own = |cell: &usize| position.stone_at(*cell) == Some(winner);
    let row_from = |cell: usize, (down, right): (isize, isize)| -> Vec<usize> {
        let next = |&cell: &usize| {
            let row = (cell / grid.columns).checked_add_signed(down)?;
            let column = (cell % grid.columns).checked_add_signed(right)?;
            (row < grid.rows && column < grid.columns).then_some(row * grid.columns + column)
        };
        std::iter::successors(Some(cell), next).take_while(is_own).collect()
    };
    // Collects every row of at least `k` stones of the winner.
    let rows = (0..grid.cells())
        .flat_map(|cell| [(0, 1), (1, 0), (1, 1), (1, -1)].map(|step| row_from(cell, step)));
    let cells: BTreeSet<usize> = rows.filter(|row| row.len() >= grid.k).flatten().collect();
    cells.into_iter().collect()
}
