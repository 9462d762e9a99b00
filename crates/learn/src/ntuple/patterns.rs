//! The patterns of a network: drawn at random, found by a search, or taken from a forest.

use std::collections::HashSet;
use std::path::Path;

use tesuji_games::RowGrid;

use super::TupleNetwork;
use super::rng::{RngPurpose, rng_for};
use crate::forest::{
    Pattern, PatternShape, PatternSymmetries, PatternWindow, Placement, Spread, Translations,
    random_pattern,
};
use crate::forest::{PatternFit, xml};
use crate::settings::settings;
use tesuji_train::SettingsError;

settings! {
    /// Settings of the patterns.
    pub struct PatternSettings {
        /// `lines`, `walks`, `scattered`, `mixed`, `search`, or `forest:FILE.xml` for those of an
        /// evolved forest.
        pub from: String = "lines".to_string();
        /// The number of patterns. Fewer if no more are distinct: a board has only two kinds of
        /// lines of one length.
        pub count: usize = 6, 1.0..=TupleNetwork::MAX_PATTERNS as f64;
        /// Cells per pattern. The patterns cycle through several numbers.
        pub cells: Vec<usize> = vec![5, 6, 7];
        /// The side of the window that patterns are drawn from; reduced to fit on the board.
        pub window: usize = 7, 1.0..=20.0;
        /// How patterns are placed. Default: in all ways; in games with gravity, mirrored and only
        /// on the same rows.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub spread: Option<Spread> = None;
        /// Settings of the search for patterns.
        pub search: PatternSearchSettings = PatternSearchSettings::default();
    }

    /// Settings of the search for patterns.
    pub struct PatternSearchSettings {
        /// Patterns to try for each one that is kept.
        pub tries: usize = 8, 1.0..=10_000.0;
        /// Games whose positions are the examples.
        pub games: usize = 2_000, 10.0..=1e6;
        /// Self-play games that train the weights which play those games.
        pub practice: u64 = 2_000, 0.0..=1e9;
    }
}

/// The source of the patterns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PatternSource<'a> {
    Drawn(PatternShape),
    Search,
    Forest(&'a Path),
}

impl PatternSettings {
    /// The meaning of `from`.
    pub(super) fn source(&self) -> Result<PatternSource<'_>, SettingsError> {
        Ok(match self.from.as_str() {
            "lines" => PatternSource::Drawn(PatternShape::Lines),
            "walks" => PatternSource::Drawn(PatternShape::Walks),
            "scattered" => PatternSource::Drawn(PatternShape::Scattered),
            "mixed" => PatternSource::Drawn(PatternShape::Mixed),
            "search" => PatternSource::Search,
            other => match other.strip_prefix("forest:") {
                Some(file) if !file.is_empty() => PatternSource::Forest(Path::new(file)),
                _ => {
                    return Err(SettingsError::value(format!(
                        "`patterns.from`: invalid value '{}'; expected lines, walks, scattered, mixed, \
                         search or forest:FILE.xml",
                        other.replace(char::is_control, " ")
                    )));
                }
            },
        })
    }

    /// The spread on a board.
    pub fn spread_on(&self, grid: &RowGrid) -> Spread {
        let window = self.window_on(grid);
        let covers = window.side == grid.columns && window.side == grid.rows;
        let falling = Spread {
            symmetries: PatternSymmetries::Mirror,
            slide: if covers { Translations::Nowhere } else { Translations::Sideways },
            fit: PatternFit::Box,
        };
        self.spread.unwrap_or(if grid.gravity { falling } else { Spread::default() })
    }

    /// The window on a board.
    pub fn window_on(&self, grid: &RowGrid) -> PatternWindow {
        PatternWindow::within(self.window, grid)
    }

    /// Random patterns of this shape with distinct placements.
    pub(super) fn drawn(&self, shape: PatternShape, grid: &RowGrid, seed: u64) -> Vec<Pattern> {
        let mut set = PatternSet::new(self.spread_on(grid), *grid);
        for number in 0..self.count {
            let cells = self.cells[number % self.cells.len()];
            let rng = &mut rng_for(seed, RngPurpose::Pattern, number as u64);
            let mut draw = || random_pattern(self.window_on(grid), cells, shape, rng);
            let _ = (0..ATTEMPTS).any(|_| set.add(draw()));
        }
        set.patterns
    }

    /// The distinct patterns of a forest and their spread.
    pub(super) fn of_forest(&self, file: &Path) -> Result<(Vec<Pattern>, Spread), SettingsError> {
        let forest = xml::load(file).map_err(|error| {
            SettingsError::value(format!("`patterns.from`: {}: {error}", file.display()))
        })?;
        let mut seen = HashSet::new();
        let patterns = forest.trees.iter().map(|tree| tree.pattern.clone());
        let patterns = patterns.filter(|pattern| seen.insert(pattern.clone())).collect();
        Ok((patterns, self.spread.unwrap_or(forest.spread)))
    }
}

