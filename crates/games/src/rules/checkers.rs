//! English draughts (American checkers) on 8x8. Dark has squares 1–12 and moves first.
//!
//! Captures are compulsory, any of them may be chosen, and a multiple jump is one move, played to its end;
//! the jumped pieces come off after the last jump and none is jumped twice. A man that reaches the king row
//! stops there. A side without a legal move has lost. The game is drawn, without anybody claiming it, when
//! a position occurs for the third time with the same side to move, or after 80 plies (`draw-plies`)
//! without a capture or a move of a man.

mod notation;

use crate::bits::{for_each_bit, nth_set_bit, zobrist};
use crate::random::{Rng, below};
use crate::registry::{Entry, GameInfo};
use crate::state::NotAMove;
use crate::{
    Cell, Diagram, Draw, Heuristic, Look, Material, MoveOrder, Outcome, Position, Reference, Side,
    Spec, SpecError, State, Tactics,
};

/// A position with what the draw rules need of the past.
#[derive(Clone, Debug)]
pub struct Checkers {
    board: Board,
    /// Keys of the positions in which kings moved without capturing; the last `quiet_plies` of them can
    /// still come back.
    history: Vec<u64>,
    draw_plies: u16,
}

/// Everything but the past. Bitboards have nine bits for each pair of rows: eight squares and one that
/// stays empty, so that a step is the same shift everywhere and steps over the edge lead nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// All pieces of each side.
    pieces: [u64; 2],
    /// The kings among them.
    kings: u64,
    key: u64,
    /// Plies since the last capture or man's move.
    quiet_plies: u16,
    must_jump: bool,
    to_move: Side,
    outcome: Option<Outcome>,
}

/// A move: where a piece starts, where it ends, and what it takes on the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// The square it leaves, counted from 0: square 1 is 0.
    pub from: u8,
    /// The square it arrives at, which a king's round trip may make the same.
    pub to: u8,
    /// The squares of the pieces it takes, one bit each.
    pub captured: u32,
}

impl From<Move> for u64 {
    fn from(m: Move) -> u64 {
        u64::from(m.captured) << 16 | u64::from(m.to) << 8 | u64::from(m.from)
    }
}

impl TryFrom<u64> for Move {
    type Error = NotAMove;
    fn try_from(number: u64) -> Result<Move, NotAMove> {
        let captured = u32::try_from(number >> 16).map_err(|_| NotAMove)?;
        Ok(Move { from: number as u8, to: (number >> 8) as u8, captured })
    }
}

/// Down-left, down-right, up-right, up-left as they are drawn, with square 1 at the top. Dark men go down.
const DIRECTIONS: [usize; 4] = [0, 1, 2, 3];
const PLAYABLE: u64 = unpacked(u32::MAX);
const FIRST_ROW: u64 = 0b1111;
const LAST_ROW: u64 = FIRST_ROW << 31;
/// Where the men of each side are crowned.
const KING_ROW: [u64; 2] = [LAST_ROW, FIRST_ROW];
const DRAW_PLIES: u16 = 80;

#[inline]
const fn step(squares: u64, direction: usize) -> u64 {
    match direction {
        0 => squares << 4,
        1 => squares << 5,
        2 => squares >> 4,
        _ => squares >> 5,
    }
}

#[inline]
const fn opposite(direction: usize) -> usize {
    direction ^ 2
}

/// The bit of a square counted from 0.
#[inline]
const fn bit_of(square: u8) -> u64 {
    1 << (square + square / 8)
}

/// The square, counted from 0, of the lowest bit.
#[inline]
const fn square_of(bit: u64) -> u8 {
    let place = bit.trailing_zeros() as u8;
    place - place / 9
}

/// The eight squares of a pair of rows, packed.
const fn byte(pair: u32) -> u64 {
    0xff << (8 * pair)
}

/// One bit for each square, without the empty ones in between.
#[inline]
const fn packed(bits: u64) -> u32 {
    (bits & byte(0) | bits >> 1 & byte(1) | bits >> 2 & byte(2) | bits >> 3 & byte(3)) as u32
}

