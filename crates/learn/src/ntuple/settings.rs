//! Settings of a run that learns weights: one TOML file with `learner = "weights"`.

use super::learning::TdSettings;
use super::patterns::PatternSettings;
use super::{TupleNetwork, network};
use crate::forest::Pattern;
use crate::settings::settings;
use tesuji_train::settings::{check_game, check_learner, check_ranges};
use tesuji_train::{CommonSettings, LearnerSettings, MeasureSettings, SettingsError};

const LEARNER: &str = "weights";

settings! {
    /// Settings of the learner. Everything but the game has a default.
    pub struct WeightLearnerSettings {
        /// The learner: `weights`.
        pub learner: String = LEARNER.to_string();
        /// The game, such as `mnk:10x10,k=5`.
        pub game: String = String::new();
        /// The random seed of the run.
        pub seed: u64 = 1, 0.0..=i64::MAX as f64;
        /// The patterns.
        pub patterns: PatternSettings = PatternSettings::default();
        /// Training.
        pub learning: TdSettings = TdSettings::default();
        /// Measurements during the run.
        pub measure: MeasureSettings = MeasureSettings::default();
    }
}

impl LearnerSettings for WeightLearnerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_learner(&self.learner, LEARNER)?;
        check_game(&self.game, "mnk:10x10,k=5")?;
        let patterns = &self.patterns;
        patterns.source()?;
        self.check_numbers("")?;
        patterns.check_numbers("patterns.")?;
        patterns.search.check_numbers("patterns.search.")?;
        self.learning.check_numbers("learning.")?;
        let max_cells = Pattern::MAX_CELLS as f64;
        check_ranges(patterns.cells.iter().map(|&n| ("patterns.cells", n as f64, 1.0, max_cells)))?;
        let tables = patterns.cells.iter().map(|&cells| network::table_size(cells));
        let weights = tables.max().unwrap_or(0).saturating_mul(patterns.count);
        let max_weights = TupleNetwork::MAX_WEIGHTS as f64;
        check_ranges([
            ("patterns.cells (count)", patterns.cells.len() as f64, 1.0, 100.0),
            ("patterns.count times the largest table", weights as f64, 1.0, max_weights),
        ])
    }

    fn common(&self) -> CommonSettings {
        CommonSettings {
            game: self.game.clone(),
            seed: self.seed,
            steps: Some(self.learning.games.div_ceil(self.learning.block)),
            measure: Some(self.measure.clone()),
            ..CommonSettings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_need_only_a_game_and_round_trip() {
        let settings = WeightLearnerSettings::from_toml("game = 'tictactoe'").unwrap();
        let text = settings.to_toml();
        assert_eq!(WeightLearnerSettings::from_toml(&text).unwrap(), settings, "{text}");
        assert!(text.contains("learner = \"weights\"") && text.contains("alpha = "), "{text}");
    }

    #[test]
    fn the_earlier_spelling_of_a_key_is_read() {
        let text = "game = 'g'\n[learning]\ninstinct = 'none'";
        let settings = WeightLearnerSettings::from_toml(text).unwrap();
        assert_eq!(settings.learning.tactics, super::super::TacticsMode::None);
        assert!(settings.to_toml().contains("tactics = \"none\""));
    }

    #[test]
    fn errors_name_the_problem_in_one_line() {
        for (text, words) in [
            ("", "`game`"),
            ("game = 3", "invalid type"),
            ("game = 'g'\nlearner = 'forest'", "`learner`"),
            ("game = 'g'\nseeds = 3", "unknown field `seeds`"),
            ("game = 'g'\n[learning]\nalfa = 1", "unknown field `alfa`"),
            ("game = 'g'\n[learning]\nalpha = 0", "`learning.alpha`"),
            ("game = 'g'\n[learning]\nlambda = nan", "`learning.lambda`"),
            ("game = 'g'\n[patterns]\ncells = []", "(count)"),
            ("game = 'g'\n[patterns]\ncells = [8, 13]", "`patterns.cells`"),
            ("game = 'g'\n[patterns]\ncells = [12]\ncount = 4096", "the largest table"),
            ("game = 'g'\n[patterns]\nfrom = 'stars'", "'stars'; expected lines, walks"),
            ("game = 'g'\n[patterns.spread]\nslide = 'up'", "unknown variant `up`"),
        ] {
            let error = WeightLearnerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
