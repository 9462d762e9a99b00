//! Many games of one agent, played here or on other machines, and what they say about it.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_games::SpecError;
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, Mask, MaskVisitor, Settings, Status, with_mask};
use tesuji_play::statistics::{mean_and_error, share_interval};
use tesuji_play::{EventError, attachments};
use tesuji_queue::{
    Batch, Brief, Finished, Hand, Life, Parcel, Product, QueueError, Task, Trouble, WorkQueue,
};
use tesuji_store::key::digest;

use super::AgentSpec;

/// Who can read a series that was written down.
pub(crate) fn task() -> Task {
    Task::new(NAME, open)
}

/// What briefs call it.
const NAME: &str = "gem-bench";

/// A series of games that one agent plays.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The game.
    pub settings: Settings,
    /// Who plays.
    pub agent: AgentSpec,
    /// How many games.
    pub games: u64,
    /// Where chance starts from. Game n is the same game for every agent, up to what the agent does in it.
    pub seed: u64,
}

/// What came of one game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameResult {
    /// How it ended.
    pub status: Status,
    /// Moves made.
    pub moves: u16,
    /// With what a win adds.
    pub score: f64,
    /// Rollouts of all decisions.
    pub rollouts: u64,
    /// Time for all decisions, in seconds.
    pub seconds: f64,
}

/// What came of all of them.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The agent, as given.
    pub agent: String,
    /// The game.
    pub settings: Settings,
    /// Where chance started from.
    pub seed: u64,
    /// How many games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games that ended on a dead board, without a result.
    pub stuck: u64,
    /// Games won, in percent of all.
    pub win_percent: f64,
    /// The 95 % interval of that (Wilson, 1927), in percent.
    pub interval: (f64, f64),
    /// Moves of a game, won or not.
    pub mean_moves: f64,
    /// Half of the 95 % interval of that.
    pub moves_error: f64,
    /// Moves of a game that was won.
    pub mean_moves_to_win: Option<f64>,
    /// Score of a game.
    pub mean_score: f64,
    /// Half of the 95 % interval of that.
    pub score_error: f64,
    /// Milliseconds for a decision.
    pub ms_per_move: f64,
    /// Rollouts in a second of thinking on one thread.
    pub rollouts_per_second: Option<f64>,
}

/// A series as other machines are told of it.
#[derive(Serialize, Deserialize)]
struct Written {
    settings: Settings,
    agent: String,
    seed: u64,
}

impl Bench {
    /// Plays all games with whoever the queue has; `each` hears of every one as it ends: how many are over, and how
    /// many were won. The results come in the order of the games, whoever played them.
    pub fn run(
        &self,
        queue: &dyn WorkQueue,
        each: &mut dyn FnMut(u64, u64),
    ) -> Result<Vec<GameResult>, EventError> {
        // An agent that cannot play is known before the first game.
        with_mask(&self.settings, Check(self))?;
        let run = format!("gem-bench-{}", &digest(&[&self.written()])[..12]);
        let units: Vec<u64> = (0..self.games).collect();
        let mut results: Vec<Option<GameResult>> = vec![None; units.len()];
        let (mut done, mut won) = (0, 0);
        let batch = Batch::new(&run, "1", &units, self);
        batch.perform_by(queue, &mut |Finished { unit, product }| {
            let result: GameResult = product.note()?;
            done += 1;
            won += u64::from(result.status == Status::Won);
            results[unit as usize] = Some(result);
            each(done, won);
            Ok::<(), QueueError>(())
        })?;
        let missing = || Trouble("some games of the series were not played".to_string());
        let results = results.into_iter().collect::<Option<_>>().ok_or_else(missing);
        results.map_err(|trouble| QueueError::from(trouble).into())
    }

    /// All that decides its games.
    fn written(&self) -> String {
        let agent = self.agent.text();
        let written = Written { settings: self.settings, agent, seed: self.seed };
        serde_json::to_string(&written)
            .unwrap_or_else(|error| unreachable!("a series is plain data: {error}"))
    }

