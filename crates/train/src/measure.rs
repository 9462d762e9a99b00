//! How strong a model is: at chosen steps it plays fixed opponents, in colour-swapped pairs from the same openings at
//! every step, so that one step can be compared with another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tesuji_play::statistics::elo;
use tesuji_play::{Match, Openings, Pentanomial, PlayerContext, PlayerSpec, Roster};
use tesuji_search::{Game, Registry};

use crate::error::TrainError;
use crate::learner::Env;
use crate::settings::{RunSettings, SettingsError, check_ranges};

/// The opponent that plays with the model before the first step.
const START: &str = "start";
/// The opponent that plays with the best model of earlier steps. It changes on the way, so its score does not count
/// when the best model is chosen.
const CHAMPION: &str = "champion";

/// How a run is measured: the table `[measure]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureSettings {
    /// Every so many steps, and after the last one; 0 for never.
    pub every: u64,
    /// Games against each opponent; even, as they are played in colour-swapped pairs.
    pub games: u64,
    /// The opponents: players, `start` for the model before the first step, `champion` for the best one so far.
    pub opponents: Vec<String>,
    /// Random moves before the players take over.
    pub openings: usize,
    /// Options of the player with the model, such as `depth=2`.
    pub options: String,
}

/// Whether an opponent is a model of the run itself, not a player.
pub fn is_model(opponent: &str) -> bool {
    [START, CHAMPION].contains(&opponent)
}

/// The file of the model after a step, without its ending.
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
    /// The same with these options of the player, where none are given.
    pub fn with_usual_options(&self, options: &str) -> MeasureSettings {
        let options = if self.options.is_empty() { options } else { &self.options };
        MeasureSettings { options: options.to_string(), ..self.clone() }
    }

    /// Refuses what makes no sense.
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

/// The result of games against one opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StrengthScore {
    /// The share of points, 0 to 1.
    pub score: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// Elo difference; `None` when one side won every game.
    pub elo: Option<f64>,
    /// Half the width of its interval, where it is finite.
    pub elo_error: Option<f64>,
    /// Games.
    pub games: u64,
    /// Pentanomial that brought 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl StrengthScore {
    /// What pairs of games say; `None` without any.
    pub fn of(pairs: &Pentanomial) -> Option<StrengthScore> {
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

    /// What games without draws and without pairs say: the share won, with Wald's interval around the estimate of
    /// Agresti and Coull (1998), which does not vanish where all or none are won.
    pub fn of_wins(won: u64, games: u64) -> StrengthScore {
        let (n, z) = (games as f64, elo::TWO_SIDED_95);
        let share = (won as f64 + z * z / 2.0) / (n + z * z);
        let error = z * (share * (1.0 - share) / (n + z * z)).sqrt();
        let score = won as f64 / n.max(1.0);
        StrengthScore { score, error, elo: None, elo_error: None, games, pairs: [0; 5] }
    }

    /// The numbers that charts may show, by name.
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

/// The mean score against all fixed opponents: what decides which model is the best.
pub(crate) fn mean_score(strength: &BTreeMap<String, StrengthScore>) -> Option<f64> {
    let fixed = strength.iter().filter(|(opponent, _)| *opponent != CHAMPION);
    let scores: Vec<f64> = fixed.map(|(_, score)| score.score).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// The result in one line.
pub(crate) fn line(strength: &BTreeMap<String, StrengthScore>) -> String {
    let one = |(opponent, score): (&String, &StrengthScore)| {
        format!("{opponent} {:.1} ± {:.1} %", 100.0 * score.score, 100.0 * score.error)
    };
    let all: Vec<String> = strength.iter().map(one).collect();
    format!("against {}", all.join(", "))
}

/// A measurement that can be played.
pub(crate) struct Measurement<'a> {
    run: &'a RunSettings,
    settings: &'a MeasureSettings,
    game: Game,
}

impl<'a> Measurement<'a> {
    /// The measurement of a run, if there is one. Its opponents are made once, so that a wrong one is reported before
    /// the first step.
    pub(crate) fn of(run: &'a RunSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let wanted = |it: &&MeasureSettings| it.every > 0 && !it.opponents.is_empty();
        let Some(settings) = run.common.measure.as_ref().filter(wanted) else { return Ok(None) };
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
            TrainError::settings(format!("{}: no player can name this file", file.display()))
        })?;
        env.players.read(&text).map_err(TrainError::settings)
    }

    /// Plays the games of a step; `None` when they were stopped. `champion` is the best step before it.
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
            let ready = Match { games, seed, ..Match::default() }.prepare(
                &self.game,
                &[model.clone(), opponent],
                &openings,
            );
            let ready = ready.map_err(TrainError::settings)?.stopped_by(env.stop.clone());
            let played = ready.run_on(env.queue, None, &|score| {
                env.progress("measured game", score.tally.games(), games);
            });
            let played = played.map_err(TrainError::failed)?;
            if played.score.tally.games() < games {
                return Ok(None);
            }
            if let Some(score) = StrengthScore::of(&played.score.pairs) {
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
