//! Tests of the queue on a real nats-server. Coordinators and workers are threads of this process;
//! their jobs are slow, fail or hang as each test requires.

mod credentials;
#[path = "../../../../xtask/src/servers/mod.rs"]
mod servers;
mod test_job;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use credentials::Realm;
use servers::nats::{NatsServer, Options as ServerOptions};
use test_job::{Behavior, TestJob};
use tesuji_queue::{Batch, FinishedItem, JobKinds, Pool, QueueError, WorkQueue};
use tesuji_queue_nats::{
    Connection, NatsQueue, QueueOptions, Shutdown, VERSION, WorkerSettings, WorkerSummary,
    run_worker,
};
use tesuji_store::{JobRecord, Record, RecordKind, Selection, Store};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A server, a store and a folder.
struct Fixture {
    server: NatsServer,
    folder: tempfile::TempDir,
    store: Arc<dyn Store>,
    messages: Arc<Mutex<Vec<String>>>,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture::with(&ServerOptions::default())
    }

    fn with(options: &ServerOptions) -> Fixture {
        let program = std::env::var_os(servers::NATS_SERVER).unwrap_or_else(|| {
            panic!("{} is not set; run this suite through `cargo xtask test`", servers::NATS_SERVER)
        });
        let server = NatsServer::start(Path::new(&program), options).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::from(tesuji_store::open(&place(&folder, "s.db")).unwrap());
        Fixture { server, folder, store, messages: Arc::default() }
    }

    fn options(&self) -> QueueOptions {
        let messages = self.messages.clone();
        QueueOptions {
            lease: Some(Duration::from_secs(1)),
            job_seconds: 0.2,
            retry_timeout: TIMEOUT,
            log: Arc::new(move |text| messages.lock().unwrap().push(text.to_string())),
            ..QueueOptions::new(self.server.url().parse().unwrap())
        }
    }

    fn settings(&self, name: &str) -> WorkerSettings {
        WorkerSettings {
            name: name.to_string(),
            threads: 1,
            cache: self.folder.path().join(format!("cache-{name}")),
            job_kinds: JobKinds::new([test_job::job_kind()]),
            stall_timeout: TIMEOUT,
        }
    }

    fn queue(&self) -> NatsQueue {
        NatsQueue::connect(self.options(), self.store.clone()).unwrap()
    }

    /// Runs a function while workers run.
    fn with_workers<T>(
        &self,
        workers: &[WorkerSettings],
        during: impl FnOnce() -> T,
    ) -> (T, Vec<WorkerSummary>) {
        let shutdown = Shutdown::default();
        std::thread::scope(|scope| {
            let workers: Vec<_> = workers
                .iter()
                .map(|settings| {
                    let (options, shutdown) = (self.options(), shutdown.clone());
                    scope.spawn(move || {
                        run_worker(options, &*self.store, settings.clone(), &shutdown)
                    })
                })
                .collect();
            let guard = ShutdownGuard(shutdown);
            let result = during();
            drop(guard);
            let summaries = workers.into_iter().map(|it| it.join().unwrap().unwrap()).collect();
            (result, summaries)
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
        self.store.for_each(&Selection::all(RecordKind::Job), each).unwrap();
        jobs
    }

    fn has_logged(&self, text: &str) -> bool {
        self.messages.lock().unwrap().iter().any(|message| message.contains(text))
    }
}

/// Stops workers, even if a test fails.
struct ShutdownGuard(Shutdown);

impl Drop for ShutdownGuard {
    fn drop(&mut self) {
        self.0.signal();
    }
}

fn place(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_string()
}

/// All items of a batch, in order. No item comes twice.
fn run_batch(
    queue: &dyn WorkQueue,
    job: &TestJob,
    items: &[u64],
    store: &dyn Store,
) -> Result<Vec<FinishedItem>, QueueError> {
    let mut all = Vec::new();
    let batch = Batch::new("run", "1", items, job).with_store(Some(store));
    queue.run_batch(&batch, &mut |finished| {
        all.extend(finished);
        ControlFlow::Continue(())
    })?;
    all.sort_by_key(|it| it.item);
    assert!(all.windows(2).all(|pair| pair[0].item < pair[1].item), "a item came twice");
    Ok(all)
}

fn alone(job: &TestJob, items: &[u64]) -> Vec<FinishedItem> {
    let folder = tempfile::tempdir().unwrap();
    let store = tesuji_store::open(&place(&folder, "s.db")).unwrap();
    run_batch(&Pool::new(2), job, items, &*store).unwrap()
}

#[test]
fn several_workers_give_the_results_of_one() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior { millis: 10, ..Behavior::default() });
    let items: Vec<u64> = (0..200).filter(|n| n % 7 != 3).collect();
    let workers = ["a", "b"].map(|name| fixture.settings(name));
    let (found, summaries) = fixture
        .with_workers(&workers, || run_batch(&fixture.queue(), &job, &items, &*fixture.store));
    assert_eq!(found.unwrap(), alone(&job, &items));
    assert_eq!(summaries.iter().map(|summary| summary.games).sum::<u64>(), items.len() as u64);
    assert!(summaries.iter().all(|summary| summary.games > 40), "both work: {summaries:?}");
    let jobs = fixture.jobs();
    assert!(jobs.iter().all(|job| job.done), "{jobs:?}");
    assert_eq!(jobs.iter().map(|job| job.units).sum::<u64>(), items.len() as u64);
    let most = jobs.iter().map(|job| job.units).max().unwrap();
    assert!((4..=40).contains(&most), "jobs of about 0.2 s, not of {most} items");
    assert!(fixture.store.info().unwrap().counts[&RecordKind::Human] == items.len() as u64);
}

