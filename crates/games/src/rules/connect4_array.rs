//! Connect Four on an array: a readable reference for the bitboard of `connect4.rs`, and the slow
//! side of Anigmo's comparison. Moves, notation and results are the same.

use std::sync::Arc;

use super::connect4::{ColumnRow, Connect4Size, LINE_VALUES};
use crate::bits::zobrist;
use crate::notation::NotationError;
use crate::registry::{GameEntry, GameInfo};
use crate::state::InvalidMove;
use crate::{
    BoardStyle, Diagram, Draw, Heuristic, MoveOrder, Notation, Outcome, Position, Reference, Side,
    Spec, SpecError, State, Symmetry, Tactics,
};

/// A position: the owner of each cell, row by row from the bottom.
#[derive(Clone, Debug)]
pub struct Connect4Array {
    cells: Vec<Option<Side>>,
    /// The number of stones in each column.
    heights: Vec<u8>,
    ply: usize,
    key: u64,
    outcome: Option<Outcome>,
    board: Arc<SharedBoard>,
}

/// The data that all positions of a game share.
#[derive(Debug)]
struct SharedBoard {
    size: Connect4Size,
    lines: Vec<[ColumnRow; 4]>,
    threes: ThreeScoring,
}

/// How the heuristic scores a line that lacks one stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreeScoring {
    /// The same value for every gap.
    Plain,
    /// Double value if the gap is on a row that its owner gets when both sides only fill up
    /// columns: odd rows (the bottom is row 1) for the first side, even rows for the second.
    ByParity,
}

/// The value of a three whose gap is on a row of its owner (Anigmo).
const THREE_ON_ITS_ROW: i32 = 256;

/// A move: a column, counted from 0 at the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ColumnMove(pub u8);

impl ColumnMove {
    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl From<ColumnMove> for u64 {
    fn from(m: ColumnMove) -> u64 {
        u64::from(m.0)
    }
}

impl TryFrom<u64> for ColumnMove {
    type Error = InvalidMove;
    fn try_from(number: u64) -> Result<ColumnMove, InvalidMove> {
        u8::try_from(number).map(ColumnMove).map_err(|_| InvalidMove)
    }
}

impl Connect4Array {
    /// The empty board.
    pub fn new(size: Connect4Size, threes: ThreeScoring) -> Self {
        Connect4Array {
            cells: vec![None; size.cells()],
            heights: vec![0; size.width()],
            ply: 0,
            key: 0,
            outcome: None,
            board: Arc::new(SharedBoard { size, lines: size.lines_of_four(), threes }),
        }
    }

    #[inline]
    fn size(&self) -> Connect4Size {
        self.board.size
    }

    #[inline]
    fn index(&self, (column, row): ColumnRow) -> usize {
        row * self.size().width() + column
    }

    #[inline]
    fn side_at(&self, place: ColumnRow) -> Option<Side> {
        self.cells[self.index(place)]
    }

    /// Where a stone dropped into this column comes to rest; above the board if the column is full.
    #[inline]
    fn landing(&self, column: ColumnMove) -> ColumnRow {
        (column.index(), usize::from(self.heights[column.index()]))
    }

    /// The key of a stone in a cell. The number of stones determines the side to move.
    #[inline]
    fn stone_key(&self, place: ColumnRow, side: Side) -> u64 {
        zobrist((self.index(place) * 2 + side.index()) as u64)
    }

    /// Whether a stone of `side` in this cell, which may be empty, is part of four in a row.
    fn completes_four(&self, place: ColumnRow, side: Side) -> bool {
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(right, up)| {
            let ahead = self.run_length(place, (right, up), side);
            let behind = self.run_length(place, (-right, -up), side);
            ahead + 1 + behind >= 4
        })
    }

