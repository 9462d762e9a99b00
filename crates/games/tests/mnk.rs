//! Tests the (m,n,k,p,q) games against published counts, slow scans and each other.

use std::collections::HashSet;

use crate::move_paths::perft;
use tesuji_games::random::seeded;
use tesuji_games::rules::mnk::bit_board::BitBoard;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkBoard, MnkRules};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{
    Heuristic, MoveOrder, Notation, Outcome, Playable, Position, RowRule, Side, Symmetry, Tactics,
    conformance, registry, typed,
};

fn rules(width: usize, height: usize, k: usize) -> MnkRules {
    MnkRules::new(width, height, k).unwrap()
}

/// Positions and terminal positions reachable from the start, ply by ply.
#[derive(Default, PartialEq, Debug)]
struct Counts {
    per_ply: Vec<usize>,
    up_to_symmetry: usize,
    ended: [usize; 3],
}

fn count<B: MnkBoard>(rules: MnkRules) -> Counts {
    let mut counts = Counts::default();
    let mut layer = vec![Mnk::<B>::new(rules)];
    while !layer.is_empty() {
        counts.per_ply.push(layer.len());
        let classes: HashSet<u64> = layer.iter().map(Symmetry::canonical_key).collect();
        counts.up_to_symmetry += classes.len();
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in layer {
            match position.outcome() {
                Some(Outcome::Win(side)) => counts.ended[side.index()] += 1,
                Some(Outcome::Draw) => counts.ended[2] += 1,
                None => {}
            }
            position.for_each_move(|m| {
                let mut child = position.clone();
                child.play(m);
                if seen.insert(child.key()) {
                    next.push(child);
                }
            });
        }
        layer = next;
    }
    counts
}

fn assert_counts<B: MnkBoard>(
    (height, width, k): (usize, usize, usize),
    up_to_symmetry: usize,
    ended: [usize; 3],
    per_ply: &[usize],
) {
    let per_ply = per_ply.to_vec();
    let expected = Counts { per_ply, up_to_symmetry, ended };
    assert_eq!(count::<B>(rules(width, height, k)), expected, "({height},{width},{k})");
}

#[test]
fn tiny_boards_have_the_known_numbers_of_positions() {
    fn on<B: MnkBoard>() {
        assert_counts::<B>((2, 2, 2), 6, [12, 0, 0], &[1, 4, 12, 12]);
        assert_counts::<B>((1, 5, 3), 52, [3, 0, 7], &[1, 5, 20, 30, 30, 10]);
        assert_counts::<B>((2, 3, 3), 75, [6, 0, 18], &[1, 6, 30, 60, 90, 60, 18]);
        let per_ply = [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78];
        assert_counts::<B>((3, 3, 3), 765, [626, 316, 16], &per_ply);
        let per_ply = [1, 12, 132, 660, 2970, 7920, 17304, 25956, 26040, 20832, 7644, 2354, 148];
        assert_counts::<B>((3, 4, 3), 28_275, [20_312, 12_070, 28], &per_ply);
    }
    on::<BitBoard>();
    on::<LineBoard>();
}

#[test]
fn small_boards_have_the_known_numbers_of_positions() {
    let per_ply = [
        1, 14, 182, 1092, 6006, 20020, 58410, 116820, 188790, 226548, 193032, 127676, 48446, 13452,
        1242,
    ];
    assert_counts::<BitBoard>((2, 7, 3), 250_856, [119_992, 79_152, 666], &per_ply);
    let per_ply = [
        1, 15, 210, 1365, 8190, 30030, 95700, 215325, 373230, 522522, 462924, 373290, 145080,
        52276, 6068, 442,
    ];
    assert_counts::<BitBoard>((3, 5, 3), 573_900, [526_930, 352_638, 30], &per_ply);
}

/// Counts the games of each result by playing them all.
fn complete_games<P: Position>(position: &mut P, ended: &mut [u64; 3]) {
    match position.outcome() {
        Some(Outcome::Win(side)) => ended[side.index()] += 1,
        Some(Outcome::Draw) => ended[2] += 1,
        None => {
            let mut moves = Vec::new();
            position.push_moves(&mut moves);
            for m in moves {
                let undo = position.play(m);
                complete_games(position, ended);
                position.undo(m, undo);
            }
        }
    }
}

