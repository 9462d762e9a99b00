//! The learner `gomoku-eval`: rounds of self-play games of the engine, to which its parameters are
//! fitted. The games of a round stay in the run's folder (`games-1.jsonl`), since later rounds
//! also train on them.

use std::collections::BTreeMap;

use serde_json::json;
use tesuji_games::RowRule;
use tesuji_games::random::derived;
use tesuji_gomoku::engine::weights::EngineWeights;
use tesuji_train::{Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError};

use super::game_file::{play_missing_games, read_games};
use super::learning::{TuningDataset, TuningResult};
use super::record::SelfPlayRecord;
use super::rounds::SelfPlayRound;
use super::settings::EngineTunerSettings;

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: StepNoun { singular: "round", plural: "rounds" },
    noun: "engine weights",
    extension: "weights",
    player: Some("gomoku:weights="),
    players: &["gomoku"],
    charts: CHARTS,
    main_metric: ("estimate", "loss of the estimate"),
    resumable: &["threads", "rounds"],
    open_ended: true,
    example: "learner = \"gomoku-eval\"",
    ..LearnerKind::new::<EngineTuner>(
        "gomoku-eval",
        "the parameters of the Gomoku engine's evaluation and move order, fitted to its own games",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "estimate",
        title: "Loss of the estimate in held-out games",
        unit: "cross entropy",
        series: &[
            ("estimate", "learned"),
            ("estimate_before", "before the round"),
            ("estimate_by_hand", "handcrafted"),
        ],
    },
    Chart {
        file: "order",
        title: "Loss of the move order in held-out games",
        unit: "cross entropy",
        series: &[
            ("order", "learned"),
            ("order_before", "before the round"),
            ("order_by_hand", "handcrafted"),
        ],
    },
    Chart {
        file: "found",
        title: "Best moves that come first",
        unit: "share",
        series: &[("found", "learned"), ("found_by_hand", "handcrafted")],
    },
];

/// The metrics of a round.
fn record(games: &BTreeMap<u64, SelfPlayRecord>, learned: &TuningResult) -> StepMetrics {
    let played = games.len().max(1) as f64;
    let ended = |result| games.values().filter(|it| it.result == result).count() as f64;
    let stones: usize = games.values().map(|it| it.opening + it.scores.len()).sum();
    let TuningResult { positions, orders, estimate, order, found, .. } = learned;
    let line = format!(
        "{positions} positions, estimate loss {:.4} (handcrafted {:.4}), order loss {:.3} ({:.3}), best move first \
         {:.1} % ({:.1} %)",
        estimate[2],
        estimate[0],
        order[2],
        order[0],
        100.0 * found[1],
        100.0 * found[0],
    );
    let values = json!({
        "stones": stones as f64 / played,
        "first": ended(1) / played,
        "drawn": ended(0) / played,
        "positions": positions,
        "orders": orders,
        "estimate_by_hand": estimate[0],
        "estimate_before": estimate[1],
        "estimate": estimate[2],
        "order_by_hand": order[0],
        "order_before": order[1],
        "order": order[2],
        "found_by_hand": found[0],
        "found": found[1],
    });
    StepMetrics::new(&values, line)
}

/// See the top of this file.
pub struct EngineTuner {
    settings: EngineTunerSettings,
    rule: RowRule,
    round: u64,
    weights: EngineWeights,
}

/// The name of the file with the games of a round.
pub fn games_file(round: u64) -> String {
    format!("games-{round}.jsonl")
}

impl Learner for EngineTuner {
    type Settings = EngineTunerSettings;

    fn begin(settings: &EngineTunerSettings, _: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let rule = settings.rule()?;
        let weights = EngineWeights::handcrafted(rule);
        Ok(Some(EngineTuner { settings: settings.clone(), rule, round: 0, weights }))
    }

    fn restore(
        settings: &EngineTunerSettings,
        _: &Env<'_>,
        round: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let weights = EngineWeights::from_bytes(checkpoint).map_err(TrainError::checkpoint)?;
        Ok(EngineTuner { settings: settings.clone(), rule: settings.rule()?, round, weights })
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        let EngineTunerSettings { seed, games, .. } = &self.settings;
        let round = self.round + 1;
        let job = SelfPlayRound::new(self.rule, games, derived(*seed, [round]), &self.weights);
        let file = games_file(round);
        let Some(last) = play_missing_games(env, &file, &round.to_string(), games.count, &job)?
        else {
            return Ok(None);
        };
        let mut dataset = TuningDataset::new(&self.settings, self.rule);
        let first = (round + 1).saturating_sub(games.keep).max(1);
        for earlier in first..round {
            add(&mut dataset, earlier, &read_games(env.folder, &games_file(earlier))?)?;
        }
        add(&mut dataset, round, &last)?;
        let learned = dataset.learn(&self.weights, derived(*seed, [round, u64::MAX]));
        let record = record(&last, &learned);
        (self.round, self.weights) = (round, learned.weights);
        Ok(Some(record))
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.weights.to_bytes("")
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let EngineTunerSettings { seed, games, .. } = &self.settings;
        let origin = format!(
            "round {} of {} games with {} nodes a move, seed {seed}",
            self.round, games.count, games.nodes
        );
        Ok(self.weights.to_bytes(&origin))
    }
}

/// Adds the games of a round to the dataset.
fn add(
    dataset: &mut TuningDataset<'_>,
    round: u64,
    games: &BTreeMap<u64, SelfPlayRecord>,
) -> Result<(), TrainError> {
    let wrong = |error| TrainError::failed(format!("{}: {error}", games_file(round)));
    games.values().try_for_each(|game| dataset.add(game).map_err(wrong))
}
