//! PGN: games of chess round-trip, and files of other programs are read.

use tesuji_games::{Outcome, Side};
use tesuji_store::exchange::{ReadOptions, pgn, psq, sgf};
use tesuji_store::{Ending, EndingKind, GameRecord, Record};

use crate::random_games::record;
use crate::{PGN, PSQ, SGF, one_game, partial, read_all, refusal, strict};

pub(crate) fn written(game: &GameRecord) -> Vec<u8> {
    let mut bytes = Vec::new();
    pgn::write(&mut bytes, game).unwrap();
    bytes
}

#[test]
fn random_games_of_chess_come_back_as_they_went() {
    let records: Vec<GameRecord> = (0..60).map(|seed| record("chess", seed)).collect();
    let bytes: Vec<u8> = records.iter().flat_map(written).collect();
    let (read, _) = read_all(PGN, &bytes, &strict()).unwrap();
    let wanted: Vec<Record> = records.into_iter().map(Record::Game).collect();
    assert_eq!(read, wanted);
}

const USUAL_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The text without the line that only this program reads.
#[test]
fn the_moves_are_there_without_our_own_line() {
    for seed in 0..30 {
        let game = record("chess", seed);
        let text = String::from_utf8(written(&game)).unwrap();
        assert!(text.lines().all(|line| line.starts_with(['[', '%']) || line.len() < 80), "{text}");
        let foreign: String = text
            .lines()
            .filter(|line| !line.starts_with('%'))
            .map(|line| format!("{line}\n"))
            .collect();
        let read = one_game(PGN, &foreign, &strict());
        assert_eq!((read.moves, read.outcome), (game.moves, game.outcome), "{text}");
        assert_eq!(read.start, game.start.filter(|start| !start.starts_with(USUAL_START)));
    }
}

#[test]
fn a_game_looks_like_pgn() {
    let mut game = crate::plain::plain_game("k");
    game.game = "chess".to_string();
    game.moves = "f2f3 e7e5 g2g4 d8h4".to_string();
    game.players[0].name = "A \"quoted\" \\ name\n".to_string();
    game.outcome = Outcome::Win(Side::Second);
    let text = String::from_utf8(written(&game)).unwrap();
    let start = "[Event \"cup\"]\n[Site \"?\"]\n[Date \"2023.11.14\"]\n[Round \"?\"]\n\
                 [White \"A \\\"quoted\\\" \\\\ name \"]\n[Black \"bob\"]\n[Result \"0-1\"]\n\
                 [Termination \"normal\"]\n%tesuji {";
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with("}\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n"), "{text}");
    game.start = Some("4k3/8/8/8/8/8/4P3/4K3 b - - 5 39".to_string());
    game.moves = "e8e7 e2e4".to_string();
    game.ending = Ending::plain(EndingKind::Time);
    let text = String::from_utf8(written(&game)).unwrap();
    assert!(text.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 5 39\"]\n"), "{text}");
    assert!(text.contains("[Termination \"time forfeit\"]"), "{text}");
    assert!(text.ends_with("}\n\n39... Ke7 40. e4 0-1\n\n"), "{text}");
}

#[test]
fn other_games_have_no_pgn() {
    assert!(pgn::can_hold("chess") && !pgn::can_hold("checkers") && !pgn::can_hold("nonsense"));
    let error = pgn::write(&mut Vec::new(), &record("connect4", 1)).unwrap_err().to_string();
    assert!(error.contains("chess only"), "{error}");
}

