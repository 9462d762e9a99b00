//! Tests checkers against published counts, and its rules one by one.

use std::collections::HashMap;

use crate::move_paths::perft;
use tesuji_games::rules::checkers::Checkers;
use tesuji_games::{
    Draw, Notation, Outcome, Playable, Position, Side, conformance, random, registry, typed,
};

/// Perft counts from depth 1 (Aart Bik).
const PERFT: &[u64] = &[7, 49, 302, 1469, 7361, 36_768, 179_740, 845_931, 3_963_680, 18_391_564];

#[test]
fn perft_agrees_with_published_counts() {
    for (depth, &leaves) in (1..).zip(PERFT) {
        assert_eq!(perft(&mut Checkers::new(), depth), leaves, "depth {depth}");
    }
}

fn after(text: &str) -> Checkers {
    Checkers::new().parse_line(text).unwrap_or_else(|error| panic!("{text}: {error}")).end
}

fn moves_of(position: &Checkers) -> Vec<String> {
    let mut moves = Vec::new();
    position.for_each_move(|m| moves.push(position.move_text(m)));
    moves.sort();
    moves
}

/// A position, then all its moves, sorted as text.
const MOVES: &[(&str, &[&str])] = &[
    // Men move forward, kings in all four directions.
    ("B:W32:B1", &["1-5", "1-6"]),
    ("W:W18:B1", &["18-14", "18-15"]),
    ("B:W32:BK15", &["15-10", "15-11", "15-18", "15-19"]),
    ("B:W11:B15", &["15-18", "15-19"]),
    ("B:W11:BK15", &["15x8"]),
    // Captures are compulsory and must be completed, but the largest one need not be chosen.
    ("B:W6,15,22:B1,17", &["17x26", "1x19"]),
    ("B:W6:BK1", &["1x10"]),
    // A man that is crowned stops, where a king continues.
    ("B:W26,27:B22", &["22x31"]),
    ("B:W26,27:BK22", &["22x24"]),
    // Two captures over different pieces end on the same square: all squares are written.
    ("B:W6,7,14,15:B2", &["2x11x18", "2x9x18"]),
    // A king jumps around four pieces back to its origin: both directions are one move.
    ("B:W6,7,14,15:BK2", &["2x2"]),
    ("B:W6,7,14,15,22:BK18", &["18x11x2x9x18x25", "18x25"]),
    ("B:W6,7,14,15,22:BK2", &["2x11x18x25", "2x2", "2x9x18x25"]),
];

#[test]
fn moves_follow_the_rules() {
    for (position, expected) in MOVES {
        assert_eq!(moves_of(&after(position)), *expected, "{position}");
    }
}

#[test]
fn captured_pieces_come_off() {
    for (line, expected) in [
        ("B:W26,27:B22 22x31", "W:W27:BK31"),
        ("B:W26,27:BK22 22x24", "W:W:BK24"),
        ("B:W6,7,14,15:B2 2x9x18", "W:W7,15:B18"),
        ("B:W6,7,14,15:BK2 2x2", "W:W:BK2"),
        ("B:W6,7,14,15,22:BK18 18x25", "W:W6,7,14,15:BK25"),
    ] {
        assert_eq!(after(line).position_text().as_deref(), Some(expected), "{line}");
    }
}

