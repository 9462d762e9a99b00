//! Inserts records: one transaction for each call, many rows in one statement. Rows are sent as one
//! array for each column. The number of rows that a statement inserts is the number of new records.

use std::collections::BTreeSet;

use postgres::types::ToSql;
use postgres::{IsolationLevel, Transaction};

use super::errors::PostgresError;
use super::session::{Players, Session, Statements, prepared};
use crate::columns::{outcome_text, signed, text_of_detail, text_of_thoughts};
use crate::{
    AddCounts, GameRecord, HumanScore, JobRecord, Metric, PlayerRecord, PoolRating, Record,
    RunRecord, Sample, upsert,
};

/// Rows in one statement.
const ROWS: usize = 1000;

const GAMES: &str = "\
INSERT INTO games (key, event, game, first_player, second_player, pair, seed, start, moves, \
opening_plies, result, ending, ending_detail, thoughts, played_at) \
SELECT key, event, game, first_player, second_player, pair, seed, start, moves, opening_plies, \
result, ending, ending_detail, thoughts, played_at \
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], \
$7::text[], $8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], \
$14::text[], $15::bigint[]) WITH ORDINALITY AS row (key, event, game, first_player, \
second_player, pair, seed, start, moves, opening_plies, result, ending, ending_detail, thoughts, \
played_at, n) ORDER BY n ON CONFLICT (key) DO NOTHING";

const SAMPLES: &str = "\
INSERT INTO samples (key, run, game, position, value, weight, detail) \
SELECT key, run, game, position, value, weight, detail \
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], \
$7::text[]) WITH ORDINALITY AS row (key, run, game, position, value, weight, detail, n) \
ORDER BY n ON CONFLICT (key) DO NOTHING";

const METRICS: &str = "\
INSERT INTO metrics (run, name, step, value, at) SELECT run, name, step, value, at \
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[], $5::bigint[]) \
WITH ORDINALITY AS row (run, name, step, value, at, n) \
ORDER BY n ON CONFLICT (run, name, step) DO NOTHING";

const HUMAN_SCORES: &str = "\
INSERT INTO human_scores (key, board, name, score, moves, won, at) \
SELECT key, board, name, score, moves, won, at \
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::boolean[], \
$7::bigint[]) WITH ORDINALITY AS row (key, board, name, score, moves, won, at, n) \
ORDER BY n ON CONFLICT (key) DO NOTHING";

/// Releases the locks of a program that is suspended in the middle of a write.
const IDLE_TIMEOUT: &str = "SET LOCAL idle_in_transaction_session_timeout = '10s'";

const NEW_PLAYERS: &str = "\
INSERT INTO players (name, spec) SELECT name, spec FROM unnest($1::text[], $2::text[]) \
WITH ORDINALITY AS row (name, spec, n) ORDER BY n ON CONFLICT DO NOTHING";

const FIND_PLAYERS: &str = "\
SELECT p.name, p.spec, p.id FROM unnest($1::text[], $2::text[]) AS row (name, spec) \
JOIN players p ON p.name = row.name AND md5(p.spec) = md5(row.spec) AND p.spec = row.spec";

/// Writes all of these records or none.
pub(crate) fn insert(
    session: &mut Session,
    records: &[Record],
) -> Result<AddCounts, PostgresError> {
    let Session { client, statements, players } = session;
    let mut transaction =
        client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start()?;
    transaction.batch_execute(IDLE_TIMEOUT)?;
    let mut inserter = Inserter { transaction, statements, players };
    let new = inserter.insert(&RecordsByKind::of(records))?;
    inserter.transaction.commit()?;
    Ok(AddCounts { new, known: records.len() as u64 - new })
}

/// The records by kind, each kind in its given order.
#[derive(Default)]
struct RecordsByKind<'a> {
    games: Vec<&'a GameRecord>,
    samples: Vec<&'a Sample>,
    runs: Vec<&'a RunRecord>,
    jobs: Vec<&'a JobRecord>,
    metrics: Vec<&'a Metric>,
    ratings: Vec<&'a PoolRating>,
    humans: Vec<&'a HumanScore>,
}

impl<'a> RecordsByKind<'a> {
    fn of(records: &'a [Record]) -> RecordsByKind<'a> {
        let mut sorted = RecordsByKind::default();
        for record in records {
            match record {
                Record::Game(it) => sorted.games.push(it),
                Record::Sample(it) => sorted.samples.push(it),
                Record::Run(it) => sorted.runs.push(it),
                Record::Job(it) => sorted.jobs.push(it),
                Record::Metric(it) => sorted.metrics.push(it),
                Record::Rating(it) => sorted.ratings.push(it),
                Record::Human(it) => sorted.humans.push(it),
            }
        }
        sorted
    }

    fn players(&self) -> impl Iterator<Item = &'a PlayerRecord> {
        let games = self.games.iter().flat_map(|game| &game.players);
        games.chain(self.ratings.iter().map(|rating| &rating.player))
    }
}

/// One value of every row.
fn column<'a, R, T>(rows: &[&'a R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(|row| value(row)).collect()
}

struct Inserter<'a> {
    transaction: Transaction<'a>,
    statements: &'a mut Statements,
    players: &'a mut Players,
}

