//! The queue on a real nats-server: coordinators and workers as threads of this process, with work that takes as
//! long, fails as often and hangs as badly as each test wants.

mod credentials;
#[path = "../../../../xtask/src/servers/mod.rs"]
mod servers;
mod toy;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use credentials::Realm;
use servers::nats::{NatsServer, Options as ServerOptions};
use tesuji_queue::{Batch, Finished, Pool, QueueError, Tasks, WorkQueue};
use tesuji_queue_nats::{
    Farewell, Line, NatsQueue, Options, VERSION, WorkerReport, WorkerSettings, work,
};
use tesuji_store::{JobRecord, Kind, Record, Selection, Store};
use toy::{Moods, Toy};

const PATIENCE: Duration = Duration::from_secs(60);

/// A server, a store, and what is needed to use them.
struct Room {
    server: NatsServer,
    folder: tempfile::TempDir,
    store: Arc<dyn Store>,
    notices: Arc<Mutex<Vec<String>>>,
}

impl Room {
    fn new() -> Room {
        Room::with(&ServerOptions::default())
    }

    fn with(options: &ServerOptions) -> Room {
        let program = std::env::var_os(servers::NATS_SERVER).unwrap_or_else(|| {
            panic!("{} is not set; run this suite through `cargo xtask test`", servers::NATS_SERVER)
        });
        let server = NatsServer::start(Path::new(&program), options).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::from(tesuji_store::open(&place(&folder, "s.db")).unwrap());
        Room { server, folder, store, notices: Arc::default() }
    }

    fn options(&self) -> Options {
        let notices = self.notices.clone();
        Options {
            lease: Some(Duration::from_secs(1)),
            job_seconds: 0.2,
            patience: PATIENCE,
            notice: Arc::new(move |text| notices.lock().unwrap().push(text.to_string())),
            ..Options::new(self.server.url().parse().unwrap())
        }
    }

    fn settings(&self, name: &str) -> WorkerSettings {
        WorkerSettings {
            name: name.to_string(),
            threads: 1,
            cache: self.folder.path().join(format!("cache-{name}")),
            tasks: Tasks::new([toy::task()]),
            hang: PATIENCE,
        }
    }

    fn queue(&self) -> NatsQueue {
        NatsQueue::connect(self.options(), self.store.clone()).unwrap()
    }

    /// Does a batch while these work.
    fn with_workers<T>(
        &self,
        workers: &[WorkerSettings],
        during: impl FnOnce() -> T,
    ) -> (T, Vec<WorkerReport>) {
        let farewell = Farewell::default();
        std::thread::scope(|scope| {
            let workers: Vec<_> = workers
                .iter()
                .map(|settings| {
                    let (options, farewell) = (self.options(), farewell.clone());
                    scope.spawn(move || work(options, &*self.store, settings.clone(), &farewell))
                })
                .collect();
            let _goodbye = Goodbye(farewell);
            let result = during();
            drop(_goodbye);
            let reports = workers.into_iter().map(|it| it.join().unwrap().unwrap()).collect();
            (result, reports)
        })
    }

    fn jobs(&self) -> Vec<JobRecord> {
        let mut jobs = Vec::new();
        let each = &mut |record| {
            if let Record::Job(job) = record {
                jobs.push(job);
            }
            ControlFlow::Continue(())
        };
        self.store.for_each(&Selection::all(Kind::Job), each).unwrap();
        jobs
    }

    fn heard(&self, text: &str) -> bool {
        self.notices.lock().unwrap().iter().any(|notice| notice.contains(text))
    }
}

/// Workers are let go, also when a test fails.
struct Goodbye(Farewell);

impl Drop for Goodbye {
    fn drop(&mut self) {
        self.0.ask();
    }
}

fn place(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_string()
}

/// All that came of a batch, in the order of the units; no unit comes twice.
fn performed(
    queue: &dyn WorkQueue,
    toy: &Toy,
    units: &[u64],
    store: &dyn Store,
) -> Result<Vec<Finished>, QueueError> {
    let mut all = Vec::new();
    let batch = Batch::new("run", "1", units, toy).kept_in(Some(store));
    queue.perform(&batch, &mut |finished| {
        all.extend(finished);
        ControlFlow::Continue(())
    })?;
    all.sort_by_key(|it| it.unit);
    assert!(all.windows(2).all(|pair| pair[0].unit < pair[1].unit), "a unit came twice");
    Ok(all)
}

