//! Series of games of one agent, played here or on other machines, and their statistics.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_games::SpecError;
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::log::{LogHeader, turn_lines};
use tesuji_games::rules::gem_island::text::LogAction;
use tesuji_games::rules::gem_island::{
    GemIsland, GemSettings, GemStatus, Mask, MaskVisitor, with_mask,
};
use tesuji_play::statistics::{mean_and_error, share_interval};
use tesuji_play::{EventError, ProgramPolicy, attachments};
use tesuji_queue::{
    Batch, CancelToken, FinishedItem, JobError, JobKind, JobRunner, Output, Payload, QueueError,
    ReceivedPayload, WorkQueue,
};
use tesuji_store::key::digest;

use super::AgentSpec;

/// Returns the job kind that plays a series on a worker.
pub(crate) fn task(programs: ProgramPolicy) -> JobKind {
    JobKind::new(NAME, move |parcel| open(parcel, programs))
}

/// The name of the job kind.
const NAME: &str = "gem-bench";

/// A series of games that one agent plays.
#[derive(Clone, Debug)]
pub struct GemSeries {
    /// The game.
    pub settings: GemSettings,
    /// The agent.
    pub agent: AgentSpec,
    /// Number of games.
    pub games: u64,
    /// Seed. Game n is the same for every agent, up to the agent's moves.
    pub seed: u64,
    /// Whether the logs of the games are wanted.
    pub logs: bool,
}

/// A finished game of a series that is running.
#[derive(Clone, Copy, Debug)]
pub struct SeriesProgress<'a> {
    /// The number of finished games.
    pub done: u64,
    /// The number of games won.
    pub won: u64,
    /// The number of the game, from 0.
    pub game: u64,
    /// Its log, if logs are wanted.
    pub log: Option<&'a str>,
}

/// The result of one game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GemGameResult {
    /// How it ended.
    pub status: GemStatus,
    /// Number of moves.
    pub moves: u16,
    /// Score, with the bonus of a win.
    pub score: f64,
    /// Rollouts of all decisions.
    pub rollouts: u64,
    /// Time of all decisions, in seconds.
    pub seconds: f64,
}

/// The statistics of a series.
#[derive(Clone, Debug, Serialize)]
pub struct GemSeriesSummary {
    /// The agent's text.
    pub agent: String,
    /// The game.
    pub settings: GemSettings,
    /// The seed.
    pub seed: u64,
    /// Number of games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games that ended on a dead board, without a result.
    pub stuck: u64,
    /// Games won, in percent.
    pub win_percent: f64,
    /// The 95 % interval of the games won (Wilson, 1927), in percent.
    pub interval: (f64, f64),
    /// Mean number of moves of all games.
    pub mean_moves: f64,
    /// Half of its 95 % interval.
    pub moves_error: f64,
    /// Mean number of moves of games won.
    pub mean_moves_to_win: Option<f64>,
    /// Mean score.
    pub mean_score: f64,
    /// Half of its 95 % interval.
    pub score_error: f64,
    /// Milliseconds per decision.
    pub ms_per_move: f64,
    /// Rollouts per second on one thread.
    pub rollouts_per_second: Option<f64>,
}

/// A series as the payload of a job.
#[derive(Serialize, Deserialize)]
struct SeriesPayload {
    settings: GemSettings,
    agent: String,
    seed: u64,
    #[serde(default)]
    logs: bool,
}

/// The note of a game for the machine that asked for it.
#[derive(Serialize, Deserialize)]
struct PlayedGame {
    result: GemGameResult,
    log: Option<String>,
}

