//! The (m,n,k) games and their (m,n,k,p,q) generalisation (Wu and Huang, 2005): stones are placed on a
//! board of m columns and n rows, and k of them in a row win. Tic-tac-toe, Gomoku and Connect6 are members.
//!
//! This file has the rules, written once for any [`Board`]; the two boards have files of their own, because
//! small boards are solved and big ones are played, and no one layout is fast at both (see
//! [`bit_board`] and [`line_board`]).

pub mod bit_board;
pub mod line_board;
mod runs;

use std::ops::RangeInclusive;

use crate::bits::zobrist;
use crate::notation::{NotationError, cell_text, read_cell};
use crate::random::Rng;
use crate::registry::{Entry, GameInfo, Preset};
use crate::{
    Cell, Diagram, Draw, Grid, Heuristic, Look, MoveOrder, Notation, Outcome, Position, Reference,
    RowRule, Side, Spec, SpecError, State, Stones, Symmetry, Tactics,
};
use bit_board::BitBoard;
use line_board::LineBoard;

/// The longest side of a board.
pub const LONGEST_SIDE: usize = 20;

/// Which (m,n,k,p,q) game is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    width: u8,
    height: u8,
    k: u8,
    rule: RowRule,
    stones_per_turn: u16,
    stones_on_first_turn: u16,
}

impl Rules {
    /// `k` in a row on `width` columns and `height` rows, one stone a turn. `None` when the board has no
    /// cells or sides above [`LONGEST_SIDE`], or when `k` is 0 or no line is that long.
    pub fn new(width: usize, height: usize, k: usize) -> Option<Rules> {
        let side = 1..=LONGEST_SIDE;
        let possible = side.contains(&width) && side.contains(&height);
        (possible && (1..=width.max(height)).contains(&k)).then_some(Rules {
            width: width as u8,
            height: height as u8,
            k: k as u8,
            rule: RowRule::AtLeast,
            stones_per_turn: 1,
            stones_on_first_turn: 1,
        })
    }

    /// The same game with `p` stones a turn and `q` on the first one. `None` when either is 0.
    pub fn with_turns(self, p: u16, q: u16) -> Option<Rules> {
        let possible = p > 0 && q > 0;
        possible.then_some(Rules { stones_per_turn: p, stones_on_first_turn: q, ..self })
    }

    /// The same game, won by exactly `k` in a row: longer rows count for nothing.
    pub fn exactly(self) -> Rules {
        self.with_rule(RowRule::Exactly)
    }

    /// The same game, won by other rows. Where the first side may not play in renju is not for these
    /// rules to say.
    pub fn with_rule(self, rule: RowRule) -> Rules {
        Rules { rule, ..self }
    }

    /// Columns.
    #[inline]
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Rows.
    #[inline]
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// How many in a row win.
    #[inline]
    pub fn k(&self) -> u32 {
        u32::from(self.k)
    }

    /// Which rows of a side win.
    #[inline]
    pub fn row(&self, side: Side) -> RowRule {
        self.rule.of_side(side)
    }

    /// Stones a turn, and stones on the first turn: p and q.
    #[inline]
    pub fn turns(&self) -> (u16, u16) {
        (self.stones_per_turn, self.stones_on_first_turn)
    }

    /// Columns times rows.
    #[inline]
    pub fn cells(&self) -> usize {
        self.width() * self.height()
    }
}

/// Where the stones lie. A cell is the number `row << ROW_SHIFT | column`.
pub trait Board: Clone + Send + Sync + 'static {
    /// Rows are this power of two apart in the numbering of cells.
    const ROW_SHIFT: u32;

    /// No stones.
    fn empty(rules: &Rules) -> Self;

    /// Whether `cell`, any number at all, is a cell of the board without a stone.
    fn is_empty_cell(&self, cell: u16) -> bool;

    /// Whether a stone of `side` lies on this cell of the board.
    fn has_stone(&self, side: Side, cell: u16) -> bool;

    /// Puts a stone on an empty cell.
    fn place(&mut self, side: Side, cell: u16);

    /// Takes a stone away.
    fn remove(&mut self, side: Side, cell: u16);

    /// Whether the stone of `side` that was placed on `cell` last has won.
    fn has_run_through(&self, rules: &Rules, side: Side, cell: u16) -> bool;

    /// Calls `each` with every empty cell, row by row.
    fn for_each_empty_cell(&self, rules: &Rules, each: impl FnMut(u16));

    /// One of the `empty` empty cells, each as likely as any other. There must be one.
    fn random_empty_cell(&self, rules: &Rules, empty: u32, rng: &mut Rng) -> u16;

    /// An empty cell where a stone of `side` wins.
    fn completing_cell(&self, rules: &Rules, side: Side) -> Option<u16>;

    /// [`Heuristic::evaluate`] for the first side.
    fn window_balance(&self, rules: &Rules) -> i32;

    /// [`MoveOrder::promise`] of an empty cell for `side`.
    fn promise(&self, rules: &Rules, side: Side, cell: u16) -> i32;
}

