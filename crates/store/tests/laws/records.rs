//! Random records of every kind: plain ones, empty ones, and extremes of every field.

use serde_json::{Value, json};
use tesuji_games::random::{Rng, below, choose, unit, word};
use tesuji_games::{Outcome, Score, Side};
use tesuji_store::{
    Ending, EndingKind, GameRecord, HumanScore, JobRecord, Metric, PoolRating, Record, RecordKind,
    RunRecord, Sample, SearchRecord,
};

use crate::plain::player;

/// A plain run.
pub(crate) fn plain_run(id: &str, state: &str, updated_at: u64) -> RunRecord {
    RunRecord {
        id: id.to_string(),
        kind: "match".to_string(),
        name: "a match".to_string(),
        config: "games = 10".to_string(),
        state: state.to_string(),
        started_at: 5,
        updated_at,
    }
}

/// A plain rating.
pub(crate) fn plain_rating(pool: &str, name: &str, elo: f64, at: u64) -> PoolRating {
    PoolRating {
        pool: pool.to_string(),
        player: player(name, "random"),
        elo,
        low: None,
        high: Some(elo + 10.0),
        games: 10,
        points: 5.5,
        at,
    }
}

/// A random record of a kind. `index` makes its key unique.
pub(crate) fn record(rng: &mut Rng, kind: RecordKind, index: usize) -> Record {
    let key = format!("{} {index}", text(rng));
    match kind {
        RecordKind::Game => Record::Game(game(rng, key)),
        RecordKind::Sample => Record::Sample(sample(rng, key)),
        RecordKind::Run => Record::Run(RunRecord {
            id: key,
            kind: text(rng),
            name: text(rng),
            config: text(rng),
            state: text(rng),
            started_at: number(rng),
            updated_at: number(rng),
        }),
        RecordKind::Job => Record::Job(job(rng, key)),
        RecordKind::Metric => Record::Metric(Metric {
            run: key,
            name: text(rng),
            step: number(rng),
            value: real(rng),
            at: number(rng),
        }),
        RecordKind::Rating => Record::Rating(PoolRating {
            pool: key,
            player: player(&text(rng), &text(rng)),
            elo: real(rng),
            low: chance(rng).then(|| real(rng)),
            high: chance(rng).then(|| real(rng)),
            games: number(rng),
            points: real(rng),
            at: number(rng),
        }),
        RecordKind::Human => Record::Human(HumanScore {
            key,
            board: text(rng),
            name: text(rng),
            score: number(rng).cast_signed(),
            moves: small(rng),
            won: chance(rng),
            at: number(rng),
        }),
    }
}

/// A job with this key and random other fields.
pub(crate) fn job(rng: &mut Rng, key: String) -> JobRecord {
    JobRecord {
        key,
        run: text(rng),
        stage: text(rng),
        task: text(rng),
        brief: text(rng),
        first: number(rng),
        units: number(rng),
        done: chance(rng),
        round: small(rng),
        attempts: small(rng),
        losses: small(rng),
        error: text(rng),
        worker: text(rng),
        micros: number(rng),
        at: number(rng),
        output: text(rng),
    }
}

fn game(rng: &mut Rng, key: String) -> GameRecord {
    let outcomes = [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw];
    GameRecord {
        key,
        event: text(rng),
        game: text(rng),
        players: [player(&text(rng), &text(rng)), player(&text(rng), &text(rng))],
        pair: chance(rng).then(|| number(rng)),
        seed: number(rng),
        start: chance(rng).then(|| text(rng)),
        moves: text(rng).repeat(below(rng, 20) as usize),
        opening_plies: small(rng),
        outcome: *choose(rng, &outcomes).unwrap(),
        ending: Ending::with(*choose(rng, &EndingKind::ALL).unwrap(), text(rng)),
        thoughts: (0..below(rng, 4)).map(|_| thought(rng)).collect(),
        played_at: number(rng),
    }
}

fn thought(rng: &mut Rng) -> SearchRecord {
    let scores = [
        None,
        Some(Score::DRAW),
        Some(Score::estimate(i32::MIN)),
        Some(Score::estimate(i32::MAX)),
        Some(Score::win_in(0)),
        Some(Score::win_in(100_000)),
        Some(Score::loss_in(100_000)),
        Some(Score::loss_in(small(rng) % 300)),
    ];
    SearchRecord {
        score: *choose(rng, &scores).unwrap(),
        depth: small(rng),
        nodes: number(rng),
        micros: number(rng),
    }
}

fn sample(rng: &mut Rng, key: String) -> Sample {
    Sample {
        key,
        run: text(rng),
        game: text(rng),
        position: text(rng),
        value: real(rng),
        weight: real(rng),
        detail: detail(rng),
    }
}

fn detail(rng: &mut Rng) -> Value {
    match below(rng, 5) {
        0 => Value::Null,
        1 => json!("a \u{0} inside JSON is escaped"),
        2 => json!({ "policy": [real(rng), real(rng)], "z": true, "a": number(rng) }),
        3 => json!([]),
        _ => json!({ "": { "nested": [null, -1, "ü"] } }),
    }
}

fn chance(rng: &mut Rng) -> bool {
    below(rng, 2) == 0
}

fn small(rng: &mut Rng) -> u32 {
    let extremes = [0, 1, u32::MAX, word(rng) as u32];
    *choose(rng, &extremes).unwrap()
}

/// Integers around the limits of signed and unsigned types.
fn number(rng: &mut Rng) -> u64 {
    let middle = i64::MAX as u64;
    let extremes = [0, 1, middle, middle + 1, u64::MAX, u64::MAX - 1, word(rng)];
    *choose(rng, &extremes).unwrap()
}

fn real(rng: &mut Rng) -> f64 {
    let fraction = unit(rng);
    let extremes =
        [0.0, -1.5, 1.0 / 3.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 9e15, fraction];
    *choose(rng, &extremes).unwrap()
}

fn text(rng: &mut Rng) -> String {
    let texts = [
        "",
        " ",
        "plain",
        "it's \"quoted\"; DROP TABLE games; --",
        "back\\slash \\N $1 ?1 {} %s",
        "line\nbreak\r\n\ttab",
        "五目並べ 🀄 ḟǫo\u{301} \u{202e}rtl",
        "\u{1}\u{7f}\u{feff}\u{fffd}\u{10ffff}",
    ];
    choose(rng, &texts).unwrap().to_string()
}
