//! What is kept, as plain data. These types are the format of exports too, so a field is added with a
//! default and never changes its meaning.

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Score};

/// Anything that a store keeps. In an export each is one line: `{"game":{…}}`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A game that was played to its end.
    Game(GameRecord),
    /// A position to learn from.
    Sample(Sample),
    /// A piece of long work: a tournament, a training.
    Run(RunRecord),
    /// A part of a run that one worker does.
    Job(JobRecord),
    /// One number of a run at one step.
    Metric(Metric),
    /// The strength of a player in a pool.
    Rating(PoolRating),
    /// What a person achieved.
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
    /// [`Record::RunRecord`].
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
    /// Every kind, in the order in which they are exported and merged: a run before its jobs
    /// and metrics.
    pub const ALL: [RecordKind; 7] = [
        RecordKind::Game,
        RecordKind::Sample,
        RecordKind::Run,
        RecordKind::Job,
        RecordKind::Metric,
        RecordKind::Rating,
        RecordKind::Human,
    ];

    /// Its word in the plural, for tables.
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
    /// Which kind it is.
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

    /// The one word that tells it from all others of its kind; metrics and ratings have several.
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

    /// About how much memory its long texts take.
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
    /// Unique. Made from what decides the game (event, players, number), so that a game played again
    /// after a crash is the same record.
    pub key: String,
    /// The match or tournament it belongs to; empty for a single game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The game as text: `connect4`, `mnk:10x10,k=5`.
    pub game: String,
    /// Who played, in the order of the sides.
    pub players: [PlayerRecord; 2],
    /// Games with the same event, players and pair are one colour-swapped pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<u64>,
    /// What decided all chance in it.
    #[serde(default)]
    pub seed: u64,
    /// Where it began, in the game's notation for positions; `None` for the game's own start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// All moves from there, as the game writes them, the given opening included.
    pub moves: String,
    /// How many of the moves were given before the players took over.
    #[serde(default)]
    pub opening_plies: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: Ending,
    /// What was thought at each move after the opening; empty when nothing is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<SearchRecord>,
    /// When it ended: seconds since 1970.
    #[serde(default)]
    pub played_at: u64,
}

/// One of the two players of a game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name in tables.
    pub name: String,
    /// The full spec it was built from: `alphabeta:depth=4`.
    pub spec: String,
}

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ending {
    /// In one word.
    pub kind: EndingKind,
    /// In more, where there is more to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Why a game ended, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndingKind {
    /// By the rules of the game.
    Rules,
    /// A player chose a move that the rules forbid, and lost.
    Illegal,
    /// A player's program ended or could not be started, and it lost.
    Crash,
    /// A player's time ran out, and it lost.
    Time,
    /// A player said something that is no answer, or nothing useful, and lost.
    Error,
    /// Decided early: an exact solver knew the result.
    Solver,
    /// Decided early: both players agreed by their scores.
    Agreement,
    /// It went on for too long and was called a draw.
    Length,
    /// A player gave up.
    Resigned,
    /// Nobody wrote it down (games from elsewhere).
    Unknown,
}

impl EndingKind {
    /// Every kind.
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

    /// Whether a player failed: played something illegal, crashed, was late or talked nonsense.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            EndingKind::Illegal | EndingKind::Crash | EndingKind::Time | EndingKind::Error
        )
    }
}

/// What stands for the ending of a game under way.
const UNFINISHED: &str = "unfinished";

impl Ending {
    /// An ending with nothing more to say.
    pub const fn plain(kind: EndingKind) -> Ending {
        Ending { kind, detail: String::new() }
    }

    /// An ending and what there is to say about it.
    pub fn with(kind: EndingKind, detail: impl Into<String>) -> Ending {
        Ending { kind, detail: detail.into() }
    }

    /// No ending: of games under way that travel in a file. Their outcome means nothing, and no store keeps them.
    pub fn unfinished() -> Ending {
        Ending::with(EndingKind::Unknown, UNFINISHED)
    }

    /// Whether the game is still under way.
    pub fn is_unfinished(&self) -> bool {
        self.kind == EndingKind::Unknown && self.detail == UNFINISHED
    }
}

/// What a player thought about one move; everything but the time may be unknown.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SearchRecord {
    /// The mover's view of the position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Plies it looked ahead; 0 when unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Positions it visited; 0 when unknown.
    #[serde(default, skip_serializing_if = "is_zero_64")]
    pub nodes: u64,
    /// Wall-clock time it took, in microseconds.
    pub micros: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for this signature
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for this signature
fn is_zero_64(number: &u64) -> bool {
    *number == 0
}

