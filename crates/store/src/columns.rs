//! Converts between records and columns, for both databases. Integers are stored as signed 64-bit
//! integers bit by bit (so a counter beyond 2⁶³ − 1 is negative in SQL), seeds as decimal text,
//! because they use all 64 bits and are never summed.

use tesuji_games::{Outcome, Side};

use crate::{
    Direction, Ending, EndingKind, GameRecord, HumanScore, JobRecord, Metric, PlayerRecord,
    PoolRating, Record, RecordKind, RunRecord, Sample, SearchRecord, Selection,
};

/// A row of a result of either database. An error says what was found instead.
pub(crate) trait Columns {
    fn integer(&self, index: usize) -> Result<i64, String>;
    fn real(&self, index: usize) -> Result<f64, String>;
    fn text(&self, index: usize) -> Result<String, String>;
    fn flag(&self, index: usize) -> Result<bool, String>;
    fn optional_integer(&self, index: usize) -> Result<Option<i64>, String>;
    fn optional_real(&self, index: usize) -> Result<Option<f64>, String>;
    fn optional_text(&self, index: usize) -> Result<Option<String>, String>;
}

/// The query of a selection; its parameters are numbered from `$1`.
pub(crate) struct Query<'a> {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Parameter<'a>>,
}

/// A parameter of a query.
#[derive(Clone, Copy)]
pub(crate) enum Parameter<'a> {
    Text(&'a str),
    Texts(&'a [String]),
}

/// The query that reads a selection. `among` gives the database's condition that a column is one of
/// the texts of a parameter; both databases support the rest.
pub(crate) fn query<'s>(
    selection: &'s Selection,
    among: impl Fn(&str, usize) -> String,
) -> Query<'s> {
    let source = source(selection.kind);
    let (order, beyond) = match selection.direction {
        Direction::OldestFirst => ("ASC", ">"),
        Direction::NewestFirst => ("DESC", "<"),
    };
    let is = |column: &str, number: usize| format!("{column} = ${number}");
    let follows = |column: &str, number: usize| {
        let table = table(selection.kind);
        format!("t.id {beyond} (SELECT s.id FROM {table} s WHERE s.{column} = ${number})")
    };
    let key = source.key.map(|column| format!("t.{column}"));
    let text = |wanted: &'s Option<String>| wanted.as_deref().map(Parameter::Text);
    let texts = selection.keys.as_deref().map(Parameter::Texts);
    let mut filter = Filter::default();
    filter.add(text(&selection.game), source.game, is);
    filter.add(text(&selection.event), source.event, is);
    filter.add(text(&selection.stage), source.stage, is);
    filter.add(texts, key.as_deref(), among);
    filter.add(text(&selection.after), source.key, follows);
    let limit = match selection.limit {
        Some(limit) => format!(" LIMIT {}", limit.min(i64::MAX as u64)),
        None => String::new(),
    };
    let select = match selection.without_output {
        true => source.select.replace("t.output", "''"),
        false => source.select.to_string(),
    };
    let sql = format!("{select}{} ORDER BY t.id {order}{limit}", filter.text());
    Query { sql, parameters: filter.parameters }
}

/// A conjunction of conditions.
#[derive(Default)]
struct Filter<'a> {
    conditions: Vec<String>,
    parameters: Vec<Parameter<'a>>,
}

impl<'a> Filter<'a> {
    /// Adds the condition for a value that is set, made from its column and parameter number.
    fn add(
        &mut self,
        wanted: Option<Parameter<'a>>,
        column: Option<&str>,
        condition: impl Fn(&str, usize) -> String,
    ) {
        let Some(value) = wanted else { return };
        match column {
            Some(column) => {
                self.parameters.push(value);
                self.conditions.push(condition(column, self.parameters.len()));
            }
            // Records of this kind have no such field, so none matches.
            None => self.conditions.push("FALSE".to_string()),
        }
    }

    fn text(&self) -> String {
        match self.conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", self.conditions.join(" AND ")),
        }
    }
}

/// The statement and columns of a kind.
struct Source {
    select: &'static str,
    game: Option<&'static str>,
    event: Option<&'static str>,
    stage: Option<&'static str>,
    /// The column of the key, if it is one column.
    key: Option<&'static str>,
}

