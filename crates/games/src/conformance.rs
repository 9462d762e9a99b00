//! A test suite with the laws that every game must satisfy. `tests/conformance.rs` runs it for
//! every registered game; other games call [`check`] in their own tests.

use std::collections::HashSet;

use crate::random::{Rng, below, choose, seeded, word};
use crate::{
    DiagramCell, Draw, GameLine, Move, Notation, Outcome, Playable, Position, Reference,
    ReferenceScans, RowGame, State,
};

/// A longer game fails the check.
const MAX_GAME_PLIES: usize = 20_000;

/// Plays `games` random games from `start` and checks every law in every position, then passes
/// malformed input to the parsers. A game with a [`Reference`] is also compared with it.
///
/// # Panics
/// When a law is violated; the message says which and where.
pub fn check<P: Playable>(start: &P, games: usize, seed: u64) {
    check_against(start, P::reference(), games, seed);
}

/// As [`check`], but always compares outcome and key with the game's [`Reference`], even if the
/// game does not list it as a capability.
///
/// # Panics
/// When a law is violated; the message says which and where.
pub fn check_with_reference<P: Playable + Reference>(start: &P, games: usize, seed: u64) {
    check_against(start, Some(ReferenceScans::of()), games, seed);
}

fn check_against<P: Playable>(
    start: &P,
    oracle: Option<ReferenceScans<P>>,
    games: usize,
    seed: u64,
) {
    let mut rng = seeded(seed);
    for _ in 0..games {
        let mut choices = seeded(word(&mut rng));
        check_game(start, oracle, &mut rng, |position| {
            let m = position.random_move(&mut choices);
            assert!(position.is_legal(m), "random_move gave an illegal move");
            Some(m)
        });
    }
    parsers_accept_any_bytes(start, &mut rng);
}

/// Plays a game in which each byte chooses one of the legal moves, and checks every law in every
/// position. For fuzzing.
///
/// # Panics
/// When a law is violated.
pub fn check_choices<P: Playable>(start: &P, choices: &[u8]) {
    let mut choices = choices.iter();
    check_game(start, P::reference(), &mut seeded(0), |position| {
        let choice = usize::from(*choices.next()?);
        let moves = moves_of(position);
        Some(moves[choice % moves.len()])
    });
}

/// Passes a text to the parsers. They must read it such that it can be written and read again, or
/// reject it with an error of one line.
///
/// # Panics
/// When they do neither.
pub fn check_text<P: Playable>(start: &P, text: &str) {
    match start.parse_line(text) {
        Ok(line) => line_reads_back(&line),
        Err(error) => assert!(!error.to_string().contains('\n'), "an error of two lines: {error}"),
    }
    if let Err(error) = start.parse_move(text) {
        assert!(!error.to_string().contains('\n'), "an error of two lines: {error}");
    }
}

fn check_game<P: Playable>(
    start: &P,
    oracle: Option<ReferenceScans<P>>,
    rng: &mut Rng,
    mut choose_move: impl FnMut(&P) -> Option<P::Move>,
) {
    let mut line = GameLine::new(start.clone());
    let mut erased = State::new(start.clone());
    let mut history = Vec::new();
    let mut seen = HashSet::new();
    while line.end.outcome().is_none() {
        let place = || format!("after {:?}", line.text());
        state_is_consistent(&line.end, oracle, &place);
        moves_are_legal_and_reversible(&line.end, rng, &place);
        moves_read_back(&line.end, &place);
        helpers_are_sound(&line.end, &place);
        erased_is_the_same(&line.end, &erased, rng, &place);
        let Some(m) = choose_move(&line.end) else { break };
        let is_new = seen.insert(line.end.key());
        assert!(P::MAY_REPEAT || is_new, "the position came back {}", place());
        let before = fingerprint(&line.end);
        let undo = line.end.play(m);
        erased.play(Move::of(m));
        line.moves.push(m);
        history.push((m, undo, before));
        assert!(history.len() < MAX_GAME_PLIES, "the game does not end");
    }
    if line.end.outcome().is_some() {
        let place = || format!("at the end, after {:?}", line.text());
        state_is_consistent(&line.end, oracle, &place);
        erased_is_the_same(&line.end, &erased, rng, &place);
        assert_eq!(line.end.move_count(), 0, "a finished game has moves: {}", place());
    }
    line_reads_back(&line);
    while let Some((m, undo, before)) = history.pop() {
        line.end.undo(m, undo);
        assert_eq!(fingerprint(&line.end), before, "undo did not restore the position");
    }
}