#[test]
fn complete_games_are_counted() {
    fn on<B: MnkBoard>(width: usize, height: usize, k: usize) -> [u64; 3] {
        let mut ended = [0; 3];
        complete_games(&mut Mnk::<B>::new(rules(width, height, k)), &mut ended);
        ended
    }
    assert_eq!(on::<BitBoard>(2, 2, 2), [24, 0, 0]);
    assert_eq!(on::<BitBoard>(5, 1, 3), [36, 0, 84]);
    assert_eq!(on::<BitBoard>(3, 2, 3), [72, 0, 648]);
    assert_eq!(on::<BitBoard>(3, 3, 3), [131_184, 77_904, 46_080]);
    assert_eq!(on::<LineBoard>(3, 3, 3), [131_184, 77_904, 46_080]);
}

/// Before the first possible win, the number of paths is a falling factorial.
#[test]
fn perft_of_open_boards() {
    let falling = |cells: u64, depth: u64| (cells - depth + 1..=cells).product::<u64>();
    assert_eq!(perft(&mut Mnk::<LineBoard>::new(rules(15, 15, 5)), 3), falling(225, 3));
    assert_eq!(perft(&mut Mnk::<BitBoard>::new(rules(5, 5, 4)), 5), falling(25, 5));
    let connect6 = rules(19, 19, 6).with_turns(2, 1).unwrap();
    assert_eq!(perft(&mut Mnk::<LineBoard>::new(connect6), 2), falling(361, 2));
}

/// Three in a row on 4x4 has early wins. The count of depth 7 is from one run of the plain count.
#[test]
fn perft_agrees_with_a_plain_count() {
    let mut bits = Mnk::<BitBoard>::new(rules(4, 4, 3));
    let mut lines = Mnk::<LineBoard>::new(rules(4, 4, 3));
    for depth in 1..=5 {
        let expected = plain_perft(&mut [[None; 4]; 4], Side::First, depth);
        assert_eq!(perft(&mut bits, depth), expected);
        assert_eq!(perft(&mut lines, depth), expected);
    }
    assert_eq!(perft(&mut lines, 6), 5_518_656);
    assert_eq!(perft(&mut bits, 7), 52_817_760);
}

/// Perft of three in a row on 4x4, on an array, without the rules of the library.
fn plain_perft(board: &mut [[Option<Side>; 4]; 4], side: Side, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut paths = 0;
    for (x, y) in (0..16).map(|n| (n % 4, n / 4)) {
        if board[y][x].is_some() {
            continue;
        }
        board[y][x] = Some(side);
        let won = [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy): (i32, i32)| {
            let mine = |n: i32| {
                let (x, y) = (x as i32 + n * dx, y as i32 + n * dy);
                (0..4).contains(&x)
                    && (0..4).contains(&y)
                    && board[y as usize][x as usize] == Some(side)
            };
            (-2..=0).any(|first| (first..first + 3).all(mine))
        });
        paths += if won { u64::from(depth == 1) } else { plain_perft(board, !side, depth - 1) };
        board[y][x] = None;
    }
    paths
}

#[test]
fn three_in_a_row_on_3x3_is_tictactoe() {
    fn agree<B: MnkBoard>(ours: &mut Mnk<B>, theirs: &mut TicTacToe) {
        assert_eq!(ours.outcome(), theirs.outcome());
        assert_eq!(ours.move_count(), theirs.move_count());
        assert_eq!(
            ours.winning_move().is_some(),
            theirs.outcome().is_none() && theirs.winning_move().is_some()
        );
        let mut moves = Vec::new();
        ours.push_moves(&mut moves);
        if ours.outcome().is_none() {
            assert_eq!(ours.to_move(), theirs.to_move());
        }
        for m in moves {
            let same = theirs.parse_move(&ours.move_text(m)).unwrap();
            let undo = (ours.play(m), theirs.play(same));
            agree(ours, theirs);
            ours.undo(m, undo.0);
            theirs.undo(same, undo.1);
        }
    }
    agree(&mut Mnk::<BitBoard>::new(rules(3, 3, 3)), &mut TicTacToe::new());
    agree(&mut Mnk::<LineBoard>::new(rules(3, 3, 3)), &mut TicTacToe::new());
}

