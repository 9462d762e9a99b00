//! A position of any game behind one type. Players, matches, tournaments, web pages and protocols
//! use [`State`], so they are compiled once. A search works on the typed position inside, which it
//! gets from [`State::downcast_ref`] once per search.

use std::any::Any;
use std::fmt;

use crate::{
    BoardStyle, Diagram, Draw, GameLine, Notation, NotationError, Outcome, Playable, Position, Rng,
    RowGame, Side, Symmetries,
};

/// A move of any game: the number that the game's own move converts to. It is meaningful only
/// together with its position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(u64);

impl Move {
    /// The move as a number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// Converts a game's own move.
    pub fn of<M: Into<u64>>(m: M) -> Move {
        Move(m.into())
    }

    /// Converts back to the game's own move; `None` if the number is not a move of that game.
    pub fn typed<M: TryFrom<u64>>(self) -> Option<M> {
        M::try_from(self.0).ok()
    }
}

impl From<u64> for Move {
    fn from(number: u64) -> Move {
        Move(number)
    }
}

impl From<Move> for u64 {
    fn from(m: Move) -> u64 {
        m.0
    }
}

/// A number that is not a move of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move number: not a move of this game")]
pub struct InvalidMove;

/// A position of any game. It forwards everything to the position inside through a dynamic call,
/// which is acceptable for a move of a game, but not for a node of a search.
pub struct State(Box<dyn AnyPosition>);

impl State {
    /// Erases the type of a position.
    pub fn new<P: Playable>(position: P) -> State {
        State(Box::new(position))
    }

    /// The position inside, if it has this type.
    pub fn downcast_ref<P: Playable>(&self) -> Option<&P> {
        self.0.as_any().downcast_ref()
    }

    /// The legal moves, in the order of the rules.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.0.push_any_moves(&mut moves);
        moves
    }

    /// The game as data, if it is a game of rows of stones.
    pub fn rows(&self) -> Option<RowGame> {
        self.0.any_rows()
    }

    /// The cell on which a move puts its stone, in a game of rows.
    pub fn cell(&self, m: Move) -> Option<usize> {
        self.0.any_cell(m)
    }

    /// The side whose stone is on a cell, in a game of rows.
    pub fn stone_at(&self, cell: usize) -> Option<Side> {
        self.0.any_stone_at(cell)
    }

    /// The move that puts a stone on a cell, in a game of rows and if it is legal.
    pub fn move_to(&self, cell: usize) -> Option<Move> {
        self.0.any_move_to(cell)
    }

    /// The key that all images of the position share; its own key if the game has no symmetry.
    pub fn canonical_key(&self) -> u64 {
        self.0.any_canonical_key()
    }

    /// Whether the game has symmetries.
    pub fn has_symmetry(&self) -> bool {
        self.0.has_symmetry()
    }

    /// Every image of the position, including itself; only itself if the game has no symmetry.
    pub fn images(&self) -> Vec<State> {
        self.0.images()
    }

    /// The game's static evaluation for the side to move; `None` without a heuristic or after the
    /// end of the game.
    pub fn estimate(&self) -> Option<i32> {
        self.outcome().is_none().then(|| self.0.any_estimate()).flatten()
    }

    /// Estimates that differ by at most this much count as equal.
    pub fn nearly_equal(&self) -> i32 {
        self.0.nearly_equal()
    }

    /// The game's ordering score of a move: larger is searched earlier; 0 without a move order.
    pub fn move_score(&self, m: Move) -> i32 {
        self.0.any_move_score(m)
    }

    /// Whether the game has a move order.
    pub fn has_move_order(&self) -> bool {
        self.0.has_move_order()
    }

    /// The forcing moves; `None` if the game has no tactics.
    pub fn forcing_moves(&self) -> Option<Vec<Move>> {
        self.0.any_forcing_moves()
    }

    /// Whether a position can occur again later in the same game.
    pub fn may_repeat(&self) -> bool {
        self.0.may_repeat()
    }

    /// Whether [`winning_move`](Position::winning_move) finds a winning move whenever one exists.
    pub fn finds_wins(&self) -> bool {
        self.0.finds_wins()
    }

    /// The separator between the moves of a line.
    pub fn separator(&self) -> &'static str {
        self.0.separator()
    }

    /// The symmetries of the game inside, for code that works on states.
    pub fn symmetry() -> Symmetries<State> {
        Symmetries {
            for_each: |state, each| state.images().into_iter().for_each(each),
            canonical_key: State::canonical_key,
        }
    }

    /// Erases the type of a game line.
    pub fn line_of<P: Playable>(line: &GameLine<P>) -> GameLine {
        GameLine {
            start: State::new(line.start.clone()),
            moves: line.moves.iter().map(|&m| Move::of(m)).collect(),
            end: State::new(line.end.clone()),
        }
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        self.0.boxed()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diagram())
    }
}

