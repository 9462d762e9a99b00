//! Connect Four on a plain array: the readable reference for the bitboard of `connect4.rs`, and the
//! slow side of Anigmo's comparison. Same moves, same notation, same results.

use std::sync::Arc;

use super::connect4::{LINE_VALUES, Place, Size};
use crate::bits::zobrist;
use crate::notation::NotationError;
use crate::registry::{Entry, GameInfo};
use crate::state::NotAMove;
use crate::{
    Diagram, Draw, Heuristic, Look, MoveOrder, Notation, Outcome, Position, Reference, Side, Spec,
    SpecError, State, Symmetry, Tactics,
};

/// A position: what stands in each cell, row by row from the bottom.
#[derive(Clone, Debug)]
pub struct Connect4Array {
    cells: Vec<Option<Side>>,
    /// The stones in each column.
    heights: Vec<u8>,
    ply: usize,
    key: u64,
    outcome: Option<Outcome>,
    board: Arc<Board>,
}

/// What all positions of a game share.
#[derive(Debug)]
struct Board {
    size: Size,
    lines: Vec<[Place; 4]>,
    threes: Threes,
}

/// How the heuristic values a line that lacks one stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threes {
    /// Always the same.
    Plain,
    /// Double where the gap is on a row that falls to the owner when both sides just fill up columns:
    /// odd rows (the bottom is row 1) to the first side, even rows to the second.
    ByParity,
}

/// The worth of a three whose gap is on the right row (Anigmo).
const THREE_ON_ITS_ROW: i32 = 256;

/// A move: a column, counted from 0 at the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Column(pub u8);

impl Column {
    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl From<Column> for u64 {
    fn from(m: Column) -> u64 {
        u64::from(m.0)
    }
}

impl TryFrom<u64> for Column {
    type Error = NotAMove;
    fn try_from(number: u64) -> Result<Column, NotAMove> {
        u8::try_from(number).map(Column).map_err(|_| NotAMove)
    }
}

impl Connect4Array {
    /// The empty board.
    pub fn new(size: Size, threes: Threes) -> Self {
        Connect4Array {
            cells: vec![None; size.cells()],
            heights: vec![0; size.width()],
            ply: 0,
            key: 0,
            outcome: None,
            board: Arc::new(Board { size, lines: size.lines_of_four(), threes }),
        }
    }

    #[inline]
    fn size(&self) -> Size {
        self.board.size
    }

    #[inline]
    fn index(&self, (column, row): Place) -> usize {
        row * self.size().width() + column
    }

    #[inline]
    fn side_at(&self, place: Place) -> Option<Side> {
        self.cells[self.index(place)]
    }

    /// Where a stone dropped into this column comes to rest; off the board when it is full.
    #[inline]
    fn landing(&self, column: Column) -> Place {
        (column.index(), usize::from(self.heights[column.index()]))
    }

    /// The key for a stone in a cell. The number of stones says whose turn it is.
    #[inline]
    fn stone_key(&self, place: Place, side: Side) -> u64 {
        zobrist((self.index(place) * 2 + side.index()) as u64)
    }

    /// Whether a stone of `side` in this place, which may still be empty, is one of four in a row.
    fn completes_four(&self, place: Place, side: Side) -> bool {
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(right, up)| {
            let ahead = self.run_length(place, (right, up), side);
            let behind = self.run_length(place, (-right, -up), side);
            ahead + 1 + behind >= 4
        })
    }

    /// How many stones of `side` follow each other from the neighbour of `place` on.
    fn run_length(&self, place: Place, (right, up): (isize, isize), side: Side) -> usize {
        let (width, height) = (self.size().width(), self.size().height());
        let next = |&(column, row): &Place| {
            Some((column.checked_add_signed(right)?, row.checked_add_signed(up)?))
                .filter(|&(column, row)| column < width && row < height)
        };
        std::iter::successors(next(&place), next)
            .take_while(|&place| self.side_at(place) == Some(side))
            .count()
    }

