//! Tests that [`RowBoard`] agrees with every game of rows of stones, at each ply of random games.

use std::collections::HashMap;

use tesuji_games::random::{derived, seeded};
use tesuji_games::{
    Diagram, Draw, GameLine, Heuristic, Move, MoveOrder, Notation, NotationError, Outcome,
    Position, Reference, RowBoard, RowGame, RowGrid, RowPosition, RowRule, Side, State, Symmetry,
    Tactics, conformance, registry,
};

/// Games for every inner board, with several sizes and options.
const GAMES: [&str; 30] = [
    "tictactoe",
    "gomoku",
    "gomoku:exact",
    "caro",
    "connect6",
    "renju",
    "renju:5x5",
    "renju:9x7",
    "mnk:1x1,k=1",
    "mnk:3x3,k=2",
    "mnk:3x3,k=3,exact",
    "mnk:5x4,k=4,caro",
    "mnk:4x7,k=3,p=2,q=1",
    "mnk:7x8,k=5",
    "mnk:8x7,k=5,exact",
    "mnk:9x9,k=4,p=3,q=2,caro",
    "mnk:10x10,k=5",
    "mnk:20x20,k=7",
    "mnk:19x3,k=10",
    "connect4",
    "connect4:7x7",
    "connect4:5x4",
    "connect4:9x6",
    "connect4:8x8",
    "connect4:16x7",
    "connect4:3x10",
    "mnk:7x6,k=5,gravity",
    "mnk:5x7,k=4,p=2,q=1,gravity",
    "mnk:8x9,k=4,exact,gravity",
    "mnk:20x20,k=4,gravity",
];

