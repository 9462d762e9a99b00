//! Levels of strength: the player `solver:level=1..10` makes human-like mistakes. It searches to a
//! limited depth, does not always play the best move found, and sometimes searches less deep. It
//! never plays a move that it sees losing while another move is left. Level 10 is the solver
//! itself.

use std::time::Instant;

use tesuji_games::bits::mix;
use tesuji_games::random::{seeded, unit};
use tesuji_games::{Position, Rng, Score, Side, State};
use tesuji_search::exact::SolveOptions;
use tesuji_search::game::BoxedSearch;
use tesuji_search::report::sort_best_first;
use tesuji_search::{
    Deepening, EngineBase, EnginePlan, ExactSolver, ExactSolverOptions, Limits, MoveOrdering,
    MoveScore, ProgressFn, Search, SearchPlan, SearchReport, TableSize,
};

use super::minimax_family::BARE;
use super::simple::one_ply_scores;
use tesuji_play::PlayerContext;

/// The perfect level; 1 is a beginner.
pub(super) const PERFECT: u64 = LEVELS.len() as u64 + 1;

/// The parameters of a level.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Search depth in plies.
    horizon: u32,
    /// Softmax temperature: a move whose score is lower than the best by this much is chosen 1/e
    /// times as often. The unit is the game's [`typical_change`].
    temperature: f64,
    /// Probability of searching only half as deep. Half of one ply is 0: then even an own row that
    /// needs one more stone is missed.
    oversight_rate: f64,
}

/// Levels 1 to 9, tuned by matches on 7×6 between neighbors, 400 to 1,000 games each, so that every
/// level scores about two thirds against the level below. Horizons were fixed first, then
/// temperatures and oversight rates were adjusted until the steps were even. From level 4 on half
/// the horizon is at least two plies, so these levels never miss an immediate threat. See
/// `docs/levels.md`.
const LEVELS: [Level; 9] = [
    level(1, 2.0, 0.40),
    level(2, 2.5, 0.40),
    level(2, 1.4, 0.20),
    level(4, 1.6, 0.20),
    level(5, 0.85, 0.20),
    level(6, 0.45, 0.18),
    level(7, 0.24, 0.12),
    level(8, 0.14, 0.10),
    level(10, 0.06, 0.04),
];

const fn level(horizon: u32, temperature: f64, oversight_rate: f64) -> Level {
    Level { horizon, temperature, oversight_rate }
}

/// Maximum number of positions per move below level 10. In games with many moves the search reaches
/// it before the horizon.
const MOST_NODES: u64 = 400_000;

/// The search: exact, with a table large enough for that many positions.
const ENGINE: EnginePlan = EnginePlan {
    base: EngineBase::Exact,
    table: Some(TableSize::megabytes(2)),
    ordering: MoveOrdering::Full,
    deepening: Deepening::On,
    ..BARE
};

/// A search that plays at a level. Its choice depends only on the position and the seed, not on
/// earlier searches.
pub(super) struct GradedSearch {
    level: Level,
    engine: BoxedSearch,
    solver: Option<Box<dyn ExactSolver<State>>>,
    seed: u64,
}

impl GradedSearch {
    /// Makes a level from 1 to [`PERFECT`]. The options are those of the solver of level 10.
    pub(super) fn new(level: u64, options: &ExactSolverOptions, context: &PlayerContext) -> Self {
        GradedSearch {
            // Level 10 falls back to level 9 when the solver finds no answer in time.
            level: LEVELS[LEVELS.len().min(level as usize) - 1],
            engine: context.search(&SearchPlan::Engine(ENGINE)),
            solver: (level == PERFECT).then(|| context.game.solver(options.clone())),
            seed: context.seed,
        }
    }

    /// Returns the perfect move if this is level 10 and the solver finds it within the limits.
    fn solved(&mut self, position: &State, limits: &Limits) -> Option<SearchReport> {
        let solution = self.solver.as_mut()?.solve(position, SolveOptions::default(), limits);
        solution.exact_value.is_some().then(|| solution.into_report(None))
    }