    /// A column in which `side` would complete four in a row, were it to move.
    fn winning_column(&self, side: Side) -> Option<Column> {
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
    type Move = Column;
    /// A dropped stone destroys nothing that is not known: the game was not over before it.
    type Undo = ();
    const WIN_DETECTION: bool = true;

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

    fn for_each_move(&self, mut each: impl FnMut(Column)) {
        for column in 0..self.size().width() as u8 {
            if self.is_legal(Column(column)) {
                each(Column(column));
            }
        }
    }

    #[inline]
    fn is_legal(&self, m: Column) -> bool {
        let height = self.size().height();
        self.outcome.is_none()
            && self.heights.get(m.index()).is_some_and(|&stones| usize::from(stones) < height)
    }

    fn play(&mut self, m: Column) {
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

    fn undo(&mut self, m: Column, _: ()) {
        self.heights[m.index()] -= 1;
        self.ply -= 1;
        let (place, side) = (self.landing(m), self.to_move());
        let cell = self.index(place);
        self.cells[cell] = None;
        self.key ^= self.stone_key(place, side);
        self.outcome = None;
    }

    #[inline]
    fn move_index(&self, m: Column) -> usize {
        m.index()
    }

    #[inline]
    fn move_indices(&self) -> usize {
        self.size().width()
    }

    fn winning_move(&self) -> Option<Column> {
        self.winning_column(self.to_move())
    }
}

/// Anigmo's heuristic: a line with stones of one side only counts 1 for one and 8 for two of them; for
/// three it asks [`Threes`].
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
    fn line_value(&self, line: &[Place; 4]) -> i32 {
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
            Threes::ByParity if falls_to == owner => THREE_ON_ITS_ROW,
            _ => LINE_VALUES[3],
        }
    }
}

impl MoveOrder for Connect4Array {
    #[inline]
    fn promise(&self, m: Column) -> i32 {
        self.size().nearness_to_centre(m.index())
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

/// A threat to complete a line must be answered (or one's own completed).
impl Tactics for Connect4Array {
    fn push_forcing_moves(&self, buffer: &mut Vec<Column>) {
        buffer.extend(self.winning_move().or_else(|| self.winning_column(!self.to_move())));
    }

    fn may_stand_pat(&self) -> bool {
        self.winning_column(!self.to_move()).is_none()
    }
}

impl Notation for Connect4Array {
    fn move_text(&self, m: Column) -> String {
        self.size().column_text(m.index())
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(Column, &'t str), NotationError> {
        let (column, rest) = self.size().read_column(text)?;
        Ok((Column(column as u8), rest))
    }
}

impl Draw for Connect4Array {
    fn diagram(&self) -> Diagram {
        self.size().diagram(|place| self.side_at(place))
    }

    fn cells_of(&self, m: Column) -> Vec<usize> {
        vec![self.size().diagram_index(self.landing(m))]
    }

    fn look(&self) -> Look {
        Look::RACK
    }

    fn winning_cells(&self) -> Vec<usize> {
        let Some(winner) = self.outcome.and_then(Outcome::winner) else { return Vec::new() };
        let won =
            |line: &&[Place; 4]| line.iter().all(|&place| self.side_at(place) == Some(winner));
        let places = self.board.lines.iter().filter(won).flatten();
        let mut cells: Vec<usize> = places.map(|&place| self.size().diagram_index(place)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl Reference for Connect4Array {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let holds = |side, line: &[Place; 4]| line.iter().all(|&p| self.side_at(p) == Some(side));
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

/// The registry's view of Connect Four on an array.
pub const GAME: Entry = Entry {
    info: GameInfo {
        name: "connect4-array",
        title: "Connect Four, plain",
        summary: "Connect Four on a plain array, the reference for connect4",
        rules: "Connect Four again, on a slower board that is kept as a reference for the fast one.",
        options: &[
            ("WIDTHxHEIGHT", "columns and rows, WIDTH*(HEIGHT+1) at most 128 (7x6)"),
            ("parity", "on: the heuristic doubles threes whose gap falls to their owner (on)"),
        ],
        presets: &[],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let size = Size::take(&mut spec)?;
    let parity = spec.switch("parity")?.unwrap_or(true);
    spec.finish()?;
    let threes = if parity { Threes::ByParity } else { Threes::Plain };
    Ok(State::new(Connect4Array::new(size, threes)))
}
