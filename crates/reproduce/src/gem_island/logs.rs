//! Networks that are trained on the logs of people's games, if there are any.

use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use tempfile::NamedTempFile;
use tesuji_learn::gem_island::{GemLearnerSettings, TrainedOnLogs, train_on_logs};
use tesuji_train::LearnerSettings as _;

use crate::run::{Effort, ReproduceError, ReproductionRun};

/// The settings of the published outcome network.
pub(super) const OUTCOME_TOML: &str =
    include_str!("../../../../models/gem-outcome-as-published.toml");
/// The settings of the same network with our training.
pub(super) const OUTCOME_IN_RANDOM_ORDER_TOML: &str = r#"
learner = "gem-outcome"
seed = 1
data = "logs"
logs = "human-logs"
games = { block = 4000, permutations = 8 }
learning = { blocks = 50, batch = 16, optimizer = { method = "sgd", rate = 0.01 }, l2 = 0.0 }
measure = { every = 0 }
"#;
/// The settings of the policy network.
pub(super) const POLICY_TOML: &str = include_str!("../../../../models/gem-policy.toml");

/// The networks that were trained in this run, by their settings.
#[derive(Default)]
pub struct TrainedCache(RefCell<Vec<(GemLearnerSettings, Rc<TrainedOnLogs>)>>);

/// The file of a network, which lives as long as this value.
#[derive(Default)]
pub struct NetworkFiles(RefCell<Vec<(String, NamedTempFile)>>);

impl ReproductionRun<'_> {
    /// Trains with these settings on the logs of the run; `None` without logs. A quick run trains
    /// for a tenth of the blocks.
    pub(super) fn trained_on_logs(
        &self,
        toml: &str,
    ) -> Result<Option<Rc<TrainedOnLogs>>, ReproduceError> {
        let Some(logs) = self.logs else { return Ok(None) };
        let settings = GemLearnerSettings::from_toml(toml);
        let mut settings = settings.map_err(|error| ReproduceError::Other(error.to_string()))?;
        settings.logs = logs.to_path_buf();
        settings.seed = settings.seed.wrapping_add(self.seed).wrapping_sub(1);
        if self.effort == Effort::Quick {
            settings.learning.blocks = settings.learning.blocks.div_ceil(10);
        }
        let known = self.trained.0.borrow();
        if let Some((_, trained)) = known.iter().find(|(known, _)| *known == settings) {
            return Ok(Some(trained.clone()));
        }
        drop(known);
        let blocks = settings.learning.blocks;
        let trained = train_on_logs(&settings, self.threads, &mut |done| {
            self.report_progress(done, blocks, "training on the games of people");
        })?;
        let trained = Rc::new(trained);
        self.trained.0.borrow_mut().push((settings, trained.clone()));
        Ok(Some(trained))
    }

    /// The path of a file with the network.
    pub(super) fn network_file(
        &self,
        name: &str,
        trained: &TrainedOnLogs,
    ) -> Result<PathBuf, ReproduceError> {
        let mut files = self.network_files.0.borrow_mut();
        if let Some((_, file)) = files.iter().find(|(known, _)| known == name) {
            return Ok(file.path().to_path_buf());
        }
        let mut file = tempfile::Builder::new().prefix("tesuji-").suffix(".net").tempfile()?;
        file.write_all(&trained.network.to_bytes())?;
        let path = file.path().to_path_buf();
        files.push((name.to_string(), file));
        Ok(path)
    }
}
