//! Inserts records, with one statement for each kind. The number of changed rows tells whether a
//! record is new.

use rusqlite::{Connection, OptionalExtension, params};

use super::errors::SqliteError;
use super::writer::Players;
use crate::columns::{outcome_text, signed, text_of_detail, text_of_thoughts};
use crate::{AddCounts, GameRecord, PlayerRecord, PoolRating, Record, upsert};

/// Writes records within the open transaction.
pub(crate) fn insert(
    connection: &Connection,
    players: &mut Players,
    records: &[Record],
) -> Result<AddCounts, SqliteError> {
    let mut inserter = Inserter { connection, players };
    let mut added = AddCounts::default();
    for record in records {
        match inserter.insert(record)? {
            0 => added.known += 1,
            _ => added.new += 1,
        }
    }
    Ok(added)
}

struct Inserter<'a> {
    connection: &'a Connection,
    players: &'a mut Players,
}

impl Inserter<'_> {
    fn insert(&mut self, record: &Record) -> Result<usize, SqliteError> {
        match record {
            Record::Game(game) => self.game(game),
            Record::Sample(it) => self.run(
                "INSERT INTO samples (key, run, game, position, value, weight, detail) \
                 VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                params![
                    it.key,
                    it.run,
                    it.game,
                    it.position,
                    it.value,
                    it.weight,
                    text_of_detail(&it.detail)
                ],
            ),
            Record::Run(it) => self.run(
                upsert::RUN,
                params![
                    it.id,
                    it.kind,
                    it.name,
                    it.config,
                    it.state,
                    signed(it.started_at),
                    signed(it.updated_at)
                ],
            ),
            Record::Job(it) => self.run(
                upsert::JOB,
                params![
                    it.key,
                    it.run,
                    it.stage,
                    it.task,
                    it.brief,
                    signed(it.first),
                    signed(it.units),
                    it.done,
                    it.round,
                    it.attempts,
                    it.losses,
                    it.error,
                    it.worker,
                    signed(it.micros),
                    signed(it.at),
                    it.output
                ],
            ),
            Record::Metric(it) => self.run(
                "INSERT INTO metrics (run, name, step, value, at) VALUES (?, ?, ?, ?, ?) \
                 ON CONFLICT (run, name, step) DO NOTHING",
                params![it.run, it.name, signed(it.step), it.value, signed(it.at)],
            ),
            Record::Rating(rating) => self.rating(rating),
            Record::Human(it) => self.run(
                "INSERT INTO human_scores (key, board, name, score, moves, won, at) \
                 VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                params![it.key, it.board, it.name, it.score, it.moves, it.won, signed(it.at)],
            ),
        }
    }

    fn game(&mut self, it: &GameRecord) -> Result<usize, SqliteError> {
        let [first, second] = &it.players;
        let (first, second) = (self.player(first)?, self.player(second)?);
        let thoughts = text_of_thoughts(&it.thoughts).map_err(|why| {
            SqliteError::Failed(format!("search records: cannot be written as JSON: {why}"))
        })?;
        self.run(
            "INSERT INTO games (key, event, game, first_player, second_player, pair, seed, start, \
             moves, opening_plies, result, ending, ending_detail, thoughts, played_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
            params![
                it.key,
                it.event,
                it.game,
                first,
                second,
                it.pair.map(signed),
                it.seed.to_string(),
                it.start,
                it.moves,
                it.opening_plies,
                outcome_text(it.outcome),
                it.ending.kind.word(),
                it.ending.detail,
                thoughts,
                signed(it.played_at),
            ],
        )
    }

    fn rating(&mut self, it: &PoolRating) -> Result<usize, SqliteError> {
        let player = self.player(&it.player)?;
        self.run(
            upsert::RATING,
            params![
                it.pool,
                player,
                it.elo,
                it.low,
                it.high,
                signed(it.games),
                it.points,
                signed(it.at)
            ],
        )
    }

    /// The id of a player, who is inserted if new.
    fn player(&mut self, player: &PlayerRecord) -> Result<i64, SqliteError> {
        if let Some(&id) = self.players.get(player) {
            return Ok(id);
        }
        let mut find =
            self.connection.prepare_cached("SELECT id FROM players WHERE name = ? AND spec = ?")?;
        let words = [&player.name, &player.spec];
        let found = find.query_row(words, |row| row.get(0)).optional()?;
        let id = match found {
            Some(id) => id,
            None => {
                self.run("INSERT INTO players (name, spec) VALUES (?, ?)", words)?;
                self.connection.last_insert_rowid()
            }
        };
        self.players.insert(player.clone(), id);
        Ok(id)
    }

    fn run(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<usize, SqliteError> {
        Ok(self.connection.prepare_cached(sql)?.execute(parameters)?)
    }
}
