//! The job of a run, as it is sent to other machines.

use serde::{Deserialize, Serialize};
use tesuji_queue::{JobError, Payload, ReceivedPayload};

use super::settings::ForestLearnerSettings;

/// A job of a run. It determines the samples and all seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct EvolutionJob {
    /// The name of the run in its store.
    pub(super) run: String,
    /// 0 before the first iteration.
    pub(super) iteration: u64,
    /// The settings of the run.
    pub(super) settings: ForestLearnerSettings,
}

/// The attachment with the forests of the population.
pub(super) const POPULATION_ATTACHMENT: &str = "population";

impl EvolutionJob {
    /// Converts the job to a payload for other machines. They use their own number of threads, and
    /// must not see the stores of the run, whose URLs may contain passwords.
    pub(super) fn to_payload(&self, task: &'static str) -> Result<Payload, JobError> {
        let mut job = self.clone();
        job.settings.threads = 0;
        job.settings.data.store = None;
        job.settings.data.import = Vec::new();
        let text = serde_json::to_string(&job);
        Ok(Payload::new(task, text.map_err(JobError::new)?))
    }

    /// Reads the payload written by [`to_payload`](Self::to_payload).
    pub(super) fn from_payload(payload: &ReceivedPayload) -> Result<EvolutionJob, JobError> {
        serde_json::from_str(&payload.text).map_err(JobError::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_contain_no_stores() {
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
        let payload = ReceivedPayload { text, files: std::collections::BTreeMap::new() };
        let read = EvolutionJob::from_payload(&payload).unwrap();
        assert_eq!((read.iteration, read.settings.seed), (7, u64::MAX));
        assert!(
            EvolutionJob::from_payload(&ReceivedPayload { text: "{}".to_string(), ..payload })
                .is_err()
        );
    }
}
