//! Command lines of processes do not contain the password of the database.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::machines::Machines;
use crate::processes::Program;
use crate::terminal::CommandOutput;
use crate::{TIMEOUT, postgres};

/// Runs `tesuji` with these variables and without other sources of a password.
fn tesuji(folder: &Path, words: &str, environment: &[(&str, &str)]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(words.split_whitespace()).current_dir(folder);
    for name in ["PGPASSWORD", "PGPASSFILE", "TESUJI_STORE", "TESUJI_QUEUE"] {
        command.env_remove(name);
    }
    command.env("HOME", folder).envs(environment.iter().copied());
    Program::spawn(command)
}

/// The URL without its password, and the password.
fn split_password(url: &str) -> (String, String) {
    let (user, rest) = url.strip_prefix("postgres://").unwrap().split_once(':').unwrap();
    let (password, host) = rest.split_once('@').unwrap();
    (format!("postgres://{user}@{host}"), password.to_string())
}

#[test]
fn passwords_come_from_the_same_sources_as_in_libpq() {
    let (server, folder) = (postgres(), tempfile::tempdir().unwrap());
    let (url, password) = split_password(&server.url());
    let play = format!("match tictactoe random random --games 2 --json --store {url}");
    let played = |environment: &[(&str, &str)]| -> CommandOutput {
        let answer = tesuji(folder.path(), &play, environment).wait(TIMEOUT);
        assert!(!(answer.stdout.clone() + &answer.stderr).contains(&password));
        answer
    };
    assert_ne!(played(&[]).code, 0, "the server requires a password");
    assert_ne!(played(&[("PGPASSWORD", "wrong")]).code, 0);
    let answer = played(&[("PGPASSWORD", &password)]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let line = format!("127.0.0.1:{}:*:tesuji:{password}\n", server.port());
    for (name, variable) in [(".pgpass", None), ("elsewhere", Some("PGPASSFILE"))] {
        let path = folder.path().join(name);
        let environment = variable.map(|variable| (variable, path.to_str().unwrap()));
        fs::write(&path, &line).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let refused = played(environment.as_slice());
        assert_ne!(refused.code, 0);
        assert!(refused.stderr.contains("expected mode 600"), "{}", refused.stderr);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let answer = played(environment.as_slice());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        fs::remove_file(&path).unwrap();
    }
}

/// Coordinator and worker get the store from the environment.
#[test]
fn command_lines_of_processes_do_not_contain_the_password() {
    let machines = Machines::new();
    let (store, queue) = (machines.postgres.url(), machines.nats.url());
    let (_, password) = split_password(&store);
    let environment = [("TESUJI_STORE", store.as_str()), ("TESUJI_QUEUE", queue.as_str())];
    let folder = machines.path_of("");
    let mut worker = tesuji(&folder, "worker --threads 1 --cache cache", &environment);
    machines.wait_for_workers(1);
    let play = "match connect4 mcts:sims=2000 random --games 20 --json --job-time 200ms";
    let mut run = tesuji(&folder, play, &environment);
    let deadline = Instant::now() + TIMEOUT;
    while machines.status()["runs"].as_array().is_none_or(Vec::is_empty) {
        assert!(Instant::now() < deadline, "{}", run.output());
    }
    let lines = command_lines();
    assert!(lines.iter().any(|line| line.contains("mcts:sims=2000")), "{lines:?}");
    // Other tests run at the same time, with other passwords.
    let seen: Vec<&String> = lines.iter().filter(|line| line.contains(&password)).collect();
    assert!(seen.is_empty(), "{seen:?}");
    let answer = run.wait(TIMEOUT);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    worker.signal("TERM");
    assert_eq!(worker.wait(TIMEOUT).code, 0);
}

/// The command lines of all processes, as `ps` shows them.
fn command_lines() -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .collect()
}
