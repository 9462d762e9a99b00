//! Tests Connect Four against published counts, and the bitboard against the array, move by move.

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::{Connect4, Connect4Size, FixedSize, Geometry, RuntimeSize};
use tesuji_games::rules::connect4_array::{Connect4Array, ThreeScoring};
use tesuji_games::{
    Draw, Heuristic, MoveOrder, Notation, Outcome, Playable, Position, Side, SpecError, Symmetry,
    conformance, random_playout, registry, typed,
};

fn size(width: usize, height: usize) -> Connect4Size {
    Connect4Size::new(width, height).unwrap()
}

fn narrow(width: usize, height: usize) -> Connect4<RuntimeSize<u64>> {
    Connect4::on(RuntimeSize::narrow(size(width, height)).unwrap())
}

fn wide(width: usize, height: usize) -> Connect4<RuntimeSize<u128>> {
    Connect4::on(RuntimeSize::wide(size(width, height)))
}

fn moves_of<P: Position>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    moves
}

/// Adds the number of move paths of each length from 1 to `paths.len()`.
fn count_paths<P: Position>(position: &mut P, paths: &mut [u64]) {
    let Some((here, deeper)) = paths.split_first_mut() else { return };
    *here += position.move_count() as u64;
    if !deeper.is_empty() {
        position.clone().for_each_move(|m| {
            let undo = position.play(m);
            count_paths(position, deeper);
            position.undo(m, undo);
        });
    }
}

#[test]
fn move_paths_on_the_usual_board() {
    let mut paths = [0; 9];
    count_paths(&mut Connect4::new(), &mut paths);
    assert_eq!(paths, [7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]);
    let mut paths = [0; 7];
    count_paths(&mut Connect4Array::new(Connect4Size::STANDARD, ThreeScoring::Plain), &mut paths);
    assert_eq!(paths, [7, 49, 343, 2401, 16807, 117649, 823536]);
}

#[test]
fn move_paths_on_four_by_four_to_the_end() {
    let mut paths = [0; 16];
    count_paths(&mut narrow(4, 4), &mut paths);
    let published = [
        4, 16, 64, 256, 1020, 4020, 15540, 57504, 206904, 690504, 2160504, 5992096, 14712024,
        28850920, 42756080, 35613284,
    ];
    assert_eq!(paths, published);
}

/// The number of distinct positions after each number of moves.
fn positions_by_ply<G: Geometry>(start: Connect4<G>, plies: usize) -> Vec<usize> {
    let mut counts = vec![1];
    let mut layer = vec![start];
    while counts.len() <= plies && !layer.is_empty() {
        let mut next = Vec::new();
        for position in layer {
            position.for_each_move(|m| {
                let mut child = position;
                child.play(m);
                next.push(child);
            });
        }
        next.sort_unstable_by_key(Connect4::code);
        next.dedup_by_key(|position| position.code());
        counts.push(next.len());
        layer = next;
    }
    counts
}

#[test]
fn distinct_positions_by_ply() {
    let published = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275];
    assert_eq!(positions_by_ply(Connect4::new(), 8), published);
    assert_eq!(positions_by_ply(wide(7, 6), 6), published[..7]);
}

#[test]
fn distinct_positions_by_board_size() {
    let count = |counts: Vec<usize>| counts.into_iter().sum::<usize>();
    for (width, height, published) in [
        (1, 1, 2),
        (8, 1, 2118),
        (7, 2, 189_648),
        (5, 3, 158_911),
        (4, 4, 161_029),
        (4, 5, 1_706_255),
        (3, 6, 235_781),
        (2, 8, 13_343),
        (1, 8, 9),
    ] {
        let found = count(positions_by_ply(narrow(width, height), usize::MAX));
        assert_eq!(found, published, "{width}x{height} in 64 bits");
        if published < 200_000 {
            let found = count(positions_by_ply(wide(width, height), usize::MAX));
            assert_eq!(found, published, "{width}x{height} in 128 bits");
        }
    }
    assert_eq!(count(positions_by_ply(Connect4::on(FixedSize::<4, 4>), usize::MAX)), 161_029);
}