impl Position for State {
    type Move = Move;
    /// The position before the move.
    type Undo = State;

    fn to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.any_outcome()
    }

    fn key(&self) -> u64 {
        self.0.any_key()
    }

    fn for_each_move(&self, each: impl FnMut(Move)) {
        self.legal_moves().into_iter().for_each(each);
    }

    fn is_legal(&self, m: Move) -> bool {
        self.0.is_any_legal(m)
    }

    fn play(&mut self, m: Move) -> State {
        let before = self.clone();
        self.0.play_any(m);
        before
    }

    fn undo(&mut self, _: Move, before: State) {
        *self = before;
    }

    fn move_index(&self, m: Move) -> usize {
        self.0.any_move_index(m)
    }

    fn num_move_indices(&self) -> usize {
        self.0.any_num_move_indices()
    }

    fn winning_move(&self) -> Option<Move> {
        self.0.any_winning_move()
    }

    fn move_count(&self) -> usize {
        self.0.any_move_count()
    }

    fn push_moves(&self, buffer: &mut Vec<Move>) {
        self.0.push_any_moves(buffer);
    }

    /// The move that the position inside would choose with the same random numbers.
    fn random_move(&self, rng: &mut Rng) -> Move {
        self.0.any_random_move(rng)
    }
}

impl Notation for State {
    fn move_text(&self, m: Move) -> String {
        self.0.any_move_text(m)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(Move, &'t str), NotationError> {
        self.0.read_any_move(text)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        self.0.parse_any_move(text)
    }

    fn parse_line(&self, text: &str) -> Result<GameLine, NotationError> {
        self.0.parse_any_line(text)
    }

    fn position_text(&self) -> Option<String> {
        self.0.any_position_text()
    }

    fn line_text(&self, moves: &[Move]) -> String {
        self.0.any_line_text(moves)
    }
}

impl Draw for State {
    fn diagram(&self) -> Diagram {
        self.0.any_diagram()
    }

    fn cells_of(&self, m: Move) -> Vec<usize> {
        self.0.cells_of_any(m)
    }

    fn style(&self) -> BoardStyle {
        self.0.any_style()
    }

    fn winning_cells(&self) -> Vec<usize> {
        self.0.any_winning_cells()
    }

    fn cell_in_check(&self) -> Option<usize> {
        self.0.any_cell_in_check()
    }
}

/// The object-safe form of [`Playable`], implemented once for all games.
trait AnyPosition: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn boxed(&self) -> State;
    fn side_to_move(&self) -> Side;
    fn any_outcome(&self) -> Option<Outcome>;
    fn any_key(&self) -> u64;
    fn push_any_moves(&self, buffer: &mut Vec<Move>);
    fn is_any_legal(&self, m: Move) -> bool;
    fn play_any(&mut self, m: Move);
    fn any_move_index(&self, m: Move) -> usize;
    fn any_num_move_indices(&self) -> usize;
    fn any_winning_move(&self) -> Option<Move>;
    fn any_move_count(&self) -> usize;
    fn any_random_move(&self, rng: &mut Rng) -> Move;
    fn any_move_text(&self, m: Move) -> String;
    fn read_any_move<'t>(&self, text: &'t str) -> Result<(Move, &'t str), NotationError>;
    fn parse_any_move(&self, text: &str) -> Result<Move, NotationError>;
    fn parse_any_line(&self, text: &str) -> Result<GameLine, NotationError>;
    fn any_position_text(&self) -> Option<String>;
    fn any_line_text(&self, moves: &[Move]) -> String;
    fn separator(&self) -> &'static str;
    fn any_diagram(&self) -> Diagram;
    fn cells_of_any(&self, m: Move) -> Vec<usize>;
    fn any_style(&self) -> BoardStyle;
    fn any_winning_cells(&self) -> Vec<usize>;
    fn any_cell_in_check(&self) -> Option<usize>;
    fn any_rows(&self) -> Option<RowGame>;
    fn any_cell(&self, m: Move) -> Option<usize>;
    fn any_stone_at(&self, cell: usize) -> Option<Side>;
    fn any_move_to(&self, cell: usize) -> Option<Move>;
    fn has_symmetry(&self) -> bool;
    fn any_canonical_key(&self) -> u64;
    fn images(&self) -> Vec<State>;
    fn any_estimate(&self) -> Option<i32>;
    fn nearly_equal(&self) -> i32;
    fn any_move_score(&self, m: Move) -> i32;
    fn has_move_order(&self) -> bool;
    fn any_forcing_moves(&self) -> Option<Vec<Move>>;
    fn may_repeat(&self) -> bool;
    fn finds_wins(&self) -> bool;
}

