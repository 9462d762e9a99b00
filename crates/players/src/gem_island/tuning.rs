//! Tunes the weights of the flat bandit's evaluation `hb`: random weights play the same games, the
//! worse half is dropped after each round, and the winner is compared with the published weights in
//! new games.

use serde::Serialize;
use tesuji_games::SpecError;
use tesuji_games::random::{Rng, derived, seeded, unit};
use tesuji_games::rules::gem_island::{GemSettings, GemStatus};
use tesuji_play::EventError;
use tesuji_play::statistics::mean_and_error;
use tesuji_queue::WorkQueue;

use super::{AgentSpec, GemGameResult, GemSeries, GemSeriesSummary};

/// The published weights of medals, ice and gems.
pub const PUBLISHED_WEIGHTS: &str = "10/5/1";

/// The settings of a tuning.
#[derive(Clone, Debug)]
pub struct WeightTuning {
    /// The game.
    pub settings: GemSettings,
    /// The agent without weights.
    pub agent: AgentSpec,
    /// Weights to try, with the published ones.
    pub candidates: u64,
    /// Games of each candidate in the first round; a candidate of a later round plays twice as many
    /// as in the round before.
    pub games: u64,
    /// Games of the final comparison.
    pub held_out: u64,
    /// The seed of weights and games.
    pub seed: u64,
}

/// The result of a tuning.
#[derive(Clone, Debug, Serialize)]
pub struct TunedWeights {
    /// The best weights, as text.
    pub weights: String,
    /// The rounds.
    pub rounds: Vec<TuningRound>,
    /// The published weights in new games.
    pub published: GemSeriesSummary,
    /// The best weights in the same games.
    pub tuned: GemSeriesSummary,
    /// The gain in games won, in percent.
    pub gain: f64,
    /// Half of its 95 % interval, from the differences of the same games.
    pub gain_error: f64,
    /// The gain in moves; negative if fewer are needed.
    pub moves_gain: f64,
    /// Half of its 95 % interval.
    pub moves_gain_error: f64,
}

/// A round of a tuning.
#[derive(Clone, Debug, Serialize)]
pub struct TuningRound {
    /// Candidates that took part.
    pub candidates: usize,
    /// Games of each.
    pub games: u64,
    /// The best weights.
    pub weights: String,
    /// Their mean value: 1 for a win and the share of moves left.
    pub value: f64,
    /// The mean value of the published weights, if they took part.
    pub published: Option<f64>,
}

impl WeightTuning {
    /// Tunes on a queue. `each` is called with the number of finished games and a text.
    pub fn run(
        &self,
        queue: &dyn WorkQueue,
        each: &mut dyn FnMut(u64, &str),
    ) -> Result<TunedWeights, EventError> {
        let mut rng = seeded(derived(self.seed, [0]));
        let mut alive = vec![PUBLISHED_WEIGHTS.to_string()];
        alive.extend((1..self.candidates).map(|_| random_weights(&mut rng)));
        let (mut rounds, mut games, mut done) = (Vec::new(), self.games, 0);
        while alive.len() > 1 {
            let seed = derived(self.seed, [1, rounds.len() as u64]);
            let mut values: Vec<(f64, String)> = Vec::new();
            for weights in alive {
                let played = self.play(&weights, games, seed, queue, &mut done, each)?;
                let moves = f64::from(self.settings.moves);
                let value = |game: &GemGameResult| match game.status {
                    GemStatus::Won => 1.0 + (moves - f64::from(game.moves)) / moves,
                    _ => 0.0,
                };
                values.push((played.iter().map(value).sum::<f64>() / games as f64, weights));
            }
            values.sort_by(|a, b| b.0.total_cmp(&a.0));
            let published = values.iter().find(|(_, weights)| weights == PUBLISHED_WEIGHTS);
            rounds.push(TuningRound {
                candidates: values.len(),
                games,
                weights: values[0].1.clone(),
                value: values[0].0,
                published: published.map(|(value, _)| *value),
            });
            values.truncate(values.len().div_ceil(2));
            alive = values.into_iter().map(|(_, weights)| weights).collect();
            games *= 2;
        }
        let weights = alive.pop().unwrap_or_else(|| PUBLISHED_WEIGHTS.to_string());
        self.compared(weights, rounds, queue, &mut done, each)
    }

    /// Compares the best weights with the published ones in new games.
    fn compared(
        &self,
        weights: String,
        rounds: Vec<TuningRound>,
        queue: &dyn WorkQueue,
        done: &mut u64,
        each: &mut dyn FnMut(u64, &str),
    ) -> Result<TunedWeights, EventError> {
        let seed = derived(self.seed, [2]);
        let mut play = |weights: &str| self.play(weights, self.held_out, seed, queue, done, each);
        let (before, after) = (play(PUBLISHED_WEIGHTS)?, play(&weights)?);
        let gain = |value: fn(&GemGameResult) -> f64| {
            let pairs = before.iter().zip(&after);
            mean_and_error(&pairs.map(|(a, b)| value(b) - value(a)).collect::<Vec<f64>>())
        };
        let won = |game: &GemGameResult| f64::from(u8::from(game.status == GemStatus::Won));
        let (gain_won, error) = gain(won);
        let (moves_gain, moves_gain_error) = gain(|game| f64::from(game.moves));
        let summary = |weights: &str, played: &[GemGameResult]| -> Result<_, SpecError> {
            Ok(self.series(weights, self.held_out, seed)?.summary(played))
        };
        Ok(TunedWeights {
            published: summary(PUBLISHED_WEIGHTS, &before)?,
            tuned: summary(&weights, &after)?,
            weights,
            rounds,
            gain: 100.0 * gain_won,
            gain_error: 100.0 * error,
            moves_gain,
            moves_gain_error,
        })
    }

    fn series(&self, weights: &str, games: u64, seed: u64) -> Result<GemSeries, SpecError> {
        let agent = self.agent.with_option("weights", weights)?;
        Ok(GemSeries { settings: self.settings, agent, games, seed, logs: false })
    }

    fn play(
        &self,
        weights: &str,
        games: u64,
        seed: u64,
        queue: &dyn WorkQueue,
        done: &mut u64,
        each: &mut dyn FnMut(u64, &str),
    ) -> Result<Vec<GemGameResult>, EventError> {
        let before = *done;
        *done += games;
        self.series(weights, games, seed)?.run(queue, &mut |progress| {
            each(before + progress.done, weights);
            Ok(())
        })
    }

    /// The number of games of all rounds and of the final comparison.
    pub fn total_games(&self) -> u64 {
        let (mut alive, mut games, mut total) = (self.candidates, self.games, 2 * self.held_out);
        while alive > 1 {
            total += alive * games;
            (alive, games) = (alive.div_ceil(2), 2 * games);
        }
        total
    }
}

/// Weights of medals, ice and gems. Only their ratio matters, so medals have 10; the others are
/// log-uniform from a sixteenth of the published weight to four times as much.
fn random_weights(rng: &mut Rng) -> String {
    let mut weight = |published: f64| published * (6.0 * unit(rng) - 4.0).exp2();
    let (ice, gems) = (weight(5.0), weight(1.0));
    format!("10/{ice:.2}/{gems:.2}")
}
