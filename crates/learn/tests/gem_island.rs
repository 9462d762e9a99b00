//! Networks for Gem Island: their inputs equal those of a straightforward loop over the cells, and
//! training is reproducible bit for bit on any number of threads, interrupted or not.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use tesuji_games::Simulator;
use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::log::{GemLog, LogHeader, LoggedTurn};
use tesuji_games::rules::gem_island::text::{GemSnapshot, TextDialect};
use tesuji_games::rules::gem_island::{Bonus, GemCell, GemIsland, GemSettings, GemStatus, Swap};
use tesuji_learn::gem_island::features::{self, FEATURES};
use tesuji_learn::gem_island::planes::{self, PLANES, UNCHANGED};
use tesuji_learn::gem_island::utility::search_label;
use tesuji_learn::gem_island::{
    Faults, GemLearnerSettings, NetworkValue, PolicyNetwork, ValueKind, check_board, train_on_logs,
};
use tesuji_learn::network::Network;
use tesuji_search::flat_ucb::RolloutValue;
use tesuji_store::{Record, Sample};
use tesuji_train::{LearnerSettings as _, RunSettings};

use crate::run::{self, train};

/// States of random games, early and late.
fn random_states(count: u64) -> impl Iterator<Item = (GemIsland, Rng)> {
    (0..count).map(|seed| {
        let mut rng = seeded(derived(1, [seed]));
        let level = GemSettings::level(1 + (seed % 3) as usize).unwrap();
        let mut state = GemIsland::generate(level, &mut rng).unwrap();
        for _ in 0..below(&mut rng, 25) {
            if state.status() == GemStatus::Running {
                let swap = state.swap_at(below(&mut rng, state.swaps().count()));
                state.play(swap, &mut rng, &mut ());
            }
        }
        (state, rng)
    })
}

#[test]
fn planes_equal_a_simple_loop() {
    let mut ones = Vec::new();
    for (state, mut rng) in random_states(150) {
        let (grid, board) = (state.grid(), state.board());
        let kinds = planes::draw_permutation(&mut rng);
        let mut expected = BTreeSet::new();
        for cell in grid.row_major() {
            let mut insert = |plane: usize| {
                expected.insert(PLANES.index(cell.row.into(), cell.column.into(), plane) as u32)
            };
            let (gem, index) = (board.gem(grid.index(cell)), grid.index(cell));
            insert(kinds[usize::from(gem.kind)].into());
            match gem.bonus {
                Some(Bonus::Cross) => insert(6),
                Some(Bonus::Star) => insert(7),
                Some(Bonus::Diamond) => insert(8),
                None => true,
            };
            if board.layers(index) > 0 {
                insert(9);
            } else if let Some(part) = board.portion(grid, board.medals | board.freed, cell) {
                insert(10 + usize::from(part));
            }
        }
        planes::encode(&state, &kinds, Faults::NONE, &mut ones);
        assert_eq!(ones.iter().copied().collect::<BTreeSet<u32>>(), expected);
        assert_eq!(ones.len(), expected.len());
        let written = GemSnapshot::of(&state);
        assert_eq!(planes::encode_snapshot(&written, &kinds).collect::<BTreeSet<u32>>(), expected);
    }
}

#[test]
fn the_published_faults_leak_hidden_information() {
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    let (mut bonuses, mut hidden) = (0, 0);
    for (state, _) in random_states(60) {
        planes::encode(&state, &UNCHANGED, Faults::NONE, &mut right);
        let codes = Faults { bonus_codes: true, ..Faults::NONE };
        planes::encode(&state, &UNCHANGED, codes, &mut wrong);
        let on = |ones: &[u32], plane: u32| ones.iter().filter(|&&one| one % 14 == plane).count();
        assert_eq!((on(&wrong, 6), on(&wrong, 7)), (on(&right, 7), on(&right, 8)));
        assert_eq!(on(&wrong, 8), 0);
        bonuses += on(&right, 6);
        let all = Faults { hidden_medals: true, ..Faults::NONE };
        planes::encode(&state, &UNCHANGED, all, &mut wrong);
        assert_eq!(on(&wrong, 10), usize::from(state.grid().settings.medals));
        let left = Faults { freed_medals: true, ..all };
        planes::encode(&state, &UNCHANGED, left, &mut wrong);
        assert_eq!(on(&wrong, 10), usize::from(state.medals_left()));
        hidden += on(&wrong, 10);
    }
    assert!(bonuses > 0 && hidden > 0, "the states contain bonuses and hidden medals");
}

/// The input of the utility network in a plane.
fn input_at(inputs: &[(u32, f32)], cell: GemCell, plane: usize) -> f32 {
    let folder = FEATURES.index(cell.row.into(), cell.column.into(), plane) as u32;
    inputs.iter().filter(|(at, _)| *at == folder).map(|(_, number)| number).sum()
}

