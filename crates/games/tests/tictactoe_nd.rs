//! Tests tic-tac-toe in several dimensions: the generated lines, the symmetries, and the game.

use std::collections::HashSet;

use tesuji_games::random::seeded;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::rules::tictactoe_nd::{FEW_LINES, MAX_LINES, NdGeometry, TicTacToeNd};
use tesuji_games::{
    Draw, Heuristic, MoveOrder, Notation, Outcome, Playable, Position, Side, Symmetry, Tactics,
    conformance, registry, typed,
};

type Small = TicTacToeNd<FEW_LINES>;
type Big = TicTacToeNd<MAX_LINES>;

fn geometry(side: usize, dimensions: usize) -> &'static NdGeometry {
    NdGeometry::get(side, dimensions).unwrap()
}

/// All valid boards.
fn all_sizes() -> impl Iterator<Item = (usize, usize)> {
    (2..=4)
        .flat_map(|dimensions| (2..=16).map(move |side| (side, dimensions)))
        .filter(|&(side, dimensions)| NdGeometry::get(side, dimensions).is_some())
}

#[test]
fn lines_are_as_many_as_the_formula_says() {
    for (side, dimensions) in all_sizes() {
        let lines = geometry(side, dimensions).lines();
        let power = |base: usize| base.pow(dimensions as u32);
        assert_eq!(lines.len(), (power(side + 2) - power(side)) / 2, "{side}^{dimensions}");
        let distinct: HashSet<Vec<u8>> = lines
            .iter()
            .map(|line| {
                let mut cells = line.clone();
                cells.sort();
                cells.dedup();
                assert_eq!(cells.len(), side);
                cells
            })
            .collect();
        assert_eq!(distinct.len(), lines.len(), "{side}^{dimensions}");
    }
    let known = [((3, 2), 8), ((3, 3), 49), ((4, 3), 76), ((3, 4), 272), ((4, 4), 520)];
    for ((side, dimensions), count) in known {
        assert_eq!(geometry(side, dimensions).lines().len(), count);
    }
    assert_eq!(all_sizes().count(), 15 + 5 + 3);
}

#[test]
fn qubic_has_16_rich_and_48_poor_cells() {
    let through = |cell: u8| geometry(4, 3).lines_through(cell).len();
    assert_eq!((0..64).filter(|&cell| through(cell) == 7).count(), 16);
    assert_eq!((0..64).filter(|&cell| through(cell) == 4).count(), 48);
}

#[test]
fn symmetries_are_distinct_and_keep_the_lines() {
    for (side, dimensions) in all_sizes() {
        let geometry = geometry(side, dimensions);
        let sorted = |mut cells: Vec<u8>| {
            cells.sort();
            cells
        };
        let lines: HashSet<Vec<u8>> = geometry.lines().iter().cloned().map(sorted).collect();
        for symmetry in geometry.symmetries() {
            for line in geometry.lines() {
                let image = line.iter().map(|&cell| symmetry[usize::from(cell)]).collect();
                assert!(lines.contains(&sorted(image)), "{side}^{dimensions}");
            }
        }
        let distinct: HashSet<&Vec<u8>> = geometry.symmetries().iter().collect();
        let expected = match (side, dimensions) {
            (4, 3) => 192,
            (_, 2) => 8,
            (_, 3) => 48,
            _ => 384,
        };
        assert_eq!(distinct.len(), expected, "{side}^{dimensions}");
        assert_eq!(geometry.symmetries().len(), expected, "{side}^{dimensions}");
    }
}

/// The first side fills the line; the second side answers elsewhere without winning.
fn fill<const LINES: usize>(start: &TicTacToeNd<LINES>, line: &[u8], missing: usize) {
    let mut game = start.clone();
    for (place, &cell) in line.iter().enumerate().filter(|(place, _)| *place != missing) {
        game.play(cell);
        assert_eq!(game.outcome(), None, "{place} marks of {}", line.len());
        let elsewhere = moves_of(&game).into_iter().find(|&m| {
            let mut child = game.clone();
            child.play(m);
            !line.contains(&m) && child.outcome().is_none()
        });
        game.play(elsewhere.unwrap());
    }
    assert!(game.winning_move().is_some());
    game.play(line[missing]);
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)), "{line:?}");
}

fn moves_of<P: Position>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    moves
}

#[test]
fn every_line_wins() {
    for (side, dimensions) in [(3, 2), (16, 2), (3, 3), (4, 3), (6, 3), (3, 4), (4, 4)] {
        let geometry = geometry(side, dimensions);
        for (number, line) in geometry.lines().iter().enumerate() {
            if geometry.lines().len() <= FEW_LINES {
                fill(&Small::new(geometry), line, number % side);
            }
            fill(&Big::new(geometry), line, number % side);
        }
    }
}

#[test]
fn two_dimensions_of_three_are_tictactoe() {
    fn agree(ours: &mut Small, theirs: &mut TicTacToe, games: &mut usize) {
        assert_eq!(ours.outcome(), theirs.outcome());
        assert_eq!(moves_of(ours), moves_of(theirs));
        assert_eq!(ours.diagram(), theirs.diagram());
        if ours.outcome().is_some() {
            *games += 1;
            return;
        }
        assert_eq!(ours.to_move(), theirs.to_move());
        assert_eq!(ours.winning_move().is_some(), theirs.winning_move().is_some());
        assert_eq!(ours.may_stand_pat(), theirs.may_stand_pat());
        for m in moves_of(ours) {
            assert_eq!(ours.move_text(m), theirs.move_text(m));
            let undo = (ours.play(m), theirs.play(m));
            agree(ours, theirs, games);
            ours.undo(m, undo.0);
            theirs.undo(m, undo.1);
        }
    }
    // Only two openings, because comparing diagrams is slow.
    let mut games = 0;
    for opening in ["a1b1", "b2b1"] {
        let mut ours = Small::new(geometry(3, 2)).parse_line(opening).unwrap().end;
        let mut theirs = TicTacToe::new().parse_line(opening).unwrap().end;
        agree(&mut ours, &mut theirs, &mut games);
    }
    assert!(games > 5_000, "{games} games");
}

