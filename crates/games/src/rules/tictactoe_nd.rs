//! Tic-tac-toe in two, three and four dimensions, including Qubic (4x4x4). A side that fills a line
//! of the full length of the board wins. The lines are generated.
//!
//! The position counts the marks of both sides in each line, so a move updates only the lines
//! through its cell.

mod geometry;

use crate::bits::{for_each_bit, nth_set_bit};
use crate::notation::{NotationError, column_letter};
use crate::random::{Rng, below};
use crate::registry::{GameEntry, GameInfo, Preset};
use crate::{
    Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Notation, Outcome, Position, Reference, Side,
    Spec, SpecError, State, Symmetry, Tactics,
};
pub use geometry::{MAX_CELLS, NdGeometry};
use geometry::{from_digits, mark_key};

/// The maximum number of lines, that of 4x4x4x4.
pub const MAX_LINES: usize = 520;
/// Enough lines for Qubic (76). A position with fewer counters is copied faster.
pub const FEW_LINES: usize = 80;
/// The permutations of four axes, times the reflections.
const MAX_SYMMETRIES: usize = 384;

/// A position on a board of up to `LINES` lines: [`FEW_LINES`] or [`MAX_LINES`].
#[derive(Clone, Debug)]
pub struct TicTacToeNd<const LINES: usize> {
    geometry: &'static NdGeometry,
    empty: CellSet,
    marks: [CellSet; 2],
    /// The number of marks of each side in each line.
    counts: [[u8; LINES]; 2],
    key: u64,
    sums: LineSums,
    empty_count: u16,
    to_move: Side,
    outcome: Option<Outcome>,
}

type CellSet = [u64; MAX_CELLS / 64];

/// Sums over all lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LineSums {
    /// The value of all lines for the first side.
    balance: i32,
    /// For each side, the number of lines that lack only one mark and hold none of the other side.
    threats: [u16; 2],
}

/// The undo data of a move.
#[derive(Clone, Copy, Debug)]
pub struct NdUndo {
    key: u64,
    sums: LineSums,
}

#[inline]
fn contains(set: &CellSet, cell: u8) -> bool {
    set[usize::from(cell / 64)] >> (cell % 64) & 1 != 0
}

#[inline]
fn toggle(set: &mut CellSet, cell: u8) {
    set[usize::from(cell / 64)] ^= 1 << (cell % 64);
}

impl<const LINES: usize> TicTacToeNd<LINES> {
    /// The empty board.
    ///
    /// # Panics
    /// When the board has more than `LINES` lines.
    pub fn new(geometry: &'static NdGeometry) -> Self {
        assert!(geometry.lines.len() <= LINES, "{} lines in {LINES}", geometry.lines.len());
        let mut empty = [0; MAX_CELLS / 64];
        (0..geometry.cells).for_each(|cell| toggle(&mut empty, cell as u8));
        TicTacToeNd {
            geometry,
            empty,
            marks: [[0; MAX_CELLS / 64]; 2],
            counts: [[0; LINES]; 2],
            key: 0,
            sums: LineSums { balance: 0, threats: [0; 2] },
            empty_count: geometry.cells as u16,
            to_move: Side::First,
            outcome: None,
        }
    }

    /// The board's geometry.
    pub fn geometry(&self) -> &'static NdGeometry {
        self.geometry
    }

    /// The side whose mark is in a cell.
    pub fn side_at(&self, cell: u8) -> Option<Side> {
        Side::ALL.into_iter().find(|side| contains(&self.marks[side.index()], cell))
    }

    /// Puts a mark of `side` and updates counts, sums and key. Returns whether it completes a line.
    #[inline]
    fn mark(&mut self, side: Side, cell: u8) -> bool {
        let geometry = self.geometry;
        let (me, other) = (side.index(), (!side).index());
        let last = geometry.side - 1;
        let (mut gain, mut won) = (0, false);
        for &line in geometry.lines_through(cell) {
            let line = usize::from(line);
            let mine = usize::from(self.counts[me][line]);
            let theirs = usize::from(self.counts[other][line]);
            self.counts[me][line] += 1;
            if theirs == 0 {
                gain += geometry.value[mine + 1] - geometry.value[mine];
                self.sums.threats[me] += u16::from(mine + 1 == last);
                won |= mine == last;
            } else if mine == 0 {
                gain += geometry.value[theirs];
                self.sums.threats[other] -= u16::from(theirs == last);
            }
        }
        self.sums.balance += if side == Side::First { gain } else { -gain };
        self.key ^= mark_key(cell, me);
        toggle(&mut self.marks[me], cell);
        toggle(&mut self.empty, cell);
        won
    }

    /// An empty cell that completes a line for `side`.
    #[inline]
    fn completing_cell(&self, side: Side) -> Option<u8> {
        if self.sums.threats[side.index()] == 0 || self.outcome.is_some() {
            return None;
        }
        let last = self.geometry.side as u8 - 1;
        let [mine, theirs] = [&self.counts[side.index()], &self.counts[(!side).index()]];
        let lines = &self.geometry.lines;
        let line = (0..lines.len()).find(|&line| mine[line] == last && theirs[line] == 0)?;
        lines[line].iter().copied().find(|&cell| contains(&self.empty, cell))
    }
}