/// A position of an (m,n,k,p,q) game.
#[derive(Clone, Debug)]
pub struct Mnk<B> {
    board: B,
    key: u64,
    rules: Rules,
    empty: u16,
    left_in_turn: u16,
    to_move: Side,
    outcome: Option<Outcome>,
}

/// What a stone changes besides the board.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    key: u64,
    left_in_turn: u16,
    to_move: Side,
}

/// The words of all cells and sides are independent; the stones say whose turn it is.
#[inline]
fn stone_key(side: Side, cell: u16) -> u64 {
    zobrist(u64::from(cell) << 1 | side as u64)
}

impl<B: Board> Mnk<B> {
    /// The empty board.
    ///
    /// # Panics
    /// When the board is too big for a [`BitBoard`] and `B` is one.
    pub fn new(rules: Rules) -> Self {
        Mnk {
            board: B::empty(&rules),
            key: 0,
            rules,
            empty: rules.cells() as u16,
            left_in_turn: rules.stones_on_first_turn,
            to_move: Side::First,
            outcome: None,
        }
    }

    /// The game that is played.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where the stones lie.
    #[inline]
    pub fn board(&self) -> &B {
        &self.board
    }

    /// How many stones the side to move may still place before the turn passes.
    pub fn left_in_turn(&self) -> u16 {
        self.left_in_turn
    }

    /// Whose stone lies in a column and row, both counted from 0 at the lower left.
    pub fn side_at(&self, column: usize, row: usize) -> Option<Side> {
        let cell = Self::cell_at(column, row);
        Side::ALL.into_iter().find(|&side| self.board.has_stone(side, cell))
    }

    #[inline]
    fn cell_at(column: usize, row: usize) -> u16 {
        (row << B::ROW_SHIFT | column) as u16
    }

    /// Column and row of a move's cell, both counted from 0 at the lower left.
    #[inline]
    pub fn column_and_row(cell: u16) -> (usize, usize) {
        let cell = usize::from(cell);
        (cell & ((1 << B::ROW_SHIFT) - 1), cell >> B::ROW_SHIFT)
    }

    /// Calls `each` with the side, column and row of every stone.
    fn for_each_stone(&self, mut each: impl FnMut(Side, usize, usize)) {
        for row in 0..self.rules.height() {
            for column in 0..self.rules.width() {
                if let Some(side) = self.side_at(column, row) {
                    each(side, column, row);
                }
            }
        }
    }
}

impl<B: Board> Position for Mnk<B> {
    type Move = u16;
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
        self.key
    }

    #[inline]
    fn for_each_move(&self, each: impl FnMut(u16)) {
        if self.outcome.is_none() {
            self.board.for_each_empty_cell(&self.rules, each);
        }
    }

    #[inline]
    fn is_legal(&self, cell: u16) -> bool {
        self.outcome.is_none() && self.board.is_empty_cell(cell)
    }

    #[inline]
    fn play(&mut self, cell: u16) -> Undo {
        let side = self.to_move;
        let undo = Undo { key: self.key, left_in_turn: self.left_in_turn, to_move: side };
        self.board.place(side, cell);
        self.key ^= stone_key(side, cell);
        self.empty -= 1;
        if self.board.has_run_through(&self.rules, side, cell) {
            self.outcome = Some(Outcome::Win(side));
        } else if self.empty == 0 {
            self.outcome = Some(Outcome::Draw);
        }
        self.left_in_turn -= 1;
        if self.left_in_turn == 0 {
            self.left_in_turn = self.rules.stones_per_turn;
            self.to_move = !side;
        }
        undo
    }

    #[inline]
    fn undo(&mut self, cell: u16, undo: Undo) {
        self.board.remove(undo.to_move, cell);
        self.key = undo.key;
        self.empty += 1;
        self.outcome = None;
        self.left_in_turn = undo.left_in_turn;
        self.to_move = undo.to_move;
    }

    #[inline]
    fn move_index(&self, cell: u16) -> usize {
        let (column, row) = Self::column_and_row(cell);
        row * self.rules.width() + column
    }

    #[inline]
    fn move_indices(&self) -> usize {
        self.rules.cells()
    }

    #[inline]
    fn move_count(&self) -> usize {
        if self.outcome.is_none() { usize::from(self.empty) } else { 0 }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> u16 {
        self.board.random_empty_cell(&self.rules, u32::from(self.empty), rng)
    }

    #[inline]
    fn winning_move(&self) -> Option<u16> {
        if self.outcome.is_some() {
            return None;
        }
        self.board.completing_cell(&self.rules, self.to_move)
    }
}