    /// The number of consecutive stones of `side` that start at the neighbor of `place`.
    fn run_length(&self, place: ColumnRow, (right, up): (isize, isize), side: Side) -> usize {
        let (width, height) = (self.size().width(), self.size().height());
        let next = |&(column, row): &ColumnRow| {
            Some((column.checked_add_signed(right)?, row.checked_add_signed(up)?))
                .filter(|&(column, row)| column < width && row < height)
        };
        std::iter::successors(next(&place), next)
            .take_while(|&place| self.side_at(place) == Some(side))
            .count()
    }

    /// A column in which `side` would complete four in a row if it were to move.
    fn winning_column(&self, side: Side) -> Option<ColumnMove> {
        let mut found = None;
        self.for_each_move(|m| {
            if found.is_none() && self.completes_four(self.landing(m), side) {
                found = Some(m);
            }
        });
        found
    }
}

impl Position for Connect4Array {
    type Move = ColumnMove;
    /// Nothing: the move alone is enough, since the game was not over before it.
    type Undo = ();
    const FINDS_WINS: bool = true;

    #[inline]
    fn to_move(&self) -> Side {
        Side::ALL[self.ply % 2]
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    fn for_each_move(&self, mut each: impl FnMut(ColumnMove)) {
        for column in 0..self.size().width() as u8 {
            if self.is_legal(ColumnMove(column)) {
                each(ColumnMove(column));
            }
        }
    }

    #[inline]
    fn is_legal(&self, m: ColumnMove) -> bool {
        let height = self.size().height();
        self.outcome.is_none()
            && self.heights.get(m.index()).is_some_and(|&stones| usize::from(stones) < height)
    }

    fn play(&mut self, m: ColumnMove) {
        let (place, side) = (self.landing(m), self.to_move());
        let cell = self.index(place);
        self.cells[cell] = Some(side);
        self.heights[m.index()] += 1;
        self.ply += 1;
        self.key ^= self.stone_key(place, side);
        if self.completes_four(place, side) {
            self.outcome = Some(Outcome::Win(side));
        } else if self.ply == self.cells.len() {
            self.outcome = Some(Outcome::Draw);
        }
    }

    fn undo(&mut self, m: ColumnMove, _: ()) {
        self.heights[m.index()] -= 1;
        self.ply -= 1;
        let (place, side) = (self.landing(m), self.to_move());
        let cell = self.index(place);
        self.cells[cell] = None;
        self.key ^= self.stone_key(place, side);
        self.outcome = None;
    }

    #[inline]
    fn move_index(&self, m: ColumnMove) -> usize {
        m.index()
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        self.size().width()
    }

    fn winning_move(&self) -> Option<ColumnMove> {
        self.winning_column(self.to_move())
    }
}

/// Anigmo's heuristic: a line with stones of only one side counts 1 for one stone and 8 for two;
/// for three see [`ThreeScoring`].
impl Heuristic for Connect4Array {
    const NEARLY_EQUAL: i32 = 7;

    fn evaluate(&self) -> i32 {
        let for_first: i32 = self.board.lines.iter().map(|line| self.line_value(line)).sum();
        match self.to_move() {
            Side::First => for_first,
            Side::Second => -for_first,
        }
    }
}

impl Connect4Array {
    /// The value of a line for the first side.
    fn line_value(&self, line: &[ColumnRow; 4]) -> i32 {
        let mut stones = [0; 2];
        let mut gap_row = 0;
        for &place in line {
            match self.side_at(place) {
                Some(side) => stones[side.index()] += 1,
                None => gap_row = place.1,
            }
        }
        match stones {
            [3, 0] => self.three_value(Side::First, gap_row),
            [0, 3] => -self.three_value(Side::Second, gap_row),
            [n, 0] => LINE_VALUES[n],
            [0, n] => -LINE_VALUES[n],
            _ => 0,
        }
    }

    fn three_value(&self, owner: Side, gap_row: usize) -> i32 {
        let falls_to = Side::ALL[gap_row % 2];
        match self.board.threes {
            ThreeScoring::ByParity if falls_to == owner => THREE_ON_ITS_ROW,
            _ => LINE_VALUES[3],
        }
    }
}

impl MoveOrder for Connect4Array {
    #[inline]
    fn move_score(&self, m: ColumnMove) -> i32 {
        self.size().nearness_to_center(m.index())
    }