#[test]
fn games_of_other_programs_are_understood() {
    let text = "\u{feff}[Event \"Cup\"]\r\n[Site \"Here\"]\r\n[Date \"2024.02.29\"]\r\n[White \"Ann\"]\r\n\
        [Black \"Bob\"]\r\n[Result \"1-0\"]\r\n[Termination \"Time forfeit\"]\r\n\r\n\
        1.e4 {[%clk 0:10] best (by test} e5 2. Nf3!? $14 (2. f4 exf4 (2... d5)) 2... Nc6 3.Bb5 a6\r\n\
        4. 0-0 ; a comment 0-1\r\nNge7 1-0\r\n";
    let text = text.replace("4. 0-0", "4. Ba4 Nf6 5. 0-0").replace("Nge7", "Nxe4");
    let game = one_game(PGN, &text, &strict());
    assert_eq!(game.moves, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f6e4");
    assert_eq!([&game.players[0].name, &game.players[1].name], ["Ann", "Bob"]);
    assert_eq!((game.outcome, game.ending.kind), (Outcome::Win(Side::First), EndingKind::Time));
    assert_eq!((game.event.as_str(), game.played_at), ("Cup", 1_709_164_800));
    assert!(game.key.starts_with("import:"), "{}", game.key);
    let year = one_game(PGN, "[Date \"1972.??.??\"]\n1. e4 1-0", &strict());
    assert_eq!(year.played_at, 63_072_000);
}

#[test]
fn the_rules_decide_where_they_can() {
    let mate = one_game(PGN, "1. f3 e5 2. g4 Qh4 *", &strict());
    assert_eq!((mate.outcome, mate.ending.kind), (Outcome::Win(Side::Second), EndingKind::Rules));
    let wrong = refusal(PGN, "1. f3 e5 2. g4 Qh4 1-0", &strict());
    assert!(wrong.contains("'first wins', but the moves end with"), "{wrong}");
}

#[test]
fn every_kind_of_mistake_has_its_line() {
    for (text, words) in [
        ("", "no game"),
        ("\n\n", "no game"),
        ("hello", "line 1: cannot read \"hello\""),
        ("1. e4 e5\n2. Ke3 1-0", "line 2: cannot read \"Ke3\""),
        ("1. Nf3 Nf6 2. Kh1 1-0", "cannot read \"Kh1\""),
        ("1. f3 e5 2. g4 Qh4# 3. a3 0-1", "line 1: cannot"),
        ("[Result \"1-0\"]\n1. e4 0-1", "'first wins' and as 'second wins'"),
        ("[Result \"maybe\"]\n1. e4 *", "'maybe' is not a result"),
        ("1. e4 e5 *", "the result is unknown"),
        ("1. e4 e5", "cut off"),
        ("1. e4 {hello", "cut off"),
        ("[White \"Ann]\n1. e4 1-0", "line 1: cannot read '[White \\\"Ann]'"),
        ("1. e4 e5) 1-0", "line 1: a ) without ("),
        ("1. e4 e5} 1-0", "line 1: a } without {"),
        ("[FEN \"nonsense\"]\n1. e4 1-0", "invalid start position"),
        ("[Variant \"Atomic\"]\n1. e4 1-0", "variant 'atomic'"),
        ("%tesuji {}\n1. e4 1-0", "line 1: "),
    ] {
        let message = refusal(PGN, text, &strict());
        assert!(message.contains(words), "{text}: {message}");
    }
    let other = ReadOptions { game: Some("checkers".to_string()), ..strict() };
    assert!(refusal(PGN, "1. e4 1-0", &other).contains("is not chess"));
}

#[test]
fn good_games_among_bad_ones_can_be_had() {
    let good = "[White \"x\"]\n\n1. e4 1-0\n\n";
    let text = format!("{good}[White \"y\"]\n\n1. e5 1-0\n\n{good}1. e4 {{");
    assert!(refusal(PGN, &text, &strict()).starts_with("line 7: "));
    let (read, tally) = read_all(PGN, text.as_bytes(), &partial()).unwrap();
    assert_eq!((read.len(), tally.left_out), (2, 2));
}

/// Unfinished games round-trip in all three formats if the reader accepts them.
#[test]
fn unfinished_games_travel_for_those_who_want_them() {
    let open = ReadOptions { unfinished: true, ..strict() };
    let mut gomoku = record("gomoku", 0);
    gomoku.moves = "h8i9".to_string();
    gomoku.thoughts.clear();
    gomoku.opening_plies = 0;
    (gomoku.ending, gomoku.outcome) = (Ending::unfinished(), Outcome::Draw);
    let chess = GameRecord {
        game: "chess".to_string(),
        moves: "e2e4 e7e5".to_string(),
        start: None,
        ..gomoku.clone()
    };
    let mut as_sgf = Vec::new();
    sgf::write(&mut as_sgf, &gomoku).unwrap();
    let mut as_psq = Vec::new();
    psq::write(&mut as_psq, &gomoku).unwrap();
    let foreign = [
        (SGF, "(;GM[4];B[hh];W[ig])"),
        (SGF, "(;GM[4]RE[?];B[hh];W[ig])"),
        (PSQ, "Piskvorky 15x15, 0:0, 0\n8,8\n9,7\n-1\n"),
        (PGN, "1. e4 e5 *"),
    ];
    for (reader, bytes, game) in
        [(SGF, as_sgf, &gomoku), (PSQ, as_psq, &gomoku), (PGN, written(&chess), &chess)]
    {
        let text = String::from_utf8(bytes).unwrap();
        assert!(refusal(reader, &text, &strict()).contains("the result is unknown"), "{text}");
        assert_eq!(one_game(reader, &text, &open), *game, "{text}");
    }
    for (reader, text) in foreign {
        assert!(refusal(reader, text, &strict()).contains("the result is unknown"), "{text}");
        assert!(one_game(reader, text, &open).ending.is_unfinished(), "{text}");
    }
}
