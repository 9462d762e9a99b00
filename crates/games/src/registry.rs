//! Games by name: what is known of each, and how a text such as `mnk:10x10,k=5` becomes a position.

use crate::rules::{BUILTIN, gem_island};
use crate::{Spec, SpecError, State};

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

/// Opens the game that a text such as `connect4` or `mnk:10x10,k=5` names.
pub fn start(text: &str) -> Result<State, SpecError> {
    open_among(BUILTIN, text).map(|(_, start)| start)
}

/// Opens the game that a text names, of a list of games: its place in the list and its start.
pub fn open_among(games: &[Entry], text: &str) -> Result<(usize, State), SpecError> {
    let spec = resolve_preset(games, Spec::parse(text)?)?;
    if let Some(place) = games.iter().position(|game| game.info.name == spec.name()) {
        return Ok((place, (games[place].open)(spec)?));
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