    fn for_each_move_in_order(&self, mut each: impl FnMut(ColumnMove)) -> bool {
        for rank in 0..self.size().width() {
            let m = ColumnMove(self.size().column_by_nearness(rank) as u8);
            if self.is_legal(m) {
                each(m);
            }
        }
        true
    }
}

impl Symmetry for Connect4Array {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        let mut image = self.clone();
        for row in image.cells.chunks_mut(self.size().width()) {
            row.reverse();
        }
        image.heights.reverse();
        image.key = image.key_by_scan();
        each(self.clone());
        each(image);
    }
}

/// A threat to complete a line forces the reply, unless the side to move can complete a line
/// itself.
impl Tactics for Connect4Array {
    fn push_forcing_moves(&self, buffer: &mut Vec<ColumnMove>) {
        buffer.extend(self.winning_move().or_else(|| self.winning_column(!self.to_move())));
    }

    fn may_stand_pat(&self) -> bool {
        self.winning_column(!self.to_move()).is_none()
    }
}

impl Notation for Connect4Array {
    fn move_text(&self, m: ColumnMove) -> String {
        self.size().column_text(m.index())
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(ColumnMove, &'t str), NotationError> {
        let (column, rest) = self.size().read_column(text)?;
        Ok((ColumnMove(column as u8), rest))
    }
}

impl Draw for Connect4Array {
    fn diagram(&self) -> Diagram {
        self.size().diagram(|place| self.side_at(place))
    }

    fn cells_of(&self, m: ColumnMove) -> Vec<usize> {
        vec![self.size().diagram_index(self.landing(m))]
    }

    fn style(&self) -> BoardStyle {
        BoardStyle::RACK
    }

    fn winning_cells(&self) -> Vec<usize> {
        let Some(winner) = self.outcome.and_then(Outcome::winner) else { return Vec::new() };
        let won =
            |line: &&[ColumnRow; 4]| line.iter().all(|&place| self.side_at(place) == Some(winner));
        let places = self.board.lines.iter().filter(won).flatten();
        let mut cells: Vec<usize> = places.map(|&place| self.size().diagram_index(place)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl Reference for Connect4Array {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let holds =
            |side, line: &[ColumnRow; 4]| line.iter().all(|&p| self.side_at(p) == Some(side));
        let wins = |&side: &Side| self.board.lines.iter().any(|line| holds(side, line));
        let full = self.cells.iter().all(Option::is_some);
        Side::ALL.into_iter().find(wins).map(Outcome::Win).or(full.then_some(Outcome::Draw))
    }

    fn key_by_scan(&self) -> u64 {
        let width = self.size().width();
        let stone = |cell: usize| {
            self.cells[cell].map(|side| self.stone_key((cell % width, cell / width), side))
        };
        (0..self.cells.len()).filter_map(stone).fold(0, |key, stone| key ^ stone)
    }
}

crate::capabilities!(Connect4Array: Heuristic, MoveOrder, Symmetry, Tactics, Reference);

/// The registry entry of Connect Four on an array.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "connect4-array",
        title: "Connect Four, plain",
        summary: "Connect Four on an array, the reference for connect4",
        rules: "Connect Four on a slower board, which is a reference for the fast one.",
        options: &[
            ("WIDTHxHEIGHT", "columns and rows, WIDTH*(HEIGHT+1) at most 128 (default 7x6)"),
            (
                "parity",
                "on: the heuristic doubles threes whose gap falls to their owner (default on)",
            ),
        ],
        presets: &[],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let size = Connect4Size::take(&mut spec)?;
    let parity = spec.switch("parity")?.unwrap_or(true);
    spec.finish()?;
    let threes = if parity { ThreeScoring::ByParity } else { ThreeScoring::Plain };
    Ok(State::new(Connect4Array::new(size, threes)))
}
