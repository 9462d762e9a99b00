//! Forests that are evolved for an experiment. Several experiments look at the same run, so one that was made in this
//! process is not made again.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;
use tesuji_arena::{Programs, rivals};
use tesuji_learn::evolution::metrics::Metrics;
use tesuji_learn::evolution::run_folder::now;
use tesuji_learn::evolution::{Given, RunFolder, RunName, Settings, Summary, Training};
use tesuji_queue::Pool;

use crate::run::{ReproduceError, Run};

/// A run that is finished. Its folder lives as long as this does.
pub struct Evolved {
    /// What it was told.
    pub settings: Settings,
    /// One for each iteration.
    pub metrics: Vec<Metrics>,
    /// What came of it.
    pub summary: Summary,
    folder: TempDir,
}

impl Evolved {
    /// The file of the best forest.
    pub fn best(&self) -> PathBuf {
        self.folder.path().join("best.xml")
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Seconds of all iterations together.
    pub fn seconds(&self) -> f64 {
        self.summary.seconds
    }
}

/// The runs that were made so far, by their settings.
#[derive(Default)]
pub struct Trainings(RefCell<Vec<Rc<Evolved>>>);

impl Run<'_> {
    /// Evolves forests as these settings say, or hands out what was evolved with the same ones before. Threads are those
    /// of this run; the seed counts from that of the settings, so that seed 1 leaves them as they are.
    pub fn evolve(&self, settings: &Settings) -> Result<Rc<Evolved>, ReproduceError> {
        let mut settings = settings.clone();
        settings.seed = settings.seed.wrapping_add(self.seed).wrapping_sub(1);
        settings.threads = self.threads;
        let known = self.trainings.0.borrow().iter().find(|run| run.settings == settings).cloned();
        if let Some(run) = known {
            return Ok(run);
        }
        let run = Rc::new(self.evolve_anew(settings)?);
        self.trainings.0.borrow_mut().push(run.clone());
        Ok(run)
    }

    fn evolve_anew(&self, settings: Settings) -> Result<Evolved, ReproduceError> {
        let folder = tempfile::Builder::new().prefix("tesuji-reproduce-").tempdir()?;
        let text = settings.to_toml();
        let name = RunName { id: "reproduce".to_string(), started_at: now() };
        let given = Given { form: "toml", text: text.clone() };
        let failed = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
        let run = RunFolder::create(folder.path(), &given, &text, &name).map_err(|e| failed(&e))?;
        let place = folder.path().join("samples.db");
        let store = tesuji_store::open(&place.to_string_lossy()).map_err(|e| failed(&e))?;
        let what = format!("evolving {} trees for {}", settings.forest.trees, settings.game);
        let of = settings.stop.iterations.unwrap_or(0);
        let training = Training {
            settings: settings.clone(),
            folder: run,
            store,
            rivals: rivals(&tesuji_builtin::registry(), Programs::Allowed),
            queue: Arc::new(Pool::new(self.threads)),
            stop: Arc::new(AtomicBool::new(false)),
        };
        let mut metrics: Vec<Metrics> = Vec::new();
        let mut keep = |new: Option<&Metrics>| {
            if let Some(new) = new.filter(|new| new.iteration as usize > metrics.len()) {
                metrics.push(new.clone());
            }
        };
        let summary = training.run(&mut |now| {
            keep(now.last);
            self.show(now.iteration - 1, of, &what);
        })?;
        keep(summary.last.as_ref());
        Ok(Evolved { settings, metrics, summary, folder })
    }
}