fn alone(toy: &Toy, units: &[u64]) -> Vec<Finished> {
    let folder = tempfile::tempdir().unwrap();
    let store = tesuji_store::open(&place(&folder, "s.db")).unwrap();
    performed(&Pool::new(2), toy, units, &*store).unwrap()
}

#[test]
fn many_do_what_one_does() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { millis: 10, ..Moods::default() });
    let units: Vec<u64> = (0..200).filter(|n| n % 7 != 3).collect();
    let workers = ["a", "b"].map(|name| room.settings(name));
    let (found, reports) =
        room.with_workers(&workers, || performed(&room.queue(), &toy, &units, &*room.store));
    assert_eq!(found.unwrap(), alone(&toy, &units));
    assert_eq!(reports.iter().map(|report| report.games).sum::<u64>(), units.len() as u64);
    assert!(reports.iter().all(|report| report.games > 40), "both work: {reports:?}");
    let jobs = room.jobs();
    assert!(jobs.iter().all(|job| job.done), "{jobs:?}");
    assert_eq!(jobs.iter().map(|job| job.units).sum::<u64>(), units.len() as u64);
    let most = jobs.iter().map(|job| job.units).max().unwrap();
    assert!((4..=40).contains(&most), "jobs of about 0.2 s, not of {most} units");
    assert!(room.store.info().unwrap().counts[&Kind::Human] == units.len() as u64);
}

/// Whoever coordinates may be gone at any moment: another finds in the store what is done, and that nothing is in the
/// queue.
#[test]
fn another_coordinator_goes_on() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { millis: 20, ..Moods::default() });
    let units: Vec<u64> = (0..60).collect();
    let workers = ["a", "b"].map(|name| room.settings(name));
    let (found, _) = room.with_workers(&workers, || {
        let mut count = 0;
        let batch = Batch::new("run", "1", &units, &toy).kept_in(Some(&*room.store));
        room.queue()
            .perform(&batch, &mut |finished| {
                count += finished.len();
                if count > 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        assert!(count < 60, "{count}");
        performed(&room.queue(), &toy, &units, &*room.store)
    });
    assert_eq!(found.unwrap(), alone(&toy, &units), "also what the first one was told");
}

#[test]
fn jobs_that_fail_again_and_again_are_put_aside() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { bad: vec![5], ..Moods::default() });
    let units: Vec<u64> = (0..10).collect();
    let settings = [room.settings("a")];
    let (found, reports) =
        room.with_workers(&settings, || performed(&room.queue(), &toy, &units, &*room.store));
    let error = found.unwrap_err().to_string();
    assert!(error.contains("1 of the jobs of run failed too often"), "{error}");
    assert!(
        error.contains("unit 5: a bad unit") && error.contains("tesuji queue retry run"),
        "{error}"
    );
    assert_eq!(reports[0].failed, 3);
    let poisoned: Vec<JobRecord> = room.jobs().into_iter().filter(|job| !job.done).collect();
    assert_eq!(poisoned.len(), 1, "{poisoned:?}");
    assert!(poisoned[0].is_poisoned() && poisoned[0].worker == "a");
    assert_eq!(poisoned[0].error, "unit 5: a bad unit");
    toy.mend();
    let line = Line::connect(room.options(), true).unwrap();
    assert_eq!(line.retry(&*room.store, Some("another run")).unwrap(), []);
    assert_eq!(line.retry(&*room.store, Some("run")).unwrap().len(), 1);
    let (found, _) =
        room.with_workers(&settings, || performed(&room.queue(), &toy, &units, &*room.store));
    assert_eq!(found.unwrap(), alone(&toy, &units));
}

#[test]
fn a_unit_that_panics_is_a_failure_like_any_other() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { panics: vec![2], ..Moods::default() });
    let (found, reports) = room.with_workers(&[room.settings("a")], || {
        performed(&room.queue(), &toy, &[1, 2, 3], &*room.store)
    });
    let error = found.unwrap_err().to_string();
    assert!(error.contains("unit 2 panicked: a worse unit"), "{error}");
    assert_eq!((reports[0].failed, reports[0].games), (3, 2));
}

