//! `solver:level=1..10`: repeatable by seed, always legal, more mistakes at lower levels, and none
//! at level 10.

use std::collections::BTreeSet;

use tesuji_games::random::seeded;
use tesuji_games::{Draw, GameLine, Move, Position, State};
use tesuji_play::{Match, MatchResult, Openings, Player, PlayerContext, PlayerSpec, Turn};
use tesuji_search::exact::SolveOptions;
use tesuji_search::{ExactSolverOptions, Game, Limits};

fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap()
}

fn connect4() -> Game {
    opened("connect4")
}

/// Builds a player of Connect Four.
fn player(text: &str, seed: u64) -> Box<dyn Player> {
    player_of(&connect4(), text, seed)
}

fn player_of(game: &Game, text: &str, seed: u64) -> Box<dyn Player> {
    let spec: PlayerSpec = tesuji_players::player(text).unwrap();
    spec.build(&PlayerContext::new(game, seed)).unwrap()
}

/// Builds a level of Connect Four.
fn level(level: u32, seed: u64) -> Box<dyn Player> {
    level_of(&connect4(), level, seed)
}

fn level_of(game: &Game, level: u32, seed: u64) -> Box<dyn Player> {
    player_of(game, &format!("solver:level={level}"), seed)
}

fn choice(player: &mut dyn Player, position: &State) -> Move {
    player.choose(&GameLine::new(position.clone()), &Turn::default()).unwrap().m
}

/// Returns unfinished positions after `plies` random moves.
fn random_positions(game: &Game, plies: usize, count: usize) -> Vec<State> {
    let mut rng = seeded(plies as u64);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.start().clone();
        for _ in 0..plies {
            if position.outcome().is_none() {
                let m = position.random_move(&mut rng);
                position.play(m);
            }
        }
        if position.outcome().is_none() {
            positions.push(position);
        }
    }
    positions
}

fn played(first: u32, second: u32, games: u64, seed: u64) -> MatchResult {
    let players = [first, second]
        .map(|level| tesuji_players::player(&format!("solver:level={level}")).unwrap());
    let settings = Match { games, seed, ..Match::default() };
    settings.run(&connect4(), &players, &Openings::Random { plies: 4 }, &|_| {}).unwrap()
}

fn texts(result: &MatchResult) -> Vec<&str> {
    result.games.iter().map(|game| game.record.moves.as_str()).collect()
}

#[test]
fn the_seed_decides() {
    let (once, again, other) = (played(4, 3, 4, 1), played(4, 3, 4, 1), played(4, 3, 4, 2));
    assert_eq!(texts(&once), texts(&again));
    assert_ne!(texts(&once), texts(&other));
}

/// Earlier requests do not matter, and a seed in the text has priority over every other.
#[test]
fn position_and_seed_are_all_that_counts() {
    for position in random_positions(&connect4(), 9, 5) {
        for n in [1, 3, 6, 8] {
            let fresh = choice(level(n, 7).as_mut(), &position);
            let mut experienced = level(n, 7);
            for other in random_positions(&connect4(), 12, 3) {
                choice(experienced.as_mut(), &other);
            }
            assert_eq!(choice(experienced.as_mut(), &position), fresh, "level {n}");
            let mut self_seeded = player(&format!("solver:level={n},seed=7"), 1);
            self_seeded.new_game(99);
            assert_eq!(choice(self_seeded.as_mut(), &position), fresh, "level {n}");
        }
    }
    let connect4 = connect4();
    let openings: BTreeSet<_> =
        (0..30).map(|seed| choice(level(3, seed).as_mut(), connect4.start())).collect();
    assert!(openings.len() > 2, "{openings:?}");
}

/// Tries levels in positions after some random moves.
fn plays_by_the_rules(game: &Game, plies: usize, levels: std::ops::RangeInclusive<u32>) {
    for position in random_positions(game, plies, 5) {
        for n in levels.clone() {
            let m = choice(level_of(game, n, 3).as_mut(), &position);
            assert!(position.is_legal(m), "level {n}: {m:?}\n{}", position.diagram());
        }
    }
}

/// The last level is left out where the solver is too slow.
#[test]
fn every_level_plays_by_the_rules_of_every_game() {
    let registry = tesuji_builtin::registry();
    for info in registry.games() {
        plays_by_the_rules(&registry.open(info.name).unwrap(), 4, 1..=5);
    }
    for (game, plies) in
        [("tictactoe", 4), ("connect4", 18), ("othello:4x4", 5), ("mnk:5x5,k=4", 9)]
    {
        plays_by_the_rules(&opened(game), plies, 1..=10);
    }
}

