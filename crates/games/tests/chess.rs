//! Tests chess against published counts, and draws, keys and notation.

use crate::move_paths::perft;
use tesuji_games::rules::chess::Chess;
use tesuji_games::{Draw, Heuristic, MoveOrder, Notation, Outcome, Position, Side, Tactics};
use tesuji_games::{conformance, random};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";

/// The six standard perft positions with their counts from depth 1 (Chess Programming Wiki).
const PERFT: &[(&str, &[u64])] = &[
    ("startpos", &[20, 400, 8902, 197_281, 4_865_609]),
    (KIWIPETE, &[48, 2039, 97_862, 4_085_603]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", &[14, 191, 2812, 43_238, 674_624, 11_030_083]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", &[6, 264, 9467, 422_333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1486, 62_379, 2_103_487]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2079, 89_890, 3_894_594],
    ),
];

#[test]
fn perft_agrees_with_published_counts() {
    for (position, counts) in PERFT {
        let mut position = after(position);
        for (depth, &leaves) in (1..).zip(*counts) {
            assert_eq!(perft(&mut position, depth), leaves, "{:?}", position.position_text());
        }
    }
}

fn after(text: &str) -> Chess {
    Chess::new().parse_line(text).unwrap_or_else(|error| panic!("{text}: {error}")).end
}

/// Lines and the outcome at their end.
const OUTCOMES: &[(&str, Option<Outcome>)] = &[
    ("f2f3 e7e5 g2g4 d8h4", Some(Outcome::Win(Side::Second))),
    ("1.e4 e5 2. Bc4 Nc6 3. Qh5 Nf6?? 4.Qxf7#", Some(Outcome::Win(Side::First))),
    // Stalemate.
    ("7k/5Q2/6K1/8/8/8/8/8 b - -", Some(Outcome::Draw)),
    // Bare kings; one minor piece; bishops on squares of one color.
    ("8/8/4k3/8/8/3K4/8/8 w - -", Some(Outcome::Draw)),
    ("8/8/4k3/8/8/3K4/8/6N1 w - -", Some(Outcome::Draw)),
    ("8/8/4k3/8/8/3K4/8/6b1 w - -", Some(Outcome::Draw)),
    ("8/8/4k3/8/1b6/3K4/8/B1B5 w - -", Some(Outcome::Draw)),
    // A capture that leaves insufficient material.
    ("8/8/4k3/8/8/3K4/4p3/8 w - - d3e2", Some(Outcome::Draw)),
    // Mate is possible with this material, even if only a helpmate.
    ("8/8/4k3/8/1b6/3K4/8/1B6 w - -", None),
    ("8/8/4k3/8/8/3K4/8/1N4N1 w - -", None),
    ("8/8/4k3/8/1n6/3K4/8/6N1 w - -", None),
    ("8/8/4k3/8/8/3K4/4P3/8 w - -", None),
    // The hundredth quiet ply ends the game, except when it mates.
    ("8/8/4k3/8/8/3K4/R7/8 w - - 98 80 a2a1", None),
    ("8/8/4k3/8/8/3K4/R7/8 w - - 99 80 a2b2", Some(Outcome::Draw)),
    ("8/8/4k3/8/8/3K4/R7/8 w - - 100 80", Some(Outcome::Draw)),
    ("7k/8/6K1/8/8/8/8/R7 w - - 99 80 a1a8", Some(Outcome::Win(Side::First))),
    ("8/8/4k3/8/8/3KP3/R7/8 w - - 99 80 e3e4", None),
    // The start position recurs twice.
    ("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", None),
    ("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", Some(Outcome::Draw)),
    // Kings that have moved cannot castle, so the positions before their first move are different.
    ("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8 e1e2", None),
    ("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7", Some(Outcome::Draw)),
    // En passant was possible only the first time, so that position differs from its repetitions.
    ("4k3/8/8/8/1p6/8/P7/4K3 w - - a2a4 e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1", None),
    // A double step without a legal en passant capture makes no difference: same moves, without the
    // black pawn.
    (
        "4k3/8/8/8/8/8/P7/4K3 w - - a2a4 e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1",
        Some(Outcome::Draw),
    ),
];

