//! The self-play games of a critic as a job, for this or other machines.

use std::sync::Arc;

use tesuji_games::{RowBoard, RowPosition};
use tesuji_queue::{CancelToken, JobError, JobKind, JobRunner, JobSpec, Payload, ReceivedPayload};

use super::settings::CriticLearnerSettings;
use super::{Critic, PatternMatcher};
use crate::network::Network;
use crate::row_games::{self, NotARowGame};

/// The name of the job kind of self-play games.
const GAMES: &str = "critic-games";
const CRITIC: &str = "critic";
const EARLIER: &str = "earlier";

/// Self-play games with one version of the critic; an item is the number of a game.
pub(super) struct SelfPlayJob {
    pub(super) settings: CriticLearnerSettings,
    pub(super) start: RowBoard,
    pub(super) matcher: Arc<PatternMatcher>,
    pub(super) critic: Arc<Critic>,
    /// Critics with earlier weights.
    pub(super) earlier: Vec<Arc<Critic>>,
}

impl SelfPlayJob {
    pub(super) fn new(
        settings: CriticLearnerSettings,
        critic: Arc<Critic>,
    ) -> Result<SelfPlayJob, String> {
        let start = row_games::board(&settings.game).map_err(|error| match error {
            NotARowGame::Game(error) => error.to_string(),
            NotARowGame::Other(game) => format!(
                "game '{game}': not supported by learner 'critic'; expected a k-in-a-row game, such as \
                 gomoku, mnk:10x10,k=5 or connect6"
            ),
        })?;
        let matcher = PatternMatcher::new(&start.grid()).map_err(|error| error.to_string())?;
        Ok(SelfPlayJob { settings, start, matcher: Arc::new(matcher), critic, earlier: Vec::new() })
    }

    fn read(payload: &ReceivedPayload) -> Result<SelfPlayJob, JobError> {
        let critic = |name: &str| {
            let network = Network::from_bytes(&payload.read(name)?).map_err(JobError::new)?;
            Critic::new(network).map(Arc::new).map_err(JobError::new)
        };
        let settings = serde_json::from_str(&payload.text).map_err(JobError::new)?;
        let job = SelfPlayJob::new(settings, critic(CRITIC)?).map_err(JobError)?;
        let names = payload.files.keys().filter(|name| name.starts_with(EARLIER));
        let earlier = names.map(|name| critic(name)).collect::<Result<_, JobError>>()?;
        Ok(SelfPlayJob { earlier, ..job })
    }
}

impl JobSpec for SelfPlayJob {
    /// Other machines choose their number of threads themselves.
    fn payload(&self) -> Result<Payload, JobError> {
        let settings = CriticLearnerSettings { threads: 0, ..self.settings.clone() };
        let text = serde_json::to_string(&settings).map_err(JobError::new)?;
        let bytes = |critic: &Critic| critic.network().to_bytes();
        let payload = Payload::new(GAMES, text).with_file(CRITIC, bytes(&self.critic));
        Ok((0..).zip(&self.earlier).fold(payload, |payload, (number, critic)| {
            payload.with_file(format!("{EARLIER}-{number:06}"), bytes(critic))
        }))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(Box::new(|number: u64| Ok(self.play(number, cancel).map(|played| played.output()))))
    }
}

/// The job kinds of a training run.
pub(crate) fn job_kinds() -> [JobKind; 1] {
    [JobKind::new(GAMES, |payload| Ok(Box::new(SelfPlayJob::read(payload)?) as Box<dyn JobSpec>))]
}