#[test]
fn features_equal_a_simple_loop() {
    let mut inputs = Vec::new();
    for (state, _) in random_states(60) {
        let (grid, board) = (state.grid(), state.board());
        features::encode(&state, &mut inputs);
        let view = state.view();
        let open = view.hidden_places();
        let steps: Vec<u128> = (0..state.swaps().count())
            .map(|n| state.peek(state.swap_at(n)))
            .map(|step| step.removed | step.created.cells())
            .collect();
        for cell in grid.row_major() {
            let bit = 1u128 << grid.index(cell);
            let iced = board.iced() & bit != 0;
            assert_eq!(input_at(&inputs, cell, 0), f32::from(u8::from(iced)));
            let part = grid.medal_cells(view.known.board().medals) & bit != 0 && iced;
            assert_eq!(input_at(&inputs, cell, 2), f32::from(u8::from(part)));
            let mut places = 0;
            let mut rest = open;
            while rest != 0 {
                places += u32::from(grid.medal_cells(rest & rest.wrapping_neg()) & bit != 0);
                rest &= rest - 1;
            }
            let chance = f32::from(view.hidden) / open.count_ones().max(1) as f32;
            assert!((input_at(&inputs, cell, 1) - places as f32 * chance).abs() < 1e-5);
            let times = steps.iter().filter(|taken| **taken & bit != 0).count();
            assert_eq!(input_at(&inputs, cell, 5), f32::from(u8::from(times >= 1)));
            assert_eq!(input_at(&inputs, cell, 6), f32::from(u8::from(times >= 2)));
            let like = |rows: i32, columns: i32| {
                let (row, column) = (i32::from(cell.row) + rows, i32::from(cell.column) + columns);
                let other = (0..9).contains(&row) && (0..9).contains(&column);
                let kind = |cell| board.gem(grid.index(cell)).kind;
                f32::from(u8::from(
                    other && kind(GemCell::new(row as u8, column as u8)) == kind(cell),
                ))
            };
            let steps = [(0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (-1, 1)];
            for (n, (rows, columns)) in steps.into_iter().enumerate() {
                assert_eq!(input_at(&inputs, cell, 13 + n), like(rows, columns), "{cell:?} {n}");
            }
        }
    }
}

/// Hidden medals affect only the published evaluation.
#[test]
fn hidden_medals_do_not_affect_evaluations() {
    let mut utility = NetworkValue::shipped(ValueKind::Utility);
    let mut outcome = NetworkValue::shipped(ValueKind::Outcome);
    let mut published = NetworkValue::shipped(ValueKind::PublishedOutcome);
    let mut peeked = false;
    for (state, mut rng) in random_states(60).filter(|(state, _)| state.view().hidden > 0) {
        let view = state.view();
        let other = GemIsland::sample_state(&view, &mut rng);
        assert_eq!(utility.value(&view, &state, 0.0), utility.value(&view, &other, 0.0));
        assert_eq!(outcome.value(&view, &state, 0.0), outcome.value(&view, &other, 0.0));
        peeked |= published.value(&view, &state, 0.0) != published.value(&view, &other, 0.0);
    }
    assert!(peeked);
}

/// A chance to win within more moves is no smaller on average, and values are between 0 and 1.
#[test]
fn shipped_networks_are_plausible() {
    let mut utility = NetworkValue::shipped(ValueKind::Utility);
    let mut outcome = NetworkValue::shipped(ValueKind::Outcome);
    let (mut soon, mut late) = (0.0, 0.0);
    for (state, _) in random_states(100) {
        let chances = utility.chances(&state);
        (soon, late) = (soon + chances[3], late + chances[20]);
        let view = state.view();
        for value in [utility.value(&view, &state, 0.0), outcome.value(&view, &state, 0.0)] {
            assert!((0.0..=1.0).contains(&value), "{value}");
        }
    }
    assert!(soon < 0.5 * late, "{soon} {late}");
}

#[test]
fn other_boards_are_rejected() {
    let level = GemSettings::level(1).unwrap();
    assert!(check_board(&level).is_ok());
    for settings in [
        GemSettings { columns: 8, ..level },
        GemSettings { rows: 10, ..level },
        GemSettings { kinds: 7, ..level },
    ] {
        let error = check_board(&settings).unwrap_err().to_string();
        assert!(error.contains("9x9"), "{error}");
        let state = GemIsland::<u128>::generate(settings, &mut seeded(1)).unwrap();
        let view = state.view();
        assert_eq!(NetworkValue::shipped(ValueKind::Utility).value(&view, &state, 0.0), 0.0);
        assert_eq!(NetworkValue::shipped(ValueKind::Outcome).value(&view, &state, 0.0), 0.0);
    }
}

fn settings(learner: &str, more: &str) -> RunSettings {
    run::settings(&format!(
        "learner = '{learner}'\nseed = 5\nthreads = 2\n{more}\n\
         [games]\nlevels = [1, 2]\nblock = 70\npermutations = 2\n\
         players = ['random', 'greedy:slips=3', 'flat-ucb:sims=20,depth=2', 'belief:rollouts=20']\n\
         [learning]\nblocks = 4\nbatch = 32\nfilters = 4\nunits = 8\n\
         [measure]\nevery = 0\n"
    ))
}

/// The network after a complete run.
fn trained(path: &Path, settings: &RunSettings) -> Network {
    train(path, settings).unwrap();
    best(path)
}

fn best(path: &Path) -> Network {
    Network::from_bytes(&std::fs::read(path.join("best.net")).unwrap()).unwrap()
}

/// Games as played result in a different network than games with an independent number of moves
/// left.
#[test]
fn moves_left_affect_training() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = run::with(&settings("gem-outcome", ""), "learning.blocks", 1);
    let played = run::with(&drawn, "games.clock", "played");
    let [drawn, played] = [("drawn", drawn), ("played", played)]
        .map(|(name, settings)| trained(&folder.path().join(name), &settings));
    assert_ne!(drawn.parameters(), played.parameters());
}

