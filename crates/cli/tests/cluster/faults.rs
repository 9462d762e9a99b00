//! Faults: workers that hang, servers that are down, forged jobs, and clients without access.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::ask;
use crate::machines::Machines;
use crate::processes::Program;
use crate::servers::nats::{Options, Tls};
use crate::sharing::{GAMES, cup, stop_workers, table};
use crate::{TIMEOUT, nats};

/// Waits until the first job of the only run is done and others are still open.
fn wait_until_under_way(machines: &Machines) {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let status = machines.status();
        let run = &status["runs"][0];
        if run["done"].as_u64().is_some_and(|done| done > 0) {
            assert!(run["open"].as_u64().is_some_and(|open| open > 0), "too late: {status}");
            return;
        }
        assert!(Instant::now() < deadline, "{status}");
    }
}

/// A worker that is stopped in the middle of a job loses it to another worker. When it continues
/// and finishes the job, no game counts twice.
#[test]
fn a_worker_that_hangs_loses_its_lease() {
    let machines = Machines::new();
    machines.write("cup.toml", &cup("cup"));
    let alone = machines.run_locally("tournament cup.toml --json");
    let hanging = machines.worker("hanging");
    machines.wait_for_workers(1);
    let mut run = machines.run("tournament cup.toml --json");
    wait_until_under_way(&machines);
    hanging.signal("STOP");
    let other = machines.worker("other");
    let shared = run.wait(TIMEOUT);
    assert_eq!(table(&shared), table(&alone));
    hanging.signal("CONT");
    stop_workers(vec![hanging, other]);
    let event: Value = serde_json::from_str(&shared.stdout).unwrap();
    assert_eq!(machines.games(event["event"].as_str().unwrap()).len(), GAMES);
}

#[test]
fn programs_wait_for_a_queue_that_is_down_at_the_start() {
    let mut machines = Machines::new();
    machines.nats.kill().unwrap();
    let play = "match tictactoe random random --games 20 --json";
    let mut limited = machines.run(&format!("{play} --queue-wait 1s"));
    let answer = limited.wait(TIMEOUT);
    assert_eq!(answer.code, 1);
    let last = answer.stderr.lines().last().unwrap();
    assert!(
        last.contains("cannot be reached") && last.contains("is nats-server running"),
        "{last}"
    );
    let (mut worker, mut run) = (machines.worker("ada"), machines.run(play));
    worker.wait_for("retrying", TIMEOUT);
    run.wait_for("retrying", TIMEOUT);
    machines.nats.start_again().unwrap();
    let answer = run.wait(TIMEOUT);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    stop_workers(vec![worker]);
}

#[test]
fn a_run_survives_a_restart_of_the_database() {
    let mut machines = Machines::new();
    machines.write("cup.toml", &cup("cup"));
    let alone = machines.run_locally("tournament cup.toml --json");
    let workers = vec![machines.worker("ada"), machines.worker("bob")];
    machines.wait_for_workers(2);
    let mut run = machines.run("tournament cup.toml --json");
    wait_until_under_way(&machines);
    machines.postgres.restart().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    machines.postgres.kill().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    machines.postgres.start_again().unwrap();
    let shared = run.wait(TIMEOUT);
    assert_eq!(table(&shared), table(&alone));
    stop_workers(workers);
}

#[test]
fn queue_drain_ends_workers() {
    let machines = Machines::new();
    let mut workers = [machines.worker("ada"), machines.worker("bob")];
    machines.wait_for_workers(2);
    let drained = |words: &str| {
        let queue = machines.nats.url();
        let mut words: Vec<&str> = words.split_whitespace().collect();
        words.extend(["--queue", &queue]);
        Program::start(&machines.path_of(""), &words).wait(TIMEOUT)
    };
    assert_eq!(drained("queue drain --worker bob").code, 0);
    assert_eq!(workers[1].wait(TIMEOUT).code, 0);
    assert!(workers[0].is_running());
    let all = drained("queue drain");
    assert_eq!((all.code, all.stdout.trim()), (0, "all workers have exited"), "{}", all.stderr);
    assert_eq!(workers[0].wait(TIMEOUT).code, 0);
}

/// The command line of a match of an external engine against a built-in player.
fn with_engine(engine: &Path) -> String {
    let engine = engine.display();
    format!("match tictactoe external:cmd={engine},protocol=lines random --games 2 --json")
}

fn write_engine(engine: &Path) {
    let script = "#!/bin/sh\nexec TESUJI engine --protocol lines --player random\n";
    std::fs::write(engine, script.replace("TESUJI", env!("CARGO_BIN_EXE_tesuji"))).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(engine, mode).unwrap();
}

/// A worker without `--allow-programs` starts no external engine, and the error of the run names
/// the worker and the option.
#[test]
fn external_engines_need_a_worker_that_allows_them() {
    let machines = Machines::new();
    let ada = machines.worker("ada");
    machines.wait_for_workers(1);
    let engine = machines.path_of("engine");
    write_engine(&engine);
    let refused = machines.run(&with_engine(&engine)).wait(TIMEOUT);
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    let last = refused.stderr.lines().last().unwrap();
    assert!(last.contains("(worker ada)") && last.contains("--allow-programs"), "{last}");
    stop_workers(vec![ada]);
    let bob = machines.start("worker --threads 1 --name bob --cache cache-bob --allow-programs");
    let retried = machines.start("queue retry").wait(TIMEOUT);
    assert_eq!(retried.code, 0, "{}", retried.stderr);
    let allowed = machines.run(&with_engine(&engine)).wait(TIMEOUT);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    stop_workers(vec![bob]);
}