#[test]
fn turns_follow_p_and_q() {
    fn order(p: u16, q: u16) -> String {
        let mut game = Mnk::<LineBoard>::new(rules(19, 19, 6).with_turns(p, q).unwrap());
        let mut order = String::new();
        for cell in ["a1", "c2", "e3", "g4", "i5", "k6", "m7", "o8", "q9"] {
            order.push(if game.to_move() == Side::First { 'X' } else { 'O' });
            game.play(game.parse_move(cell).unwrap());
        }
        order
    }
    assert_eq!(order(2, 1), "XOOXXOOXX");
    assert_eq!(order(1, 1), "XOXOXOXOX");
    assert_eq!(order(3, 2), "XXOOOXXXO");
}

#[test]
fn a_win_ends_the_game_in_the_middle_of_a_turn() {
    let rules = rules(19, 19, 6).with_turns(2, 1).unwrap();
    let start = Mnk::<LineBoard>::new(rules);
    let line = start.parse_line("a1 b9c9 b1c1 d9e9 d1e1 g9i9").unwrap();
    assert_eq!((line.end.left_in_turn(), line.end.winning_move()), (2, Some(5)));
    let line = start.parse_line(&(line.text() + "f1")).unwrap();
    assert_eq!(line.end.outcome(), Some(Outcome::Win(Side::First)));
    assert!(start.parse_line(&(line.text() + "g1")).is_err());
}

#[test]
fn only_exactly_k_wins_when_asked() {
    fn outcome<B: MnkBoard>(rules: MnkRules, moves: &str) -> Option<Outcome> {
        Mnk::<B>::new(rules).parse_line(moves).unwrap().end.outcome()
    }
    let first_wins = Some(Outcome::Win(Side::First));
    // Joining two stones and one makes four, which is not exactly three.
    let overline = "a1a3 b1b3 d1d3 c1";
    let at_the_edge = "c1a3 d1b3 b1";
    // Too many in the row, but exactly three in the column.
    let both = "a1a4 b1b4 d1d4 c2a5 c3e4 c1";
    for (rules, expected) in [(rules(5, 5, 3).exactly(), None), (rules(5, 5, 3), first_wins)] {
        assert_eq!(outcome::<BitBoard>(rules, overline), expected);
        assert_eq!(outcome::<LineBoard>(rules, overline), expected);
        for moves in [at_the_edge, both] {
            assert_eq!(outcome::<BitBoard>(rules, moves), first_wins, "{moves}");
            assert_eq!(outcome::<LineBoard>(rules, moves), first_wins, "{moves}");
        }
    }
    let long = Mnk::<LineBoard>::new(rules(20, 20, 5).exactly());
    let line = long.parse_line("a1a9 b1b9 c1c9 d1f9 f1g9").unwrap();
    assert_eq!(line.end.winning_move(), None);
}

#[test]
fn caro_needs_rows_that_are_not_enclosed() {
    fn outcome<B: MnkBoard>(moves: &str) -> Option<Outcome> {
        let caro = rules(7, 7, 3).with_rule(RowRule::Caro);
        Mnk::<B>::new(caro).parse_line(moves).unwrap().end.outcome()
    }
    let (first, second) = (Some(Outcome::Win(Side::First)), Some(Outcome::Win(Side::Second)));
    let rows = [
        ("a stone at each end", "c1b1 d1f1 e1", None),
        ("a stone at one end", "c1b1 d1g7 e1", first),
        ("a stone at one end, the edge at the other", "a1d1 b1g7 c1", first),
        ("the whole way from edge to stone in a column", "g7g4 g6a1 g5", first),
        ("four in a row", "b2a7 c2c7 e2g7 d2", None),
        ("a stone at each end of a diagonal", "b2a1 c3e5 d4", None),
        ("the corner at one end of a diagonal", "a1d4 b2g1 c3", first),
        ("the second side, enclosed", "a1b1 e1c1 g7d1", None),
        ("the second side", "a1b1 g1c1 g7d1", second),
    ];
    for (what, moves, expected) in rows {
        assert_eq!(outcome::<BitBoard>(moves), expected, "{what}");
        assert_eq!(outcome::<LineBoard>(moves), expected, "{what}");
    }
}

