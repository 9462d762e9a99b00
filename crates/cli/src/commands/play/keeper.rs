//! Keeps the games that people finish, when they ask for it.

use std::time::{SystemTime, UNIX_EPOCH};

use tesuji_games::{Line, Outcome, State};
use tesuji_store::key::digest;
use tesuji_store::{Contestant, Ending, GameRecord, Record, Store};

use super::saved::SavedGame;
use crate::failure::Failure;

/// A store and the sitting whose games go there.
pub(super) struct Keeper {
    store: Box<dyn Store>,
    /// Tells this sitting's games from those of any other.
    sitting: String,
}

impl Keeper {
    pub(super) fn new(place: &str) -> Result<Keeper, Failure> {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let sitting = format!("{} {}", since_1970.as_nanos(), std::process::id());
        Ok(Keeper { store: tesuji_store::open(place)?, sitting })
    }

    /// Writes a finished game down and says where.
    pub(super) fn keep(
        &self,
        setup: &SavedGame,
        start: &State,
        line: &Line,
        (outcome, ending): (Outcome, Ending),
    ) -> Result<String, Failure> {
        let moves = line.text();
        let contestant = |spec: &String| Contestant { name: spec.clone(), spec: spec.clone() };
        self.store.add(&[Record::Game(GameRecord {
            key: format!("play/{}", digest(&[&self.sitting, &moves, ending.kind.word()])),
            event: String::new(),
            game: setup.game.clone(),
            players: [&setup.first, &setup.second].map(contestant),
            pair: None,
            seed: setup.seed,
            start: line.start_text(start),
            moves,
            opening_plies: 0,
            outcome,
            ending,
            thoughts: Vec::new(),
            played_at: tesuji_play::event::now(),
        })])?;
        Ok(format!("kept in {}", self.store.place()))
    }
}
