//! The tables of a tournament: the cross table, the ratings, and for a competition its table, as
//! text, CSV, JSON and SVG.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tesuji_play::report::{Competition, CrossTable, RatingList, RatingRow};
use tesuji_play::statistics::{PoolOptions, rate};
use tesuji_play::{Tournament, TournamentResult};
use tesuji_store::safe_file::IfExists;
use tesuji_store::{PlayerRecord, PoolRating, Record};

use crate::failure::{Failure, InFile};
use crate::output::{json_text, say, write_file};

/// The tables of a tournament.
pub(super) struct Tables {
    name: String,
    cross: CrossTable,
    ratings: RatingList,
    competition: Option<Competition>,
}

impl Tables {
    pub(super) fn new(
        tournament: &Tournament,
        result: &TournamentResult,
    ) -> Result<Tables, Failure> {
        let settings = &tournament.settings;
        let options = PoolOptions {
            anchor: tournament.anchor,
            anchor_elo: settings.ratings.elo,
            seed: settings.seed,
            ..PoolOptions::default()
        };
        let pool = rate(result.names.len(), &result.games, &options).map_err(Failure::bad)?;
        Ok(Tables {
            name: settings.name.clone(),
            cross: CrossTable::new(&result.names, &result.games).map_err(Failure::bad)?,
            ratings: RatingList::new(&result.names, &pool),
            competition: tournament.competition(&result.games),
        })
    }

    /// The ratings as records for the store.
    pub(super) fn records(&self, result: &TournamentResult) -> Vec<Record> {
        let at = tesuji_play::event::now();
        let rating = |row: &RatingRow| {
            let row = &row.rating;
            let (name, spec) = (&result.names[row.player], &result.specs[row.player]);
            Some(Record::Rating(PoolRating {
                pool: result.event.clone(),
                player: PlayerRecord { name: name.clone(), spec: spec.clone() },
                elo: row.elo?,
                low: row.low,
                high: row.high,
                games: row.games,
                points: row.points,
                at,
            }))
        };
        self.ratings.rows.iter().filter_map(rating).collect()
    }

    /// All tables as JSON.
    pub(super) fn json(&self, result: &TournamentResult) -> Value {
        let mut value = json!(result);
        value["name"] = json!(self.name);
        value["cross_table"] = json!(self.cross);
        value["ratings"] = json!(self.ratings);
        value["competition"] = json!(self.competition);
        value
    }

    /// Prints the tables as text.
    pub(super) fn print(&self, result: &TournamentResult, place: &str) -> Result<(), Failure> {
        say!("{}, {} games\n", self.name, result.score.done)?;
        match &self.competition {
            Some(competition) => say!("{}", competition.ranked().text())?,
            None => say!("{}\n{}", self.cross.text(), self.ratings.text())?,
        }
        let ends: Vec<String> =
            result.endings.iter().map(|(word, count)| format!("{count} {word}")).collect();
        say!("ended  {}", ends.join(", "))?;
        for failure in result.failures.iter().take(5) {
            say!("{:6} {} ({})", failure.kind, failure.detail, failure.key)?;
        }
        if let Some(more) = result.failures.len().checked_sub(6) {
            say!("       and {} more", more + 1)?;
        }
        let resumed = match result.score.resumed {
            0 => String::new(),
            resumed => format!("; {resumed} of {} games were already there", result.score.done),
        };
        say!("saved in {place} as {}{resumed}", result.event)
    }

    /// Writes the tables to files.
    pub(super) fn write(&self, folder: &Path, result: &TournamentResult) -> Result<(), Failure> {
        fs::create_dir_all(folder).in_file(folder)?;
        let json = json_text(&self.json(result))? + "\n";
        let mut files = vec![
            ("cross-table.txt", self.cross.text()),
            ("cross-table.csv", self.cross.csv()),
            ("cross-table.svg", self.cross.svg()),
            ("ratings.txt", self.ratings.text()),
            ("ratings.csv", self.ratings.csv()),
            ("ratings.svg", self.ratings.svg()),
            ("tables.json", json),
        ];
        if let Some(competition) = &self.competition {
            files.extend([
                ("competition.txt", competition.text()),
                ("competition.csv", competition.csv()),
                ("competition.svg", competition.svg()),
            ]);
        }
        for (name, text) in files {
            let path = folder.join(name);
            write_file(&path, IfExists::Replace, text.as_bytes()).in_file(&path)?;
        }
        Ok(())
    }
}
