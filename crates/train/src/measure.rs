//! Measures the strength of a model: at chosen steps it plays fixed opponents, in color-swapped
//! pairs from the same openings at every step, so that steps are comparable.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tesuji_play::statistics::elo;
use tesuji_play::{Match, Openings, Pentanomial, PlayerContext, PlayerSpec, Roster};
use tesuji_search::{Game, Registry};

use crate::error::TrainError;
use crate::learner::Env;
use crate::settings::{RunSettings, SettingsError, check_ranges};

/// The opponent that is the model before the first step.
const START: &str = "start";
/// The opponent that is the best model of earlier steps. It changes during the run, so its score
/// does not count for the choice of the best model.
const CHAMPION: &str = "champion";

/// The table `[measure]`: how a run is measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureSettings {
    /// Measure every this many steps, and after the last one; 0 for never.
    pub every: u64,
    /// Number of games against each opponent; even, since they are played in color-swapped pairs.
    pub games: u64,
    /// The opponents: players, `start` for the model before the first step, `champion` for the best
    /// one so far.
    pub opponents: Vec<String>,
    /// Number of random opening moves.
    pub openings: usize,
    /// Options of the player that uses the model, such as `depth=2`.
    pub options: String,
}

/// Whether an opponent is a model of the run itself, not a player.
pub fn is_model(opponent: &str) -> bool {
    [START, CHAMPION].contains(&opponent)
}

/// The file of the model after a step, without extension.
pub fn file_of(step: u64) -> String {
    format!("models/step-{step:04}")
}

impl Default for MeasureSettings {
    fn default() -> MeasureSettings {
        MeasureSettings {
            every: 10,
            games: 40,
            opponents: vec![START.to_string(), "heuristic".to_string()],
            openings: 2,
            options: String::new(),
        }
    }
}

impl MeasureSettings {
    /// Sets the player's options if there are none.
    pub fn with_default_options(&self, options: &str) -> MeasureSettings {
        let options = if self.options.is_empty() { options } else { &self.options };
        MeasureSettings { options: options.to_string(), ..self.clone() }
    }

    /// Checks the values.
    pub fn check(&self) -> Result<(), SettingsError> {
        check_ranges([
            ("measure.every", self.every as f64, 0.0, 1e12),
            ("measure.games", self.games as f64, 2.0, 1e6),
            ("measure.openings", self.openings as f64, 0.0, 100.0),
        ])?;
        if self.games % 2 == 1 {
            let what = format!("`measure.games` is {}; expected an even number", self.games);
            return Err(SettingsError::Value(what));
        }
        Ok(())
    }
}

/// The strength against one opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StrengthScore {
    /// Share of the points, 0 to 1.
    pub score: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// Elo difference; `None` if one side won every game.
    pub elo: Option<f64>,
    /// Half the width of its 95 % interval; `None` if it is infinite.
    pub elo_error: Option<f64>,
    /// Number of games.
    pub games: u64,
    /// Number of pairs with 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl StrengthScore {
    /// The score of pairs of games; `None` without pairs.
    pub fn from_pairs(pairs: &Pentanomial) -> Option<StrengthScore> {
        let rating = pairs.rating()?;
        Some(StrengthScore {
            score: rating.score,
            error: rating.score_margin,
            elo: rating.elo,
            elo_error: rating.margin,
            games: pairs.games(),
            pairs: pairs.counts,
        })
    }

    /// The score of games without draws and pairs: the share of wins, with Wald's interval around
    /// the estimate of Agresti and Coull (1998), which does not vanish if all or none are won.
    pub fn from_wins(won: u64, games: u64) -> StrengthScore {
        let (n, z) = (games as f64, elo::TWO_SIDED_95);
        let share = (won as f64 + z * z / 2.0) / (n + z * z);
        let error = z * (share * (1.0 - share) / (n + z * z)).sqrt();
        let score = won as f64 / n.max(1.0);
        StrengthScore { score, error, elo: None, elo_error: None, games, pairs: [0; 5] }
    }

    /// The metrics for charts, by name.
    pub fn numbers(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let StrengthScore { score, error, elo, elo_error, games, .. } = *self;
        [
            ("score", Some(score)),
            ("error", Some(error)),
            ("elo", elo),
            ("elo_error", elo_error),
            ("games", Some(games as f64)),
        ]
        .into_iter()
        .filter_map(|(name, number)| Some((name, number?)))
    }
}

