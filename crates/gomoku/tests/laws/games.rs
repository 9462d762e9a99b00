//! The engine's board and the games of `tesuji-games` implement the same rules: legal moves and
//! winners agree in random positions and in random games played to the end.

use tesuji_games::random::{Rng, below, choose, derived, seeded};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::rules::renju::Renju;
use tesuji_games::{Notation, Outcome, Position, RowPosition, RowRule, Side};
use tesuji_gomoku::{Board, Cell, MoveClass};

/// The cell with this number in a game.
fn cell_at<P: RowPosition>(game: &P, number: usize) -> Cell {
    let grid = game.grid();
    Cell::new(number % grid.columns, grid.rows - 1 - number / grid.columns)
}

fn cell_of<P: RowPosition>(game: &P, m: P::Move) -> Cell {
    cell_at(game, game.cell(m))
}

/// The legal moves of the game are those of the board.
fn assert_same_moves<P: RowPosition>(game: &P, board: &Board, place: &str) {
    let mut legal = vec![];
    game.for_each_move(|m| legal.push(cell_of(game, m)));
    for row in 0..board.height() {
        for column in 0..board.width() {
            let cell = Cell::new(column, row);
            let allowed = board.is_empty_cell(cell) && !board.is_forbidden(board.to_move(), cell);
            assert_eq!(legal.contains(&cell), allowed, "{cell} {place}");
        }
    }
}

/// Plays a random game on both to the end. Moves near stones are likelier, so that rows arise.
fn play<P: RowPosition>(start: &P, rule: RowRule, rng: &mut Rng, place: &str) -> Option<Outcome> {
    let (mut game, grid) = (start.clone(), start.grid());
    let mut board = Board::new(rule, grid.columns, grid.rows).expect("a board");
    let mut moves = Vec::new();
    while game.outcome().is_none() {
        assert_same_moves(&game, &board, place);
        moves.clear();
        game.push_moves(&mut moves);
        let near = board.candidates();
        let nearby: Vec<P::Move> =
            moves.iter().copied().filter(|&m| near.contains(cell_of(&game, m))).collect();
        let from = if nearby.is_empty() || below(rng, 8) == 0 { &moves } else { &nearby };
        let m = *choose(rng, from).expect("an unfinished game has moves");
        assert_eq!(board.try_play(cell_of(&game, m)), Ok(()), "{place}");
        game.play(m);
        assert_eq!(board.winner(), game.outcome().and_then(Outcome::winner), "{place}");
    }
    game.outcome()
}

#[test]
fn random_games_end_alike() {
    let mut ended = [0; 3];
    for round in 0..160_u64 {
        let mut rng = seeded(derived(31, [round]));
        let (width, height) = (5 + below(&mut rng, 11) as usize, 5 + below(&mut rng, 11) as usize);
        let free = MnkRules::new(width, height, 5).expect("a board");
        let place = format!("in round {round}");
        let outcome = match RowRule::ALL[round as usize % 4] {
            RowRule::Renju => {
                play(&Renju::new(width, height).expect("a board"), RowRule::Renju, &mut rng, &place)
            }
            rule => {
                let game = Mnk::<LineBoard>::new(free.with_rule(rule));
                play(&game, rule, &mut rng, &place)
            }
        };
        let winner = outcome.and_then(Outcome::winner);
        ended[winner.map_or(2, Side::index)] += 1;
    }
    assert!(ended.into_iter().all(|count| count > 5), "too few cases: {ended:?}");
}

/// Positions with many forbidden moves.
#[test]
fn renju_forbids_the_same_cells() {
    let (mut forbidden, mut doubtful, mut spared) = (0, 0, 0);
    for round in 0..4_000_u64 {
        let mut rng = seeded(derived(37, [round]));
        let game = crowded(&mut rng);
        let grid = game.grid();
        let stone = |number| Some((game.stone_at(number)?, cell_at(&game, number)));
        let stones: Vec<(Side, Cell)> = (0..grid.cells()).filter_map(stone).collect();
        let size = (grid.columns, grid.rows);
        let board =
            Board::with_stones(RowRule::Renju, size, &stones, Side::First).expect("a board");
        if board.winner().is_some() || game.outcome().is_some() {
            continue;
        }
        assert_same_moves(&game, &board, &format!("in round {round}"));
        let here = board.cells(Side::First, MoveClass::Doubtful);
        doubtful += here.len();
        here.for_each(|cell| spared += usize::from(!board.is_forbidden(Side::First, cell)));
        forbidden += board.count(Side::First, MoveClass::Forbidden);
    }
    let enough = forbidden > 1_000 && doubtful > 2_000 && spared > 400;
    assert!(enough, "too few cases: {forbidden}, {doubtful} doubtful, {spared} spared");
}

/// Black to move: black's stones are close together in the upper part of the board, most of white's
/// are below.
fn crowded(rng: &mut Rng) -> Renju {
    let (width, upper, lower) = (9 + below(rng, 7) as usize, 9, 6);
    let mut game = Renju::new(width, upper + lower).expect("a board");
    let among = |rows: std::ops::Range<usize>, rng: &mut Rng| {
        let row = rows.start + below(rng, rows.len() as u32) as usize;
        row * width + below(rng, width as u32) as usize
    };
    for _ in 0..14 + below(rng, 18) {
        let black = among(0..upper, rng);
        let white_above = below(rng, 4) == 0;
        let white = among(if white_above { 0..upper } else { upper..upper + lower }, rng);
        let free = |cell: usize| game.stone_at(cell).is_none();
        if free(black) && free(white) && black != white && game.outcome().is_none() {
            for cell in [black, white] {
                let cell = cell_at(&game, cell).to_string();
                // Unchecked, so that forbidden stones occur too.
                game.play(game.read_move(&cell).expect("a cell of the board").0);
            }
        }
    }
    game
}
