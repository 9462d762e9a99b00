//! Othello on 8x8, 6x6 and 4x4. Black moves first and is shown as X. A side that cannot place a
//! disc must pass (`--`); when neither side can, the game ends and the side with more discs wins.

use crate::bits::{for_each_bit, mix, nth_set_bit, zobrist};
use crate::notation::{GameLine, NotationError, cell_text, column_letter, read_cell};
use crate::random::{Rng, below};
use crate::registry::{GameEntry, GameInfo};
use crate::{
    BoardStyle, Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Notation, Outcome, Position,
    Reference, Side, Spec, SpecError, State, Symmetry,
};

/// A position on an `N`×`N` board, in the upper left corner of an 8×8 frame: bit `8 * row +
/// column`, where a1 is bit 0 and row 1 is at the top, as is usual for Othello.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Othello<const N: usize> {
    /// Discs of the side to move.
    own: u64,
    /// Discs of the other side.
    other: u64,
    /// Where the side to move may place a disc. An empty set means a pass or the end of the game.
    placements: u64,
    to_move: Side,
    outcome: Option<Outcome>,
}

/// The pass. Other moves are the bit numbers of cells.
pub const PASS: u8 = 64;

const FRAME: usize = 8;
/// Runs of discs to the left, right or diagonally stay within these columns; otherwise a shift by
/// one column would wrap into the next row. On smaller boards the empty rest of the frame has this
/// effect on the right.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// Half of the eight directions as shifts (south, east, southwest, southeast), with the opponent's
/// discs that can be flanked along them. The other half are the opposite shifts.
const SHIFTS: [u32; 4] = [8, 1, 7, 9];
const FLANKABLE: [u64; 4] = [u64::MAX, INNER_COLUMNS, INNER_COLUMNS, INNER_COLUMNS];

/// The runs of `path` bits next to `start` in one direction: a parallel prefix fill (Kogge and
/// Stone, 1973) of up to six cells in three steps. Callers keep four directions in an array, so
/// that the compiler puts them into one vector register.
macro_rules! runs {
    ($start:expr, $path:expr, $shift:tt, $by:expr) => {{
        let (path, by) = ($path, $by);
        let mut run = path & ($start $shift by);
        run |= path & (run $shift by);
        let path = path & (path $shift by);
        run |= path & (run $shift (2 * by));
        run |= path & (run $shift (2 * by));
        run
    }};
}

/// The cells, empty or not, behind a run of `other` discs that starts next to an `own` disc.
#[inline]
fn flanking(own: u64, other: u64) -> u64 {
    let mut cells = [0; 4];
    for (i, cell) in cells.iter_mut().enumerate() {
        let (by, path) = (SHIFTS[i], other & FLANKABLE[i]);
        *cell = (runs!(own, path, <<, by) << by) | (runs!(own, path, >>, by) >> by);
    }
    cells[0] | cells[1] | cells[2] | cells[3]
}

/// The discs that are flipped when `own` gets a disc on `placed`. Not inlined, because the compiler
/// does not vectorize it then: random games were 12 % slower.
#[inline(never)]
fn flips(placed: u64, own: u64, other: u64) -> u64 {
    let mut flipped = [0; 4];
    for (i, discs) in flipped.iter_mut().enumerate() {
        let (by, path) = (SHIFTS[i], other & FLANKABLE[i]);
        let (up, down) = (runs!(placed, path, <<, by), runs!(placed, path, >>, by));
        let up = if (up << by) & own != 0 { up } else { 0 };
        let down = if (down >> by) & own != 0 { down } else { 0 };
        *discs = up | down;
    }
    flipped[0] | flipped[1] | flipped[2] | flipped[3]
}

impl<const N: usize> Othello<N> {
    const BOARD: u64 = {
        assert!(N == 4 || N == 6 || N == 8, "Othello is played on 4x4, 6x6 or 8x8");
        let row = (1u64 << N) - 1;
        let mut board = 0;
        let mut y = 0;
        while y < N {
            board |= row << (FRAME * y);
            y += 1;
        }
        board
    };
    const CORNERS: [u32; 4] =
        [0, N as u32 - 1, (FRAME * (N - 1)) as u32, ((FRAME + 1) * (N - 1)) as u32];

    /// The start position: white on d4 and e5, black on e4 and d5 (on the 8×8 board), black to
    /// move.
    pub fn new() -> Self {
        let half = N / 2;
        let cell = |column: usize, row: usize| 1u64 << (FRAME * row + column);
        let black = cell(half, half - 1) | cell(half - 1, half);
        let white = cell(half - 1, half - 1) | cell(half, half);
        Self::from_discs(black, white, Side::First)
    }

