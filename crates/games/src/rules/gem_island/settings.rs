//! The settings of a game of Gem Island: board size, gems, ice, medals, moves and rules.

use std::fmt;

use crate::{Spec, SpecError};

/// The variant of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum GemRules {
    /// The published game (Brereton, 2017) as implemented by its code: six in a row make no bonus,
    /// a board without a legal swap ends the game without a result, and medals under more than one
    /// layer of ice are visible.
    Original,
    /// The game without these faults: six and more in a row make a star, boards without a legal
    /// swap are shuffled, ice always hides medals; and a square of nine, in which every gem would
    /// become a bonus, is removed completely.
    Fixed,
}

/// The parameters of a game. Created by [`level`](Self::level) or [`from_spec`](Self::from_spec),
/// or as a literal and then checked with [`check`](Self::check).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GemSettings {
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// Kinds of gems.
    pub kinds: u8,
    /// Rows under ice, from the bottom.
    pub ice_rows: u8,
    /// Layers of ice on each cell of these rows.
    pub ice_layers: u8,
    /// Medals under the ice.
    pub medals: u8,
    /// Moves in which all medals must be freed.
    pub moves: u16,
    /// The variant of the rules.
    pub rules: GemRules,
}

/// The maximum number of kinds of gems, which three bits represent.
pub const MAX_KINDS: u8 = 8;
/// The maximum number of layers of ice, which three bits count.
pub const MAX_LAYERS: u8 = 7;
/// The maximum number of rows and of columns.
pub const MAX_SIDE: u8 = 31;

/// The three levels: rows of ice, medals, moves.
const LEVELS: [(u8, u8, u16); 3] = [(5, 3, 20), (7, 4, 25), (9, 5, 30)];

