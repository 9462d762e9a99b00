//! Records, as plain data. These types define the format of exports, so new fields have defaults
//! and no field changes its meaning.

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Score};

/// A record of a store. In an export each is one line: `{"game":{…}}`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A finished game.
    Game(GameRecord),
    /// A position for training.
    Sample(Sample),
    /// A run: a tournament or a training.
    Run(RunRecord),
    /// A part of a run that one worker executes.
    Job(JobRecord),
    /// One value of a run at one step.
    Metric(Metric),
    /// The strength of a player in a pool.
    Rating(PoolRating),
    /// The score of a person.
    Human(HumanScore),
}

/// The kinds of [`Record`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// [`Record::Game`].
    Game,
    /// [`Record::Sample`].
    Sample,
    /// [`Record::Run`].
    Run,
    /// [`Record::Job`].
    Job,
    /// [`Record::Metric`].
    Metric,
    /// [`Record::Rating`].
    Rating,
    /// [`Record::Human`].
    Human,
}

impl RecordKind {
    /// All kinds, in the order of exports and merges: a run before its jobs and metrics.
    pub const ALL: [RecordKind; 7] = [
        RecordKind::Game,
        RecordKind::Sample,
        RecordKind::Run,
        RecordKind::Job,
        RecordKind::Metric,
        RecordKind::Rating,
        RecordKind::Human,
    ];

    /// Its name in the plural, for tables.
    pub const fn plural(self) -> &'static str {
        match self {
            RecordKind::Game => "games",
            RecordKind::Sample => "samples",
            RecordKind::Run => "runs",
            RecordKind::Job => "jobs",
            RecordKind::Metric => "metrics",
            RecordKind::Rating => "ratings",
            RecordKind::Human => "human scores",
        }
    }
}

impl Record {
    /// Its kind.
    pub const fn kind(&self) -> RecordKind {
        match self {
            Record::Game(_) => RecordKind::Game,
            Record::Sample(_) => RecordKind::Sample,
            Record::Run(_) => RecordKind::Run,
            Record::Job(_) => RecordKind::Job,
            Record::Metric(_) => RecordKind::Metric,
            Record::Rating(_) => RecordKind::Rating,
            Record::Human(_) => RecordKind::Human,
        }
    }

    /// The key, which is unique within a kind; `None` for metrics and ratings, whose keys have
    /// several columns.
    pub fn key(&self) -> Option<&str> {
        match self {
            Record::Game(it) => Some(&it.key),
            Record::Sample(it) => Some(&it.key),
            Record::Run(it) => Some(&it.id),
            Record::Job(it) => Some(&it.key),
            Record::Human(it) => Some(&it.key),
            Record::Metric(_) | Record::Rating(_) => None,
        }
    }

    /// The approximate size of its long texts.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Record::Game(game) => game.moves.len() + size_of_val(&*game.thoughts),
            Record::Sample(sample) => sample.position.len(),
            Record::Run(run) => run.config.len(),
            Record::Job(job) => job.output.len(),
            Record::Metric(_) | Record::Rating(_) | Record::Human(_) => 0,
        }
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Unique. Derived from what determines the game (event, players, number), so that a game that
    /// is replayed after a crash has the same key.
    pub key: String,
    /// Its match or tournament; empty for a single game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The game as text: `connect4`, `mnk:10x10,k=5`.
    pub game: String,
    /// The players, in the order of the sides.
    pub players: [PlayerRecord; 2],
    /// Games with the same event, players and pair are one color-swapped pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<u64>,
    /// The seed of all randomness in it.
    #[serde(default)]
    pub seed: u64,
    /// The first position, in the game's notation; `None` for the game's standard start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// All moves from there in the notation of the game, the opening included.
    pub moves: String,
    /// The number of moves of the opening, which the players did not choose.
    #[serde(default)]
    pub opening_plies: u32,
    /// The result.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: Ending,
    /// The search results of each move after the opening; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<SearchRecord>,
    /// The time of its end, in seconds since 1970.
    #[serde(default)]
    pub played_at: u64,
}