/// The observable state of a position.
#[derive(PartialEq, Debug)]
struct Fingerprint {
    key: u64,
    outcome: Option<Outcome>,
    board: String,
    moves: Vec<String>,
    estimate: Option<i32>,
}

fn fingerprint<P: Playable>(position: &P) -> Fingerprint {
    Fingerprint {
        key: position.key(),
        outcome: position.outcome(),
        board: position.diagram().to_string(),
        moves: moves_of(position).into_iter().map(|m| position.move_text(m)).collect(),
        estimate: position.outcome().is_none().then(|| position.estimate()),
    }
}

fn moves_of<P: Position>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    moves
}

fn state_is_consistent<P: Playable>(
    position: &P,
    oracle: Option<ReferenceScans<P>>,
    place: &impl Fn() -> String,
) {
    if let Some(oracle) = oracle {
        assert_eq!(position.outcome(), (oracle.outcome)(position), "outcome: {}", place());
        assert_eq!(position.key(), (oracle.key)(position), "key: {}", place());
    }
    let diagram = position.diagram();
    let cells = diagram.columns.len() * diagram.rows.len() * diagram.layers.len();
    assert_eq!(diagram.cells.len(), cells, "diagram: {}", place());
    stones_are_as_drawn(position);
    if let Some(symmetry) = P::symmetry() {
        let own = (symmetry.canonical_key)(position);
        let (mut itself, mut least) = (false, u64::MAX);
        (symmetry.for_each)(position, &mut |image| {
            itself |= image.key() == position.key();
            least = least.min(image.key());
            assert_eq!((symmetry.canonical_key)(&image), own, "canonical key: {}", place());
            assert_eq!(image.outcome(), position.outcome(), "outcome of an image: {}", place());
            assert_eq!(image.move_count(), position.move_count(), "image: {}", place());
            let estimates = [&image, position].map(|p| p.outcome().is_none().then(|| p.estimate()));
            assert_eq!(estimates[0], estimates[1], "estimate of an image: {}", place());
            if let Some(oracle) = oracle {
                assert_eq!(image.key(), (oracle.key)(&image), "key of an image: {}", place());
            }
        });
        assert_eq!(least, own, "the canonical key is not the least: {}", place());
        assert!(itself, "the position is not among its images: {}", place());
    }
}

/// In a game of rows, stones and diagram agree, and cells and moves convert to each other.
fn stones_are_as_drawn<P: Playable>(position: &P) {
    let Some(RowGame { grid, .. }) = position.rows() else { return };
    let diagram = position.diagram();
    assert_eq!((diagram.columns.len(), diagram.rows.len()), (grid.columns, grid.rows));
    let mut playable = HashSet::new();
    position.for_each_move(|m| {
        let cell = position.cell_of_move(m).expect("a game of rows");
        assert_eq!(position.cells_of(m), [cell], "{m:?}");
        assert_eq!(position.move_onto(cell), Some(m), "{m:?}");
        playable.insert(cell);
    });
    for (cell, &drawn) in diagram.cells.iter().enumerate() {
        assert_eq!(DiagramCell::mark(position.stone_on(cell)), drawn, "cell {cell}");
        assert_eq!(position.move_onto(cell).is_some(), playable.contains(&cell), "cell {cell}");
    }
}

