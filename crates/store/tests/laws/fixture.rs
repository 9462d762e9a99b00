//! The content of the fixtures of earlier versions, as current records.

use tesuji_games::{Outcome, Score, Side};
use tesuji_store::{
    Ending, EndingKind, GameRecord, HumanScore, Metric, PoolRating, Record, RecordKind, RunRecord,
    Sample, SearchRecord, Store,
};

use super::{added, all};
use crate::plain::{game, player};

/// A store of an earlier version keeps its records and their order, and accepts new ones.
pub(crate) fn check(store: &dyn Store, version: u32) {
    let held = if version == 1 { version_1() } else { version_2() };
    for kind in RecordKind::ALL {
        let expected: Vec<Record> =
            held.iter().filter(|record| record.kind() == kind).cloned().collect();
        assert_eq!(all(store, kind), expected);
    }
    assert_eq!(store.info().unwrap().schema, 3);
    assert_eq!(store.add(&held).unwrap(), added(0, held.len() as u64));
    let mut rng = tesuji_games::random::seeded(8);
    let [human, job] =
        [RecordKind::Human, RecordKind::Job].map(|kind| super::record(&mut rng, kind, 1));
    let more = [human.clone(), job.clone(), game("cup 3")];
    assert_eq!(store.add(&more).unwrap(), added(3, 0));
    assert_eq!(all(store, RecordKind::Human).last(), Some(&human));
    assert_eq!(all(store, RecordKind::Job), [job]);
    assert_eq!(all(store, RecordKind::Game)[2], game("cup 3"));
}

/// The additions of version 2: pairs and start positions of games, and human scores.
fn version_2() -> Vec<Record> {
    let mut records = version_1();
    let Record::Game(second) = &mut records[1] else { panic!("the second game is the second") };
    (second.pair, second.start) = (Some(5), Some("44".to_string()));
    records.push(Record::Human(HumanScore {
        key: "h1".to_string(),
        board: "gem-island:level=1".to_string(),
        name: "Ada".to_string(),
        score: 120,
        moves: 31,
        won: true,
        at: 50,
    }));
    records
}

fn version_1() -> Vec<Record> {
    let [ann, bob] = [player("ann", "random"), player("bob", "alphabeta:depth=4")];
    let first = GameRecord {
        key: "cup 1".to_string(),
        event: "cup".to_string(),
        game: "tictactoe".to_string(),
        players: [ann.clone(), bob.clone()],
        pair: None,
        seed: u64::MAX,
        start: None,
        moves: "b2a1c3".to_string(),
        opening_plies: 1,
        outcome: Outcome::Win(Side::First),
        ending: Ending::plain(EndingKind::Rules),
        thoughts: Vec::new(),
        played_at: 1_700_000_000,
    };
    let score = Some(Score::win_in(3));
    let second = GameRecord {
        key: "cup 2".to_string(),
        game: "connect4".to_string(),
        players: [bob.clone(), ann],
        seed: 7,
        moves: "4453".to_string(),
        opening_plies: 0,
        outcome: Outcome::Draw,
        ending: Ending::with(EndingKind::Length, "after 4 moves"),
        thoughts: vec![
            SearchRecord { score, depth: 4, nodes: 90, micros: 12 },
            SearchRecord { micros: 5, ..SearchRecord::default() },
        ],
        played_at: u64::MAX,
        ..first.clone()
    };
    vec![
        Record::Game(first),
        Record::Game(second),
        Record::Sample(Sample {
            key: "s1".to_string(),
            run: "train 1".to_string(),
            game: "connect4".to_string(),
            position: "44".to_string(),
            value: 0.25,
            weight: 1.0,
            detail: serde_json::json!({ "visits": [1, 2] }),
        }),
        Record::Run(RunRecord {
            id: "cup".to_string(),
            kind: "tournament".to_string(),
            name: "The Cup".to_string(),
            config: "games = 2".to_string(),
            state: "running".to_string(),
            started_at: 10,
            updated_at: 20,
        }),
        Record::Metric(Metric {
            run: "cup".to_string(),
            name: "elo".to_string(),
            step: 3,
            value: -12.5,
            at: 30,
        }),
        Record::Rating(PoolRating {
            pool: "cup".to_string(),
            player: bob,
            elo: 35.5,
            low: None,
            high: Some(80.0),
            games: 2,
            points: 0.5,
            at: 40,
        }),
    ]
}
