//! Random games of every registered game, as records with all optional data.

use tesuji_games::random::{Rng, below, choose, seeded, word};
use tesuji_games::{GameLine, Notation, Outcome, Position, Score, Side, State, registry};
use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord, SearchRecord};

/// Unusual boards: not square, too wide for letters, other rules.
const MORE: [&str; 7] = [
    "gomoku:20x20,exact",
    "gomoku:7x9",
    "mnk:9x6,k=4,p=3,q=2",
    "connect4:9x5",
    "othello:4x4",
    "othello:6x6",
    "tictactoe-nd:4x4x4",
];

/// All registered games, and some variants.
pub(crate) fn games() -> impl Iterator<Item = &'static str> {
    registry::names().chain(MORE)
}

/// A random game.
pub(crate) fn record(game: &str, seed: u64) -> GameRecord {
    let start = registry::start(game).unwrap();
    let rng = &mut seeded(seed);
    let (begin, position) = beginning(&start, rng);
    let mut line = GameLine::new(begin);
    // Some games are unfinished.
    let length = if below(rng, 3) == 0 { below(rng, 12) } else { u32::MAX };
    while line.end.outcome().is_none() && (line.moves.len() as u32) < length {
        let m = line.end.random_move(rng);
        line.play(m).unwrap();
    }
    let (outcome, ending) = match line.end.outcome() {
        Some(outcome) => (outcome, Ending::plain(EndingKind::Rules)),
        None => (outcome(rng), ending(rng)),
    };
    let opening_plies = below(rng, 4).min(line.moves.len() as u32);
    let thought_about = line.moves.len() as u32 - opening_plies;
    // A player that fails has one more search record than moves.
    let thoughts = [0, thought_about, thought_about + 1, below(rng, thought_about + 1)];
    let thoughts = *choose(rng, &thoughts).unwrap();
    GameRecord {
        key: format!("{} {} {}", game, seed, text(rng)),
        event: text(rng),
        game: game.to_string(),
        players: [player(rng), player(rng)],
        pair: (below(rng, 2) == 0).then(|| word(rng)),
        seed: word(rng),
        start: position,
        moves: line.text(),
        opening_plies,
        outcome,
        ending,
        thoughts: (0..thoughts).map(|_| thought(rng)).collect(),
        played_at: word(rng) >> below(rng, 64),
    }
}

/// The standard start, or sometimes a later position if the game has a notation for positions.
fn beginning(start: &State, rng: &mut Rng) -> (State, Option<String>) {
    let mut later = start.clone();
    for _ in 0..below(rng, 8) {
        if later.outcome().is_none() {
            let m = later.random_move(rng);
            later.play(m);
        }
    }
    match later.position_text() {
        Some(text) if later.outcome().is_none() && below(rng, 2) == 0 => {
            (start.parse_line(&text).unwrap().end, Some(text))
        }
        _ => (start.clone(), None),
    }
}

fn outcome(rng: &mut Rng) -> Outcome {
    let outcomes = [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw];
    *choose(rng, &outcomes).unwrap()
}

fn ending(rng: &mut Rng) -> Ending {
    Ending::with(*choose(rng, &EndingKind::ALL).unwrap(), text(rng))
}

fn player(rng: &mut Rng) -> PlayerRecord {
    PlayerRecord { name: text(rng), spec: text(rng) }
}

fn thought(rng: &mut Rng) -> SearchRecord {
    let score = match below(rng, 4) {
        0 => None,
        1 => Some(Score::win_in(below(rng, 99))),
        2 => Some(Score::loss_in(below(rng, 99))),
        _ => Some(Score::estimate(word(rng) as i32)),
    };
    SearchRecord { score, depth: below(rng, 30), nodes: word(rng), micros: word(rng) >> 30 }
}

fn text(rng: &mut Rng) -> String {
    let texts = [
        "",
        "plain",
        "1,2,3",
        "-1",
        "tesuji {}",
        "back\\slash ] [ bracket \\",
        "line\nbreak\r\ntab\t",
        "(;B[aa])",
        "五目並べ 🀄",
    ];
    choose(rng, &texts).unwrap().to_string()
}
