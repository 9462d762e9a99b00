//! The laws that every store must satisfy. Each law gets a function that opens one store, empty at
//! first, any number of times.

pub(crate) mod fixture;
pub(crate) mod records;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use tesuji_games::Score;
use tesuji_games::random::{below, seeded};
use tesuji_store::{
    AddCounts, Direction, GameRecord, JobRecord, Metric, Record, RecordKind, SearchRecord,
    Selection, Store, StoreError,
};

use self::records::{job, plain_rating, plain_run, record};
use crate::plain::{game, keys, plain_game, player};

/// Opens the store under test.
pub(crate) type Open<'a> = &'a (dyn Fn() -> Box<dyn Store> + Sync);

/// All records of a kind.
pub(crate) fn all(store: &dyn Store, kind: RecordKind) -> Vec<Record> {
    selected(store, &Selection::all(kind))
}

/// All records of a selection.
pub(crate) fn selected(store: &dyn Store, selection: &Selection) -> Vec<Record> {
    let mut found = Vec::new();
    let each = &mut |record| {
        found.push(record);
        ControlFlow::Continue(())
    };
    store.for_each(selection, each).unwrap();
    found
}

/// The counts of new and known records.
pub(crate) const fn added(new: u64, known: u64) -> AddCounts {
    AddCounts { new, known }
}

/// Records of every kind are read as they were written, in the same order, also after reopening; a
/// second write changes nothing.
pub(crate) fn records_come_back_as_they_were(open: Open<'_>) {
    let mut rng = seeded(1);
    let store = open();
    for kind in RecordKind::ALL {
        let written: Vec<Record> = (0..120).map(|index| record(&mut rng, kind, index)).collect();
        let (first, second) = written.split_at(50);
        assert_eq!(store.add(first).unwrap(), added(50, 0));
        assert_eq!(store.add(second).unwrap(), added(70, 0));
        assert_eq!(all(&*store, kind), written);
        assert_eq!(store.add(&written).unwrap(), added(0, 120), "{kind:?}");
        assert_eq!(all(&*store, kind), written);
        assert_eq!(all(&*open(), kind), written);
    }
}

/// One call may contain several kinds, the same key twice, or no records.
pub(crate) fn one_call_may_hold_anything(open: Open<'_>) {
    let store = open();
    assert_eq!(store.add(&[]).unwrap(), added(0, 0));
    let mut rng = seeded(2);
    let records: Vec<Record> = (0..2_500)
        .map(|index| record(&mut rng, RecordKind::ALL[index % RecordKind::ALL.len()], index))
        .collect();
    let twice = [records.as_slice(), records.as_slice()].concat();
    assert_eq!(store.add(&twice).unwrap(), added(2_500, 2_500));
    for kind in RecordKind::ALL {
        let expected: Vec<Record> =
            records.iter().filter(|record| record.kind() == kind).cloned().collect();
        assert_eq!(all(&*store, kind), expected);
    }
}

/// A key is stored once: another record with the same key changes nothing.
pub(crate) fn the_first_record_of_a_key_stays(open: Open<'_>) {
    let store = open();
    let mut rng = seeded(3);
    let [first, second] = [(), ()].map(|()| {
        [RecordKind::Game, RecordKind::Sample, RecordKind::Metric, RecordKind::Human].map(|kind| {
            let mut record = record(&mut rng, kind, 0);
            match &mut record {
                Record::Game(it) => it.key = "k".to_string(),
                Record::Sample(it) => it.key = "k".to_string(),
                Record::Human(it) => it.key = "k".to_string(),
                Record::Metric(it) => {
                    (it.run, it.name, it.step) = ("r".to_string(), "loss".to_string(), u64::MAX);
                }
                Record::Run(_) | Record::Job(_) | Record::Rating(_) => unreachable!(),
            }
            record
        })
    });
    assert_ne!(first, second);
    assert_eq!(store.add(&first).unwrap(), added(4, 0));
    assert_eq!(store.add(&second).unwrap(), added(0, 4));
    for kept in &first {
        assert_eq!(all(&*store, kept.kind()), std::slice::from_ref(kept));
    }
}

