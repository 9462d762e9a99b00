//! Chapter 4: the critic, the tree search and their mixture: the meaning of λ = 0 and λ = 1, and
//! the points of each mixture against the report's best agent.

use std::sync::Arc;

use tesuji_games::random::{derived, seeded};
use tesuji_games::{Position, RowPosition};
use tesuji_learn::critic::agents::{
    BoardCritic, CriticGuide, CriticMcts, CriticMctsOptions, OnePly,
};
use tesuji_learn::shipped::SHIPPED_CRITICS;
use tesuji_play::{Match, WinDrawLoss};
use tesuji_search::{Game, Limits, Puct, PuctOptions, Search};

use super::openings::{Gomoku, board, central};
use crate::comparison::Estimate;
use crate::picture::{Series, plot};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun, open_game};

const GAME: &str = "gomoku";
const SIDE: usize = 15;
const LAMBDAS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const AGENT: &str = "fudan-alphabeta:depth=1";

/// The mixture that is compared with its parts: the default of the player. It is fixed, because the
/// best of several mixtures would be the luckiest one.
const MIXTURE: f64 = 0.5;

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let matches = Matches { run, game: open_game(GAME)?, simulations: run.pick(100, 500) };
    let steps = LAMBDAS.len() as u64 + 3;
    run.report_progress(0, steps, "positions");
    let ends = ends(&board(SIDE)?, run)?;
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for (number, lambda) in LAMBDAS.into_iter().enumerate() {
        run.report_progress(number as u64 + 1, steps, &format!("λ = {lambda}"));
        let tally = matches.play(lambda, AGENT, run.pick(16, 100))?;
        points.push((lambda, Estimate::points(&tally)));
        rows.push(against_the_best(lambda, &tally));
    }
    let mut parts = Vec::new();
    // The tree search is the closer opponent and needs more games.
    let parts_of_it =
        [("the tree search alone", 0.0, (60, 400)), ("the critic alone", 1.0, (60, 100))];
    for (part, lambda, (quick, full)) in parts_of_it {
        run.report_progress(steps - 1, steps, part);
        let tally = matches.play(MIXTURE, &matches.mixture(lambda), run.pick(quick, full))?;
        parts.push(against_a_part(&format!("λ = {MIXTURE} against {part} (λ = {lambda})"), &tally));
    }
    let simulations = matches.simulations;
    let tables = vec![
        ComparisonTable::new("What the ends of λ are", ends),
        ComparisonTable::new(
            format!("`critic-mcts:sims={simulations}` against `{AGENT}`, 15×15"),
            rows,
        ),
        ComparisonTable::new("Whether a mixture is better than its parts", parts),
    ];
    Ok(Findings::of_all(tables).with_svg(picture(&points)).note(
        "w = λ·w₁ + (1 − λ)·w₂: w₁ is the critic's score after a move, w₂ that of a tree search. \
         The report gives no results of these agents, only that they did not perform as well as \
         expected and that its alpha-beta agent is its best. The critic is the shipped one, from \
         40,000 games of self-play. Whether the mixture is better is decided by games between \
         the mixture and each of its parts, with the same number of simulations.",
    ))
}

/// Settings of all matches.
struct Matches<'a> {
    run: &'a ReproductionRun<'a>,
    game: Game,
    simulations: u32,
}

impl Matches<'_> {
    fn mixture(&self, lambda: f64) -> String {
        format!("critic-mcts:sims={},lambda={lambda}", self.simulations)
    }

    /// Plays a mixture against another player, each pair after four random stones.
    fn play(&self, lambda: f64, other: &str, games: u64) -> Result<WinDrawLoss, ReproduceError> {
        let (seed, concurrency) = (self.run.seed, self.run.threads);
        let openings = central(&self.game, games as usize / 2, seed);
        let settings = Match { games, seed, concurrency, ..Match::default() };
        let [one, other] = [&self.mixture(lambda), other].map(tesuji_players::player);
        Ok(settings.run(&self.game, &[one?, other?], &openings, &|_| {})?.score.tally)
    }
}

/// λ = 1 must play like the critic alone, λ = 0 like the tree search alone.
fn ends(start: &Gomoku, run: &ReproductionRun<'_>) -> Result<Vec<ComparisonRow>, ReproduceError> {
    let failed = |error: &dyn std::fmt::Display| ReproduceError::Other(error.to_string());
    let shipped = SHIPPED_CRITICS.first().ok_or_else(|| failed(&"no critic is shipped"))?;
    let critic = Arc::new(shipped.critic().map_err(|error| failed(&error))?);
    let view = BoardCritic::new(&start.grid(), critic).map_err(|error| failed(&error))?;
    let positions = positions(start, &view, run.pick(30, 300), run.seed);
    let count = |agree: &dyn Fn(&Gomoku) -> bool| positions.iter().filter(|p| agree(p)).count();
    let critic_alone = count(&|position| {
        let alone = OnePly::new(view.clone()).run(position, &Limits::default()).best;
        mixture(&view, 1.0).run(position, &Limits::default()).best == alone
    });
    let trees_alone = count(&|position| {
        let moves = top_moves(&view, position).len() as u64;
        let mixed = mixture(&view, 0.0).run(position, &Limits::nodes(SIMULATIONS * moves)).best;
        mixed == by_trees_alone(&view, position)
    });
    let row = |what: &str, said: &str, same: usize| {
        let words = format!("the same move in {same} of {} positions", positions.len());
        ComparisonRow::claim(what, said, ReportedValue::words(words), same == positions.len())
    };
    Ok(vec![
        row("λ = 1", "depends on the critic alone", critic_alone),
        row("λ = 0", "depends on the tree search alone", trees_alone),
    ])
}