const fn source(kind: RecordKind) -> Source {
    match kind {
        RecordKind::Game => Source {
            select: "SELECT t.key, t.event, t.game, a.name, a.spec, b.name, b.spec, t.pair, t.seed, \
                     t.start, t.moves, t.opening_plies, t.result, t.ending, t.ending_detail, \
                     t.thoughts, t.played_at FROM games t \
                     JOIN players a ON a.id = t.first_player JOIN players b ON b.id = t.second_player",
            game: Some("t.game"),
            event: Some("t.event"),
            stage: None,
            key: Some("key"),
        },
        RecordKind::Sample => Source {
            select: "SELECT t.key, t.run, t.game, t.position, t.value, t.weight, t.detail \
                     FROM samples t",
            game: Some("t.game"),
            event: Some("t.run"),
            stage: None,
            key: Some("key"),
        },
        RecordKind::Run => Source {
            select: "SELECT t.run, t.kind, t.name, t.config, t.state, t.started_at, t.updated_at \
                     FROM runs t",
            game: None,
            event: Some("t.run"),
            stage: None,
            key: Some("run"),
        },
        RecordKind::Job => Source {
            select: "SELECT t.key, t.run, t.stage, t.task, t.brief, t.first, t.units, t.done, t.round, \
                     t.attempts, t.losses, t.error, t.worker, t.micros, t.at, t.output FROM jobs t",
            game: None,
            event: Some("t.run"),
            stage: Some("t.stage"),
            key: Some("key"),
        },
        RecordKind::Metric => Source {
            select: "SELECT t.run, t.name, t.step, t.value, t.at FROM metrics t",
            game: None,
            event: Some("t.run"),
            stage: None,
            key: None,
        },
        RecordKind::Rating => Source {
            select: "SELECT t.pool, p.name, p.spec, t.elo, t.low, t.high, t.games, t.points, t.at \
                     FROM ratings t JOIN players p ON p.id = t.player",
            game: None,
            event: Some("t.pool"),
            stage: None,
            key: None,
        },
        RecordKind::Human => Source {
            select: "SELECT t.key, t.board, t.name, t.score, t.moves, t.won, t.at \
                     FROM human_scores t",
            game: Some("t.board"),
            event: None,
            stage: None,
            key: Some("key"),
        },
    }
}

/// The table of a kind.
pub(crate) const fn table(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Game => "games",
        RecordKind::Sample => "samples",
        RecordKind::Run => "runs",
        RecordKind::Job => "jobs",
        RecordKind::Metric => "metrics",
        RecordKind::Rating => "ratings",
        RecordKind::Human => "human_scores",
    }
}

/// The record in a row that [`query`] selected. An error names the row by its first column.
pub(crate) fn record(kind: RecordKind, row: &dyn Columns) -> Result<Record, String> {
    let result = match kind {
        RecordKind::Game => game(row).map(Record::Game),
        RecordKind::Sample => sample(row).map(Record::Sample),
        RecordKind::Run => run(row).map(Record::Run),
        RecordKind::Job => job(row).map(Record::Job),
        RecordKind::Metric => metric(row).map(Record::Metric),
        RecordKind::Rating => rating(row).map(Record::Rating),
        RecordKind::Human => human(row).map(Record::Human),
    };
    result.map_err(|why| {
        let key = row.text(0).unwrap_or_default();
        format!("in the row '{}' of {}: {why}", key.escape_debug(), table(kind))
    })
}

fn game(row: &dyn Columns) -> Result<GameRecord, String> {
    let ending = row.text(13)?;
    Ok(GameRecord {
        key: row.text(0)?,
        event: row.text(1)?,
        game: row.text(2)?,
        players: [player(row, 3)?, player(row, 5)?],
        pair: row.optional_integer(7)?.map(unsigned),
        seed: seed_of(&row.text(8)?)?,
        start: row.optional_text(9)?,
        moves: row.text(10)?,
        opening_plies: small(row.integer(11)?)?,
        outcome: outcome_of(&row.text(12)?)?,
        ending: Ending {
            kind: EndingKind::of_word(&ending)
                .ok_or_else(|| format!("'{ending}' is not an ending of a game"))?,
            detail: row.text(14)?,
        },
        thoughts: thoughts_of(row.optional_text(15)?.as_deref())?,
        played_at: unsigned(row.integer(16)?),
    })
}

