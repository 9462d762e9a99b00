//! Games by name: their descriptions, and how a text such as `mnk:10x10,k=5` is opened as a
//! position.

use crate::rules::{BUILTIN, PUZZLES, gem_island};
use crate::{Spec, SpecError, State};

/// A registered game for two players: its description and how it is opened. A game may have several
/// position types (a fast one for the standard board, a general one for other sizes).
#[derive(Clone, Copy, Debug)]
pub struct GameEntry {
    /// Name and description.
    pub info: GameInfo,
    /// Reads the options and returns the starting position. It must take every option and call
    /// [`Spec::finish`].
    pub open: fn(Spec) -> Result<State, SpecError>,
}

/// A registered game for one player against chance, with hidden information. It has no [`State`]:
/// opening it returns its settings, and code that plays it uses its type.
#[derive(Clone, Copy, Debug)]
pub struct Puzzle {
    /// Name and description.
    pub info: GameInfo,
    /// How it differs from games for two players, in a few words.
    pub nature: &'static str,
    /// The commands for it.
    pub commands: PuzzleCommands,
    /// Reads the options. It must take every option and call [`Spec::finish`].
    pub open: fn(Spec) -> Result<PuzzleSettings, SpecError>,
}

/// The commands for a game of one player, to which the commands for two players do not apply. An
/// error about such a game carries them, so that each command can name its replacement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuzzleCommands {
    /// The command whose help describes all of them.
    pub verb: &'static str,
    /// Measures agents, as matches and tournaments do for players.
    pub measure: &'static str,
    /// Suggests the best move, as an analysis does.
    pub hint: &'static str,
    /// Trains an agent.
    pub train: &'static str,
}

/// The settings of an opened game for one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum PuzzleSettings {
    /// Gem Island.
    GemIsland(gem_island::GemSettings),
}

/// The description of a game.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GameInfo {
    /// The name in front of the colon.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The rules in a few sentences.
    pub rules: &'static str,
    /// The options with their meaning.
    pub options: &'static [(&'static str, &'static str)],
    /// Short names for combinations of options.
    pub presets: &'static [Preset],
}

/// A short name for a game with certain options: `connect6` is `mnk:19x19,k=6,p=2,q=1`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Preset {
    /// The short name, which may be followed by further options.
    pub name: &'static str,
    /// The full text.
    pub stands_for: &'static str,
    /// The display name.
    pub title: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The rules in a few sentences.
    pub rules: &'static str,
}

/// Opens a built-in game for two players from a text such as `connect4` or `mnk:10x10,k=5`.
pub fn start(text: &str) -> Result<State, SpecError> {
    Catalog { games: BUILTIN, puzzles: PUZZLES }.open(text).map(|(_, start)| start)
}

/// The descriptions of the built-in games for two players.
pub fn games() -> impl Iterator<Item = &'static GameInfo> {
    BUILTIN.iter().map(|game| &game.info)
}

/// The names of all built-in games for two players and of their presets, which [`start`] opens.
pub fn names() -> impl Iterator<Item = &'static str> {
    names_of(BUILTIN)
}

/// The names of these games and of their presets.
pub fn names_of(games: &[GameEntry]) -> impl Iterator<Item = &'static str> {
    games.iter().flat_map(|game| game.info.names())
}

/// The games that can be opened by name.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    /// Games for two players.
    pub games: &'a [GameEntry],
    /// Games for one player.
    pub puzzles: &'a [Puzzle],
}

impl<'a> Catalog<'a> {
    /// Opens a game for two players and returns its index in `games` and its start.
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

    /// Opens a game for one player; `None` if the text names no such game.
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

    /// Parses the text and replaces a preset by its full text.
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
    /// The names of the game and of its presets.
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
        // A command for two players rejects the game before it reads the options.
        let error = start("gem-island:level=9").unwrap_err().to_string();
        let words = "game 'gem-island:level=9': has one player; expected a game of two players";
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