/// Simulations per move in the positions that test the ends of λ.
const SIMULATIONS: u64 = 60;

fn mixture(view: &BoardCritic, lambda: f64) -> CriticMcts<Gomoku> {
    CriticMcts::new(view.clone(), CriticMctsOptions { lambda, ..CriticMctsOptions::default() })
}

/// Returns positions from games with random choices among the critic's best moves.
fn positions(start: &Gomoku, view: &BoardCritic, count: usize, seed: u64) -> Vec<Gomoku> {
    let position = |number: u64| {
        let mut rng = seeded(derived(seed, [number]));
        let mut game = start.clone();
        for _ in 0..3 + number % 20 {
            let moves = top_moves(view, &game);
            game.play(*tesuji_games::random::choose(&mut rng, &moves)?);
            game.outcome().map_or(Some(()), |_| None)?;
        }
        Some(game)
    };
    (0..).filter_map(position).take(count).collect()
}

/// Returns the moves that Algorithm 1 searches, best first.
fn top_moves(view: &BoardCritic, position: &Gomoku) -> Vec<<Gomoku as Position>::Move> {
    let found = OnePly::new(view.clone()).run(position, &Limits::default()).moves;
    let top = if found.first().is_some_and(|best| best.score.is_win()) { 1 } else { 5 };
    found.into_iter().take(top).map(|known| known.m).collect()
}

/// Returns the move with the best score of a tree search.
fn by_trees_alone(view: &BoardCritic, position: &Gomoku) -> Option<<Gomoku as Position>::Move> {
    let moves = top_moves(view, position);
    let mut best = None;
    for m in &moves {
        let chance = win_probability(view, position, *m);
        if best.is_none_or(|(_, most)| chance > most) {
            best = Some((*m, chance));
        }
    }
    best.map(|(m, _)| m)
}

fn win_probability(view: &BoardCritic, position: &Gomoku, m: <Gomoku as Position>::Move) -> f64 {
    let mut after = position.clone();
    after.play(m);
    match after.outcome() {
        Some(outcome) => outcome.points(position.to_move()),
        None => {
            let guide = CriticGuide::new(view.evaluator(), CriticMctsOptions::default().guide);
            let mut trees = Puct::new(PuctOptions::default(), guide);
            trees.run(&after, &Limits::nodes(SIMULATIONS));
            1.0 - trees.chance()
        }
    }
}

fn against_the_best(lambda: f64, tally: &WinDrawLoss) -> ComparisonRow {
    let said = ReportedValue::words("below pyzobrist");
    let row = ComparisonRow::unpublished(
        format!("λ = {lambda}"),
        ReportedValue::tally(tally),
        "the report's critic, its λ and its simulations are not published",
    );
    ComparisonRow { published: Some(said), ..row }
}

/// The claim that a mixture plays better than one of its parts, by games against this part.
fn against_a_part(what: &str, tally: &WinDrawLoss) -> ComparisonRow {
    let points = Estimate::points(tally);
    let said = "a more accurate prediction than either";
    let above_even = points.minus(Estimate::exact(50.0));
    ComparisonRow::decided_claim(what, said, ReportedValue::tally(tally), above_even)
        .explain_difference(
            "the tree search uses the same critic, so w₂ already contains its score",
        )
}

fn picture(points: &[(f64, Estimate)]) -> String {
    let curve = |name: &str, of: fn(&Estimate) -> f64| {
        let points = points.iter().map(|(lambda, estimate)| (*lambda, of(estimate)));
        Series::new(name, points.collect())
    };
    let curves = [
        curve("points", |estimate| estimate.value),
        curve("lower end of 95 %", |estimate| estimate.low),
        curve("upper end of 95 %", |estimate| estimate.high),
    ];
    plot(
        "The critic mixed with trees, against the report's alpha-beta",
        "λ",
        "points in %",
        &curves,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonVerdict;
    use crate::run::Effort;

    #[test]
    fn the_ends_of_the_mixture_are_its_parts() {
        let start = board(9).unwrap();
        let run = ReproductionRun::new(Effort::Quick, 3, 1, &|_| {});
        let rows = ends(&start, &run).unwrap();
        assert!(rows.iter().all(|row| row.verdict == ComparisonVerdict::Agrees), "{rows:?}");
    }

    #[test]
    fn a_mixture_is_better_only_beyond_the_error() {
        let verdict =
            |wins, losses| against_a_part("λ", &WinDrawLoss { wins, draws: 0, losses }).verdict;
        assert_eq!(verdict(600, 400), ComparisonVerdict::Agrees);
        assert_eq!(verdict(400, 600), ComparisonVerdict::Differs);
        assert_eq!(verdict(52, 48), ComparisonVerdict::CannotTell);
    }
}