/// Plays the same random games on both boards and compares their observable state.
fn agree_on_random_games<G: Geometry>(start: Connect4<G>, games: u64) {
    let mut rng = seeded(44_535);
    for _ in 0..games {
        let mut bits = start;
        let mut array = Connect4Array::new(start.geometry().size(), ThreeScoring::Plain);
        loop {
            let place = || format!("{:?}\n{}", start.geometry().size(), bits.diagram());
            assert_eq!(bits.diagram(), array.diagram());
            assert_eq!(bits.outcome(), array.outcome(), "{}", place());
            assert_eq!(bits.to_move(), array.to_move(), "{}", place());
            let (squares, columns) = (moves_of(&bits), moves_of(&array));
            let of_squares: Vec<_> =
                squares.iter().map(|&m| (bits.move_text(m), bits.move_score(m))).collect();
            let of_columns: Vec<_> =
                columns.iter().map(|&m| (array.move_text(m), array.move_score(m))).collect();
            assert_eq!(of_squares, of_columns, "{}", place());
            if bits.outcome().is_some() {
                break;
            }
            assert_eq!(bits.evaluate(), array.evaluate(), "{}", place());
            let winning_square = bits.winning_move().map(|m| bits.move_text(m));
            let winning_column = array.winning_move().map(|m| array.move_text(m));
            assert_eq!(winning_square, winning_column, "{}", place());
            let m = bits.random_move(&mut rng);
            let column = array.parse_move(&bits.move_text(m)).unwrap();
            bits.play(m);
            array.play(column);
        }
    }
}

/// The largest sizes for each integer type, and boards too small for some or all lines.
const ODD_SIZES: [(usize, usize); 14] = [
    (4, 4),
    (5, 4),
    (8, 7),
    (9, 6),
    (6, 9),
    (10, 11),
    (8, 15),
    (4, 31),
    (64, 1),
    (42, 2),
    (3, 3),
    (3, 41),
    (1, 127),
    (2, 2),
];

#[test]
fn bitboard_and_array_agree() {
    agree_on_random_games(Connect4::new(), 300);
    agree_on_random_games(Connect4::on(FixedSize::<7, 7>), 100);
    for (width, height) in ODD_SIZES {
        agree_on_random_games(wide(width, height), 20);
        if let Some(geometry) = RuntimeSize::narrow(size(width, height)) {
            agree_on_random_games(Connect4::on(geometry), 20);
        }
    }
}

struct Check;

impl Check {
    fn visit<P: Playable>(self, start: P) {
        conformance::check(&start, 3, 1988);
    }
}

#[test]
fn every_size_keeps_the_laws() {
    for (width, height) in ODD_SIZES {
        for name in ["connect4", "connect4-array"] {
            registry::start(&format!("{name}:{width}x{height}"))
                .map(|state| typed!(state, |start| Check.visit(Clone::clone(start))))
                .unwrap();
        }
    }
    registry::start("connect4:7x7")
        .map(|state| typed!(state, |start| Check.visit(Clone::clone(start))))
        .unwrap();
}

#[test]
fn the_wide_board_agrees_with_the_narrow_one() {
    let mut rng = seeded(6);
    // The fixed board uses a byte per column, the other one seven bits.
    let packed = |bits: u64| (0..7).map(|c| u128::from(bits >> (8 * c) & 0x7f) << (7 * c)).sum();
    for _ in 0..200 {
        let (mut fixed, mut broad) = (Connect4::new(), wide(7, 6));
        while fixed.outcome().is_none() {
            assert_eq!(broad.code(), packed(fixed.code()));
            assert_eq!(broad.winning_cells(), packed(fixed.winning_cells()));
            assert_eq!(broad.non_losing_cells(), packed(fixed.non_losing_cells()));
            assert_eq!(broad.mirrored().code(), packed(fixed.mirrored().code()));
            assert_eq!(fixed.evaluate(), broad.evaluate());
            let m = fixed.random_move(&mut rng);
            broad.play(broad.drop_into(fixed.column(m)).unwrap());
            fixed.play(m);
        }
        assert_eq!(fixed.outcome(), broad.outcome());
    }
}

/// Compares `winning_cells` and `non_losing_cells` with trying every move.
#[test]
fn threats_are_what_trying_every_move_finds() {
    let mut rng = seeded(69);
    let wins_at_once = |position: &Connect4| {
        let mut cells = 0;
        for m in moves_of(position) {
            let mut child = *position;
            child.play(m);
            if child.outcome() == Some(Outcome::Win(position.to_move())) {
                cells |= 1u64 << m.bit();
            }
        }
        cells
    };
    for _ in 0..300 {
        let mut position = Connect4::new();
        while position.outcome().is_none() {
            let playable = position.playable_cells();
            assert_eq!(position.winning_cells() & playable, wins_at_once(&position));
            if wins_at_once(&position) == 0 {
                let safe = moves_of(&position).into_iter().filter(|&m| {
                    let mut child = position;
                    child.play(m);
                    wins_at_once(&child) == 0
                });
                let safe = safe.fold(0, |cells, m| cells | 1u64 << m.bit());
                assert_eq!(position.non_losing_cells(), safe, "\n{}", position.diagram());
            }
            let m = position.random_move(&mut rng);
            position.play(m);
        }
    }
}