#[test]
fn positions_have_the_row_rule_of_their_game() {
    for (name, expected) in [
        ("gomoku", Some(RowRule::AtLeast)),
        ("connect6", Some(RowRule::AtLeast)),
        ("connect4", Some(RowRule::AtLeast)),
        ("gomoku:exact", Some(RowRule::Exactly)),
        ("mnk:7x7,k=5,exact", Some(RowRule::Exactly)),
        ("caro", Some(RowRule::Caro)),
        ("caro:20x20,exact", Some(RowRule::Caro)),
        ("gomoku:caro", Some(RowRule::Caro)),
        ("caro:caro=off", Some(RowRule::AtLeast)),
        ("renju", Some(RowRule::Renju)),
        ("othello", None),
    ] {
        let rule = registry::start(name).unwrap().rows().map(|game| game.rule);
        assert_eq!(rule, expected, "{name}");
    }
}

/// Places `k` stones in every line of `k` cells. The other side places no stones.
fn wins_everywhere<B: MnkBoard>(width: usize, height: usize, k: usize) -> usize {
    // The first turn is so long that only the first side places stones.
    let start = Mnk::<B>::new(rules(width, height, k).with_turns(400, 400).unwrap());
    let mut lines = 0;
    for (x, y) in (0..width * height).map(|n| (n % width, n / width)) {
        for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1_isize)] {
            let cells: Option<Vec<(usize, usize)>> = (0..k)
                .map(|n| {
                    let x = Some(x + n * dx).filter(|&x| x < width)?;
                    Some((x, y.checked_add_signed(n as isize * dy).filter(|&y| y < height)?))
                })
                .collect();
            let Some(cells) =
                cells.filter(|cells| k > 1 || (cells.len() == 1 && (dx, dy) == (1, 0)))
            else {
                continue;
            };
            lines += 1;
            let last = lines % k;
            let mut game = start.clone();
            for (n, &(x, y)) in cells.iter().enumerate().filter(|(n, _)| *n != last) {
                assert_eq!(game.outcome(), None, "{n} stones of {k}");
                game.play(game.parse_move(&tesuji_games::notation::cell_text(x, y)).unwrap());
            }
            let (x, y) = cells[last];
            let missing = game.parse_move(&tesuji_games::notation::cell_text(x, y)).unwrap();
            let winning = game.winning_move().unwrap();
            let undo = game.play(winning);
            assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)), "winning_move");
            game.undo(winning, undo);
            game.play(missing);
            assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)), "{cells:?}");
        }
    }
    lines
}

#[test]
fn every_line_on_every_edge_wins() {
    let expected = |w: usize, h: usize, k: usize| {
        let (across, up) = ((w + 1).saturating_sub(k), (h + 1).saturating_sub(k));
        across * h + up * w + 2 * across * up
    };
    for (w, h, k) in
        [(20, 20, 5), (20, 20, 20), (20, 1, 5), (1, 20, 3), (15, 15, 5), (19, 7, 6), (3, 12, 8)]
    {
        assert_eq!(wins_everywhere::<LineBoard>(w, h, k), expected(w, h, k), "{w}x{h}, k={k}");
    }
    for (w, h, k) in [(7, 8, 5), (7, 8, 8), (7, 1, 3), (1, 8, 4), (4, 4, 4), (7, 8, 2)] {
        assert_eq!(wins_everywhere::<BitBoard>(w, h, k), expected(w, h, k), "{w}x{h}, k={k}");
        assert_eq!(wins_everywhere::<LineBoard>(w, h, k), expected(w, h, k), "{w}x{h}, k={k}");
    }
    assert_eq!(wins_everywhere::<BitBoard>(1, 1, 1), 1);
    assert_eq!(wins_everywhere::<LineBoard>(20, 20, 1), 400);
}

/// Columns and rows.
type Cells = Vec<(usize, usize)>;

/// Every window of k cells with the number of stones of each side in it.
fn windows_by_scan<B: MnkBoard>(game: &Mnk<B>) -> Vec<(Cells, [usize; 2])> {
    let (width, height, k) =
        (game.rules().width(), game.rules().height(), game.rules().k() as isize);
    let inside =
        |x: isize, y: isize| (0..width as isize).contains(&x) && (0..height as isize).contains(&y);
    let mut windows = Vec::new();
    for (x, y) in (0..width * height).map(|n| ((n % width) as isize, (n / width) as isize)) {
        for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            if inside(x + (k - 1) * dx, y + (k - 1) * dy) {
                let cells: Vec<(usize, usize)> =
                    (0..k).map(|n| ((x + n * dx) as usize, (y + n * dy) as usize)).collect();
                let stones = Side::ALL.map(|side| {
                    cells.iter().filter(|&&(x, y)| game.side_at(x, y) == Some(side)).count()
                });
                windows.push((cells, stones));
            }
        }
    }
    windows
}

