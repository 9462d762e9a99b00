//! Properties of the engine: under every rule, board and limit its moves are legal, it wins what it
//! claims to win, and equal searches give equal results.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::{RowRule, Score, Side};
use tesuji_gomoku::engine::{GomokuEngine, GomokuOptions, SearchRequest};
use tesuji_gomoku::{Board, Cell, CellSet, MoveClass};
use tesuji_search::{Limits, MoveScore, SearchReport, TableSize};

fn engine() -> GomokuEngine {
    GomokuEngine::new(GomokuOptions { table: TableSize::megabytes(1), ..GomokuOptions::default() })
}

fn search(engine: &mut GomokuEngine, board: &Board, limits: &Limits) -> SearchReport<Cell> {
    engine.search(board, limits, &SearchRequest::default(), &mut |_| {})
}

/// Every legal move of the side to move.
fn legal_moves(board: &Board) -> Vec<Cell> {
    let cells = (0..board.height())
        .flat_map(|row| (0..board.width()).map(move |column| Cell::new(column, row)));
    let side = board.to_move();
    cells.filter(|&cell| board.is_empty_cell(cell) && !board.is_forbidden(side, cell)).collect()
}

/// Random moves near others, without a winner.
fn random_game(rng: &mut Rng, mut board: Board, stones: usize) -> Board {
    for _ in 0..stones {
        let mut near = Vec::new();
        board.candidates().for_each(|cell| near.push(cell));
        near.retain(|&cell| !board.is_forbidden(board.to_move(), cell));
        if near.is_empty() {
            near = legal_moves(&board);
        }
        let Some(&cell) = near.get(below(rng, near.len().max(1) as u32) as usize) else { break };
        board.play(cell);
        if board.winner().is_some() {
            board.undo();
            break;
        }
    }
    board
}

#[test]
fn moves_are_legal_under_any_limits() {
    let mut engine = engine();
    let sizes = [(5, 5), (15, 15), (6, 20), (22, 22)];
    for (n, rule) in RowRule::ALL.into_iter().cycle().take(64).enumerate() {
        let mut rng = seeded(derived(11, [n as u64]));
        let (width, height) = sizes[n / 4 % 4];
        let stones = [0, 1, 9, 24][n / 16];
        let board = random_game(&mut rng, Board::new(rule, width, height).unwrap(), stones);
        for limits in [Limits::nodes(1), Limits::nodes(700), Limits::depth(1)] {
            let found = search(&mut engine, &board, &limits);
            let best = found.best.expect("a move");
            assert!(legal_moves(&board).contains(&best), "{rule:?} {width}x{height} {best}");
            assert_eq!(found.line.first(), Some(&best));
        }
    }
}

#[test]
fn games_end_and_black_never_plays_a_forbidden_stone() {
    for rule in RowRule::ALL {
        let (mut engine, mut board) = (engine(), Board::new(rule, 7, 7).unwrap());
        while board.winner().is_none() && !legal_moves(&board).is_empty() {
            let found = search(&mut engine, &board, &Limits::nodes(300));
            let best = found.best.expect("a move while there is one");
            assert_eq!(board.try_play(best), Ok(()), "{rule:?}");
        }
    }
}

#[test]
fn five_is_made_and_stopped() {
    let stones = |cells: &[(usize, usize)], side| {
        cells.iter().map(|&(x, y)| (side, Cell::new(x, y))).collect::<Vec<_>>()
    };
    let row = stones(&[(3, 3), (4, 3), (5, 3), (6, 3)], Side::First);
    let others = stones(&[(7, 3), (0, 9), (9, 0), (12, 12)], Side::Second);
    let all = [row, others].concat();
    for to_move in Side::ALL {
        for rule in RowRule::ALL {
            let board = Board::with_stones(rule, (15, 15), &all, to_move).unwrap();
            let found = search(&mut engine(), &board, &Limits::nodes(2_000));
            let (best, cell) = (found.best.unwrap(), Cell::new(2, 3));
            if to_move == Side::First {
                assert_eq!(best, cell, "{rule:?} makes five");
                assert_eq!(found.score.plies_to_end(), Some(1));
            } else if rule != RowRule::Caro {
                assert_eq!(best, cell, "{rule:?} stops five");
            } else {
                // A second stone at the other end of the potential five blocks it as well.
                assert!([cell, Cell::new(1, 3)].contains(&best), "{best}");
            }
        }
    }
}

/// Plays a claimed win against random replies; it must be won in at most the claimed number of
/// moves.
#[test]
fn claimed_wins_are_won() {
    let mut claims = 0;
    for n in 0..150 {
        let mut rng = seeded(derived(12, [n]));
        let rule = RowRule::ALL[n as usize % 4];
        let board = random_game(&mut rng, Board::new(rule, 15, 15).unwrap(), 14);
        let mut engine = engine();
        let found = search(&mut engine, &board, &Limits::nodes(20_000));
        if !found.score.is_win() {
            continue;
        }
        claims += 1;
        for _ in 0..6 {
            win(&mut engine, board.clone(), &mut rng);
        }
    }
    assert!(claims > 20, "only {claims} of 150 positions were won");
}