    /// Scores every move with a search of `plies` plies, best first.
    fn look_ahead(&mut self, position: &State, plies: u32, limits: &Limits) -> SearchReport {
        if plies == 0 {
            return static_report(position);
        }
        let nodes = limits.nodes.unwrap_or(u64::MAX).min(MOST_NODES);
        let limits = Limits { depth: Some(plies), nodes: Some(nodes), ..limits.clone() };
        // Entries of earlier searches would change how far the nodes reach.
        self.engine.forget();
        let report = self.engine.analyze(position, &limits, &mut |_| {});
        if report.moves.is_empty() { report_of(one_ply_scores(position)) } else { report }
    }
}

impl Search<State> for GradedSearch {
    /// Ignores the depth limit: the level sets the depth.
    fn search(&mut self, position: &State, limits: &Limits, _: ProgressFn<'_>) -> SearchReport {
        if let Some(perfect) = self.solved(position, limits) {
            return perfect;
        }
        let started = Instant::now();
        let mut rng = seeded(mix(self.seed ^ mix(position.key())));
        let Level { horizon, temperature, oversight_rate } = self.level;
        let plies = if unit(&mut rng) < oversight_rate { horizon / 2 } else { horizon };
        let mut report = self.look_ahead(position, plies, limits);
        let scale = temperature * typical_change(position);
        if let Some(chosen) = choose_by_temperature(&report.moves, scale, &mut rng) {
            if report.best != Some(chosen.m) {
                report.line = vec![chosen.m];
            }
            report.best = Some(chosen.m);
            report.score = chosen.score;
        }
        report.time = started.elapsed();
        report
    }

    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        match &mut self.solver {
            Some(solver) => solver.analyze(position, limits, progress),
            None => self.search(position, limits, progress),
        }
    }

    fn forget(&mut self) {
        self.engine.forget();
        if let Some(solver) = &mut self.solver {
            solver.forget();
        }
    }
}

/// Returns the static estimates after each move, without noticing ends of the game.
fn static_report(position: &State) -> SearchReport {
    let unnoticed = Score::estimate(position.estimate().unwrap_or(0));
    let mut moves = one_ply_scores(position);
    for entry in moves.iter_mut().filter(|entry| entry.score.is_decided()) {
        entry.score = unnoticed;
    }
    sort_best_first(&mut moves);
    report_of(moves)
}

/// Makes a report from moves that are sorted best first.
fn report_of(moves: Vec<MoveScore>) -> SearchReport {
    let best = moves.first().map(|entry| entry.m);
    let nodes = moves.len() as u64;
    SearchReport { best, line: best.into_iter().collect(), nodes, moves, ..SearchReport::empty() }
}

/// Picks one of the moves, which are sorted best first. Plays the quickest win if there is one, and
/// the slowest loss if all moves lose. Otherwise a worse move is rarer, and a losing move is never
/// picked.
fn choose_by_temperature(moves: &[MoveScore], scale: f64, rng: &mut Rng) -> Option<MoveScore> {
    let best = *moves.first()?;
    let weight = |entry: &MoveScore| {
        let behind = f64::from(best.score.raw()) - f64::from(entry.score.raw());
        if behind == 0.0 {
            1.0
        } else if best.score.is_decided() || entry.score.is_decided() {
            0.0
        } else {
            (-behind / scale).exp()
        }
    };
    let mut left = unit(rng) * moves.iter().map(weight).sum::<f64>();
    let chosen = moves.iter().find(|entry| {
        left -= weight(entry);
        left < 0.0
    });
    Some(*chosen.unwrap_or(&best))
}

