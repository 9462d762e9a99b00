//! Laws of learning: it gets better, it repeats itself, and a run that was killed comes to the same end.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tesuji_games::random::{choose, seeded};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, Position, Side, Stones};

use super::settings::MeasureSettings;
use super::*;
use crate::evolution::run_folder::{Given, RunFolder, RunName};

fn tictactoe(instinct: Instinct) -> Learner<TicTacToe> {
    let learning = Learning {
        games: 20_000,
        epsilon: 0.3,
        epsilon_end: 0.1,
        openings: 4,
        lambda: 0.8,
        instinct,
        radius: 0,
        ..Learning::default()
    };
    let patterns = PatternSettings { cells: vec![6, 8], count: 12, ..PatternSettings::default() };
    let (start, seed) = (TicTacToe::new(), 3);
    let grid = start.grid();
    let drawn = patterns.drawn(crate::forest::Shape::Walks, &grid, seed);
    Learner::new(start, "tictactoe", seed, learning, patterns.spread_on(&grid), drawn)
}

/// The move that the rounded network likes best at one ply, any of equals.
fn network_move(
    network: &TupleNetwork,
    layout: &Layout,
    position: &TicTacToe,
    rng: &mut tesuji_games::Rng,
) -> <TicTacToe as Position>::Move {
    let forcing = TicTacToe::tactics().unwrap();
    let mut moves = Vec::new();
    (forcing.push)(position, &mut moves);
    if let Some(&m) = moves.first() {
        return m;
    }
    let side = position.to_move();
    let value = |m| {
        let mut after = *position;
        after.play(m);
        let sum = if after.outcome().is_some() { 0 } else { network.sum(layout, &after) };
        if side == Side::First { sum } else { -sum }
    };
    position.push_moves(&mut moves);
    let best = moves.iter().map(|&m| value(m)).max().unwrap();
    moves.retain(|&m| value(m) == best);
    *choose(rng, &moves).unwrap()
}

#[test]
fn tictactoe_is_learned_until_random_moves_never_win() {
    let mut learner = tictactoe(Instinct::Forced);
    let first = learner.learn(500);
    learner.learn(19_000);
    let last = learner.learn(500);
    let error = |tally: &Tally| tally.error / tally.positions as f64;
    assert!(error(&last) < 0.6 * error(&first), "{} {}", error(&first), error(&last));

    let network = learner.network().unwrap();
    let layout = network.lay(&TicTacToe::new().grid());
    let (mut rng, mut lost, mut won) = (seeded(8), 0, 0);
    for game in 0..2_000 {
        let mut position = TicTacToe::new();
        let side = Side::ALL[game % 2];
        let end = loop {
            if let Some(end) = position.outcome() {
                break end;
            }
            let m = if position.to_move() == side {
                network_move(&network, &layout, &position, &mut rng)
            } else {
                position.random_move(&mut rng)
            };
            position.play(m);
        };
        won += usize::from(end.winner() == Some(side));
        lost += usize::from(end.winner() == Some(!side));
    }
    assert_eq!(lost, 0, "of 2000 games; {won} won");
    assert!(won > 1_600, "{won} of 2000");
    // Here up to three random moves come first, and may have lost the game already.
    assert!(learner.measure(Rival::Random, 400).share() > 0.9);
}

#[test]
fn without_any_instinct_it_learns_as_well() {
    let mut learner = tictactoe(Instinct::None);
    let before = learner.measure(Rival::Random, 400).share();
    learner.learn(10_000);
    let after = learner.measure(Rival::Random, 400).share();
    assert!(after > 0.93 && after > before + 0.1, "{before} {after}");
}

#[test]
fn lines_learn_to_beat_the_line_heuristic() {
    // Four in a row is decided soon, so that few games suffice.
    let text =
        "game = 'mnk:7x7,k=4'\n[patterns]\ncells = [5, 6]\ncount = 4\n[learning]\ngames = 3000\n";
    let settings = WeightSettings::from_toml(text).unwrap();
    let WeightSettings { game, seed, patterns, learning, .. } = settings;
    let start = crate::stones::board(&game).unwrap();
    let grid = start.grid();
    let drawn = patterns.drawn(crate::forest::Shape::Lines, &grid, seed);
    let spread = patterns.spread_on(&grid);
    let mut learner = Learner::new(start, &game, seed, learning, spread, drawn);
    let before = learner.measure(Rival::Heuristic, 200).share();
    learner.learn(3_000);
    let after = learner.measure(Rival::Heuristic, 200).share();
    assert!(before < 0.4 && after > 0.5, "{before} {after}");
}

#[test]
fn a_learner_carries_on_bit_by_bit() {
    let mut whole = tictactoe(Instinct::Forced);
    whole.learn(300);
    let mut half = tictactoe(Instinct::Forced);
    half.learn(120);
    let saved = Checkpoint::from_bytes(&half.checkpoint().to_bytes()).unwrap();
    let mut other = tictactoe(Instinct::Forced);
    other.restore(saved).unwrap();
    other.learn(180);
    assert_eq!(other.checkpoint().to_bytes(), whole.checkpoint().to_bytes());
    assert_eq!(other.network().unwrap(), whole.network().unwrap());
}