fn win(engine: &mut GomokuEngine, mut board: Board, rng: &mut Rng) {
    let winner = board.to_move();
    loop {
        let found = search(engine, &board, &Limits::nodes(40_000));
        assert!(found.score.is_win(), "the win is lost: {}", found.score);
        board.try_play(found.best.unwrap()).unwrap();
        if board.winner() == Some(winner) {
            return;
        }
        let answers = legal_moves(&board);
        // Half of the replies are near other stones: those are harder.
        let mut near: Vec<Cell> = answers.clone();
        near.retain(|&cell| board.candidates().contains(cell));
        let choices = if below(rng, 2) == 0 && !near.is_empty() { near } else { answers };
        let Some(&answer) = choices.get(below(rng, choices.len().max(1) as u32) as usize) else {
            return;
        };
        board.play(answer);
        assert_eq!(board.winner(), None, "the opponent won");
    }
}

#[test]
fn equal_searches_give_equal_results() {
    let mut rng = seeded(13);
    let board = random_game(&mut rng, Board::new(RowRule::AtLeast, 15, 15).unwrap(), 10);
    let ask = |engine: &mut GomokuEngine| {
        let found = search(engine, &board, &Limits::nodes(30_000));
        (found.best, found.score, found.nodes, found.line)
    };
    let mut first = engine();
    let answer = ask(&mut first);
    assert_eq!(answer, ask(&mut engine()));
    first.forget();
    assert_eq!(answer, ask(&mut first), "clearing removes earlier games");
}

#[test]
fn several_moves_are_valued_and_blocked_ones_are_not() {
    let mut rng = seeded(14);
    let board = random_game(&mut rng, Board::new(RowRule::AtLeast, 15, 15).unwrap(), 6);
    let mut engine = engine();
    let request = SearchRequest { best: 5, ..SearchRequest::default() };
    let found = engine.search(&board, &Limits::nodes(30_000), &request, &mut |_| {});
    assert_eq!(found.moves.len(), 5);
    assert_eq!(found.best, Some(found.moves[0].m), "the move to play comes first");
    assert!(found.moves[1..].is_sorted_by_key(|known| std::cmp::Reverse(known.score)));
    for known in &found.moves {
        let line = found.line_from(known.m);
        assert!(line.len() > 1, "{} was searched, but its line is {line:?}", known.m);
    }
    let cells: CellSet = found.moves.iter().map(|known| known.m).collect();
    assert_eq!(cells.len(), 5, "each move once");
    let request = SearchRequest { blocked: cells, ..SearchRequest::default() };
    let other = engine.search(&board, &Limits::nodes(30_000), &request, &mut |_| {});
    assert!(!cells.contains(other.best.unwrap()));
}

/// A move that makes five is the best of several and has the value of a win; the move that the
/// engine plays comes first unless a proof contradicts it.
#[test]
fn the_move_to_play_leads_several_moves() {
    let mut rng = seeded(16);
    let (mut fives, mut quiet) = (0, 0);
    for rule in [RowRule::AtLeast, RowRule::Exactly, RowRule::Renju, RowRule::Caro] {
        for stones in (6..40).step_by(3) {
            let board = random_game(&mut rng, Board::new(rule, 10, 10).unwrap(), stones);
            if board.is_full() {
                continue;
            }
            let played = search(&mut engine(), &board, &Limits::depth(4));
            let request = SearchRequest { best: 6, ..SearchRequest::default() };
            let mut first_tables = Vec::new();
            let mut note = |report: &SearchReport<Cell>| first_tables.push(report.moves[0]);
            let found = engine().search(&board, &Limits::depth(4), &request, &mut note);
            let first = found.moves[0];
            if board.count(board.to_move(), MoveClass::Five) > 0 {
                fives += 1;
                let won = |known: &MoveScore<Cell>| known.score == Score::win_in(1);
                assert!(won(&first) && first_tables.iter().all(won), "{board:?}: {first:?}");
                assert_eq!(board.class(board.to_move(), first.m), MoveClass::Five);
            } else if !first.score.is_decided() {
                quiet += 1;
                assert_eq!(Some(first.m), played.best);
            }
        }
    }
    assert!(fives > 3 && quiet > 10, "{fives} {quiet}");
}

/// The only move is searched as deeply as any other when its value is requested.
#[test]
fn an_only_move_has_a_deep_value() {
    // White can only block the five at i9, and loses.
    let mut board = Board::new(RowRule::AtLeast, 15, 15).unwrap();
    let game = "h8f5i7g9h6g5h7h5i5e5d5g7i6i4i8";
    for text in game.as_bytes().chunks(2) {
        let column = usize::from(text[0] - b'a');
        board.play(Cell::new(column, usize::from(text[1] - b'1')));
    }
    let request = SearchRequest { best: 10, ..SearchRequest::default() };
    let found = engine().search(&board, &Limits::nodes(300_000), &request, &mut |_| {});
    assert_eq!(found.moves.len(), 1, "{found:?}");
    assert_eq!(found.best, Some(Cell::new(8, 8)));
    assert!(found.score.is_loss(), "{found:?}");
}

#[test]
fn several_threads_find_a_legal_move() {
    let mut rng = seeded(15);
    let board = random_game(&mut rng, Board::new(RowRule::AtLeast, 15, 15).unwrap(), 8);
    let settings =
        GomokuOptions { threads: 3, table: TableSize::megabytes(1), ..GomokuOptions::default() };
    let mut engine = GomokuEngine::new(settings);
    for _ in 0..3 {
        let found = search(&mut engine, &board, &Limits::nodes(10_000));
        assert!(legal_moves(&board).contains(&found.best.unwrap()));
        assert!(found.nodes >= 10_000);
    }
}