impl<const LINES: usize> Position for TicTacToeNd<LINES> {
    type Move = u8;
    type Undo = NdUndo;
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
        // The marks determine the side to move.
        self.key
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(u8)) {
        if self.outcome.is_none() {
            for (word, &cells) in self.empty.iter().enumerate() {
                for_each_bit(cells, |bit| each((word * 64) as u8 + bit as u8));
            }
        }
    }

    #[inline]
    fn is_legal(&self, cell: u8) -> bool {
        self.outcome.is_none() && contains(&self.empty, cell)
    }

    #[inline]
    fn play(&mut self, cell: u8) -> NdUndo {
        let undo = NdUndo { key: self.key, sums: self.sums };
        let won = self.mark(self.to_move, cell);
        self.empty_count -= 1;
        if won {
            self.outcome = Some(Outcome::Win(self.to_move));
        } else if self.empty_count == 0 {
            self.outcome = Some(Outcome::Draw);
        }
        self.to_move = !self.to_move;
        undo
    }

    #[inline]
    fn undo(&mut self, cell: u8, undo: NdUndo) {
        self.to_move = !self.to_move;
        let me = self.to_move.index();
        for &line in self.geometry.lines_through(cell) {
            self.counts[me][usize::from(line)] -= 1;
        }
        toggle(&mut self.marks[me], cell);
        toggle(&mut self.empty, cell);
        self.empty_count += 1;
        self.outcome = None;
        (self.key, self.sums) = (undo.key, undo.sums);
    }

    #[inline]
    fn move_index(&self, cell: u8) -> usize {
        usize::from(cell)
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        self.geometry.cells
    }

    #[inline]
    fn move_count(&self) -> usize {
        if self.outcome.is_none() { usize::from(self.empty_count) } else { 0 }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> u8 {
        let mut n = below(rng, u32::from(self.empty_count));
        let mut word = 0;
        loop {
            let here = self.empty[word].count_ones();
            if n < here {
                let bit = nth_set_bit(self.empty[word], n).trailing_zeros();
                return (word * 64) as u8 + bit as u8;
            }
            n -= here;
            word += 1;
        }
    }

    #[inline]
    fn winning_move(&self) -> Option<u8> {
        self.completing_cell(self.to_move)
    }
}

/// Every line with marks of only one side counts for that side, eight times as much for each
/// further mark.
impl<const LINES: usize> Heuristic for TicTacToeNd<LINES> {
    #[inline]
    fn evaluate(&self) -> i32 {
        match self.to_move {
            Side::First => self.sums.balance,
            Side::Second => -self.sums.balance,
        }
    }
}

/// The gain in the lines through the cell, and what it prevents for the other side.
impl<const LINES: usize> MoveOrder for TicTacToeNd<LINES> {
    #[inline]
    fn move_score(&self, cell: u8) -> i32 {
        let value = &self.geometry.value;
        let (me, other) = (self.to_move.index(), (!self.to_move).index());
        let of_line = |&line: &u16| {
            let line = usize::from(line);
            match (usize::from(self.counts[me][line]), usize::from(self.counts[other][line])) {
                (mine, 0) => 2 * value[mine + 1],
                (0, theirs) => value[theirs + 1],
                _ => 0,
            }
        };
        self.geometry.lines_through(cell).iter().map(of_line).sum()
    }
}