#[test]
fn positions_of_3x3_are_counted() {
    let mut layer = vec![Small::new(geometry(3, 2))];
    let (mut positions, mut classes) = (0, 0);
    while !layer.is_empty() {
        positions += layer.len();
        classes += layer.iter().map(Symmetry::canonical_key).collect::<HashSet<_>>().len();
        let mut next = Vec::new();
        let mut seen = HashSet::new();
        for position in &layer {
            for m in moves_of(position) {
                let mut child = position.clone();
                child.play(m);
                if seen.insert(child.key()) {
                    next.push(child);
                }
            }
        }
        layer = next;
    }
    assert_eq!((positions, classes), (5_478, 765));
}

/// Compares the estimate and the move order with sums over all lines.
fn estimates_agree<const LINES: usize>(start: &TicTacToeNd<LINES>, side: usize, seed: u64) {
    let worth = |marks: usize| if marks == 0 { 0 } else { 8_i32.pow(marks as u32 - 1) };
    let mut rng = seeded(seed);
    let mut game = start.clone();
    assert!(side <= 7);
    while game.outcome().is_none() {
        let count = |line: &[u8], owner: Side| {
            line.iter().filter(|&&cell| game.side_at(cell) == Some(owner)).count()
        };
        let me = game.to_move();
        let lines = game.geometry().lines();
        let counts: Vec<_> = lines.iter().map(|l| (count(l, me), count(l, !me))).collect();
        let value = counts.iter().map(|&counts| match counts {
            (mine, 0) => worth(mine),
            (0, theirs) => -worth(theirs),
            _ => 0,
        });
        assert_eq!(game.evaluate(), value.sum::<i32>());
        let m = game.random_move(&mut rng);
        let through = (0..lines.len()).filter(|&line| lines[line].contains(&m));
        let score = through.map(|line| match counts[line] {
            (mine, 0) => 2 * worth(mine + 1),
            (0, theirs) => worth(theirs + 1),
            _ => 0,
        });
        assert_eq!(game.move_score(m), score.sum::<i32>());
        game.play(m);
    }
}

#[test]
fn estimates_equal_the_scan() {
    for seed in 0..20 {
        for (side, dimensions) in [(3, 2), (3, 3), (4, 3), (7, 2)] {
            estimates_agree(&Small::new(geometry(side, dimensions)), side, seed);
        }
        for (side, dimensions) in [(6, 3), (3, 4), (4, 4)] {
            estimates_agree(&Big::new(geometry(side, dimensions)), side, seed);
        }
    }
}

#[test]
fn cells_are_written_with_letters_and_numbers_in_turn() {
    let qubic = Small::new(geometry(4, 3));
    assert_eq!(qubic.move_text(0), "a1a");
    assert_eq!(qubic.parse_move("b2c"), Ok(1 + 4 + 2 * 16));
    assert_eq!(qubic.parse_line("a1ab2bD4d c3c,a1b").unwrap().moves, [0, 21, 63, 42, 16]);
    let four = Big::new(geometry(3, 4));
    assert_eq!(four.parse_line("b2b2a1a1").unwrap().moves, [40, 0]);
    for text in ["", "a", "a1", "a5a", "e1a", "a0a", "é1a", "a1é", "a11"] {
        let error = qubic.parse_move(text).unwrap_err().to_string();
        assert!(error.contains("a1a to d4d"), "{text}: {error}");
    }
}

#[test]
fn layers_stand_side_by_side() {
    let cube = Small::new(geometry(3, 3)).parse_line("b2ba1ac3c").unwrap().end;
    let expected = "\
a         b         c
3 . . .   3 . . .   3 . . X
2 . . .   2 . X .   2 . . .
1 O . .   1 . . .   1 . . .
  a b c     a b c     a b c
";
    assert_eq!(cube.diagram().to_string(), expected);
    let four = Big::new(geometry(3, 4)).parse_line("a1c1").unwrap().end.diagram();
    assert_eq!((four.layers.len(), four.layers_across), (9, 3));
    assert_eq!((four.layers[0].as_str(), four.layers[8].as_str()), ("a3", "c1"));
    assert_eq!(
        four.cells.iter().position(|&c| c != tesuji_games::DiagramCell::Empty),
        Some(8 * 9 + 6)
    );
}

struct Conform;

impl Conform {
    fn visit<P: Playable>(self, start: P) {
        conformance::check(&start, 2, 5);
    }
}

#[test]
fn unusual_boards_keep_the_laws() {
    for size in ["2x2", "16x16", "2x2x2", "5x5x5", "2x2x2x2"] {
        registry::start(&format!("tictactoe-nd:{size}"))
            .map(|state| typed!(state, |start| Conform.visit(Clone::clone(start))))
            .unwrap();
    }
}

#[test]
fn impossible_boards_are_rejected_with_an_example() {
    for size in ["3x3x4", "1x1", "0x0x0", "17x17", "7x7x7", "2x2x2x2x2", "1000000x1000000"] {
        let error = registry::start(&format!("tictactoe-nd:{size}"))
            .map(|state| typed!(state, |start| Conform.visit(Clone::clone(start))))
            .unwrap_err()
            .to_string();
        assert!(error.contains(&format!("size '{size}'")) && error.contains("4x4x4"), "{error}");
    }
}
