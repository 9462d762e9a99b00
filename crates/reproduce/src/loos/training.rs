//! Forests that are evolved for an experiment, cached for experiments that use the same training.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;
use tesuji_learn::evolution::{EvolutionMetrics, ForestLearnerSettings};
use tesuji_learn::read_settings;
use tesuji_queue::Pool;
use tesuji_train::{LearnerSettings as _, RunFolder, RunInfo, SettingsFile, TrainEvent, Training};

use crate::run::{ReproduceError, ReproductionRun};

/// A finished training. Its folder lives as long as this value.
pub struct EvolutionRun {
    /// The settings.
    pub settings: ForestLearnerSettings,
    /// The metrics of each iteration.
    pub metrics: Vec<EvolutionMetrics>,
    /// The seconds of each iteration.
    pub seconds: Vec<f64>,
    folder: TempDir,
}

impl EvolutionRun {
    /// Returns the file of the last iteration's best forest, which the thesis uses.
    pub fn best(&self) -> PathBuf {
        self.folder.path().join("last.xml")
    }

    /// Returns the folder of the training.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The trainings of this run.
#[derive(Default)]
pub struct EvolutionCache(RefCell<Vec<Rc<EvolutionRun>>>);

impl ReproductionRun<'_> {
    /// Evolves forests with these settings, or returns the cached training. Threads are those of
    /// this run; the run's seed is added to that of the settings, so that seed 1 leaves them
    /// unchanged.
    pub fn evolve(
        &self,
        settings: &ForestLearnerSettings,
    ) -> Result<Rc<EvolutionRun>, ReproduceError> {
        let mut settings = settings.clone();
        settings.seed = settings.seed.wrapping_add(self.seed).wrapping_sub(1);
        settings.threads = self.threads;
        // The experiments measure strength themselves.
        settings.measure.every = 0;
        let known = self.evolutions.0.borrow().iter().find(|run| run.settings == settings).cloned();
        if let Some(run) = known {
            return Ok(run);
        }
        let run = Rc::new(self.run_evolution(settings)?);
        self.evolutions.0.borrow_mut().push(run.clone());
        Ok(run)
    }

    fn run_evolution(
        &self,
        settings: ForestLearnerSettings,
    ) -> Result<EvolutionRun, ReproduceError> {
        let folder = tempfile::Builder::new().prefix("tesuji-reproduce-").tempdir()?;
        let failed = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
        let run = read_settings(&settings.to_toml()).map_err(|e| failed(&e))?;
        let info = RunInfo::new("reproduce".to_string(), run.kind.name);
        let given = SettingsFile { extension: "toml", text: run.toml.clone() };
        let held = RunFolder::create(folder.path(), &given, &run.toml, &info);
        let place = folder.path().join("samples.db");
        let store = tesuji_store::open(&place.to_string_lossy()).map_err(|e| failed(&e))?;
        let what = format!("evolving {} trees for {}", settings.forest.trees, settings.game);
        let of = settings.stop.iterations.unwrap_or(0);
        let training = Training {
            settings: &run,
            folder: &held.map_err(|e| failed(&e))?,
            queue: &Pool::new(self.threads),
            store: Some(Arc::from(store)),
            games: &tesuji_builtin::registry(),
            players: tesuji_players::roster(),
            threads: None,
            steps: None,
            tensorboard: false,
            stop: Arc::new(AtomicBool::new(false)),
        };
        let (mut metrics, mut seconds) = (Vec::new(), Vec::new());
        training.run(&mut |event| match event {
            TrainEvent::Step { row, .. } => {
                metrics.extend(row.read::<EvolutionMetrics>());
                seconds.push(row.seconds);
            }
            TrainEvent::Progress { step, .. } => self.report_progress(*step, of, &what),
        })?;
        Ok(EvolutionRun { settings, metrics, seconds, folder })
    }
}
