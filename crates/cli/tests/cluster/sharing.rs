//! Work that is shared among workers gives the same results as in one process.

use serde_json::Value;

use crate::TIMEOUT;
use crate::machines::Machines;
use crate::processes::Program;
use crate::terminal::CommandOutput;

/// A tournament of a few seconds.
pub(crate) fn cup(name: &str) -> String {
    format!(
        "name = \"{name}\"\ngame = \"connect4\"\npairs = 12\nseed = 3\n\
         openings = {{ random-plies = 4 }}\n\
         players = [\"random\", \"alphabeta:depth=7\", \"alphabeta:depth=8\", \"mcts:sims=3000\"]\n"
    )
}

/// The games of the tournament: six pairings of twelve pairs.
pub(crate) const GAMES: usize = 144;

/// An evolution of a few seconds.
pub(crate) const EVOLUTION: &str = "\
game = \"mnk:6x6,k=4\"\nseed = 5\nthreads = 1\n\
[forest]\ntrees = 6\nattributes = 5\nwindow = 5\n\
[evolution]\npopulation = 4\nlargest = 8\nfitness = \"both\"\n\
[evolution.scenarios]\ncount = 4\ngames = 2\n\
[search]\ndepth = 4\n[stop]\niterations = 4\n\
[data]\nrandom = 40\nmixed = 40\nheuristic = 40\nopenings = 2\n";

/// The output of a tournament, without fields that may differ, such as the number of games that
/// were in the store before.
pub(crate) fn table(answer: &CommandOutput) -> Value {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let mut table: Value = serde_json::from_str(&answer.stdout).unwrap();
    for field in ["resumed", "event", "name"] {
        table.as_object_mut().unwrap().remove(field);
    }
    table
}

/// Ends workers with SIGTERM and waits for them. Returns the number of jobs of each.
pub(crate) fn stop_workers(mut workers: Vec<Program>) -> Vec<u64> {
    let jobs = |worker: &mut Program| {
        worker.signal("TERM");
        let answer = worker.wait(TIMEOUT);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let jobs = answer.stdout.split_once(" jobs done");
        jobs.unwrap_or_else(|| panic!("{}", answer.stdout)).0.parse().unwrap()
    };
    workers.iter_mut().map(jobs).collect()
}

#[test]
fn two_workers_finish_a_tournament() {
    let machines = Machines::new();
    machines.write("cup.toml", &cup("cup"));
    let alone = machines.run_locally("tournament cup.toml --json");
    let workers = vec![machines.worker("ada"), machines.worker("bob")];
    machines.wait_for_workers(2);
    let shared = machines.run("tournament cup.toml --json").wait(TIMEOUT);
    assert_eq!(table(&shared), table(&alone));
    let event: Value = serde_json::from_str(&shared.stdout).unwrap();
    let event = event["event"].as_str().unwrap();
    let games = machines.games(event);
    assert_eq!(games.len(), GAMES);
    assert_eq!(games, machines.local_games(event), "all games are equal");
    let status = machines.status();
    assert_eq!((&status["jobs"], &status["runs"][0]["open"]), (&0.into(), &0.into()), "{status}");
    assert!(stop_workers(workers).iter().all(|jobs| *jobs > 0), "every worker played");
}

/// An extended tournament plays the new games, wherever they are in the schedule.
#[test]
fn an_extended_tournament_is_resumed() {
    let machines = Machines::new();
    let _worker = machines.worker("ada");
    let short = cup("cup").replace("\"alphabeta:depth=8\", ", "");
    machines.write("cup.toml", &short.replace("pairs = 12", "pairs = 1"));
    let first = machines.run("tournament cup.toml --json").wait(TIMEOUT);
    assert_eq!(first.code, 0, "{}", first.stderr);
    machines.write("cup.toml", &cup("cup"));
    let longer = machines.run("tournament cup.toml --json").wait(TIMEOUT);
    assert_eq!(table(&longer), table(&machines.run_locally("tournament cup.toml --json")));
}