impl<const LINES: usize> Symmetry for TicTacToeNd<LINES> {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        for symmetry in &self.geometry.symmetries {
            let mut image = Self::new(self.geometry);
            for side in Side::ALL {
                for_each_cell(&self.marks[side.index()], |cell| {
                    image.mark(side, symmetry[usize::from(cell)]);
                });
            }
            image.empty_count = self.empty_count;
            (image.to_move, image.outcome) = (self.to_move, self.outcome);
            each(image);
        }
    }

    /// Computes the keys of all images at once, without the images, from the keys of each mark in
    /// each image.
    fn canonical_key(&self) -> u64 {
        let mut keys = [0; MAX_SYMMETRIES];
        for side in Side::ALL {
            for_each_cell(&self.marks[side.index()], |cell| {
                let row = &self.geometry.image_keys[2 * usize::from(cell) + side.index()];
                for (key, in_image) in keys.iter_mut().zip(row) {
                    *key ^= in_image;
                }
            });
        }
        keys[..self.geometry.symmetries.len()].iter().copied().fold(u64::MAX, u64::min)
    }
}

fn for_each_cell(set: &CellSet, mut each: impl FnMut(u8)) {
    for (word, &cells) in set.iter().enumerate() {
        for_each_bit(cells, |bit| each((word * 64) as u8 + bit as u8));
    }
}

/// A threat to complete a line forces the reply, unless the side to move can complete a line
/// itself.
impl<const LINES: usize> Tactics for TicTacToeNd<LINES> {
    fn push_forcing_moves(&self, buffer: &mut Vec<u8>) {
        buffer.extend(self.winning_move().or_else(|| self.completing_cell(!self.to_move)));
    }

    fn may_stand_pat(&self) -> bool {
        self.completing_cell(!self.to_move).is_none()
    }
}

/// Alternating letters and numbers, one for each dimension: `b2`, `b2b`, `b2b2`.
impl<const LINES: usize> Notation for TicTacToeNd<LINES> {
    fn move_text(&self, cell: u8) -> String {
        cell_name(&self.geometry.coordinates(cell)[..self.geometry.dimensions])
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u8, &'t str), NotationError> {
        let (side, dimensions) = (self.geometry.side, self.geometry.dimensions);
        let expected = || {
            let [first, last] = [0, side - 1].map(|digit| cell_name(&vec![digit; dimensions]));
            NotationError::malformed(
                text,
                format!("a cell from {first} to {last}, such as {first}"),
            )
        };
        let mut rest = text;
        let mut at = [0; 4];
        for (axis, place) in at.iter_mut().enumerate().take(dimensions) {
            let read = if axis % 2 == 0 { read_letter(rest) } else { read_number(rest, side) };
            (*place, rest) = read.filter(|(place, _)| *place < side).ok_or_else(expected)?;
        }
        Ok((from_digits(at.into_iter().take(dimensions), side) as u8, rest))
    }
}

fn cell_name(at: &[usize]) -> String {
    let name = |(axis, &place): (usize, &usize)| match axis % 2 {
        0 => column_letter(place).to_string(),
        _ => (place + 1).to_string(),
    };
    at.iter().enumerate().map(name).collect()
}

fn read_letter(text: &str) -> Option<(usize, &str)> {
    let letter = text.chars().next()?.to_ascii_lowercase();
    letter.is_ascii_lowercase().then(|| (letter as usize - 'a' as usize, &text[1..]))
}

/// Reads a number from 1 and returns it counted from 0; it has at most as many digits as `largest`.
fn read_number(text: &str, largest: usize) -> Option<(usize, &str)> {
    let most = if largest < 10 { 1 } else { 2 };
    let figures = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let number: usize = text[..figures].parse().ok()?;
    Some((number.checked_sub(1)?, &text[figures..]))
}

impl<const LINES: usize> Draw for TicTacToeNd<LINES> {
    fn diagram(&self) -> Diagram {
        let (side, dimensions) = (self.geometry.side, self.geometry.dimensions);
        let layers: Vec<String> = match dimensions {
            2 => vec![String::new()],
            3 => (0..side).map(|layer| cell_name(&[layer])).collect(),
            _ => (0..side * side).map(|n| cell_name(&[n % side, side - 1 - n / side])).collect(),
        };
        let mut cells = vec![DiagramCell::Empty; self.geometry.cells];
        for cell in 0..self.geometry.cells {
            cells[self.place_in_diagram(cell as u8)] = DiagramCell::mark(self.side_at(cell as u8));
        }
        Diagram {
            columns: (0..side).map(|column| column_letter(column).to_string()).collect(),
            rows: (1..=side).rev().map(|row| row.to_string()).collect(),
            layers,
            layers_across: if dimensions == 2 { 1 } else { side },
            cells,
        }
    }

