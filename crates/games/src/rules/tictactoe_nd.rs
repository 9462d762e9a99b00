//! Tic-tac-toe in two, three and four dimensions: Qubic (4x4x4) and its relatives. Whoever fills a line of
//! the cube's full side wins; the lines are generated, not listed.
//!
//! Each line keeps a count of the marks of both sides, so a move touches only the lines through its cell.

mod geometry;

use crate::bits::{for_each_bit, nth_set_bit};
use crate::notation::{NotationError, column_letter};
use crate::random::{Rng, below};
use crate::registry::{Entry, GameInfo, Preset};
use crate::{
    Cell, Diagram, Draw, Heuristic, MoveOrder, Notation, Outcome, Position, Reference, Side, Spec,
    SpecError, State, Symmetry, Tactics,
};
pub use geometry::{Geometry, MOST_CELLS};
use geometry::{from_digits, mark_key};

/// The most lines a board may have: those of 4x4x4x4.
pub const MOST_LINES: usize = 520;
/// Room for the lines of Qubic (76); a position without unused counters is copied faster.
pub const FEW_LINES: usize = 80;
/// The orders of four axes, times the ways to mirror them.
const MOST_SYMMETRIES: usize = 384;

/// A position with room for `LINES` lines: [`FEW_LINES`] or [`MOST_LINES`], as the board needs.
#[derive(Clone, Debug)]
pub struct TicTacToeNd<const LINES: usize> {
    geometry: &'static Geometry,
    empty: CellSet,
    marks: [CellSet; 2],
    /// How many marks of each side each line holds.
    counts: [[u8; LINES]; 2],
    key: u64,
    tally: Tally,
    empty_count: u16,
    to_move: Side,
    outcome: Option<Outcome>,
}

type CellSet = [u64; MOST_CELLS / 64];

/// What the lines add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Tally {
    /// The worth of all lines for the first side.
    balance: i32,
    /// Lines in which a side has all marks but one, and the other none.
    threats: [u16; 2],
}

/// What a mark changes besides the counts.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    key: u64,
    tally: Tally,
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
    /// When the board has more lines than there is room for.
    pub fn new(geometry: &'static Geometry) -> Self {
        assert!(geometry.lines.len() <= LINES, "{} lines in {LINES}", geometry.lines.len());
        let mut empty = [0; MOST_CELLS / 64];
        (0..geometry.cells).for_each(|cell| toggle(&mut empty, cell as u8));
        TicTacToeNd {
            geometry,
            empty,
            marks: [[0; MOST_CELLS / 64]; 2],
            counts: [[0; LINES]; 2],
            key: 0,
            tally: Tally { balance: 0, threats: [0; 2] },
            empty_count: geometry.cells as u16,
            to_move: Side::First,
            outcome: None,
        }
    }

    /// The board that is played on.
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// Whose mark stands in a cell.
    pub fn side_at(&self, cell: u8) -> Option<Side> {
        Side::ALL.into_iter().find(|side| contains(&self.marks[side.index()], cell))
    }

    /// Puts a mark of `side` and keeps counts, tally and key; true when it fills a line.
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
                self.tally.threats[me] += u16::from(mine + 1 == last);
                won |= mine == last;
            } else if mine == 0 {
                gain += geometry.value[theirs];
                self.tally.threats[other] -= u16::from(theirs == last);
            }
        }
        self.tally.balance += if side == Side::First { gain } else { -gain };
        self.key ^= mark_key(cell, me);
        toggle(&mut self.marks[me], cell);
        toggle(&mut self.empty, cell);
        won
    }

    /// The empty cell of a line in which `side` lacks just that one.
    #[inline]
    fn completing_cell(&self, side: Side) -> Option<u8> {
        if self.tally.threats[side.index()] == 0 || self.outcome.is_some() {
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
    type Undo = Undo;
    const WIN_DETECTION: bool = true;

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
        // The marks say whose turn it is.
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
    fn play(&mut self, cell: u8) -> Undo {
        let undo = Undo { key: self.key, tally: self.tally };
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
    fn undo(&mut self, cell: u8, undo: Undo) {
        self.to_move = !self.to_move;
        let me = self.to_move.index();
        for &line in self.geometry.lines_through(cell) {
            self.counts[me][usize::from(line)] -= 1;
        }
        toggle(&mut self.marks[me], cell);
        toggle(&mut self.empty, cell);
        self.empty_count += 1;
        self.outcome = None;
        (self.key, self.tally) = (undo.key, undo.tally);
    }

    #[inline]
    fn move_index(&self, cell: u8) -> usize {
        usize::from(cell)
    }

    #[inline]
    fn move_indices(&self) -> usize {
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

/// Every line with marks of one side only counts for that side, eightfold for each further mark.
impl<const LINES: usize> Heuristic for TicTacToeNd<LINES> {
    #[inline]
    fn evaluate(&self) -> i32 {
        match self.to_move {
            Side::First => self.tally.balance,
            Side::Second => -self.tally.balance,
        }
    }
}

/// What the lines through the cell would gain, and what they would take from the other side.
impl<const LINES: usize> MoveOrder for TicTacToeNd<LINES> {
    #[inline]
    fn promise(&self, cell: u8) -> i32 {
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

    /// Without making the images: a row of keys for each mark, all images at once.
    fn canonical_key(&self) -> u64 {
        let mut keys = [0; MOST_SYMMETRIES];
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

/// A threat to complete a line must be answered (or one's own completed).
impl<const LINES: usize> Tactics for TicTacToeNd<LINES> {
    fn push_forcing_moves(&self, buffer: &mut Vec<u8>) {
        buffer.extend(self.winning_move().or_else(|| self.completing_cell(!self.to_move)));
    }

    fn may_stand_pat(&self) -> bool {
        self.completing_cell(!self.to_move).is_none()
    }
}

/// Letters and numbers in turn, one for each dimension: `b2`, `b2b`, `b2b2`.
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

/// A number from 1, as the place it stands for; as many figures as the longest number here has.
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
        let mut cells = vec![Cell::Empty; self.geometry.cells];
        for cell in 0..self.geometry.cells {
            cells[self.place_in_diagram(cell as u8)] = Cell::mark(self.side_at(cell as u8));
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
    /// Layers from the left, their rows from the top: number 1 is always lowest.
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

/// The registry's view of tic-tac-toe in several dimensions.
pub const GAME: Entry = Entry {
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
                rules: "Nine boards that are slices of a body of four dimensions. Three in a row \
                    along any of its axes or diagonals win.",
            },
        ],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let sides = spec.size()?.unwrap_or(vec![3, 3, 3]);
    let equal = sides.windows(2).all(|pair| pair[0] == pair[1]);
    let geometry = Geometry::get(sides[0], sides.len()).filter(|_| equal);
    let Some(geometry) = geometry else {
        let text: Vec<String> = sides.iter().map(usize::to_string).collect();
        let expected = "2 to 4 equal sides from 2 up and at most 256 cells, such as 4x4x4";
        return Err(spec.bad_value("size", &text.join("x"), expected));
    };
    spec.finish()?;
    Ok(if geometry.lines.len() <= FEW_LINES {
        State::new(TicTacToeNd::<FEW_LINES>::new(geometry))
    } else {
        State::new(TicTacToeNd::<MOST_LINES>::new(geometry))
    })
}