#[test]
fn training_lowers_the_loss() {
    let folder = tempfile::tempdir().unwrap();
    let settings = run::with(&settings("gem-utility", ""), "games.block", 300);
    train(folder.path(), &settings).unwrap();
    let losses = run::metrics(folder.path());
    let loss = |line: usize| losses[line]["loss"].as_f64().unwrap();
    assert!(loss(3) < 0.8 * loss(0), "{losses:?}");
}

/// A game as the browser logs it, with random swaps.
fn log(seed: u64) -> GemLog {
    log_of(seed, |state, rng| state.swap_at(below(rng, state.swaps().count())))
}

/// A game in which every swap is one of the deepest.
fn deepest(seed: u64) -> GemLog {
    log_of(seed, |state, _| {
        let swaps = state.legal_swaps().into_iter();
        swaps.max_by_key(|swap| swap.first.row.max(swap.second.row)).unwrap()
    })
}

fn log_of(seed: u64, choose: impl Fn(&GemIsland, &mut Rng) -> Swap) -> GemLog {
    let mut rng = seeded(derived(3, [seed]));
    let level = GemSettings::level(1).unwrap();
    let mut state = GemIsland::<u128>::generate(level, &mut rng).unwrap();
    let mut turns = Vec::new();
    while state.status() == GemStatus::Running {
        let swap = choose(&state, &mut rng);
        let number = 2 * turns.len() as u32;
        turns.push(LoggedTurn { number, state: GemSnapshot::of(&state), swap });
        state.play(swap, &mut rng, &mut ());
    }
    let end_number = 2 * turns.len() as u32;
    GemLog { header: LogHeader::of(&level), turns, end_number, end: GemSnapshot::of(&state) }
}

#[test]
fn training_on_logs_works() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let settings = settings("gem-outcome", &format!("data = 'logs'\nlogs = {:?}", logs));
    let path = folder.path().join("run");
    assert!(train(&path, &settings).unwrap_err().to_string().contains("no finished game"));
    for seed in 0..6 {
        std::fs::write(logs.join(format!("{seed}.txt")), log(seed).to_text(TextDialect::Js))
            .unwrap();
    }
    let network = trained(&path, &settings);
    assert!(network.origin().contains("logs"), "{}", network.origin());
}

/// The published order of examples and its rate give another network than ours.
#[test]
fn training_as_published_differs() {
    let folder = tempfile::tempdir().unwrap();
    let ours = run::with(&settings("gem-outcome", ""), "learning.blocks", 1);
    let published = run::with(&ours, "learning.form", "published");
    let [ours, published] = [("ours", ours), ("published", published)]
        .map(|(name, settings)| trained(&folder.path().join(name), &settings));
    assert_ne!(ours.parameters(), published.parameters());
}

