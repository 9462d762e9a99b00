//! SGF: games of all kinds round-trip, and games of other programs are read.

use tesuji_games::{Outcome, Side};
use tesuji_store::exchange::{ReadOptions, sgf};
use tesuji_store::{EndingKind, GameRecord, Record};

use crate::random_games::{games, record};
use crate::{SGF, one_game, partial, read_all, refusal, strict};

pub(crate) fn written(games: &[GameRecord]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in games {
        sgf::write(&mut bytes, game).unwrap();
    }
    bytes
}

#[test]
fn random_games_of_every_game_come_back_as_they_went() {
    for game in games() {
        let records: Vec<GameRecord> = (0..12).map(|seed| record(game, seed)).collect();
        let (read, _) = read_all(SGF, &written(&records), &strict()).unwrap();
        let wanted: Vec<Record> = records.into_iter().map(Record::Game).collect();
        assert_eq!(read, wanted, "{game}");
    }
}

#[test]
fn a_game_looks_like_sgf() {
    let mut game = crate::plain::plain_game("k");
    game.game = "gomoku".to_string();
    game.moves = "h8i9".to_string();
    game.players[0].name = "A]b".to_string();
    game.outcome = Outcome::Win(Side::Second);
    game.ending.kind = EndingKind::Time;
    let text = String::from_utf8(written(&[game.clone()])).unwrap();
    let root = text.split("TJ[").next().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "(;FF[4]GM[4]CA[UTF-8]AP[tesuji:{version}]SZ[15]PB[A\\]b]PW[bob]EV[cup]DT[2023-11-14]RU[Freestyle]RE[W+Time]"
    );
    assert_eq!(root, expected);
    assert!(text.ends_with("\n;B[hh];W[ig])\n"), "{text}");
    game.game = "connect4".to_string();
    game.moves = "44".to_string();
    let text = String::from_utf8(written(&[game.clone()])).unwrap();
    assert!(text.contains("GM[0]") && text.contains("SZ[7:6]") && text.contains(";B[df];W[de])"));
    game.game = "chess".to_string();
    game.moves = "e2e4 e7e5".to_string();
    let text = String::from_utf8(written(&[game.clone()])).unwrap();
    assert!(text.contains("GM[3]") && text.contains("PW[A\\]b]") && text.contains("RE[B+Time]"));
    assert!(text.ends_with(";W[e2e4];B[e7e5])\n"), "{text}");
}

#[test]
fn connect6_has_two_stones_a_turn() {
    let mut game = crate::plain::plain_game("k");
    game.game = "connect6".to_string();
    game.moves = "j10k10k11a1a2".to_string();
    let text = String::from_utf8(written(&[game])).unwrap();
    assert!(text.ends_with("\n;B[jj];W[kj];W[ki];B[as];B[ar])\n"), "{text}");
}

#[test]
fn games_of_other_programs_are_understood() {
    let game = one_game(
        SGF,
        "(;GM[4]SZ[15]PB[Ann]PW[Bob]DT[2024-02-29]EV[Cup]RE[B+R]\n;B[hh];W[hi](;B[gg])(;B[aa]))",
        &strict(),
    );
    assert_eq!((game.game.as_str(), game.moves.as_str()), ("gomoku", "h8h7g9"));
    assert_eq!([&game.players[0].name, &game.players[1].name], ["Ann", "Bob"]);
    assert_eq!((game.outcome, game.ending.kind), (Outcome::Win(Side::First), EndingKind::Resigned));
    assert_eq!((game.event.as_str(), game.played_at), ("Cup", 1_709_164_800));
    assert!(game.key.starts_with("import:"), "{}", game.key);
}

#[test]
fn the_rules_decide_where_a_file_is_silent() {
    let five = "(;GM[4]SZ[9];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea])";
    let game = one_game(SGF, five, &strict());
    assert_eq!((game.outcome, game.ending.kind), (Outcome::Win(Side::First), EndingKind::Rules));
    assert_eq!(game.game, "gomoku:9x9");
    let wrong = five.replace("SZ[9]", "SZ[9]RE[W+]");
    assert!(refusal(SGF, &wrong, &strict()).contains("'second wins', but the moves end with"));
    let standard = five.replace("SZ[9]", "SZ[9]RU[Standard]RE[B+]");
    assert_eq!(one_game(SGF, &standard, &strict()).game, "gomoku:9x9,exact");
}