    fn from_discs(own: u64, other: u64, to_move: Side) -> Self {
        let mut position = Othello { own, other, placements: 0, to_move, outcome: None };
        position.look_for_moves();
        position
    }

    #[inline]
    fn empty(&self) -> u64 {
        Self::BOARD & !(self.own | self.other)
    }

    /// Updates placements and outcome from the discs.
    #[inline]
    fn look_for_moves(&mut self) {
        let empty = self.empty();
        self.placements = flanking(self.own, self.other) & empty;
        if self.placements == 0 && flanking(self.other, self.own) & empty == 0 {
            self.outcome = Some(self.majority());
        }
    }

    #[cold]
    fn majority(&self) -> Outcome {
        match self.own.count_ones().cmp(&self.other.count_ones()) {
            std::cmp::Ordering::Greater => Outcome::Win(self.to_move),
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Less => Outcome::Win(!self.to_move),
        }
    }

    /// The discs of a side.
    #[inline]
    pub fn discs(&self, side: Side) -> u64 {
        if side == self.to_move { self.own } else { self.other }
    }

    fn side_at(&self, column: usize, row: usize) -> Option<Side> {
        let bit = 1 << (FRAME * row + column);
        Side::ALL.into_iter().find(|&side| self.discs(side) & bit != 0)
    }

    /// The column and row of a cell's bit number.
    fn place(cell: u8) -> (usize, usize) {
        (usize::from(cell) % FRAME, usize::from(cell) / FRAME)
    }
}

impl<const N: usize> Default for Othello<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn key_of(own: u64, other: u64, to_move: Side) -> u64 {
    mix(zobrist(own) ^ other) ^ zobrist(to_move.index() as u64)
}

impl<const N: usize> Position for Othello<N> {
    type Move = u8;
    /// The position before the move: four words, so a copy is cheap.
    type Undo = Self;

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
        key_of(self.own, self.other, self.to_move)
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(u8)) {
        if self.placements != 0 {
            for_each_bit(self.placements, |cell| each(cell as u8));
        } else if self.outcome.is_none() {
            each(PASS);
        }
    }

    #[inline]
    fn is_legal(&self, m: u8) -> bool {
        match m {
            PASS => self.placements == 0 && self.outcome.is_none(),
            cell => cell < PASS && self.placements >> cell & 1 != 0,
        }
    }

    #[inline]
    fn play(&mut self, m: u8) -> Self {
        let before = *self;
        if m != PASS {
            let placed = 1u64 << m;
            let flipped = flips(placed, self.own, self.other);
            self.own |= placed | flipped;
            self.other &= !flipped;
        }
        std::mem::swap(&mut self.own, &mut self.other);
        self.to_move = !self.to_move;
        self.look_for_moves();
        before
    }

    #[inline]
    fn undo(&mut self, _: u8, before: Self) {
        *self = before;
    }

    #[inline]
    fn move_index(&self, m: u8) -> usize {
        if m == PASS {
            return N * N;
        }
        let (column, row) = Self::place(m);
        N * row + column
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        N * N + 1
    }

    #[inline]
    fn move_count(&self) -> usize {
        match self.placements.count_ones() as usize {
            0 => usize::from(self.outcome.is_none()),
            count => count,
        }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> u8 {
        match self.placements.count_ones() {
            0 => PASS,
            count => nth_set_bit(self.placements, below(rng, count)).trailing_zeros() as u8,
        }
    }
}

/// A corner and the cells next to it: the diagonal one (X) and the two on the edges (C). While the
/// corner is empty, a disc on them gives the opponent access to it.
struct CornerCells {
    corner: u64,
    x: u64,
    c: u64,
}

impl<const N: usize> Othello<N> {
    fn corners() -> impl Iterator<Item = CornerCells> {
        Self::CORNERS.into_iter().map(|cell| {
            let corner = 1u64 << cell;
            let sideways = (corner << 1 | corner >> 1) & Self::BOARD & neighbors(corner);
            let x = (sideways << FRAME | sideways >> FRAME) & Self::BOARD;
            let c = (neighbors(corner) & Self::BOARD) & !x;
            CornerCells { corner, x, c }
        })
    }
}