/// The mean score against all fixed opponents, which decides the best model.
pub(crate) fn mean_score(strength: &BTreeMap<String, StrengthScore>) -> Option<f64> {
    let fixed = strength.iter().filter(|(opponent, _)| *opponent != CHAMPION);
    let scores: Vec<f64> = fixed.map(|(_, score)| score.score).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// Formats the result in one line.
pub(crate) fn line(strength: &BTreeMap<String, StrengthScore>) -> String {
    let one = |(opponent, score): (&String, &StrengthScore)| {
        format!("{opponent} {:.1} ± {:.1} %", 100.0 * score.score, 100.0 * score.error)
    };
    let all: Vec<String> = strength.iter().map(one).collect();
    format!("against {}", all.join(", "))
}

/// The measurement of a run, ready to play.
pub(crate) struct Measurement<'a> {
    run: &'a RunSettings,
    settings: &'a MeasureSettings,
    game: Game,
}

impl<'a> Measurement<'a> {
    /// Prepares the measurement of a run; `None` if it has none. Checks the opponents, so that
    /// errors are reported before the first step.
    pub(crate) fn prepare(run: &'a RunSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let is_enabled = |it: &&MeasureSettings| it.every > 0 && !it.opponents.is_empty();
        let Some(settings) = run.common.measure.as_ref().filter(is_enabled) else {
            return Ok(None);
        };
        check_opponents(run, env.games, env.players)?;
        let game = env.games.open(&run.common.game).map_err(TrainError::settings)?;
        Ok(Some(Measurement { run, settings, game }))
    }

    pub(crate) fn is_due(&self, step: u64, is_last: bool) -> bool {
        is_last || step.is_multiple_of(self.settings.every)
    }

    fn model(&self, name: &str, env: &Env<'_>) -> Result<PlayerSpec, TrainError> {
        let kind = self.run.kind;
        let file = env.folder.path().join(format!("{name}.{}", kind.extension));
        let text = kind.player_with(&file, &self.settings.options).ok_or_else(|| {
            TrainError::settings(format!("{}: not a valid file name in a player; expected a path without quotes and control characters", file.display()))
        })?;
        env.players.read(&text).map_err(TrainError::settings)
    }

    /// Plays the games of a step; `None` if stopped. `champion` is the best earlier step.
    pub(crate) fn play(
        &self,
        env: &Env<'_>,
        step: u64,
        champion: u64,
    ) -> Result<Option<BTreeMap<String, StrengthScore>>, TrainError> {
        let model = self.model(&file_of(step), env)?;
        let mut strength = BTreeMap::new();
        for name in &self.settings.opponents {
            let opponent = match name.as_str() {
                START => self.model(&file_of(0), env)?,
                CHAMPION => self.model(&file_of(champion), env)?,
                text => env.players.read(text).map_err(TrainError::settings)?,
            };
            let (games, seed) = (self.settings.games, self.run.common.seed);
            let openings = Openings::Random { plies: self.settings.openings };
            let prepared = Match { games, seed, ..Match::default() }.prepare(
                &self.game,
                &[model.clone(), opponent],
                &openings,
            );
            let prepared = prepared.map_err(TrainError::settings)?.stopped_by(env.stop.clone());
            let played = prepared.run_on(env.queue, None, &|score| {
                env.progress("measured game", score.tally.games(), games);
            });
            let played = played.map_err(TrainError::failed)?;
            if played.score.tally.games() < games {
                return Ok(None);
            }
            if let Some(score) = StrengthScore::from_pairs(&played.score.pairs) {
                strength.insert(name.clone(), score);
            }
        }
        Ok(Some(strength))
    }
}

/// Refuses opponents that do not exist or cannot play the game.
pub fn check_opponents(
    settings: &RunSettings,
    games: &Registry,
    players: Roster,
) -> Result<(), TrainError> {
    let Some(measure) = &settings.common.measure else { return Ok(()) };
    let game = games.open(&settings.common.game).map_err(TrainError::settings)?;
    let wrong = |error| TrainError::settings(format!("`measure.opponents`: {error}"));
    for text in measure.opponents.iter().filter(|text| !is_model(text)) {
        let player = players.read(text);
        let checked = player.and_then(|player| player.supports(&PlayerContext::new(&game, 1)));
        checked.map_err(wrong)?;
    }
    Ok(())
}