#[inline]
const fn unpacked(squares: u32) -> u64 {
    let squares = squares as u64;
    squares & byte(0)
        | (squares & byte(1)) << 1
        | (squares & byte(2)) << 2
        | (squares & byte(3)) << 3
}

const SECOND_TO_MOVE: u64 = zobrist(u64::MAX / 2);

/// The key's word for each kind of piece (men and kings of the first side, then of the second) and bit.
static PIECE_KEYS: [[u64; 36]; 4] = {
    let mut keys = [[0; 36]; 4];
    let mut n = 0;
    while n < 4 * 36 {
        keys[n / 36][n % 36] = zobrist(n as u64);
        n += 1;
    }
    keys
};

#[inline]
fn piece_key(side: Side, is_king: bool, bit: u64) -> u64 {
    PIECE_KEYS[2 * side.index() + usize::from(is_king)][bit.trailing_zeros() as usize]
}

impl Checkers {
    /// The start.
    pub fn new() -> Self {
        let pieces = [unpacked(0x0000_0fff), unpacked(0xfff0_0000)];
        Checkers::from_board(Board::new(pieces, 0, Side::First), DRAW_PLIES)
    }

    fn from_board(board: Board, draw_plies: u16) -> Self {
        Checkers { board, history: Vec::new(), draw_plies }
    }

    /// This position with another number of quiet plies that make a draw, at least one.
    pub fn with_draw_plies(self, draw_plies: u16) -> Self {
        Checkers { draw_plies: draw_plies.max(1), ..self }
    }

    /// Whether the side to move has to capture.
    #[inline]
    pub fn must_jump(&self) -> bool {
        self.board.must_jump
    }

    /// Whether the position stood on the board twice before. Only every second position has the same
    /// side to move, and none can come back before four plies.
    #[inline]
    fn is_third_occurrence(&self) -> bool {
        let quiet = usize::from(self.board.quiet_plies);
        if quiet < 8 {
            return false;
        }
        let recent = &self.history[self.history.len() - quiet..];
        let earlier = recent.iter().rev().skip(3).step_by(2);
        earlier.filter(|&&key| key == self.board.key).count() >= 2
    }
}

impl Default for Checkers {
    fn default() -> Self {
        Self::new()
    }
}

impl Board {
    fn new(pieces: [u64; 2], kings: u64, to_move: Side) -> Self {
        let key = key_of(pieces, kings, to_move);
        let (quiet_plies, must_jump, outcome) = (0, false, None);
        let mut board = Board { pieces, kings, key, quiet_plies, must_jump, to_move, outcome };
        board.look_for_moves();
        board
    }

    #[inline]
    fn other(&self) -> u64 {
        self.pieces[(!self.to_move).index()]
    }

    #[inline]
    fn empty(&self) -> u64 {
        PLAYABLE & !(self.pieces[0] | self.pieces[1])
    }

    /// The pieces of a side that can go in a direction.
    #[inline]
    fn going(&self, side: Side, direction: usize) -> u64 {
        let forward = if direction / 2 == side.index() { u64::MAX } else { 0 };
        self.pieces[side.index()] & (self.kings | forward)
    }

    /// The squares that a side's pieces can step to in a direction.
    #[inline]
    fn steps(&self, side: Side, direction: usize) -> u64 {
        step(self.going(side, direction), direction) & self.empty()
    }

    /// The pieces that can begin a capture.
    #[inline]
    fn jumpers(&self) -> u64 {
        let (other, empty) = (self.other(), self.empty());
        let mut jumpers = 0;
        for direction in DIRECTIONS {
            let back = opposite(direction);
            let victims = other & step(empty, back);
            jumpers |= self.going(self.to_move, direction) & step(victims, back);
        }
        jumpers
    }

