//! Tests of all players: wins in one, limits and seeds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tesuji_games::random::{choose, seeded};
use tesuji_games::{GameLine, Move, Notation, Position};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSpec, Turn};
use tesuji_search::connect4::LabeledPositions;
use tesuji_search::{Connect4Book, Game, Limits};

fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap()
}

/// Whether a player can play tic-tac-toe here: not a person, another program or a specialist of
/// five or six in a row.
fn plays_tictactoe(player: &&'static PlayerKind) -> bool {
    let other_games = [
        "gomoku",
        "connect6",
        "fudan-alphabeta",
        "fudan-naive",
        "fudan-mcts",
        "critic",
        "critic-mcts",
        "critic-puct",
        "line-mcts",
        "line-alphabeta",
    ];
    !["human", "external"].contains(&player.name) && !other_games.contains(&player.name)
}

#[test]
fn every_search_takes_a_win_and_stops_one() {
    let with_enough = |name: &str| match name {
        "mcts" => "mcts:sims=2000".to_string(),
        "flat-ucb" => "flat-ucb:sims=2000,depth=all".to_string(),
        name => name.to_string(),
    };
    let searches = |p: &&'static PlayerKind| p.name != "random" && plays_tictactoe(p);
    for player in tesuji_players::roster().all().filter(searches) {
        for (position, wanted) in [("a1b1a2b2", "a3"), ("b2a1c1c3", "a3"), ("a1b2c1", "b1")] {
            // A one-ply search does not see a threat of the opponent.
            if player.name == "heuristic" && position == "a1b2c1" {
                continue;
            }
            let spec: PlayerSpec = tesuji_players::player(&with_enough(player.name)).unwrap();
            let mut player = spec.build(&PlayerContext::new(&opened("tictactoe"), 1)).unwrap();
            let line = opened("tictactoe").line(position).unwrap();
            let choice = player.choose(&line, &Turn::limited(Limits::depth(4))).unwrap();
            assert_eq!(line.end.move_text(choice.m), wanted, "{spec} after {position}");
        }
    }
}

#[test]
fn a_player_asked_after_the_end_says_so() {
    let line = opened("tictactoe").line("a1a2b1b2c1").unwrap();
    for player in tesuji_players::roster().all().filter(plays_tictactoe) {
        let spec: PlayerSpec = tesuji_players::player(player.name).unwrap();
        let mut player = spec.build(&PlayerContext::new(&opened("tictactoe"), 1)).unwrap();
        let error = player.choose(&line, &Turn::limited(Limits::depth(2))).unwrap_err().to_string();
        assert!(error.contains("after the end of the game"), "{error}");
    }
}

/// A seed in the text has priority over that of the game.
#[test]
fn the_seed_of_the_text_counts() {
    let line = opened("tictactoe").line("").unwrap();
    let first_move = |text: &str, seed: u64| {
        let spec: PlayerSpec = tesuji_players::player(text).unwrap();
        let mut player = spec.build(&PlayerContext::new(&opened("tictactoe"), seed)).unwrap();
        player.new_game(seed + 100);
        player.choose(&line, &Turn::default()).unwrap().m
    };
    let moves = |text: &str| (0..30).map(|seed| first_move(text, seed)).collect::<BTreeSet<Move>>();
    assert_eq!(moves("random:seed=5").len(), 1);
    assert!(moves("random").len() > 4);
    assert!(moves("minimax:depth=9,ties=random").len() > 4);
}

/// Returns the first move of a player in a position and its score.
fn choice(player: &str, game: &str, moves: &str, seed: u64) -> (String, i32) {
    let opened = opened(game);
    let spec: PlayerSpec = tesuji_players::player(player).unwrap();
    let mut player = spec.build(&PlayerContext::new(&opened, seed)).unwrap();
    let line = opened.line(moves).unwrap();
    let choice = player.choose(&line, &Turn::default()).unwrap();
    (line.end.move_text(choice.m), choice.score().map_or(0, |score| score.raw()))
}

/// The session in Woebker (2013), appendix B.4, plays column 4 on the array; its depth of 5 does not
/// count the own move. The values are those of an independent copy of Anigmo.
#[test]
fn the_session_of_anigmo_plays_the_fourth_column() {
    for (game, value) in [("connect4", -5), ("connect4-array", -5)] {
        for search in ["minimax", "negamax", "alphabeta", "table"] {
            let player = format!("determine:search={search}");
            for seed in 0..3 {
                assert_eq!(choice(&player, game, "", seed), ("4".to_string(), value), "{player}");
            }
        }
        let same = format!("alphabeta:depth={},ties=random", 5 + 1);
        assert_eq!(choice(&same, game, "", 1), ("4".to_string(), value));
    }
}