/// One worker gets stuck in a unit and shows no sign of life; another gets the job.
#[test]
fn a_worker_that_hangs_loses_its_lease() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { hangs_once: vec![4], ..Moods::default() });
    let units: Vec<u64> = (0..8).collect();
    let hang = Duration::from_secs(1);
    let workers = ["a", "b"].map(|name| WorkerSettings { hang, ..room.settings(name) });
    let started = Instant::now();
    let (found, _) =
        room.with_workers(&workers, || performed(&room.queue(), &toy, &units, &*room.store));
    assert_eq!(found.unwrap(), alone(&toy, &units));
    assert!(started.elapsed() > hang, "it did hang");
    let lost: u32 = room.jobs().iter().map(|job| job.losses).sum();
    assert!(lost >= 1, "the loss is on record");
}

#[test]
fn a_server_that_comes_late_is_waited_for() {
    let mut room = Room::new();
    room.server.kill().unwrap();
    let quick = Options { patience: Duration::from_secs(1), ..room.options() };
    let error = NatsQueue::connect(quick, room.store.clone()).err().unwrap().to_string();
    assert!(
        error.contains("cannot be reached") && error.contains("is nats-server running"),
        "{error}"
    );
    assert!(room.heard("trying again"), "{:?}", room.notices);
    let (options, store) = (room.options(), room.store.clone());
    let queue = std::thread::spawn(move || NatsQueue::connect(options, store));
    std::thread::sleep(Duration::from_secs(1));
    room.server.start_again().unwrap();
    queue.join().unwrap().unwrap();
}

/// Everything on the server is lost in the middle: the store is the truth.
#[test]
fn a_queue_that_forgets_everything_is_filled_again() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { millis: 30, ..Moods::default() });
    let units: Vec<u64> = (0..60).collect();
    let workers = [room.settings("a")];
    let (found, _) = room.with_workers(&workers, || {
        std::thread::scope(|scope| {
            let run = scope.spawn(|| performed(&room.queue(), &toy, &units, &*room.store));
            let started = Instant::now();
            while room.jobs().iter().filter(|job| job.done).count() < 5 {
                assert!(started.elapsed() < PATIENCE);
                std::thread::sleep(Duration::from_millis(20));
            }
            toy::forget_everything(&room.server.url());
            run.join().unwrap()
        })
    });
    assert_eq!(found.unwrap(), alone(&toy, &units));
}

#[test]
fn other_versions_and_other_stores_are_refused() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods::default());
    let old = Options { version: "0.0.1".to_string(), ..room.options() };
    let theirs = NatsQueue::connect(old, room.store.clone()).unwrap();
    let none = Farewell::default();
    let refused =
        work(room.options(), &*room.store, room.settings("a"), &none).unwrap_err().to_string();
    assert!(refused.contains("it belongs to tesuji 0.0.1, this is tesuji"), "{refused}");
    drop(theirs);
    // Nothing of the other version is left in it, so a run of this one may have it.
    let queue = room.queue();
    let elsewhere = tesuji_store::open(&place(&room.folder, "other.db")).unwrap();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (store, flag) = (room.store.clone(), stop.clone());
        scope.spawn(move || {
            let batch = Batch::new("run", "1", &[1, 2, 3], &toy).stopped_by(flag);
            queue.perform(&batch, &mut |_| ControlFlow::Continue(())).unwrap();
            drop(store);
        });
        let worker = scope.spawn(|| {
            let settings = room.settings("b");
            work(room.options(), &*elsewhere, settings, &none)
        });
        let started = Instant::now();
        let told = || room.heard("worker b: its store does not have the jobs of run");
        while !told() && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        stop.store(true, Relaxed);
        none.ask();
        worker.join().unwrap().unwrap();
    });
    for text in ["job run/1/", "it is not in the store", "worker b: its store", "expected --store"]
    {
        assert!(room.heard(text), "{:?}", room.notices);
    }
}

