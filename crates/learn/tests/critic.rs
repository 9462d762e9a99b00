//! Runs of a critic: every setting works for every kind of game; divergence is detected, and the
//! run can be resumed.

use std::fs;

use tesuji_learn::critic::Critic;
use tesuji_learn::learner;
use tesuji_learn::network::Network;
use tesuji_train::RunSettings;

use crate::run::{self, NO_PLAYERS, train, with};

fn settings(game: &str, games: i64) -> RunSettings {
    run::settings(&format!(
        "learner = 'critic'\ngame = '{game}'\n[learning]\ngames = {games}\nbatch = 8\nblock = 20\n\
         [opponents]\nevery = 10\n"
    ))
}

#[test]
fn every_setting_works_for_every_kind_of_game() {
    for game in ["tictactoe", "connect4", "mnk:7x6,k=4", "connect6:9x9"] {
        for (target, explore) in [("next", "greedy"), ("reply", "softmax")] {
            let mut settings = settings(game, 12);
            for (key, value) in [
                ("learning.target", target),
                ("play.explore", explore),
                ("learning.sides", "played"),
                ("learning.exploratory_moves", "follow"),
                ("learning.positions", "quiet"),
            ] {
                settings = with(&settings, key, value);
            }
            let folder = tempfile::tempdir().unwrap();
            train(folder.path(), &with(&settings, "learning.width", 2)).unwrap();
            let network = fs::read(folder.path().join("best.net")).unwrap();
            let network = Network::from_bytes(&network).unwrap();
            assert!(Critic::new(network).is_ok(), "{game}");
        }
    }
}

#[test]
fn divergence_is_detected_and_the_run_can_be_resumed() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let stable = settings("mnk:9x9,k=5", 60);
    run::train_until(folder.path(), &stable, 4).unwrap();
    let checkpoint = || fs::read(folder.path().join("checkpoint")).unwrap();
    let good = checkpoint();
    // From the first block on, the learning rate is far too large.
    let mut diverging = with(&stable, "learning.rate", 1e3);
    diverging = with(&diverging, "learning.rate_end", 1e3);
    assert_eq!(diverging.difference(&stable), None, "a rate may change");
    let error = train(folder.path(), &with(&diverging, "learning.largest", 20.0)).unwrap_err();
    let text = error.to_string();
    for words in ["diverged after ", "the limit 20", "`learning.rate` (now 1000"] {
        assert!(text.contains(words) && !text.contains('\n'), "{words}: {text}");
    }
    assert_eq!(checkpoint(), good);
    // Large weights alone do not end a run, but a vanishing gradient does.
    let error = train(folder.path(), &with(&diverging, "learning.largest", 1e6)).unwrap_err();
    assert!(error.to_string().contains("0 or 1"), "{error}");
    assert_eq!(checkpoint(), good);
    train(folder.path(), &stable).unwrap();
    train(other.path(), &stable).unwrap();
    assert_eq!(run::results(folder.path(), &stable), run::results(other.path(), &stable));
}

#[test]
fn unsupported_games_are_rejected() {
    let games = tesuji_builtin::registry();
    let check = |settings: &RunSettings| {
        learner("critic").unwrap().check(settings, &games, NO_PLAYERS).map_err(|it| it.to_string())
    };
    let complaint = |settings: &RunSettings| check(settings).unwrap_err();
    assert!(complaint(&settings("othello", 1)).starts_with("game 'othello': "));
    assert!(complaint(&settings("mnk:10x10,k=9", 1)).contains("9 in a row"));
    assert!(complaint(&settings("gomku", 1)).contains("did you mean 'gomoku'"));
    let with_agent = with(&settings("tictactoe", 1), "opponents.alphabeta", 0.5);
    assert!(complaint(&with_agent).starts_with("`opponents.alphabeta`: "));
    let unknown = complaint(&settings("gomoku", 1));
    assert!(unknown.starts_with("`measure.opponents`: player 'heuristic': unknown"), "{unknown}");
}