/// Labels are the values of searches: they lie between 0 and 1 and differ, also from states of
/// logs.
#[test]
fn the_proposed_utility_network_learns_values_of_searches() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    for seed in 0..6 {
        std::fs::write(logs.join(format!("{seed}.txt")), log(seed).to_text(TextDialect::Js))
            .unwrap();
    }
    for name in ["games", "logs"] {
        let settings = run::with(&settings("gem-utility", ""), "games.utility", "search");
        let settings = run::with(&settings, "logs", logs.to_str().unwrap());
        let settings = run::with(&settings, "data", name);
        let path = folder.path().join(format!("run-{name}"));
        let network = trained(&path, &settings);
        assert!(NetworkValue::new(network, ValueKind::SearchUtility).is_ok());
        for row in run::metrics(&path) {
            let label = row["target"].as_f64().unwrap();
            assert!((0.02..0.9).contains(&label), "{row}");
        }
    }
    let mut labels = BTreeSet::new();
    for (state, _) in random_states(40).filter(|(state, _)| state.status() == GemStatus::Running) {
        let label = search_label(&state.view(), 1).unwrap();
        assert!((0.0..=1.0).contains(&label), "{label}");
        labels.insert((1000.0 * label) as u32);
    }
    assert!(labels.len() > 10, "{labels:?}");
}

/// The swaps of the greedy agent are regular: a network trained on its logs predicts those of other
/// games more often than chance, which is below a tenth.
#[test]
fn the_policy_network_learns_played_swaps() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    for seed in 0..120 {
        std::fs::write(logs.join(format!("{seed}.txt")), deepest(seed).to_text(TextDialect::Js))
            .unwrap();
    }
    let toml = format!(
        "learner = 'gem-policy'\nseed = 2\ndata = 'logs'\nlogs = {logs:?}\n[games]\nblock = 2000\n\
         [learning]\nblocks = 6\nfilters = 6\nunits = 8\n[measure]\nevery = 0\n"
    );
    let settings = GemLearnerSettings::from_toml(&toml).unwrap();
    let trained = train_on_logs(&settings, 2, &mut |_| {}).unwrap();
    let turns = trained.held_out.len();
    assert!(trained.logs.games.len() == 120 && turns > 150, "{turns}");
    let mut network = PolicyNetwork::new(trained.network).unwrap();
    let matches = trained.held_out.iter().filter(|turn| network.matches(turn)).count();
    assert!(4 * matches > turns, "{matches} of {turns}");
    for turn in trained.held_out.iter().take(20) {
        let swaps = turn.view.known.legal_swaps();
        let chances = network.probabilities(&turn.view.known, &swaps);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{chances:?}");
    }
}

/// Damaged logs are skipped; a run with only damaged logs ends.
#[test]
fn damaged_logs_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let settings = settings("gem-outcome", &format!("data = 'logs'\nlogs = {logs:?}"));
    for name in ["bad.txt", "worse.txt"] {
        std::fs::write(logs.join(name), "20\t3\t9\t9\n0\tx\n").unwrap();
    }
    std::fs::create_dir(logs.join("folder.txt")).unwrap();
    let error = train(&folder.path().join("none"), &settings).unwrap_err().to_string();
    assert!(error.contains("no finished game") && !error.contains('\n'), "{error}");
    assert!(error.contains("skipped 3 damaged (bad.txt, folder.txt, worse.txt)"), "{error}");
    for seed in 0..6 {
        std::fs::write(logs.join(format!("{seed}.txt")), log(seed).to_text(TextDialect::Js))
            .unwrap();
    }
    let some = folder.path().join("some");
    train(&some, &settings).unwrap();
    for name in ["bad.txt", "worse.txt"] {
        std::fs::remove_file(logs.join(name)).unwrap();
    }
    std::fs::remove_dir(logs.join("folder.txt")).unwrap();
    let clean = trained(&folder.path().join("clean"), &settings);
    assert_eq!(best(&some), clean);
}

/// The web app saves users' games as samples with their logs.
#[test]
fn games_in_a_store_train_like_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let (logs, file) = (folder.path().join("logs"), folder.path().join("games.db"));
    std::fs::create_dir(&logs).unwrap();
    let store = tesuji_store::open(file.to_str().unwrap()).unwrap();
    for seed in 0..6 {
        let text = log(seed).to_text(TextDialect::Js);
        std::fs::write(logs.join(format!("{seed}.txt")), &text).unwrap();
        let sample = |key: String, game: &str, detail| Sample {
            key,
            run: "web".to_string(),
            game: game.to_string(),
            position: String::new(),
            value: 1.0,
            weight: 1.0,
            detail,
        };
        let gem_island = sample(format!("{seed}"), "gem-island:level=1", json!({ "log": text }));
        let other = sample(format!("other {seed}"), "connect4", json!({ "log": "nonsense" }));
        store.add(&[Record::Sample(gem_island), Record::Sample(other)]).unwrap();
    }
    let networks = [("folder", logs), ("store", file)].map(|(name, logs)| {
        let settings = settings("gem-outcome", &format!("data = 'logs'\nlogs = {logs:?}"));
        trained(&folder.path().join(name), &settings)
    });
    assert_eq!(networks[0].parameters(), networks[1].parameters());
}
