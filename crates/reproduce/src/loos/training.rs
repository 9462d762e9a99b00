//! Forests that are evolved for an experiment. Several experiments look at the same run, so one that was made in this
//! process is not made again.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;
use tesuji_learn::evolution::{EvolutionMetrics, ForestLearnerSettings};
use tesuji_learn::read_settings;
use tesuji_queue::Pool;
use tesuji_train::{Event, Given, RunFolder, RunInfo, Settings as _, Training};

use crate::run::{ReproduceError, Run};

/// A run that is finished. Its folder lives as long as this does.
pub struct Evolved {
    /// What it was told.
    pub settings: ForestLearnerSettings,
    /// One for each iteration.
    pub metrics: Vec<EvolutionMetrics>,
    /// Seconds of each iteration.
    pub seconds: Vec<f64>,
    folder: TempDir,
}

impl Evolved {
    /// The file of the last iteration's best forest, as the thesis has it.
    pub fn best(&self) -> PathBuf {
        self.folder.path().join("last.xml")
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The runs that were made so far, by their settings.
#[derive(Default)]
pub struct Trainings(RefCell<Vec<Rc<Evolved>>>);

impl Run<'_> {
    /// Evolves forests as these settings say, or hands out what was evolved with the same ones before. Threads are those
    /// of this run; the seed counts from that of the settings, so that seed 1 leaves them as they are.
    pub fn evolve(&self, settings: &ForestLearnerSettings) -> Result<Rc<Evolved>, ReproduceError> {
        let mut settings = settings.clone();
        settings.seed = settings.seed.wrapping_add(self.seed).wrapping_sub(1);
        settings.threads = self.threads;
        // The tables measure by themselves.
        settings.measure.every = 0;
        let known = self.trainings.0.borrow().iter().find(|run| run.settings == settings).cloned();
        if let Some(run) = known {
            return Ok(run);
        }
        let run = Rc::new(self.evolve_anew(settings)?);
        self.trainings.0.borrow_mut().push(run.clone());
        Ok(run)
    }

    fn evolve_anew(&self, settings: ForestLearnerSettings) -> Result<Evolved, ReproduceError> {
        let folder = tempfile::Builder::new().prefix("tesuji-reproduce-").tempdir()?;
        let failed = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
        let run = read_settings(&settings.to_toml()).map_err(|e| failed(&e))?;
        let info = RunInfo::new("reproduce".to_string(), run.kind.name);
        let given = Given { form: "toml", text: run.toml.clone() };
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
            Event::Step { row, .. } => {
                metrics.extend(row.read::<EvolutionMetrics>());
                seconds.push(row.seconds);
            }
            Event::Progress { step, .. } => self.show(*step, of, &what),
        })?;
        Ok(Evolved { settings, metrics, seconds, folder })
    }
}
