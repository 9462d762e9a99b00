//! A position as it is shown: the board, who is to move, what was played, what may be played, what won.

use std::collections::BTreeSet;

use serde::Serialize;
use tesuji_games::diagram::{Cell, Diagram, Look};
use tesuji_games::{Line, Outcome, Playable, Side, Stones, StonesVisitor};

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

/// The end of a line as it is shown; `usual` is where games of its kind start.
pub(super) fn of<P: Playable>(usual: &P, line: &Line<P>) -> Snapshot {
    let (board, moves) = (line.end.diagram(), legal_moves(&line.end));
    Snapshot {
        position: position_text(usual, line),
        start: line.start_text(usual),
        look: line.end.look(),
        to_move: line.end.to_move(),
        outcome: line.end.outcome(),
        played: played_moves(usual, line),
        winning: winning_cells(&line.end),
        forbidden: forbidden(&line.end, &board, &moves),
        check: line.end.cell_in_check().into_iter().collect(),
        board,
        moves,
    }
}

/// A line as text that can be given back: the start, if it is not the usual one, and the moves.
pub(super) fn position_text<P: Playable>(usual: &P, line: &Line<P>) -> String {
    let parts = [line.start_text(usual), (!line.moves.is_empty()).then(|| line.text())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Moves one after the other from a position, as far as they can be played.
pub(super) fn steps<P: Playable>(position: &P, moves: &[P::Move]) -> Vec<Step> {
    let mut position = position.clone();
    let step = |&m: &P::Move| {
        let possible = position.outcome().is_none() && position.is_legal(m);
        let step = possible.then(|| step(&position, m))?;
        position.play(m);
        Some(step)
    };
    moves.iter().map_while(step).collect()
}

/// A move that the side to move makes.
pub(super) fn step<P: Playable>(position: &P, m: P::Move) -> Step {
    Step { text: position.move_text(m), side: position.to_move(), cells: position.cells_of(m) }
}

fn legal_moves<P: Playable>(position: &P) -> Vec<LegalMove> {
    let mut moves = Vec::new();
    if position.outcome().is_none() {
        position.for_each_move(|m| {
            moves.push(LegalMove { text: position.move_text(m), cells: position.cells_of(m) });
        });
    }
    moves
}

fn played_moves<P: Playable>(usual: &P, line: &Line<P>) -> Vec<PlayedMove> {
    let mut until = line.start_text(usual).map_or(0, |start| start.len() + 1);
    let mut played = Vec::with_capacity(line.moves.len());
    for (ply, step) in steps(&line.start, &line.moves).into_iter().enumerate() {
        until += step.text.len() + if ply > 0 { P::SEPARATOR.len() } else { 0 };
        played.push(PlayedMove { step, until });
    }
    played
}

/// Empty cells that no move goes to, in games in which a move may go to nearly every one of them.
fn forbidden<P: Playable>(position: &P, board: &Diagram, moves: &[LegalMove]) -> Vec<usize> {
    struct WithoutGravity<'p, P>(&'p P);
    impl<P: Playable> StonesVisitor<P> for WithoutGravity<'_, P> {
        type Output = bool;
        fn visit(self) -> bool
        where
            P: Stones,
        {
            !self.0.grid().gravity
        }
    }
    let goes_anywhere = P::with_stones(WithoutGravity(position)).unwrap_or(false);
    if position.outcome().is_some() || !goes_anywhere {
        return Vec::new();
    }
    let reached: BTreeSet<usize> = moves.iter().filter_map(|m| m.cells.last().copied()).collect();
    let is_empty = |cell: &usize| board.cells[*cell] == Cell::Empty;
    (0..board.cells.len()).filter(is_empty).filter(|cell| !reached.contains(cell)).collect()
}

fn winning_cells<P: Playable>(position: &P) -> Vec<usize> {
    let Some(winner) = position.outcome().and_then(Outcome::winner) else { return Vec::new() };
    P::with_stones(WinningRows { position, winner }).unwrap_or_else(|| position.winning_cells())
}

/// The cells of every row of at least `k` stones of the winner.
struct WinningRows<'p, P> {
    position: &'p P,
    winner: Side,
}

impl<P: Playable> StonesVisitor<P> for WinningRows<'_, P> {
    type Output = Vec<usize>;

    fn visit(self) -> Vec<usize>
    where
        P: Stones,
    {
        let grid = self.position.grid();
        let cells: BTreeSet<usize> = (0..grid.cells())
            .flat_map(|cell| [(0, 1), (1, 0), (1, 1), (1, -1)].map(|step| (cell, step)))
            .map(|(cell, step)| row_from(self.position, self.winner, cell, step))
            .filter(|row| row.len() >= grid.k)
            .flatten()
            .collect();
        cells.into_iter().collect()
    }
}

/// The winner's stones from a cell on in one direction.
fn row_from<P: Stones>(
    position: &P,
    winner: Side,
    cell: usize,
    step: (isize, isize),
) -> Vec<usize> {
    let grid = position.grid();
    let next = |&cell: &usize| {
        let row = (cell / grid.columns).checked_add_signed(step.0)?;
        let column = (cell % grid.columns).checked_add_signed(step.1)?;
        (row < grid.rows && column < grid.columns).then_some(row * grid.columns + column)
    };
    let is_own = |cell: &usize| position.stone_at(*cell) == Some(winner);
    std::iter::successors(Some(cell), next).take_while(is_own).collect()
}