/// A player of a game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name in tables.
    pub name: String,
    /// The full spec: `alphabeta:depth=4`.
    pub spec: String,
}

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ending {
    /// The kind of ending.
    pub kind: EndingKind,
    /// Details; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// The kind of a game's ending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndingKind {
    /// By the rules of the game.
    Rules,
    /// A player chose an illegal move and lost.
    Illegal,
    /// The program of a player ended or did not start, and the player lost.
    Crash,
    /// A player's time ran out, and it lost.
    Time,
    /// A player gave an invalid answer and lost.
    Error,
    /// Adjudicated: an exact solver knew the result.
    Solver,
    /// Adjudicated: the scores of both players agreed.
    Agreement,
    /// It exceeded the maximum length and was declared a draw.
    Length,
    /// A player resigned.
    Resigned,
    /// Not recorded (imported games).
    Unknown,
}

impl EndingKind {
    /// All kinds.
    pub const ALL: [EndingKind; 10] = [
        EndingKind::Rules,
        EndingKind::Illegal,
        EndingKind::Crash,
        EndingKind::Time,
        EndingKind::Error,
        EndingKind::Solver,
        EndingKind::Agreement,
        EndingKind::Length,
        EndingKind::Resigned,
        EndingKind::Unknown,
    ];

    /// The word for files and tables.
    pub const fn word(self) -> &'static str {
        match self {
            EndingKind::Rules => "rules",
            EndingKind::Illegal => "illegal",
            EndingKind::Crash => "crash",
            EndingKind::Time => "time",
            EndingKind::Error => "error",
            EndingKind::Solver => "solver",
            EndingKind::Agreement => "agreement",
            EndingKind::Length => "length",
            EndingKind::Resigned => "resigned",
            EndingKind::Unknown => "unknown",
        }
    }

    /// The kind of a [`word`](Self::word).
    pub fn of_word(word: &str) -> Option<EndingKind> {
        EndingKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a player failed: an illegal move, a crash, a loss on time or an invalid answer.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            EndingKind::Illegal | EndingKind::Crash | EndingKind::Time | EndingKind::Error
        )
    }
}

/// The detail of the ending of an unfinished game.
const UNFINISHED: &str = "unfinished";

impl Ending {
    /// An ending without details.
    pub const fn plain(kind: EndingKind) -> Ending {
        Ending { kind, detail: String::new() }
    }

    /// An ending with details.
    pub fn with(kind: EndingKind, detail: impl Into<String>) -> Ending {
        Ending { kind, detail: detail.into() }
    }

    /// The ending of unfinished games in files. Their outcome means nothing, and no store accepts
    /// them.
    pub fn unfinished() -> Ending {
        Ending::with(EndingKind::Unknown, UNFINISHED)
    }

    /// Whether the game is unfinished.
    pub fn is_unfinished(&self) -> bool {
        self.kind == EndingKind::Unknown && self.detail == UNFINISHED
    }
}

/// What a player reported about the search for one move. Everything but the time may be unknown.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SearchRecord {
    /// The score of the position for the side to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The search depth in plies; 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Visited positions; 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero_64")]
    pub nodes: u64,
    /// Wall-clock time in microseconds.
    pub micros: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
fn is_zero_64(number: &u64) -> bool {
    *number == 0
}

/// A position for training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Unique.
    pub key: String,
    /// The run that made or uses it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The game as text.
    pub game: String,
    /// The position: a list of moves, or the notation of the game.
    pub position: String,
    /// Its value for the side to move: 1 for a win, −1 for a loss.
    pub value: f64,
    /// Its weight in training.
    pub weight: f64,
    /// Further data of its learner, as JSON.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub detail: serde_json::Value,
}

/// A run. It is written again whenever its state changes; the latest version counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// Unique.
    pub id: String,
    /// `match`, `tournament`, `train`.
    pub kind: String,
    /// The name that the user gave it.
    pub name: String,
    /// All its settings as text, sufficient to repeat it.
    pub config: String,
    /// `running`, `finished`, or an error.
    pub state: String,
    /// The time of its start, in seconds since 1970.
    pub started_at: u64,
    /// The time of this version, in seconds since 1970. The later version counts.
    pub updated_at: u64,
}