/// One process and four workers evolve the same forests, byte for byte.
#[test]
fn four_workers_evolve_the_forests_of_one() {
    let machines = Machines::new();
    machines.write("forest.toml", EVOLUTION);
    machines.run_locally("train forest.toml --out alone");
    let workers = ["a", "b", "c", "d"].map(|name| machines.worker(name));
    let shared = machines.run("train forest.toml --out shared").wait(TIMEOUT);
    assert_eq!(shared.code, 0, "{}", shared.stderr);
    for file in ["best.xml", "checkpoint", "models/step-0002.xml"] {
        let of = |folder: &str| machines.read(&format!("{folder}/{file}"));
        assert!(of("shared") == of("alone"), "{file}");
    }
    stop_workers(workers.into());
}

#[test]
fn a_sequential_test_stops_after_the_same_pair() {
    let machines = Machines::new();
    let _workers = [machines.worker("ada"), machines.worker("bob")];
    let play = "match tictactoe heuristic random --games 400 --sprt 0,100 --random-plies 1 --json";
    let result = |answer: CommandOutput| {
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let all: Value = serde_json::from_str(&answer.stdout).unwrap();
        (all["result"]["tally"].clone(), all["result"]["sprt"]["verdict"].clone())
    };
    let shared = result(machines.run(play).wait(TIMEOUT));
    assert_eq!(shared, result(machines.run_locally(play)));
}

#[test]
fn training_benchmarks_and_books_can_be_shared() {
    let machines = Machines::new();
    let workers = vec![machines.worker("ada"), machines.worker("bob")];
    let critic = "learner = \"critic\"\ngame = \"mnk:7x7,k=4\"\nseed = 2\nthreads = 1\n\
                  [learning]\ngames = 60\nblock = 30\nbatch = 20\n[measure]\ngames = 4\n";
    machines.write("critic.toml", critic);
    machines.run_locally("train critic.toml --out critic-alone");
    let shared = machines.run("train critic.toml --out critic-shared").wait(TIMEOUT);
    assert_eq!(shared.code, 0, "{}", shared.stderr);
    let bytes = |folder: &str| std::fs::read(machines.path_of(folder).join("last.net")).unwrap();
    assert_eq!(bytes("critic-shared"), bytes("critic-alone"));

    let bench = "gem bench greedy --level 1 --games 12 --json";
    let of = |answer: CommandOutput| {
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let all: Value = serde_json::from_str(&answer.stdout).unwrap();
        ["wins", "mean_moves", "mean_score", "games"].map(|field| all[field].clone())
    };
    let shared = of(machines.run(bench).wait(TIMEOUT));
    assert_eq!(shared, of(machines.run_locally(bench)));

    machines.run_locally("book build connect4:5x4 alone.book --plies 4");
    let shared = machines.run("book build connect4:5x4 shared.book --plies 4").wait(TIMEOUT);
    assert_eq!(shared.code, 0, "{}", shared.stderr);
    let book = |name: &str| std::fs::read(machines.path_of(name)).unwrap();
    assert_eq!(book("shared.book"), book("alone.book"));
    stop_workers(workers);
}

/// Only the coordinator's folder has the player's file.
#[test]
fn files_of_players_are_sent_to_workers() {
    let machines = Machines::new();
    machines.write("forest.toml", EVOLUTION);
    machines.run_locally("train forest.toml --out evolved --iterations 1");
    let play = "match mnk:6x6,k=4 forest:file=evolved/best.xml,depth=1 random --games 10 --json";
    let elsewhere = tempfile::tempdir().unwrap();
    let (queue, store) = (machines.nats.url(), machines.postgres.url());
    let words = ["worker", "--threads", "1", "--cache", "c", "--queue", &queue, "--store", &store];
    let _worker = Program::start(elsewhere.path(), &words);
    let moves = |answer: CommandOutput| {
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let all: Value = serde_json::from_str(&answer.stdout).unwrap();
        let games = all["result"]["games"].as_array().unwrap().clone();
        games.iter().map(|game| game["moves"].to_string()).collect::<Vec<_>>()
    };
    let shared = moves(machines.run(play).wait(TIMEOUT));
    assert_eq!(shared, moves(machines.run_locally(play)));
}
