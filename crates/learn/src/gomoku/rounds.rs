//! Games of the engine to learn from, handed to a queue.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::{Numbers, Weights};
use tesuji_queue::{Bench, Brief, Hand, Life, Parcel, Product, Task, Trouble};

use super::self_play::{NodeLimited, SelfPlay};
use super::settings::GameSettings;
use crate::line_network::games::played_out;

/// The name of the task of games to learn from.
const GAMES: &str = "gomoku-games";
const NUMBERS: &str = "numbers";

/// What all games have in common; other machines are told this, and the engine's numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Terms {
    rule: String,
    games: GameSettings,
    seed: u64,
    /// Whether a game that is decided is played on to its end.
    to_the_end: bool,
}

/// Games of one round; a unit is the number of a game.
pub(crate) struct Round {
    terms: Terms,
    rule: RowRule,
    /// `None` for the numbers that come with the program.
    numbers: Option<Numbers>,
    weights: Arc<Weights>,
}

impl Round {
    /// Games that end where a win is proved, with these numbers.
    pub(crate) fn new(rule: RowRule, games: &GameSettings, seed: u64, numbers: &Numbers) -> Round {
        let weights = Arc::new(Weights::new(numbers));
        Round { terms: terms(rule, games, seed), rule, numbers: Some(numbers.clone()), weights }
    }

    /// Games that are played to their end, with the numbers that come with the program.
    pub(crate) fn to_the_end(rule: RowRule, games: &GameSettings, seed: u64) -> Round {
        let terms = Terms { to_the_end: true, ..terms(rule, games, seed) };
        Round { terms, rule, numbers: None, weights: Weights::shipped(rule) }
    }

    fn play(&self, engine: &mut NodeLimited, game: u64) -> Result<Product, Trouble> {
        let Terms { games, seed, to_the_end, .. } = &self.terms;
        let play = SelfPlay { rule: self.rule, games, weights: &self.weights, seed: *seed };
        let mut played = play.play(engine, game).map_err(Trouble::of)?;
        if *to_the_end {
            played = played_out(&played, self.rule, engine).map_err(Trouble::of)?;
        }
        Ok(Product::noted(&played))
    }
}

fn terms(rule: RowRule, games: &GameSettings, seed: u64) -> Terms {
    Terms { rule: rule.to_string(), games: games.clone(), seed, to_the_end: false }
}

impl Bench for Round {
    fn brief(&self) -> Result<Brief, Trouble> {
        let text = serde_json::to_string(&self.terms).map_err(Trouble::of)?;
        let brief = Brief::new(GAMES, text);
        Ok(match &self.numbers {
            Some(numbers) => brief.with_file(NUMBERS, numbers.to_bytes("")),
            None => brief,
        })
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        let engine = NodeLimited::new(self.weights.clone(), self.terms.games.nodes);
        let mut engine = engine.watched_by(life);
        Ok(Box::new(move |game: u64| {
            let played = self.play(&mut engine, game);
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
    let weights = match &numbers {
        Some(numbers) => Arc::new(Weights::new(numbers)),
        None => Weights::shipped(rule),
    };
    Ok(Box::new(Round { terms, rule, numbers, weights }))
}
