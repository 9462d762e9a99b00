//! Games of an agent, cached for experiments that use the same games.

use std::cell::RefCell;
use std::rc::Rc;

use tesuji_games::rules::gem_island::{GemRules, GemSettings, GemStatus};
use tesuji_players::gem_island::{AgentSpec, GemGameResult, GemSeries, GemSeriesSummary};
use tesuji_queue::Pool;

use crate::comparison::Estimate;
use crate::run::{ReproduceError, ReproductionRun};

/// The games of one agent at one level.
pub struct AgentGames {
    level: usize,
    rules: GemRules,
    agent: String,
    results: Vec<GemGameResult>,
    summary: GemSeriesSummary,
}

impl AgentGames {
    /// Returns the games won in percent.
    pub fn won(&self) -> Estimate {
        Estimate::percent(self.summary.wins as f64, self.summary.games)
    }

    /// Returns the mean number of moves.
    pub fn moves(&self) -> Estimate {
        Estimate::with_error(self.summary.mean_moves, self.summary.moves_error)
    }

    /// Returns the mean score.
    pub fn score(&self) -> Estimate {
        Estimate::with_error(self.summary.mean_score, self.summary.score_error)
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.summary.games
    }

    /// Returns the moves of each game won.
    pub fn moves_to_win(&self) -> Vec<f64> {
        let won = self.results.iter().filter(|game| game.status == GemStatus::Won);
        won.map(|game| f64::from(game.moves)).collect()
    }
}

/// The games that were played in this run.
#[derive(Default)]
pub struct AgentGamesCache(RefCell<Vec<Rc<AgentGames>>>);

impl ReproductionRun<'_> {
    /// Plays games of an agent at a level, or returns the cached games.
    pub fn gem_games(
        &self,
        level: usize,
        rules: GemRules,
        agent: &str,
        games: u64,
    ) -> Result<Rc<AgentGames>, ReproduceError> {
        let same = |known: &&Rc<AgentGames>| {
            (known.level, known.rules, &*known.agent) == (level, rules, agent)
                && known.games() == games
        };
        if let Some(known) = self.agent_games.0.borrow().iter().find(same) {
            return Ok(known.clone());
        }
        let settings = GemSettings::level(level)
            .ok_or_else(|| ReproduceError::Other(format!("level {level}: does not exist")))?;
        let spec: AgentSpec = agent.parse()?;
        let settings = settings.with_rules(rules);
        let series = GemSeries { settings, agent: spec, games, seed: self.seed, logs: false };
        let results = series.run(&Pool::new(self.threads.max(1)), &mut |it| {
            let label = format!("{agent} at level {level}: {} won", it.won);
            self.report_progress(it.done, games, &label);
            Ok(())
        })?;
        let summary = series.summary(&results);
        let played =
            Rc::new(AgentGames { level, rules, agent: agent.to_string(), results, summary });
        self.agent_games.0.borrow_mut().push(played.clone());
        Ok(played)
    }
}