#[test]
fn games_end_when_the_rules_say() {
    for &(line, outcome) in OUTCOMES {
        let line = Chess::new().parse_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(line.end.outcome(), outcome, "{:?}", line.end.position_text());
    }
}

/// A move as UCI text, then its algebraic notation.
const SAN: &[(&str, &str, &str)] = &[
    ("startpos", "g1f3", "Nf3"),
    ("startpos", "e2e4", "e4"),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -", "e4d5", "exd5"),
    // Castling, to both sides and with check.
    (KIWIPETE, "e1g1", "O-O"),
    (KIWIPETE, "e1c1", "O-O-O"),
    ("5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", "O-O+"),
    // Two knights, two rooks on a file, three queens.
    ("4k3/8/8/8/8/8/8/1N2KN2 w - -", "b1d2", "Nbd2"),
    ("4k3/8/8/R7/8/8/8/R3K3 w - -", "a1a3", "R1a3"),
    ("8/5k2/8/8/Q6Q/8/8/4K2Q w - -", "h4e4", "Qh4e4"),
    ("8/5k2/8/8/Q6Q/8/8/4K2Q w - -", "a4e4", "Qae4"),
    ("8/5k2/8/8/Q6Q/8/8/4K2Q w - -", "h1e4", "Q1e4"),
    // The other knight is pinned, so nothing is ambiguous.
    ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - -", "g1e2", "Ne2"),
    // En passant; promotion, with capture, check and mate.
    ("4k3/8/8/3Pp3/8/8/8/4K3 w - e6", "d5e6", "dxe6"),
    ("3n4/4P3/8/8/8/8/k7/4K3 w - -", "e7e8q", "e8=Q"),
    ("3n4/4P3/8/8/8/8/k7/4K3 w - -", "e7d8n", "exd8=N"),
    ("7k/4P1pp/8/8/8/8/8/4K3 w - -", "e7e8r", "e8=R#"),
];

#[test]
fn algebraic_notation_is_written_and_read() {
    for &(position, uci, san) in SAN {
        let position = after(position);
        let m = position.parse_move(uci).unwrap_or_else(|error| panic!("{uci}: {error}"));
        assert_eq!(position.move_text(m), uci);
        assert_eq!(position.san(m), san);
        assert_eq!(position.parse_move(san), Ok(m), "{san}");
        assert_eq!(position.parse_move(&format!("{san}!?")), Ok(m), "{san}");
    }
    assert_eq!(after(KIWIPETE).parse_move("0-0"), after(KIWIPETE).parse_move("e1g1"));
}

#[test]
fn every_move_of_random_games_has_its_own_san() {
    let mut rng = random::seeded(64);
    for _ in 0..5 {
        let mut position = Chess::new();
        while position.outcome().is_none() {
            let mut texts = std::collections::HashSet::new();
            position.for_each_move(|m| {
                let san = position.san(m);
                assert_eq!(position.parse_move(&san), Ok(m), "{san}");
                assert!(texts.insert(san));
            });
            let m = position.random_move(&mut rng);
            position.play(m);
        }
    }
}

#[test]
fn lines_begin_anywhere() {
    let e4 = after("e2e4").key();
    for line in ["e4", "1. e4", "1.e4", "moves e2e4", "startpos moves e2e4", "startpos, e4"] {
        assert_eq!(after(line).key(), e4, "{line}");
    }
    for rest in ["e2e4", "moves e2e4", " moves 1.e4"] {
        assert_eq!(after(&format!("{START} {rest}")).key(), e4, "{rest}");
    }
    assert_eq!(Chess::new().position_text().as_deref(), Some(START));
    let from_kiwipete = Chess::new().parse_line(&format!("{KIWIPETE} e1g1 e8c8")).unwrap();
    assert_eq!(from_kiwipete.text(), "e1g1 e8c8");
    assert_eq!(
        from_kiwipete.end.position_text().as_deref(),
        Some("2kr3r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 w - - 2 2")
    );
}