/// Converts a number to a move of this game.
///
/// # Panics
/// When it is not one: check untrusted moves with [`Position::is_legal`] first.
#[track_caller]
fn own<P: Position>(m: Move) -> P::Move {
    m.typed().unwrap_or_else(|| panic!("{m:?}: not a move of this game"))
}

impl<P: Playable> AnyPosition for P {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> State {
        State::new(self.clone())
    }

    fn side_to_move(&self) -> Side {
        self.to_move()
    }

    fn any_outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn any_key(&self) -> u64 {
        self.key()
    }

    fn push_any_moves(&self, buffer: &mut Vec<Move>) {
        self.for_each_move(|m| buffer.push(Move::of(m)));
    }

    fn is_any_legal(&self, m: Move) -> bool {
        m.typed().is_some_and(|m| self.is_legal(m))
    }

    fn play_any(&mut self, m: Move) {
        self.play(own::<P>(m));
    }

    fn any_move_index(&self, m: Move) -> usize {
        self.move_index(own::<P>(m))
    }

    fn any_num_move_indices(&self) -> usize {
        self.num_move_indices()
    }

    fn any_winning_move(&self) -> Option<Move> {
        self.winning_move().map(Move::of)
    }

    fn any_move_count(&self) -> usize {
        self.move_count()
    }

    fn any_random_move(&self, rng: &mut Rng) -> Move {
        Move::of(self.random_move(rng))
    }

    fn any_move_text(&self, m: Move) -> String {
        self.move_text(own::<P>(m))
    }

    fn read_any_move<'t>(&self, text: &'t str) -> Result<(Move, &'t str), NotationError> {
        self.read_move(text).map(|(m, rest)| (Move::of(m), rest))
    }

    fn parse_any_move(&self, text: &str) -> Result<Move, NotationError> {
        self.parse_move(text).map(Move::of)
    }

    fn parse_any_line(&self, text: &str) -> Result<GameLine, NotationError> {
        self.parse_line(text).map(|line| State::line_of(&line))
    }

    fn any_position_text(&self) -> Option<String> {
        self.position_text()
    }

    fn any_line_text(&self, moves: &[Move]) -> String {
        let moves: Vec<P::Move> = moves.iter().map(|&m| own::<P>(m)).collect();
        self.line_text(&moves)
    }

    fn separator(&self) -> &'static str {
        P::SEPARATOR
    }

    fn any_diagram(&self) -> Diagram {
        self.diagram()
    }

    fn cells_of_any(&self, m: Move) -> Vec<usize> {
        self.cells_of(own::<P>(m))
    }

    fn any_style(&self) -> BoardStyle {
        self.style()
    }

    fn any_winning_cells(&self) -> Vec<usize> {
        self.winning_cells()
    }

    fn any_cell_in_check(&self) -> Option<usize> {
        self.cell_in_check()
    }

    fn any_rows(&self) -> Option<RowGame> {
        self.rows()
    }

    fn any_cell(&self, m: Move) -> Option<usize> {
        self.cell_of_move(own::<P>(m))
    }

    fn any_stone_at(&self, cell: usize) -> Option<Side> {
        self.stone_on(cell)
    }

    fn any_move_to(&self, cell: usize) -> Option<Move> {
        self.move_onto(cell).map(Move::of)
    }

    fn has_symmetry(&self) -> bool {
        P::symmetry().is_some()
    }

    fn any_canonical_key(&self) -> u64 {
        P::symmetry().map_or_else(|| self.key(), |symmetry| (symmetry.canonical_key)(self))
    }

    fn images(&self) -> Vec<State> {
        let Some(symmetry) = P::symmetry() else { return vec![State::new(self.clone())] };
        let mut images = Vec::new();
        (symmetry.for_each)(self, &mut |image| images.push(State::new(image)));
        images
    }

    fn any_estimate(&self) -> Option<i32> {
        P::HAS_HEURISTIC.then(|| self.estimate())
    }

    fn nearly_equal(&self) -> i32 {
        P::NEARLY_EQUAL
    }

    fn any_move_score(&self, m: Move) -> i32 {
        self.move_score_of(own::<P>(m))
    }

    fn has_move_order(&self) -> bool {
        P::HAS_MOVE_ORDER
    }

    fn any_forcing_moves(&self) -> Option<Vec<Move>> {
        let tactics = P::tactics()?;
        let mut forcing = Vec::new();
        (tactics.push)(self, &mut forcing);
        Some(forcing.into_iter().map(Move::of).collect())
    }

    fn may_repeat(&self) -> bool {
        P::MAY_REPEAT
    }

    fn finds_wins(&self) -> bool {
        P::FINDS_WINS
    }
}