/// The neighbors of a set of cells within the frame.
#[inline]
fn neighbors(cells: u64) -> u64 {
    const NOT_LEFT: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_RIGHT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = cells | (cells << 1 & NOT_LEFT) | (cells >> 1 & NOT_RIGHT);
    (row | row << FRAME | row >> FRAME) & !cells
}

const CORNER: i32 = 80;
const X_CELL: i32 = -40;
const C_CELL: i32 = -15;
const PLACEMENT: i32 = 10;
const FRONTIER: i32 = 4;
/// Discs count when fewer cells than this are empty, with a weight that grows toward the end.
const ENDGAME: i32 = 12;

/// Corners cannot be flipped, so they count most, and discs that give access to an empty corner
/// count against their owner. Before the endgame the number of discs does not matter: more
/// placements than the opponent (mobility) are good, and so are fewer discs next to empty cells
/// (the frontier, which is the opponent's future mobility). In the last moves the discs decide.
/// (Features as in Rosenbloom, 1982, with other weights.)
impl<const N: usize> Heuristic for Othello<N> {
    const NEARLY_EQUAL: i32 = 3;

    fn evaluate(&self) -> i32 {
        let empty = self.empty();
        let balance = |cells: u64| count(self.own & cells) - count(self.other & cells);
        let replies = flanking(self.other, self.own) & empty;
        let mut value = PLACEMENT * (count(self.placements) - count(replies));
        value -= FRONTIER * balance(neighbors(empty));
        for CornerCells { corner, x, c } in Self::corners() {
            value += if empty & corner == 0 {
                CORNER * balance(corner)
            } else {
                X_CELL * balance(x) + C_CELL * balance(c)
            };
        }
        value + (ENDGAME - count(empty)).max(0) * balance(u64::MAX)
    }
}

#[inline]
fn count(cells: u64) -> i32 {
    cells.count_ones() as i32
}

/// Corners first, then edges; the cells next to an empty corner last.
impl<const N: usize> MoveOrder for Othello<N> {
    #[inline]
    fn move_score(&self, m: u8) -> i32 {
        if m == PASS {
            return 0;
        }
        let (placed, empty) = (1u64 << m, self.empty());
        for CornerCells { corner, x, c } in Self::corners() {
            match () {
                _ if placed == corner => return 4,
                _ if empty & corner == 0 => {}
                _ if placed == x => return -2,
                _ if placed & c != 0 => return -1,
                _ => {}
            }
        }
        let (column, row) = Self::place(m);
        i32::from([column, row].iter().any(|&line| line == 0 || line == N - 1))
    }
}

impl<const N: usize> Symmetry for Othello<N> {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        let mut image = *self;
        for _ in 0..4 {
            image = image.mapped(Self::upside_down);
            each(image);
            image = image.mapped(transposed);
            each(image);
        }
    }
}

impl<const N: usize> Othello<N> {
    fn mapped(&self, map: impl Fn(u64) -> u64) -> Self {
        let (own, other, placements) = (map(self.own), map(self.other), map(self.placements));
        Othello { own, other, placements, ..*self }
    }

    fn upside_down(cells: u64) -> u64 {
        cells.swap_bytes() >> (FRAME * (FRAME - N))
    }
}

/// Rows become columns: swaps bits, then pairs, then quads across the diagonal.
fn transposed(cells: u64) -> u64 {
    let swap = |cells: u64, mask: u64, by: u32| {
        let changed = (cells ^ cells >> by) & mask;
        cells ^ changed ^ changed << by
    };
    let cells = swap(cells, 0x00aa_00aa_00aa_00aa, 7);
    let cells = swap(cells, 0x0000_cccc_0000_cccc, 14);
    swap(cells, 0x0000_0000_f0f0_f0f0, 28)
}

/// Cells are written as `f5` and a pass as `--`; `pass` is accepted as well. Lines without passes,
/// as in published games, are accepted.
impl<const N: usize> Notation for Othello<N> {
    fn move_text(&self, m: u8) -> String {
        let (column, row) = Self::place(m);
        if m == PASS { "--".to_string() } else { cell_text(column, row) }
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u8, &'t str), NotationError> {
        if let Some(rest) = after_pass(text) {
            return Ok((PASS, rest));
        }
        let ((column, row), rest) = read_cell(text, N, N)?;
        Ok(((FRAME * row + column) as u8, rest))
    }