fn settings() -> WeightSettings {
    let measure = MeasureSettings { block: 100, every: 2, games: 20 };
    let patterns = PatternSettings { from: "search".into(), count: 3, ..Default::default() };
    let search = SearchSettings { tries: 3, games: 100, practice: 50 };
    WeightSettings {
        game: "tictactoe".to_string(),
        patterns: PatternSettings { cells: vec![4], search, ..patterns },
        learning: Learning { games: 450, ..Learning::default() },
        measure,
        ..WeightSettings::default()
    }
}

fn folder(path: &std::path::Path, settings: &WeightSettings) -> RunFolder {
    let given = Given { form: "toml", text: settings.to_toml() };
    let name = RunName { id: "x".to_string(), started_at: 1 };
    RunFolder::create(path, &given, &settings.to_toml(), &name).unwrap()
}

#[test]
fn a_run_that_was_stopped_comes_to_the_same_weights() {
    let places = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let settings = settings();
    let [straight, broken] = [0, 1].map(|n: usize| folder(places[n].path(), &settings));
    let run = |folder: &RunFolder, blocks: u64| {
        let stop = AtomicBool::new(false);
        let mut seen = 0;
        let network = train_weights(&settings, folder, &stop, &mut |_| {
            seen += 1;
            stop.store(seen >= blocks, Relaxed);
        });
        (network.unwrap(), seen)
    };
    let (whole, blocks) = run(&straight, u64::MAX);
    assert_eq!(blocks, 5);
    assert_eq!((run(&broken, 2).1, run(&broken, 2).1), (2, 2));
    // Killed between the line of metrics and the checkpoint: the line must not stay.
    let line = std::fs::read_to_string(places[1].path().join("metrics.jsonl")).unwrap();
    let extra = line.lines().last().unwrap().replace("\"games\":400", "\"games\":450");
    let metrics = places[1].path().join("metrics.jsonl");
    std::fs::write(&metrics, format!("{line}{extra}\n{{\"gam")).unwrap();
    let (resumed, blocks) = run(&broken, u64::MAX);
    assert_eq!(blocks, 1);
    assert_eq!(resumed, whole);
    for file in [CHECKPOINT, WEIGHTS] {
        let bytes = places.each_ref().map(|place| std::fs::read(place.path().join(file)).unwrap());
        assert!(bytes[0] == bytes[1], "{file}");
    }
    let lines = std::fs::read_to_string(metrics).unwrap();
    assert_eq!(lines.lines().count(), 5, "{lines}");
    assert_eq!(TupleNetwork::load(&places[0].path().join(WEIGHTS)).unwrap(), whole);
    for plot in ["error", "strength", "length", "results", "speed"] {
        assert!(places[0].path().join(format!("plots/{plot}.svg")).is_file(), "{plot}");
    }
}

#[test]
fn what_cannot_be_learned_is_said() {
    let try_with = |change: &dyn Fn(&mut WeightSettings)| {
        let place = tempfile::tempdir().unwrap();
        let mut settings = settings();
        settings.patterns.from = "lines".to_string();
        change(&mut settings);
        let folder = folder(place.path(), &settings);
        let stop = AtomicBool::new(false);
        train_weights(&settings, &folder, &stop, &mut |_| {}).unwrap_err().to_string()
    };
    assert!(try_with(&|s| s.game = "chess".into()).contains("game of stones"));
    assert!(try_with(&|s| s.game = "chesss".into()).contains("chesss"));
    assert!(try_with(&|s| s.patterns.from = "forest:/no/such.xml".into()).contains("no/such.xml"));
    let damaged = {
        let place = tempfile::tempdir().unwrap();
        let settings = settings();
        let folder = folder(place.path(), &settings);
        std::fs::write(place.path().join(CHECKPOINT), b"tesuji-c\x01garbage!").unwrap();
        let stop = AtomicBool::new(false);
        train_weights(&settings, &folder, &stop, &mut |_| {}).unwrap_err().to_string()
    };
    assert!(damaged.starts_with("checkpoint.weights: "), "{damaged}");
}

#[test]
fn the_examples_can_be_read_and_have_patterns_on_their_boards() {
    let patterns_on = |game: &str, patterns: PatternSettings| {
        let shape = match patterns.source().unwrap() {
            super::patterns::Source::Drawn(shape) => shape,
            other => panic!("{other:?}"),
        };
        patterns.drawn(shape, &crate::stones::grid(game).unwrap(), 1).len()
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/weights");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let settings = WeightSettings::from_toml(&text).unwrap();
        let (game, wanted) = (settings.game.clone(), settings.patterns.count);
        let count = patterns_on(&game, settings.patterns);
        // On the smallest board there are only three kinds of eight cells.
        assert!((wanted / 2..=wanted).contains(&count), "{count} in {}", path.display());
        files += 1;
    }
    assert_eq!(files, 4);
}