/// A coordinator may end at any time: the next finds the finished jobs in the store, and enqueues
/// the missing ones.
#[test]
fn another_coordinator_continues() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior { millis: 20, ..Behavior::default() });
    let items: Vec<u64> = (0..60).collect();
    let workers = ["a", "b"].map(|name| fixture.settings(name));
    let (found, _) = fixture.with_workers(&workers, || {
        let mut count = 0;
        let batch = Batch::new("run", "1", &items, &job).with_store(Some(&*fixture.store));
        fixture
            .queue()
            .run_batch(&batch, &mut |finished| {
                count += finished.len();
                if count > 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        assert!(count < 60, "{count}");
        run_batch(&fixture.queue(), &job, &items, &*fixture.store)
    });
    assert_eq!(
        found.unwrap(),
        alone(&job, &items),
        "including the items that the first one received"
    );
}

#[test]
fn jobs_that_fail_too_often_end_the_run() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior { bad: vec![5], ..Behavior::default() });
    let items: Vec<u64> = (0..10).collect();
    let settings = [fixture.settings("a")];
    let (found, summaries) = fixture
        .with_workers(&settings, || run_batch(&fixture.queue(), &job, &items, &*fixture.store));
    let error = found.unwrap_err().to_string();
    assert!(error.contains("1 of the jobs of run failed too often"), "{error}");
    assert!(
        error.contains("item 5: a bad item") && error.contains("tesuji queue retry run"),
        "{error}"
    );
    assert_eq!(summaries[0].failed, 3);
    let poisoned: Vec<JobRecord> = fixture.jobs().into_iter().filter(|job| !job.done).collect();
    assert_eq!(poisoned.len(), 1, "{poisoned:?}");
    assert!(poisoned[0].is_poisoned() && poisoned[0].worker == "a");
    assert_eq!(poisoned[0].error, "item 5: a bad item");
    job.repair();
    let connection = Connection::connect(fixture.options(), true).unwrap();
    assert_eq!(connection.retry_failed(&*fixture.store, Some("another run")).unwrap(), []);
    assert_eq!(connection.retry_failed(&*fixture.store, Some("run")).unwrap().len(), 1);
    let (found, _) = fixture
        .with_workers(&settings, || run_batch(&fixture.queue(), &job, &items, &*fixture.store));
    assert_eq!(found.unwrap(), alone(&job, &items));
}

#[test]
fn a_panic_is_a_failure() {
    let fixture = Fixture::new();
    let job =
        TestJob::new(fixture.folder.path(), Behavior { panics: vec![2], ..Behavior::default() });
    let (found, summaries) = fixture.with_workers(&[fixture.settings("a")], || {
        run_batch(&fixture.queue(), &job, &[1, 2, 3], &*fixture.store)
    });
    let error = found.unwrap_err().to_string();
    assert!(error.contains("item 2: panicked: a worse item"), "{error}");
    assert_eq!((summaries[0].failed, summaries[0].games), (3, 2));
}

