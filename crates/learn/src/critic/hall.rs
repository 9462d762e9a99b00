//! Where a critic's games are played: everything that needs the type of the game, behind a door that does not. It is
//! compiled here, once for each game, for the run itself and for other machines that play for it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Playable, Stones};
use tesuji_queue::{Bench, Brief, Parcel, Task, Trouble};

use super::measure::{Measured, Rival};
use super::opponents::is_free_five;
use super::self_play::Table;
use super::settings::CriticSettings;
use super::training::TeachError;
use super::{Critic, Scheme, SchemeError};
use crate::network::Network;
use crate::stones::{self, NoStones, OnStones};

/// The name of the task of games to learn from.
pub(super) const GAMES: &str = "critic-games";
/// The name of the task of games that measure.
pub(super) const MEASURE: &str = "critic-measure";

/// A game of stones, before its type is known.
pub(super) trait Hall: Send + Sync {
    /// Whether the report's agents know the game.
    fn is_free_five(&self) -> bool;
    /// Games to learn from.
    fn games(&self, players: Players) -> Box<dyn Bench>;
    /// So many games against each of these.
    fn measure(&self, players: Players, rivals: Vec<Rival>, games: u64) -> Box<dyn Bench>;
}

/// Who plays, and how.
#[derive(Clone)]
pub(super) struct Players {
    pub(super) settings: CriticSettings,
    pub(super) critic: Arc<Critic>,
    /// Its earlier selves.
    pub(super) earlier: Vec<Arc<Critic>>,
}

/// The hall of a game.
#[inline(never)]
pub(super) fn hall(game: &str) -> Result<Box<dyn Hall>, TeachError> {
    match stones::open(game, Open) {
        Ok(hall) => Ok(hall?),
        Err(NoStones::Game(error)) => Err(error.into()),
        Err(NoStones::Other(game)) => Err(TeachError::NoStones { game }),
    }
}

struct Open;

impl OnStones for Open {
    type Output = Result<Box<dyn Hall>, SchemeError>;

    fn visit<P: Playable + Stones>(self, start: P) -> Self::Output {
        let scheme = Arc::new(Scheme::new(&start.grid())?);
        Ok(Box::new(Ground { start, scheme }))
    }
}

struct Ground<P> {
    start: P,
    scheme: Arc<Scheme>,
}

impl<P: Playable + Stones> Hall for Ground<P> {
    fn is_free_five(&self) -> bool {
        is_free_five(&self.start)
    }

    fn games(&self, players: Players) -> Box<dyn Bench> {
        let (start, scheme) = (self.start.clone(), self.scheme.clone());
        Box::new(Table { players, start, scheme })
    }

    fn measure(&self, players: Players, rivals: Vec<Rival>, games: u64) -> Box<dyn Bench> {
        let (start, scheme) = (self.start.clone(), self.scheme.clone());
        Box::new(Measured { start, scheme, players, rivals, games })
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
    [Task { name: GAMES, open: open_games }, Task { name: MEASURE, open: open_measure }]
}

fn open_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let (players, _) = Players::read(parcel)?;
    Ok(hall(&players.settings.game).map_err(Trouble::of)?.games(players))
}

fn open_measure(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let (players, told) = Players::read(parcel)?;
    let hall = hall(&players.settings.game).map_err(Trouble::of)?;
    Ok(hall.measure(players, told.rivals, told.games))
}