/// Checks that every move of level 10 after some random moves is optimal.
fn plays_perfectly(game: &Game, plies: usize) {
    let mut solver = game.solver(ExactSolverOptions::default());
    let mut perfect = level_of(game, 10, 1);
    for position in random_positions(game, plies, 20) {
        let m = choice(perfect.as_mut(), &position);
        let solution = solver.solve(&position, SolveOptions::EVERY_MOVE, &Limits::default());
        let worth = solution.moves.iter().find(|(other, _)| *other == m).map(|known| known.1);
        assert!(worth.is_some() && worth == solution.exact_value, "{m:?}\n{}", position.diagram());
    }
}

#[test]
fn level_10_plays_perfectly() {
    for (game, plies) in [
        ("connect4", 20),
        ("connect4", 29),
        ("connect4:5x4", 4),
        ("connect4:4x5", 6),
        ("tictactoe", 1),
        ("mnk:4x3,k=3", 2),
    ] {
        plays_perfectly(&opened(game), plies);
    }
}

/// When the solver has no time and no book, level 10 still searches.
#[test]
fn level_10_without_time_plays_like_level_9() {
    for position in random_positions(&connect4(), 3, 3) {
        let hurried = choice(player("solver:level=10,book=off,nodes=20000", 5).as_mut(), &position);
        let ninth = choice(player("solver:level=9,nodes=20000", 5).as_mut(), &position);
        assert_eq!(hurried, ninth);
    }
}

/// Returns positions with an immediate win for the side to move.
fn wins_in_one() -> Vec<State> {
    let all = (8..24).flat_map(|plies| random_positions(&connect4(), plies, 20));
    all.filter(|position| position.winning_move().is_some()).collect()
}

/// Returns positions without an immediate win in which some moves stop the opponent's win and some
/// do not, with the moves that stop it.
fn threats() -> Vec<(State, Vec<Move>)> {
    let all = (8..24).flat_map(|plies| random_positions(&connect4(), plies, 20));
    let with_stops = all.filter(|position| position.winning_move().is_none()).map(|position| {
        let mut moves = position.legal_moves();
        let all = moves.len();
        moves.retain(|&m| {
            let mut after = position.clone();
            after.play(m);
            after.winning_move().is_none()
        });
        let mixed = !moves.is_empty() && moves.len() < all;
        mixed.then_some((position, moves))
    });
    with_stops.flatten().collect()
}

/// Returns the fraction of wins that a level misses.
fn wins_missed(n: u32, positions: &[State]) -> f64 {
    let missed = positions.iter().zip(0..).filter(|(position, seed)| {
        let mut after = (*position).clone();
        after.play(choice(level(n, *seed).as_mut(), position));
        after.outcome().is_none()
    });
    missed.count() as f64 / positions.len() as f64
}

/// Returns the fraction of threats that a level misses.
fn threats_missed(n: u32, positions: &[(State, Vec<Move>)]) -> f64 {
    let missed = positions.iter().zip(0..).filter(|((position, stops), seed)| {
        !stops.contains(&choice(level(n, *seed).as_mut(), position))
    });
    missed.count() as f64 / positions.len() as f64
}

#[test]
fn only_a_beginner_misses_his_own_four() {
    let positions = wins_in_one();
    assert!(positions.len() > 50, "{}", positions.len());
    let beginner = wins_missed(1, &positions);
    assert!((0.1..0.45).contains(&beginner), "{beginner}");
    for n in 2..=8 {
        assert_eq!(wins_missed(n, &positions), 0.0, "level {n}");
    }
}

#[test]
fn threats_are_overlooked_at_low_levels_only() {
    let positions = threats();
    assert!(positions.len() > 50, "{}", positions.len());
    let missed: Vec<f64> = (1..=3).map(|n| threats_missed(n, &positions)).collect();
    assert!(missed[0] > 0.3 && missed[1] > 0.08 && missed[2] > 0.02, "{missed:?}");
    assert!(missed[0] > missed[1] && missed[1] > missed[2] && missed[2] < 0.2, "{missed:?}");
    for n in 4..=8 {
        assert_eq!(threats_missed(n, &positions), 0.0, "level {n}");
    }
}

#[test]
fn a_high_level_beats_a_low_one() {
    let tally = played(8, 2, 30, 1).score.tally;
    assert!(tally.wins >= 27, "{tally:?}");
}

#[test]
fn levels_go_from_1_to_10() {
    for value in ["0", "11", "-1", "high", "5.5", ""] {
        let error =
            tesuji_players::player(&format!("solver:level={value}")).unwrap_err().to_string();
        assert!(error.contains("level") && error.contains("1 to 10"), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
    for player in ["pvs:level=3", "random:level=3", "mcts:level=3"] {
        assert!(tesuji_players::player(player).is_err(), "{player}");
    }
    assert!(tesuji_players::player("solver:level=3,tt=1M,time=1s,nodes=100,seed=4").is_ok());
}
