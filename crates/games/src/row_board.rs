//! One position type for every game of rows of stones, created from data. Players of all such games
//! search on it. It contains the fast board that the rules of the game use; a call costs one branch
//! to select the board.

use crate::random::Rng;
use crate::rules::connect4::{Connect4, Connect4Move, Connect4Size, FixedSize, RuntimeSize};
use crate::rules::mnk::bit_board::BitBoard;
use crate::rules::mnk::line_board::LineBoard;
use crate::rules::mnk::{self, Mnk, MnkRules};
use crate::rules::renju::Renju;
use crate::rules::tictactoe::TicTacToe;
use crate::{
    BoardStyle, Diagram, Draw, GameLine, Heuristic, MoveOrder, Notation, NotationError, Outcome,
    Position, Reference, RowGame, RowGrid, RowPosition, RowRule, Side, State, Symmetry, Tactics,
};

/// A position of any game of rows of stones. A move is the number of the inner board's move.
#[derive(Clone, Debug)]
pub struct RowBoard(Inner);

#[derive(Clone, Debug)]
enum Inner {
    TicTacToe(TicTacToe),
    Small(Mnk<BitBoard>),
    Large(Mnk<LineBoard>),
    Renju(Renju),
    Connect4(Connect4),
    Connect4Square(Connect4<FixedSize<7, 7>>),
    Connect4Narrow(Connect4<RuntimeSize<u64>>),
    Connect4Wide(Connect4<RuntimeSize<u128>>),
}

/// The undo data of [`RowBoard::play`](Position::play): nothing for the boards of a few machine
/// words, which undo a move without it. A copy of the position would be slower.
#[derive(Clone, Copy, Debug)]
pub struct RowUndo(Option<mnk::MnkUndo>);

/// Evaluates an expression for the inner board.
macro_rules! on_board {
    ($inner:expr, |$board:ident| $body:expr) => {
        match $inner {
            Inner::TicTacToe($board) => $body,
            Inner::Small($board) => $body,
            Inner::Large($board) => $body,
            Inner::Renju($board) => $body,
            Inner::Connect4($board) => $body,
            Inner::Connect4Square($board) => $body,
            Inner::Connect4Narrow($board) => $body,
            Inner::Connect4Wide($board) => $body,
        }
    };
}

/// A move of an inner board, which has at most 16 bits.
trait Number: Copy {
    fn number(self) -> u16;
    /// The move with this number; some other move if there is none.
    fn of(number: u16) -> Self;
}

impl Number for u16 {
    #[inline]
    fn number(self) -> u16 {
        self
    }

    #[inline]
    fn of(number: u16) -> u16 {
        number
    }
}

impl Number for u8 {
    #[inline]
    fn number(self) -> u16 {
        u16::from(self)
    }

    #[inline]
    fn of(number: u16) -> u8 {
        number as u8
    }
}

impl Number for Connect4Move {
    #[inline]
    fn number(self) -> u16 {
        self.bit() as u16
    }

    #[inline]
    fn of(number: u16) -> Connect4Move {
        Connect4Move::of_bit(number as u8)
    }
}

/// The rules of a game whose board is that of `mnk.rs`.
fn mnk_rules(game: &RowGame) -> Option<MnkRules> {
    let RowGrid { columns, rows, k, gravity } = game.grid;
    let p = u16::try_from(game.stones_per_turn).ok()?;
    let q = u16::try_from(game.stones_on_first_turn).ok()?;
    let rules = MnkRules::new(columns, rows, k)?.with_turns(p, q)?.with_rule(game.rule);
    Some(if gravity { rules.with_gravity() } else { rules })
}

/// Whether a number is a legal move; accepts any number.
#[inline]
fn is_legal_number<P: Position<Move: Number>>(board: &P, number: u16) -> bool {
    let m = P::Move::of(number);
    m.number() == number && board.is_legal(m)
}

