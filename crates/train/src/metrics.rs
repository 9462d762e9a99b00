//! The metrics of steps: the lines of `metrics.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::chart::STRENGTH;
use crate::measure::StrengthScore;

/// The metrics that a learner reports for a step: numbers, and one line for the log.
#[derive(Clone, Debug)]
pub struct StepMetrics {
    /// The numbers by name.
    pub values: Map<String, Value>,
    /// One line for the log and the progress bar.
    pub line: String,
    /// Strength measured by the learner itself, by opponent.
    pub strength: BTreeMap<String, StrengthScore>,
}

impl StepMetrics {
    /// Takes the fields of a struct as numbers.
    pub fn new(fields: &impl Serialize, line: String) -> StepMetrics {
        let values = match serde_json::to_value(fields) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        };
        StepMetrics { values, line, strength: BTreeMap::new() }
    }

    /// Adds a strength measured by the learner.
    pub fn measured(mut self, against: &str, score: Option<StrengthScore>) -> StepMetrics {
        self.strength.extend(score.map(|score| (against.to_string(), score)));
        self
    }
}

/// One line of `metrics.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MetricsRow {
    /// Number of completed steps.
    pub step: u64,
    /// The numbers of the learner.
    #[serde(flatten)]
    pub values: Map<String, Value>,
    /// The strength against each opponent, if this step was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub strength: BTreeMap<String, StrengthScore>,
    /// The mean score against the fixed opponents, if this step was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Seconds of the step, without the measurement.
    pub seconds: f64,
}

impl MetricsRow {
    /// A metric by its name: `error`, `score`, `strength.start.score`.
    pub fn number(&self, name: &str) -> Option<f64> {
        match name {
            "step" => Some(self.step as f64),
            "seconds" => Some(self.seconds),
            "score" => self.score,
            _ => match name.strip_prefix(STRENGTH).and_then(|rest| rest.rsplit_once('.')) {
                Some((opponent, part)) => {
                    let mut numbers = self.strength.get(opponent)?.numbers();
                    numbers.find(|(name, _)| *name == part).map(|(_, number)| number)
                }
                None => self.values.get(name)?.as_f64(),
            },
        }
    }

    /// All metrics with their names, in the order of the line.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let own =
            self.values.iter().filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
        let strength = self.strength.iter().flat_map(|(opponent, score)| {
            score.numbers().map(move |(part, it)| (format!("{STRENGTH}{opponent}.{part}"), it))
        });
        let score = self.score.map(|score| ("score".to_string(), score));
        own.chain(strength).chain(score).chain([("seconds".to_string(), self.seconds)]).collect()
    }

    /// The learner's numbers as its own type.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(Value::Object(self.values.clone())).ok()
    }
}