fn estimates_agree<B: MnkBoard>(rules: MnkRules, seed: u64) {
    let k = rules.k() as usize;
    let power = |n: usize| 10_i32.pow(n.saturating_sub(k.saturating_sub(6)) as u32);
    let worth = |n: usize| if n == 0 { 0 } else { power(n) };
    let mut rng = seeded(seed);
    let mut game = Mnk::<B>::new(rules);
    while game.outcome().is_none() {
        let windows = windows_by_scan(&game);
        let balance: i32 = windows
            .iter()
            .map(|(_, stones)| match *stones {
                [n, 0] if n < k => worth(n),
                [0, n] if n < k => -worth(n),
                _ => 0,
            })
            .sum();
        let sign = if game.to_move() == Side::First { 1 } else { -1 };
        assert_eq!(game.evaluate(), sign * balance);
        let m = game.random_move(&mut rng);
        let me = game.to_move().index();
        let cell = {
            let text = game.move_text(m);
            tesuji_games::notation::read_cell(&text, rules.width(), rules.height()).unwrap().0
        };
        let move_score: i32 = windows
            .iter()
            .filter(|(cells, _)| cells.contains(&cell))
            .map(|(_, stones)| match (stones[me], stones[1 - me]) {
                (n, 0) => worth(n + 1),
                (0, n) if n + 1 == k => 4 * worth(n),
                (0, n) if n + 2 == k => worth(n),
                _ => 0,
            })
            .sum();
        assert_eq!(game.move_score(m), move_score);
        game.play(m);
    }
}

#[test]
fn heuristic_and_move_order_equal_the_scan() {
    for seed in 0..3 {
        for (w, h, k) in
            [(3, 3, 3), (5, 6, 4), (7, 8, 8), (7, 7, 5), (6, 2, 3), (7, 3, 7), (4, 4, 2)]
        {
            estimates_agree::<BitBoard>(rules(w, h, k), seed);
            estimates_agree::<LineBoard>(rules(w, h, k), seed);
            estimates_agree::<BitBoard>(rules(w, h, k).exactly(), seed);
        }
        for (w, h, k) in [(15, 15, 5), (10, 12, 6), (20, 20, 12), (1, 20, 7), (20, 9, 9)] {
            estimates_agree::<LineBoard>(rules(w, h, k), seed);
            estimates_agree::<LineBoard>(rules(w, h, k).exactly(), seed);
        }
    }
}

#[test]
fn threats_are_answered() {
    let start = Mnk::<LineBoard>::new(rules(15, 15, 5));
    let forcing = |moves: &str| {
        let position = start.parse_line(moves).unwrap().end;
        let mut buffer = Vec::new();
        position.push_forcing_moves(&mut buffer);
        let texts: Vec<String> = buffer.iter().map(|&m| position.move_text(m)).collect();
        (texts, position.may_stand_pat())
    };
    assert_eq!(forcing("h8a1i8a2"), (vec![], true));
    assert_eq!(forcing("a1h8b1h10c1h12d1"), (vec!["e1".to_string()], false));
    assert_eq!(forcing("a1h8b1h9c1h10d1h11"), (vec!["e1".to_string()], false));
    assert_eq!(forcing("a1h8b1h9c1h10d1j1"), (vec!["e1".to_string()], true));
}

/// A chi-squared test with 31 to 33 degrees of freedom: 80 is beyond one in a hundred thousand.
#[test]
fn random_moves_are_uniform_on_full_and_on_empty_boards() {
    fn chi_squared<P: Position>(position: &P, seed: u64) -> f64 {
        let mut rng = seeded(seed);
        let mut hits = vec![0.0; position.num_move_indices()];
        let each = 2_000.0;
        let count = position.move_count();
        for _ in 0..count * each as usize {
            hits[position.move_index(position.random_move(&mut rng))] += 1.0;
        }
        let mut sum = 0.0;
        position.for_each_move(|m| {
            sum += (hits[position.move_index(m)] - each) * (hits[position.move_index(m)] - each)
                / each;
        });
        sum
    }
    // Random games do not reach k = 20 before the board is full.
    let mut game = Mnk::<LineBoard>::new(rules(8, 20, 20));
    let mut rng = seeded(9);
    while game.move_count() > 33 {
        let m = game.random_move(&mut rng);
        game.play(m);
    }
    assert!(chi_squared(&game, 1) < 80.0, "counting");
    assert!(
        chi_squared(&Mnk::<LineBoard>::new(rules(8, 4, 8)), 2) < 80.0,
        "darts on an empty board"
    );
    let mut half = Mnk::<LineBoard>::new(rules(8, 8, 8));
    while half.move_count() > 32 {
        let m = half.random_move(&mut rng);
        half.play(m);
    }
    assert!(chi_squared(&half, 3) < 80.0, "rejection sampling on a half full board");
    assert!(chi_squared(&Mnk::<BitBoard>::new(rules(4, 8, 8)), 4) < 80.0, "bits");
}