fn sample(row: &dyn Columns) -> Result<Sample, String> {
    let detail = match row.optional_text(6)? {
        None => serde_json::Value::Null,
        Some(text) => serde_json::from_str(&text).map_err(|why| format!("a detail: {why}"))?,
    };
    Ok(Sample {
        key: row.text(0)?,
        run: row.text(1)?,
        game: row.text(2)?,
        position: row.text(3)?,
        value: row.real(4)?,
        weight: row.real(5)?,
        detail,
    })
}

fn run(row: &dyn Columns) -> Result<RunRecord, String> {
    Ok(RunRecord {
        id: row.text(0)?,
        kind: row.text(1)?,
        name: row.text(2)?,
        config: row.text(3)?,
        state: row.text(4)?,
        started_at: unsigned(row.integer(5)?),
        updated_at: unsigned(row.integer(6)?),
    })
}

fn job(row: &dyn Columns) -> Result<JobRecord, String> {
    Ok(JobRecord {
        key: row.text(0)?,
        run: row.text(1)?,
        stage: row.text(2)?,
        task: row.text(3)?,
        brief: row.text(4)?,
        first: unsigned(row.integer(5)?),
        units: unsigned(row.integer(6)?),
        done: row.flag(7)?,
        round: small(row.integer(8)?)?,
        attempts: small(row.integer(9)?)?,
        losses: small(row.integer(10)?)?,
        error: row.text(11)?,
        worker: row.text(12)?,
        micros: unsigned(row.integer(13)?),
        at: unsigned(row.integer(14)?),
        output: row.text(15)?,
    })
}

fn metric(row: &dyn Columns) -> Result<Metric, String> {
    Ok(Metric {
        run: row.text(0)?,
        name: row.text(1)?,
        step: unsigned(row.integer(2)?),
        value: row.real(3)?,
        at: unsigned(row.integer(4)?),
    })
}

fn rating(row: &dyn Columns) -> Result<PoolRating, String> {
    Ok(PoolRating {
        pool: row.text(0)?,
        player: player(row, 1)?,
        elo: row.real(3)?,
        low: row.optional_real(4)?,
        high: row.optional_real(5)?,
        games: unsigned(row.integer(6)?),
        points: row.real(7)?,
        at: unsigned(row.integer(8)?),
    })
}

fn human(row: &dyn Columns) -> Result<HumanScore, String> {
    Ok(HumanScore {
        key: row.text(0)?,
        board: row.text(1)?,
        name: row.text(2)?,
        score: row.integer(3)?,
        moves: small(row.integer(4)?)?,
        won: row.flag(5)?,
        at: unsigned(row.integer(6)?),
    })
}

fn player(row: &dyn Columns, index: usize) -> Result<PlayerRecord, String> {
    Ok(PlayerRecord { name: row.text(index)?, spec: row.text(index + 1)? })
}

/// Converts an integer to its stored form.
pub(crate) const fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// Converts an integer from its stored form.
pub(crate) const fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

fn small(number: i64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("{number} is not a number from 0 to {}", u32::MAX))
}

fn seed_of(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a seed"))
}

/// The stored form of an outcome.
pub(crate) const fn outcome_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "first",
        Outcome::Win(Side::Second) => "second",
        Outcome::Draw => "draw",
    }
}

fn outcome_of(word: &str) -> Result<Outcome, String> {
    match word {
        "first" => Ok(Outcome::Win(Side::First)),
        "second" => Ok(Outcome::Win(Side::Second)),
        "draw" => Ok(Outcome::Draw),
        _ => Err(format!("'{word}' is not a result of a game")),
    }
}

/// The stored form of search records: JSON, or `None` if there are none.
pub(crate) fn text_of_thoughts(
    thoughts: &[SearchRecord],
) -> Result<Option<String>, serde_json::Error> {
    (!thoughts.is_empty()).then(|| serde_json::to_string(thoughts)).transpose()
}

fn thoughts_of(text: Option<&str>) -> Result<Vec<SearchRecord>, String> {
    text.map_or(Ok(Vec::new()), |text| {
        serde_json::from_str(text).map_err(|why| format!("the search records of a game: {why}"))
    })
}

/// The stored form of the detail of a sample: JSON, or `None`.
pub(crate) fn text_of_detail(detail: &serde_json::Value) -> Option<String> {
    (!detail.is_null()).then(|| detail.to_string())
}