impl GemSeries {
    /// Plays all games on a queue. `each` is called after every game; its error ends the series.
    /// Results are in the order of the games.
    pub fn run(
        &self,
        queue: &dyn WorkQueue,
        each: &mut dyn FnMut(SeriesProgress<'_>) -> Result<(), String>,
    ) -> Result<Vec<GemGameResult>, EventError> {
        // Reports an agent that cannot play before the first game.
        with_mask(&self.settings, CheckAgent(self))?;
        let run = format!("gem-bench-{}", &digest(&[&self.payload()])[..12]);
        let units: Vec<u64> = (0..self.games).collect();
        let mut results: Vec<Option<GemGameResult>> = vec![None; units.len()];
        let (mut done, mut won) = (0, 0);
        let batch = Batch::new(&run, "1", &units, self);
        batch.run_on(queue, &mut |FinishedItem { item: unit, output: product }| {
            let PlayedGame { result, log } = product.note()?;
            done += 1;
            won += u64::from(result.status == GemStatus::Won);
            results[unit as usize] = Some(result);
            let log = log.as_deref();
            each(SeriesProgress { done, won, game: unit, log }).map_err(JobError)?;
            Ok::<(), QueueError>(())
        })?;
        let missing = || JobError("the series is incomplete".to_string());
        let results = results.into_iter().collect::<Option<_>>().ok_or_else(missing);
        results.map_err(|trouble| QueueError::from(trouble).into())
    }

    /// Returns everything that decides the games.
    fn payload(&self) -> String {
        let agent = self.agent.text();
        let payload =
            SeriesPayload { settings: self.settings, agent, seed: self.seed, logs: self.logs };
        serde_json::to_string(&payload)
            .unwrap_or_else(|error| unreachable!("a series is plain data: {error}"))
    }

    /// Returns the statistics of the results.
    pub fn summary(&self, results: &[GemGameResult]) -> GemSeriesSummary {
        let count = |status| results.iter().filter(|game| game.status == status).count() as u64;
        let column =
            |value: fn(&GemGameResult) -> f64| results.iter().map(value).collect::<Vec<f64>>();
        let (games, wins) = (results.len() as u64, count(GemStatus::Won));
        let (mean_moves, moves_error) = mean_and_error(&column(|game| f64::from(game.moves)));
        let (mean_score, score_error) = mean_and_error(&column(|game| game.score));
        let won = results.iter().filter(|game| game.status == GemStatus::Won);
        let won: Vec<f64> = won.map(|game| f64::from(game.moves)).collect();
        let seconds: f64 = results.iter().map(|game| game.seconds).sum();
        let moves: u64 = results.iter().map(|game| u64::from(game.moves)).sum();
        let rollouts: u64 = results.iter().map(|game| game.rollouts).sum();
        GemSeriesSummary {
            agent: self.agent.text(),
            settings: self.settings,
            seed: self.seed,
            games,
            wins,
            stuck: count(GemStatus::Stuck),
            win_percent: 100.0 * wins as f64 / (games as f64).max(1.0),
            interval: share_interval(wins as f64, games),
            mean_moves,
            moves_error,
            mean_moves_to_win: (!won.is_empty()).then(|| mean_and_error(&won).0),
            mean_score,
            score_error,
            ms_per_move: 1000.0 * seconds / (moves as f64).max(1.0),
            rollouts_per_second: (rollouts > 0).then(|| rollouts as f64 / seconds.max(1e-9)),
        }
    }
}

fn open(
    parcel: &ReceivedPayload,
    programs: ProgramPolicy,
) -> Result<Box<dyn tesuji_queue::JobSpec>, JobError> {
    let payload: SeriesPayload = serde_json::from_str(&parcel.text)
        .map_err(|error| JobError(format!("series payload: {error}")))?;
    let SeriesPayload { settings, agent, seed, logs } = payload;
    settings.check().map_err(JobError::new)?;
    let agent = AgentSpec::read(&agent, &parcel.files).map_err(JobError::new)?;
    programs.check_program(&agent.text(), agent.starts_program())?;
    let series = GemSeries { settings, agent, seed, games: 0, logs };
    // Also reads the agent's file.
    with_mask(&settings, CheckAgent(&series)).map_err(JobError::new)?;
    Ok(Box::new(series))
}

impl tesuji_queue::JobSpec for GemSeries {
    fn payload(&self) -> Result<Payload, JobError> {
        let brief = Payload::new(NAME, self.payload());
        attachments::attach(brief, self.agent.options.files())
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(with_mask(&self.settings, GameRunner { series: self, cancel }))
    }
}

struct CheckAgent<'a>(&'a GemSeries);

impl MaskVisitor for CheckAgent<'_> {
    type Output = Result<(), SpecError>;

    fn visit<M: Mask>(self) -> Self::Output {
        self.0.agent.build::<M>(&self.0.settings, 0).map(drop)
    }
}

struct GameRunner<'a> {
    series: &'a GemSeries,
    cancel: &'a CancelToken,
}

impl<'a> MaskVisitor for GameRunner<'a> {
    type Output = Box<dyn JobRunner + 'a>;

    fn visit<M: Mask>(self) -> Self::Output {
        Box::new(move |number: u64| {
            let played = self.play::<M>(number)?;
            Ok(played.map(|played| Output::default().with_note(&played)))
        })
    }
}