impl RowBoard {
    /// The empty board; `None` if no board supports the game.
    pub fn new(game: RowGame) -> Option<RowBoard> {
        let RowGrid { columns, rows, k, gravity } = game.grid;
        let inner = match (gravity, game.rule) {
            (true, RowRule::AtLeast) if k == 4 && game.alternates() => {
                match Connect4Size::new(columns, rows) {
                    Some(size) => Inner::falling(size),
                    None => Inner::placed(mnk_rules(&game)?),
                }
            }
            (true, RowRule::Renju) => return None,
            (false, RowRule::Renju) if k == 5 && game.alternates() => {
                Inner::Renju(Renju::new(columns, rows)?)
            }
            (false, RowRule::Renju) => return None,
            (false, _) if game == TicTacToe::new().row_game() => Inner::TicTacToe(TicTacToe::new()),
            (_, _) => Inner::placed(mnk_rules(&game)?),
        };
        Some(RowBoard(inner))
    }

    /// The current position of a game; `None` if no board supports the game, or if it did not start
    /// from an empty board.
    pub fn after(line: &GameLine) -> Option<RowBoard> {
        let game = line.start.rows()?;
        let is_empty = (0..game.grid.cells()).all(|cell| line.start.stone_at(cell).is_none());
        let mut board = RowBoard::new(game).filter(|_| is_empty)?;
        let mut state = line.start.clone();
        for &m in &line.moves {
            let own = board.move_to(state.cell(m)?)?;
            board.play(own);
            state.play(m);
        }
        Some(board)
    }
}

impl RowBoard {
    /// The board of a state; `None` if no board supports the game.
    pub fn of(state: &State) -> Option<RowBoard> {
        let inner = Inner::of(state);
        inner.map(RowBoard).or_else(|| RowBoard::with_stones_of(state))
    }

    /// The board of a game that is not built in, with the stones of the state; `None` if the
    /// numbers of stones do not match the turns.
    fn with_stones_of(state: &State) -> Option<RowBoard> {
        let game = state.rows()?;
        let mut board = RowBoard::new(game)?;
        let stone = |cell| Some((cell, state.stone_at(cell)?));
        let stones: Vec<(usize, Side)> = (0..game.grid.cells()).filter_map(stone).collect();
        let of_first = stones.iter().filter(|(_, side)| *side == Side::First).count();
        let due = (0..stones.len()).filter(|&n| game.side_after(n) == Side::First).count();
        on_board!(&mut board.0, |inner| inner.set_up(&stones));
        (of_first == due).then_some(board)
    }
}

impl Inner {
    /// The built-in board of a state.
    fn of(state: &State) -> Option<Inner> {
        let mnk = || {
            // Three in a row on 3x3 is tic-tac-toe under any name.
            let is_not_tictactoe = |b: &Mnk<BitBoard>| b.row_game() != TicTacToe::new().row_game();
            let small = || state.downcast_ref().cloned().filter(is_not_tictactoe).map(Inner::Small);
            small().or_else(|| state.downcast_ref().cloned().map(Inner::Large))
        };
        let connect4 = || {
            let fixed = || state.downcast_ref().copied().map(Inner::Connect4);
            let square = || state.downcast_ref().copied().map(Inner::Connect4Square);
            let narrow = || state.downcast_ref().copied().map(Inner::Connect4Narrow);
            let wide = || state.downcast_ref().copied().map(Inner::Connect4Wide);
            fixed().or_else(square).or_else(narrow).or_else(wide)
        };
        let others = || {
            let tictactoe = state.downcast_ref().copied().map(Inner::TicTacToe);
            tictactoe.or_else(|| state.downcast_ref().cloned().map(Inner::Renju))
        };
        mnk().or_else(connect4).or_else(others)
    }

    /// The board that `connect4.rs` uses for this size.
    fn falling(size: Connect4Size) -> Inner {
        match ((size.width(), size.height()), RuntimeSize::narrow(size)) {
            ((7, 6), _) => Inner::Connect4(Connect4::new()),
            ((7, 7), _) => Inner::Connect4Square(Connect4::on(FixedSize)),
            (_, Some(narrow)) => Inner::Connect4Narrow(Connect4::on(narrow)),
            (_, None) => Inner::Connect4Wide(Connect4::on(RuntimeSize::wide(size))),
        }
    }