/// Patterns with distinct placements.
pub(super) struct PatternSet {
    spread: Spread,
    grid: RowGrid,
    placements: HashSet<Vec<Placement>>,
    pub(super) patterns: Vec<Pattern>,
}

/// Attempts to draw a pattern that is new and has a placement on the board.
const ATTEMPTS: usize = 100;

impl PatternSet {
    pub(super) fn new(spread: Spread, grid: RowGrid) -> PatternSet {
        PatternSet { spread, grid, placements: HashSet::new(), patterns: Vec::new() }
    }

    /// Adds a pattern if it is new; returns whether it was.
    pub(super) fn add(&mut self, pattern: Pattern) -> bool {
        let Some(placements) = self.new_placements(&pattern) else { return false };
        self.placements.insert(placements);
        self.patterns.push(pattern);
        true
    }

    /// The sorted placements of a pattern; `None` if another one has the same, or if there is none.
    pub(super) fn new_placements(&self, pattern: &Pattern) -> Option<Vec<Placement>> {
        let mut placements = self.spread.placements(pattern, &self.grid);
        placements.iter_mut().for_each(|cells| cells.sort_unstable());
        placements.sort_unstable();
        placements.dedup();
        (!placements.is_empty() && !self.placements.contains(&placements)).then_some(placements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: RowGrid = RowGrid { columns: 10, rows: 10, k: 5, gravity: false };

    #[test]
    fn a_board_has_two_kinds_of_lines_of_one_length() {
        let settings = PatternSettings { count: 9, cells: vec![7], ..PatternSettings::default() };
        assert_eq!(settings.drawn(PatternShape::Lines, &BOARD, 1).len(), 2);
        let settings = PatternSettings { cells: vec![5, 6], ..settings };
        assert_eq!(settings.drawn(PatternShape::Lines, &BOARD, 1).len(), 4);
        let walks = PatternSettings { count: 30, cells: vec![8], ..settings };
        assert_eq!(walks.drawn(PatternShape::Walks, &BOARD, 1).len(), 30);
    }

    #[test]
    fn gravity_changes_the_default_spread() {
        let settings = PatternSettings::default();
        assert_eq!(settings.spread_on(&BOARD), Spread::default());
        let high = RowGrid { columns: 7, rows: 6, k: 4, gravity: true };
        assert_eq!(settings.spread_on(&high).slide, Translations::Sideways);
        let square = RowGrid { rows: 7, ..high };
        assert_eq!(settings.spread_on(&square).slide, Translations::Nowhere);
    }

    #[test]
    fn sources_are_parsed() {
        let source = |from: &str| {
            let settings = PatternSettings { from: from.into(), ..PatternSettings::default() };
            settings.source().map(|source| format!("{source:?}")).map_err(|e| e.to_string())
        };
        assert_eq!(source("walks").unwrap(), "Drawn(Walks)");
        assert_eq!(source("forest:a.xml").unwrap(), r#"Forest("a.xml")"#);
        assert!(source("forest:").unwrap_err().contains("forest:FILE.xml"));
        assert!(source("line").unwrap_err().contains("'line'"));
    }
}
