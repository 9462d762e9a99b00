//! Games of the engine to learn from, handed to a queue.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::{Numbers, Weights};
use tesuji_queue::{Bench, Brief, Hand, Life, Parcel, Product, Task, Trouble};

use super::self_play::NodeLimited;
use super::settings::GameSettings;
use crate::line_network::games::played_out;

/// The name of the task of games to learn from.
const GAMES: &str = "gomoku-games";
const NUMBERS: &str = "numbers";

/// What all games have in common; other machines are told this, and the engine's numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Terms {
    rule: String,
    pub(super) games: GameSettings,
    pub(super) seed: u64,
    /// Whether a game that is decided is played on to its end.
    to_the_end: bool,
}

/// Games of one round; a unit is the number of a game.
pub(crate) struct Round {
    pub(super) terms: Terms,
    pub(super) rule: RowRule,
    /// `None` for the numbers that come with the program.
    numbers: Option<Numbers>,
    /// Who strays from the best move plays what these find promising.
    pub(super) weights: Arc<Weights>,
}

impl Round {
    /// Games that end where a win is proved, with these numbers.
    pub(crate) fn new(rule: RowRule, games: &GameSettings, seed: u64, numbers: &Numbers) -> Round {
        let (games, numbers) = (games.clone(), Some(numbers.clone()));
        let terms = Terms { rule: rule.to_string(), games, seed, to_the_end: false };
        Round::of(terms, rule, numbers)
    }

    /// Games that are played to their end, with the numbers that come with the program.
    pub(crate) fn to_the_end(rule: RowRule, games: &GameSettings, seed: u64) -> Round {
        let games = games.clone();
        let terms = Terms { rule: rule.to_string(), games, seed, to_the_end: true };
        Round::of(terms, rule, None)
    }

    fn of(terms: Terms, rule: RowRule, numbers: Option<Numbers>) -> Round {
        let own = numbers.as_ref().map(|numbers| Arc::new(Weights::new(numbers)));
        Round { terms, rule, numbers, weights: own.unwrap_or_else(|| Weights::shipped(rule)) }
    }

    fn product(&self, engine: &mut NodeLimited, game: u64) -> Result<Product, Trouble> {
        let mut played = self.play(engine, game).map_err(Trouble::of)?;
        if self.terms.to_the_end {
            played = played_out(&played, self.rule, engine).map_err(Trouble::of)?;
        }
        Ok(Product::noted(&played))
    }
}

impl Bench for Round {
    fn brief(&self) -> Result<Brief, Trouble> {
        let text = serde_json::to_string(&self.terms).map_err(Trouble::of)?;
        let brief = Brief::new(GAMES, text);
        let files = self.numbers.iter();
        Ok(files.fold(brief, |brief, numbers| brief.with_file(NUMBERS, numbers.to_bytes(""))))
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        let engine = NodeLimited::new(self.weights.clone(), self.terms.games.nodes);
        let mut engine = engine.watched_by(life);
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
    let terms: Terms = serde_json::from_str(&parcel.text).map_err(Trouble::of)?;
    let rule: RowRule = terms.rule.parse().map_err(Trouble::of)?;
    let numbers = match parcel.files.contains_key(NUMBERS) {
        true => Some(Numbers::from_bytes(&parcel.read(NUMBERS)?).map_err(Trouble::of)?),
        false => None,
    };
    Ok(Box::new(Round::of(terms, rule, numbers)))
}