    /// The board that `mnk.rs` uses for these rules.
    fn placed(rules: MnkRules) -> Inner {
        if BitBoard::fits(&rules) {
            Inner::Small(Mnk::new(rules))
        } else {
            Inner::Large(Mnk::new(rules))
        }
    }
}

impl Position for RowBoard {
    type Move = u16;
    type Undo = RowUndo;
    const FINDS_WINS: bool = TicTacToe::FINDS_WINS
        && Mnk::<BitBoard>::FINDS_WINS
        && Mnk::<LineBoard>::FINDS_WINS
        && Renju::FINDS_WINS
        && Connect4::<FixedSize<7, 6>>::FINDS_WINS;

    #[inline]
    fn to_move(&self) -> Side {
        on_board!(&self.0, |board| board.to_move())
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        on_board!(&self.0, |board| board.outcome())
    }

    #[inline]
    fn key(&self) -> u64 {
        on_board!(&self.0, |board| board.key())
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(u16)) {
        on_board!(&self.0, |board| board.for_each_move(|m| each(m.number())));
    }

    #[inline]
    fn is_legal(&self, m: u16) -> bool {
        on_board!(&self.0, |board| is_legal_number(board, m))
    }

    #[inline]
    fn play(&mut self, m: u16) -> RowUndo {
        #[inline]
        fn quietly<P: Position<Move: Number>>(board: &mut P, m: u16) -> RowUndo {
            board.play(Number::of(m));
            RowUndo(None)
        }
        match &mut self.0 {
            Inner::Small(board) => RowUndo(Some(board.play(m))),
            Inner::Large(board) => RowUndo(Some(board.play(m))),
            Inner::Renju(board) => RowUndo(Some(board.play(m))),
            Inner::TicTacToe(board) => quietly(board, m),
            Inner::Connect4(board) => quietly(board, m),
            Inner::Connect4Square(board) => quietly(board, m),
            Inner::Connect4Narrow(board) => quietly(board, m),
            Inner::Connect4Wide(board) => quietly(board, m),
        }
    }

    #[inline]
    fn undo(&mut self, m: u16, undo: RowUndo) {
        match (&mut self.0, undo.0) {
            (Inner::Small(board), Some(undo)) => board.undo(m, undo),
            (Inner::Large(board), Some(undo)) => board.undo(m, undo),
            (Inner::Renju(board), Some(undo)) => board.undo(m, undo),
            (Inner::TicTacToe(board), _) => board.take_back(Number::of(m)),
            (Inner::Connect4(board), _) => board.take_back(Number::of(m)),
            (Inner::Connect4Square(board), _) => board.take_back(Number::of(m)),
            (Inner::Connect4Narrow(board), _) => board.take_back(Number::of(m)),
            (Inner::Connect4Wide(board), _) => board.take_back(Number::of(m)),
            (_, None) => unreachable!("undo is called on the board that played the move"),
        }
    }

    #[inline]
    fn move_index(&self, m: u16) -> usize {
        on_board!(&self.0, |board| board.move_index(Number::of(m)))
    }

    #[inline]
    fn num_move_indices(&self) -> usize {
        on_board!(&self.0, |board| board.num_move_indices())
    }

    #[inline]
    fn winning_move(&self) -> Option<u16> {
        on_board!(&self.0, |board| board.winning_move().map(Number::number))
    }

    #[inline]
    fn move_count(&self) -> usize {
        on_board!(&self.0, |board| board.move_count())
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> u16 {
        on_board!(&self.0, |board| board.random_move(rng).number())
    }
}

/// The estimate of the inner board.
impl Heuristic for RowBoard {
    /// The smallest of the boards' values, whose units differ.
    const NEARLY_EQUAL: i32 = Connect4::<FixedSize<7, 6>>::NEARLY_EQUAL;

