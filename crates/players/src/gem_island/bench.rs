//! Many games of one agent, and what they say about it.

mod series;

use serde::{Deserialize, Serialize};
use tesuji_games::rules::gem_island::{Settings, Status};
use tesuji_queue::{Pool, WorkQueue};

use super::AgentSpec;
use series::StatusWord;
pub(crate) use series::task;
use tesuji_play::ArenaError;
use tesuji_play::statistics::{mean_and_error, share_interval};

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
    /// Games at once.
    pub threads: usize,
}

/// What came of one game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameResult {
    /// How it ended.
    #[serde(with = "StatusWord")]
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

impl Bench {
    /// Plays all games on threads of this process; `each` hears of every one as it ends: how many are over, and how
    /// many were won. The results come in the order of the games, whatever the number of threads.
    pub fn run(&self, each: &mut dyn FnMut(u64, u64)) -> Result<Vec<GameResult>, ArenaError> {
        self.run_on(&Pool::new(self.threads.max(1)), each)
    }

    /// The same with a queue that says who plays.
    pub fn run_on(
        &self,
        queue: &dyn WorkQueue,
        each: &mut dyn FnMut(u64, u64),
    ) -> Result<Vec<GameResult>, ArenaError> {
        series::play(self, queue, each)
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
            agent: self.agent.text().to_string(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks;
    use tesuji_queue::Tasks;
    use tesuji_queue::rehearsal::Elsewhere;

    fn bench(agent: &str, threads: usize) -> Bench {
        let settings = Settings::level(1).unwrap();
        Bench { settings, agent: agent.parse().unwrap(), games: 40, seed: 3, threads }
    }

    fn without_time(results: Vec<GameResult>) -> Vec<GameResult> {
        results.into_iter().map(|game| GameResult { seconds: 0.0, ..game }).collect()
    }

    #[test]
    fn games_repeat_on_any_number_of_threads() {
        let one = without_time(bench("flat-ucb:sims=20,depth=2", 1).run(&mut |_, _| {}).unwrap());
        let three = without_time(bench("flat-ucb:sims=20,depth=2", 3).run(&mut |_, _| {}).unwrap());
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
        let series = bench(&agent, 2);
        let here = without_time(series.run(&mut |_, _| {}).unwrap());
        // What the agent played with goes along, also when the file has changed since.
        std::fs::write(&file, "another file").unwrap();
        let tasks = tasks(&tesuji_builtin::registry(), tesuji_play::Programs::Refused);
        let queue = Elsewhere::new(Tasks::new(tasks));
        let mut last = (0, 0);
        let there = series.run_on(&queue, &mut |done, won| last = (done, won)).unwrap();
        assert_eq!(last, (40, series.summary(&there).wins));
        assert_eq!(without_time(there), here);
    }

    #[test]
    fn thinking_helps() {
        let wins = |agent: &str| {
            let bench = bench(agent, 2);
            bench.summary(&bench.run(&mut |_, _| {}).unwrap()).wins
        };
        // 2.5 % and 88 % of many games.
        assert!(wins("random") <= 8);
        assert!(wins("flat-ucb") >= 28);
    }
}