/// A position to learn from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Unique.
    pub key: String,
    /// The run that made it, or uses it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The game as text.
    pub game: String,
    /// The position: its list of moves, or the game's own notation.
    pub position: String,
    /// What it was worth to the side to move: 1 a win, −1 a loss.
    pub value: f64,
    /// How much it counts.
    pub weight: f64,
    /// Whatever else its learner wants to know, as JSON.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub detail: serde_json::Value,
}

/// A piece of long work. Written again whenever its state changes; the latest counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// Unique.
    pub id: String,
    /// `match`, `tournament`, `train`.
    pub kind: String,
    /// What its user called it.
    pub name: String,
    /// All its settings, as text: with them it can be done again.
    pub config: String,
    /// `running`, `finished`, or what went wrong.
    pub state: String,
    /// Seconds since 1970.
    pub started_at: u64,
    /// Seconds since 1970. Of two versions of a run the later one counts.
    pub updated_at: u64,
}

/// A part of a run that one worker does. Written again whenever it gets further; of two versions the one that
/// got furthest counts: one that is done before one that is not, then the higher round, more failed
/// attempts, more losses, the later one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct JobRecord {
    /// Unique: `RUN/STAGE/BRIEF/FIRST+UNITS`.
    pub key: String,
    /// The run's id.
    pub run: String,
    /// The part of the run that must be complete before the next one begins.
    pub stage: String,
    /// Which kind of work it is.
    pub task: String,
    /// The digest of what a worker must know to do it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub brief: String,
    /// The first of its units: games, positions, whatever the task counts.
    pub first: u64,
    /// How many units it has.
    pub units: u64,
    /// Whether it is done.
    #[serde(default)]
    pub done: bool,
    /// How often somebody gave it another chance.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: u32,
    /// Attempts of this round that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// How often in this round a worker vanished with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub losses: u32,
    /// What went wrong last; empty when nothing did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Who did it, or failed last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub worker: String,
    /// Wall-clock time it took, in microseconds.
    #[serde(default, skip_serializing_if = "is_zero_64")]
    pub micros: u64,
    /// Seconds since 1970.
    #[serde(default)]
    pub at: u64,
    /// What came of it, as JSON; empty until it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl JobRecord {
    /// A job that failed so often in one round is not tried again by itself.
    pub const MAX_ATTEMPTS: u32 = 3;
    /// The same for workers that vanished with it: more, because most of them vanish for reasons of their own.
    pub const MAX_LOSSES: u32 = 10;

    /// Whether it is left aside until somebody gives it another chance.
    pub const fn is_poisoned(&self) -> bool {
        !self.done
            && (self.attempts >= JobRecord::MAX_ATTEMPTS || self.losses >= JobRecord::MAX_LOSSES)
    }
}

/// One number of a run at one step. Its key is run, name and step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metric {
    /// The run's id.
    pub run: String,
    /// What was measured: `loss`, `elo`.
    pub name: String,
    /// When, in the run's own count: iteration, game, generation.
    pub step: u64,
    /// The number.
    pub value: f64,
    /// Seconds since 1970.
    pub at: u64,
}

/// The strength of one player in a pool of games. Its key is pool and player; the latest counts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRating {
    /// The event whose games were rated, or another name for the pool.
    pub pool: String,
    /// Who.
    pub player: PlayerRecord,
    /// Relative to the anchored player.
    pub elo: f64,
    /// The lower end of the 95 % interval; `None` where it has none.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Games that were counted.
    pub games: u64,
    /// Points in them, a draw being half a point.
    pub points: f64,
    /// Seconds since 1970. Of two versions the later one counts.
    pub at: u64,
}

/// What a person achieved in a game with scores.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HumanScore {
    /// Unique.
    pub key: String,
    /// The table it stands in: `gem-island:level=1`.
    pub board: String,
    /// Who.
    pub name: String,
    /// How much; more is better.
    pub score: i64,
    /// Moves it took.
    pub moves: u32,
    /// Whether the game was won, for games that can be.
    pub won: bool,
    /// Seconds since 1970.
    pub at: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_fail_too_often_are_left_aside() {
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

    /// A job as a scheduler first writes it down; what is not known yet is left out.
    #[test]
    fn new_jobs_are_short() {
        let text = r#"{"job":{"key":"r/s/0+5","run":"r","stage":"s","task":"t","first":0,"units":5,"done":false,"at":7}}"#;
        let record: Record = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
    }
}