#[test]
fn othello_files_may_show_the_setup_and_leave_out_passes() {
    let text = "(;GM[2]SZ[8]AB[ed][de]AW[dd][ee]RE[B+12];B[fe];W[ff])";
    assert_eq!(one_game(SGF, text, &strict()).moves, "f5f6");
    let other = text.replace("AB[ed]", "AB[ec]");
    assert!(refusal(SGF, &other, &strict()).contains("set up"));
    let mut with_passes = 0;
    for seed in 0..40 {
        let mut game = record("othello:4x4", seed);
        game.thoughts.clear();
        let text = String::from_utf8(written(&[game.clone()])).unwrap();
        let (_, moves) = text.split_once('\n').unwrap();
        let without_passes = moves.replace(";B[]", "").replace(";W[]", "");
        if game.ending.kind == EndingKind::Rules && without_passes != moves {
            with_passes += 1;
            let foreign = format!("(;GM[2]SZ[4]\n{without_passes}");
            assert_eq!(one_game(SGF, &foreign, &strict()).moves, game.moves);
        }
    }
    assert!(with_passes > 5, "{with_passes} random games had passes");
}

#[test]
fn what_a_file_does_not_say_can_be_said() {
    let text = "(;FF[4]SZ[7:6]RE[W+T];B[df];W[de])";
    assert!(refusal(SGF, text, &strict()).contains("Go"));
    let reading = ReadOptions { game: Some("connect4".to_string()), ..strict() };
    let game = one_game(SGF, text, &reading);
    assert_eq!((game.game.as_str(), game.moves.as_str()), ("connect4", "44"));
    assert_eq!((game.outcome, game.ending.kind), (Outcome::Win(Side::Second), EndingKind::Time));
}

#[test]
fn every_kind_of_mistake_has_its_line() {
    for (text, words) in [
        ("", "no game"),
        ("hello", "no game"),
        ("(;GM[4]RE[B+]\n;B[hh]\n;B[hi])", "line 3: it is the turn of the second side"),
        ("(;GM[4]RE[B+]\n;B[hh];W[hh])", "line 2: cannot play column 8, row 8"),
        ("(;GM[4]RE[B+]\n;B[pp])", "'pp' is not a point; expected two letters from aa to oo"),
        ("(;GM[4]RE[B+]\n;B[hh]W[hi])", "black and a white"),
        ("(;GM[4]RE[B+]\n;B[hh][hi])", "2 moves in one node"),
        ("(;GM[4]\n;B[hh])", "line 1: the result is unknown"),
        ("(;GM[4]RE[?];B[hh])", "the result is unknown"),
        ("(;GM[4]RE[who];B[hh])", "'who' is not a result"),
        ("(;GM[4]RU[Renju]RE[B+];B[hh])", "Renju"),
        ("(;GM[4]SZ[big]RE[B+];B[hh])", "'big' is not a size"),
        ("(;GM[4]SZ[99]RE[B+];B[hh])", "99x99"),
        ("(;GM[11]RE[B+];B[hh])", "GM[11]"),
        ("(;GM[4]RE[B+]AB[hh];W[hi])", "set up"),
        ("(;TJ[{}];B[hh])", "line 1: property TJ"),
        ("(;GM;B[hh])", "'GM' has no value"),
        ("(;GM[4]RE[B+];B[hh]!)", "cannot read '!)'"),
        ("(;GM[4]RE[B+];B[hh]", "cut off"),
    ] {
        let message = refusal(SGF, text, &strict());
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn good_games_among_bad_ones_can_be_had() {
    let good = "(;GM[4]RE[B+];B[hh])";
    let text = format!("{good}\n(;GM[4];B[hh])\n{good}(;GM[4]");
    assert!(refusal(SGF, &text, &strict()).starts_with("line 2: "));
    let (read, tally) = read_all(SGF, text.as_bytes(), &partial()).unwrap();
    assert_eq!((read.len(), tally.left_out), (2, 2));
}
