//! Records as rows of flat tables, one table for each kind. A column is declared once, with its
//! name, type and the cell of a record; CSV and Parquet use the same declarations.
//! `docs/formats.md` lists the columns.

use std::borrow::Cow;

use serde::Serialize;
use tesuji_games::{Outcome, Side};

use crate::{Record, RecordKind};

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// UTF-8.
    Text,
    /// An unsigned 64-bit integer.
    Count,
    /// A signed 64-bit integer.
    Integer,
    /// A 64-bit float.
    Real,
    /// A boolean.
    Flag,
}

/// A cell of a row. Its variant is the type of the column, or [`Missing`](Self::Missing) if the
/// column is optional.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'r> {
    /// No value.
    Missing,
    /// See [`ColumnType::Text`].
    Text(Cow<'r, str>),
    /// See [`ColumnType::Count`].
    Count(u64),
    /// See [`ColumnType::Integer`].
    Integer(i64),
    /// See [`ColumnType::Real`].
    Real(f64),
    /// See [`ColumnType::Flag`].
    Flag(bool),
}

/// A column of the table of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name in the header of a CSV file and the schema of a Parquet file.
    pub name: &'static str,
    /// The type of its cells.
    pub column_type: ColumnType,
    /// Whether cells may be missing.
    pub optional: bool,
    read: fn(&Record) -> Cell<'_>,
}

impl Column {
    /// The cell of a record; missing for a record of another kind.
    pub fn cell<'r>(&self, record: &'r Record) -> Cell<'r> {
        (self.read)(record)
    }
}

/// The columns of a kind.
pub const fn columns(kind: RecordKind) -> &'static [Column] {
    match kind {
        RecordKind::Game => GAMES,
        RecordKind::Sample => SAMPLES,
        RecordKind::Run => RUNS,
        RecordKind::Job => JOBS,
        RecordKind::Metric => METRICS,
        RecordKind::Rating => RATINGS,
        RecordKind::Human => HUMAN_SCORES,
    }
}

/// Declares a table: `"name" Type = cell` for each column, with `?` before the type of an optional
/// one.
macro_rules! table {
    ($kind:ident $record:ident: $($name:literal $(? $optional:ident)? $($holds:ident)? = $cell:expr;)*) => {
        &[$(Column {
            name: $name,
            column_type: $(ColumnType::$optional)? $(ColumnType::$holds)?,
            optional: table!(@is_optional $($optional)?),
            read: |record| match record {
                Record::$kind($record) => $cell,
                _ => Cell::Missing,
            },
        }),*]
    };
    (@is_optional) => { false };
    (@is_optional $holds:ident) => { true };
}

const GAMES: &[Column] = table! { Game game:
    "key" Text = text(&game.key);
    "event" Text = text(&game.event);
    "game" Text = text(&game.game);
    "first_player" Text = text(&game.players[0].name);
    "first_spec" Text = text(&game.players[0].spec);
    "second_player" Text = text(&game.players[1].name);
    "second_spec" Text = text(&game.players[1].spec);
    "pair" ?Count = or_missing(game.pair, Cell::Count);
    "seed" Count = Cell::Count(game.seed);
    "start" ?Text = or_missing(game.start.as_deref(), text);
    "moves" Text = text(&game.moves);
    "opening_plies" Count = Cell::Count(game.opening_plies.into());
    "result" Text = text(result(game.outcome));
    "ending" Text = text(game.ending.kind.word());
    "ending_detail" Text = text(&game.ending.detail);
    "thoughts" ?Text = json(&game.thoughts, game.thoughts.is_empty());
    "played_at" Count = Cell::Count(game.played_at);
};

const SAMPLES: &[Column] = table! { Sample sample:
    "key" Text = text(&sample.key);
    "run" Text = text(&sample.run);
    "game" Text = text(&sample.game);
    "position" Text = text(&sample.position);
    "value" Real = Cell::Real(sample.value);
    "weight" Real = Cell::Real(sample.weight);
    "detail" ?Text = json(&sample.detail, sample.detail.is_null());
};

const RUNS: &[Column] = table! { Run run:
    "run" Text = text(&run.id);
    "kind" Text = text(&run.kind);
    "name" Text = text(&run.name);
    "config" Text = text(&run.config);
    "state" Text = text(&run.state);
    "started_at" Count = Cell::Count(run.started_at);
    "updated_at" Count = Cell::Count(run.updated_at);
};