/// Anyone with access to the queue can send a message that names no job of the store. It ends no
/// worker.
#[test]
fn a_forged_job_ends_no_worker() {
    let machines = Machines::new();
    let mut workers = ["ada", "bob", "cyd"].map(|name| machines.worker(name));
    machines.wait_for_workers(3);
    let version = concat!(env!("CARGO_PKG_VERSION"), " (queue 1)");
    let forged = format!(r#"{{"job":"no job","run":"r","brief":"b","version":"{version}"}}"#);
    for number in 0..6 {
        let subject = format!("tesuji.jobs.forged.{number}");
        assert_eq!(ask(machines.nats.address(), &subject, &forged)["stream"], "TESUJI");
    }
    let answer = machines.run("match tictactoe random random --games 20 --json").wait(TIMEOUT);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(workers.iter_mut().all(Program::is_running));
    let output: String = workers.iter().map(Program::output).collect();
    assert!(output.contains("job no job: not in the store"), "{output}");
    stop_workers(workers.into());
}

/// A job that fails three times is set aside with its error; after a repair it can be retried.
#[test]
fn a_failing_job_is_set_aside_until_a_retry() {
    let machines = Machines::new();
    let worker = machines.start("worker --threads 1 --name ada --cache cache-ada --allow-programs");
    machines.wait_for_workers(1);
    let engine = machines.path_of("engine");
    let play = with_engine(&engine);
    // The coordinator's check finds the engine; it is deleted before the worker checks.
    write_engine(&engine);
    worker.signal("STOP");
    let mut run = machines.run(&play);
    let deadline = Instant::now() + TIMEOUT;
    while machines.status()["jobs"] == 0 {
        assert!(Instant::now() < deadline, "{}", run.output());
    }
    std::fs::remove_file(&engine).unwrap();
    worker.signal("CONT");
    let answer = run.wait(TIMEOUT);
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    let last = answer.stderr.lines().last().unwrap();
    assert!(last.contains("failed too often") && last.contains("tesuji queue retry"), "{last}");
    let status = machines.status();
    assert!(status["runs"][0]["poisoned"].as_u64().unwrap() > 0, "{status}");
    assert!(status["runs"][0]["error"].as_str().unwrap().contains("engine"), "{status}");
    write_engine(&engine);
    let retried = machines.start("queue retry").wait(TIMEOUT);
    assert!(retried.stdout.contains("will be retried"), "{}", retried.stderr);
    let again = machines.run(&play).wait(TIMEOUT);
    assert_eq!(again.code, 0, "{}", again.stderr);
    stop_workers(vec![worker]);
}

#[test]
fn a_worker_of_another_version_is_refused() {
    let machines = Machines::new();
    let stream = r#"{"name":"TESUJI","subjects":["tesuji.jobs.>"],"storage":"file",
        "retention":"workqueue","metadata":{"tesuji-version":"0.0.1"}}"#
        .replace('\n', "");
    let made = ask(machines.nats.address(), "$JS.API.STREAM.CREATE.TESUJI", &stream);
    assert_eq!(made["config"]["name"], "TESUJI", "{made}");
    let answer = machines.worker("ada").wait(TIMEOUT);
    assert_eq!(answer.code, 1);
    let last = answer.stderr.lines().last().unwrap();
    let version = concat!("expected tesuji ", env!("CARGO_PKG_VERSION"));
    assert!(last.contains("belongs to tesuji 0.0.1") && last.contains(version), "{last}");
}

#[test]
fn a_queue_with_a_token_and_tls_requires_both() {
    let folder = tempfile::tempdir().unwrap();
    let tls = Tls::make(folder.path()).unwrap();
    let certificate = tls.certificate.to_str().unwrap().to_string();
    let token = Some("s3cret".to_string());
    let server = nats(&Options { token, tls: Some(tls), ..Options::default() });
    let start = |queue: &str, ca: bool, verb: &str| {
        let mut words: Vec<&str> = verb.split_whitespace().collect();
        words.extend(["--queue", queue, "--store", "shared.db", "--queue-wait", "5s"]);
        if ca {
            words.extend(["--queue-ca", &certificate]);
        }
        Program::start(folder.path(), &words)
    };
    let address = format!("localhost:{}", server.address().port());
    let worker = "worker --threads 1 --cache cache";
    let without_token = start(&format!("tls://{address}"), true, worker).wait(TIMEOUT);
    assert_eq!(without_token.code, 1);
    assert!(without_token.stderr.contains("access denied"), "{}", without_token.stderr);
    let trusted = format!("tls://s3cret@{address}");
    let without_ca = start(&trusted, false, worker).wait(TIMEOUT);
    assert_eq!(without_ca.code, 1);
    assert!(without_ca.stderr.contains("--queue-ca"), "{}", without_ca.stderr);
    let worker = start(&trusted, true, worker);
    let play = "match tictactoe random random --games 20 --json";
    let answer = start(&trusted, true, play).wait(TIMEOUT);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!(answer.stderr + &answer.stdout + &worker.output()).contains("s3cret"));
    stop_workers(vec![worker]);
}