#[test]
fn the_center_shortcut_is_for_the_empty_board_alone() {
    let opens = |game: &str, seed| choice("determine:center=on,after=1", game, "", seed).0;
    for seed in 0..5 {
        for (game, center) in [("tictactoe", "b2"), ("connect4", "4"), ("gomoku", "h8")] {
            assert_eq!(opens(game, seed), center, "{game}");
        }
    }
    let perfect = "determine:center=on,after=8";
    let replies = (0..40).map(|seed| choice(perfect, "tictactoe", "b2", seed).0);
    let corners = ["a1", "a3", "c1", "c3"].map(String::from);
    assert_eq!(replies.collect::<BTreeSet<String>>(), BTreeSet::from(corners));
    let context = PlayerContext::new(&opened("othello"), 1);
    let error = tesuji_players::player(perfect).unwrap().supports(&context).unwrap_err();
    assert!(error.to_string().contains("center=off"), "{error}");
}

/// A table for all images of a position changes no value.
#[test]
fn mirror_images_share_a_table_entry_without_another_value() {
    for (game, moves) in [("connect4", ""), ("tictactoe", "b2"), ("othello", "f5")] {
        let value = |symmetry: &str| {
            let player = format!("engine:depth=6,tt=1M,deepen=on,symmetry={symmetry}");
            choice(&player, game, moves, 1).1
        };
        assert_eq!(value("on"), value("off"), "{game}");
    }
    let context = PlayerContext::new(&opened("chess"), 1);
    let error = tesuji_players::player("pvs:symmetry=on").unwrap().supports(&context).unwrap_err();
    assert!(error.to_string().contains("symmetry=off"), "{error}");
}

/// The shipped book, and the same book in the formats of the UCI repository and of Anigmo.
#[test]
fn players_play_from_the_books_of_connect_four() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/connect4-7x6.book");
    let exact = Connect4Book::from_bytes(&std::fs::read(shipped).unwrap()).unwrap();
    let list = LabeledPositions::of_book(&exact).unwrap();
    let (uci, anigmo) = (folder.path().join("c4.data"), folder.path().join("connect4bit.json"));
    std::fs::write(&uci, list.to_uci()).unwrap();
    std::fs::write(&anigmo, list.to_anigmo()).unwrap();
    for player in ["pvs:depth=1,book=", "engine:depth=1,book="] {
        for book in [shipped, uci.to_str().unwrap(), anigmo.to_str().unwrap()] {
            let player = format!("{player}{book}");
            // Without a book, a search of one ply answers in the center.
            for (moves, best) in [("", "4"), ("2", "3"), ("433", "3")] {
                assert_eq!(choice(&player, "connect4", moves, 1).0, best, "{player} after {moves}");
            }
        }
        for game in ["connect4:6x5", "connect4-array", "tictactoe"] {
            let spec: PlayerSpec = tesuji_players::player(&format!("{player}{shipped}")).unwrap();
            let error = spec.supports(&PlayerContext::new(&opened(game), 1)).unwrap_err();
            assert!(error.to_string().contains("the book is for"), "{game}: {error}");
        }
    }
}

/// Asks a player for a move in the middle of a game and returns the time; `None` if it does not
/// support the game.
fn time_taken(player: &str, game: &Game, limits: Limits) -> Option<Duration> {
    let (mut position, mut rng) = (game.start().clone(), seeded(3));
    for _ in 0..4 {
        position.play(*choose(&mut rng, &position.legal_moves())?);
    }
    let spec: PlayerSpec = tesuji_players::player(player).ok()?;
    let mut player = spec.build(&PlayerContext::new(game, 1)).ok()?;
    player.new_game(1);
    let started = Instant::now();
    player.choose(&GameLine::new(position), &Turn::limited(limits)).unwrap();
    Some(started.elapsed())
}

/// Every player respects its limits, however long one simulation takes: one of renju on this board
/// takes 23 ms.
#[test]
fn every_player_heeds_time_and_the_stop_sign_on_a_large_board() {
    const SOON: Duration = Duration::from_millis(100);
    const DEADLINE: Duration = Duration::from_secs(10);
    let others = ["flat-ucb:sims=1000000000000,depth=all", "mcts:sims=1000000000000"];
    let texts =
        tesuji_players::roster().all().map(|player| player.name).filter(|name| *name != "external");
    let mut asked = BTreeSet::new();
    for player in texts.chain(others) {
        for game in ["renju:20x20", "gomoku", "connect6", "connect4"] {
            let opened = opened(game);
            let ask = |limits| time_taken(player, &opened, limits);
            let Some(timed) = ask(Limits::time(SOON)) else { continue };
            let sign = Arc::new(AtomicBool::new(false));
            let limits = Limits { stop: Some(sign.clone()), ..Limits::default() };
            let raised = std::thread::spawn(move || {
                std::thread::sleep(SOON);
                sign.store(true, Ordering::Relaxed);
            });
            let stopped = ask(limits).unwrap();
            raised.join().unwrap();
            assert!(timed < DEADLINE, "{player} at {game} took {timed:?} of {SOON:?}");
            assert!(stopped < DEADLINE, "{player} at {game} went on for {stopped:?}");
            asked.insert(player);
            break;
        }
    }
    assert!(asked.len() > 15, "{asked:?}");
}
