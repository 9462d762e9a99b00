//! A game under way, and its position as it is shown: the board, who is to move, what was played, what may be played,
//! what won.

use std::collections::BTreeSet;

use serde::Serialize;
use tesuji_games::diagram::{BoardStyle, Diagram, DiagramCell};
use tesuji_games::{Draw, GameLine, Move, Notation, Outcome, Position, RowGame, Side, State};
use tesuji_search::Game;

use super::DeskError;

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
    pub look: BoardStyle,
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

/// The moves of a game so far, each as it is written, and the position after them. The list of moves is read once: a
/// move that is chosen is written down, and the new position is shown, without a second reading.
pub struct ScoreSheet {
    /// The text by which the game was opened.
    pub game: String,
    /// The game so far.
    pub line: GameLine,
    /// Where the game started, if not at its usual start.
    pub start: Option<String>,
    /// The moves as text that can be given back; begins with the start, if that is not the usual
    /// one. However the moves were spelled, the same position by the same moves has the same text.
    pub position: String,
    /// What was played.
    pub played: Vec<PlayedMove>,
}

impl ScoreSheet {
    /// Reads a list of moves.
    pub fn read(game: &Game, moves: &str) -> Result<ScoreSheet, DeskError> {
        let line = game.line(moves).map_err(DeskError::position)?;
        let start = line.start_text(game.start());
        let (game, position) = (game.name().to_string(), start.clone().unwrap_or_default());
        let played = Vec::with_capacity(line.moves.len() + 1);
        let steps = steps(&line.start, &line.moves);
        let mut sheet = ScoreSheet { game, line, start, position, played };
        steps.into_iter().for_each(|step| sheet.write(step));
        Ok(sheet)
    }

    /// The same if there is something left to play.
    pub fn unfinished(self) -> Result<ScoreSheet, DeskError> {
        if self.line.end.outcome().is_some() { Err(DeskError::Over) } else { Ok(self) }
    }

    /// Plays a move.
    pub fn play(&mut self, m: Move) -> Result<(), DeskError> {
        let before = self.line.end.clone();
        self.line.play(m).map_err(DeskError::position)?;
        self.write(step(&before, m));
        Ok(())
    }

    /// Plays a move that is given as text.
    pub fn play_text(&mut self, m: &str) -> Result<(), DeskError> {
        if self.line.end.outcome().is_some() {
            return Err(DeskError::Over);
        }
        self.play(self.line.end.parse_move(m.trim()).map_err(DeskError::position)?)
    }

    fn write(&mut self, step: Step) {
        if !self.played.is_empty() {
            self.position.push_str(self.line.end.separator());
        } else if self.start.is_some() {
            self.position.push(' ');
        }
        self.position.push_str(&step.text);
        self.played.push(PlayedMove { step, until: self.position.len() });
    }

    /// The position as it is shown.
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
    let is_over = position.outcome().is_some();
    let moves = if is_over { Vec::new() } else { position.legal_moves() };
    let legal = |m| LegalMove { text: position.move_text(m), cells: position.cells_of(m) };
    moves.into_iter().map(legal).collect()
}

/// Empty cells that no move goes to, in games in which a move may go to nearly every one of them.
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
    // The cells of every row of at least `k` stones of the winner.
    let rows = (0..grid.cells())
        .flat_map(|cell| [(0, 1), (1, 0), (1, 1), (1, -1)].map(|step| row_from(cell, step)));
    let cells: BTreeSet<usize> = rows.filter(|row| row.len() >= grid.k).flatten().collect();
    cells.into_iter().collect()
}
