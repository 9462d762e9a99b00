//! Who plays a critic's games, and on which board; here, or on other machines that play for a run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{RowBoard, Stones};
use tesuji_queue::{Bench, Brief, Parcel, Task, Trouble};

use super::measure::{Measured, Rival};
use super::opponents::is_free_five;
use super::self_play::Table;
use super::settings::CriticSettings;
use super::training::TeachError;
use super::{Critic, Scheme};
use crate::network::Network;
use crate::stones::{self, NoStones};

/// The name of the task of games to learn from.
pub(super) const GAMES: &str = "critic-games";
/// The name of the task of games that measure.
pub(super) const MEASURE: &str = "critic-measure";

/// Who plays, and how.
#[derive(Clone)]
pub(super) struct Players {
    pub(super) settings: CriticSettings,
    pub(super) critic: Arc<Critic>,
    /// Its earlier selves.
    pub(super) earlier: Vec<Arc<Critic>>,
}

/// The board of a run.
pub(super) struct Ground {
    start: RowBoard,
    scheme: Arc<Scheme>,
}

impl Ground {
    /// The board of a game.
    pub(super) fn of(game: &str) -> Result<Ground, TeachError> {
        let start = match stones::board(game) {
            Ok(start) => start,
            Err(NoStones::Game(error)) => return Err(error.into()),
            Err(NoStones::Other(game)) => return Err(TeachError::NoStones { game }),
        };
        let scheme = Arc::new(Scheme::new(&start.grid())?);
        Ok(Ground { start, scheme })
    }

    /// Whether the report's agents know the game.
    pub(super) fn is_free_five(&self) -> bool {
        is_free_five(&self.start)
    }

    /// Games to learn from.
    pub(super) fn games(&self, players: Players) -> Table {
        Table { players, start: self.start.clone(), scheme: self.scheme.clone() }
    }

    /// So many games against each of these.
    pub(super) fn measure(&self, players: Players, rivals: Vec<Rival>, games: u64) -> Measured {
        let (start, scheme) = (self.start.clone(), self.scheme.clone());
        Measured { start, scheme, players, rivals, games }
    }
}

const CRITIC: &str = "critic";
const EARLIER: &str = "earlier";

/// What other machines are told beside the networks.
#[derive(Serialize, Deserialize)]
struct Told {
    settings: CriticSettings,
    rivals: Vec<Rival>,
    games: u64,
}

impl Players {
    /// For other machines. They have threads of their own.
    pub(super) fn brief(
        &self,
        task: &'static str,
        rivals: &[Rival],
        games: u64,
    ) -> Result<Brief, Trouble> {
        let settings = CriticSettings { threads: 0, ..self.settings.clone() };
        let told = Told { settings, rivals: rivals.to_vec(), games };
        let text = serde_json::to_string(&told).map_err(Trouble::of)?;
        let bytes = |critic: &Critic| critic.network().to_bytes();
        let brief = Brief::new(task, text).with_file(CRITIC, bytes(&self.critic));
        Ok((0..).zip(&self.earlier).fold(brief, |brief, (number, critic)| {
            brief.with_file(format!("{EARLIER}-{number:06}"), bytes(critic))
        }))
    }

    fn read(parcel: &Parcel) -> Result<(Players, Told), Trouble> {
        let told: Told = serde_json::from_str(&parcel.text).map_err(Trouble::of)?;
        let critic = |name: &str| {
            let network = Network::from_bytes(&parcel.read(name)?).map_err(Trouble::of)?;
            Critic::new(network).map(Arc::new).map_err(Trouble::of)
        };
        let names = parcel.files.keys().filter(|name| name.starts_with(EARLIER));
        let earlier = names.map(|name| critic(name)).collect::<Result<_, Trouble>>()?;
        let settings = told.settings.clone();
        Ok((Players { settings, critic: critic(CRITIC)?, earlier }, told))
    }
}

/// What other machines can do for a run.
pub(crate) fn tasks() -> [Task; 2] {
    [Task::new(GAMES, open_games), Task::new(MEASURE, open_measure)]
}

fn open_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let (players, _) = Players::read(parcel)?;
    let ground = Ground::of(&players.settings.game).map_err(Trouble::of)?;
    Ok(Box::new(ground.games(players)))
}

fn open_measure(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let (players, told) = Players::read(parcel)?;
    let ground = Ground::of(&players.settings.game).map_err(Trouble::of)?;
    Ok(Box::new(ground.measure(players, told.rivals, told.games)))
}