/// Every window of k cells that only one side has entered counts for that side, about tenfold for each
/// further stone.
impl<B: Board> Heuristic for Mnk<B> {
    const NEARLY_EQUAL: i32 = 75;

    #[inline]
    fn evaluate(&self) -> i32 {
        let balance = self.board.window_balance(&self.rules);
        if self.to_move == Side::First { balance } else { -balance }
    }
}

impl<B: Board> MoveOrder for Mnk<B> {
    #[inline]
    fn promise(&self, cell: u16) -> i32 {
        self.board.promise(&self.rules, self.to_move, cell)
    }
}

/// The ways to lay a board on itself: mirrored left to right, upside down, and, for a square, across.
#[derive(Clone, Copy)]
struct Turn {
    mirrored: bool,
    upside_down: bool,
    across: bool,
}

impl Turn {
    fn all(rules: &Rules) -> impl Iterator<Item = Turn> + use<> {
        let count = if rules.width == rules.height { 8 } else { 4 };
        (0..count).map(|n| Turn {
            mirrored: n & 1 != 0,
            upside_down: n & 2 != 0,
            across: n & 4 != 0,
        })
    }

    fn apply(self, rules: &Rules, column: usize, row: usize) -> (usize, usize) {
        let column = if self.mirrored { rules.width() - 1 - column } else { column };
        let row = if self.upside_down { rules.height() - 1 - row } else { row };
        if self.across { (row, column) } else { (column, row) }
    }
}

impl<B: Board> Symmetry for Mnk<B> {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        for turn in Turn::all(&self.rules) {
            let mut image = Mnk { board: B::empty(&self.rules), key: 0, ..self.clone() };
            self.for_each_stone(|side, column, row| {
                let (column, row) = turn.apply(&self.rules, column, row);
                image.board.place(side, Self::cell_at(column, row));
                image.key ^= stone_key(side, Self::cell_at(column, row));
            });
            each(image);
        }
    }

    fn canonical_key(&self) -> u64 {
        let mut keys = [0; 8];
        self.for_each_stone(|side, column, row| {
            for (key, turn) in keys.iter_mut().zip(Turn::all(&self.rules)) {
                let (column, row) = turn.apply(&self.rules, column, row);
                *key ^= stone_key(side, Self::cell_at(column, row));
            }
        });
        let count = Turn::all(&self.rules).count();
        keys[..count].iter().copied().fold(u64::MAX, u64::min)
    }
}

/// A cell where the opponent would win must be taken, unless one wins first. With several stones a turn
/// there is more than one way to answer a threat, so only a win in one is called forcing there.
impl<B: Board> Tactics for Mnk<B> {
    fn push_forcing_moves(&self, buffer: &mut Vec<u16>) {
        buffer.extend(self.forcing_move());
    }

    fn may_stand_pat(&self) -> bool {
        self.threat_to_answer().is_none()
    }
}

impl<B: Board> Mnk<B> {
    #[inline]
    pub(crate) fn forcing_move(&self) -> Option<u16> {
        self.winning_move().or_else(|| self.threat_to_answer())
    }

    /// A cell that must be taken because the other side would win there.
    pub(super) fn threat_to_answer(&self) -> Option<u16> {
        if self.rules.stones_per_turn > 1 || self.outcome.is_some() {
            return None;
        }
        self.board.completing_cell(&self.rules, !self.to_move)
    }
}

impl<B: Board> Notation for Mnk<B> {
    fn move_text(&self, cell: u16) -> String {
        let (column, row) = Self::column_and_row(cell);
        cell_text(column, row)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u16, &'t str), NotationError> {
        let ((column, row), rest) = read_cell(text, self.rules.width(), self.rules.height())?;
        Ok((Self::cell_at(column, row), rest))
    }
}