/// The order to drain is sent again and again until the worker is seen to obey.
#[test]
fn a_drained_worker_finishes_its_jobs() {
    let room = Room::new();
    let units = [0, 1, 2, 3];
    let toy = Toy::new(room.folder.path(), Moods { waits: units.to_vec(), ..Moods::default() });
    let line = Line::connect(room.options(), true).unwrap();
    let none = Farewell::default();
    let (begun, report, after, found) = std::thread::scope(|scope| {
        let run = scope.spawn(|| performed(&room.queue(), &toy, &units, &*room.store));
        let worker = scope.spawn(|| work(room.options(), &*room.store, room.settings("a"), &none));
        let started = Instant::now();
        while toy.begun() == 0 && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        let drain = scope.spawn(|| line.drain(None, PATIENCE));
        // Long enough for several orders.
        std::thread::sleep(Duration::from_secs(2));
        toy.mend();
        let report = worker.join().unwrap().unwrap();
        assert_eq!(drain.join().unwrap().unwrap(), []);
        let (begun, after) = (toy.begun(), room.jobs());
        let (found, _) = room.with_workers(&[room.settings("b")], || run.join().unwrap());
        (begun, report, after, found)
    });
    assert_eq!(found.unwrap(), alone(&toy, &units));
    let done = after.iter().filter(|job| job.done && job.worker == "a").count();
    assert!((1..units.len()).contains(&begun), "it took no more: {begun}");
    assert_eq!((report.jobs, done), (begun as u64, begun), "{after:?}");
    let jobs = room.jobs();
    assert!(jobs.iter().all(|job| job.losses == 0 && job.attempts == 0), "{jobs:?}");
}

/// A job may be given back more often than workers may vanish with it.
#[test]
fn a_job_that_is_given_back_is_not_a_loss() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods { waits: vec![0], ..Moods::default() });
    let found = std::thread::scope(|scope| {
        let run = scope.spawn(|| performed(&room.queue(), &toy, &[0], &*room.store));
        for round in 1..=JobRecord::MOST_LOSSES as usize + 2 {
            let farewell = Farewell::default();
            let (asked, options) = (farewell.clone(), room.options());
            let (store, settings) = (&room.store, room.settings("a"));
            let worker = scope.spawn(move || work(options, &**store, settings, &asked));
            let started = Instant::now();
            while toy.begun() < round && !run.is_finished() && started.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
            farewell.ask();
            farewell.ask();
            worker.join().unwrap().unwrap();
        }
        toy.mend();
        room.with_workers(&[room.settings("b")], || run.join().unwrap()).0
    });
    assert_eq!(found.unwrap(), alone(&toy, &[0]));
    let jobs = room.jobs();
    assert!(jobs.iter().all(|job| job.losses == 0), "{jobs:?}");
}

/// Access to the queue alone decides nothing: what does not agree with the store is put
/// aside.
#[test]
fn messages_that_do_not_agree_with_the_store_are_put_aside() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods::default());
    let bad = Toy::new(room.folder.path(), Moods { bad: vec![0], ..Moods::default() });
    let url = room.server.url();
    let found = std::thread::scope(|scope| {
        let run = scope.spawn(|| performed(&room.queue(), &toy, &[0], &*room.store));
        let other = scope.spawn(|| {
            let batch = Batch::new("other", "1", &[0], &bad).kept_in(Some(&*room.store));
            room.queue().perform(&batch, &mut |_| ControlFlow::Continue(()))
        });
        let started = Instant::now();
        while room.jobs().len() < 2 && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        let jobs = room.jobs();
        let of = |run: &str| jobs.iter().find(|job| job.run == run).unwrap();
        let order = |job: &str, run: &str, brief: &str, version: &str| {
            serde_json::json!({ "job": job, "run": run, "brief": brief, "version": version })
                .to_string()
        };
        let (ours, theirs) = (of("run"), of("other"));
        let forged = [
            "no JSON at all".to_string(),
            order("run/1/0/0+1", "run", &ours.brief, VERSION),
            order("nothing\n\u{1b}[2J", "no run", &ours.brief, VERSION),
            order(&ours.key, "run", &ours.brief, "0.0.1"),
            order(&ours.key, "other", &theirs.brief, VERSION),
            order(&ours.key, "run", &theirs.brief, VERSION),
        ];
        for (number, payload) in forged.into_iter().enumerate() {
            toy::forge(&url, number, payload);
        }
        let workers = ["a", "b"].map(|name| room.settings(name));
        let (found, _) = room.with_workers(&workers, || {
            assert!(other.join().unwrap().is_err(), "a bad unit");
            let started = Instant::now();
            let put_aside = || {
                let notices = room.notices.lock().unwrap();
                notices.iter().filter(|notice| notice.ends_with("it is put aside")).count()
            };
            while put_aside() < 6 && started.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(20));
            }
            assert_eq!(put_aside(), 6, "{:?}", room.notices);
            run.join().unwrap()
        });
        found
    });
    assert_eq!(found.unwrap(), alone(&toy, &[0]));
    let jobs = room.jobs();
    let ours = jobs.iter().find(|job| job.run == "run").unwrap();
    assert_eq!((ours.attempts, ours.losses, ours.error.as_str()), (0, 0, ""), "{ours:?}");
    assert!(!room.heard("\u{1b}"), "{:?}", room.notices);
}

