//! Games of the engine to learn from, handed to a queue.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::{Numbers, Weights};
use tesuji_queue::{Bench, Brief, Hand, Life, Parcel, Product, Task, Trouble};

use super::self_play::NodeLimitedEngine;
use super::settings::GameSettings;
use crate::line_network::games::play_out;

/// The name of the task of games to learn from.
const GAMES: &str = "gomoku-games";
const NUMBERS: &str = "numbers";

/// What all games have in common; other machines are told this, and the engine's numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct RoundSettings {
    rule: String,
    pub(super) games: GameSettings,
    pub(super) seed: u64,
    /// Whether a game that is decided is played on to its end.
    to_the_end: bool,
}

/// Games of one round; a unit is the number of a game.
pub(crate) struct SelfPlayRound {
    pub(super) settings: RoundSettings,
    pub(super) rule: RowRule,
    /// `None` for the numbers that come with the program.
    numbers: Option<Numbers>,
    /// Who strays from the best move plays what these find promising.
    pub(super) weights: Arc<Weights>,
}

impl SelfPlayRound {
    /// Games that end where a win is proved, with these numbers.
    pub(crate) fn new(
        rule: RowRule,
        games: &GameSettings,
        seed: u64,
        numbers: &Numbers,
    ) -> SelfPlayRound {
        let (games, numbers) = (games.clone(), Some(numbers.clone()));
        let settings = RoundSettings { rule: rule.to_string(), games, seed, to_the_end: false };
        SelfPlayRound::of(settings, rule, numbers)
    }

    /// Games that are played to their end, with the numbers that come with the program.
    pub(crate) fn to_the_end(rule: RowRule, games: &GameSettings, seed: u64) -> SelfPlayRound {
        let games = games.clone();
        let settings = RoundSettings { rule: rule.to_string(), games, seed, to_the_end: true };
        SelfPlayRound::of(settings, rule, None)
    }

    fn of(settings: RoundSettings, rule: RowRule, numbers: Option<Numbers>) -> SelfPlayRound {
        let own = numbers.as_ref().map(|numbers| Arc::new(Weights::new(numbers)));
        SelfPlayRound {
            settings,
            rule,
            numbers,
            weights: own.unwrap_or_else(|| Weights::shipped(rule)),
        }
    }

    fn product(&self, engine: &mut NodeLimitedEngine, game: u64) -> Result<Product, Trouble> {
        let mut played = self.play(engine, game).map_err(Trouble::of)?;
        if self.settings.to_the_end {
            played = play_out(&played, self.rule, engine).map_err(Trouble::of)?;
        }
        Ok(Product::noted(&played))
    }
}

impl Bench for SelfPlayRound {
    fn brief(&self) -> Result<Brief, Trouble> {
        let text = serde_json::to_string(&self.settings).map_err(Trouble::of)?;
        let brief = Brief::new(GAMES, text);
        let files = self.numbers.iter();
        Ok(files.fold(brief, |brief, numbers| brief.with_file(NUMBERS, numbers.to_bytes(""))))
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        let engine = NodeLimitedEngine::new(self.weights.clone(), self.settings.games.nodes);
        let mut engine = engine.with_cancel(life);
        Ok(Box::new(move |game: u64| {
            let played = self.product(&mut engine, game);
            // A search that was broken off has no say.
            if life.is_stopped() { Ok(None) } else { played.map(Some) }
        }))
    }
}

/// What other machines can do for a run.
pub(crate) fn tasks() -> [Task; 1] {
    [Task::new(GAMES, open_games)]
}

fn open_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let settings: RoundSettings = serde_json::from_str(&parcel.text).map_err(Trouble::of)?;
    let rule: RowRule = settings.rule.parse().map_err(Trouble::of)?;
    let numbers = match parcel.files.contains_key(NUMBERS) {
        true => Some(Numbers::from_bytes(&parcel.read(NUMBERS)?).map_err(Trouble::of)?),
        false => None,
    };
    Ok(Box::new(SelfPlayRound::of(settings, rule, numbers)))
}