    #[inline]
    fn look_for_moves(&mut self) {
        self.must_jump = self.jumpers() != 0;
        let blocked =
            || DIRECTIONS.into_iter().all(|direction| self.steps(self.to_move, direction) == 0);
        if !self.must_jump && blocked() {
            self.outcome = Some(Outcome::Win(!self.to_move));
        }
    }

    /// Moves the piece, takes what it captures, crowns it. Returns whether there is a way back.
    #[inline]
    fn make(&mut self, m: Move) -> bool {
        let side = self.to_move;
        let (from, to) = (bit_of(m.from), bit_of(m.to));
        let was_king = self.kings & from != 0;
        let is_king = was_king || to & KING_ROW[side.index()] != 0;
        let own = &mut self.pieces[side.index()];
        *own = *own & !from | to;
        self.kings &= !from;
        if is_king {
            self.kings |= to;
        }
        self.key ^= piece_key(side, was_king, from) ^ piece_key(side, is_king, to);
        self.take(!side, unpacked(m.captured));
        self.to_move = !side;
        self.key ^= SECOND_TO_MOVE;
        was_king && m.captured == 0
    }

    #[inline]
    fn take(&mut self, side: Side, captured: u64) {
        for_each_bit(captured, |place| {
            let bit = 1 << place;
            self.key ^= piece_key(side, self.kings & bit != 0, bit);
        });
        self.pieces[side.index()] &= !captured;
        self.kings &= !captured;
    }
}

fn key_of(pieces: [u64; 2], kings: u64, to_move: Side) -> u64 {
    let mut key = if to_move == Side::Second { SECOND_TO_MOVE } else { 0 };
    for side in Side::ALL {
        for_each_bit(pieces[side.index()], |place| {
            let bit = 1 << place;
            key ^= piece_key(side, kings & bit != 0, bit);
        });
    }
    key
}

/// A capture in progress.
#[derive(Clone, Copy)]
struct Jump {
    from: u64,
    at: u64,
    is_king: bool,
    /// Pieces that may still be jumped.
    victims: u64,
    captured: u64,
    /// The directions so far, two bits each, the latest lowest.
    trail: u32,
}

impl Jump {
    fn begin(board: &Board, from: u64) -> Self {
        let is_king = board.kings & from != 0;
        Jump { from, at: from, is_king, victims: board.other(), captured: 0, trail: 0 }
    }

    /// The capture after one more jump, if it can be made.
    #[inline]
    fn onward(self, board: &Board, direction: usize) -> Option<Jump> {
        let may_go = self.is_king || direction / 2 == board.to_move.index();
        let victim = step(self.at, direction) & self.victims;
        let at = step(victim, direction) & (board.empty() | self.from);
        (may_go && at != 0).then_some(Jump {
            at,
            victims: self.victims & !victim,
            captured: self.captured | victim,
            trail: self.trail << 2 | direction as u32,
            ..self
        })
    }

    /// Calls `each` with every way to end this capture.
    fn for_each_end(self, board: &Board, each: &mut impl FnMut(Move)) {
        let crowned = !self.is_king && self.at & KING_ROW[board.to_move.index()] != 0;
        let mut ended = true;
        if !crowned {
            for direction in DIRECTIONS {
                if let Some(next) = self.onward(board, direction) {
                    ended = false;
                    next.for_each_end(board, each);
                }
            }
        }
        if ended && self.is_first_of_its_kind(board) {
            each(self.as_move());
        }
    }

    fn as_move(self) -> Move {
        let (from, to) = (square_of(self.from), square_of(self.at));
        Move { from, to, captured: packed(self.captured) }
    }

    /// Whether no earlier trail makes the same move. Two trails over the same pieces differ in the sense
    /// in which they run round a circle, which takes a king and at least four pieces.
    fn is_first_of_its_kind(self, board: &Board) -> bool {
        !self.is_king
            || self.captured.count_ones() < 4
            || Jump::first_trail(board, self.as_move()) == Some(self.trail)
    }