impl<B: Board> Draw for Mnk<B> {
    fn diagram(&self) -> Diagram {
        Diagram::lettered(self.rules.width(), self.rules.height(), |column, row| {
            Cell::mark(self.side_at(column, row))
        })
    }

    fn cells_of(&self, cell: u16) -> Vec<usize> {
        vec![self.cell(cell)]
    }

    /// Small boards are drawn with a pencil, as everybody does.
    fn look(&self) -> Look {
        const SMALLEST_OF_WOOD: usize = 8;
        if self.rules.width().min(self.rules.height()) >= SMALLEST_OF_WOOD {
            Look::KAYA
        } else {
            Look::PAPER
        }
    }
}

impl<B: Board> Reference for Mnk<B> {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        let mut outcome = (self.empty == 0).then_some(Outcome::Draw);
        let mut stones = 0;
        self.for_each_stone(|side, column, row| {
            stones += 1;
            let directions = [(1, 0), (0, 1), (1, 1), (1, -1)];
            if directions.into_iter().any(|d| self.counts_as_win(side, column, row, d)) {
                outcome = Some(Outcome::Win(side));
            }
        });
        assert_eq!(stones + usize::from(self.empty), self.rules.cells());
        outcome
    }

    fn key_by_scan(&self) -> u64 {
        let mut key = 0;
        self.for_each_stone(|side, column, row| key ^= stone_key(side, Self::cell_at(column, row)));
        key
    }
}

impl<B: Board> Mnk<B> {
    /// Whether a winning run of `side` begins here: counted stone by stone, both ends looked at.
    fn counts_as_win(&self, side: Side, column: usize, row: usize, d: (isize, isize)) -> bool {
        let stone = |steps: isize| {
            let x = column.checked_add_signed(d.0 * steps).filter(|&x| x < self.rules.width())?;
            let y = row.checked_add_signed(d.1 * steps).filter(|&y| y < self.rules.height())?;
            self.side_at(x, y)
        };
        let length = (0..).take_while(|&steps| stone(steps) == Some(side)).count();
        let k = self.rules.k() as usize;
        let ends = [stone(-1), stone(length as isize)];
        let exactly = ends[0] != Some(side) && length == k;
        match self.rules.row(side) {
            RowRule::AtLeast => length >= k,
            RowRule::Exactly | RowRule::Renju => exactly,
            RowRule::Open => exactly && ends != [Some(!side); 2],
        }
    }
}

impl<B: Board> Stones for Mnk<B> {
    fn grid(&self) -> Grid {
        let Rules { width, height, k, .. } = self.rules;
        let [columns, rows, k] = [width, height, k].map(usize::from);
        Grid { columns, rows, k, gravity: false }
    }

    fn row_rule(&self) -> RowRule {
        self.rules.rule
    }

    fn turns(&self) -> (usize, usize) {
        let (p, q) = self.rules.turns();
        (usize::from(p), usize::from(q))
    }

    #[inline]
    fn cell(&self, cell: u16) -> usize {
        let (column, row) = Self::column_and_row(cell);
        Diagram::index(self.rules.width(), self.rules.height(), column, row)
    }

    #[inline]
    fn stone_at(&self, cell: usize) -> Option<Side> {
        let (column, row) = self.place_of(cell);
        self.side_at(column, row)
    }

    #[inline]
    fn move_to(&self, cell: usize) -> Option<u16> {
        let (column, row) = self.place_of(cell);
        Some(Self::cell_at(column, row)).filter(|&cell| self.is_legal(cell))
    }
}

impl<B: Board> Mnk<B> {
    /// Puts stones on the empty board, whatever the order in which they were played. Cells are those
    /// of [`Stones`]; each side has as many stones as the turns give it.
    pub(crate) fn set_up(&mut self, stones: &[(usize, Side)]) {
        for &(cell, side) in stones {
            let (column, row) = self.place_of(cell);
            let cell = Self::cell_at(column, row);
            self.board.place(side, cell);
            self.key ^= stone_key(side, cell);
            self.empty -= 1;
            self.left_in_turn -= 1;
            if self.left_in_turn == 0 {
                self.left_in_turn = self.rules.stones_per_turn;
                self.to_move = !self.to_move;
            }
        }
        self.outcome = self.outcome_by_scan();
    }

    /// Column and row of a cell that is counted from the top left.
    #[inline]
    fn place_of(&self, cell: usize) -> (usize, usize) {
        let width = self.rules.width();
        (cell % width, self.rules.height() - 1 - cell / width)
    }
}