#[test]
fn bad_text_is_rejected_in_one_line() {
    for text in [
        "e2e5",
        "e2",
        "e9e4",
        "Nf6",
        "O-O",
        "e7e8q",
        "e2e4q",
        "e1h1",
        "é",
        "ee2e4é",
        "Ké",
        "e2e4k",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 101 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 99999999999",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 0",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "k7/8/8/8/8/8/8/KR6 w - - 0 1 b1a1",
        // The side that is not to move is in check.
        "k7/8/8/8/8/8/8/R3K3 w - - 0 1",
        // Castling as in Chess960.
        "4k3/8/8/8/8/8/8/1K5R w K - 0 1",
    ] {
        let error = Chess::new().parse_line(text).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{text}: {error}");
    }
    assert!(Chess::from_fen(&format!("{START} e2e4")).is_err());
    assert!(Chess::from_fen("").is_err());
}

fn forcing_moves(text: &str) -> Vec<String> {
    let position = after(text);
    let mut moves = Vec::new();
    position.push_forcing_moves(&mut moves);
    let mut texts: Vec<_> = moves.into_iter().map(|m| position.san(m)).collect();
    texts.sort();
    texts
}

#[test]
fn captures_promotions_and_evasions_are_forcing() {
    assert!(forcing_moves("startpos").is_empty());
    assert_eq!(forcing_moves("4k3/8/8/3Pp3/8/8/8/4K3 w - e6"), ["dxe6"]);
    let promotions = ["e8=B", "e8=N", "e8=Q", "e8=R"];
    assert_eq!(forcing_moves("8/4P3/8/8/8/8/k7/4K3 w - -"), promotions);
    let in_check = "4k3/8/8/8/8/8/3P4/r3K3 w - -";
    assert_eq!(forcing_moves(in_check), ["Ke2", "Kf2"]);
    assert!(!after(in_check).may_stand_pat() && after("startpos").may_stand_pat());
}

#[test]
fn the_best_capture_is_ordered_first() {
    // A pawn and a queen can each take a rook or a knight.
    let position = after("4k3/8/8/2r1n3/3P4/8/8/2Q1K3 w - -");
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    moves.sort_by_key(|&m| -position.move_score(m));
    let first: Vec<_> = moves.iter().take(3).map(|&m| position.san(m)).collect();
    assert_eq!(first, ["dxc5", "Qxc5", "dxe5"]);
}

#[test]
fn the_estimate_is_symmetric_in_the_colors() {
    assert_eq!(Chess::new().evaluate(), 0);
    let white = after("4k3/pp6/8/8/8/8/PPP2P2/RN2K3 w - -").evaluate();
    let black = after("rn2k3/ppp2p2/8/8/8/8/PP6/4K3 b - -").evaluate();
    assert_eq!(white, black);
    assert!(white > 700, "{white}");
}

#[test]
fn the_board_is_drawn_from_white_s_side() {
    let picture = after("e2e4").diagram().to_string();
    assert!(picture.starts_with("8 r n b q k b n r\n7 p p p p p p p p\n"), "{picture}");
    assert!(picture.ends_with("1 R N B Q K B N R\n  a b c d e f g h\n"), "{picture}");
    let position = after(KIWIPETE);
    let castling = position.parse_move("O-O").unwrap();
    assert_eq!(position.cells_of(castling), [60, 63, 61, 62]);
}

#[test]
fn positions_with_everything_keep_the_laws() {
    conformance::check(&after(KIWIPETE), 3, 2);
    conformance::check(&after(PERFT[3].0), 3, 4);
    conformance::check(&after("8/PPPk4/8/8/8/8/4Kppp/8 w - -"), 5, 9);
}
