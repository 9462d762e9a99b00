//! Every game, by name. **A new game is one file in `rules/` and one line at the end of this file**;
//! that line gives it the command line, the searches, the matches and the test suites.

use crate::rules::*;
use crate::{Playable, Spec, SpecError, State};

/// A game as the registry sees it: what it is called, its options, and positions to start from. One
/// game may have several position types (a fast one for the usual board, a general one for the rest).
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name and description.
    pub info: GameInfo,
    /// Reads the options and gives the starting position. Every option is taken, and
    /// [`Spec::finish`] called.
    pub open: fn(Spec) -> Result<State, SpecError>,
}

/// What `tesuji games` prints.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct GameInfo {
    /// The name in front of the colon.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How it is played, in a few sentences.
    pub rules: &'static str,
    /// The options and what they mean.
    pub options: &'static [(&'static str, &'static str)],
    /// Short names for certain options.
    pub presets: &'static [Preset],
}

/// A name for a game with certain options: `connect6` is `mnk:19x19,k=6,p=2,q=1`.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Preset {
    /// The short name; may be followed by options of its own.
    pub name: &'static str,
    /// What it stands for.
    pub stands_for: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How it is played, in a few sentences.
    pub rules: &'static str,
}

/// Code that works with any game. [`open`] calls it with a concrete position type, so that searches are
/// compiled for each game and nothing in their loops is looked up at run time.
pub trait Visitor {
    /// What comes back.
    type Output;
    /// Called once, with the starting position.
    fn visit<P: Playable>(self, start: P) -> Self::Output;
}

/// Every game that comes with this crate, in the order of the help.
pub const BUILTIN: &[Entry] = &[
    tictactoe::GAME,
    tictactoe_nd::GAME,
    mnk::GAME,
    renju::GAME,
    connect4::GAME,
    connect4_array::GAME,
    othello::GAME,
    checkers::GAME,
    chess::GAME,
];

/// Gives the position inside a [`State`](crate::State) of a built-in game its type back:
/// `typed!(state, |position| laws(position))`. What follows the type is compiled for each of them.
#[macro_export]
macro_rules! typed {
    ($state:expr, |$position:ident| $body:expr) => {
        $crate::typed! { @each $state, $position, $body;
            $crate::rules::tictactoe::TicTacToe,
            $crate::rules::tictactoe_nd::TicTacToeNd<{ $crate::rules::tictactoe_nd::FEW_LINES }>,
            $crate::rules::tictactoe_nd::TicTacToeNd<{ $crate::rules::tictactoe_nd::MOST_LINES }>,
            $crate::rules::mnk::Mnk<$crate::rules::mnk::bit_board::BitBoard>,
            $crate::rules::mnk::Mnk<$crate::rules::mnk::line_board::LineBoard>,
            $crate::rules::renju::Renju,
            $crate::rules::connect4::Connect4,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::Fixed<7, 7>>,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::AnySize<u64>>,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::AnySize<u128>>,
            $crate::rules::connect4_array::Connect4Array,
            $crate::rules::othello::Othello<8>,
            $crate::rules::othello::Othello<6>,
            $crate::rules::othello::Othello<4>,
            $crate::rules::checkers::Checkers,
            $crate::rules::chess::Chess,
        }
    };
    (@each $state:expr, $position:ident, $body:expr; $($type:ty),* $(,)?) => {{
        let state: &$crate::State = &$state;
        'typed: {
            $(if let Some($position) = state.downcast_ref::<$type>() {
                break 'typed $body;
            })*
            unreachable!("a position of a type that is not in the list of `typed!`")
        }
    }};
}

/// Opens the game that a text such as `connect4` or `mnk:10x10,k=5` names.
pub fn start(text: &str) -> Result<State, SpecError> {
    open_among(BUILTIN, text)
}

/// Opens the game that a text names, of a list of games.
pub fn open_among(games: &[Entry], text: &str) -> Result<State, SpecError> {
    let spec = resolve_preset(games, Spec::parse(text)?)?;
    if let Some(game) = games.iter().find(|game| game.info.name == spec.name()) {
        return (game.open)(spec);
    }
    if spec.name() == gem_island::NAME {
        return Err(SpecError::OnePlayer { game: spec.text().to_string() });
    }
    Err(SpecError::UnknownName {
        kind: "game",
        name: spec.name().to_string(),
        known: names_among(games).map(str::to_string).collect(),
    })
}

/// Opens a built-in game and calls the visitor with the starting position.
pub fn open<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, SpecError> {
    let state = start(text)?;
    Ok(typed!(state, |start| visitor.visit(start.clone())))
}

/// What is known of the built-in games.
pub fn games() -> impl Iterator<Item = &'static GameInfo> {
    BUILTIN.iter().map(|game| &game.info)
}

/// The names of all built-in games and presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    names_among(BUILTIN)
}

/// All names that [`open_among`] understands: games and presets.
pub fn names_among(games: &[Entry]) -> impl Iterator<Item = &'static str> {
    games.iter().flat_map(|game| {
        std::iter::once(game.info.name).chain(game.info.presets.iter().map(|p| p.name))
    })
}

fn resolve_preset(games: &[Entry], spec: Spec) -> Result<Spec, SpecError> {
    let mut presets = games.iter().flat_map(|game| game.info.presets);
    match presets.find(|preset| preset.name == spec.name()) {
        Some(preset) => Ok(spec.based_on(Spec::parse(preset.stands_for)?)),
        None => Ok(spec),
    }
}