    #[inline]
    fn evaluate(&self) -> i32 {
        on_board!(&self.0, |board| board.evaluate())
    }
}

impl MoveOrder for RowBoard {
    #[inline]
    fn move_score(&self, m: u16) -> i32 {
        on_board!(&self.0, |board| board.move_score(Number::of(m)))
    }
}

impl Symmetry for RowBoard {
    fn for_each_image(&self, each: &mut dyn FnMut(Self)) {
        let mut each = |image| each(RowBoard(image));
        match &self.0 {
            Inner::TicTacToe(b) => b.for_each_image(&mut |i| each(Inner::TicTacToe(i))),
            Inner::Small(b) => b.for_each_image(&mut |i| each(Inner::Small(i))),
            Inner::Large(b) => b.for_each_image(&mut |i| each(Inner::Large(i))),
            Inner::Renju(b) => b.for_each_image(&mut |i| each(Inner::Renju(i))),
            Inner::Connect4(b) => b.for_each_image(&mut |i| each(Inner::Connect4(i))),
            Inner::Connect4Square(b) => b.for_each_image(&mut |i| each(Inner::Connect4Square(i))),
            Inner::Connect4Narrow(b) => b.for_each_image(&mut |i| each(Inner::Connect4Narrow(i))),
            Inner::Connect4Wide(b) => b.for_each_image(&mut |i| each(Inner::Connect4Wide(i))),
        }
    }

    #[inline]
    fn canonical_key(&self) -> u64 {
        on_board!(&self.0, |board| board.canonical_key())
    }
}

impl Tactics for RowBoard {
    #[inline]
    fn push_forcing_moves(&self, buffer: &mut Vec<u16>) {
        buffer.extend(on_board!(&self.0, |board| board.forcing_move().map(Number::number)));
    }

    #[inline]
    fn may_stand_pat(&self) -> bool {
        on_board!(&self.0, |board| board.may_stand_pat())
    }
}

impl Notation for RowBoard {
    fn move_text(&self, m: u16) -> String {
        on_board!(&self.0, |board| board.move_text(Number::of(m)))
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u16, &'t str), NotationError> {
        on_board!(&self.0, |board| board.read_move(text).map(|(m, rest)| (m.number(), rest)))
    }
}

impl Draw for RowBoard {
    fn diagram(&self) -> Diagram {
        on_board!(&self.0, |board| board.diagram())
    }

    fn cells_of(&self, m: u16) -> Vec<usize> {
        on_board!(&self.0, |board| board.cells_of(Number::of(m)))
    }

    fn style(&self) -> BoardStyle {
        on_board!(&self.0, |board| board.style())
    }
}

impl Reference for RowBoard {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        on_board!(&self.0, |board| board.outcome_by_scan())
    }

    fn key_by_scan(&self) -> u64 {
        on_board!(&self.0, |board| board.key_by_scan())
    }
}

impl RowPosition for RowBoard {
    #[inline]
    fn grid(&self) -> RowGrid {
        on_board!(&self.0, |board| board.grid())
    }

    #[inline]
    fn row_rule(&self) -> RowRule {
        on_board!(&self.0, |board| board.row_rule())
    }

    #[inline]
    fn turns(&self) -> (usize, usize) {
        on_board!(&self.0, |board| board.turns())
    }

    #[inline]
    fn cell(&self, m: u16) -> usize {
        on_board!(&self.0, |board| board.cell(Number::of(m)))
    }

    #[inline]
    fn stone_at(&self, cell: usize) -> Option<Side> {
        on_board!(&self.0, |board| board.stone_at(cell))
    }

    #[inline]
    fn move_to(&self, cell: usize) -> Option<u16> {
        on_board!(&self.0, |board| board.move_to(cell).map(Number::number))
    }
}

crate::capabilities!(RowBoard: Heuristic, MoveOrder, Reference, Symmetry, Tactics, RowPosition);