/// One worker hangs in an item and sends no heartbeat; another gets the job.
#[test]
fn a_stalled_job_loses_its_lease() {
    let fixture = Fixture::new();
    let job = TestJob::new(
        fixture.folder.path(),
        Behavior { hangs_once: vec![4], ..Behavior::default() },
    );
    let items: Vec<u64> = (0..8).collect();
    let stall_timeout = Duration::from_secs(1);
    let workers = ["a", "b"].map(|name| WorkerSettings { stall_timeout, ..fixture.settings(name) });
    let started = Instant::now();
    let (found, _) = fixture
        .with_workers(&workers, || run_batch(&fixture.queue(), &job, &items, &*fixture.store));
    assert_eq!(found.unwrap(), alone(&job, &items));
    assert!(started.elapsed() > stall_timeout, "it did not hang");
    let lost: u32 = fixture.jobs().iter().map(|job| job.losses).sum();
    assert!(lost >= 1, "the loss is on record");
}

#[test]
fn connecting_waits_for_the_server() {
    let mut fixture = Fixture::new();
    fixture.server.kill().unwrap();
    let quick = QueueOptions { retry_timeout: Duration::from_secs(1), ..fixture.options() };
    let error = NatsQueue::connect(quick, fixture.store.clone()).err().unwrap().to_string();
    assert!(
        error.contains("cannot be reached") && error.contains("is nats-server running"),
        "{error}"
    );
    assert!(fixture.has_logged("retrying"), "{:?}", fixture.messages);
    let (options, store) = (fixture.options(), fixture.store.clone());
    let queue = std::thread::spawn(move || NatsQueue::connect(options, store));
    std::thread::sleep(Duration::from_secs(1));
    fixture.server.start_again().unwrap();
    queue.join().unwrap().unwrap();
}

/// The server loses everything during a run: the store is authoritative.
#[test]
fn a_queue_that_loses_everything_is_refilled() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior { millis: 30, ..Behavior::default() });
    let items: Vec<u64> = (0..60).collect();
    let workers = [fixture.settings("a")];
    let (found, _) = fixture.with_workers(&workers, || {
        std::thread::scope(|scope| {
            let run = scope.spawn(|| run_batch(&fixture.queue(), &job, &items, &*fixture.store));
            let started = Instant::now();
            while fixture.jobs().iter().filter(|job| job.done).count() < 5 {
                assert!(started.elapsed() < TIMEOUT);
                std::thread::sleep(Duration::from_millis(20));
            }
            test_job::forget_everything(&fixture.server.url());
            run.join().unwrap()
        })
    });
    assert_eq!(found.unwrap(), alone(&job, &items));
}

#[test]
fn other_versions_and_other_stores_are_refused() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior::default());
    let old = QueueOptions { version: "0.0.1".to_string(), ..fixture.options() };
    let theirs = NatsQueue::connect(old, fixture.store.clone()).unwrap();
    let none = Shutdown::default();
    let refused = run_worker(fixture.options(), &*fixture.store, fixture.settings("a"), &none)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("belongs to tesuji 0.0.1; expected tesuji"), "{refused}");
    drop(theirs);
    // The queue is empty, so a run of this version may take it over.
    let queue = fixture.queue();
    let elsewhere = tesuji_store::open(&place(&fixture.folder, "other.db")).unwrap();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (store, flag) = (fixture.store.clone(), stop.clone());
        scope.spawn(move || {
            let batch = Batch::new("run", "1", &[1, 2, 3], &job).stopped_by(flag);
            queue.run_batch(&batch, &mut |_| ControlFlow::Continue(())).unwrap();
            drop(store);
        });
        let worker = scope.spawn(|| {
            let settings = fixture.settings("b");
            run_worker(fixture.options(), &*elsewhere, settings, &none)
        });
        let started = Instant::now();
        let logged = || fixture.has_logged("worker b: its store does not have the jobs of run");
        while !logged() && started.elapsed() < TIMEOUT {
            std::thread::sleep(Duration::from_millis(20));
        }
        stop.store(true, Relaxed);
        none.signal();
        worker.join().unwrap().unwrap();
    });
    for text in ["job run/1/", "not in the store", "worker b: its store", "expected --store"] {
        assert!(fixture.has_logged(text), "{:?}", fixture.messages);
    }
}