/// Later versions replace runs and ratings without changing their order; earlier ones are ignored.
/// Times use all 64 bits.
pub(crate) fn later_versions_replace_earlier_ones(open: Open<'_>) {
    let store = open();
    let run = |state: &str, at: u64| Record::Run(plain_run("a", state, at));
    let rating = |elo: f64, at: u64| Record::Rating(plain_rating("pool", "ann", elo, at));
    store.add(&[run("running", 5), rating(0.0, 5)]).unwrap();
    store
        .add(&[
            Record::Run(plain_run("b", "running", 1)),
            Record::Rating(plain_rating("pool", "bob", 1.0, 1)),
        ])
        .unwrap();
    for (record, is_later) in [
        (run("earlier", 4), false),
        (run("later", 6), true),
        (run("later", 6), false),
        (run("at the end of time", u64::MAX), true),
        (run("after half of it", 1 << 63), false),
        (rating(1.0, 4), false),
        (rating(2.0, 6), true),
        (rating(2.0, 6), false),
        (rating(3.0, u64::MAX), true),
        (rating(4.0, 1 << 63), false),
    ] {
        let expected = if is_later { added(1, 0) } else { added(0, 1) };
        assert_eq!(store.add(std::slice::from_ref(&record)).unwrap(), expected, "{record:?}");
    }
    let runs = all(&*store, RecordKind::Run);
    assert_eq!(runs[0], run("at the end of time", u64::MAX));
    assert_eq!(runs[1], Record::Run(plain_run("b", "running", 1)));
    assert_eq!(all(&*store, RecordKind::Rating)[0], rating(3.0, u64::MAX));
    assert_eq!((runs.len(), all(&*store, RecordKind::Rating).len()), (2, 2));
}