struct Conform;

impl Conform {
    fn visit<P: Playable>(self, start: P) {
        conformance::check(&start, 3, 7);
    }
}

/// With four in a row and one stone per turn, falling stones are Connect Four.
#[test]
fn falling_stones_play_connect_four() {
    use tesuji_games::rules::connect4::Connect4;
    let mut falling = Mnk::<LineBoard>::new(rules(7, 6, 4).with_gravity());
    assert_eq!(perft(&mut falling, 6), perft(&mut Connect4::new(), 6));
    let mut small = Mnk::<BitBoard>::new(rules(4, 4, 4).with_gravity());
    let four = registry::start("connect4:4x4").unwrap();
    assert_eq!(perft(&mut small, 9), typed!(four, |four| perft(&mut Clone::clone(four), 9)));
    // The first side wins only on the ground: d1 is empty, d2 is not supported.
    let line = Mnk::<BitBoard>::new(rules(7, 6, 4).with_gravity());
    let end = line.parse_line("a1a2b1b2c1c2").unwrap().end;
    assert_eq!(end.winning_move().map(|m| end.move_text(m)).as_deref(), Some("d1"));
    let end = end.parse_line("g1").unwrap().end;
    assert_eq!(end.winning_move(), None, "d2 would float");
    let mut forced = Vec::new();
    end.push_forcing_moves(&mut forced);
    assert_eq!(forced.len(), 1);
    assert_eq!(end.move_text(forced[0]), "d1");
    assert!(end.parse_line("d2").is_err() && end.parse_line("d1").is_ok());
}

#[test]
fn unusual_games_keep_the_laws() {
    for name in [
        "mnk:1x1",
        "mnk:1x20,k=2",
        "mnk:20x1,k=6",
        "mnk:7x8,k=8",
        "mnk:8x7,k=4",
        "mnk:20x20,k=20,p=3",
        "mnk:6x6,k=3,exact",
        "mnk:9x9,k=4,exact",
        "mnk:6x6,k=3,caro",
        "mnk:9x9,k=3,caro",
        "mnk:4x4,k=1",
        "mnk:5x5,k=4,p=2,q=1",
        "connect6:9x9",
        "mnk:7x6,k=5,gravity",
        "mnk:4x9,k=4,p=2,q=1,gravity",
        "mnk:8x8,k=4,caro,gravity",
        "mnk:20x20,k=4,gravity",
    ] {
        registry::start(name)
            .map(|state| typed!(state, |start| Conform.visit(Clone::clone(start))))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn impossible_games_are_rejected_with_an_example() {
    for (name, culprit, example) in [
        ("mnk:0x0", "size '0x0'", "mnk:10x10,k=5"),
        ("mnk:1000000x1000000", "size '1000000x1000000'", "mnk:10x10,k=5"),
        ("mnk:3x3x3", "size '3x3x3'", "mnk:10x10,k=5"),
        ("mnk:3x4,k=5", "k '5'", "mnk:3x4,k=4"),
        ("mnk:3x3,k=0", "k '0'", "mnk:3x3,k=3"),
        ("mnk:k=many", "k 'many'", "mnk:3x3,k=3"),
        ("gomoku:p=0", "p '0'", "p=2"),
        ("mnk:7x6,k=4,gravity", "gravity 'on'", "connect4:7x6"),
        ("gomoku:q=401", "q '401'", "q=1"),
    ] {
        let error = registry::start(name)
            .map(|state| typed!(state, |start| Conform.visit(Clone::clone(start))))
            .unwrap_err()
            .to_string();
        let clear = error.contains(culprit) && error.contains(example) && !error.contains('\n');
        assert!(clear, "{name}: {error}");
    }
}
