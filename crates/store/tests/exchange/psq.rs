//! PSQ: games of Gomoku round-trip, and files of Piskvork and of the Gomocup are read.

use tesuji_games::{Outcome, Side};
use tesuji_store::exchange::{ReadOptions, psq};
use tesuji_store::{EndingKind, GameRecord, Record};

use crate::random_games::record;
use crate::{PSQ, one_game, partial, read_all, refusal, strict};

/// Five in a row for the player who moves first.
const WON: &str = "Piskvorky 15x15, 11:11, 0\r\n1,1,12\r\n1,2,500\r\n2,1,0\r\n2,2,1\r\n3,1,7\r\n3,2,7\r\n4,1,7\r\n4,2,7\r\n5,1,30\r\npbrain-ann.exe\r\npbrain-bob.zip\r\n-1\r\n";

pub(crate) fn written(game: &GameRecord) -> Vec<u8> {
    let mut bytes = Vec::new();
    psq::write(&mut bytes, game).unwrap();
    bytes
}

#[test]
fn random_games_of_gomoku_come_back_as_they_went() {
    for game in ["gomoku", "gomoku:20x20,exact", "gomoku:7x9", "mnk:6x6,k=5", "mnk:5x5"] {
        for seed in 0..60 {
            let record = record(game, seed);
            let (read, _) = read_all(PSQ, &written(&record), &strict()).unwrap();
            assert_eq!(read, [Record::Game(record)], "{game}");
        }
    }
}

#[test]
fn a_game_looks_like_psq() {
    let mut game = crate::plain::plain_game("k");
    game.game = "gomoku".to_string();
    game.moves = "a15b14".to_string();
    game.thoughts = vec![tesuji_store::SearchRecord { micros: 12_499, ..Default::default() }];
    game.ending.kind = EndingKind::Time;
    game.players[1].name = "3,3,3".to_string();
    let text = String::from_utf8(written(&game)).unwrap();
    let start =
        "Piskvorky 15x15, 0:0, 0\n1,1,0\n2,2,12\nann\nplayer 3,3,3\n15\n1,Freestyle\ntesuji {";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn other_games_have_no_psq() {
    for game in ["connect4", "connect6", "mnk:15x15,k=6", "othello", "nonsense"] {
        assert!(!psq::can_hold(game), "{game}");
    }
    let error = psq::write(&mut Vec::new(), &record("connect4", 1)).unwrap_err().to_string();
    assert!(error.contains("Gomoku only"), "{error}");
}

#[test]
fn files_of_other_programs_are_understood() {
    let game = one_game(PSQ, WON, &strict());
    assert_eq!(game.game, "gomoku");
    assert_eq!(game.moves, "a15a14b15b14c15c14d15d14e15");
    assert_eq!((game.outcome, game.ending.kind), (Outcome::Win(Side::First), EndingKind::Rules));
    assert_eq!(game.players[0].name, "pbrain-ann.exe");
    assert_eq!(game.thoughts[1].micros, 500_000);
    let swapped = WON.replace("11:11, 0", "11:11, 1");
    assert_eq!(one_game(PSQ, &swapped, &strict()).players[0].name, "pbrain-bob.zip");
    let judged = format!("{WON}2,Standard15_1\r\n");
    assert_eq!(one_game(PSQ, &judged, &strict()).game, "gomoku:15x15,exact");
    // A saved position: no names, moves without times.
    let saved = "Piskvorky 20x20, 0:0, 0\n1,1\n1,2\n2,1\n2,2\n3,1\n3,2\n4,1\n4,2\n5,1\n-1\n";
    let game = one_game(PSQ, saved, &strict());
    assert_eq!((game.game.as_str(), game.thoughts.len()), ("gomoku:20x20", 0));
}

#[test]
fn games_without_five_need_a_reason() {
    let start = "Piskvorky 15x15, 0:0, 0\n8,8,5\n9,9,5\n8,9,5\nann\nbob\n";
    assert!(refusal(PSQ, &format!("{start}-1\n"), &strict()).contains("the result is unknown"));
    let late = one_game(PSQ, &format!("{start}15\n"), &strict());
    assert_eq!((late.outcome, late.ending.kind), (Outcome::Win(Side::First), EndingKind::Time));
    let drawn = one_game(PSQ, &format!("{start}-1\n0,Freestyle\n"), &strict());
    assert_eq!(drawn.outcome, Outcome::Draw);
}

#[test]
fn every_kind_of_mistake_has_its_line() {
    let without_end: String = WON.lines().take(12).map(|line| format!("{line}\n")).collect();
    for (text, words) in [
        (String::new(), "nothing"),
        ("Gomoku 15x15".to_string(), "line 1: 'Gomoku 15x15' is not PSQ"),
        (WON.replace("11:11, 0", "11:11, 2"), "line 1: "),
        (WON.replace("2,1,0", "16,1,0"), "line 4: 16,1 is not on the board of 15x15"),
        (WON.replace("2,1,0", "0,1,0"), "line 4: "),
        (WON.replace("2,1,0", "1,1,0"), "line 4: cannot play column 1, row 1"),
        (WON.replace("-1\r\n", "6,1,0\r\n-1\r\n"), "line 13: cannot read '6,1,0'"),
        (WON.replace("pbrain-ann", "6,1,0\r\npbrain-ann"), "line 11: a move after the end"),
        (without_end, "cut off"),
        (format!("{WON}1,Renju\n"), "'renju'"),
        (format!("{WON}hello\n"), "line 14: cannot read 'hello'"),
        (format!("{WON}tesuji {{}}\n"), "line 14: "),
    ] {
        let message = refusal(PSQ, &text, &strict());
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn the_game_can_be_named() {
    let exact = ReadOptions { game: Some("gomoku:15x15,exact".to_string()), ..strict() };
    assert_eq!(one_game(PSQ, WON, &exact).game, "gomoku:15x15,exact");
    let other = ReadOptions { game: Some("gomoku:20x20".to_string()), ..strict() };
    assert!(refusal(PSQ, WON, &other).contains("is not Gomoku on 15x15"));
    let (read, tally) = read_all(PSQ, b"nonsense", &partial()).unwrap();
    assert_eq!((read.len(), tally.left_out), (0, 1));
}
