//! Starts and resumes training runs from files and folders, for the command line, experiments and
//! other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_learn::evolution::properties;
use tesuji_learn::read_settings;
use tesuji_queue::WorkQueue;
use tesuji_search::Registry;
use tesuji_store::key::digest;
use tesuji_store::{Access, Store, StoreError};
use tesuji_train::{
    FolderError, LearnerSettings, RunFolder, RunInfo, RunSettings, SettingsError, SettingsFile,
    TrainError, TrainEvent, Training, TrainingSummary,
};

/// A run that can be started or resumed.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// The settings.
    pub settings: RunSettings,
    /// The folder of the run.
    pub folder: PathBuf,
    /// The original settings file; `None` for an existing run.
    given: Option<SettingsFile>,
}

/// How to run.
pub struct TrainingOptions<'a> {
    /// The games.
    pub games: &'a Registry,
    /// The queue for the games of the run.
    pub queue: &'a dyn WorkQueue,
    /// Threads, in place of the number in the settings.
    pub threads: Option<usize>,
    /// Steps, in place of the number in the settings.
    pub steps: Option<u64>,
    /// Whether to write the metrics for TensorBoard as well.
    pub tensorboard: bool,
    /// The stop flag; completed steps are kept.
    pub stop: Arc<AtomicBool>,
}

/// Opens the store at an address; may wait for a store on another machine.
pub type OpenStore<'a> = &'a (dyn Fn(&str, Access) -> Result<Box<dyn Store>, StoreError> + Sync);

/// Parses a settings file: TOML, or `.properties` with the keys of the thesis.
pub fn read_file(path: &Path, text: &str) -> Result<(RunSettings, SettingsFile), SettingsError> {
    let is_java = path.extension().is_some_and(|extension| extension == "properties");
    let (form, settings) = match is_java {
        true => ("properties", read_settings(&properties::read(text)?.to_toml())?),
        false => ("toml", read_settings(text)?),
    };
    Ok((settings, SettingsFile { extension: form, text: text.to_string() }))
}

impl TrainingPlan {
    /// Plans a new run in a folder.
    pub fn new(
        settings: RunSettings,
        given: SettingsFile,
        folder: PathBuf,
    ) -> Result<TrainingPlan, FolderError> {
        match RunFolder::holds_run(&folder) {
            true => Err(FolderError::Taken(folder)),
            false => Ok(TrainingPlan { settings, folder, given: Some(given) }),
        }
    }

    /// Plans to resume the run in a folder with its own settings.
    pub fn from_folder(folder: PathBuf) -> Result<TrainingPlan, TrainError> {
        let text = RunFolder::settings(&folder)?;
        let settings = read_settings(&text).map_err(|error| {
            TrainError::settings(format!("{}: {error}", folder.join("settings.toml").display()))
        })?;
        Ok(TrainingPlan { settings, folder, given: None })
    }

    /// Plans to resume the run in a folder with the settings of a file, which may have another stop
    /// condition.
    pub fn resumed(settings: RunSettings, folder: PathBuf) -> Result<TrainingPlan, TrainError> {
        let run = TrainingPlan::from_folder(folder)?;
        match settings.difference(&run.settings) {
            None => Ok(TrainingPlan { settings, ..run }),
            Some(difference) => Err(TrainError::settings(format!(
                "settings: do not match the run in {}: {difference}",
                run.folder.display()
            ))),
        }
    }

    /// Checks everything that can be checked before the start.
    pub fn check(&self, games: &Registry) -> Result<(), TrainError> {
        match self.given {
            Some(_) => self.settings.kind.check(&self.settings, games, tesuji_players::roster()),
            None => Ok(()),
        }
    }

    /// Starts or resumes the run. `place` is the store for samples; by default it is in the folder.
    pub fn run(
        &self,
        options: &TrainingOptions<'_>,
        place: Option<&str>,
        open: OpenStore<'_>,
        observer: &mut dyn FnMut(&TrainEvent<'_>),
    ) -> Result<TrainingSummary, TrainError> {
        let place = place.or(self.settings.common.store.as_deref());
        let (folder, store) = self.open(place, open)?;
        let training = Training {
            settings: &self.settings,
            folder: &folder,
            queue: options.queue,
            store,
            games: options.games,
            players: tesuji_players::roster(),
            threads: options.threads,
            steps: options.steps,
            tensorboard: options.tensorboard,
            stop: options.stop.clone(),
        };
        training.run(observer)
    }

    fn open_folder(&self) -> Result<RunFolder, FolderError> {
        match &self.given {
            None => RunFolder::open(&self.folder),
            Some(given) => {
                let info = RunInfo::new(self.id(), self.settings.kind.name);
                RunFolder::create(&self.folder, given, &self.settings.toml, &info)
            }
        }
    }

    /// Opens the folder and the store of the run; creates them if the run is new.
    fn open(
        &self,
        place: Option<&str>,
        open: OpenStore<'_>,
    ) -> Result<(RunFolder, Option<Arc<dyn Store>>), TrainError> {
        if !self.settings.kind.keeps_samples {
            return Ok((self.open_folder()?, None));
        }
        let own = self.folder.join("samples.db").to_string_lossy().into_owned();
        if self.given.is_some() {
            // Open an external store first, so that no folder is created if that fails.
            let elsewhere = place.map(|place| open(place, Access::Create)).transpose()?;
            let folder = self.open_folder()?;
            let store = elsewhere.map_or_else(|| open(&own, Access::Create), Ok)?;
            return Ok((folder, Some(Arc::from(store))));
        }
        let folder = self.open_folder()?;
        // A run that was killed before it had a store starts with an empty one.
        let begun = folder.checkpoint()?.is_some();
        if begun && place.is_none() && !Path::new(&own).exists() {
            return Err(TrainError::settings(format!(
                "samples: not in {own}; expected the original --store of this run"
            )));
        }
        let access = if begun { Access::Existing } else { Access::Create };
        Ok((folder, Some(Arc::from(open(place.unwrap_or(&own), access)?))))
    }

    /// Returns a name that is unique in a store.
    fn id(&self) -> String {
        let place = std::path::absolute(&self.folder).unwrap_or(self.folder.clone());
        let now = tesuji_train::folder::now().to_string();
        let parts = [&self.settings.toml, &*place.to_string_lossy(), &now];
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
        format!("{name}-{}", digest(&parts))
    }
}
