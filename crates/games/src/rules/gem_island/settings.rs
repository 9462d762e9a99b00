//! What a game of Gem Island can be told: the size of the board, what lies on it, how many moves there are, and which
//! rules hold.

use crate::{Spec, SpecError};

/// Which rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Rules {
    /// The published game (Brereton, 2017) as its code plays it: six in a row make no bonus, a board without a legal
    /// swap ends the game without a result, and medals under more than one layer of ice can be seen.
    Original,
    /// Without these faults: six and more make a star, dead boards are shuffled, ice hides what it covers; and a square
    /// of nine, whose every gem would become a bonus, goes as a whole.
    Fixed,
}

/// A game's parameters. Made by [`level`](Self::level) or [`from_spec`](Self::from_spec), or filled in and
/// [`check`](Self::check)ed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// Kinds of gems.
    pub kinds: u8,
    /// Rows under ice, from the bottom.
    pub ice_rows: u8,
    /// Layers of ice on each cell of these.
    pub ice_layers: u8,
    /// Medals under the ice.
    pub medals: u8,
    /// Moves in which all of them must be freed.
    pub moves: u16,
    /// Which rules hold.
    pub rules: Rules,
}

/// Kinds of gems that three bits can tell apart.
pub const MOST_KINDS: u8 = 8;
/// Layers of ice that three bits can count.
pub const MOST_LAYERS: u8 = 7;
/// Rows or columns of the largest board.
pub const LONGEST_SIDE: u8 = 31;

/// The three levels: rows of ice, medals, moves.
const LEVELS: [(u8, u8, u16); 3] = [(5, 3, 20), (7, 4, 25), (9, 5, 30)];

impl Settings {
    /// Level 1, 2 or 3 of the published game, 9 × 9 with six kinds of gems.
    pub fn level(number: usize) -> Option<Settings> {
        let &(ice_rows, medals, moves) = LEVELS.get(number.checked_sub(1)?)?;
        let rules = Rules::Fixed;
        Some(Settings {
            rows: 9,
            columns: 9,
            kinds: 6,
            ice_rows,
            ice_layers: 1,
            medals,
            moves,
            rules,
        })
    }

    /// The level that this is, whatever its rules.
    pub fn which_level(&self) -> Option<usize> {
        (1..=LEVELS.len()).find(|n| {
            Settings::level(*n).is_some_and(|l| Settings { rules: l.rules, ..*self } == l)
        })
    }

    /// These settings with other rules.
    pub fn with_rules(self, rules: Rules) -> Settings {
        Settings { rules, ..self }
    }

    /// Reads `gem-island:level=1,rules=original,7x16,kinds=6,ice=5,layers=1,medals=3,moves=20`: a level, and what is
    /// different from it. A size is columns × rows, as for every other game.
    pub fn from_spec(mut spec: Spec) -> Result<Settings, SpecError> {
        let level = spec.number("level", 1..=LEVELS.len() as u64)?.unwrap_or(1) as usize;
        let mut settings = Settings::level(level).unwrap_or_else(|| unreachable!());
        if let Some(size) = spec.size()? {
            let side = |n: &usize| u8::try_from(*n).ok().filter(|n| (1..=LONGEST_SIDE).contains(n));
            let sides: Vec<u8> = size.iter().filter_map(side).collect();
            let ([columns, rows], 2) = (sides[..].try_into().unwrap_or([0, 0]), size.len()) else {
                return Err(spec.bad_value("size", &joined(&size), "COLUMNSxROWS, such as 9x9"));
            };
            if rows == 0 {
                let expected = format!("two sides of 1 to {LONGEST_SIDE}, such as 9x9");
                return Err(spec.bad_value("size", &joined(&size), &expected));
            }
            (settings.rows, settings.columns) = (rows, columns);
            settings.ice_rows = settings.ice_rows.min(rows);
        }
        let mut byte = |key, most: u8| spec.number(key, 0..=u64::from(most));
        let (kinds, ice) = (byte("kinds", MOST_KINDS)?, byte("ice", settings.rows)?);
        let (layers, medals) = (byte("layers", MOST_LAYERS)?, byte("medals", u8::MAX)?);
        let moves = spec.number("moves", 1..=9999)?;
        let rules =
            spec.choice("rules", &[("fixed", Rules::Fixed), ("original", Rules::Original)])?;
        settings.kinds = kinds.map_or(settings.kinds, |n| n as u8);
        settings.ice_rows = ice.map_or(settings.ice_rows, |n| n as u8);
        settings.ice_layers = layers.map_or(settings.ice_layers, |n| n as u8);
        settings.medals = medals.map_or(settings.medals, |n| n as u8);
        settings.moves = moves.map_or(settings.moves, |n| n as u16);
        settings.rules = rules.unwrap_or(settings.rules);
        spec.finish()?;
        settings.check()?;
        Ok(settings)
    }

