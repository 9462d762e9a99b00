//! The (m,n,k) games and their generalization to (m,n,k,p,q) games (Wu and Huang, 2005): stones are
//! placed on a board of m columns and n rows, and k in a row win. Examples are tic-tac-toe, Gomoku
//! and Connect6.
//!
//! This file has the rules, generic over the [`MnkBoard`]. There are two boards, because no layout
//! is fast both for solving small boards and for playing on large ones (see [`bit_board`] and
//! [`line_board`]).

pub mod bit_board;
mod gravity;
pub mod line_board;
mod runs;

use std::ops::RangeInclusive;

use crate::bits::zobrist;
use crate::notation::{NotationError, cell_text, read_cell};
use crate::random::Rng;
use crate::registry::{GameEntry, GameInfo, Preset};
use crate::rules::connect4::Connect4Size;
use crate::{
    BoardStyle, Diagram, DiagramCell, Draw, Heuristic, MoveOrder, Notation, Outcome, Position,
    Reference, RowGrid, RowPosition, RowRule, Side, Spec, SpecError, State, Symmetry, Tactics,
};
use bit_board::BitBoard;
use line_board::LineBoard;

/// The maximum side of a board.
pub const MAX_SIDE: usize = 20;

/// The parameters of an (m,n,k,p,q) game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MnkRules {
    width: u8,
    height: u8,
    k: u8,
    gravity: bool,
    rule: RowRule,
    stones_per_turn: u16,
    stones_on_first_turn: u16,
}

impl MnkRules {
    /// `k` in a row on `width` columns and `height` rows, one stone per turn. `None` if a side is 0
    /// or longer than [`MAX_SIDE`], or if `k` is 0 or longer than both sides.
    pub fn new(width: usize, height: usize, k: usize) -> Option<MnkRules> {
        let side = 1..=MAX_SIDE;
        let possible = side.contains(&width) && side.contains(&height);
        (possible && (1..=width.max(height)).contains(&k)).then_some(MnkRules {
            width: width as u8,
            height: height as u8,
            k: k as u8,
            gravity: false,
            rule: RowRule::AtLeast,
            stones_per_turn: 1,
            stones_on_first_turn: 1,
        })
    }

    /// The same game with `p` stones per turn and `q` in the first turn. `None` if either is 0.
    pub fn with_turns(self, p: u16, q: u16) -> Option<MnkRules> {
        let possible = p > 0 && q > 0;
        possible.then_some(MnkRules { stones_per_turn: p, stones_on_first_turn: q, ..self })
    }

    /// The same game, but longer rows than `k` do not win.
    pub fn exactly(self) -> MnkRules {
        self.with_rule(RowRule::Exactly)
    }

    /// The same game with another rule for winning rows. The forbidden points of renju are not part
    /// of these rules.
    pub fn with_rule(self, rule: RowRule) -> MnkRules {
        MnkRules { rule, ..self }
    }