/// Among versions of the same second the same one wins in any order, and a run that has ended wins
/// over a running one.
pub(crate) fn versions_of_one_second_have_one_order(open: Open<'_>) {
    let store = open();
    let mut rng = seeded(4);
    let states = ["running", "finished", "a fault", "Ärger", "Zorn", "arger"];
    for round in 0..20 {
        let [here, there] = [format!("here {round}"), format!("there {round}")];
        let mut versions: Vec<(&str, f64)> =
            states.iter().map(|state| (*state, f64::from(below(&mut rng, 5)))).collect();
        let write = |versions: &[(&str, f64)], name: &str| {
            for (state, elo) in versions {
                let run = Record::Run(plain_run(name, state, 7));
                store.add(&[run, Record::Rating(plain_rating(name, "ann", *elo, 7))]).unwrap();
            }
        };
        write(&versions, &here);
        for last in (1..versions.len()).rev() {
            versions.swap(last, below(&mut rng, last as u32 + 1) as usize);
        }
        write(&versions, &there);
        let kept = |name: &str| {
            let of = |kind| Selection { event: Some(name.to_string()), ..Selection::all(kind) };
            match (
                &selected(&*store, &of(RecordKind::Run))[..],
                &selected(&*store, &of(RecordKind::Rating))[..],
            ) {
                ([Record::Run(run)], [Record::Rating(rating)]) => (run.state.clone(), rating.elo),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(kept(&here), kept(&there));
        assert_eq!(kept(&here).0, "Ärger", "bytes are compared, not letters");
    }
}

/// A selection gives the records that match all its fields, in the order of writing, up to its
/// limit.
pub(crate) fn selections_select(open: Open<'_>) {
    let store = open();
    let games: Vec<GameRecord> = (0..60)
        .map(|index| GameRecord {
            game: ["connect4", "gomoku", ""][index % 3].to_string(),
            event: ["cup", "league"][index % 2].to_string(),
            ..plain_game(&format!("game {index}"))
        })
        .collect();
    store.add(&games.iter().cloned().map(Record::Game).collect::<Vec<_>>()).unwrap();
    for game in [None, Some("connect4"), Some(""), Some("chess")] {
        for event in [None, Some("cup"), Some("c%")] {
            for limit in [None, Some(0), Some(3), Some(u64::MAX)] {
                let selection = Selection {
                    game: game.map(str::to_string),
                    event: event.map(str::to_string),
                    limit,
                    ..Selection::all(RecordKind::Game)
                };
                let expected: Vec<GameRecord> = games
                    .iter()
                    .filter(|it| game.is_none_or(|game| it.game == game))
                    .filter(|it| event.is_none_or(|event| it.event == event))
                    .take(limit.unwrap_or(u64::MAX).min(1000) as usize)
                    .cloned()
                    .collect();
                assert_eq!(store.games(&selection).unwrap(), expected, "{selection:?}");
            }
        }
    }
}

/// Records can be read from the newest, after any key, and one by one.
pub(crate) fn selections_go_both_ways(open: Open<'_>) {
    let store = open();
    let games: Vec<GameRecord> = (0..9)
        .map(|index| GameRecord {
            event: ["cup", "league"][index % 2].to_string(),
            ..plain_game(&format!("game {index}"))
        })
        .collect();
    store.add(&games.iter().cloned().map(Record::Game).collect::<Vec<_>>()).unwrap();
    let keys = |selection: Selection| -> String {
        let games = store.games(&selection).unwrap();
        games.iter().map(|game| game.key.trim_start_matches("game ")).collect()
    };
    let all = || Selection::all(RecordKind::Game);
    let newest = || Selection { direction: Direction::NewestFirst, ..all() };
    let named = |key: &str| Some(format!("game {key}"));
    let cup = || Some("cup".to_string());
    assert_eq!(keys(newest()), "876543210");
    assert_eq!(keys(Selection { limit: Some(2), event: cup(), ..newest() }), "86");
    assert_eq!(keys(Selection { after: named("5"), ..newest() }), "43210");
    assert_eq!(keys(Selection { after: named("5"), event: cup(), ..newest() }), "420");
    assert_eq!(keys(Selection { after: named("5"), ..all() }), "678");
    assert_eq!(keys(Selection { after: named("x"), ..all() }), "");
    assert_eq!(keys(Selection { keys: named("3").map(|key| vec![key]), ..newest() }), "3");
    assert_eq!(keys(Selection { event: cup(), ..Selection::key(RecordKind::Game, "game 3") }), "");
    store.add(&[Record::Run(plain_run("my run", "running", 7))]).unwrap();
    assert_eq!(selected(&*store, &Selection::key(RecordKind::Run, "my run")).len(), 1);
    assert_eq!(selected(&*store, &Selection::key(RecordKind::Metric, "my run")), Vec::new());
}

/// Every kind matches the selection fields that it has, and no others.
pub(crate) fn every_kind_has_its_fields(open: Open<'_>) {
    let store = open();
    let mut rng = seeded(5);
    for kind in RecordKind::ALL {
        let mut mine = record(&mut rng, kind, 1);
        let (event, game) = match &mut mine {
            Record::Game(it) => (Some(&mut it.event), Some(&mut it.game)),
            Record::Sample(it) => (Some(&mut it.run), Some(&mut it.game)),
            Record::Run(it) => (Some(&mut it.id), None),
            Record::Job(it) => (Some(&mut it.run), None),
            Record::Metric(it) => (Some(&mut it.run), None),
            Record::Rating(it) => (Some(&mut it.pool), None),
            Record::Human(it) => (None, Some(&mut it.board)),
        };
        let has = (event.is_some(), game.is_some());
        event.into_iter().for_each(|event| *event = "my event".to_string());
        game.into_iter().for_each(|game| *game = "my game".to_string());
        store.add(&[record(&mut rng, kind, 2), mine.clone()]).unwrap();
        let by = |event: Option<&str>, game: Option<&str>| {
            let [event, game] = [event, game].map(|text| text.map(str::to_string));
            selected(&*store, &Selection { game, event, ..Selection::all(kind) })
        };
        let expected = |fits: bool| if fits { vec![mine.clone()] } else { Vec::new() };
        assert_eq!(by(Some("my event"), None), expected(has.0), "{kind:?}");
        assert_eq!(by(None, Some("my game")), expected(has.1), "{kind:?}");
        assert_eq!(by(Some("my event"), Some("my game")), expected(has == (true, true)));
        assert_eq!(by(Some("other event"), None), Vec::new());
    }
}

/// Invalid records are refused before any record of the call is written.
pub(crate) fn a_call_is_kept_whole_or_not_at_all(open: Open<'_>) {
    let store = open();
    store.add(&[game("before")]).unwrap();
    let metric = |value: f64, name: &str| {
        Record::Metric(Metric {
            run: "r".to_string(),
            name: name.to_string(),
            step: 1,
            value,
            at: 1,
        })
    };
    let mut odd = plain_game("odd");
    odd.thoughts = vec![SearchRecord { score: Some(Score::MAX), ..SearchRecord::default() }];
    for bad in [
        Record::Game(odd),
        metric(f64::NAN, "loss"),
        metric(f64::NEG_INFINITY, "loss"),
        metric(0.0, "lo\0ss"),
        game("k\0"),
        game(&"k".repeat(2001)),
    ] {
        let error = store.add(&[game("beside"), bad, game("after")]).unwrap_err();
        assert!(matches!(error, StoreError::InvalidRecord { .. }), "{error}");
        assert!(error.to_string().contains("nothing was written"), "{error}");
        assert!(!error.to_string().contains(['\n', '\0']), "{error}");
    }
    assert_eq!(keys(&*store), ["before"]);
    assert_eq!(store.add(&[game(&"k".repeat(2000))]).unwrap(), added(1, 0));
}

/// Names and texts may have the documented length, even in an index.
pub(crate) fn long_texts_are_kept(open: Open<'_>) {
    let store = open();
    let mut rng = seeded(6);
    // Random letters: compressible text would hide the limit of an index.
    let mut text = |length: usize| -> String {
        (0..length).map(|_| char::from(b'!' + below(&mut rng, 90) as u8)).collect()
    };
    let long = GameRecord {
        event: text(1000),
        game: text(1000),
        players: [(); 2].map(|()| player(&text(1000), &text(100_000))),
        moves: text(1_000_000),
        ..plain_game(&text(2000))
    };
    let metric =
        Record::Metric(Metric { run: text(1000), name: text(1000), step: 1, value: 1.0, at: 1 });
    store.add(&[Record::Game(long.clone()), metric.clone()]).unwrap();
    assert_eq!(all(&*store, RecordKind::Game), [Record::Game(long)]);
    assert_eq!(all(&*store, RecordKind::Metric), [metric]);
}

/// Counts match the added records.
pub(crate) fn info_counts(open: Open<'_>) {
    let store = open();
    let info = store.info().unwrap();
    assert_eq!(info.counts.values().sum::<u64>(), 0);
    assert_eq!(info.counts.len(), RecordKind::ALL.len());
    let mut rng = seeded(7);
    for (index, kind) in RecordKind::ALL.into_iter().enumerate() {
        for number in 0..=index {
            store.add(&[record(&mut rng, kind, number)]).unwrap();
        }
    }
    let mut other = plain_game("another");
    other.event = "league".to_string();
    store.add(&[game("one"), game("two"), Record::Game(other)]).unwrap();
    let info = store.info().unwrap();
    let counts: Vec<u64> = RecordKind::ALL.iter().map(|kind| info.counts[kind]).collect();
    assert_eq!(counts, [4, 2, 3, 4, 5, 6, 7]);
    assert_eq!((info.events["cup"], info.events["league"]), (2, 1));
    assert_eq!(info.games.values().sum::<u64>(), 4);
    assert_eq!(info.place, store.place());
    assert!(info.bytes > 1000 && info.schema >= 3, "{info:?}");
}

/// A reader sees one snapshot despite concurrent writes: games are added in pairs, so a consistent
/// snapshot has an even number of them.
pub(crate) fn readers_see_one_state(open: Open<'_>) {
    let store = open();
    let pair = |index: u32| [game(&format!("{index} first")), game(&format!("{index} second"))];
    let start: Vec<Record> = (0..400).flat_map(pair).collect();
    store.add(&start).unwrap();
    let has_read = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut index = 400;
            while !has_read.load(Ordering::Relaxed) {
                store.add(&pair(index)).unwrap();
                index += 1;
            }
            index
        });
        let mut least = 800;
        for _ in 0..10 {
            let mut seen = 0_usize;
            store
                .for_each(&Selection::all(RecordKind::Game), &mut |_| {
                    seen += 1;
                    // Gives the writer a head start.
                    if seen.is_multiple_of(200) {
                        std::thread::sleep(std::time::Duration::from_millis(5));
                    }
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert!(seen.is_multiple_of(2) && seen >= least, "{seen} games, {least} before");
            least = seen;
        }
        has_read.store(true, Ordering::Relaxed);
        let written = writer.join().unwrap();
        assert!(written > 400 && keys(&*store).len() == 2 * written as usize);
    });
}