    /// The first trail from beginning to end of a capture.
    fn first_trail(board: &Board, m: Move) -> Option<u32> {
        let start = Jump { victims: unpacked(m.captured), ..Jump::begin(board, bit_of(m.from)) };
        start.first_trail_to(board, bit_of(m.to))
    }

    fn first_trail_to(self, board: &Board, to: u64) -> Option<u32> {
        if self.victims == 0 {
            return (self.at == to).then_some(self.trail);
        }
        DIRECTIONS
            .into_iter()
            .filter_map(|direction| self.onward(board, direction))
            .find_map(|next| next.first_trail_to(board, to))
    }
}

impl Position for Checkers {
    type Move = Move;
    /// The board before the move; the history only loses its last entry.
    type Undo = Board;

    const REPEATS: bool = true;

    #[inline]
    fn to_move(&self) -> Side {
        self.board.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }

    /// Pieces and side to move; neither the repetitions nor the quiet plies count.
    #[inline]
    fn key(&self) -> u64 {
        self.board.key
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(Move)) {
        let board = &self.board;
        if board.outcome.is_some() {
            return;
        }
        if board.must_jump {
            for_each_bit(board.jumpers(), |place| {
                Jump::begin(board, 1 << place).for_each_end(board, &mut each);
            });
            return;
        }
        for direction in DIRECTIONS {
            for_each_bit(board.steps(board.to_move, direction), |place| {
                each(step_to(1 << place, direction));
            });
        }
    }

    fn is_legal(&self, m: Move) -> bool {
        let mut found = false;
        self.for_each_move(|legal| found |= legal == m);
        found
    }

    #[inline]
    fn play(&mut self, m: Move) -> Board {
        let before = self.board;
        if self.board.make(m) {
            self.history.push(before.key);
            self.board.quiet_plies += 1;
        } else {
            self.board.quiet_plies = 0;
        }
        self.board.look_for_moves();
        let drawn = self.board.quiet_plies >= self.draw_plies || self.is_third_occurrence();
        if drawn && self.board.outcome.is_none() {
            self.board.outcome = Some(Outcome::Draw);
        }
        before
    }

    #[inline]
    fn undo(&mut self, _: Move, before: Board) {
        if self.board.quiet_plies > 0 {
            self.history.pop();
        }
        self.board = before;
    }

    #[inline]
    fn move_index(&self, m: Move) -> usize {
        32 * usize::from(m.from) + usize::from(m.to)
    }

    #[inline]
    fn move_indices(&self) -> usize {
        32 * 32
    }

    #[inline]
    fn move_count(&self) -> usize {
        let mut count = 0;
        if self.board.must_jump || self.board.outcome.is_some() {
            self.for_each_move(|_| count += 1);
        } else {
            let steps = |direction| self.board.steps(self.board.to_move, direction);
            count = DIRECTIONS.into_iter().map(|d| steps(d).count_ones() as usize).sum();
        }
        count
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Move {
        if self.board.must_jump { self.random_capture(rng) } else { self.random_step(rng) }
    }
}

/// The step that ends on `to`.
#[inline]
fn step_to(to: u64, direction: usize) -> Move {
    Move { from: square_of(step(to, opposite(direction))), to: square_of(to), captured: 0 }
}

impl Checkers {
    #[inline]
    fn random_step(&self, rng: &mut Rng) -> Move {
        let steps = DIRECTIONS.map(|direction| self.board.steps(self.board.to_move, direction));
        let mut wanted = below(rng, steps.iter().map(|to| to.count_ones()).sum());
        for (direction, &to) in steps.iter().enumerate() {
            let count = to.count_ones();
            if wanted < count {
                return step_to(nth_set_bit(to, wanted), direction);
            }
            wanted -= count;
        }
        unreachable!("random_move is asked of a position with legal moves")
    }

