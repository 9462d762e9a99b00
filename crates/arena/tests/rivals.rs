//! Exercises against players of the arena come out the same on other machines.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tesuji_arena::{Programs, rivals};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_learn::evolution::scenarios::RivalMaker;
use tesuji_learn::evolution::{Given, RunFolder, RunName, Settings, Training};
use tesuji_queue::rehearsal::Elsewhere;
use tesuji_queue::{Pool, Tasks, WorkQueue};

const RUN: &str = "
game = 'tictactoe'
seed = 4
[forest]
trees = 5
attributes = 4
window = 3
[evolution]
population = 2
fitness = 'scenarios'
[evolution.scenarios]
count = 2
games = 2
rivals = ['alphabeta:depth=2', 'mcts:sims=20']
[search]
depth = 1
[stop]
iterations = 2
[data]
random = 20
mixed = 10
heuristic = 10
";

/// The forest and the checkpoint of a whole run.
fn evolved(path: &Path, queue: Arc<dyn WorkQueue>) -> [String; 2] {
    let settings = Settings::from_toml(RUN).unwrap();
    let given = Given { form: "toml", text: RUN.to_string() };
    let name = RunName { id: "test".to_string(), started_at: 1 };
    let training = Training {
        folder: RunFolder::create(path, &given, &settings.to_toml(), &name).unwrap(),
        store: tesuji_store::open(path.join("samples.db").to_str().unwrap()).unwrap(),
        settings,
        rivals: rivals::maker,
        queue,
        stop: Arc::default(),
    };
    let solved = training.run(&mut |_| {}).unwrap().last.unwrap().solved;
    assert!(solved.is_some_and(|share| share > 0.0), "{solved:?}");
    ["best.xml", "checkpoint.json"].map(|file| fs::read_to_string(path.join(file)).unwrap())
}

#[test]
fn rivals_are_made_for_the_positions_of_their_game() {
    let made = rivals::maker("tictactoe", "alphabeta:depth=2").unwrap();
    let make = made.downcast::<RivalMaker<TicTacToe>>().unwrap();
    assert!(make().is_ok());
    let error = |game, player| rivals::maker(game, player).unwrap_err();
    assert!(error("tictactoe", "nobody").contains("nobody"));
    assert!(error("no-game", "random").contains("no-game"));
}

#[test]
fn rivals_play_the_same_on_other_machines() {
    let place = tempfile::tempdir().unwrap();
    let exercises = rivals::exercises(Programs::Refused);
    let tasks = Tasks::new(tesuji_learn::tasks().into_iter().chain([exercises]));
    let here = evolved(&place.path().join("here"), Arc::new(Pool::new(2)));
    let elsewhere = evolved(&place.path().join("elsewhere"), Arc::new(Elsewhere::new(tasks)));
    assert_eq!(here, elsewhere);
}
