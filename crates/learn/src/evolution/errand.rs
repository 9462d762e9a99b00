//! What is played for a run, and how it is told to other machines.

use serde::{Deserialize, Serialize};
use tesuji_queue::{JobError, Payload, ReceivedPayload};

use super::settings::Settings;

/// A part of a run. The samples that it makes and all chance follow from it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Errand {
    /// The name of the run in its store.
    pub(super) run: String,
    /// 0 before the first iteration.
    pub(super) iteration: u64,
    /// What is to be done.
    pub(super) settings: Settings,
}

/// The file with the forests that play.
pub(super) const POPULATION: &str = "population";

impl Errand {
    /// For other machines. They have threads of their own, and no business in the stores of the run, whose addresses may
    /// hold passwords.
    pub(super) fn brief(&self, task: &'static str) -> Result<Payload, JobError> {
        let mut errand = self.clone();
        errand.settings.threads = 0;
        errand.settings.data.store = None;
        errand.settings.data.import = Vec::new();
        let text = serde_json::to_string(&errand);
        Ok(Payload::new(task, text.map_err(JobError::new)?))
    }

    /// Reads what [`brief`](Self::brief) wrote.
    pub(super) fn read(parcel: &ReceivedPayload) -> Result<Errand, JobError> {
        serde_json::from_str(&parcel.text).map_err(JobError::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_holds_no_stores() {
        let mut settings = Settings { game: "tictactoe".to_string(), ..Settings::default() };
        settings.data.store = Some("postgres://me:secret@there/samples".to_string());
        settings.data.import = vec!["postgres://me:secret@there/more".to_string()];
        settings.seed = u64::MAX;
        let errand = Errand { run: "r".to_string(), iteration: 7, settings };
        let text = errand.brief("task").unwrap().text;
        assert!(!text.contains("secret"), "{text}");
        let parcel = ReceivedPayload { text, files: std::collections::BTreeMap::new() };
        let read = Errand::read(&parcel).unwrap();
        assert_eq!((read.iteration, read.settings.seed), (7, u64::MAX));
        assert!(Errand::read(&ReceivedPayload { text: "{}".to_string(), ..parcel }).is_err());
    }
}
