//! English draughts (American checkers) on 8x8. Dark has squares 1–12 and moves first.
//!
//! Captures are compulsory, but any of them may be chosen. A multiple jump is one move and must be
//! completed; jumped pieces are removed after the last jump, and no piece is jumped twice. A man
//! that reaches the king row stops there. A side without a legal move loses. The game is drawn
//! automatically when a position occurs for the third time with the same side to move, or after 80
//! plies (`draw-plies`) without a capture or a move of a man.

mod notation;

use crate::bits::{for_each_bit, nth_set_bit, zobrist};
use crate::random::{Rng, below};
use crate::registry::{GameEntry, GameInfo};
use crate::state::InvalidMove;
use crate::{
    BoardMaterial, BoardStyle, Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Outcome, Position,
    Reference, Side, Spec, SpecError, State, Tactics,
};

/// A position with the history that the draw rules need.
#[derive(Clone, Debug)]
pub struct Checkers {
    board: CheckersBoard,
    /// Keys of the positions in which a king moved without capturing; only the last `quiet_plies`
    /// of them can recur.
    history: Vec<u64>,
    draw_plies: u16,
}

/// A position without its history. Bitboards have nine bits for each pair of rows: eight squares
/// and one bit that is always 0, so that a step is the same shift everywhere and steps over the
/// edge end on an unused bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckersBoard {
    /// All pieces of each side.
    pieces: [u64; 2],
    /// The kings among them.
    kings: u64,
    key: u64,
    /// Plies since the last capture or move of a man.
    quiet_plies: u16,
    must_jump: bool,
    to_move: Side,
    outcome: Option<Outcome>,
}

/// A move: the origin and target of a piece, and the pieces that it captures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CheckersMove {
    /// The origin, counted from 0: square 1 is 0.
    pub from: u8,
    /// The target. A king's circular jump ends on its origin.
    pub to: u8,
    /// The squares of the captured pieces, one bit each.
    pub captured: u32,
}

impl From<CheckersMove> for u64 {
    fn from(m: CheckersMove) -> u64 {
        u64::from(m.captured) << 16 | u64::from(m.to) << 8 | u64::from(m.from)
    }
}

impl TryFrom<u64> for CheckersMove {
    type Error = InvalidMove;
    fn try_from(number: u64) -> Result<CheckersMove, InvalidMove> {
        let captured = u32::try_from(number >> 16).map_err(|_| InvalidMove)?;
        Ok(CheckersMove { from: number as u8, to: (number >> 8) as u8, captured })
    }
}

/// Down-left, down-right, up-right and up-left in the diagram, with square 1 at the top. Dark men
/// move down.
const DIRECTIONS: [usize; 4] = [0, 1, 2, 3];
const PLAYABLE: u64 = unpacked(u32::MAX);
const FIRST_ROW: u64 = 0b1111;
const LAST_ROW: u64 = FIRST_ROW << 31;
/// The squares where the men of each side are crowned.
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

/// One bit for each square, without the unused bits.
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

/// The Zobrist key of each piece (men and kings of the first side, then of the second) on each bit.
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
    /// The start position.
    pub fn new() -> Self {
        let pieces = [unpacked(0x0000_0fff), unpacked(0xfff0_0000)];
        Checkers::from_board(CheckersBoard::new(pieces, 0, Side::First), DRAW_PLIES)
    }

    fn from_board(board: CheckersBoard, draw_plies: u16) -> Self {
        Checkers { board, history: Vec::new(), draw_plies }
    }

    /// This position with another number of quiet plies for a draw, at least one.
    pub fn with_draw_plies(self, draw_plies: u16) -> Self {
        Checkers { draw_plies: draw_plies.max(1), ..self }
    }

    /// Whether the side to move must capture.
    #[inline]
    pub fn must_jump(&self) -> bool {
        self.board.must_jump
    }

    /// Whether the position occurred twice before. Only every second position has the same side to
    /// move, and none can recur within four plies.
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