    /// Finding captures costs more than random numbers, so they are found once: the n-th replaces the
    /// choice so far with probability 1/n.
    fn random_capture(&self, rng: &mut Rng) -> Move {
        let (mut seen, mut chosen) = (0, None);
        self.for_each_move(|m| {
            seen += 1;
            if seen == 1 || below(rng, seen) == 0 {
                chosen = Some(m);
            }
        });
        chosen.expect("random_move is asked of a position with legal moves")
    }
}

const MAN: i32 = 100;
const KING: i32 = 150;
const ADVANCE: i32 = 3;
const HOME_GUARD: i32 = 8;
const CENTRE_KING: i32 = 6;
const STEP: i32 = 2;
/// Squares 10, 11, 14, 15, 18, 19, 22 and 23.
const CENTRE: u64 =
    unpacked(1 << 9 | 1 << 10 | 1 << 13 | 1 << 14 | 1 << 17 | 1 << 18 | 1 << 21 | 1 << 22);

/// Men and kings first. Then what leads to kings or prevents them: rows that men have advanced, and men
/// still at home, which keep the opponent's men from being crowned. Then freedom: kings in the centre and
/// the number of steps open to each side.
impl Heuristic for Checkers {
    fn evaluate(&self) -> i32 {
        let side = self.board.to_move;
        self.board.worth(side) - self.board.worth(!side)
    }
}

impl Board {
    fn worth(&self, side: Side) -> i32 {
        let pieces = self.pieces[side.index()];
        let (men, kings) = (pieces & !self.kings, pieces & self.kings);
        let steps: i32 = DIRECTIONS.into_iter().map(|d| count(self.steps(side, d))).sum();
        MAN * count(men)
            + KING * count(kings)
            + ADVANCE * rows_advanced(men, side)
            + HOME_GUARD * count(men & KING_ROW[(!side).index()])
            + CENTRE_KING * count(kings & CENTRE)
            + STEP * steps
    }
}

#[inline]
fn count(squares: u64) -> i32 {
    squares.count_ones() as i32
}

/// The rows that all men of a side have behind them, taken together.
fn rows_advanced(men: u64, side: Side) -> i32 {
    let men = packed(men);
    let down: i32 = (1..8).map(|row| (men >> (4 * row)).count_ones() as i32).sum();
    if side == Side::First { down } else { 7 * men.count_ones() as i32 - down }
}

/// The largest captures first, then men that are crowned, then other men, then kings.
impl MoveOrder for Checkers {
    #[inline]
    fn promise(&self, m: Move) -> i32 {
        let captured = unpacked(m.captured);
        let is_man = self.board.kings & bit_of(m.from) == 0;
        let crowned = is_man && bit_of(m.to) & KING_ROW[self.board.to_move.index()] != 0;
        4 * (count(captured) + count(captured & self.board.kings))
            + 2 * i32::from(crowned)
            + i32::from(is_man)
    }
}

/// Compulsory captures. Each takes a piece off, so they come to an end.
impl Tactics for Checkers {
    fn push_forcing_moves(&self, buffer: &mut Vec<Move>) {
        if self.board.must_jump {
            self.push_moves(buffer);
        }
    }

    fn may_stand_pat(&self) -> bool {
        !self.board.must_jump
    }
}

impl Board {
    fn piece_at(&self, square: u8) -> Option<(Side, bool)> {
        let bit = bit_of(square);
        let side = Side::ALL.into_iter().find(|side| self.pieces[side.index()] & bit != 0)?;
        Some((side, self.kings & bit != 0))
    }
}

/// Where a square stands on the full board: column and row from the top left.
fn place_of(square: u8) -> (usize, usize) {
    let (row, n) = (usize::from(square) / 4, usize::from(square) % 4);
    (2 * n + (row + 1) % 2, row)
}

/// The playable square at a column and row from the top left.
fn square_at(column: usize, row: usize) -> Option<u8> {
    let playable = column < 8 && row < 8 && (column + row) % 2 == 1;
    playable.then(|| (4 * row + column / 2) as u8)
}

/// Dark pieces are `b`, light ones `w`, kings capital. Rows are labelled with the squares they hold.
impl Draw for Checkers {
    fn diagram(&self) -> Diagram {
        let cell = |column, row| match square_at(column, row) {
            None => Cell::Unused,
            Some(square) => self.board.piece_at(square).map_or(Cell::Empty, piece_cell),
        };
        Diagram {
            columns: vec![" ".to_string(); 8],
            rows: (0..8).map(|row| format!("{}-{}", 4 * row + 1, 4 * row + 4)).collect(),
            layers: vec![String::new()],
            layers_across: 1,
            cells: (0..64).map(|i| cell(i % 8, i / 8)).collect(),
        }
    }

