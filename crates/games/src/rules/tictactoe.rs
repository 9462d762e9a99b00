//! Tic-tac-toe, and the example for a new game: read this file from top to bottom, then
//! `docs/add-a-game.md`.

use crate::bits::{for_each_bit, nth_set_bit, zobrist};
use crate::notation::{NotationError, cell_text, read_cell};
use crate::random::{Rng, below};
use crate::registry::{GameEntry, GameInfo};
use crate::{
    Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Notation, Outcome, Position, Reference,
    RowGrid, RowPosition, Side, Spec, SpecError, State, Symmetry, Tactics,
};

/// A position: the cells of each side as bits, cell 0 at a1, cell 8 at c3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TicTacToe {
    stones: [u16; 2],
    to_move: Side,
    outcome: Option<Outcome>,
}

const WIDTH: usize = 3;
const FULL: u16 = 0b111_111_111;
const LINES: [u16; 8] = [
    0b000_000_111, // rows
    0b000_111_000,
    0b111_000_000,
    0b001_001_001, // columns
    0b010_010_010,
    0b100_100_100,
    0b100_010_001, // diagonals
    0b001_010_100,
];

/// Whether each of the 512 sets of cells contains a line: bit `cells % 64` of word `cells / 64`.
const HAS_LINE: [u64; 8] = {
    let mut table = [0; 8];
    let mut cells = 0;
    while cells < 512 {
        let mut line = 0;
        while line < LINES.len() {
            if cells & LINES[line] as usize == LINES[line] as usize {
                table[cells / 64] |= 1 << (cells % 64);
            }
            line += 1;
        }
        cells += 1;
    }
    table
};

#[inline]
fn has_line(stones: u16) -> bool {
    HAS_LINE[usize::from(stones / 64) & 7] >> (stones % 64) & 1 != 0
}

impl TicTacToe {
    /// The empty board.
    pub const fn new() -> Self {
        TicTacToe { stones: [0, 0], to_move: Side::First, outcome: None }
    }

    #[inline]
    fn empty_cells(&self) -> u16 {
        FULL & !(self.stones[0] | self.stones[1])
    }

    /// Takes back the last move without the previous position.
    #[inline]
    pub(crate) fn take_back(&mut self, cell: u8) {
        self.to_move = !self.to_move;
        self.stones[self.to_move.index()] &= !(1 << cell);
        self.outcome = None;
    }

    fn side_at(&self, cell: u8) -> Option<Side> {
        Side::ALL.into_iter().find(|side| self.stones[side.index()] >> cell & 1 != 0)
    }
}

impl Default for TicTacToe {
    fn default() -> Self {
        Self::new()
    }
}

impl Position for TicTacToe {
    type Move = u8;
    /// The position before the move: it is no larger than a machine word, so a copy is cheap.
    type Undo = Self;
    const FINDS_WINS: bool = true;

    #[inline]
    fn to_move(&self) -> Side {
        self.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn key(&self) -> u64 {
        // The stones determine the side to move.
        zobrist(u64::from(self.stones[0]) << 9 | u64::from(self.stones[1]))
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(u8)) {
        if self.outcome.is_none() {
            for_each_bit(u64::from(self.empty_cells()), |cell| each(cell as u8));
        }
    }

    #[inline]
    fn is_legal(&self, cell: u8) -> bool {
        self.outcome.is_none() && cell < 9 && self.empty_cells() >> cell & 1 != 0
    }

    #[inline]
    fn play(&mut self, cell: u8) -> Self {
        let before = *self;
        let mine = &mut self.stones[self.to_move.index()];
        *mine |= 1 << cell;
        if has_line(*mine) {
            self.outcome = Some(Outcome::Win(self.to_move));
        } else if self.empty_cells() == 0 {
            self.outcome = Some(Outcome::Draw);
        }
        self.to_move = !self.to_move;
        before
    }

    #[inline]
    fn undo(&mut self, _: u8, before: Self) {
        *self = before;
    }

    #[inline]
    fn move_index(&self, cell: u8) -> usize {
        usize::from(cell)
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        9
    }

    #[inline]
    fn move_count(&self) -> usize {
        if self.outcome.is_none() { self.empty_cells().count_ones() as usize } else { 0 }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> u8 {
        let empty = self.empty_cells();
        let n = below(rng, empty.count_ones());
        nth_set_bit(u64::from(empty), n).trailing_zeros() as u8
    }

    #[inline]
    fn winning_move(&self) -> Option<u8> {
        winning_cell(self.stones[self.to_move.index()], self.empty_cells())
    }
}

/// An empty cell that completes a line of `stones`.
#[inline]
fn winning_cell(stones: u16, empty: u16) -> Option<u8> {
    LINES
        .iter()
        .map(|line| (line & !stones, line & stones))
        .find(|(missing, own)| own.count_ones() == 2 && missing & empty != 0)
        .map(|(missing, _)| missing.trailing_zeros() as u8)
}

/// Anigmo's heuristic: a line with marks of only one side counts 1 for one mark and 4 for two.
impl Heuristic for TicTacToe {
    fn evaluate(&self) -> i32 {
        let (mine, theirs) =
            (self.stones[self.to_move.index()], self.stones[(!self.to_move).index()]);
        LINES.iter().map(|line| line_value(line & mine, line & theirs)).sum()
    }
}

fn line_value(mine: u16, theirs: u16) -> i32 {
    const VALUES: [i32; 4] = [0, 1, 4, 0];
    match (mine.count_ones() as usize, theirs.count_ones() as usize) {
        (n, 0) => VALUES[n],
        (0, n) => -VALUES[n],
        _ => 0,
    }
}

/// The center, then the corners, then the edges: the number of lines through the cell.
impl MoveOrder for TicTacToe {
    #[inline]
    fn move_score(&self, cell: u8) -> i32 {
        [3, 2, 3, 2, 4, 2, 3, 2, 3][usize::from(cell)]
    }

    #[inline]
    fn for_each_move_in_order(&self, mut each: impl FnMut(u8)) -> bool {
        /// The cells by their number of lines, most lines first.
        const CLASSES: [u16; 3] = [0b000_010_000, 0b101_000_101, 0b010_101_010];
        if self.outcome.is_none() {
            for cells in CLASSES {
                for_each_bit(u64::from(self.empty_cells() & cells), |cell| each(cell as u8));
            }
        }
        true
    }
}

impl Symmetry for TicTacToe {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        let mut image = *self;
        for _ in 0..4 {
            image.stones = image.stones.map(turned);
            each(image);
            each(Self { stones: image.stones.map(mirrored), ..image });
        }
    }
}

fn turned(stones: u16) -> u16 {
    permuted(stones, |column, row| (row, WIDTH - 1 - column))
}

fn mirrored(stones: u16) -> u16 {
    permuted(stones, |column, row| (WIDTH - 1 - column, row))
}

fn permuted(stones: u16, to: impl Fn(usize, usize) -> (usize, usize)) -> u16 {
    let mut image = 0;
    for_each_bit(u64::from(stones), |cell| {
        let (column, row) = to(cell as usize % WIDTH, cell as usize / WIDTH);
        image |= 1 << (row * WIDTH + column);
    });
    image
}

/// A threat to complete a line forces the reply, unless the side to move can complete a line
/// itself.
impl Tactics for TicTacToe {
    fn push_forcing_moves(&self, buffer: &mut Vec<u8>) {
        buffer.extend(self.forcing_move());
    }