/// The order to drain is sent until the status of the worker shows that it obeys.
#[test]
fn a_drained_worker_finishes_its_jobs() {
    let fixture = Fixture::new();
    let items = [0, 1, 2, 3];
    let job = TestJob::new(
        fixture.folder.path(),
        Behavior { waits: items.to_vec(), ..Behavior::default() },
    );
    let connection = Connection::connect(fixture.options(), true).unwrap();
    let none = Shutdown::default();
    let (started_count, summary, after, found) = std::thread::scope(|scope| {
        let run = scope.spawn(|| run_batch(&fixture.queue(), &job, &items, &*fixture.store));
        let worker = scope
            .spawn(|| run_worker(fixture.options(), &*fixture.store, fixture.settings("a"), &none));
        let started = Instant::now();
        while job.started() == 0 && started.elapsed() < TIMEOUT {
            std::thread::sleep(Duration::from_millis(5));
        }
        let drain = scope.spawn(|| connection.drain(None, TIMEOUT));
        // Long enough for several orders.
        std::thread::sleep(Duration::from_secs(2));
        job.repair();
        let summary = worker.join().unwrap().unwrap();
        assert_eq!(drain.join().unwrap().unwrap(), []);
        let (started_count, after) = (job.started(), fixture.jobs());
        let (found, _) = fixture.with_workers(&[fixture.settings("b")], || run.join().unwrap());
        (started_count, summary, after, found)
    });
    assert_eq!(found.unwrap(), alone(&job, &items));
    let done = after.iter().filter(|job| job.done && job.worker == "a").count();
    assert!((1..items.len()).contains(&started_count), "it took no more: {started_count}");
    assert_eq!((summary.jobs, done), (started_count as u64, started_count), "{after:?}");
    let jobs = fixture.jobs();
    assert!(jobs.iter().all(|job| job.losses == 0 && job.attempts == 0), "{jobs:?}");
}

/// A job may be given back more often than its worker may be lost.
#[test]
fn a_job_that_is_given_back_is_not_a_loss() {
    let fixture = Fixture::new();
    let job =
        TestJob::new(fixture.folder.path(), Behavior { waits: vec![0], ..Behavior::default() });
    let found = std::thread::scope(|scope| {
        let run = scope.spawn(|| run_batch(&fixture.queue(), &job, &[0], &*fixture.store));
        for round in 1..=JobRecord::MAX_LOSSES as usize + 2 {
            let shutdown = Shutdown::default();
            let (asked, options) = (shutdown.clone(), fixture.options());
            let (store, settings) = (&fixture.store, fixture.settings("a"));
            let worker = scope.spawn(move || run_worker(options, &**store, settings, &asked));
            let started = Instant::now();
            while job.started() < round && !run.is_finished() && started.elapsed() < TIMEOUT {
                std::thread::sleep(Duration::from_millis(5));
            }
            shutdown.signal();
            shutdown.signal();
            worker.join().unwrap().unwrap();
        }
        job.repair();
        fixture.with_workers(&[fixture.settings("b")], || run.join().unwrap()).0
    });
    assert_eq!(found.unwrap(), alone(&job, &[0]));
    let jobs = fixture.jobs();
    assert!(jobs.iter().all(|job| job.losses == 0), "{jobs:?}");
}

/// Write access to the queue alone decides nothing: messages that disagree with the store are
/// discarded.
#[test]
fn messages_that_disagree_with_the_store_are_discarded() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior::default());
    let bad = TestJob::new(fixture.folder.path(), Behavior { bad: vec![0], ..Behavior::default() });
    let url = fixture.server.url();
    let found = std::thread::scope(|scope| {
        let run = scope.spawn(|| run_batch(&fixture.queue(), &job, &[0], &*fixture.store));
        let other = scope.spawn(|| {
            let batch = Batch::new("other", "1", &[0], &bad).with_store(Some(&*fixture.store));
            fixture.queue().run_batch(&batch, &mut |_| ControlFlow::Continue(()))
        });
        let started = Instant::now();
        while fixture.jobs().len() < 2 && started.elapsed() < TIMEOUT {
            std::thread::sleep(Duration::from_millis(5));
        }
        let jobs = fixture.jobs();
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
            test_job::forge(&url, number, payload);
        }
        let workers = ["a", "b"].map(|name| fixture.settings(name));
        let (found, _) = fixture.with_workers(&workers, || {
            assert!(other.join().unwrap().is_err(), "a bad item");
            let started = Instant::now();
            let discarded = || {
                let messages = fixture.messages.lock().unwrap();
                messages.iter().filter(|message| message.ends_with("message discarded")).count()
            };
            while discarded() < 6 && started.elapsed() < TIMEOUT {
                std::thread::sleep(Duration::from_millis(20));
            }
            assert_eq!(discarded(), 6, "{:?}", fixture.messages);
            run.join().unwrap()
        });
        found
    });
    assert_eq!(found.unwrap(), alone(&job, &[0]));
    let jobs = fixture.jobs();
    let ours = jobs.iter().find(|job| job.run == "run").unwrap();
    assert_eq!((ours.attempts, ours.losses, ours.error.as_str()), (0, 0, ""), "{ours:?}");
    assert!(!fixture.has_logged("\u{1b}"), "{:?}", fixture.messages);
}

