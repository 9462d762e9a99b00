//! Where a run's games are played: everything that needs the type of the game, behind a door that does not. It is
//! compiled here, once for each game, for the run itself and for other machines that play for it.

use std::sync::{Arc, Mutex};

use tesuji_games::{Grid, Playable, Stones};
use tesuji_queue::{Bench, Parcel, Task, Trouble};

use super::brain::{TrainError, window_on};
use super::errand::Errand;
use super::games::{IterationGames, SeedGames, Table};
use super::population::Population;
use super::scenarios::{Exercises, RivalMaker, RivalSource};
use super::settings::Settings;
use crate::forest::Window;
use crate::stones::{self, OnStones};

/// The name of the task of the games before the first iteration.
pub(super) const SEED: &str = "evolution-seed";
/// The name of the task of the games of an iteration.
pub(super) const GAMES: &str = "evolution-games";
/// The name of the task of the exercises.
pub(super) const EXERCISES: &str = "evolution-exercises";

/// A game of stones, before its type is known.
pub(super) trait Venue: Send + Sync {
    /// The board.
    fn grid(&self) -> Grid;
    /// The games before the first iteration.
    fn seed_games(&self, errand: Errand) -> Result<Box<dyn Bench>, TrainError>;
    /// The games of an iteration.
    fn games(
        &self,
        errand: Errand,
        population: Arc<Population>,
    ) -> Result<Box<dyn Bench>, TrainError>;
    /// Finds the exercises of a run.
    fn gym(&self, settings: &Settings, rivals: RivalSource) -> Result<Arc<dyn Gym>, TrainError>;
}

/// The exercises of a run, before the type of its game is known.
pub(super) trait Gym: Send + Sync {
    /// How many of each kind there are.
    fn described(&self) -> String;
    /// The exercises of an iteration.
    fn exercises(
        self: Arc<Self>,
        errand: Errand,
        population: Arc<Population>,
    ) -> Result<Box<dyn Bench>, TrainError>;
}

/// The venue of a game.
#[inline(never)]
pub(super) fn venue(game: &str) -> Result<Box<dyn Venue>, TrainError> {
    stones::open(game, Open).map_err(|error| TrainError::Settings(error.to_string()))
}

/// The window of a run, if its settings fit its game.
pub fn window(settings: &Settings) -> Result<Window, TrainError> {
    window_on(settings, &venue(&settings.game)?.grid())
}

struct Open;

impl OnStones for Open {
    type Output = Box<dyn Venue>;

    fn visit<P: Playable + Stones>(self, start: P) -> Self::Output {
        Box::new(Ground { start })
    }
}

struct Ground<P> {
    start: P,
}

impl<P: Playable + Stones> Venue for Ground<P> {
    fn grid(&self) -> Grid {
        self.start.grid()
    }

    fn seed_games(&self, errand: Errand) -> Result<Box<dyn Bench>, TrainError> {
        let window = window_on(&errand.settings, &self.grid())?;
        Ok(Box::new(SeedGames::new(self.start.clone(), window, errand)))
    }

    fn games(
        &self,
        errand: Errand,
        population: Arc<Population>,
    ) -> Result<Box<dyn Bench>, TrainError> {
        let table = Table::new(self.start.clone(), &errand.settings)?;
        Ok(Box::new(IterationGames::new(table, errand, population)))
    }

    fn gym(&self, settings: &Settings, rivals: RivalSource) -> Result<Arc<dyn Gym>, TrainError> {
        let maker = |text: &String| {
            let maker = rivals(&settings.game, text).map_err(TrainError::Rival)?;
            maker.downcast::<RivalMaker<P>>().map(|maker| *maker).map_err(|_| {
                TrainError::Rival(format!(
                    "'{text}' was made for another game than {}",
                    settings.game
                ))
            })
        };
        let rivals = settings.evolution.scenarios.rivals.iter().map(maker);
        let rivals = rivals.collect::<Result<_, TrainError>>()?;
        Ok(Arc::new(Exercises::make(settings, &self.start, rivals)))
    }
}

/// What other machines can do for a run. Exercises need to know where rivals come from: see [`open_exercises`].
pub(crate) fn tasks() -> [Task; 2] {
    [Task { name: SEED, open: open_seed_games }, Task { name: GAMES, open: open_games }]
}

fn open_seed_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let errand = Errand::read(parcel)?;
    venue(&errand.settings.game)?.seed_games(errand).map_err(Trouble::of)
}

fn open_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let Visit { errand, venue, population } = Visit::read(parcel)?;
    venue.games(errand, population).map_err(Trouble::of)
}

/// An errand with the forests that came along.
struct Visit {
    errand: Errand,
    venue: Box<dyn Venue>,
    population: Arc<Population>,
}

impl Visit {
    fn read(parcel: &Parcel) -> Result<Visit, Trouble> {
        let errand = Errand::read(parcel)?;
        let venue = venue(&errand.settings.game)?;
        let window = window_on(&errand.settings, &venue.grid())?;
        let population = Arc::new(errand.population(parcel, window)?);
        Ok(Visit { errand, venue, population })
    }
}

/// The task of the exercises, with players from this source.
pub(super) fn open_exercises(
    parcel: &Parcel,
    rivals: RivalSource,
) -> Result<Box<dyn Bench>, Trouble> {
    let Visit { errand, venue, population } = Visit::read(parcel)?;
    let gym = remembered(&errand.settings, || venue.gym(&errand.settings, rivals))?;
    gym.exercises(errand, population).map_err(Trouble::of)
}

/// To find exercises takes long, and a run wants the same again in every iteration: the last ones are remembered.
fn remembered(
    settings: &Settings,
    make: impl FnOnce() -> Result<Arc<dyn Gym>, TrainError>,
) -> Result<Arc<dyn Gym>, TrainError> {
    static LAST: Mutex<Option<(Settings, Arc<dyn Gym>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match &*last {
        Some((known, gym)) if known == settings => Ok(gym.clone()),
        _ => {
            let gym = make()?;
            *last = Some((settings.clone(), gym.clone()));
            Ok(gym)
        }
    }
}

impl From<TrainError> for Trouble {
    fn from(error: TrainError) -> Trouble {
        Trouble::of(error)
    }
}