/// Returns how much a move typically changes the game's estimate near this position: the mean over
/// a few random continuations with a fixed seed. Estimates have different units in different games,
/// and early moves change less than later ones; this gives a temperature the same meaning
/// everywhere.
fn typical_change(position: &State) -> f64 {
    const WALKS: usize = 16;
    const PLIES: usize = 8;
    let mut rng = seeded(position.key());
    let (mut sum, mut count) = (0.0, 0.0);
    for _ in 0..WALKS {
        let mut walker = position.clone();
        let mut before = estimate_for_first(&walker);
        for _ in 0..PLIES {
            let m = walker.random_move(&mut rng);
            walker.play(m);
            if walker.outcome().is_some() {
                break;
            }
            let after = estimate_for_first(&walker);
            sum += (after - before).abs();
            count += 1.0;
            before = after;
        }
    }
    if sum > 0.0 { sum / count } else { 1.0 }
}

fn estimate_for_first(position: &State) -> f64 {
    let estimate = f64::from(position.estimate().unwrap_or(0));
    if position.to_move() == Side::First { estimate } else { -estimate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::Move;

    /// Counts how often each move is chosen in a thousand tries.
    fn choices(scores: &[Score]) -> Vec<u32> {
        let valued =
            |(m, &score): (usize, &Score)| MoveScore { m: Move::from(m as u64), score, visits: 0 };
        let moves: Vec<_> = scores.iter().enumerate().map(valued).collect();
        let mut counts = vec![0; scores.len()];
        let mut rng = seeded(1);
        for _ in 0..1000 {
            let chosen = choose_by_temperature(&moves, 10.0, &mut rng).unwrap().m;
            counts[chosen.number() as usize] += 1;
        }
        counts
    }

    #[test]
    fn worse_moves_are_rarer() {
        let estimate = Score::estimate;
        let counts = choices(&[estimate(20), estimate(20), estimate(10), estimate(-50)]);
        // Weights 1, 1, 1/e and 1/1097.
        assert!(counts[0].abs_diff(422) < 50 && counts[1].abs_diff(422) < 50, "{counts:?}");
        assert!(counts[2].abs_diff(155) < 40 && counts[3] < 5, "{counts:?}");
    }

    #[test]
    fn wins_are_taken_and_seen_losses_avoided() {
        let even = Score::estimate(0);
        assert_eq!(choices(&[Score::win_in(1), Score::win_in(3), even]), [1000, 0, 0]);
        assert_eq!(choices(&[even, Score::loss_in(4), Score::loss_in(2)]), [1000, 0, 0]);
        assert_eq!(choices(&[Score::loss_in(6), Score::loss_in(2)]), [1000, 0]);
        assert_eq!(choose_by_temperature(&[], 1.0, &mut seeded(1)), None);
    }

    #[test]
    fn without_looking_ahead_a_win_goes_unnoticed() {
        let position = opened("tictactoe").line("a1b1a2b2").unwrap().end;
        let report = static_report(&position);
        assert_eq!(report.moves.len(), 5);
        assert!(report.moves.iter().all(|entry| !entry.score.is_decided()));
    }

    /// The typical change grows with the game, and is 1 when nothing is left to choose.
    #[test]
    fn the_usual_change_is_never_nothing() {
        let early = typical_change(opened("connect4").start());
        let late = typical_change(&opened("connect4").line("444433352255").unwrap().end);
        assert!(early >= 1.0 && late > early, "{early} {late}");
        let last_move = opened("tictactoe").line("a1b2a2a3c1b1b3c2").unwrap().end;
        assert_eq!(typical_change(&last_move), 1.0);
    }

    #[test]
    fn a_higher_level_looks_further_and_errs_less() {
        for pair in LEVELS.windows(2) {
            let [lower, higher] = [pair[0], pair[1]];
            assert!(lower.horizon <= higher.horizon, "{lower:?} {higher:?}");
            assert!(lower.oversight_rate >= higher.oversight_rate, "{lower:?} {higher:?}");
            let steadier = lower.temperature >= higher.temperature;
            assert!(steadier || lower.horizon < higher.horizon, "{lower:?} {higher:?}");
        }
    }
}
