//! Simulated matches: error rates and length of the sequential test, and coverage of the error bars
//! of matches.

#![allow(clippy::print_stdout, reason = "--nocapture shows the measurements")]

use crate::simulation::{PairModel, add_pair, moments};
use tesuji_games::random;
use tesuji_play::Pentanomial;
use tesuji_play::statistics::elo::{NORMALIZED_ELO_PER_DEVIATION, elo_of_score};
use tesuji_play::statistics::{Sprt, SprtModel, SprtVerdict};

const MATCHES: u64 = 10_000;

/// No draws and independent games; a third drawn, openings biased by 100 Elo; mostly draws,
/// openings biased by 200.
const CONDITIONS: [PairModel; 3] = [
    PairModel { draw: 0.0, opening: 0.0 },
    PairModel { draw: 1.0, opening: 0.6 },
    PairModel { draw: 4.0, opening: 1.2 },
];

fn normalized(pairs: &[f64; 5]) -> f64 {
    let (mean, variance) = moments(pairs);
    (mean - 0.5) / (2.0 * variance).sqrt() * NORMALIZED_ELO_PER_DEVIATION
}

fn logistic(pairs: &[f64; 5]) -> f64 {
    elo_of_score(moments(pairs).0).unwrap()
}

struct Simulated {
    passed: f64,
    undecided: f64,
    games: f64,
}

/// Simulates many matches at this true strength, each evaluated after every pair.
fn simulate(sprt: &Sprt, conditions: PairModel, elo: f64, seed: u64) -> Simulated {
    let chances = match sprt.model {
        SprtModel::Normalized => conditions.pairs_at(elo, normalized),
        SprtModel::Logistic => conditions.pairs_at(elo, logistic),
    };
    let mut rng = random::seeded(seed);
    let (mut passed, mut undecided, mut games) = (0, 0, 0);
    for _ in 0..MATCHES {
        let mut pairs = Pentanomial::default();
        let verdict = loop {
            add_pair(&mut pairs, &chances, &mut rng);
            let verdict = sprt.judge(&pairs).verdict;
            if verdict != SprtVerdict::Continue || pairs.pairs() == 2000 {
                break verdict;
            }
        };
        games += pairs.games();
        passed += u64::from(verdict == SprtVerdict::AcceptsH1);
        undecided += u64::from(verdict == SprtVerdict::Continue);
    }
    let share = |count: u64| count as f64 / MATCHES as f64;
    Simulated { passed: share(passed), undecided: share(undecided), games: share(games) }
}

/// The requirement: at H0 at most α + 1 % pass, at H1 at most β + 1 % fail.
fn errors_stay_within(sprt: &Sprt, seed: u64) {
    for (number, conditions) in CONDITIONS.into_iter().enumerate() {
        let at_h0 = simulate(sprt, conditions, sprt.elo0, seed + number as u64);
        let at_h1 = simulate(sprt, conditions, sprt.elo1, seed + 100 + number as u64);
        let failed = 1.0 - at_h1.passed - at_h1.undecided;
        let report = format!(
            "{} {sprt}, draw weight {}, openings {}: false passes {:.2} %, false fails {:.2} %, undecided {:.2} % \
             and {:.2} %, games {:.0} and {:.0}",
            sprt.model,
            conditions.draw,
            conditions.opening,
            100.0 * at_h0.passed,
            100.0 * failed,
            100.0 * at_h0.undecided,
            100.0 * at_h1.undecided,
            at_h0.games,
            at_h1.games,
        );
        println!("{report}");
        assert!(at_h0.passed <= sprt.alpha + 0.01, "{report}");
        assert!(failed <= sprt.beta + 0.01, "{report}");
        assert!(at_h0.undecided < 0.001 && at_h1.undecided < 0.001, "{report}");
        // A test that almost never erred would waste games: the lengths are Wald's, up to the
        // overshoot.
        assert!(at_h0.passed > sprt.alpha / 3.0 && failed > sprt.beta / 3.0, "{report}");
    }
}

#[test]
fn normalized_tests_keep_their_error_rates() {
    errors_stay_within(&"0,90".parse().unwrap(), 1);
}

#[test]
fn logistic_tests_keep_their_error_rates() {
    let sprt: Sprt = "-20,40".parse().unwrap();
    errors_stay_within(&sprt.with_model(SprtModel::Logistic).unwrap(), 2);
}

/// Intervals of short and long matches cover the true difference about 95 % of the time.
#[test]
fn error_bars_of_matches_cover_the_truth() {
    for (number, conditions) in CONDITIONS.into_iter().enumerate() {
        for pairs_played in [10, 50, 200] {
            let chances = conditions.pairs(0.3);
            let truth = elo_of_score(moments(&chances).0).unwrap();
            let mut rng = random::seeded(50 + number as u64);
            let mut covered = 0;
            for _ in 0..4000 {
                let mut pairs = Pentanomial::default();
                (0..pairs_played).for_each(|_| add_pair(&mut pairs, &chances, &mut rng));
                let rating = pairs.rating().unwrap();
                let above = rating.low.is_none_or(|low| low <= truth);
                covered += u32::from(above && rating.high.is_none_or(|high| high >= truth));
            }
            let covered = f64::from(covered) / 4000.0;
            println!("{conditions:?}, {pairs_played} pairs: {:.1} % covered", 100.0 * covered);
            assert!((0.925..0.98).contains(&covered), "{conditions:?} {pairs_played}: {covered}");
        }
    }
}
