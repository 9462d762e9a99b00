//! Ratings of simulated pools: the fit recovers known strengths, error bars cover them, and the
//! result is independent of the order of games, players and anchors.

#![allow(clippy::print_stdout, reason = "--nocapture shows the measurements")]

use crate::simulation::{chances, drawn};
use tesuji_games::random::{self, Rng};
use tesuji_games::{Outcome, Side};
use tesuji_play::statistics::elo::ELO_PER_LOG_ODDS;
use tesuji_play::statistics::{PoolGame, PoolOptions, PoolRow, PoolTable, rate};

const OUTCOMES: [Outcome; 3] =
    [Outcome::Win(Side::Second), Outcome::Draw, Outcome::Win(Side::First)];

struct SimulatedPool {
    /// In log-odds.
    strengths: Vec<f64>,
    first_move: f64,
    draw: f64,
    /// How much openings favor either side: the source of correlation within pairs.
    opening: f64,
}

impl SimulatedPool {
    fn game(&self, players: [usize; 2], pair: u64, opening: f64, rng: &mut Rng) -> PoolGame {
        let [first, second] = players.map(|player| self.strengths[player]);
        let chances = chances(first - second + self.first_move + opening, self.draw);
        PoolGame { players, outcome: OUTCOMES[drawn(&chances, rng)], pair }
    }

    /// `pairs` pairs of games between every two players.
    fn round_robin(&self, pairs: u64, rng: &mut Rng) -> Vec<PoolGame> {
        let mut games = Vec::new();
        for a in 0..self.strengths.len() {
            for b in 0..a {
                for pair in 0..pairs {
                    let opening =
                        if random::below(rng, 2) == 0 { self.opening } else { -self.opening };
                    games.push(self.game([a, b], pair, opening, rng));
                    games.push(self.game([b, a], pair, opening, rng));
                }
            }
        }
        games
    }

    /// Elo above player 0.
    fn elo(&self, player: usize) -> f64 {
        (self.strengths[player] - self.strengths[0]) * ELO_PER_LOG_ODDS / (1.0 + self.draw / 2.0)
    }
}

fn rated(players: usize, games: &[PoolGame]) -> PoolTable {
    rate(players, games, &PoolOptions::default()).unwrap()
}

fn of(table: &PoolTable, player: usize) -> &PoolRow {
    table.rows.iter().find(|row| row.player == player).unwrap()
}

#[test]
fn known_strengths_are_recovered() {
    let world = SimulatedPool {
        strengths: vec![0.0, 0.5, -0.7, 1.4, 0.1],
        first_move: 0.25,
        draw: 0.8,
        opening: 0.0,
    };
    let games = world.round_robin(2000, &mut random::seeded(7));
    let table = rated(5, &games);
    assert_eq!((table.games, table.pairs), (40_000, 20_000));
    let ranking: Vec<usize> = table.rows.iter().map(|row| row.player).collect();
    assert_eq!(ranking, [3, 1, 4, 0, 2]);
    for player in 1..5 {
        let row = of(&table, player);
        let (low, high) = (row.low.unwrap(), row.high.unwrap());
        assert!(high - low < 20.0, "{row:?}");
        assert!(low - 3.0 < world.elo(player) && world.elo(player) < high + 3.0, "{row:?}");
    }
    let scale = ELO_PER_LOG_ODDS / 1.4;
    assert!((table.first_move_elo - 0.25 * scale).abs() < 4.0, "{}", table.first_move_elo);
    assert!((table.draw - 0.8).abs() < 0.04 && (table.draw_rate - 0.8 / 2.8).abs() < 0.01);
    assert_eq!(of(&table, 0).elo, Some(0.0));
    assert!(table.rows[0].superiority.unwrap() > 0.999 && table.rows[4].superiority.is_none());
}

