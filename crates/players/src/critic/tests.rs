use std::path::{Path, PathBuf};

use super::*;
use crate::opened;
use tesuji_games::random::seeded;
use tesuji_games::{GameLine, Notation, Position, Score};
use tesuji_play::{PlayerSpec, Turn};
use tesuji_search::Limits;

/// Five in a row on a rectangular board.
const GOMOKU: &str = "mnk:11x9,k=5";

/// A folder with an untrained critic.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        std::fs::write(folder.critic(), Critic::random_init(1).to_bytes()).unwrap();
        folder
    }

    fn critic(&self) -> PathBuf {
        self.0.path().join("critic.net")
    }

    fn player(&self, name: &str, options: &str) -> PlayerSpec {
        let file = self.critic();
        crate::player(&format!("{name}:file={}{options}", file.display())).unwrap()
    }

    /// Returns every kind of player with a short search.
    fn players(&self) -> Vec<PlayerSpec> {
        [
            ("critic", ""),
            ("critic-mcts", ",sims=10"),
            ("critic-mcts", ",lambda=0,top=2,leaf=playout,sims=2"),
            ("critic-puct", ",sims=8"),
            ("critic-puct", ",prior=even,value=reply,c=2,temperature=0.5,sims=8"),
        ]
        .map(|(name, options)| self.player(name, options))
        .to_vec()
    }
}

/// Plays a game against random moves and checks that every move is legal.
fn plays_through(spec: &PlayerSpec, game: &str, seed: u64) {
    let opened = opened(game);
    let mut player = spec.build(&PlayerContext::new(&opened, seed)).unwrap();
    let (mut line, mut rng) = (GameLine::new(opened.start().clone()), seeded(seed));
    while line.end.outcome().is_none() {
        let own_turn = line.moves.len() as u64 % 2 == seed % 2;
        let m = match own_turn {
            true => player.choose(&line, &Turn::default()).unwrap().m,
            false => line.end.random_move(&mut rng),
        };
        line.play(m).unwrap_or_else(|error| panic!("{spec} {game} {seed}: {error}"));
    }
}

#[test]
fn every_player_plays_legal_games_by_every_rule() {
    let folder = Folder::new();
    for spec in folder.players() {
        for seed in 0..2 {
            for game in [GOMOKU, "renju:9x9", "mnk:8x8,k=6,p=2,q=1", "connect4"] {
                plays_through(&spec, game, seed);
            }
        }
    }
}

fn chosen(spec: &PlayerSpec, moves: &str) -> (String, Score) {
    let game = opened(GOMOKU);
    let mut player = spec.build(&PlayerContext::new(&game, 1)).unwrap();
    let line = game.line(moves).unwrap();
    let choice = player.choose(&line, &Turn::default()).unwrap();
    (line.end.move_text(choice.m), choice.score().unwrap())
}

#[test]
fn rows_are_made_and_stopped() {
    let folder = Folder::new();
    for spec in folder.players() {
        assert_eq!(chosen(&spec, "b2a9 c2c9 d2e9 e2a2 k1").0, "f2", "{spec}");
        let won = chosen(&spec, "b2a9 c2c9 d2e9 e2a2 k1k9");
        assert_eq!(won, ("f2".to_string(), Score::win_in(1)), "{spec}");
    }
}

#[test]
fn an_analysis_values_every_move() {
    let folder = Folder::new();
    let game = opened(GOMOKU);
    let position = game.line("b2a9 c2c9 d2e9 e2a2 k1").unwrap().end;
    let context = PlayerContext::new(&game, 1);
    for spec in folder.players() {
        let given = Limits::default();
        let found = tesuji_play::analyze(&position, &spec, &given, &context, &mut |_| {}).unwrap();
        assert_eq!(found.moves.len(), position.move_count(), "{spec}");
        assert_eq!(position.move_text(found.moves[0].m), "f2", "{spec}");
        assert_eq!(found.moves[1].score, Some(Score::loss_in(2)), "{spec}");
    }
}

#[test]
fn options_that_cannot_be_are_refused() {
    for (text, words) in [
        ("critic:depth=2", "unknown option 'depth'"),
        ("critic:sims=2", "unknown option 'sims'"),
        ("critic:file=a.net,model=b", "a file or a model, not both"),
        ("critic-mcts:lambda=1.5", "a number from 0 to 1"),
        ("critic-mcts:top=0", "a whole number from 1 to 1000"),
        ("critic-mcts:leaf=random", "one of critic, playout"),
        ("critic-puct:prior=odd", "one of critic, even"),
        ("critic-puct:value=none", "one of critic, reply, playout"),
        ("critic-puct:temperature=0", "a number from 0.05 to 100"),
        ("critic-puct:c=-1", "a number from 0 to 100"),
        ("critic-puct:sims=0", "a whole number from 1"),
        ("critic-mct", "did you mean 'critic-mcts'"),
    ] {
        let error = crate::player(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

fn refusal(spec: &PlayerSpec, game: &str) -> String {
    let error = spec.build(&PlayerContext::new(&opened(game), 1)).err().unwrap().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn games_and_files_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let critic = folder.player("critic", "");
    let error = refusal(&critic, "othello");
    assert!(error.contains("RowPosition") && error.contains("gomoku"), "{error}");
    let error = refusal(&critic, "mnk:15x15,k=9");
    assert!(error.contains("expected 3 to 8"), "{error}");

    let file = |name: &str| folder.0.path().join(name);
    let with = |path: &Path| crate::player(&format!("critic:file={}", path.display())).unwrap();
    let error = refusal(&with(&file("none.net")), "gomoku");
    assert!(error.contains("none.net"), "{error}");
    std::fs::write(file("junk.net"), "no network").unwrap();
    assert!(refusal(&with(&file("junk.net")), "gomoku").contains("junk.net"));
    let layers =
        [tesuji_learn::network::Layer::dense(1, tesuji_learn::network::Activation::Sigmoid)];
    let other = Network::new(Critic::input(), &layers, 1).unwrap();
    std::fs::write(file("other.net"), other.to_bytes()).unwrap();
    let error = refusal(&with(&file("other.net")), "gomoku");
    assert!(error.contains("not a critic"), "{error}");

    let error = refusal(&crate::player("critic:model=best").unwrap(), "gomoku");
    assert!(error.contains("invalid model 'best'"), "{error}");
    let error = refusal(&crate::player("critic-puct").unwrap(), "connect4");
    assert!(error.contains("none is shipped"), "{error}");
}

#[test]
fn shipped_critics_play_boards_of_any_size() {
    for shipped in SHIPPED_CRITICS {
        let spec: PlayerSpec = crate::player(&format!("critic:model={}", shipped.name)).unwrap();
        plays_through(&spec, GOMOKU, 1);
    }
    let built = crate::player("critic").unwrap();
    let built = built.build(&PlayerContext::new(&opened(GOMOKU), 1));
    assert_eq!(built.is_ok(), !SHIPPED_CRITICS.is_empty());
}