const JOBS: &[Column] = table! { Job job:
    "key" Text = text(&job.key);
    "run" Text = text(&job.run);
    "stage" Text = text(&job.stage);
    "task" Text = text(&job.task);
    "brief" Text = text(&job.brief);
    "first" Count = Cell::Count(job.first);
    "units" Count = Cell::Count(job.units);
    "done" Flag = Cell::Flag(job.done);
    "round" Count = Cell::Count(job.round.into());
    "attempts" Count = Cell::Count(job.attempts.into());
    "losses" Count = Cell::Count(job.losses.into());
    "error" Text = text(&job.error);
    "worker" Text = text(&job.worker);
    "micros" Count = Cell::Count(job.micros);
    "at" Count = Cell::Count(job.at);
    "output" Text = text(&job.output);
};

const METRICS: &[Column] = table! { Metric metric:
    "run" Text = text(&metric.run);
    "name" Text = text(&metric.name);
    "step" Count = Cell::Count(metric.step);
    "value" Real = Cell::Real(metric.value);
    "at" Count = Cell::Count(metric.at);
};

const RATINGS: &[Column] = table! { Rating rating:
    "pool" Text = text(&rating.pool);
    "player" Text = text(&rating.player.name);
    "spec" Text = text(&rating.player.spec);
    "elo" Real = Cell::Real(rating.elo);
    "low" ?Real = or_missing(rating.low, Cell::Real);
    "high" ?Real = or_missing(rating.high, Cell::Real);
    "games" Count = Cell::Count(rating.games);
    "points" Real = Cell::Real(rating.points);
    "at" Count = Cell::Count(rating.at);
};

const HUMAN_SCORES: &[Column] = table! { Human human:
    "key" Text = text(&human.key);
    "board" Text = text(&human.board);
    "name" Text = text(&human.name);
    "score" Integer = Cell::Integer(human.score);
    "moves" Count = Cell::Count(human.moves.into());
    "won" Flag = Cell::Flag(human.won);
    "at" Count = Cell::Count(human.at);
};

fn text(text: &str) -> Cell<'_> {
    Cell::Text(Cow::Borrowed(text))
}

fn or_missing<'r, T>(value: Option<T>, cell: impl Fn(T) -> Cell<'r>) -> Cell<'r> {
    value.map_or(Cell::Missing, cell)
}

/// A composite value as JSON.
fn json(value: &impl Serialize, is_missing: bool) -> Cell<'static> {
    match serde_json::to_string(value) {
        Ok(text) if !is_missing => Cell::Text(Cow::Owned(text)),
        _ => Cell::Missing,
    }
}

const fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "first",
        Outcome::Win(Side::Second) => "second",
        Outcome::Draw => "draw",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HumanScore, Metric};

    #[test]
    fn column_names_are_unique_and_other_kinds_give_missing_cells() {
        let metric =
            Metric { run: "r".to_string(), name: "loss".to_string(), step: 3, value: 0.5, at: 9 };
        let record = Record::Metric(metric);
        for kind in RecordKind::ALL {
            let columns = columns(kind);
            for (n, column) in columns.iter().enumerate() {
                assert!(columns[..n].iter().all(|other| other.name != column.name), "{column:?}");
                let is_missing = column.cell(&record) == Cell::Missing;
                assert_eq!(is_missing, kind != RecordKind::Metric, "{column:?}");
            }
        }
    }

    #[test]
    fn a_row_has_the_values_of_its_record() {
        let human = HumanScore {
            key: "h".to_string(),
            board: "gem".to_string(),
            name: "Bob".to_string(),
            score: -3,
            moves: 7,
            won: true,
            at: 1,
        };
        let record = Record::Human(human);
        let row: Vec<Cell<'_>> =
            columns(RecordKind::Human).iter().map(|column| column.cell(&record)).collect();
        let expected = [
            text("h"),
            text("gem"),
            text("Bob"),
            Cell::Integer(-3),
            Cell::Count(7),
            Cell::Flag(true),
            Cell::Count(1),
        ];
        assert_eq!(row, expected);
    }
}