#[test]
fn captures_are_read_short_and_in_full() {
    let same = |position: &str, texts: &[&str]| {
        let start = after(position);
        let moves: Vec<_> = texts.iter().map(|text| start.parse_move(text).unwrap()).collect();
        assert!(moves.windows(2).all(|pair| pair[0] == pair[1]), "{position}: {moves:?}");
    };
    same("B:W6,7,14,15:BK2", &["2x2", "2x11x18x9x2", "2X9x18X11x2"]);
    same("B:W6,15,22:B1,17", &["1x19", "1x10x19"]);
    let error = after("B:W6,7,14,15:B2").parse_move("2x18").unwrap_err().to_string();
    assert!(error.contains("several"), "{error}");
    for text in
        ["", "1", "1-", "0-1", "1-33", "1x", "x", "2x9", "2x18x9", "2x7x18", "2x9x18x27", "é"]
    {
        let error = after("B:W6,7,14,15:B2").parse_move(text).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn a_side_without_a_move_has_lost() {
    for position in ["W:W:B1", "W:W5:B1", "W:W5,9:B1,6,2"] {
        assert_eq!(after(position).outcome(), Some(Outcome::Win(Side::First)), "{position}");
    }
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let there_and_back = " 1-6 32-27 6-1 27-32".repeat(2);
    let line = after("B:WK32:BK1").parse_line(there_and_back.trim()).unwrap();
    assert_eq!(line.end.outcome(), Some(Outcome::Draw));
    let mut shorter = line.clone();
    shorter.take_back();
    assert_eq!(shorter.end.outcome(), None);
}

/// Checks the draw rules against positions as text and a separate counter.
#[test]
fn draws_come_exactly_when_the_rules_say() {
    let starts = ["", "B:WK32,K31,K30:BK1,K2,K3", "W:WK18:BK1,5"];
    let mut rng = random::seeded(80);
    let (mut repetitions, mut quiet_draws) = (0, 0);
    for game in 0..300 {
        let mut position = after(starts[game % starts.len()]).with_draw_plies(80);
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut quiet = 0;
        loop {
            let text = position.position_text().unwrap();
            let occurrences = seen.entry(text.clone()).or_default();
            *occurrences += 1;
            let repeated = *occurrences == 3;
            let drawn = position.outcome() == Some(Outcome::Draw);
            let lost = matches!(position.outcome(), Some(Outcome::Win(_)));
            assert_eq!(drawn, !lost && (quiet == 80 || repeated), "{text}, {quiet} quiet plies");
            if drawn || lost {
                repetitions += u32::from(drawn && repeated);
                quiet_draws += u32::from(drawn && quiet == 80);
                break;
            }
            let m = position.random_move(&mut rng);
            position.play(m);
            let after = position.position_text().unwrap();
            let only_kings_moved = men_of(&text) == men_of(&after);
            let same_count = text.matches(',').count() == after.matches(',').count();
            quiet = if only_kings_moved && same_count { quiet + 1 } else { 0 };
        }
    }
    assert!(repetitions > 0 && quiet_draws > 0, "{repetitions} repetitions, {quiet_draws} quiet");
}

/// The men of a position's text.
fn men_of(text: &str) -> Vec<String> {
    let mut men = Vec::new();
    for side in text.split(':').skip(1) {
        let squares = side[1..].split(',').filter(|square| !square.starts_with('K'));
        men.extend(squares.map(|square| format!("{}{square}", &side[..1])));
    }
    men
}

#[test]
fn positions_are_written_and_read() {
    let start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
    assert_eq!(Checkers::new().position_text().as_deref(), Some(start));
    assert_eq!(after(start).key(), Checkers::new().key());
    assert_eq!(after("b:b1,k2:w32.").position_text().as_deref(), Some("B:W32:B1,K2"));
    let line = Checkers::new().parse_line("W:W18:BK1  18-15, 1-6").unwrap();
    assert_eq!((line.moves.len(), line.text().as_str()), (2, "18-15 1-6"));
}

#[test]
fn bad_positions_are_rejected() {
    for text in [
        "B:",
        "B::",
        "X:W1:B2",
        "B:W1",
        "B:W1:W2",
        "B:W1:B1",
        "B:W33:B1",
        "B:W1,:B2",
        "B:W9,9:B1",
        "B:W1:B2",
        "B:W9:B32",
        "B:W9:BKK1",
        "B:W9:B0",
        "B:W9:B1:B2",
        "B:WK:B1",
        "B:W9-12:B1",
        "é:W9:B1",
        "B:W13,14,15,16,17,18,19,20,21,22,23,24,25:B1",
        "B:W9:é",
    ] {
        let error = Checkers::new().parse_line(text).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn the_board_is_drawn_with_square_one_at_the_top() {
    let picture = "  1-4   b   .   .   .\n  5-8 .   .   .   .\n 9-12   .   .   .   .\n\
                   13-16 .   .   .   .\n17-20   .   .   .   .\n21-24 .   B   .   .\n\
                   25-28   .   .   .   .\n29-32 W   .   .   w\n\n";
    assert_eq!(after("B:W32,K29:B1,K22").diagram().to_string(), picture);
}

#[test]
fn endgames_keep_the_laws() {
    conformance::check(&after("B:WK32,K31,30:BK1,K2,3"), 10, 3);
    conformance::check(&after("B:W6,7,14,15,22:BK2"), 10, 5);
}

struct PliesToDraw;

impl PliesToDraw {
    fn visit<P: Playable>(self, start: P) -> usize {
        let mut line = start.parse_line("B:WK32:BK1").unwrap();
        for text in ["1-6", "32-27", "6-10", "27-24", "10-15", "24-28", "15-10", "28-32"] {
            if line.end.outcome().is_none() {
                line.extend(text).unwrap();
            }
        }
        line.moves.len()
    }
}

#[test]
fn the_number_of_quiet_plies_is_an_option() {
    assert_eq!(
        registry::start("checkers:draw-plies=3")
            .map(|state| typed!(state, |start| PliesToDraw.visit(Clone::clone(start)))),
        Ok(3)
    );
    assert_eq!(
        registry::start("checkers")
            .map(|state| typed!(state, |start| PliesToDraw.visit(Clone::clone(start)))),
        Ok(8)
    );
    for text in ["checkers:draw-plies=0", "checkers:draw-plies=many", "checkers:8x8"] {
        assert!(
            registry::start(text)
                .map(|state| typed!(state, |start| PliesToDraw.visit(Clone::clone(start))))
                .is_err(),
            "{text}"
        );
    }
}