fn moves_are_legal_and_reversible<P: Playable>(
    position: &P,
    rng: &mut Rng,
    place: &impl Fn() -> String,
) {
    let moves = moves_of(position);
    assert!(!moves.is_empty(), "an unfinished game has no moves: {}", place());
    assert_eq!(moves.len(), position.move_count(), "move_count: {}", place());
    assert_eq!(moves.iter().collect::<HashSet<_>>().len(), moves.len(), "move twice: {}", place());
    for &m in &moves {
        assert!(position.is_legal(m), "{m:?} is generated but not legal: {}", place());
        assert!(position.move_index(m) < position.num_move_indices(), "move_index: {}", place());
    }
    // Trying every move of every position would be slow on large boards; three are enough to find a
    // bug.
    let before = fingerprint(position);
    let mut copy = position.clone();
    for _ in 0..3 {
        let Some(&m) = choose(rng, &moves) else { unreachable!() };
        let undo = copy.play(m);
        copy.undo(m, undo);
        assert_eq!(fingerprint(&copy), before, "play and undo of {m:?}: {}", place());
    }
}

fn moves_read_back<P: Playable>(position: &P, place: &impl Fn() -> String) {
    let board_cells = position.diagram().cells.len();
    let mut texts = HashSet::new();
    for m in moves_of(position) {
        let text = position.move_text(m);
        assert_eq!(position.parse_move(&text), Ok(m), "{text} does not read back: {}", place());
        assert!(texts.insert(text), "two moves are written alike: {}", place());
        assert!(position.cells_of(m).iter().all(|&cell| cell < board_cells), "{}", place());
    }
}

fn helpers_are_sound<P: Playable>(position: &P, place: &impl Fn() -> String) {
    let side = position.to_move();
    let wins = |m: P::Move| {
        let mut child = position.clone();
        child.play(m);
        child.outcome() == Some(Outcome::Win(side))
    };
    match position.winning_move() {
        Some(m) => assert!(position.is_legal(m) && wins(m), "winning_move {m:?}: {}", place()),
        None if P::FINDS_WINS => {
            let missed = moves_of(position).into_iter().find(|&m| wins(m));
            assert_eq!(missed, None, "winning_move missed a win: {}", place());
        }
        None => {}
    }
    let mut ordered = Vec::new();
    if position.for_each_ordered_move(|m| ordered.push(m)) {
        let mut sorted = moves_of(position);
        sorted.sort_by_key(|&m| std::cmp::Reverse(position.move_score_of(m)));
        assert_eq!(ordered, sorted, "the generated order is not the sorted one: {}", place());
    }
    if let Some(tactics) = P::tactics() {
        let mut forcing = Vec::new();
        (tactics.push)(position, &mut forcing);
        let legal = moves_of(position);
        assert!(forcing.iter().all(|m| legal.contains(m)), "forcing move is illegal: {}", place());
        let stuck = forcing.is_empty() && !(tactics.may_stand_pat)(position);
        assert!(!stuck, "no forcing move, yet standing pat is forbidden: {}", place());
    }
}