    fn may_stand_pat(&self) -> bool {
        self.threatened_cell().is_none()
    }
}

impl TicTacToe {
    #[inline]
    pub(crate) fn forcing_move(&self) -> Option<u8> {
        if self.outcome.is_some() {
            return None;
        }
        self.winning_move().or_else(|| self.threatened_cell())
    }

    /// A cell on which the opponent threatens to win immediately.
    #[inline]
    fn threatened_cell(&self) -> Option<u8> {
        winning_cell(self.stones[(!self.to_move).index()], self.empty_cells())
    }
}

impl Notation for TicTacToe {
    fn move_text(&self, cell: u8) -> String {
        cell_text(usize::from(cell) % WIDTH, usize::from(cell) / WIDTH)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u8, &'t str), NotationError> {
        let ((column, row), rest) = read_cell(text, WIDTH, WIDTH)?;
        Ok(((row * WIDTH + column) as u8, rest))
    }
}

impl Draw for TicTacToe {
    fn diagram(&self) -> Diagram {
        Diagram::lettered(WIDTH, WIDTH, |column, row| {
            DiagramCell::mark(self.side_at((row * WIDTH + column) as u8))
        })
    }

    fn cells_of(&self, cell: u8) -> Vec<usize> {
        vec![self.cell(cell)]
    }
}

impl Reference for TicTacToe {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let won = |side: Side| {
            LINES
                .iter()
                .any(|line| (0..9).all(|c| line >> c & 1 == 0 || self.side_at(c) == Some(side)))
        };
        let full = (0..9).all(|cell| self.side_at(cell).is_some());
        Side::ALL
            .into_iter()
            .find(|&side| won(side))
            .map(Outcome::Win)
            .or(full.then_some(Outcome::Draw))
    }

    fn key_by_scan(&self) -> u64 {
        let bits =
            |side| (0..9).map(|c| u64::from(self.side_at(c) == Some(side)) << c).sum::<u64>();
        zobrist(bits(Side::First) << 9 | bits(Side::Second))
    }
}

impl RowPosition for TicTacToe {
    fn grid(&self) -> RowGrid {
        RowGrid { columns: WIDTH, rows: WIDTH, k: WIDTH, gravity: false }
    }

    #[inline]
    fn cell(&self, cell: u8) -> usize {
        upside_down(usize::from(cell))
    }

    #[inline]
    fn stone_at(&self, cell: usize) -> Option<Side> {
        self.side_at(upside_down(cell) as u8)
    }

    #[inline]
    fn move_to(&self, cell: usize) -> Option<u8> {
        let cell = upside_down(cell) as u8;
        self.is_legal(cell).then_some(cell)
    }
}

impl TicTacToe {
    /// Puts stones on the empty board, in any order. Cells are numbered as in [`RowPosition`]; the
    /// sides have alternated.
    pub(crate) fn set_up(&mut self, stones: &[(usize, Side)]) {
        self.to_move = if stones.len().is_multiple_of(2) { Side::First } else { Side::Second };
        for &(cell, side) in stones {
            self.stones[side.index()] |= 1 << upside_down(cell);
        }
        self.outcome = self.outcome_by_scan();
    }
}

/// Converts between cells of this board, whose rows are counted from the bottom, and those of
/// [`RowPosition`], counted from the top.
#[inline]
fn upside_down(cell: usize) -> usize {
    (WIDTH - 1 - cell / WIDTH) * WIDTH + cell % WIDTH
}

crate::capabilities!(TicTacToe: Heuristic, MoveOrder, Symmetry, Tactics, RowPosition, Reference);

/// The registry entry of tic-tac-toe.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "tictactoe",
        title: "Tic-tac-toe",
        summary: "Tic-tac-toe: three in a row on 3x3",
        rules: "The sides take turns to mark an empty cell. Three of your marks in a row, column or \
            diagonal win; a full board without such a row is a draw.",
        options: &[],
        presets: &[],
    },
    open,
};

fn open(spec: Spec) -> Result<State, SpecError> {
    spec.finish()?;
    Ok(State::new(TicTacToe::new()))
}