impl GemSettings {
    /// Level 1, 2 or 3 of the published game, 9 × 9 with six kinds of gems.
    pub fn level(number: usize) -> Option<GemSettings> {
        let &(ice_rows, medals, moves) = LEVELS.get(number.checked_sub(1)?)?;
        let rules = GemRules::Fixed;
        Some(GemSettings {
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

    /// The level with these settings, with any rules.
    pub fn which_level(&self) -> Option<usize> {
        (1..=LEVELS.len()).find(|n| {
            GemSettings::level(*n).is_some_and(|l| GemSettings { rules: l.rules, ..*self } == l)
        })
    }

    /// These settings with other rules.
    pub fn with_rules(self, rules: GemRules) -> GemSettings {
        GemSettings { rules, ..self }
    }

    /// Reads `gem-island:level=1,rules=original,7x16,kinds=6,ice=5,layers=1,medals=3,moves=20`: a
    /// level and the parameters that differ from it. A size is columns × rows, as for every other
    /// game.
    pub fn from_spec(mut spec: Spec) -> Result<GemSettings, SpecError> {
        let level = spec.number("level", 1..=LEVELS.len() as u64)?.unwrap_or(1) as usize;
        let mut settings = GemSettings::level(level).unwrap_or_else(|| unreachable!());
        if let Some(size) = spec.size()? {
            let side = |n: &usize| u8::try_from(*n).ok().filter(|n| (1..=MAX_SIDE).contains(n));
            let sides: Vec<u8> = size.iter().filter_map(side).collect();
            let ([columns, rows], 2) = (sides[..].try_into().unwrap_or([0, 0]), size.len()) else {
                return Err(spec.bad_value("size", &joined(&size), "COLUMNSxROWS, such as 9x9"));
            };
            if rows == 0 {
                let expected = format!("two sides of 1 to {MAX_SIDE}, such as 9x9");
                return Err(spec.bad_value("size", &joined(&size), &expected));
            }
            (settings.rows, settings.columns) = (rows, columns);
            settings.ice_rows = settings.ice_rows.min(rows);
        }
        let mut byte = |key, most: u8| spec.number(key, 0..=u64::from(most));
        let (kinds, ice) = (byte("kinds", MAX_KINDS)?, byte("ice", settings.rows)?);
        let (layers, medals) = (byte("layers", MAX_LAYERS)?, byte("medals", u8::MAX)?);
        let moves = spec.number("moves", 1..=9999)?;
        let rules =
            spec.choice("rules", &[("fixed", GemRules::Fixed), ("original", GemRules::Original)])?;
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

    /// Checks whether a game with these settings is possible.
    pub fn check(&self) -> Result<(), GemSettingsError> {
        let short = self.rows.max(self.columns) < 3;
        let largest = self.rows.max(self.columns);
        if short || largest > MAX_SIDE || self.rows == 0 || self.columns == 0 {
            Err(GemSettingsError::Size { rows: self.rows, columns: self.columns })
        } else if !(3..=MAX_KINDS).contains(&self.kinds) {
            Err(GemSettingsError::Kinds { kinds: self.kinds })
        } else if self.ice_rows > self.rows {
            Err(GemSettingsError::Ice { ice_rows: self.ice_rows, rows: self.rows })
        } else if !(1..=MAX_LAYERS).contains(&self.ice_layers) {
            Err(GemSettingsError::Layers { layers: self.ice_layers })
        } else if self.medals == 0 || self.medals > self.max_medals() {
            let most = self.max_medals();
            Err(GemSettingsError::Medals { medals: self.medals, ice_rows: self.ice_rows, most })
        } else if self.moves == 0 {
            Err(GemSettingsError::Moves)
        } else {
            Ok(())
        }
    }

    /// The maximum number of medals that random placement can place: those that fit even in the
    /// worst case (each medal blocks at most nine places), or half of a perfect packing, which
    /// random placement finds after a few attempts.
    pub fn max_medals(&self) -> u8 {
        let (ice, columns) = (u32::from(self.ice_rows), u32::from(self.columns));
        let places = ice.saturating_sub(1) * columns.saturating_sub(1);
        let packed = (ice / 2) * (columns / 2);
        places.div_ceil(9).max(packed.div_ceil(2)).min(255) as u8
    }
}

/// The text of the game, which [`from_spec`](GemSettings::from_spec) reads.
impl fmt::Display for GemSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = super::NAME;
        let rules = if self.rules == GemRules::Original { ",rules=original" } else { "" };
        if let Some(level) = self.which_level() {
            return write!(f, "{name}:level={level}{rules}");
        }
        let GemSettings { rows, columns, kinds, ice_rows, ice_layers, medals, moves, .. } = self;
        write!(
            f,
            "{name}:{columns}x{rows},kinds={kinds},ice={ice_rows},layers={ice_layers},\
             medals={medals},moves={moves}{rules}"
        )
    }
}

fn joined(size: &[usize]) -> String {
    size.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// Why a game with these settings is impossible.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GemSettingsError {
    /// The board is too small or too large.
    #[error(
        "board: {rows} rows and {columns} columns are not possible; expected sides from \
         1 to {MAX_SIDE}, one of them at least 3"
    )]
    Size {
        /// As given.
        rows: u8,
        /// As given.
        columns: u8,
    },
    /// There are too few or too many kinds.
    #[error("kinds of gems: {kinds} is not possible; expected 3 to {MAX_KINDS}")]
    Kinds {
        /// As given.
        kinds: u8,
    },
    /// There are more rows of ice than rows.
    #[error("rows of ice: {ice_rows} is not possible; expected at most {rows}")]
    Ice {
        /// As given.
        ice_rows: u8,
        /// As given.
        rows: u8,
    },
    /// There is no layer of ice, or there are too many.
    #[error("layers of ice: {layers} is not possible; expected 1 to {MAX_LAYERS}")]
    Layers {
        /// As given.
        layers: u8,
    },
    /// There is no medal, or there are more than fit.
    #[error("medals: {medals} under {ice_rows} rows of ice is not possible; expected 1 to {most}")]
    Medals {
        /// As given.
        medals: u8,
        /// As given.
        ice_rows: u8,
        /// The maximum.
        most: u8,
    },
    /// There are no moves.
    #[error("moves: 0 is not possible; expected 1 to 9999")]
    Moves,
}

impl From<GemSettingsError> for SpecError {
    fn from(error: GemSettingsError) -> SpecError {
        SpecError::Impossible { owner: "gem-island".to_string(), why: error.to_string() }
    }
}
