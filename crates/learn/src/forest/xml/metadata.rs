//! The properties that the definition has no place for, as one line of JSON in the processing
//! instruction `<?tesuji {…}?>`.

use serde::{Deserialize, Serialize};

use super::MAX_WEIGHT;
use crate::excerpt::excerpt;
use crate::forest::{Forest, PatternWindow, Spread, VoteFormula};

/// The target of the processing instruction.
pub(super) const TARGET: &str = "tesuji";

/// The properties of a forest other than its trees.
#[derive(Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    /// The format version.
    version: u32,
    pub game: String,
    pub window: PatternWindow,
    pub spread: Spread,
    pub formula: VoteFormula,
    /// The out-of-bag error of each tree.
    pub errors: Vec<Option<f64>>,
    /// The weight of each tree's votes.
    pub weights: Vec<u32>,
}

const VERSION: u32 = 1;

impl Metadata {
    pub(super) fn of(forest: &Forest) -> Metadata {
        Metadata {
            version: VERSION,
            game: forest.game.clone(),
            window: forest.window,
            spread: forest.spread,
            formula: forest.formula,
            errors: forest.trees.iter().map(|tree| tree.error).collect(),
            weights: forest.trees.iter().map(|tree| tree.weight).collect(),
        }
    }

    /// The content of the instruction, without `?>`. A question mark occurs only in JSON strings,
    /// where the next character can be escaped.
    pub(super) fn written(&self) -> String {
        let json = serde_json::to_string(self).expect("plain data");
        json.replace("?>", "?\\u003e")
    }

    pub(super) fn read(content: &str) -> Result<Metadata, String> {
        let read: Metadata =
            serde_json::from_str(content.trim()).map_err(|error| wrong(excerpt_of(&error)))?;
        match read.problem() {
            Some(why) => Err(wrong(why)),
            None => Ok(read),
        }
    }

    fn problem(&self) -> Option<String> {
        let (version, side) = (self.version, self.window.side);
        if version != VERSION {
            return Some(format!("version {version}; expected {VERSION}"));
        }
        if side == 0 || side > PatternWindow::MAX_SIDE {
            return Some(format!("window {side}; expected 1 to {}", PatternWindow::MAX_SIDE));
        }
        if self.game.len() > 200 || self.game.chars().any(char::is_control) {
            return Some(format!("game '{}'; expected a game's name", excerpt(&self.game)));
        }
        let share = |error: &&Option<f64>| error.is_some_and(|e| !(0.0..=1.0).contains(&e));
        if let Some(Some(error)) = self.errors.iter().find(share) {
            return Some(format!("error {error}; expected 0 to 1"));
        }
        let heavy = self.weights.iter().find(|&&weight| weight > MAX_WEIGHT)?;
        Some(format!("weight {heavy}; expected 0 to {MAX_WEIGHT}"))
    }

    /// Checks that there is an error and a weight for every tree.
    pub(super) fn check_trees(&self, trees: usize) -> Result<(), String> {
        let (errors, weights) = (self.errors.len(), self.weights.len());
        if errors == trees && weights == trees {
            return Ok(());
        }
        Err(wrong(format!(
            "{errors} errors and {weights} weights; expected one for each of the {trees} trees"
        )))
    }
}

fn wrong(why: String) -> String {
    format!("the <?tesuji …?> instruction is invalid: {why}")
}

/// The message of serde without the position, which is meaningless in the file.
fn excerpt_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    excerpt(text.split(" at line ").next().unwrap_or(&text))
}