/// A minimal alpha-beta search. Earlier wins have larger values.
fn negamax(position: &Connect4, depth: i32, mut alpha: i32, beta: i32) -> i32 {
    const WON: i32 = 1_000_000;
    match position.outcome() {
        Some(Outcome::Win(_)) => return -WON - depth,
        Some(Outcome::Draw) => return 0,
        None if depth == 0 => return position.evaluate(),
        None => {}
    }
    let mut moves = moves_of(position);
    moves.sort_by_key(|&m| -position.move_score(m));
    for m in moves {
        let mut child = *position;
        child.play(m);
        alpha = alpha.max(-negamax(&child, depth - 1, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

#[test]
fn root_values_of_anigmo() {
    let root_values = |depth| -> Vec<i32> {
        let start = Connect4::new();
        let value = |m| {
            let mut child = start;
            child.play(m);
            -negamax(&child, depth, -i32::MAX, i32::MAX)
        };
        moves_of(&start).into_iter().map(value).collect()
    };
    assert_eq!(root_values(5), [-21, -14, -9, -5, -9, -14, -21]);
    assert_eq!(root_values(6), [13, 16, 27, 41, 27, 16, 13]);
    assert_eq!(root_values(8), [22, 25, 36, 68, 36, 25, 22]);
}

#[test]
fn parity_doubles_threes_on_the_owners_rows() {
    let value_after = |text: &str, threes| {
        Connect4Array::new(Connect4Size::STANDARD, threes).parse_line(text).unwrap().end.evaluate()
    };
    for (text, gain) in [
        ("273746", 2 * 128), // the first side's three on row 1, open at both ends
        ("7273646", 0),      // the second side's
        ("12131", 0),        // the first side's three up a column, its gap on row 4
        ("212151", -128),    // the second side's
    ] {
        let by_parity = value_after(text, ThreeScoring::ByParity);
        assert_eq!(by_parity - value_after(text, ThreeScoring::Plain), gain, "{text}");
    }
}

#[test]
fn columns_are_written_and_read() {
    let line = Connect4::new().parse_line("4453").unwrap();
    assert_eq!(line.end.ply(), 4);
    assert_eq!(line.text(), "4453");
    let picture = "\
6 . . . . . . .
5 . . . . . . .
4 . . . . . . .
3 . . . . . . .
2 . . . O . . .
1 . . O X X . .
  1 2 3 4 5 6 7
";
    assert_eq!(line.end.diagram().to_string(), picture);
    let broad = wide(12, 8);
    assert_eq!(broad.parse_line("9abc").unwrap().text(), "9abc");
    for (text, culprit) in [
        ("8", "a column from 1 to 7"),
        ("0", "a column from 1 to 7"),
        ("x4", "\"x4\""),
        ("4444444", "a column that is not full, such as 1"),
        ("12121212", "over"),
    ] {
        let error = Connect4::new().parse_line(text).unwrap_err().to_string();
        assert!(error.contains(culprit) && !error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn impossible_sizes_are_rejected_with_an_example() {
    let endless = "9".repeat(40) + "x6";
    let mut bad_sizes =
        vec!["0x0", "0x6", "7x0", "1000000x1000000", "8x16", "1x128", "7x6x2", "7x"];
    bad_sizes.push(&endless);
    for bad in bad_sizes {
        for name in ["connect4", "connect4-array"] {
            let error = registry::start(&format!("{name}:{bad}"))
                .map(|state| typed!(state, |start| Check.visit(Clone::clone(start))))
                .unwrap_err();
            assert!(matches!(error, SpecError::BadValue { .. }), "{error}");
            assert!(error.to_string().contains("such as 7x6"), "{error}");
        }
    }
    assert!(
        registry::start("connect4:parity=off")
            .map(|state| typed!(state, |start| Check.visit(Clone::clone(start))))
            .is_err()
    );
    assert!(
        registry::start("connect4-array:parity=perhaps")
            .map(|state| typed!(state, |start| Check.visit(Clone::clone(start))))
            .is_err()
    );
    assert!(
        registry::start("connect4-array:parity=off")
            .map(|state| typed!(state, |start| Check.visit(Clone::clone(start))))
            .is_ok()
    );
}

#[test]
fn boards_without_room_for_four_are_always_drawn() {
    let mut rng = seeded(3);
    for (width, height) in [(1, 1), (3, 3), (2, 3), (1, 3)] {
        for _ in 0..20 {
            let outcome = random_playout(&mut narrow(width, height), &mut rng);
            assert_eq!(outcome, Outcome::Draw);
        }
    }
}

#[test]
fn mirror_images_share_a_key() {
    let end = |text: &str| Connect4::new().parse_line(text).unwrap().end;
    assert_eq!(end("1123").canonical_key(), end("7765").canonical_key());
    assert_ne!(end("1123").canonical_key(), end("1132").canonical_key());
    assert_eq!(end("112").mirrored(), end("776"));
    assert_eq!(end("1").to_move(), Side::Second);
}