impl CheckersBoard {
    fn new(pieces: [u64; 2], kings: u64, to_move: Side) -> Self {
        let key = key_of(pieces, kings, to_move);
        let (quiet_plies, must_jump, outcome) = (0, false, None);
        let mut board =
            CheckersBoard { pieces, kings, key, quiet_plies, must_jump, to_move, outcome };
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

    /// The pieces of a side that can move in a direction.
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

    /// The pieces that can capture.
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

    /// Moves the piece, removes captured pieces and crowns a man. Returns whether the move is
    /// reversible.
    #[inline]
    fn make(&mut self, m: CheckersMove) -> bool {
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
    /// Pieces that have not been jumped.
    victims: u64,
    captured: u64,
    /// The directions so far, two bits each, the last one in the lowest bits.
    trail: u32,
}

impl Jump {
    fn begin(board: &CheckersBoard, from: u64) -> Self {
        let is_king = board.kings & from != 0;
        Jump { from, at: from, is_king, victims: board.other(), captured: 0, trail: 0 }
    }

    /// The capture after a further jump, if there is one.
    #[inline]
    fn jump(self, board: &CheckersBoard, direction: usize) -> Option<Jump> {
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

    /// Calls `each` with every completion of this capture.
    fn for_each_completion(self, board: &CheckersBoard, each: &mut impl FnMut(CheckersMove)) {
        let crowned = !self.is_king && self.at & KING_ROW[board.to_move.index()] != 0;
        let mut ended = true;
        if !crowned {
            for direction in DIRECTIONS {
                if let Some(next) = self.jump(board, direction) {
                    ended = false;
                    next.for_each_completion(board, each);
                }
            }
        }
        if ended && self.is_first_trail(board) {
            each(self.as_move());
        }
    }

    fn as_move(self) -> CheckersMove {
        let (from, to) = (square_of(self.from), square_of(self.at));
        CheckersMove { from, to, captured: packed(self.captured) }
    }

    /// Whether no earlier trail makes the same move. Different trails over the same pieces are the
    /// two directions around a circle, which needs a king and at least four pieces.
    fn is_first_trail(self, board: &CheckersBoard) -> bool {
        !self.is_king
            || self.captured.count_ones() < 4
            || Jump::first_trail(board, self.as_move()) == Some(self.trail)
    }

    /// The first trail of a capture.
    fn first_trail(board: &CheckersBoard, m: CheckersMove) -> Option<u32> {
        let start = Jump { victims: unpacked(m.captured), ..Jump::begin(board, bit_of(m.from)) };
        start.first_trail_to(board, bit_of(m.to))
    }

    fn first_trail_to(self, board: &CheckersBoard, to: u64) -> Option<u32> {
        if self.victims == 0 {
            return (self.at == to).then_some(self.trail);
        }
        DIRECTIONS
            .into_iter()
            .filter_map(|direction| self.jump(board, direction))
            .find_map(|next| next.first_trail_to(board, to))
    }
}

impl Position for Checkers {
    type Move = CheckersMove;
    /// The board before the move. In the history, only the last entry has to be removed.
    type Undo = CheckersBoard;

    const MAY_REPEAT: bool = true;

    #[inline]
    fn to_move(&self) -> Side {
        self.board.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }

    /// The key of pieces and side to move; it includes neither repetitions nor quiet plies.
    #[inline]
    fn key(&self) -> u64 {
        self.board.key
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(CheckersMove)) {
        let board = &self.board;
        if board.outcome.is_some() {
            return;
        }
        if board.must_jump {
            for_each_bit(board.jumpers(), |place| {
                Jump::begin(board, 1 << place).for_each_completion(board, &mut each);
            });
            return;
        }
        for direction in DIRECTIONS {
            for_each_bit(board.steps(board.to_move, direction), |place| {
                each(step_to(1 << place, direction));
            });
        }
    }

    fn is_legal(&self, m: CheckersMove) -> bool {
        let mut found = false;
        self.for_each_move(|legal| found |= legal == m);
        found
    }

    #[inline]
    fn play(&mut self, m: CheckersMove) -> CheckersBoard {
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
    fn undo(&mut self, _: CheckersMove, before: CheckersBoard) {
        if self.board.quiet_plies > 0 {
            self.history.pop();
        }
        self.board = before;
    }

    #[inline]
    fn move_index(&self, m: CheckersMove) -> usize {
        32 * usize::from(m.from) + usize::from(m.to)
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
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
    fn random_move(&self, rng: &mut Rng) -> CheckersMove {
        if self.board.must_jump { self.random_capture(rng) } else { self.random_step(rng) }
    }
}

/// The step that ends on `to`.
#[inline]
fn step_to(to: u64, direction: usize) -> CheckersMove {
    CheckersMove { from: square_of(step(to, opposite(direction))), to: square_of(to), captured: 0 }
}

impl Checkers {
    #[inline]
    fn random_step(&self, rng: &mut Rng) -> CheckersMove {
        let steps = DIRECTIONS.map(|direction| self.board.steps(self.board.to_move, direction));
        let mut wanted = below(rng, steps.iter().map(|to| to.count_ones()).sum());
        for (direction, &to) in steps.iter().enumerate() {
            let count = to.count_ones();
            if wanted < count {
                return step_to(nth_set_bit(to, wanted), direction);
            }
            wanted -= count;
        }
        unreachable!("random_move needs a position with legal moves")
    }

    /// Generating captures costs more than random numbers, so one pass suffices (reservoir
    /// sampling): the n-th capture replaces the current choice with probability 1/n.
    fn random_capture(&self, rng: &mut Rng) -> CheckersMove {
        let (mut seen, mut chosen) = (0, None);
        self.for_each_move(|m| {
            seen += 1;
            if seen == 1 || below(rng, seen) == 0 {
                chosen = Some(m);
            }
        });
        chosen.expect("random_move needs a position with legal moves")
    }
}

const MAN: i32 = 100;
const KING: i32 = 150;
const ADVANCE: i32 = 3;
const HOME_GUARD: i32 = 8;
const CENTER_KING: i32 = 6;
const STEP: i32 = 2;
/// Squares 10, 11, 14, 15, 18, 19, 22 and 23.
const CENTER: u64 =
    unpacked(1 << 9 | 1 << 10 | 1 << 13 | 1 << 14 | 1 << 17 | 1 << 18 | 1 << 21 | 1 << 22);

/// Men and kings count most. Then come the prospects of kings: rows that men have advanced, and men
/// on the home row, which prevent the opponent's men from being crowned. Then comes mobility: kings
/// in the center, and the number of steps of each side.
impl Heuristic for Checkers {
    fn evaluate(&self) -> i32 {
        let side = self.board.to_move;
        self.board.value(side) - self.board.value(!side)
    }
}

impl CheckersBoard {
    fn value(&self, side: Side) -> i32 {
        let pieces = self.pieces[side.index()];
        let (men, kings) = (pieces & !self.kings, pieces & self.kings);
        let steps: i32 = DIRECTIONS.into_iter().map(|d| count(self.steps(side, d))).sum();
        MAN * count(men)
            + KING * count(kings)
            + ADVANCE * rows_advanced(men, side)
            + HOME_GUARD * count(men & KING_ROW[(!side).index()])
            + CENTER_KING * count(kings & CENTER)
            + STEP * steps
    }
}

#[inline]
fn count(squares: u64) -> i32 {
    squares.count_ones() as i32
}

/// The sum of the rows that the men of a side have advanced.
fn rows_advanced(men: u64, side: Side) -> i32 {
    let men = packed(men);
    let down: i32 = (1..8).map(|row| (men >> (4 * row)).count_ones() as i32).sum();
    if side == Side::First { down } else { 7 * men.count_ones() as i32 - down }
}

/// The largest captures first, then moves that crown a man, then moves of other men, then moves of
/// kings.
impl MoveOrder for Checkers {
    #[inline]
    fn move_score(&self, m: CheckersMove) -> i32 {
        let captured = unpacked(m.captured);
        let is_man = self.board.kings & bit_of(m.from) == 0;
        let crowned = is_man && bit_of(m.to) & KING_ROW[self.board.to_move.index()] != 0;
        4 * (count(captured) + count(captured & self.board.kings))
            + 2 * i32::from(crowned)
            + i32::from(is_man)
    }
}

/// Compulsory captures. Each removes a piece, so sequences of them end.
impl Tactics for Checkers {
    fn push_forcing_moves(&self, buffer: &mut Vec<CheckersMove>) {
        if self.board.must_jump {
            self.push_moves(buffer);
        }
    }

    fn may_stand_pat(&self) -> bool {
        !self.board.must_jump
    }
}

impl CheckersBoard {
    fn piece_at(&self, square: u8) -> Option<(Side, bool)> {
        let bit = bit_of(square);
        let side = Side::ALL.into_iter().find(|side| self.pieces[side.index()] & bit != 0)?;
        Some((side, self.kings & bit != 0))
    }
}

/// Column and row of a square, from the top left.
fn place_of(square: u8) -> (usize, usize) {
    let (row, n) = (usize::from(square) / 4, usize::from(square) % 4);
    (2 * n + (row + 1) % 2, row)
}

/// The playable square at a column and row from the top left.
fn square_at(column: usize, row: usize) -> Option<u8> {
    let playable = column < 8 && row < 8 && (column + row) % 2 == 1;
    playable.then(|| (4 * row + column / 2) as u8)
}

/// Dark pieces are `b`, light pieces `w`, kings uppercase. Rows are labeled with their squares.
impl Draw for Checkers {
    fn diagram(&self) -> Diagram {
        let cell = |column, row| match square_at(column, row) {
            None => DiagramCell::Unused,
            Some(square) => self.board.piece_at(square).map_or(DiagramCell::Empty, piece_cell),
        };
        Diagram {
            columns: vec![" ".to_string(); 8],
            rows: (0..8).map(|row| format!("{}-{}", 4 * row + 1, 4 * row + 4)).collect(),
            layers: vec![String::new()],
            layers_across: 1,
            cells: (0..64).map(|i| cell(i % 8, i / 8)).collect(),
        }
    }

    fn cells_of(&self, m: CheckersMove) -> Vec<usize> {
        let captured = (0..32).filter(|square| m.captured >> square & 1 != 0);
        let squares = [m.from].into_iter().chain(captured).chain([m.to]);
        squares.map(place_of).map(|(column, row)| 8 * row + column).collect()
    }

    fn style(&self) -> BoardStyle {
        BoardStyle {
            material: BoardMaterial::Squares,
            sides: ["dark", "light"],
            bottom: Some(Side::Second),
        }
    }
}

fn piece_cell((side, is_king): (Side, bool)) -> DiagramCell {
    let symbol = match (side, is_king) {
        (Side::First, false) => 'b',
        (Side::First, true) => 'B',
        (Side::Second, false) => 'w',
        (Side::Second, true) => 'W',
    };
    DiagramCell::Piece { side, symbol }
}

/// Uses rows and columns instead of bits, and the whole history.
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

impl CheckersBoard {
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

/// The registry entry of checkers.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "checkers",
        title: "Checkers",
        summary: "English draughts on 8x8: compulsory captures, short kings",
        rules: "English draughts. Men move and capture diagonally forward, kings also backward, one \
            square at a time. You must capture if you can, and go on capturing with the same \
            piece. A side that cannot move loses.",
        options: &[(
            "draw-plies",
            "plies without a capture or a move of a man that end the game as a draw \
             (default 80)",
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