crate::capabilities!(
    [B: Board] Mnk<B>: Heuristic, MoveOrder, Symmetry, Tactics, Stones, Reference
);

/// The registry's view of the (m,n,k,p,q) games.
pub const GAME: Entry = Entry {
    info: GameInfo {
        name: "mnk",
        title: "k in a row",
        summary: "k in a row on any board up to 20x20, p stones a turn",
        rules: "The sides take turns to put p stones on empty points, q on the very first turn. \
            Whoever first has k in a row, column or diagonal wins.",
        options: &[
            ("WIDTHxHEIGHT", "the board, sides from 1 to 20 (default 3x3)"),
            ("k", "how many in a row win (default 5, or the longer side where that is less)"),
            ("p", "stones a turn (default 1)"),
            ("q", "stones on the very first turn (default p)"),
            ("exact", "exactly k in a row win, longer rows do not (default off)"),
            ("caro", "the same, and not with a stone of the opponent at each end (default off)"),
        ],
        presets: &[
            Preset {
                name: "gomoku",
                stands_for: "mnk:15x15,k=5",
                title: "Gomoku",
                summary: "Gomoku, free style: five in a row on 15x15",
                rules: "The sides take turns to put a stone on an empty point; black begins. Five or \
                    more in a row, column or diagonal win.",
            },
            Preset {
                name: "caro",
                stands_for: "mnk:15x15,k=5,caro",
                title: "Caro",
                summary: "Caro: exactly five in a row on 15x15, not enclosed at both ends",
                rules: "As Gomoku, but exactly five in a row win, and only if no stone of the \
                    opponent stands at both ends.",
            },
            Preset {
                name: "connect6",
                stands_for: "mnk:19x19,k=6,p=2,q=1",
                title: "Connect6",
                summary: "Connect6: six in a row on 19x19, two stones a turn, one on the first",
                rules: "Black begins with one stone; then each side puts two stones a turn. Six or \
                    more in a row, column or diagonal win.",
            },
        ],
    },
    open,
};

fn open(mut spec: Spec) -> Result<State, SpecError> {
    let rules = read_rules(&mut spec)?;
    spec.finish()?;
    Ok(if BitBoard::fits(&rules) {
        State::new(Mnk::<BitBoard>::new(rules))
    } else {
        State::new(Mnk::<LineBoard>::new(rules))
    })
}

fn read_rules(spec: &mut Spec) -> Result<Rules, SpecError> {
    let size = spec.size()?.unwrap_or(vec![3, 3]);
    let sides = 1..=LONGEST_SIDE;
    let (width, height) = match size[..] {
        [width, height] if sides.contains(&width) && sides.contains(&height) => (width, height),
        _ => {
            let text: Vec<String> = size.iter().map(usize::to_string).collect();
            let expected = "WIDTHxHEIGHT with sides from 1 to 20, such as mnk:10x10,k=5";
            return Err(spec.bad_value("size", &text.join("x"), expected));
        }
    };
    let longest = width.max(height) as u64;
    let example = format!("on {width}x{height}, such as mnk:{width}x{height},k={longest}");
    let k = number(spec, "k", 1..=longest, &example)?.unwrap_or(longest.min(5));
    let stones = 1..=(LONGEST_SIDE * LONGEST_SIDE) as u64;
    let p = number(spec, "p", stones.clone(), "such as p=2")?.unwrap_or(1);
    let q = number(spec, "q", stones, "such as q=1")?.unwrap_or(p);
    let exact = spec.switch("exact")?.unwrap_or(false);
    let caro = spec.switch("caro")?.unwrap_or(false);
    let rule = match (caro, exact) {
        (true, _) => RowRule::Open,
        (false, true) => RowRule::Exactly,
        (false, false) => RowRule::AtLeast,
    };
    let rules = Rules::new(width, height, k as usize)
        .and_then(|rules| rules.with_turns(p as u16, q as u16))
        .ok_or_else(|| spec.bad_value("size", &format!("{width}x{height}"), &example))?;
    Ok(rules.with_rule(rule))
}

/// [`Spec::number`] with an example in the message.
fn number(
    spec: &mut Spec,
    key: &'static str,
    range: RangeInclusive<u64>,
    example: &str,
) -> Result<Option<u64>, SpecError> {
    let expected = format!("a whole number from {} to {} {example}", range.start(), range.end());
    match spec.value::<u64>(key, &expected)? {
        Some(n) if !range.contains(&n) => Err(spec.bad_value(key, &n.to_string(), &expected)),
        n => Ok(n),
    }
}
