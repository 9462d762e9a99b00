//! Any text for a game, a position or a player gives a value or a one-line error, never a panic.
//! Seeded, so that a failure repeats.

use tesuji_games::random::{Rng, below, choose, seeded};
use tesuji_games::{Notation, Position};
use tesuji_search::Game;

const ROUNDS: usize = 20_000;

/// Valid texts, to be mutated.
fn seedlings() -> Vec<String> {
    let mut texts: Vec<String> = tesuji_builtin::registry().names().map(str::to_string).collect();
    let sized = ["connect4:7x6", "othello:6x6", "mnk:10x10,k=5,p=2,q=1", "connect4:1x1", "mnk:,=,"];
    texts.extend(sized.map(String::from));
    for player in tesuji_players::roster().all() {
        let options: Vec<String> = player.options.iter().map(|option| option.form()).collect();
        texts.push(player.name.to_string());
        texts.push(format!("{}:{}", player.name, options.join(",")));
    }
    let written = [
        "pvs:time=1s,threads=2,quiesce=on,parallel=shared,tt=1K,aspiration=50",
        "engine:depth=8,tt=1M,order=on,deepen=off",
        "mcts:sims=2000,c=1.4,rave=on,solver=off,reuse=on,time=500ms,threads=4",
        "flat-ucb:sims=100,depth=5,c=1.4,seed=18446744073709551615",
    ];
    texts.extend(written.map(String::from));
    texts
}

/// Returns a text with some characters changed, doubled, cut or taken from another text.
fn spoilt(rng: &mut Rng, texts: &[String]) -> String {
    let pick =
        |rng: &mut Rng| choose(rng, texts).map(|text| text.as_bytes().to_vec()).unwrap_or_default();
    let mut bytes = pick(rng);
    for _ in 0..below(rng, 6) {
        let place = below(rng, bytes.len() as u32 + 1) as usize;
        match below(rng, 6) {
            0 => bytes.insert(place, below(rng, 256) as u8),
            1 => bytes.insert(place, b":,=x0-9.mMsk"[below(rng, 12) as usize]),
            2 => bytes.truncate(place),
            3 => bytes.extend(pick(rng)),
            4 => drop(bytes.splice(place..place, *b"99999999999")),
            _ => drop(bytes.drain(place / 2..place)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_a_short_message(error: &impl std::fmt::Display) {
    let text = error.to_string();
    // The error may quote a line break of the input; the command line prints it as a space.
    assert!(!text.is_empty() && text.len() < 2000, "{text}");
}

/// Reads a position of the game, if it was opened.
fn read_position(game: &Game, position: &str) {
    let start = game.start();
    assert!(start.outcome().is_none(), "a game that is over before it begins");
    match start.parse_line(position) {
        Ok(line) => {
            assert!(start.parse_line(&line.text()).is_ok() || line.start.key() != start.key())
        }
        Err(error) => is_a_short_message(&error),
    }
}

#[test]
fn games_and_positions() {
    let mut rng = seeded(2013);
    let texts = seedlings();
    let positions =
        ["", "b2a1", "4453", "d3c3", "11-15 22-18", "h8i9", "e2e4", "a1b1c1"].map(String::from);
    let (registry, mut opened) = (tesuji_builtin::registry(), 0);
    for _ in 0..ROUNDS {
        let (game, position) = (spoilt(&mut rng, &texts), spoilt(&mut rng, &positions));
        match registry.open(&game) {
            Ok(game) => {
                read_position(&game, &position);
                opened += 1;
            }
            Err(error) => is_a_short_message(&error),
        }
    }
    assert!(opened > ROUNDS / 100, "only {opened} texts were games: the test has lost its way");
}

#[test]
fn every_game_takes_any_position() {
    let mut rng = seeded(7);
    let texts: Vec<String> =
        ["a1b2c3", "1234567", "f5d6c3", "11-15 22-18", "e2e4 e7e5", "pass", ""]
            .map(String::from)
            .into();
    let registry = tesuji_builtin::registry();
    for game in registry.names().map(|name| registry.open(name).unwrap()) {
        for _ in 0..500 {
            read_position(&game, &spoilt(&mut rng, &texts));
        }
    }
}

#[test]
fn players() {
    let mut rng = seeded(2017);
    let texts = seedlings();
    let mut understood = 0;
    for _ in 0..ROUNDS {
        match tesuji_players::player(&spoilt(&mut rng, &texts)) {
            Ok(_) => understood += 1,
            Err(error) => is_a_short_message(&error),
        }
    }
    assert!(understood > ROUNDS / 100, "only {understood} texts were players");
}
