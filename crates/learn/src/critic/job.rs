//! Who plays a critic's games, and on which board; here, or on other machines that play for a run.

use std::sync::Arc;

use tesuji_games::{RowBoard, Stones};
use tesuji_queue::{Bench, Brief, Hand, Life, Parcel, Task, Trouble};

use super::settings::CriticSettings;
use super::{Critic, PatternMatcher};
use crate::network::Network;
use crate::stones::{self, NoStones};

/// The name of the task of games to learn from.
const GAMES: &str = "critic-games";
const CRITIC: &str = "critic";
const EARLIER: &str = "earlier";

/// Where games are played, by whom and how; a unit is the number of a game.
pub(super) struct SelfPlayJob {
    pub(super) settings: CriticSettings,
    pub(super) start: RowBoard,
    pub(super) matcher: Arc<PatternMatcher>,
    pub(super) critic: Arc<Critic>,
    /// Its earlier selves.
    pub(super) earlier: Vec<Arc<Critic>>,
}

impl SelfPlayJob {
    pub(super) fn new(
        settings: CriticSettings,
        critic: Arc<Critic>,
    ) -> Result<SelfPlayJob, String> {
        let start = stones::board(&settings.game).map_err(|error| match error {
            NoStones::Game(error) => error.to_string(),
            NoStones::Other(game) => format!(
                "{game} cannot be learned by a critic: it needs a game of stones in a row, such as gomoku, \
                 mnk:10x10,k=5 or connect6"
            ),
        })?;
        let matcher = PatternMatcher::new(&start.grid()).map_err(|error| error.to_string())?;
        Ok(SelfPlayJob { settings, start, matcher: Arc::new(matcher), critic, earlier: Vec::new() })
    }

    fn read(parcel: &Parcel) -> Result<SelfPlayJob, Trouble> {
        let critic = |name: &str| {
            let network = Network::from_bytes(&parcel.read(name)?).map_err(Trouble::of)?;
            Critic::new(network).map(Arc::new).map_err(Trouble::of)
        };
        let settings = serde_json::from_str(&parcel.text).map_err(Trouble::of)?;
        let job = SelfPlayJob::new(settings, critic(CRITIC)?).map_err(Trouble)?;
        let names = parcel.files.keys().filter(|name| name.starts_with(EARLIER));
        let earlier = names.map(|name| critic(name)).collect::<Result<_, Trouble>>()?;
        Ok(SelfPlayJob { earlier, ..job })
    }
}

impl Bench for SelfPlayJob {
    /// Other machines have threads of their own.
    fn brief(&self) -> Result<Brief, Trouble> {
        let settings = CriticSettings { threads: 0, ..self.settings.clone() };
        let text = serde_json::to_string(&settings).map_err(Trouble::of)?;
        let bytes = |critic: &Critic| critic.network().to_bytes();
        let brief = Brief::new(GAMES, text).with_file(CRITIC, bytes(&self.critic));
        Ok((0..).zip(&self.earlier).fold(brief, |brief, (number, critic)| {
            brief.with_file(format!("{EARLIER}-{number:06}"), bytes(critic))
        }))
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(Box::new(|number: u64| Ok(self.play(number, life).map(|played| played.product()))))
    }
}

/// What other machines can do for a run.
pub(crate) fn tasks() -> [Task; 1] {
    [Task::new(GAMES, |parcel| Ok(Box::new(SelfPlayJob::read(parcel)?) as Box<dyn Bench>))]
}
