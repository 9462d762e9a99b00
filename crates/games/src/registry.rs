//! Games by name: what is known of each, and how a text such as `mnk:10x10,k=5` becomes a position.

use crate::rules::{BUILTIN, PUZZLES, gem_island};
use crate::{Spec, SpecError, State};

/// A game of two players as the registry sees it: what it is called, its options, and positions to
/// start from. One game may have several position types (a fast one for the usual board, a general
/// one for the rest).
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name and description.
    pub info: GameInfo,
    /// Reads the options and gives the starting position. Every option is taken, and
    /// [`Spec::finish`] called.
    pub open: fn(Spec) -> Result<State, SpecError>,
}

/// A game of one player against chance, with hidden information. It has no [`State`]: opening one
/// gives its settings, and whoever plays it knows its type.
#[derive(Clone, Copy, Debug)]
pub struct Puzzle {
    /// Name and description.
    pub info: GameInfo,
    /// What sets it apart from the games of two players, in a few words.
    pub nature: &'static str,
    /// What the command line has for it.
    pub commands: PuzzleCommands,
    /// Reads the options. Every option is taken, and [`Spec::finish`] called.
    pub open: fn(Spec) -> Result<PuzzleSettings, SpecError>,
}

/// What the command line has for a game of one player where the verbs for two do not apply. An error
/// about such a game carries them, and each verb names the one that does its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuzzleCommands {
    /// The verb whose help describes all of them.
    pub verb: &'static str,
    /// Measures agents, as matches and tournaments measure players.
    pub measure: &'static str,
    /// Says which move is best, as an analysis does.
    pub hint: &'static str,
    /// Trains an agent.
    pub train: &'static str,
}

/// The settings of a game of one player that was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum PuzzleSettings {
    /// Gem Island.
    GemIsland(gem_island::Settings),
}

/// What `tesuji games` prints.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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

/// Opens the game of two players that a text such as `connect4` or `mnk:10x10,k=5` names.
pub fn start(text: &str) -> Result<State, SpecError> {
    Catalog { games: BUILTIN, puzzles: PUZZLES }.open(text).map(|(_, start)| start)
}

/// What is known of the built-in games of two players.
pub fn games() -> impl Iterator<Item = &'static GameInfo> {
    BUILTIN.iter().map(|game| &game.info)
}

/// The names of all built-in games of two players and their presets: what [`start`] opens.
pub fn names() -> impl Iterator<Item = &'static str> {
    names_among(BUILTIN)
}

/// The names of games of two players and of their presets.
pub fn names_among(games: &[Entry]) -> impl Iterator<Item = &'static str> {
    games.iter().flat_map(|game| game.info.names())
}

/// The games that a text may name.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    /// Those of two players.
    pub games: &'a [Entry],
    /// Those of one.
    pub puzzles: &'a [Puzzle],
}

impl<'a> Catalog<'a> {
    /// Opens a game of two players: its place among them and its start.
    pub fn open(self, text: &str) -> Result<(usize, State), SpecError> {
        let spec = self.resolve(text)?;
        if let Some(place) = self.games.iter().position(|game| game.info.name == spec.name()) {
            return Ok((place, (self.games[place].open)(spec)?));
        }
        Err(match self.puzzle_named(&spec) {
            Some(puzzle) => {
                SpecError::OnePlayer { game: spec.text().to_string(), commands: puzzle.commands }
            }
            None => SpecError::UnknownName {
                kind: "game",
                name: spec.name().to_string(),
                known: self.infos().flat_map(GameInfo::names).map(str::to_string).collect(),
            },
        })
    }

    /// Opens a game of one player; `None` where the text names no such game.
    pub fn open_puzzle(
        self,
        text: &str,
    ) -> Result<Option<(&'a Puzzle, PuzzleSettings)>, SpecError> {
        let spec = self.resolve(text)?;
        match self.puzzle_named(&spec) {
            Some(puzzle) => Ok(Some((puzzle, (puzzle.open)(spec)?))),
            None => Ok(None),
        }
    }

    fn puzzle_named(self, spec: &Spec) -> Option<&'a Puzzle> {
        self.puzzles.iter().find(|puzzle| puzzle.info.name == spec.name())
    }

    /// The text as a spec, with a preset replaced by what it stands for.
    fn resolve(self, text: &str) -> Result<Spec, SpecError> {
        let spec = Spec::parse(text)?;
        let mut presets = self.infos().flat_map(|info| info.presets);
        match presets.find(|preset| preset.name == spec.name()) {
            Some(preset) => Ok(spec.based_on(Spec::parse(preset.stands_for)?)),
            None => Ok(spec),
        }
    }

    fn infos(self) -> impl Iterator<Item = &'a GameInfo> {
        let games = self.games.iter().map(|game| &game.info);
        games.chain(self.puzzles.iter().map(|puzzle| &puzzle.info))
    }
}

impl GameInfo {
    /// Its name and those of its presets.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.presets.iter().map(|preset| preset.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Catalog<'static> = Catalog { games: BUILTIN, puzzles: PUZZLES };

    #[test]
    fn a_name_opens_a_game_of_two_players_or_of_one() {
        for puzzle in PUZZLES {
            let name = puzzle.info.name;
            assert!(names().all(|other| other != name), "{name} is a name of two games");
            let refusal = start(name).unwrap_err();
            let commands = puzzle.commands;
            assert_eq!(refusal, SpecError::OnePlayer { game: name.to_string(), commands });
            assert!(
                matches!(ALL.open_puzzle(name), Ok(Some((found, _))) if found.info.name == name)
            );
        }
        for name in names() {
            assert!(start(name).is_ok(), "{name}");
            assert!(matches!(ALL.open_puzzle(name), Ok(None)), "{name}");
        }
    }

    #[test]
    fn options_of_a_game_of_one_player_are_read_when_it_is_opened() {
        let (_, settings) = ALL.open_puzzle("gem-island:level=2,moves=7").unwrap().unwrap();
        let PuzzleSettings::GemIsland(settings) = settings;
        assert_eq!((settings.medals, settings.moves), (4, 7));
        let error = ALL.open_puzzle("gem-island:level=9").unwrap_err().to_string();
        assert!(error.contains("level '9'"), "{error}");
        // A verb for two players refuses the game, whatever its options.
        let error = start("gem-island:level=9").unwrap_err().to_string();
        let words = "'gem-island:level=9' is a game of one player; expected a game of two players";
        assert_eq!(error, words);
    }

    #[test]
    fn a_misspelt_name_is_looked_for_among_all_games() {
        let error = start("gem-iland").unwrap_err().to_string();
        assert!(error.contains("did you mean 'gem-island'"), "{error}");
        let none = Catalog { games: BUILTIN, puzzles: &[] };
        assert!(matches!(none.open("gem-island"), Err(SpecError::UnknownName { .. })));
    }
}
