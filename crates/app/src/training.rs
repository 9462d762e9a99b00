//! A training run from its file or its folder: where it is, whether it is new, what it needs. The command line, experiments
//! and other programs begin and resume runs through this.

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

/// A run that can be begun or resumed.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// What is to be done.
    pub settings: RunSettings,
    /// The folder of the run.
    pub folder: PathBuf,
    /// `None` for a run that exists.
    given: Option<SettingsFile>,
}

/// How a run is carried out.
pub struct TrainingOptions<'a> {
    /// The games.
    pub games: &'a Registry,
    /// Who plays the games of the run.
    pub queue: &'a dyn WorkQueue,
    /// Threads, if not as the settings say.
    pub threads: Option<usize>,
    /// Steps, if not as the settings say.
    pub steps: Option<u64>,
    /// Whether the metrics are written for TensorBoard as well.
    pub tensorboard: bool,
    /// Raised to end the run soon; what is done is kept.
    pub stop: Arc<AtomicBool>,
}

/// Opens the store at a place; another machine's may be waited for.
pub type OpenStore<'a> = &'a (dyn Fn(&str, Access) -> Result<Box<dyn Store>, StoreError> + Sync);

/// Reads the content of a file of settings: TOML, or `.properties` with the keys of the thesis.
pub fn read_file(path: &Path, text: &str) -> Result<(RunSettings, SettingsFile), SettingsError> {
    let is_java = path.extension().is_some_and(|extension| extension == "properties");
    let (form, settings) = match is_java {
        true => ("properties", read_settings(&properties::read(text)?.to_toml())?),
        false => ("toml", read_settings(text)?),
    };
    Ok((settings, SettingsFile { extension: form, text: text.to_string() }))
}

impl TrainingPlan {
    /// A run that begins in this folder.
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

    /// The run in this folder, as it was begun.
    pub fn of_folder(folder: PathBuf) -> Result<TrainingPlan, TrainError> {
        let text = RunFolder::settings(&folder)?;
        let settings = read_settings(&text).map_err(|error| {
            TrainError::settings(format!("{}: {error}", folder.join("settings.toml").display()))
        })?;
        Ok(TrainingPlan { settings, folder, given: None })
    }

    /// The run in this folder with the settings of a file, which may say another end.
    pub fn resumed(settings: RunSettings, folder: PathBuf) -> Result<TrainingPlan, TrainError> {
        let run = TrainingPlan::of_folder(folder)?;
        match settings.difference(&run.settings) {
            None => Ok(TrainingPlan { settings, ..run }),
            Some(difference) => Err(TrainError::settings(format!(
                "it does not describe the run in {}: {difference}",
                run.folder.display()
            ))),
        }
    }

    /// Checks all that can be checked before anything is begun.
    pub fn check(&self, games: &Registry) -> Result<(), TrainError> {
        match self.given {
            Some(_) => self.settings.kind.check(&self.settings, games, tesuji_players::roster()),
            None => Ok(()),
        }
    }

    /// Begins or resumes the run. Samples are kept at the place, if one is given.
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

    /// Opens the folder and the store of the run, and makes them if it is new.
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
            // A store elsewhere is tried first: nothing is begun that could not go on.
            let elsewhere = place.map(|place| open(place, Access::Create)).transpose()?;
            let folder = self.open_folder()?;
            let store = elsewhere.map_or_else(|| open(&own, Access::Create), Ok)?;
            return Ok((folder, Some(Arc::from(store))));
        }
        let folder = self.open_folder()?;
        // A run that was killed before it had a store begins with an empty one.
        let begun = folder.checkpoint()?.is_some();
        if begun && place.is_none() && !Path::new(&own).exists() {
            return Err(TrainError::settings(format!(
                "the samples of this run are not in {own}; give the --store that it was begun with"
            )));
        }
        let access = if begun { Access::Existing } else { Access::Create };
        Ok((folder, Some(Arc::from(open(place.unwrap_or(&own), access)?))))
    }

    /// A name that is unique in a store.
    fn id(&self) -> String {
        let place = std::path::absolute(&self.folder).unwrap_or(self.folder.clone());
        let now = tesuji_train::folder::now().to_string();
        let parts = [&self.settings.toml, &*place.to_string_lossy(), &now];
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
        format!("{name}-{}", digest(&parts))
    }
}