/// A callback may break, and may write to the same store.
pub(crate) fn callbacks_may_use_the_store(open: Open<'_>) {
    let store = open();
    let games: Vec<Record> = (0..1_500).map(|index| game(&format!("{index:04}"))).collect();
    store.add(&games).unwrap();
    let mut seen = 0;
    let each = &mut |_| {
        seen += 1;
        store.add(&[game(&format!("answer to {seen}"))]).unwrap();
        assert!(store.info().unwrap().counts[&RecordKind::Game] > 1_500);
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    store.for_each(&Selection::all(RecordKind::Game), each).unwrap();
    assert_eq!(seen, 3);
    assert_eq!(keys(&*store).len(), 1_503);
}

/// Threads add games concurrently through several handles, some of them the same games: each game
/// is new for exactly one of them, and none is lost.
pub(crate) fn many_threads_add_at_once(open: Open<'_>) {
    const THREADS: u32 = 8;
    let handles = [open(), open()];
    let new: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let store = &handles[thread as usize % handles.len()];
                scope.spawn(move || {
                    let mut rng = seeded(u64::from(thread));
                    let mut new = 0;
                    for round in 0..12 {
                        // A game that all threads add, in different orders, and a unique one.
                        let mut batch = vec![game(&format!("own {thread} {round}"))];
                        batch.extend((0..5).map(|_| {
                            let number = below(&mut rng, 40);
                            let mut shared = plain_game(&format!("shared {number}"));
                            shared.players[0].name = format!("player {number}");
                            Record::Game(shared)
                        }));
                        new += store.add(&batch).unwrap().new;
                    }
                    new
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    for store in &handles {
        let found = keys(&**store);
        let distinct: BTreeSet<&String> = found.iter().collect();
        assert_eq!(found.len(), distinct.len());
        assert_eq!(found.len() as u64, new);
        assert_eq!(found.iter().filter(|key| key.starts_with("own")).count(), 96);
    }
}

/// A handle sees the records that another has added, in any order of opening.
pub(crate) fn handles_share_one_store(open: Open<'_>) {
    let [first, second] = [open(), open()];
    for round in 0..20 {
        let (writer, reader) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        assert_eq!(writer.add(&[game(&format!("{round}"))]).unwrap(), added(1, 0));
        assert_eq!(reader.add(&[game(&format!("{round}"))]).unwrap(), added(0, 1));
        assert_eq!(keys(&**reader).len(), round + 1);
    }
}

/// Several threads may create a store at the same time.
pub(crate) fn many_may_open_at_once(open: Open<'_>) {
    std::thread::scope(|scope| {
        for thread in 0..6 {
            scope.spawn(move || open().add(&[game(&format!("{thread}"))]).unwrap());
        }
    });
    assert_eq!(keys(&*open()).len(), 6);
}

/// The version of a job that has progressed furthest wins, in any order of writes and whatever its
/// other fields are.
pub(crate) fn jobs_get_further(open: Open<'_>) {
    let store = open();
    let job = |done: bool, round: u32, attempts: u32, losses: u32, at: u64| {
        let key = "run/first/0+10".to_string();
        Record::Job(JobRecord { key, done, round, attempts, losses, at, ..JobRecord::default() })
    };
    let versions = [
        job(false, 0, 0, 0, 90),
        job(false, 0, 0, 1, 80),
        job(false, 0, 0, 1, 81),
        job(false, 0, 0, 1, u64::MAX),
        job(false, 0, 1, 0, 70),
        job(false, 0, 3, 0, 60),
        job(false, 1, 0, 0, 50),
        job(false, 10, 0, 0, 40),
        job(true, 0, 0, 0, 30),
        job(true, 0, 2, 0, 20),
        job(true, 1, 0, 0, 10),
    ];
    for (index, version) in versions.iter().enumerate() {
        assert_eq!(store.add(std::slice::from_ref(version)).unwrap(), added(1, 0), "{version:?}");
        assert_eq!(store.add(&versions[..=index]).unwrap(), added(0, index as u64 + 1));
        assert_eq!(all(&*store, RecordKind::Job), std::slice::from_ref(version));
    }
}

/// Two versions of a job that differ in any field have a fixed order: the same one wins, whichever
/// came first.
pub(crate) fn versions_of_a_job_have_one_order(open: Open<'_>) {
    let store = open();
    let mut rng = seeded(9);
    let plain = job(&mut rng, "job".to_string());
    let changes: [fn(&mut JobRecord, &JobRecord); 15] = [
        |it, other| it.run.clone_from(&other.run),
        |it, other| it.stage.clone_from(&other.stage),
        |it, other| it.task.clone_from(&other.task),
        |it, other| it.brief.clone_from(&other.brief),
        |it, other| it.first = other.first,
        |it, other| it.units = other.units,
        |it, other| it.done = other.done,
        |it, other| it.round = other.round,
        |it, other| it.attempts = other.attempts,
        |it, other| it.losses = other.losses,
        |it, other| it.error.clone_from(&other.error),
        |it, other| it.worker.clone_from(&other.worker),
        |it, other| it.micros = other.micros,
        |it, other| it.at = other.at,
        |it, other| it.output.clone_from(&other.output),
    ];
    let mut compared = 0;
    for (field, change) in changes.iter().enumerate() {
        let other = loop {
            let mut other = plain.clone();
            change(&mut other, &job(&mut rng, String::new()));
            if other != plain {
                break other;
            }
        };
        let kept = [[&plain, &other], [&other, &plain]].map(|versions| {
            let key = format!("{field} {compared}");
            compared += 1;
            for version in versions {
                let version = JobRecord { key: key.clone(), ..version.clone() };
                store.add(&[Record::Job(version)]).unwrap();
            }
            match &selected(&*store, &Selection::key(RecordKind::Job, &key))[..] {
                [Record::Job(job)] => JobRecord { key: String::new(), ..job.clone() },
                found => panic!("{found:?}"),
            }
        });
        assert_eq!(kept[0], kept[1], "field {field}");
    }
}

/// Jobs are selected by run and stage, and read without their output on request.
pub(crate) fn jobs_have_stages_and_outputs(open: Open<'_>) {
    let store = open();
    let job = |run: &str, stage: &str, first: u64| JobRecord {
        key: format!("{run}/{stage}/{first}+1"),
        run: run.to_string(),
        stage: stage.to_string(),
        first,
        done: true,
        output: "[1,2,3]".repeat(200_000),
        ..JobRecord::default()
    };
    let jobs: Vec<JobRecord> =
        (0..24).map(|n| job(["a", "b"][n % 2], ["x", "y", "z"][n % 3], n as u64)).collect();
    store.add(&jobs.iter().cloned().map(Record::Job).collect::<Vec<_>>()).unwrap();
    for without_output in [false, true] {
        for (run, stage) in [(None, Some("y")), (Some("a"), Some("y")), (Some("b"), Some("w"))] {
            let selection = Selection {
                event: run.map(str::to_string),
                stage: stage.map(str::to_string),
                without_output,
                ..Selection::all(RecordKind::Job)
            };
            let expected: Vec<Record> = jobs
                .iter()
                .filter(|job| run.is_none_or(|run| job.run == run))
                .filter(|job| stage.is_none_or(|stage| job.stage == stage))
                .cloned()
                .map(|job| match without_output {
                    true => JobRecord { output: String::new(), ..job },
                    false => job,
                })
                .map(Record::Job)
                .collect();
            assert_eq!(expected.is_empty(), stage == Some("w"));
            assert!(selected(&*store, &selection) == expected, "{selection:?}");
        }
    }
    // A job that was read without its output does not replace the full one.
    let light = Selection { without_output: true, ..Selection::all(RecordKind::Job) };
    assert_eq!(store.add(&selected(&*store, &light)).unwrap(), added(0, 24));
    let staged = |kind| Selection { stage: Some("x".to_string()), ..Selection::all(kind) };
    store.add(&[game("one")]).unwrap();
    assert_eq!(selected(&*store, &staged(RecordKind::Game)), Vec::new());
    let too_long = JobRecord { output: "1".repeat((6 << 20) + 1), ..jobs[0].clone() };
    let error = store.add(&[Record::Job(too_long)]).unwrap_err();
    assert!(error.to_string().contains("output has 6291457 bytes"), "{error}");
}

/// Many records can be read by their keys, in the order in which they were written.
pub(crate) fn many_are_found_by_their_keys(open: Open<'_>) {
    let store = open();
    let mut rng = seeded(11);
    for kind in RecordKind::ALL {
        let written: Vec<Record> = (0..200).map(|index| record(&mut rng, kind, index)).collect();
        store.add(&written).unwrap();
        let has_key = key_of(&written[0]).is_some();
        let wanted: Vec<Record> = written.iter().step_by(3).filter(|_| has_key).cloned().collect();
        let mut keys: Vec<String> = wanted.iter().filter_map(key_of).collect();
        keys.reverse();
        keys.push("unknown".to_string());
        keys.extend_from_within(..1);
        let among = |keys: Vec<String>| Selection { keys: Some(keys), ..Selection::all(kind) };
        assert_eq!(selected(&*store, &among(keys.clone())), wanted, "{kind:?}");
        assert_eq!(selected(&*store, &among(Vec::new())), Vec::new());
        let two = Selection { limit: Some(2), ..among(keys) };
        assert_eq!(selected(&*store, &two), wanted[..wanted.len().min(2)]);
    }
    let many: Vec<String> = (0..100_000).map(|index| format!("game {index}")).collect();
    store.add(&[game("game 77777")]).unwrap();
    let selection = Selection { keys: Some(many), ..Selection::all(RecordKind::Game) };
    assert_eq!(selected(&*store, &selection), [game("game 77777")]);
}

/// The key of a record.
fn key_of(record: &Record) -> Option<String> {
    match record {
        Record::Game(it) => Some(it.key.clone()),
        Record::Sample(it) => Some(it.key.clone()),
        Record::Run(it) => Some(it.id.clone()),
        Record::Job(it) => Some(it.key.clone()),
        Record::Human(it) => Some(it.key.clone()),
        Record::Metric(_) | Record::Rating(_) => None,
    }
}

/// Lists the laws and runs each with `$with`, which creates an empty store.
macro_rules! laws {
    ($with:ident: $($law:ident),+ $(,)?) => {
        $(#[test]
        fn $law() {
            $with(crate::laws::$law);
        })+
    };
}

/// Makes a test of every law.
macro_rules! every_law {
    ($with:ident) => {
        crate::laws::laws! { $with:
            records_come_back_as_they_were,
            one_call_may_hold_anything,
            the_first_record_of_a_key_stays,
            later_versions_replace_earlier_ones,
            versions_of_one_second_have_one_order,
            jobs_get_further,
            versions_of_a_job_have_one_order,
            jobs_have_stages_and_outputs,
            selections_select,
            many_are_found_by_their_keys,
            selections_go_both_ways,
            every_kind_has_its_fields,
            a_call_is_kept_whole_or_not_at_all,
            long_texts_are_kept,
            info_counts,
            readers_see_one_state,
            callbacks_may_use_the_store,
            many_threads_add_at_once,
            handles_share_one_store,
            many_may_open_at_once,
        }
    };
}

pub(crate) use {every_law, laws};
