//! What is played for a run, and how it is told to other machines.

use serde::{Deserialize, Serialize};
use tesuji_queue::{Brief, Parcel, Trouble};

use super::settings::ForestLearnerSettings;

/// A part of a run. The samples that it makes and all seeds follow from it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct EvolutionJob {
    /// The name of the run in its store.
    pub(super) run: String,
    /// 0 before the first iteration.
    pub(super) iteration: u64,
    /// What is to be done.
    pub(super) settings: ForestLearnerSettings,
}

/// The file with the forests that play.
pub(super) const POPULATION_ATTACHMENT: &str = "population";

impl EvolutionJob {
    /// For other machines. They have threads of their own, and no business in the stores of the run, whose addresses may
    /// hold passwords.
    pub(super) fn to_payload(&self, task: &'static str) -> Result<Brief, Trouble> {
        let mut job = self.clone();
        job.settings.threads = 0;
        job.settings.data.store = None;
        job.settings.data.import = Vec::new();
        let text = serde_json::to_string(&job);
        Ok(Brief::new(task, text.map_err(Trouble::of)?))
    }

    /// Reads what [`to_payload`](Self::to_payload) wrote.
    pub(super) fn from_payload(parcel: &Parcel) -> Result<EvolutionJob, Trouble> {
        serde_json::from_str(&parcel.text).map_err(Trouble::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_holds_no_stores() {
        let mut settings = ForestLearnerSettings {
            game: "tictactoe".to_string(),
            ..ForestLearnerSettings::default()
        };
        settings.data.store = Some("postgres://me:secret@there/samples".to_string());
        settings.data.import = vec!["postgres://me:secret@there/more".to_string()];
        settings.seed = u64::MAX;
        let job = EvolutionJob { run: "r".to_string(), iteration: 7, settings };
        let text = job.to_payload("task").unwrap().text;
        assert!(!text.contains("secret"), "{text}");
        let parcel = Parcel { text, files: std::collections::BTreeMap::new() };
        let read = EvolutionJob::from_payload(&parcel).unwrap();
        assert_eq!((read.iteration, read.settings.seed), (7, u64::MAX));
        assert!(EvolutionJob::from_payload(&Parcel { text: "{}".to_string(), ..parcel }).is_err());
    }
}