    fn cells_of(&self, cell: u8) -> Vec<usize> {
        vec![self.place_in_diagram(cell)]
    }

    fn winning_cells(&self) -> Vec<usize> {
        let full = |line: &usize| {
            self.counts.iter().any(|counts| usize::from(counts[*line]) == self.geometry.side)
        };
        let lines = (0..self.geometry.lines.len()).filter(full);
        let mut cells: Vec<usize> = lines
            .flat_map(|line| self.geometry.lines[line].iter())
            .map(|&cell| self.place_in_diagram(cell))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

impl<const LINES: usize> TicTacToeNd<LINES> {
    /// The index of a cell in the diagram: layers from the left, rows from the top, number 1 always
    /// at the bottom.
    fn place_in_diagram(&self, cell: u8) -> usize {
        let side = self.geometry.side;
        let [column, row, layer, layer_row] = self.geometry.coordinates(cell);
        let layer = if self.geometry.dimensions == 4 {
            (side - 1 - layer_row) * side + layer
        } else {
            layer
        };
        (layer * side + side - 1 - row) * side + column
    }
}

impl<const LINES: usize> Reference for TicTacToeNd<LINES> {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let full_line = |side: Side| {
            let mine = |cell: &u8| self.side_at(*cell) == Some(side);
            self.geometry.lines.iter().any(|line| line.iter().all(mine))
        };
        let full = (0..self.geometry.cells).all(|cell| self.side_at(cell as u8).is_some());
        let winner = Side::ALL.into_iter().find(|&side| full_line(side));
        winner.map(Outcome::Win).or(full.then_some(Outcome::Draw))
    }

    fn key_by_scan(&self) -> u64 {
        (0..self.geometry.cells)
            .filter_map(|cell| Some((cell as u8, self.side_at(cell as u8)?)))
            .fold(0, |key, (cell, side)| key ^ mark_key(cell, side.index()))
    }
}

crate::capabilities!(
    [const LINES: usize] TicTacToeNd<LINES>: Heuristic, MoveOrder, Symmetry, Tactics, Reference
);

/// The registry entry of tic-tac-toe in several dimensions.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "tictactoe-nd",
        title: "Tic-tac-toe in space",
        summary: "Tic-tac-toe in 2 to 4 dimensions, a full line of the cube wins",
        rules: "The layers are slices of one cube. The sides take turns to mark an empty cell; a \
            full line from side to side wins, within a layer, straight through all of them or \
            slanting.",
        options: &[(
            "SIDExSIDE…",
            "the board, 2 to 4 equal sides and at most 256 cells (default 3x3x3)",
        )],
        presets: &[
            Preset {
                name: "tictactoe3d",
                stands_for: "tictactoe-nd:3x3x3",
                title: "Tic-tac-toe 3×3×3",
                summary: "Three in a row in three dimensions",
                rules: "Three layers of a cube. Three in a row win: within a layer, straight through \
                    all three or slanting.",
            },
            Preset {
                name: "qubic",
                stands_for: "tictactoe-nd:4x4x4",
                title: "Qubic",
                summary: "Qubic: four in a row in three dimensions",
                rules: "Four layers of a cube, 64 cells. Four in a row win: within a layer, straight \
                    through all four or slanting.",
            },
            Preset {
                name: "tictactoe4d",
                stands_for: "tictactoe-nd:3x3x3x3",
                title: "Tic-tac-toe 3×3×3×3",
                summary: "Three in a row in four dimensions",
                rules: "Nine boards that are slices of a four-dimensional cube. Three in a row \
                    along any of its axes or diagonals win.",
            },
        ],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let sides = spec.size()?.unwrap_or(vec![3, 3, 3]);
    let equal = sides.windows(2).all(|pair| pair[0] == pair[1]);
    let geometry = NdGeometry::get(sides[0], sides.len()).filter(|_| equal);
    let Some(geometry) = geometry else {
        let text: Vec<String> = sides.iter().map(usize::to_string).collect();
        let expected = "2 to 4 equal sides of at least 2 and at most 256 cells, such as 4x4x4";
        return Err(spec.bad_value("size", &text.join("x"), expected));
    };
    spec.finish()?;
    Ok(if geometry.lines.len() <= FEW_LINES {
        State::new(TicTacToeNd::<FEW_LINES>::new(geometry))
    } else {
        State::new(TicTacToeNd::<MAX_LINES>::new(geometry))
    })
}