impl Inserter<'_> {
    /// Returns the number of new records.
    fn insert(&mut self, records: &RecordsByKind<'_>) -> Result<u64, PostgresError> {
        self.insert_players(records)?;
        let mut new = 0;
        for games in records.games.chunks(ROWS) {
            new += self.games(games)?;
        }
        for samples in records.samples.chunks(ROWS) {
            new += self.samples(samples)?;
        }
        // One by one: a statement cannot replace a row that it has inserted itself.
        for run in &records.runs {
            new += self.run_record(run)?;
        }
        for job in &records.jobs {
            new += self.job(job)?;
        }
        for metrics in records.metrics.chunks(ROWS) {
            new += self.metrics(metrics)?;
        }
        for rating in &records.ratings {
            new += self.rating(rating)?;
        }
        for humans in records.humans.chunks(ROWS) {
            new += self.humans(humans)?;
        }
        Ok(new)
    }

    fn games(&mut self, games: &[&GameRecord]) -> Result<u64, PostgresError> {
        let ids = |side: usize| -> Result<Vec<i64>, PostgresError> {
            games.iter().map(|game| self.player(&game.players[side])).collect()
        };
        let (first, second) = (ids(0)?, ids(1)?);
        let thoughts: Vec<Option<String>> = games
            .iter()
            .map(|game| text_of_thoughts(&game.thoughts))
            .collect::<Result<_, _>>()
            .map_err(|why| {
                PostgresError::Failed(format!("search records: cannot be written as JSON: {why}"))
            })?;
        self.execute(
            GAMES,
            &[
                &column(games, |it| it.key.as_str()),
                &column(games, |it| it.event.as_str()),
                &column(games, |it| it.game.as_str()),
                &first,
                &second,
                &column(games, |it| it.pair.map(signed)),
                &column(games, |it| it.seed.to_string()),
                &column(games, |it| it.start.as_deref()),
                &column(games, |it| it.moves.as_str()),
                &column(games, |it| i64::from(it.opening_plies)),
                &column(games, |it| outcome_text(it.outcome)),
                &column(games, |it| it.ending.kind.word()),
                &column(games, |it| it.ending.detail.as_str()),
                &thoughts,
                &column(games, |it| signed(it.played_at)),
            ],
        )
    }

    fn samples(&mut self, samples: &[&Sample]) -> Result<u64, PostgresError> {
        self.execute(
            SAMPLES,
            &[
                &column(samples, |it| it.key.as_str()),
                &column(samples, |it| it.run.as_str()),
                &column(samples, |it| it.game.as_str()),
                &column(samples, |it| it.position.as_str()),
                &column(samples, |it| it.value),
                &column(samples, |it| it.weight),
                &column(samples, |it| text_of_detail(&it.detail)),
            ],
        )
    }

    fn run_record(&mut self, it: &RunRecord) -> Result<u64, PostgresError> {
        let (started_at, updated_at) = (signed(it.started_at), signed(it.updated_at));
        self.execute(
            upsert::RUN,
            &[&it.id, &it.kind, &it.name, &it.config, &it.state, &started_at, &updated_at],
        )
    }

    fn job(&mut self, it: &JobRecord) -> Result<u64, PostgresError> {
        self.execute(
            upsert::JOB,
            &[
                &it.key,
                &it.run,
                &it.stage,
                &it.task,
                &it.brief,
                &signed(it.first),
                &signed(it.units),
                &it.done,
                &i64::from(it.round),
                &i64::from(it.attempts),
                &i64::from(it.losses),
                &it.error,
                &it.worker,
                &signed(it.micros),
                &signed(it.at),
                &it.output,
            ],
        )
    }

    fn metrics(&mut self, metrics: &[&Metric]) -> Result<u64, PostgresError> {
        self.execute(
            METRICS,
            &[
                &column(metrics, |it| it.run.as_str()),
                &column(metrics, |it| it.name.as_str()),
                &column(metrics, |it| signed(it.step)),
                &column(metrics, |it| it.value),
                &column(metrics, |it| signed(it.at)),
            ],
        )
    }

    fn rating(&mut self, it: &PoolRating) -> Result<u64, PostgresError> {
        let player = self.player(&it.player)?;
        let (games, at) = (signed(it.games), signed(it.at));
        self.execute(
            upsert::RATING,
            &[&it.pool, &player, &it.elo, &it.low, &it.high, &games, &it.points, &at],
        )
    }

    fn humans(&mut self, humans: &[&HumanScore]) -> Result<u64, PostgresError> {
        self.execute(
            HUMAN_SCORES,
            &[
                &column(humans, |it| it.key.as_str()),
                &column(humans, |it| it.board.as_str()),
                &column(humans, |it| it.name.as_str()),
                &column(humans, |it| it.score),
                &column(humans, |it| i64::from(it.moves)),
                &column(humans, |it| it.won),
                &column(humans, |it| signed(it.at)),
            ],
        )
    }

    /// Makes sure that every player has an id. New players are inserted in a fixed order, so that
    /// two writers with the same players cannot deadlock.
    fn insert_players(&mut self, records: &RecordsByKind<'_>) -> Result<(), PostgresError> {
        let unknown: BTreeSet<&PlayerRecord> =
            records.players().filter(|player| !self.players.contains_key(player)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let unknown: Vec<&PlayerRecord> = unknown.into_iter().collect();
        let names = column(&unknown, |player| player.name.as_str());
        let specs = column(&unknown, |player| player.spec.as_str());
        self.execute(NEW_PLAYERS, &[&names, &specs])?;
        let find = prepared(self.statements, &mut self.transaction, FIND_PLAYERS)?;
        for row in self.transaction.query(&find, &[&names, &specs])? {
            let player = PlayerRecord { name: row.try_get(0)?, spec: row.try_get(1)? };
            self.players.insert(player, row.try_get(2)?);
        }
        Ok(())
    }

    fn player(&self, player: &PlayerRecord) -> Result<i64, PostgresError> {
        self.players.get(player).copied().ok_or_else(|| {
            PostgresError::Failed(format!("player '{}': could not be inserted", player.name))
        })
    }

    fn execute(
        &mut self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, PostgresError> {
        let statement = prepared(self.statements, &mut self.transaction, sql)?;
        Ok(self.transaction.execute(&statement, parameters)?)
    }
}