/// The server delivers a job without limit, so that workers count its losses and the run is
/// informed.
#[test]
fn a_job_that_is_refused_a_hundred_times_is_not_stranded() {
    let fixture = Fixture::new();
    let job = TestJob::new(fixture.folder.path(), Behavior::default());
    drop(Connection::connect(fixture.options(), true).unwrap());
    test_job::limit_deliveries(&fixture.server.url());
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (has_ended, error) = std::thread::scope(|scope| {
        let flag = stop.clone();
        let run = scope.spawn(|| {
            let batch = Batch::new("run", "1", &[1], &job).with_store(Some(&*fixture.store));
            let batch = batch.stopped_by(flag);
            fixture.queue().run_batch(&batch, &mut |_| ControlFlow::Continue(()))
        });
        test_job::refuse(&fixture.server.url(), 101);
        let (has_ended, _) = fixture.with_workers(&[fixture.settings("a")], || {
            let started = Instant::now();
            while !run.is_finished() && started.elapsed() < TIMEOUT / 2 {
                std::thread::sleep(Duration::from_millis(20));
            }
            run.is_finished()
        });
        stop.store(true, Relaxed);
        (has_ended, run.join().unwrap().err())
    });
    assert!(has_ended, "the job is stranded");
    let error = error.unwrap().to_string();
    assert!(error.contains("its worker was lost"), "{error}");
}

#[test]
fn workers_are_listed_and_drained() {
    let fixture = Fixture::new();
    let shutdown = Shutdown::default();
    let connection = Connection::connect(fixture.options(), true).unwrap();
    assert_eq!(connection.status(&*fixture.store).unwrap().workers, []);
    std::thread::scope(|scope| {
        let settings = WorkerSettings { threads: 3, ..fixture.settings("ada") };
        let worker =
            scope.spawn(|| run_worker(fixture.options(), &*fixture.store, settings, &shutdown));
        let started = Instant::now();
        let state = loop {
            let state = connection.status(&*fixture.store).unwrap();
            if !state.workers.is_empty() {
                break state;
            }
            assert!(started.elapsed() < TIMEOUT);
        };
        assert_eq!((state.workers[0].name.as_str(), state.workers[0].threads), ("ada", 3));
        assert!(
            !connection
                .drain(Some("bob"), Duration::ZERO)
                .unwrap()
                .iter()
                .any(|it| it.name == "ada")
        );
        assert_eq!(connection.drain(None, TIMEOUT).unwrap(), []);
        worker.join().unwrap().unwrap();
    });
}

#[test]
fn credentials_give_access() {
    let realm = Realm::new();
    let fixture =
        Fixture::with(&ServerOptions { more: realm.configuration.clone(), ..Default::default() });
    let quick = QueueOptions { retry_timeout: Duration::from_secs(5), ..fixture.options() };
    let refused = NatsQueue::connect(quick, fixture.store.clone()).err().unwrap().to_string();
    assert!(refused.contains("access denied"), "{refused}");
    let file = fixture.folder.path().join("user.creds");
    let with_file = || QueueOptions { credentials: Some(file.clone()), ..fixture.options() };
    let missing = NatsQueue::connect(with_file(), fixture.store.clone()).err().unwrap().to_string();
    assert!(missing.contains("user.creds"), "{missing}");
    realm.write(&file);
    NatsQueue::connect(with_file(), fixture.store.clone()).unwrap();
}