    fn cells_of(&self, m: Move) -> Vec<usize> {
        let captured = (0..32).filter(|square| m.captured >> square & 1 != 0);
        let squares = [m.from].into_iter().chain(captured).chain([m.to]);
        squares.map(place_of).map(|(column, row)| 8 * row + column).collect()
    }

    fn look(&self) -> Look {
        Look { material: Material::Squares, sides: ["dark", "light"], bottom: Some(Side::Second) }
    }
}

fn piece_cell((side, is_king): (Side, bool)) -> Cell {
    let symbol = match (side, is_king) {
        (Side::First, false) => 'b',
        (Side::First, true) => 'B',
        (Side::Second, false) => 'w',
        (Side::Second, true) => 'W',
    };
    Cell::Piece { side, symbol }
}

/// Looks at rows and columns instead of bits, and at the whole history.
impl Reference for Checkers {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        if !(0..32).any(|square| self.board.can_move_by_scan(square)) {
            return Some(Outcome::Win(!self.board.to_move));
        }
        let key = self.key_by_scan();
        let occurrences = 1 + self.history.iter().filter(|&&earlier| earlier == key).count();
        let drawn = occurrences >= 3 || self.board.quiet_plies >= self.draw_plies;
        drawn.then_some(Outcome::Draw)
    }

    fn key_by_scan(&self) -> u64 {
        let (mut pieces, mut kings) = ([0; 2], 0);
        for square in 0..32 {
            if let Some((side, is_king)) = self.board.piece_at(square) {
                pieces[side.index()] |= bit_of(square);
                kings |= if is_king { bit_of(square) } else { 0 };
            }
        }
        key_of(pieces, kings, self.board.to_move)
    }
}

impl Board {
    fn can_move_by_scan(&self, square: u8) -> bool {
        let (column, row) = place_of(square);
        let at = |dx: isize, dy: isize| {
            let (column, row) = (column.wrapping_add_signed(dx), row.wrapping_add_signed(dy));
            square_at(column, row).map(|square| self.piece_at(square))
        };
        let Some((side, is_king)) = self.piece_at(square) else { return false };
        let forward = if side == Side::First { 1 } else { -1 };
        let ways = [(-1, forward), (1, forward), (-1, -forward), (1, -forward)];
        let ways = &ways[..if is_king { 4 } else { 2 }];
        side == self.to_move
            && ways.iter().any(|&(dx, dy)| match at(dx, dy) {
                Some(None) => true,
                Some(Some((victim, _))) => victim != side && at(2 * dx, 2 * dy) == Some(None),
                None => false,
            })
    }
}

crate::capabilities!(Checkers: Heuristic, MoveOrder, Tactics, Reference);

/// The registry's view of checkers.
pub const GAME: Entry = Entry {
    info: GameInfo {
        name: "checkers",
        title: "Checkers",
        summary: "English draughts on 8x8: compulsory captures, short kings",
        rules: "English draughts. Men move and capture diagonally forwards, kings both ways, one \
            square at a time. You must capture if you can, and go on capturing with the same \
            piece. Who cannot move loses.",
        options: &[(
            "draw-plies",
            "plies without a capture or a man's move that make a draw, 80 by default",
        )],
        presets: &[],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let draw_plies = spec.number("draw-plies", 1..=1000)?;
    spec.finish()?;
    let draw_plies = draw_plies.map_or(DRAW_PLIES, |plies| plies as u16);
    Ok(State::new(Checkers::new().with_draw_plies(draw_plies)))
}