    /// What such results say.
    pub fn summary(&self, results: &[GameResult]) -> Summary {
        let count = |status| results.iter().filter(|game| game.status == status).count() as u64;
        let column =
            |value: fn(&GameResult) -> f64| results.iter().map(value).collect::<Vec<f64>>();
        let (games, wins) = (results.len() as u64, count(Status::Won));
        let (mean_moves, moves_error) = mean_and_error(&column(|game| f64::from(game.moves)));
        let (mean_score, score_error) = mean_and_error(&column(|game| game.score));
        let won = results.iter().filter(|game| game.status == Status::Won);
        let won: Vec<f64> = won.map(|game| f64::from(game.moves)).collect();
        let seconds: f64 = results.iter().map(|game| game.seconds).sum();
        let moves: u64 = results.iter().map(|game| u64::from(game.moves)).sum();
        let rollouts: u64 = results.iter().map(|game| game.rollouts).sum();
        Summary {
            agent: self.agent.text(),
            settings: self.settings,
            seed: self.seed,
            games,
            wins,
            stuck: count(Status::Stuck),
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

fn open(parcel: &Parcel) -> Result<Box<dyn tesuji_queue::Bench>, Trouble> {
    let written: Written = serde_json::from_str(&parcel.text)
        .map_err(|error| Trouble(format!("a series of games cannot be read: {error}")))?;
    let Written { settings, agent, seed } = written;
    settings.check().map_err(Trouble::of)?;
    let agent = AgentSpec::reading(&agent, &parcel.files).map_err(Trouble::of)?;
    let series = Bench { settings, agent, seed, games: 0 };
    // Reads the file of the agent.
    with_mask(&settings, Check(&series)).map_err(Trouble::of)?;
    Ok(Box::new(series))
}

impl tesuji_queue::Bench for Bench {
    fn brief(&self) -> Result<Brief, Trouble> {
        let brief = Brief::new(NAME, self.written());
        attachments::attach(brief, self.agent.options.files())
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(with_mask(&self.settings, Player { series: self, life }))
    }
}

struct Check<'a>(&'a Bench);

impl MaskVisitor for Check<'_> {
    type Output = Result<(), SpecError>;

    fn visit<M: Mask>(self) -> Self::Output {
        self.0.agent.build::<M>(&self.0.settings, 0).map(drop)
    }
}

struct Player<'a> {
    series: &'a Bench,
    life: &'a Life,
}

impl<'a> MaskVisitor for Player<'a> {
    type Output = Box<dyn Hand + 'a>;

    fn visit<M: Mask>(self) -> Self::Output {
        Box::new(move |number: u64| {
            let result = self.play::<M>(number).map_err(Trouble::of)?;
            Ok(result.map(|result| Product::noted(&result)))
        })
    }
}

impl Player<'_> {
    /// A game to its end, unless it is stopped.
    fn play<M: Mask>(&self, number: u64) -> Result<Option<GameResult>, SpecError> {
        let Bench { settings, agent, seed, .. } = self.series;
        let mut rng = seeded(derived(*seed, [number, 0]));
        let mut agent = agent.build::<M>(settings, derived(*seed, [number, 1]))?;
        let mut game = GemIsland::<M>::generate(*settings, &mut rng)
            .unwrap_or_else(|| unreachable!("the mask was chosen for these settings"));
        let (mut rollouts, mut thinking) = (0, Duration::ZERO);
        while game.status() == Status::Running {
            if self.life.is_stopped() {
                return Ok(None);
            }
            let view = game.view();
            let started = Instant::now();
            let decision = agent.decide(&view);
            thinking += started.elapsed();
            self.life.beat();
            let Some(decision) = decision else { break };
            rollouts += decision.rollouts;
            game.play(decision.swap, &mut rng, &mut ());
        }
        Ok(Some(GameResult {
            status: game.status(),
            moves: game.moves_made(),
            score: game.final_score(),
            rollouts,
            seconds: thinking.as_secs_f64(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks;
    use tesuji_queue::rehearsal::Elsewhere;
    use tesuji_queue::{Pool, Tasks};

    fn bench(agent: &str) -> Bench {
        let settings = Settings::level(1).unwrap();
        Bench { settings, agent: agent.parse().unwrap(), games: 40, seed: 3 }
    }

    fn played(bench: &Bench, threads: usize) -> Vec<GameResult> {
        bench.run(&Pool::new(threads), &mut |_, _| {}).unwrap()
    }

    fn without_time(results: Vec<GameResult>) -> Vec<GameResult> {
        results.into_iter().map(|game| GameResult { seconds: 0.0, ..game }).collect()
    }

    #[test]
    fn games_repeat_on_any_number_of_threads() {
        let bench = bench("flat-ucb:sims=20,depth=2");
        let [one, three] = [1, 3].map(|threads| without_time(played(&bench, threads)));
        assert_eq!(one, three);
        assert_eq!(one.len(), 40);
    }

    /// An agent with a network of its own plays the same games elsewhere, whatever the file is called there.
    #[test]
    fn games_repeat_on_another_machine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a,b.net");
        let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/gem-utility.net");
        std::fs::copy(network, &file).unwrap();
        let agent = format!("flat-ucb:sims=8,eval=nn-utility,file=\"{}\"", file.display());
        let series = bench(&agent);
        let here = without_time(played(&series, 2));
        // What the agent played with goes along, also when the file has changed since.
        std::fs::write(&file, "another file").unwrap();
        let tasks = tasks(&tesuji_builtin::registry(), tesuji_play::ProgramPolicy::Refused);
        let queue = Elsewhere::new(Tasks::new(tasks));
        let mut last = (0, 0);
        let there = series.run(&queue, &mut |done, won| last = (done, won)).unwrap();
        assert_eq!(last, (40, series.summary(&there).wins));
        assert_eq!(without_time(there), here);
    }

    #[test]
    fn thinking_helps() {
        let wins = |agent: &str| {
            let bench = bench(agent);
            bench.summary(&played(&bench, 2)).wins
        };
        // 2.5 % and 88 % of many games.
        assert!(wins("random") <= 8);
        assert!(wins("flat-ucb") >= 28);
    }
}
