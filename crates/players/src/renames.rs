//! Players and options that were renamed: the old names stay readable, and games keep the
//! identities that they had under them.

use tesuji_play::{Event, GameConditions, Openings, Participant, PlayerKind, ScheduledGame};
use tesuji_store::key::{digest, digest_word};

use crate::{opened, player, roster};

/// An old text, the canonical text before and after the rename, and the digest of a game of this
/// player against `random`, which is a stored format and must not change.
const RENAMED: [[&str; 4]; 6] = [
    ["uct:sims=8", "uct:sims=8", "critic-puct:sims=8", "65ca0a857e60b91b"],
    [
        "negaalphabeta:tt=1M,depth=4",
        "negaalphabeta:depth=4,tt=1M",
        "engine:depth=4,tt=1M",
        "90f25202a7e90ddc",
    ],
    ["report-alphabeta", "report-alphabeta", "fudan-alphabeta", "daca2f297904bba9"],
    ["report-naive:reach=2", "report-naive:reach=2", "fudan-naive:reach=2", "622adf025897fcdb"],
    [
        "report-mcts:seed=1,playouts=2",
        "report-mcts:playouts=2,seed=1",
        "fudan-mcts:playouts=2,seed=1",
        "a2744c8dfc6922d7",
    ],
    [
        "mcts:nodes=5000,sims=8",
        "mcts:sims=8,nodes=5000",
        "mcts:sims=8,tree-nodes=5000",
        "c24b39dc0ae2149b",
    ],
];

/// An event of a player against `random`.
fn event(text: &str) -> Event {
    let participant = |text: &str| Participant::unnamed(player(text).unwrap());
    Event {
        id: "cup".to_string(),
        game: opened("tictactoe"),
        participants: vec![participant("random"), participant(text)],
        openings: Openings::none(),
        conditions: GameConditions::default(),
        seed: 1,
    }
}

fn key(text: &str) -> String {
    event(text).key(&ScheduledGame { players: [0, 1], number: 7, seed: 1 })
}

#[test]
fn old_texts_mean_the_renamed_player() {
    for [old, _, new, _] in RENAMED {
        let (by_old, by_new) = (player(old).unwrap(), player(new).unwrap());
        assert_eq!((by_old.text(), by_old.name()), (new, by_new.name()));
        assert_eq!(by_new.text(), new);
        let facts = [&by_old, &by_new].map(|player| format!("{:?}", player.search_profile()));
        assert_eq!(facts[0], facts[1], "{old}");
    }
}

#[test]
fn games_keep_their_identities() {
    for [old, before, new, golden] in RENAMED {
        let parts = ["game 2", "random", "random", "", before, before, ""];
        assert_eq!(key(old), format!("cup/{}/7", digest(&parts)), "{old}");
        assert_eq!(key(new), key(old));
        assert_eq!(key(old), format!("cup/{golden}/7"), "{old}");
    }
}

/// The seed of a tournament game depends on the texts too.
#[test]
fn games_keep_their_seeds() {
    for [old, before, new, _] in RENAMED {
        let seed = |text: &str| event(text).pairing([0, 1], 0..1).next().unwrap().seed;
        let players = digest_word(&["random", "random", before, before]);
        assert_eq!(seed(old), tesuji_games::bits::mix(1 ^ players), "{old}");
        assert_eq!(seed(new), seed(old));
    }
}

/// The key of a game of a player with a name of its own.
fn named(name: &str, text: &str) -> String {
    let mut event = event(text);
    event.participants[1] = Participant::new(name.to_string(), player(text).unwrap());
    event.key(&ScheduledGame { players: [0, 1], number: 7, seed: 1 })
}

/// A tournament names a player by its text as it is written in the settings, which need not be the
/// canonical text; workers get this name with the canonical text.
#[test]
fn texts_as_names_keep_their_identities() {
    for (old, new, before) in [
        ("uct:c=2,sims=8", "critic-puct:c=2,sims=8", "uct:c=2,sims=8"),
        ("mcts:nodes=5000,sims=8", "mcts:tree-nodes=5000,sims=8", "mcts:sims=8,nodes=5000"),
    ] {
        let parts = ["game 2", "random", "random", "", old, before, ""];
        let expected = format!("cup/{}/7", digest(&parts));
        for text in [old, new, player(new).unwrap().text()] {
            assert_eq!([named(old, text), named(new, text)], [expected.clone(), expected.clone()]);
        }
    }
}

/// Any other name of a player does not change.
#[test]
fn participant_names_stay() {
    let parts = ["game 2", "random", "random", "", "engine room", "negaalphabeta", ""];
    let expected = format!("cup/{}/7", digest(&parts));
    assert_eq!(named("engine room", "engine"), expected);
    assert_eq!(named("engine room", "negaalphabeta"), expected);
}

/// `forest` played weights where they are shipped, before they became the player `weights`. Their
/// games keep their identities under the new name; games of the evolved forest get new ones, except
/// with a file, which determined the model already.
#[test]
fn weights_keep_the_identities_of_forest() {
    for (text, golden) in [
        ("forest:depth=2", "5517a97382844268"),
        ("forest:model=tictactoe-weights", "8dd9decf72f8013b"),
    ] {
        let parts = ["game 2", "random", "random", "", text, text, ""];
        let before = format!("cup/{}/7", digest(&parts));
        assert_eq!(before, format!("cup/{golden}/7"));
        assert_eq!(key(&text.replace("forest", "weights")), before);
        assert_ne!(key(text), before);
    }
    let before = ["game 2", "random", "random", "", "forest:file=/none", "forest:file=/none"];
    let before = format!("cup/{}/7", digest(&[&before[..], &["unreadable"]].concat()));
    assert_eq!([key("forest:file=/none"), key("weights:file=/none")], [before.clone(), before]);
    assert_ne!(key("forest:model=tictactoe"), key("weights:model=tictactoe"));
    let seed = |text: &str| event(text).pairing([0, 1], 0..1).next().unwrap().seed;
    assert_ne!(seed("forest:depth=2"), seed("weights:depth=2"));
}

#[test]
fn both_keys_at_once_are_refused() {
    let error = player("mcts:nodes=5000,tree-nodes=6000").unwrap_err().to_string();
    assert!(error.contains("'tree-nodes'") && error.contains("once"), "{error}");
    let player = player("mcts:nodes=5000").unwrap();
    assert_eq!(player.with_default("tree-nodes", "9000").text(), "mcts:tree-nodes=5000");
    assert_eq!(player.amount("tree-nodes"), Some(5000));
    assert_eq!(player.amount("nodes"), Some(5000));
}

#[test]
fn help_names_the_former_names() {
    let kind = |name: &str| -> &PlayerKind { roster().all().find(|it| it.has_name(name)).unwrap() };
    assert!(kind("uct").help().ends_with("(formerly `uct`)"));
    assert_eq!(kind("critic-puct").name, kind("uct").name);
    let option = kind("mcts").options.iter().find(|option| option.key == "tree-nodes").unwrap();
    assert!(option.help_text().ends_with("(formerly `nodes`)"));
}

#[test]
fn names_are_unique() {
    let names = roster().all().flat_map(|kind| [Some(kind.name), kind.former_name]).flatten();
    let mut names: Vec<&str> = names.collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