    /// Whether there can be such a game.
    pub fn check(&self) -> Result<(), BadSettings> {
        let short = self.rows.max(self.columns) < 3;
        let largest = self.rows.max(self.columns);
        if short || largest > LONGEST_SIDE || self.rows == 0 || self.columns == 0 {
            Err(BadSettings::Size { rows: self.rows, columns: self.columns })
        } else if !(3..=MOST_KINDS).contains(&self.kinds) {
            Err(BadSettings::Kinds { kinds: self.kinds })
        } else if self.ice_rows > self.rows {
            Err(BadSettings::Ice { ice_rows: self.ice_rows, rows: self.rows })
        } else if !(1..=MOST_LAYERS).contains(&self.ice_layers) {
            Err(BadSettings::Layers { layers: self.ice_layers })
        } else if self.medals == 0 || self.medals > self.most_medals() {
            let most = self.most_medals();
            Err(BadSettings::Medals { medals: self.medals, ice_rows: self.ice_rows, most })
        } else if self.moves == 0 {
            Err(BadSettings::Moves)
        } else {
            Ok(())
        }
    }

    /// So many medals find a place: those that fit however unluckily the earlier ones lie (each takes at most nine
    /// places away), or half of a perfect packing, which chance finds after a few tries.
    pub fn most_medals(&self) -> u8 {
        let (ice, columns) = (u32::from(self.ice_rows), u32::from(self.columns));
        let places = ice.saturating_sub(1) * columns.saturating_sub(1);
        let packed = (ice / 2) * (columns / 2);
        places.div_ceil(9).max(packed.div_ceil(2)).min(255) as u8
    }
}

fn joined(size: &[usize]) -> String {
    size.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// Why there can be no such game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadSettings {
    /// Too small or too large.
    #[error(
        "a board of {rows} rows and {columns} columns: one side must be 3 or longer, none over {LONGEST_SIDE}"
    )]
    Size {
        /// As given.
        rows: u8,
        /// As given.
        columns: u8,
    },
    /// Too few or too many kinds.
    #[error("{kinds} kinds of gems: from 3 to {MOST_KINDS} are possible")]
    Kinds {
        /// As given.
        kinds: u8,
    },
    /// More ice than board.
    #[error("{ice_rows} rows of ice on a board of {rows} rows")]
    Ice {
        /// As given.
        ice_rows: u8,
        /// As given.
        rows: u8,
    },
    /// No layer, or too many.
    #[error("{layers} layers of ice: from 1 to {MOST_LAYERS} are possible")]
    Layers {
        /// As given.
        layers: u8,
    },
    /// No medal, or more than find a place.
    #[error("{medals} medals under {ice_rows} rows of ice: from 1 to {most} are possible")]
    Medals {
        /// As given.
        medals: u8,
        /// As given.
        ice_rows: u8,
        /// What would be right.
        most: u8,
    },
    /// No move.
    #[error("a game of no moves: from 1 to 9999 are possible")]
    Moves,
}

impl From<BadSettings> for SpecError {
    fn from(error: BadSettings) -> SpecError {
        SpecError::Impossible { owner: "gem-island".to_string(), why: error.to_string() }
    }
}
