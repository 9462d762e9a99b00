//! Every game, by name. **A new game is one file in `rules/` and one line at the end of this file**;
//! that line gives it the command line, the searches, the matches and the test suites.

use crate::rules::*;
use crate::{Playable, Spec, SpecError};

/// A game as the registry sees it: a name, its options, and positions to start from. One game may have
/// several position types (a fast one for the usual board, a general one for the rest).
pub trait Game {
    /// Name and description.
    const INFO: GameInfo;

    /// Reads the options and hands the starting position to the visitor. Every option is taken and
    /// [`Spec::finish`] called before the visit.
    fn open<V: Visitor>(spec: Spec, visitor: V) -> Result<V::Output, SpecError>;
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

macro_rules! registry {
    ($($game:ty),* $(,)?) => {
        /// Every game, in the order of the registry.
        pub const GAMES: &[GameInfo] = &[$(<$game as Game>::INFO),*];

        /// Opens the game that a text such as `connect4` or `mnk:10x10,k=5` names.
        pub fn open<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, SpecError> {
            let spec = resolve_preset(Spec::parse(text)?)?;
            $(if spec.name() == <$game as Game>::INFO.name {
                return <$game as Game>::open(spec, visitor);
            })*
            if spec.name() == gem_island::NAME {
                return Err(SpecError::OnePlayer { game: spec.text().to_string() });
            }
            Err(SpecError::UnknownName {
                kind: "game",
                name: spec.name().to_string(),
                known: names().map(str::to_string).collect(),
            })
        }
    };
}

/// All names that [`open`] understands: games and presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    GAMES
        .iter()
        .flat_map(|game| std::iter::once(game.name).chain(game.presets.iter().map(|p| p.name)))
}

fn resolve_preset(spec: Spec) -> Result<Spec, SpecError> {
    let mut presets = GAMES.iter().flat_map(|game| game.presets);
    match presets.find(|preset| preset.name == spec.name()) {
        Some(preset) => Ok(spec.based_on(Spec::parse(preset.stands_for)?)),
        None => Ok(spec),
    }
}

registry! {
    tictactoe::Game,
    tictactoe_nd::Game,
    mnk::Game,
    renju::Game,
    connect4::Game,
    connect4_array::Game,
    othello::Game,
    checkers::Game,
    chess::Game,
}
