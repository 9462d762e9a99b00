//! Exercises against players of the arena come out the same on other machines.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tesuji_arena::{Programs, rivals};
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
        rivals: rivals(&tesuji_builtin::registry(), Programs::Refused),
        queue,
        stop: Arc::default(),
    };
    let solved = training.run(&mut |_| {}).unwrap().last.unwrap().solved;
    assert!(solved.is_some_and(|share| share > 0.0), "{solved:?}");
    ["best.xml", "checkpoint.json"].map(|file| fs::read_to_string(path.join(file)).unwrap())
}

#[test]
fn rivals_are_made_by_name_and_play_cells() {
    let rivals = rivals(&tesuji_builtin::registry(), Programs::Refused);
    // The cells of a game so far, and the one with which the first side wins.
    for (game, cells, wins) in [
        ("tictactoe", &[0, 1, 3, 4][..], 6),
        ("connect4", &[36, 35, 37, 28, 38, 21], 39),
        ("mnk:4x3,k=3", &[0, 1, 4, 5], 8),
    ] {
        let make = rivals(game, "alphabeta:depth=2").unwrap_or_else(|error| panic!("{error}"));
        let (mut one, mut other) = (make().unwrap(), make().unwrap());
        one.new_game(1);
        other.new_game(2);
        assert_eq!((one.choose(cells), other.choose(cells)), (Ok(wins), Ok(wins)), "{game}");
        assert!(one.choose(&[0, 0]).is_err(), "{game}: no such game");
    }
}

#[test]
fn a_rival_that_cannot_be_is_refused_in_one_line() {
    let registry = tesuji_builtin::registry();
    let error = |programs, game, player| {
        let error = rivals(&registry, programs)(game, player).err().unwrap();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    for programs in [Programs::Refused, Programs::Allowed] {
        assert!(error(programs, "tictactoe", "nobody").contains("unknown player 'nobody'"));
        assert!(error(programs, "no-game", "random").contains("unknown game 'no-game'"));
        assert!(error(programs, "tictactoe", "gomoku").contains("'tictactoe' is another game"));
        assert!(error(programs, "tictactoe", "human").contains("needs nobody"));
    }
    let refused = error(Programs::Refused, "tictactoe", "external:cmd=cat");
    assert!(refused.contains("--allow-programs"), "{refused}");
    assert!(rivals(&registry, Programs::Allowed)("tictactoe", "external:cmd=cat").is_ok());
}

#[test]
fn rivals_play_the_same_on_other_machines() {
    let place = tempfile::tempdir().unwrap();
    let arena = tesuji_arena::tasks(&tesuji_builtin::registry(), Programs::Refused);
    let tasks = Tasks::new(tesuji_learn::tasks().into_iter().chain(arena));
    let here = evolved(&place.path().join("here"), Arc::new(Pool::new(2)));
    let elsewhere = evolved(&place.path().join("elsewhere"), Arc::new(Elsewhere::new(tasks)));
    assert_eq!(here, elsewhere);
}