/// A [`State`] behaves like the position inside it, and moves convert to numbers and back.
fn erased_is_the_same<P: Playable>(
    position: &P,
    erased: &State,
    rng: &mut Rng,
    place: &impl Fn() -> String,
) {
    assert!(erased.downcast_ref::<P>().is_some(), "the type is lost: {}", place());
    assert_eq!(erased.outcome(), position.outcome(), "erased outcome: {}", place());
    assert_eq!(erased.key(), position.key(), "erased key: {}", place());
    assert_eq!(erased.diagram(), position.diagram(), "erased diagram: {}", place());
    assert_eq!(erased.style(), position.style(), "erased look: {}", place());
    assert_eq!(erased.position_text(), position.position_text(), "erased text: {}", place());
    assert_eq!(erased.rows(), position.rows(), "erased rows: {}", place());
    assert_eq!(erased.winning_cells(), position.winning_cells(), "{}", place());
    let canonical = P::symmetry().map(|symmetry| (symmetry.canonical_key)(position));
    assert_eq!(erased.canonical_key(), canonical.unwrap_or(position.key()), "{}", place());
    let moves = moves_of(position);
    let numbers: Vec<Move> = moves.iter().map(|&m| Move::of(m)).collect();
    assert_eq!(erased.legal_moves(), numbers, "erased moves: {}", place());
    assert_eq!(erased.move_count(), moves.len(), "erased move_count: {}", place());
    for (&m, &number) in moves.iter().zip(&numbers) {
        assert_eq!(number.typed(), Some(m), "{m:?} does not convert back: {}", place());
        assert!(erased.is_legal(number), "{m:?} is not legal erased: {}", place());
        assert_eq!(erased.move_text(number), position.move_text(m), "{}", place());
        assert_eq!(erased.move_index(number), position.move_index(m), "{}", place());
        assert_eq!(erased.cells_of(number), position.cells_of(m), "{}", place());
        assert_eq!(erased.cell(number), position.cell_of_move(m), "{}", place());
    }
    // A number that is not a legal move is rejected.
    let large = word(rng);
    for number in [large, large >> 16, large >> 32, large >> 48, large >> 56] {
        let legal = numbers.contains(&Move::from(number));
        assert_eq!(erased.is_legal(Move::from(number)), legal, "number {number}: {}", place());
    }
    if position.outcome().is_none() {
        assert_eq!(erased.to_move(), position.to_move(), "erased side: {}", place());
        assert_eq!(erased.winning_move(), position.winning_move().map(Move::of), "{}", place());
        let estimate = P::HAS_HEURISTIC.then(|| position.estimate());
        assert_eq!(erased.estimate(), estimate, "{}", place());
        let (seed, mut copy) = (word(rng), erased.clone());
        let m = position.random_move(&mut seeded(seed));
        assert_eq!(erased.random_move(&mut seeded(seed)), Move::of(m), "{}", place());
        let text = erased.move_text(Move::of(m));
        assert_eq!(erased.parse_move(&text), Ok(Move::of(m)), "{}", place());
        let before = copy.play(Move::of(m));
        copy.undo(Move::of(m), before);
        assert_eq!(copy.key(), position.key(), "erased undo: {}", place());
    }
    if let Some(game) = erased.rows().filter(|_| position.outcome().is_none()) {
        let stones = (0..game.grid.cells()).filter(|&cell| erased.stone_at(cell).is_some()).count();
        assert_eq!(game.side_after(stones), position.to_move(), "stones a turn: {}", place());
    }
}

fn line_reads_back<P: Playable>(line: &GameLine<P>) {
    let text = line.text();
    let again = line.start.parse_line(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(again.moves, line.moves, "{text}");
    assert_eq!(fingerprint(&again.end), fingerprint(&line.end), "{text}");
    let spaced: Vec<String> = {
        let mut position = line.start.clone();
        let words = line.moves.iter().map(|&m| {
            let word = position.move_text(m);
            position.play(m);
            word
        });
        words.collect()
    };
    let again = line.start.parse_line(&spaced.join(", ")).map(|line| line.moves);
    assert_eq!(again.as_ref(), Ok(&line.moves), "moves with commas between them");
}

/// Random bytes, and valid lines with a few corrupted characters, must give an error or a line, but
/// not a panic.
fn parsers_accept_any_bytes<P: Playable>(start: &P, rng: &mut Rng) {
    let mut valid_line = GameLine::new(start.clone());
    for _ in 0..12 {
        if valid_line.end.outcome().is_none() {
            let m = valid_line.end.random_move(rng);
            valid_line.end.play(m);
            valid_line.moves.push(m);
        }
    }
    let inputs = [valid_line.text(), start.position_text().unwrap_or_default()];
    for round in 0..400 {
        let mut bytes = inputs[round % 2].clone().into_bytes();
        if bytes.is_empty() || round % 5 == 0 {
            bytes = (0..below(rng, 40)).map(|_| below(rng, 256) as u8).collect();
        }
        for _ in 0..below(rng, 5) {
            if !bytes.is_empty() {
                let place = below(rng, bytes.len() as u32) as usize;
                bytes[place] = below(rng, 128) as u8;
            }
        }
        check_text(start, &String::from_utf8_lossy(&bytes));
    }
}