    /// The same game, but stones fall to the lowest empty cell of their column.
    pub fn with_gravity(self) -> MnkRules {
        MnkRules { gravity: true, ..self }
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

    /// The length of a winning row.
    #[inline]
    pub fn k(&self) -> u32 {
        u32::from(self.k)
    }

    /// Which rows win for a side.
    #[inline]
    pub fn row(&self, side: Side) -> RowRule {
        self.rule.of_side(side)
    }

    /// The number of stones in a turn and in the first turn: p and q.
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

/// The stones on a board. A cell is the number `row << ROW_SHIFT | column`.
pub trait MnkBoard: Clone + Send + Sync + 'static {
    /// The binary logarithm of the distance between rows.
    const ROW_SHIFT: u32;

    /// The empty board.
    fn empty(rules: &MnkRules) -> Self;

    /// Whether `cell` is an empty cell of the board; accepts any number.
    fn is_empty_cell(&self, cell: u16) -> bool;

    /// Whether a stone of `side` is on this cell of the board.
    fn has_stone(&self, side: Side, cell: u16) -> bool;

    /// Puts a stone on an empty cell.
    fn place(&mut self, side: Side, cell: u16);

    /// Removes a stone.
    fn remove(&mut self, side: Side, cell: u16);

    /// Whether the last stone, placed by `side` on `cell`, wins.
    fn has_run_through(&self, rules: &MnkRules, side: Side, cell: u16) -> bool;

    /// Calls `each` with every empty cell, row by row.
    fn for_each_empty_cell(&self, rules: &MnkRules, each: impl FnMut(u16));

    /// A uniformly random one of the `empty` empty cells, at least one.
    fn random_empty_cell(&self, rules: &MnkRules, empty: u32, rng: &mut Rng) -> u16;

    /// An empty cell where a stone of `side` wins.
    fn completing_cell(&self, rules: &MnkRules, side: Side) -> Option<u16>;

    /// [`Heuristic::evaluate`] for the first side.
    fn window_balance(&self, rules: &MnkRules) -> i32;

    /// [`MoveOrder::move_score`] of an empty cell for `side`.
    fn move_score(&self, rules: &MnkRules, side: Side, cell: u16) -> i32;
}

/// A position of an (m,n,k,p,q) game.
#[derive(Clone, Debug)]
pub struct Mnk<B> {
    board: B,
    key: u64,
    rules: MnkRules,
    empty: u16,
    left_in_turn: u16,
    to_move: Side,
    outcome: Option<Outcome>,
}

/// The undo data of a move.
#[derive(Clone, Copy, Debug)]
pub struct MnkUndo {
    key: u64,
    left_in_turn: u16,
    to_move: Side,
}

/// The key of a stone. The stones determine the side to move.
#[inline]
fn stone_key(side: Side, cell: u16) -> u64 {
    zobrist(u64::from(cell) << 1 | side as u64)
}

impl<B: MnkBoard> Mnk<B> {
    /// The empty board.
    ///
    /// # Panics
    /// When the board is too large for `B`.
    pub fn new(rules: MnkRules) -> Self {
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

    /// The parameters of the game.
    pub fn rules(&self) -> &MnkRules {
        &self.rules
    }

    /// The stones.
    #[inline]
    pub fn board(&self) -> &B {
        &self.board
    }

    /// The number of stones that the side to move still places in this turn.
    pub fn left_in_turn(&self) -> u16 {
        self.left_in_turn
    }

    /// The side whose stone is in a column and row, both counted from 0 at the lower left.
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

impl<B: MnkBoard> Position for Mnk<B> {
    type Move = u16;
    type Undo = MnkUndo;
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
        self.key
    }

    #[inline]
    fn for_each_move(&self, each: impl FnMut(u16)) {
        if self.outcome.is_some() {
            return;
        }
        match self.rules.gravity {
            false => self.board.for_each_empty_cell(&self.rules, each),
            true => self.lowest_empty_cells().for_each(each),
        }
    }

    #[inline]
    fn is_legal(&self, cell: u16) -> bool {
        self.outcome.is_none() && self.board.is_empty_cell(cell) && self.is_supported(cell)
    }

    #[inline]
    fn play(&mut self, cell: u16) -> MnkUndo {
        let side = self.to_move;
        let undo = MnkUndo { key: self.key, left_in_turn: self.left_in_turn, to_move: side };
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
    fn undo(&mut self, cell: u16, undo: MnkUndo) {
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
    fn num_move_indices(&self) -> usize {
        self.rules.cells()
    }

    #[inline]
    fn move_count(&self) -> usize {
        match self.outcome {
            None if self.rules.gravity => self.lowest_empty_cells().count(),
            None => usize::from(self.empty),
            Some(_) => 0,
        }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> u16 {
        match self.rules.gravity {
            false => self.board.random_empty_cell(&self.rules, u32::from(self.empty), rng),
            true => self.random_lowest_empty_cell(rng),
        }
    }

    #[inline]
    fn winning_move(&self) -> Option<u16> {
        if self.outcome.is_some() {
            return None;
        }
        self.completing_cell(self.to_move)
    }
}

/// Every window of k cells with stones of only one side counts for that side, about ten times as
/// much for each further stone.
impl<B: MnkBoard> Heuristic for Mnk<B> {
    const NEARLY_EQUAL: i32 = 75;

    #[inline]
    fn evaluate(&self) -> i32 {
        let balance = self.board.window_balance(&self.rules);
        if self.to_move == Side::First { balance } else { -balance }
    }
}

impl<B: MnkBoard> MoveOrder for Mnk<B> {
    #[inline]
    fn move_score(&self, cell: u16) -> i32 {
        self.board.move_score(&self.rules, self.to_move, cell)
    }
}

/// A symmetry of a board: reflected left to right and, without gravity, upside down and, for a
/// square, along the diagonal.
#[derive(Clone, Copy)]
struct BoardSymmetry {
    mirrored: bool,
    upside_down: bool,
    across: bool,
}

impl BoardSymmetry {
    fn all(rules: &MnkRules) -> impl Iterator<Item = BoardSymmetry> + use<> {
        let count = match rules.gravity {
            true => 2,
            false if rules.width == rules.height => 8,
            false => 4,
        };
        (0..count).map(|n| BoardSymmetry {
            mirrored: n & 1 != 0,
            upside_down: n & 2 != 0,
            across: n & 4 != 0,
        })
    }

    fn apply(self, rules: &MnkRules, column: usize, row: usize) -> (usize, usize) {
        let column = if self.mirrored { rules.width() - 1 - column } else { column };
        let row = if self.upside_down { rules.height() - 1 - row } else { row };
        if self.across { (row, column) } else { (column, row) }
    }
}

impl<B: MnkBoard> Symmetry for Mnk<B> {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        for turn in BoardSymmetry::all(&self.rules) {
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
            for (key, turn) in keys.iter_mut().zip(BoardSymmetry::all(&self.rules)) {
                let (column, row) = turn.apply(&self.rules, column, row);
                *key ^= stone_key(side, Self::cell_at(column, row));
            }
        });
        let count = BoardSymmetry::all(&self.rules).count();
        keys[..count].iter().copied().fold(u64::MAX, u64::min)
    }
}

/// A cell where the opponent threatens to win must be taken, unless the side to move wins first.
/// With several stones per turn a threat has several answers, so only a win in one move is forcing
/// there.
impl<B: MnkBoard> Tactics for Mnk<B> {
    fn push_forcing_moves(&self, buffer: &mut Vec<u16>) {
        buffer.extend(self.forcing_move());
    }

    fn may_stand_pat(&self) -> bool {
        self.threat_to_answer().is_none()
    }
}

impl<B: MnkBoard> Mnk<B> {
    #[inline]
    pub(crate) fn forcing_move(&self) -> Option<u16> {
        self.winning_move().or_else(|| self.threat_to_answer())
    }

    /// A cell on which the other side threatens to win.
    pub(super) fn threat_to_answer(&self) -> Option<u16> {
        if self.rules.stones_per_turn > 1 || self.outcome.is_some() {
            return None;
        }
        self.completing_cell(!self.to_move)
    }
}

impl<B: MnkBoard> Notation for Mnk<B> {
    fn move_text(&self, cell: u16) -> String {
        let (column, row) = Self::column_and_row(cell);
        cell_text(column, row)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u16, &'t str), NotationError> {
        let ((column, row), rest) = read_cell(text, self.rules.width(), self.rules.height())?;
        Ok((Self::cell_at(column, row), rest))
    }
}

impl<B: MnkBoard> Draw for Mnk<B> {
    fn diagram(&self) -> Diagram {
        Diagram::lettered(self.rules.width(), self.rules.height(), |column, row| {
            DiagramCell::mark(self.side_at(column, row))
        })
    }

    fn cells_of(&self, cell: u16) -> Vec<usize> {
        vec![self.cell(cell)]
    }

    /// Small boards are drawn as pencil and paper games.
    fn style(&self) -> BoardStyle {
        const SMALLEST_OF_WOOD: usize = 8;
        if self.rules.width().min(self.rules.height()) >= SMALLEST_OF_WOOD {
            BoardStyle::KAYA
        } else {
            BoardStyle::PAPER
        }
    }
}

impl<B: MnkBoard> Reference for Mnk<B> {
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

impl<B: MnkBoard> Mnk<B> {
    /// Whether a winning run of `side` starts here: counts stone by stone and checks both ends.
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
            RowRule::Caro => exactly && ends != [Some(!side); 2],
        }
    }
}

impl<B: MnkBoard> RowPosition for Mnk<B> {
    fn grid(&self) -> RowGrid {
        let MnkRules { width, height, k, gravity, .. } = self.rules;
        let [columns, rows, k] = [width, height, k].map(usize::from);
        RowGrid { columns, rows, k, gravity }
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

impl<B: MnkBoard> Mnk<B> {
    /// Puts stones on the empty board, in any order. Cells are numbered as in [`RowPosition`]; the
    /// number of stones of each side must match the turns.
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
    [B: MnkBoard] Mnk<B>: Heuristic, MoveOrder, Symmetry, Tactics, RowPosition, Reference
);

/// The registry entry of the (m,n,k,p,q) games.
pub const GAME: GameEntry = GameEntry {
    info: GameInfo {
        name: "mnk",
        title: "k in a row",
        summary: "k in a row on any board up to 20x20, p stones per turn",
        rules: "The sides take turns to put p stones on empty points, q in the first turn. \
            The first side with k in a row, column or diagonal wins.",
        options: &[
            ("WIDTHxHEIGHT", "the board, sides from 1 to 20 (default 3x3)"),
            ("k", "length of a winning row (default 5, or the longer side if it is less)"),
            ("p", "stones per turn (default 1)"),
            ("q", "stones in the first turn (default p)"),
            ("exact", "on: exactly k in a row win, longer rows do not (default off)"),
            (
                "caro",
                "on: as exact, and not with a stone of the opponent at both ends (default off)",
            ),
            ("gravity", "on: stones fall to the lowest empty cell of their column (default off)"),
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
                summary: "Connect6: six in a row on 19x19, two stones per turn, one in the first",
                rules: "Black begins with one stone; then each side puts two stones per turn. Six or \
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

fn read_rules(spec: &mut Spec) -> Result<MnkRules, SpecError> {
    let size = spec.size()?.unwrap_or(vec![3, 3]);
    let sides = 1..=MAX_SIDE;
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
    let stones = 1..=(MAX_SIDE * MAX_SIDE) as u64;
    let p = number(spec, "p", stones.clone(), "such as p=2")?.unwrap_or(1);
    let q = number(spec, "q", stones, "such as q=1")?.unwrap_or(p);
    let exact = spec.switch("exact")?.unwrap_or(false);
    let caro = spec.switch("caro")?.unwrap_or(false);
    let rule = match (caro, exact) {
        (true, _) => RowRule::Caro,
        (false, true) => RowRule::Exactly,
        (false, false) => RowRule::AtLeast,
    };
    let rules = MnkRules::new(width, height, k as usize)
        .and_then(|rules| rules.with_turns(p as u16, q as u16))
        .ok_or_else(|| spec.bad_value("size", &format!("{width}x{height}"), &example))?;
    let rules = rules.with_rule(rule);
    if !spec.switch("gravity")?.unwrap_or(false) {
        return Ok(rules);
    }
    let is_connect_four = k == 4 && (p, q, rule) == (1, 1, RowRule::AtLeast);
    if is_connect_four && Connect4Size::new(width, height).is_some() {
        let expected = format!("connect4:{width}x{height}, which is this game");
        return Err(spec.bad_value("gravity", "on", &expected));
    }
    Ok(rules.with_gravity())
}

/// [`Spec::number`] with an example in the error.
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