/// The server hands a job out as often as it takes, so that workers count the losses and the run
/// hears of them.
#[test]
fn a_job_that_is_refused_a_hundred_times_is_not_stranded() {
    let room = Room::new();
    let toy = Toy::new(room.folder.path(), Moods::default());
    drop(Line::connect(room.options(), true).unwrap());
    toy::limit_deliveries(&room.server.url());
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (has_ended, error) = std::thread::scope(|scope| {
        let flag = stop.clone();
        let run = scope.spawn(|| {
            let batch = Batch::new("run", "1", &[1], &toy).kept_in(Some(&*room.store));
            let batch = batch.stopped_by(flag);
            room.queue().perform(&batch, &mut |_| ControlFlow::Continue(()))
        });
        toy::refuse(&room.server.url(), 101);
        let (has_ended, _) = room.with_workers(&[room.settings("a")], || {
            let started = Instant::now();
            while !run.is_finished() && started.elapsed() < PATIENCE / 2 {
                std::thread::sleep(Duration::from_millis(20));
            }
            run.is_finished()
        });
        stop.store(true, Relaxed);
        (has_ended, run.join().unwrap().err())
    });
    assert!(has_ended, "the job is stranded");
    let error = error.unwrap().to_string();
    assert!(error.contains("a worker vanished with it"), "{error}");
}

#[test]
fn everybody_can_see_who_works_and_send_them_home() {
    let room = Room::new();
    let farewell = Farewell::default();
    let line = Line::connect(room.options(), true).unwrap();
    assert_eq!(line.state(&*room.store).unwrap().workers, []);
    std::thread::scope(|scope| {
        let settings = WorkerSettings { threads: 3, ..room.settings("ada") };
        let worker = scope.spawn(|| work(room.options(), &*room.store, settings, &farewell));
        let started = Instant::now();
        let state = loop {
            let state = line.state(&*room.store).unwrap();
            if !state.workers.is_empty() {
                break state;
            }
            assert!(started.elapsed() < PATIENCE);
        };
        assert_eq!((state.workers[0].name.as_str(), state.workers[0].threads), ("ada", 3));
        assert!(
            !line.drain(Some("bob"), Duration::ZERO).unwrap().iter().any(|it| it.name == "ada")
        );
        assert_eq!(line.drain(None, PATIENCE).unwrap(), []);
        worker.join().unwrap().unwrap();
    });
}

#[test]
fn a_file_of_credentials_lets_in() {
    let realm = Realm::new();
    let room =
        Room::with(&ServerOptions { more: realm.configuration.clone(), ..Default::default() });
    let quick = Options { patience: Duration::from_secs(5), ..room.options() };
    let refused = NatsQueue::connect(quick, room.store.clone()).err().unwrap().to_string();
    assert!(refused.contains("it does not let us in"), "{refused}");
    let file = room.folder.path().join("user.creds");
    let with_file = || Options { credentials: Some(file.clone()), ..room.options() };
    let missing = NatsQueue::connect(with_file(), room.store.clone()).err().unwrap().to_string();
    assert!(missing.contains("user.creds"), "{missing}");
    realm.write(&file);
    NatsQueue::connect(with_file(), room.store.clone()).unwrap();
}