/// A part of a run that one worker executes. It is written again whenever it progresses; the
/// version that has progressed furthest counts: done before not done, then by higher round, more
/// failed attempts, more losses, later time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct JobRecord {
    /// Unique: `RUN/STAGE/BRIEF/FIRST+UNITS`.
    pub key: String,
    /// The id of the run.
    pub run: String,
    /// The part of the run that must be complete before the next part begins.
    pub stage: String,
    /// The name of its job kind.
    pub task: String,
    /// The digest of its payload.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub brief: String,
    /// The number of its first item.
    pub first: u64,
    /// The number of its items: games or positions, depending on the job kind.
    pub units: u64,
    /// Whether it is done.
    #[serde(default)]
    pub done: bool,
    /// How often a user has reset it after failures.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: u32,
    /// Failed attempts in this round.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// How often its worker was lost in this round.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub losses: u32,
    /// The last error; empty if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The worker that finished it or failed last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub worker: String,
    /// Wall-clock time in microseconds.
    #[serde(default, skip_serializing_if = "is_zero_64")]
    pub micros: u64,
    /// Seconds since 1970.
    #[serde(default)]
    pub at: u64,
    /// Its output as JSON; empty until it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl JobRecord {
    /// The number of failed attempts in a round after which a job is not retried automatically.
    pub const MAX_ATTEMPTS: u32 = 3;
    /// The same for lost workers: more, since most are lost for reasons unrelated to the job.
    pub const MAX_LOSSES: u32 = 10;

    /// Whether it has failed too often and waits for a user to reset it.
    pub const fn is_poisoned(&self) -> bool {
        !self.done
            && (self.attempts >= JobRecord::MAX_ATTEMPTS || self.losses >= JobRecord::MAX_LOSSES)
    }
}

/// One value of a run at one step. Its key consists of run, name and step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metric {
    /// The id of the run.
    pub run: String,
    /// The name of the quantity: `loss`, `elo`.
    pub name: String,
    /// The step in the count of the run: iteration, game or generation.
    pub step: u64,
    /// The value.
    pub value: f64,
    /// Seconds since 1970.
    pub at: u64,
}

/// The rating of a player in a pool of games. Its key consists of pool and player; the latest
/// version counts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRating {
    /// The event whose games are rated, or another name of the pool.
    pub pool: String,
    /// The player.
    pub player: PlayerRecord,
    /// Elo relative to the anchor.
    pub elo: f64,
    /// The lower end of the 95 % confidence interval; `None` if unbounded.
    pub low: Option<f64>,
    /// The upper end; `None` if unbounded.
    pub high: Option<f64>,
    /// The number of games.
    pub games: u64,
    /// Points in these games; a draw is half a point.
    pub points: f64,
    /// The time of this version, in seconds since 1970. The later version counts.
    pub at: u64,
}

/// The score of a person in a game with scores.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HumanScore {
    /// Unique.
    pub key: String,
    /// Its high-score table: `gem-island:level=1`.
    pub board: String,
    /// The name of the person.
    pub name: String,
    /// The score; higher is better.
    pub score: i64,
    /// The number of moves.
    pub moves: u32,
    /// Whether the game was won, if it can be won.
    pub won: bool,
    /// Seconds since 1970.
    pub at: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_fail_too_often_are_poisoned() {
        for (done, attempts, losses, is_poisoned) in [
            (false, 0, 0, false),
            (false, 2, 9, false),
            (false, 3, 0, true),
            (false, 0, 10, true),
            (true, 3, 10, false),
        ] {
            let job = JobRecord { done, attempts, losses, ..JobRecord::default() };
            assert_eq!(job.is_poisoned(), is_poisoned, "{job:?}");
        }
    }

    /// A job as a coordinator first stores it, without fields that are not known yet.
    #[test]
    fn new_jobs_are_short() {
        let text = r#"{"job":{"key":"r/s/0+5","run":"r","stage":"s","task":"t","first":0,"units":5,"done":false,"at":7}}"#;
        let record: Record = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
    }
}
