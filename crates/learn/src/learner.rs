//! Which learner a file of settings is for: the word behind `learner`. A new learner is one more variant here.

use serde::Deserialize;

use crate::critic::CriticSettings;
use crate::evolution::settings::first_difference;
use crate::evolution::{Settings, SettingsError};
use crate::gem_island::NetworkSettings;
use crate::gomoku::TuneSettings;
use crate::line_network::LineSettings;
use crate::ntuple::WeightSettings;

/// Settings of any learner.
#[derive(Clone, PartialEq, Debug)]
pub enum LearnerSettings {
    /// `learner = "forest"`, or nothing.
    Forest(Box<Settings>),
    /// `learner = "weights"`.
    Weights(Box<WeightSettings>),
    /// `learner = "gem-outcome"` or `"gem-utility"`.
    Network(Box<NetworkSettings>),
    /// `learner = "gomoku-eval"`.
    Gomoku(Box<TuneSettings>),
    /// `learner = "critic"`.
    Critic(Box<CriticSettings>),
    /// `learner = "line-network"`.
    Lines(Box<LineSettings>),
}

/// The words that may stand behind `learner`.
pub const LEARNERS: [&str; 7] =
    ["forest", "weights", "gem-outcome", "gem-utility", "gomoku-eval", "critic", "line-network"];

fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted
        .split_last()
        .map_or(String::new(), |(last, others)| format!("{} or {last}", others.join(", ")))
}

/// The one key that is read before all others.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Peek {
    learner: Option<String>,
}

impl LearnerSettings {
    /// The word behind `learner`.
    pub fn learner(&self) -> &'static str {
        match self {
            LearnerSettings::Forest(_) => "forest",
            LearnerSettings::Weights(_) => "weights",
            LearnerSettings::Network(settings) => settings.learner.name(),
            LearnerSettings::Gomoku(_) => "gomoku-eval",
            LearnerSettings::Critic(_) => "critic",
            LearnerSettings::Lines(_) => "line-network",
        }
    }

    /// Reads the text of a TOML file.
    pub fn from_toml(text: &str) -> Result<LearnerSettings, SettingsError> {
        // What is not even TOML is complained about by the reader of the usual learner.
        let peek: Peek = toml::from_str(text).unwrap_or_default();
        match peek.learner.as_deref() {
            None | Some("forest") => {
                Settings::from_toml(text).map(|it| LearnerSettings::Forest(Box::new(it)))
            }
            Some("weights") => WeightSettings::from_toml(text)
                .map(|it| LearnerSettings::Weights(Box::new(it)))
                .map_err(|error| SettingsError::Sense(error.to_string())),
            Some("gem-outcome" | "gem-utility") => {
                NetworkSettings::from_toml(text).map(|it| LearnerSettings::Network(Box::new(it)))
            }
            Some("gomoku-eval") => {
                TuneSettings::from_toml(text).map(|it| LearnerSettings::Gomoku(Box::new(it)))
            }
            Some("critic") => {
                CriticSettings::from_toml(text).map(|it| LearnerSettings::Critic(Box::new(it)))
            }
            Some("line-network") => {
                LineSettings::from_toml(text).map(|it| LearnerSettings::Lines(Box::new(it)))
            }
            Some(other) => Err(SettingsError::Sense(format!(
                "unknown `learner` \"{}\"; expected {}",
                other.escape_debug(),
                listed(&LEARNERS)
            ))),
        }
    }

    /// All settings as TOML, with the defaults written out.
    pub fn to_toml(&self) -> String {
        match self {
            LearnerSettings::Forest(settings) => settings.to_toml(),
            LearnerSettings::Weights(settings) => settings.to_toml(),
            LearnerSettings::Network(settings) => settings.to_toml(),
            LearnerSettings::Gomoku(settings) => settings.to_toml(),
            LearnerSettings::Critic(settings) => settings.to_toml(),
            LearnerSettings::Lines(settings) => settings.to_toml(),
        }
    }

    /// The game as text.
    pub fn game(&self) -> &str {
        match self {
            LearnerSettings::Forest(settings) => &settings.game,
            LearnerSettings::Weights(settings) => &settings.game,
            LearnerSettings::Network(_) => "gem-island",
            LearnerSettings::Gomoku(_) | LearnerSettings::Lines(_) => "gomoku",
            LearnerSettings::Critic(settings) => &settings.game,
        }
    }

    /// The first key that decides results and has another value than in a run that is to be carried on. How long
    /// it goes on, and on how many threads, may change.
    pub fn difference(&self, run: &LearnerSettings) -> Option<String> {
        match (self, run) {
            (LearnerSettings::Forest(now), LearnerSettings::Forest(run)) => now.difference(run),
            (LearnerSettings::Weights(now), LearnerSettings::Weights(run)) => {
                let mut now = now.clone();
                now.learning.games = run.learning.games;
                first_difference(&now.to_toml(), &run.to_toml())
            }
            (LearnerSettings::Network(now), LearnerSettings::Network(run)) => {
                let now = now.clone().with_freedoms_of(run);
                first_difference(&now.to_toml(), &run.to_toml())
            }
            (LearnerSettings::Gomoku(now), LearnerSettings::Gomoku(run)) => {
                let now = now.clone().with_freedoms_of(run);
                first_difference(&now.to_toml(), &run.to_toml())
            }
            (LearnerSettings::Critic(now), LearnerSettings::Critic(run)) => {
                let now = now.clone().with_freedoms_of(run);
                first_difference(&now.to_toml(), &run.to_toml())
            }
            (LearnerSettings::Lines(now), LearnerSettings::Lines(run)) => {
                let now = now.clone().with_freedoms_of(run);
                first_difference(&now.to_toml(), &run.to_toml())
            }
            _ => Some("`learner` is another one in the run".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learner_decides_which_keys_there_are() {
        let read = |text: &str| LearnerSettings::from_toml(text);
        let forest = read("game = 'tictactoe'").unwrap();
        assert!(matches!(forest, LearnerSettings::Forest(_)));
        let weights = read("learner = 'weights'\ngame = 'tictactoe'").unwrap();
        assert!(matches!(weights, LearnerSettings::Weights(_)));
        assert_eq!(LearnerSettings::from_toml(&weights.to_toml()), Ok(weights.clone()));
        assert_eq!((forest.game(), weights.game()), ("tictactoe", "tictactoe"));
        assert_eq!(weights.difference(&weights), None);
        assert!(weights.difference(&forest).is_some());
        for learner in LEARNERS {
            let settings = read(&format!("learner = '{learner}'\ngame = 'tictactoe'"));
            let settings = settings.or_else(|_| read(&format!("learner = '{learner}'")));
            assert_eq!(settings.unwrap().learner(), learner);
        }
        let other = read("learner = 'weights'\ngame = 'tictactoe'\nseed = 5").unwrap();
        assert_eq!(other.difference(&weights).as_deref(), Some("`seed` is 1 in the run and 5 now"));
        for text in
            ["learner = 'net'", "learner = 3", "learner = 'weights'\n[forest]\ntrees = 3", "x"]
        {
            let error = read(text).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