fn start(game: &str) -> State {
    registry::start(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

fn board(game: &str) -> RowBoard {
    RowBoard::after(&GameLine::new(start(game))).unwrap_or_else(|| panic!("{game} has no board"))
}

fn cells<P: RowPosition>(board: &P, moves: impl IntoIterator<Item = P::Move>) -> Vec<usize> {
    moves.into_iter().map(|m| board.cell(m)).collect()
}

fn cells_of_state(state: &State, moves: impl IntoIterator<Item = Move>) -> Vec<usize> {
    moves.into_iter().map(|m| state.cell(m).unwrap()).collect()
}

fn assert_same(state: &State, board: &RowBoard, place: &str) {
    assert_eq!(board.outcome(), state.outcome(), "outcome: {place}");
    assert_eq!(Some(board.row_game()), state.rows(), "game: {place}");
    assert_eq!(board.diagram(), state.diagram(), "diagram: {place}");
    assert_eq!(board.style(), state.style(), "look: {place}");
    assert_eq!(board.num_move_indices(), state.num_move_indices(), "indices: {place}");
    assert_eq!(board.move_count(), state.move_count(), "count: {place}");
    let mut moves = Vec::new();
    board.push_moves(&mut moves);
    assert_eq!(
        cells(board, moves.iter().copied()),
        cells_of_state(state, state.legal_moves()),
        "moves: {place}"
    );
    for (&own, m) in moves.iter().zip(state.legal_moves()) {
        assert_eq!(board.move_score(own), state.move_score(m), "promise: {place}");
        assert_eq!(board.move_index(own), state.move_index(m), "index: {place}");
        assert_eq!(board.move_text(own), state.move_text(m), "text: {place}");
    }
    let wins = state.winning_move();
    assert_eq!(cells(board, board.winning_move()), cells_of_state(state, wins), "win: {place}");
    let mut forcing = Vec::new();
    board.push_forcing_moves(&mut forcing);
    let expected = cells_of_state(state, state.forcing_moves().unwrap());
    assert_eq!(cells(board, forcing), expected, "forcing: {place}");
    if state.outcome().is_none() {
        assert_eq!(board.to_move(), state.to_move(), "side: {place}");
        assert_eq!(Some(board.evaluate()), state.estimate(), "estimate: {place}");
        let (mut one, mut other) = (seeded(7), seeded(7));
        let random = [state.random_move(&mut one)];
        let own = [board.random_move(&mut other)];
        assert_eq!(cells(board, own), cells_of_state(state, random), "random: {place}");
    }
    let mut images = Vec::new();
    board.for_each_image(&mut |image| images.push(image.diagram()));
    let expected: Vec<_> = state.images().iter().map(State::diagram).collect();
    assert_eq!(images, expected, "images: {place}");
}

#[test]
fn random_games_are_the_same_on_the_board_of_rows() {
    for game in GAMES {
        let mut keys = [HashMap::new(), HashMap::new()];
        let mut canonical = HashMap::new();
        for round in 0..8 {
            let mut rng = seeded(derived(5, [round]));
            let mut line = GameLine::new(start(game));
            let mut own = board(game);
            let mut history = Vec::new();
            loop {
                let place = format!("{game} after {:?}", line.text());
                assert_same(&line.end, &own, &place);
                // Keys are equal exactly if the keys of the game are equal.
                let (key, theirs) = (own.key(), line.end.key());
                assert_eq!(*keys[0].entry(key).or_insert(theirs), theirs, "key: {place}");
                assert_eq!(*keys[1].entry(theirs).or_insert(key), key, "key: {place}");
                let kept = canonical.entry(line.end.canonical_key());
                assert_eq!(*kept.or_insert(own.canonical_key()), own.canonical_key(), "{place}");
                let replayed = RowBoard::after(&line).unwrap();
                assert_eq!(replayed.key(), own.key(), "replayed: {place}");
                if line.end.outcome().is_some() {
                    break;
                }
                let m = line.end.random_move(&mut rng);
                let cell = line.end.cell(m).unwrap();
                let m_own = own.move_to(cell).unwrap();
                history.push((m_own, own.play(m_own)));
                line.play(m).unwrap();
            }
            while let Some((m, undo)) = history.pop() {
                own.undo(m, undo);
                line.take_back();
                assert_same(&line.end, &own, &format!("{game} back at {:?}", line.text()));
            }
        }
    }
}

/// A game of rows from another package: the same board behind an unknown type.
#[derive(Clone)]
struct Outside(RowBoard);

impl Position for Outside {
    type Move = u16;
    type Undo = Outside;

    fn to_move(&self) -> Side {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn key(&self) -> u64 {
        !self.0.key()
    }

    fn for_each_move(&self, each: impl FnMut(u16)) {
        self.0.for_each_move(each);
    }

    fn is_legal(&self, m: u16) -> bool {
        self.0.is_legal(m)
    }

    fn play(&mut self, m: u16) -> Outside {
        let before = self.clone();
        self.0.play(m);
        before
    }

    fn undo(&mut self, _: u16, before: Outside) {
        *self = before;
    }

    fn move_index(&self, m: u16) -> usize {
        self.0.move_index(m)
    }

    fn num_move_indices(&self) -> usize {
        self.0.num_move_indices()
    }
}

impl Notation for Outside {
    fn move_text(&self, m: u16) -> String {
        self.0.move_text(m)
    }

    fn read_move<'t>(&self, text: &'t str) -> Result<(u16, &'t str), NotationError> {
        self.0.read_move(text)
    }
}

impl Draw for Outside {
    fn diagram(&self) -> Diagram {
        self.0.diagram()
    }

    fn cells_of(&self, m: u16) -> Vec<usize> {
        self.0.cells_of(m)
    }
}

impl Heuristic for Outside {
    fn evaluate(&self) -> i32 {
        0
    }
}

impl MoveOrder for Outside {
    fn move_score(&self, _: u16) -> i32 {
        0
    }
}

impl Reference for Outside {
    fn outcome_by_scan(&self) -> Option<Outcome> {
        self.0.outcome_by_scan()
    }

    fn key_by_scan(&self) -> u64 {
        !self.0.key_by_scan()
    }
}

impl RowPosition for Outside {
    fn grid(&self) -> RowGrid {
        self.0.grid()
    }

    fn row_rule(&self) -> RowRule {
        self.0.row_rule()
    }

    fn turns(&self) -> (usize, usize) {
        self.0.turns()
    }

    fn cell(&self, m: u16) -> usize {
        self.0.cell(m)
    }

    fn stone_at(&self, cell: usize) -> Option<Side> {
        self.0.stone_at(cell)
    }

    fn move_to(&self, cell: usize) -> Option<u16> {
        self.0.move_to(cell)
    }
}

tesuji_games::capabilities!(Outside: RowPosition);

/// Compares what a search uses.
fn assert_same_board(found: &RowBoard, expected: &RowBoard, place: &str) {
    assert_eq!(found.row_game(), expected.row_game(), "game: {place}");
    assert_eq!(found.diagram(), expected.diagram(), "diagram: {place}");
    assert_eq!(found.outcome(), expected.outcome(), "outcome: {place}");
    assert_eq!(found.key(), expected.key(), "key: {place}");
    assert_eq!(found.key(), found.key_by_scan(), "key by scan: {place}");
    let moves = |board: &RowBoard| {
        let mut moves = Vec::new();
        board.push_moves(&mut moves);
        cells(board, moves)
    };
    assert_eq!(moves(found), moves(expected), "moves: {place}");
    assert_eq!(cells(found, found.winning_move()), cells(expected, expected.winning_move()));
    if expected.outcome().is_none() {
        assert_eq!(found.to_move(), expected.to_move(), "side: {place}");
        assert_eq!(found.evaluate(), expected.evaluate(), "estimate: {place}");
    }
}

/// The board of a state equals the board after the moves, for any type of position.
#[test]
fn the_board_of_a_state_is_that_of_its_game() {
    for game in GAMES.into_iter().chain(["mnk:3x3,k=3"]) {
        for round in 0..8 {
            let mut rng = seeded(derived(6, [round]));
            let mut line = GameLine::new(start(game));
            loop {
                let place = format!("{game} after {:?}", line.text());
                let expected = RowBoard::after(&line).unwrap();
                assert_same_board(&RowBoard::of(&line.end).unwrap(), &expected, &place);
                let outside = State::new(Outside(expected.clone()));
                assert_same_board(&RowBoard::of(&outside).unwrap(), &expected, &place);
                if line.end.outcome().is_some() {
                    break;
                }
                let m = line.end.random_move(&mut rng);
                line.play(m).unwrap();
            }
        }
    }
    assert!(RowBoard::of(&start("othello")).is_none());
}

/// The board of a state supports `play` and `undo`.
#[test]
fn the_board_of_an_outside_state_keeps_the_laws() {
    for game in GAMES {
        let mut rng = seeded(3);
        let mut position = board(game);
        for _ in 0..6 {
            if position.outcome().is_none() {
                let m = position.random_move(&mut rng);
                position.play(m);
            }
        }
        let outside = State::new(Outside(position));
        conformance::check(&RowBoard::of(&outside).unwrap(), 2, 2012);
    }
}

#[test]
fn every_registered_game_of_rows_has_a_board() {
    let mut found = 0;
    for name in registry::names() {
        let start = start(name);
        assert_eq!(
            RowBoard::after(&GameLine::new(start.clone())).is_some(),
            start.rows().is_some()
        );
        found += usize::from(start.rows().is_some());
    }
    assert!(found >= 6, "{found}");
}

#[test]
fn the_board_of_rows_keeps_the_laws() {
    for game in GAMES {
        conformance::check(&board(game), 2, 2012);
    }
}

/// Three in a row on 3x3 is tic-tac-toe under any name, with its estimates.
#[test]
fn a_game_is_its_data() {
    let mut line = GameLine::new(start("mnk:3x3,k=3"));
    line.extend("b2a1c1").unwrap();
    let own = RowBoard::after(&line).unwrap();
    assert_eq!(own.diagram(), line.end.diagram());
    let tictactoe = start("tictactoe").parse_line("b2a1c1").unwrap().end;
    assert_same(&tictactoe, &own, "tic-tac-toe");
}

#[test]
fn games_without_a_board_are_rejected() {
    let grid = RowGrid { columns: 7, rows: 6, k: 4, gravity: true };
    let falling =
        RowGame { grid, rule: RowRule::AtLeast, stones_per_turn: 1, stones_on_first_turn: 1 };
    assert!(RowBoard::new(falling).is_some());
    let placed = RowGame { grid: RowGrid { gravity: false, ..grid }, ..falling };
    assert!(RowBoard::new(placed).is_some());
    for game in [
        RowGame { rule: RowRule::Exactly, ..falling },
        RowGame { stones_per_turn: 2, ..falling },
        RowGame { grid: RowGrid { k: 5, ..grid }, ..falling },
    ] {
        assert!(RowBoard::new(game).is_some(), "{game:?}");
    }
    for game in [
        RowGame { rule: RowRule::Renju, ..falling },
        RowGame { grid: RowGrid { rows: 128, ..grid }, ..falling },
        RowGame { rule: RowRule::Renju, ..placed },
        RowGame { stones_on_first_turn: 0, ..placed },
        RowGame { stones_per_turn: 1 << 16, ..placed },
        RowGame { grid: RowGrid { columns: 21, ..placed.grid }, ..placed },
        RowGame { grid: RowGrid { k: 8, ..placed.grid }, ..placed },
    ] {
        assert!(RowBoard::new(game).is_none(), "{game:?}");
    }
    let later = start("gomoku").parse_line("h8").unwrap().end;
    assert!(RowBoard::after(&GameLine::new(later)).is_none());
    assert!(RowBoard::after(&GameLine::new(start("othello"))).is_none());
}

/// A number above 255 is not the move of its lower eight bits.
#[test]
fn numbers_beyond_a_small_board_are_no_moves() {
    for game in ["tictactoe", "connect4"] {
        let own = board(game);
        let mut legal = Vec::new();
        own.push_moves(&mut legal);
        let found: Vec<u16> = (0..=u16::MAX).filter(|&m| own.is_legal(m)).collect();
        assert_eq!(found, legal, "{game}");
        assert_eq!(own.to_move(), Side::First);
    }
}