    fn parse_line(&self, text: &str) -> Result<GameLine<Self>, NotationError> {
        let separator = |c: char| c.is_whitespace() || c == ',';
        let mut line = GameLine::new(*self);
        let mut rest = text.trim_start_matches(separator);
        while !rest.is_empty() {
            let (m, after) = line.end.read_move(rest)?;
            if m != PASS && line.end.is_legal(PASS) {
                line.end.play(PASS);
                line.moves.push(PASS);
            }
            let word = &rest[..rest.len() - after.len()];
            line.play(m).map_err(|why| NotationError::refused(word, why))?;
            rest = after.trim_start_matches(separator);
        }
        Ok(line)
    }
}

fn after_pass(text: &str) -> Option<&str> {
    let word = text.get(..4).filter(|word| word.eq_ignore_ascii_case("pass"));
    text.strip_prefix("--").or_else(|| word.map(|word| &text[word.len()..]))
}

impl<const N: usize> Draw for Othello<N> {
    fn diagram(&self) -> Diagram {
        Diagram {
            columns: (0..N).map(|column| column_letter(column).to_string()).collect(),
            rows: (1..=N).map(|row| row.to_string()).collect(),
            layers: vec![String::new()],
            layers_across: 1,
            cells: (0..N * N).map(|i| DiagramCell::mark(self.side_at(i % N, i / N))).collect(),
        }
    }

    fn cells_of(&self, m: u8) -> Vec<usize> {
        if m == PASS { Vec::new() } else { vec![self.move_index(m)] }
    }

    fn style(&self) -> BoardStyle {
        BoardStyle::FELT
    }
}

/// Checks the board disc by disc.
impl<const N: usize> Reference for Othello<N> {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        if Side::ALL.into_iter().any(|side| self.can_place_by_scan(side)) {
            return None;
        }
        let cells = || (0..N * N).map(|i| self.side_at(i % N, i / N));
        let discs = |side| cells().filter(|&at| at == Some(side)).count();
        Some(match discs(Side::First).cmp(&discs(Side::Second)) {
            std::cmp::Ordering::Greater => Outcome::Win(Side::First),
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Less => Outcome::Win(Side::Second),
        })
    }

    fn key_by_scan(&self) -> u64 {
        let bits = |side| {
            let at = |column, row| u64::from(self.side_at(column, row) == Some(side));
            (0..N * N).map(|i| at(i % N, i / N) << (FRAME * (i / N) + i % N)).sum::<u64>()
        };
        key_of(bits(self.to_move), bits(!self.to_move), self.to_move)
    }
}

impl<const N: usize> Othello<N> {
    fn can_place_by_scan(&self, side: Side) -> bool {
        let directions =
            || (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).filter(|&d| d != (0, 0));
        (0..N * N).any(|i| {
            self.side_at(i % N, i / N).is_none()
                && directions().any(|direction| self.flips_by_scan(side, i, direction) > 0)
        })
    }

    fn flips_by_scan(&self, side: Side, cell: usize, (dx, dy): (isize, isize)) -> usize {
        let on_board = |line: isize| (0..N as isize).contains(&line);
        let (mut x, mut y) = ((cell % N) as isize, (cell / N) as isize);
        let mut flipped = 0;
        loop {
            (x, y) = (x + dx, y + dy);
            if !on_board(x) || !on_board(y) {
                return 0;
            }
            match self.side_at(x as usize, y as usize) {
                None => return 0,
                Some(at) if at == side => return flipped,
                Some(_) => flipped += 1,
            }
        }
    }
}

crate::capabilities!([const N: usize] Othello<N>: Heuristic, MoveOrder, Symmetry, Reference);

/// The registry entry of Othello.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "othello",
        title: "Othello",
        summary: "Othello: flank discs to turn them; most discs win",
        rules: "Put a disc so that it encloses a line of the opponent's discs between itself and \
            another of yours; these turn over. A side that cannot, passes. When neither can, the \
            side with more discs wins.",
        options: &[("SIZE", "the board, 8x8, 6x6 or 4x4 (default 8x8)")],
        presets: &[],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let size = spec.size()?.unwrap_or(vec![FRAME, FRAME]);
    let wrong_size = || {
        let text: Vec<String> = size.iter().map(usize::to_string).collect();
        spec.bad_value("size", &text.join("x"), "8x8, 6x6 or 4x4")
    };
    match size[..] {
        [8, 8] => spec.finish().map(|()| State::new(Othello::<8>::new())),
        [6, 6] => spec.finish().map(|()| State::new(Othello::<6>::new())),
        [4, 4] => spec.finish().map(|()| State::new(Othello::<4>::new())),
        _ => Err(wrong_size()),
    }
}