impl GameRunner<'_> {
    /// Plays a game to its end, unless it is stopped.
    fn play<M: Mask>(&self, number: u64) -> Result<Option<PlayedGame>, JobError> {
        let GemSeries { settings, agent, seed, logs, .. } = self.series;
        let mut rng = seeded(derived(*seed, [number, 0]));
        let agent = agent.build::<M>(settings, derived(*seed, [number, 1]));
        let mut agent = agent.map_err(JobError::new)?;
        let mut log = logs.then(|| LogHeader::of(settings).to_text());
        let mut record = |game: &GemIsland<M>, action| {
            if let Some(log) = &mut log {
                log.push_str(&turn_lines(2 * u32::from(game.moves_made()), game, action));
            }
        };
        let mut game = GemIsland::<M>::generate(*settings, &mut rng)
            .unwrap_or_else(|| unreachable!("the mask was chosen for these settings"));
        let (mut rollouts, mut thinking) = (0, Duration::ZERO);
        while game.status() == GemStatus::Running {
            if self.cancel.is_canceled() {
                return Ok(None);
            }
            let view = game.view();
            let started = Instant::now();
            let decision = agent.decide(&view);
            thinking += started.elapsed();
            self.cancel.heartbeat();
            if let Some(fault) = agent.fault() {
                return Err(JobError(format!("game {}: {fault}", number + 1)));
            }
            let Some(decision) = decision else { break };
            rollouts += decision.rollouts;
            record(&game, LogAction::Swap(decision.swap));
            game.play(decision.swap, &mut rng, &mut ());
        }
        record(&game, LogAction::End);
        let result = GemGameResult {
            status: game.status(),
            moves: game.moves_made(),
            score: game.final_score(),
            rollouts,
            seconds: thinking.as_secs_f64(),
        };
        Ok(Some(PlayedGame { result, log }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job_kinds;
    use tesuji_queue::testing::LoopbackQueue;
    use tesuji_queue::{JobKinds, Pool};

    fn series(agent: &str) -> GemSeries {
        let settings = GemSettings::level(1).unwrap();
        GemSeries { settings, agent: agent.parse().unwrap(), games: 40, seed: 3, logs: false }
    }

    fn played(series: &GemSeries, threads: usize) -> Vec<GemGameResult> {
        series.run(&Pool::new(threads), &mut |_| Ok(())).unwrap()
    }

    fn without_time(results: Vec<GemGameResult>) -> Vec<GemGameResult> {
        results.into_iter().map(|game| GemGameResult { seconds: 0.0, ..game }).collect()
    }

    #[test]
    fn games_repeat_on_any_number_of_threads() {
        let series = series("flat-ucb:sims=20,depth=2");
        let [one, three] = [1, 3].map(|threads| without_time(played(&series, threads)));
        assert_eq!(one, three);
        assert_eq!(one.len(), 40);
    }

    /// An agent with its own network plays the same games on another machine, where the file has
    /// another name.
    #[test]
    fn games_repeat_on_another_machine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a,b.net");
        let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/gem-utility.net");
        std::fs::copy(network, &file).unwrap();
        let agent = format!("flat-ucb:sims=8,eval=nn-utility,file=\"{}\"", file.display());
        let series = series(&agent);
        let here = without_time(played(&series, 2));
        // The job carries the content that was loaded, even if the file has changed since.
        std::fs::write(&file, "another file").unwrap();
        let tasks = job_kinds(&tesuji_builtin::registry(), tesuji_play::ProgramPolicy::Refused);
        let queue = LoopbackQueue::new(JobKinds::new(tasks));
        let mut last = (0, 0);
        let mut each = |progress: SeriesProgress<'_>| {
            last = (progress.done, progress.won);
            Ok(())
        };
        let there = series.run(&queue, &mut each).unwrap();
        assert_eq!(last, (40, series.summary(&there).wins));
        assert_eq!(without_time(there), here);
    }

    /// Guests of a worker cannot start programs on it.
    #[test]
    fn other_machines_start_no_programs() {
        let programs = tesuji_play::ProgramPolicy::Refused;
        let queue =
            LoopbackQueue::new(JobKinds::new(job_kinds(&tesuji_builtin::registry(), programs)));
        let agent = concat!(
            "external:cmd=",
            env!("CARGO_MANIFEST_DIR"),
            "/../../examples/engines/gem_deepest.py"
        );
        let error = series(agent).run(&queue, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("does not start programs"), "{error}");
    }

    #[test]
    fn thinking_helps() {
        let wins = |agent: &str| {
            let series = series(agent);
            series.summary(&played(&series, 2)).wins
        };
        // 2.5 % and 88 % in many games.
        assert!(wins("random") <= 8);
        assert!(wins("flat-ucb") >= 28);
    }
}
