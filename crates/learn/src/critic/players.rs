//! Who plays a critic's games, and on which board; here, or on other machines that play for a run.

use std::sync::Arc;

use tesuji_games::{RowBoard, Stones};
use tesuji_queue::{Bench, Brief, Parcel, Task, Trouble};

use super::opponents::is_free_five;
use super::self_play::Table;
use super::settings::CriticSettings;
use super::{Critic, Scheme};
use crate::network::Network;
use crate::stones::{self, NoStones};

/// The name of the task of games to learn from.
pub(super) const GAMES: &str = "critic-games";

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
    pub(super) fn of(game: &str) -> Result<Ground, String> {
        let start = stones::board(game).map_err(|error| match error {
            NoStones::Game(error) => error.to_string(),
            NoStones::Other(game) => format!(
                "{game} cannot be learned by a critic: it needs a game of stones in a row, such as gomoku, \
                 mnk:10x10,k=5 or connect6"
            ),
        })?;
        let scheme = Scheme::new(&start.grid()).map_err(|error| error.to_string())?;
        let scheme = Arc::new(scheme);
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
}

const CRITIC: &str = "critic";
const EARLIER: &str = "earlier";

impl Players {
    /// For other machines. They have threads of their own.
    pub(super) fn brief(&self) -> Result<Brief, Trouble> {
        let settings = CriticSettings { threads: 0, ..self.settings.clone() };
        let text = serde_json::to_string(&settings).map_err(Trouble::of)?;
        let bytes = |critic: &Critic| critic.network().to_bytes();
        let brief = Brief::new(GAMES, text).with_file(CRITIC, bytes(&self.critic));
        Ok((0..).zip(&self.earlier).fold(brief, |brief, (number, critic)| {
            brief.with_file(format!("{EARLIER}-{number:06}"), bytes(critic))
        }))
    }

    fn read(parcel: &Parcel) -> Result<Players, Trouble> {
        let settings = serde_json::from_str(&parcel.text).map_err(Trouble::of)?;
        let critic = |name: &str| {
            let network = Network::from_bytes(&parcel.read(name)?).map_err(Trouble::of)?;
            Critic::new(network).map(Arc::new).map_err(Trouble::of)
        };
        let names = parcel.files.keys().filter(|name| name.starts_with(EARLIER));
        let earlier = names.map(|name| critic(name)).collect::<Result<_, Trouble>>()?;
        Ok(Players { settings, critic: critic(CRITIC)?, earlier })
    }
}

/// What other machines can do for a run.
pub(crate) fn tasks() -> [Task; 1] {
    [Task::new(GAMES, open_games)]
}

fn open_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let players = Players::read(parcel)?;
    let ground = Ground::of(&players.settings.game).map_err(Trouble)?;
    Ok(Box::new(ground.games(players)))
}