/// With no draws, or with the draws of ν = 2, the Elo of two players is that of their score.
#[test]
fn elo_is_the_elo_of_the_score() {
    let game = |players, outcome, pair| PoolGame { players, outcome, pair };
    for (wins, draws, losses) in [(640, 0, 360), (490, 420, 90)] {
        let mut games = Vec::new();
        let results = [(wins, Side::First), (losses, Side::Second)];
        for pair in 0..1000 {
            // The same results with either side: no advantage of the first move.
            for (players, swapped) in [([0, 1], false), ([1, 0], true)] {
                let outcome = if pair < wins {
                    Outcome::Win(if swapped { !results[0].1 } else { results[0].1 })
                } else if pair < wins + draws {
                    Outcome::Draw
                } else {
                    Outcome::Win(if swapped { !results[1].1 } else { results[1].1 })
                };
                games.push(game(players, outcome, pair));
            }
        }
        let score = (wins as f64 + draws as f64 / 2.0) / 1000.0;
        let expected = -400.0 * (score / (1.0 - score)).log10();
        let table =
            rate(2, &games, &PoolOptions { resamples: 0, ..PoolOptions::default() }).unwrap();
        let elo = of(&table, 1).elo.unwrap();
        assert!((elo - expected).abs() < 0.5, "{elo} {expected} at {}", table.draw);
        assert!(table.first_move_elo.abs() < 1e-6 && of(&table, 1).low.is_none());
    }
}

/// Correlated pairs, a first-move advantage, 60 pairs per matchup: the error bars cover the truth
/// at about their nominal rate.
#[test]
fn error_bars_cover_the_truth() {
    let world = SimulatedPool {
        strengths: vec![0.0, 0.4, -0.5, 0.9],
        first_move: 0.3,
        draw: 0.7,
        opening: 0.8,
    };
    // With biased openings the fitted strengths shrink a little: the truth is the limit of many
    // games.
    let endless = rate(
        4,
        &world.round_robin(60_000, &mut random::seeded(1)),
        &PoolOptions { resamples: 0, ..PoolOptions::default() },
    )
    .unwrap();
    let options = PoolOptions { resamples: 200, ..PoolOptions::default() };
    let (mut covered, mut bars) = (0, 0);
    for seed in 0..250 {
        let table =
            rate(4, &world.round_robin(60, &mut random::seeded(100 + seed)), &options).unwrap();
        for player in 1..4 {
            let (truth, row) = (of(&endless, player).elo.unwrap(), of(&table, player));
            bars += 1;
            covered += u32::from(row.low.unwrap() <= truth && truth <= row.high.unwrap());
        }
    }
    let share = f64::from(covered) / f64::from(bars);
    println!("{:.1} % of {bars} bars cover the truth", 100.0 * share);
    assert!((0.915..0.98).contains(&share), "{share}");
}

/// Biased openings cancel within pairs; error bars from single games would be too wide.
#[test]
fn pairs_narrow_the_error_bars() {
    let world =
        SimulatedPool { strengths: vec![0.0, 0.2, 0.4], first_move: 0.0, draw: 0.2, opening: 3.0 };
    let games = world.round_robin(200, &mut random::seeded(5));
    let mut apart = games.clone();
    apart.iter_mut().enumerate().for_each(|(number, game)| game.pair = number as u64);
    let width = |games: &[PoolGame]| {
        let table = rated(3, games);
        of(&table, 2).high.unwrap() - of(&table, 2).low.unwrap()
    };
    assert!(width(&games) < 0.8 * width(&apart), "{} {}", width(&games), width(&apart));
}

#[test]
fn order_and_pair_numbers_do_not_matter() {
    let world = SimulatedPool {
        strengths: vec![0.0, 0.5, -0.7, 0.9],
        first_move: 0.2,
        draw: 0.4,
        opening: 0.3,
    };
    let games = world.round_robin(20, &mut random::seeded(2));
    let table = rated(4, &games);
    let mut backwards: Vec<PoolGame> = games.iter().rev().copied().collect();
    backwards.iter_mut().for_each(|game| game.pair = 1000 - game.pair);
    assert_eq!(rated(4, &backwards), table);
    // With another anchor and anchor rating all ratings shift by the same amount.
    let options = PoolOptions { anchor: 3, anchor_elo: 1500.0, ..PoolOptions::default() };
    let shifted = rate(4, &games, &options).unwrap();
    let shift = 1500.0 - of(&table, 3).elo.unwrap();
    for player in 0..4 {
        let (here, there) = (of(&table, player).elo.unwrap(), of(&shifted, player).elo.unwrap());
        assert!((there - here - shift).abs() < 1e-6, "{player}: {here} {there}");
    }
    assert_eq!((of(&shifted, 3).low, of(&shifted, 3).high), (Some(1500.0), Some(1500.0)));
    // Another seed changes the error bars a little and the ratings not at all.
    let reseeded = rate(4, &games, &PoolOptions { seed: 9, ..PoolOptions::default() }).unwrap();
    assert_eq!(of(&reseeded, 1).elo, of(&table, 1).elo);
    assert_ne!(of(&reseeded, 1).low, of(&table, 1).low);
}

fn results(list: &[(usize, usize, Outcome)]) -> Vec<PoolGame> {
    list.iter()
        .enumerate()
        .map(|(number, &(a, b, outcome))| PoolGame {
            players: [a, b],
            outcome,
            pair: number as u64 / 2,
        })
        .collect()
}

const FIRST: Outcome = Outcome::Win(Side::First);
const SECOND: Outcome = Outcome::Win(Side::Second);

#[test]
fn undefeated_players_are_finite_and_unbounded_above() {
    // 0 and 1 share the points; 2 always beats both; 3 always loses to both.
    let mut list = vec![(0, 1, FIRST), (1, 0, FIRST), (0, 1, SECOND), (1, 0, Outcome::Draw)];
    for opponent in [0, 1] {
        for _ in 0..5 {
            list.extend([(2, opponent, FIRST), (opponent, 2, SECOND)]);
            list.extend([(3, opponent, SECOND), (opponent, 3, FIRST)]);
        }
    }
    let table = rated(4, &results(&list));
    let (best, worst) = (of(&table, 2), of(&table, 3));
    assert!(best.elo.unwrap() > 300.0 && best.elo.unwrap() < 2000.0, "{best:?}");
    assert!(best.high.is_none() && best.low.unwrap() > 0.0, "{best:?}");
    assert!(worst.elo.unwrap() < -300.0 && worst.low.is_none() && worst.high.unwrap() < 0.0);
    assert!(of(&table, 1).low.is_some() && of(&table, 1).high.is_some());
}

#[test]
fn unconnected_players_have_no_rating() {
    let list = [(0, 1, FIRST), (1, 0, FIRST), (0, 1, SECOND), (2, 3, FIRST), (3, 2, Outcome::Draw)];
    let table = rated(5, &results(&list));
    for player in [2, 3, 4] {
        let row = of(&table, player);
        assert_eq!((row.elo, row.low, row.high, row.opponents), (None, None, None, None));
    }
    assert_eq!((of(&table, 2).games, of(&table, 2).points, of(&table, 4).games), (2, 1.5, 0));
    assert_eq!(table.games, 3);
    let ranks: Vec<usize> = table.rows[2..].iter().map(|row| row.player).collect();
    assert_eq!(ranks, [2, 3, 4], "unrated players come last, by their points");
}

#[test]
fn small_and_empty_pools_claim_no_certainty() {
    let empty = rated(3, &[]);
    assert_eq!(of(&empty, 0).elo, Some(0.0));
    assert!(of(&empty, 1).elo.is_none() && empty.first_move_interval.is_none());
    // Every pair ended 1 : 1. The bootstrap sees no variance, so there are no error bars.
    let even = rated(2, &results(&[(0, 1, FIRST), (1, 0, FIRST), (0, 1, FIRST), (1, 0, FIRST)]));
    let row = of(&even, 1);
    assert!(row.elo.unwrap().abs() < 1e-6 && row.low.is_none() && row.high.is_none(), "{row:?}");
    assert!(even.rows[0].superiority.is_none());
    let single = rated(1, &[]);
    assert_eq!(single.rows.len(), 1);
    let drawn = rated(2, &results(&[(0, 1, Outcome::Draw), (1, 0, Outcome::Draw)]));
    assert!(of(&drawn, 1).elo.unwrap().abs() < 1e-6 && drawn.draw.is_finite(), "{drawn:?}");
}

#[test]
fn invalid_input_is_refused() {
    let options = PoolOptions::default();
    let error = |players, games: &[PoolGame], options: &PoolOptions| {
        rate(players, games, options).unwrap_err().to_string()
    };
    let bad_player = results(&[(0, 7, FIRST)]);
    assert_eq!(error(2, &bad_player, &options), "game 0: no player 7; expected a number below 2");
    let itself = results(&[(1, 1, FIRST)]);
    assert_eq!(
        error(2, &itself, &options),
        "game 0: player 1 plays itself; expected two different players"
    );
    assert_eq!(error(0, &[], &options), "anchor 0: no such player; expected a number below 0");
    let options = PoolOptions { anchor_elo: f64::NAN, ..options };
    assert!(error(2, &[], &options).contains("finite"));
}
