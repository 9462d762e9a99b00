//! Chapter 4: the critic, the tree search and their mixture: the meaning of λ = 0 and λ = 1, and
//! the points of each mixture against the report's best agent.

use std::sync::Arc;

use tesuji_games::random::{derived, seeded};
use tesuji_games::{Position, RowPosition};
use tesuji_learn::critic::agents::{
    BoardCritic, CriticGuide, CriticMcts, CriticMctsOptions, OnePly,
};
use tesuji_learn::shipped::SHIPPED_CRITICS;
use tesuji_play::Match;
use tesuji_search::{Limits, Puct, PuctOptions, Search};

use super::openings::{Gomoku, board, central};
use crate::comparison::{Better, ComparisonVerdict, Estimate, compare};
use crate::picture::{Series, plot};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun, open_game};

const GAME: &str = "gomoku";
const SIDE: usize = 15;
const LAMBDAS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const AGENT: &str = "fudan-alphabeta:depth=1";

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let game = open_game(GAME)?;
    run.report_progress(0, LAMBDAS.len() as u64 + 1, "positions");
    let ends = ends(&board(SIDE)?, run)?;
    let (games, simulations) = run.pick((16, 100), (100, 500));
    let openings = central(&game, games as usize / 2, run.seed);
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for (number, lambda) in LAMBDAS.into_iter().enumerate() {
        run.report_progress(number as u64 + 1, LAMBDAS.len() as u64 + 1, &format!("λ = {lambda}"));
        let settings =
            Match { games, seed: run.seed, concurrency: run.threads, ..Match::default() };
        let mixture = format!("critic-mcts:sims={simulations},lambda={lambda}");
        let players = [tesuji_players::player(&mixture)?, tesuji_players::player(AGENT)?];
        let tally = settings.run(&game, &players, &openings, &|_| {})?.score.tally;
        points.push((lambda, Estimate::points(&tally)));
        rows.push(against_the_best(format!("λ = {lambda}"), ReportedValue::tally(&tally), &points));
    }
    let mixed = mixture_helps(&points);
    let tables = vec![
        ComparisonTable::new("What the ends of λ are", ends),
        ComparisonTable::new(
            format!("`critic-mcts:sims={simulations}` against `{AGENT}`, 15×15"),
            rows,
        ),
        ComparisonTable::new("Whether a mixture helps", vec![mixed]),
    ];
    Ok(Findings::of_all(tables).with_svg(picture(&points)).note(
        "w = λ·w₁ + (1 − λ)·w₂: w₁ is the critic's score after a move, w₂ that of a tree search. \
         The report gives no results of these agents, only that they did not perform as well as \
         expected and that its alpha-beta agent is its best. The critic is the shipped one, from \
         40,000 games of self-play.",
    ))
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

/// Returns the score of each move in the tree search alone.
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

/// The report's best agent is another one, so a mixture that beats it is better than published.
fn against_the_best(
    what: String,
    ours: ReportedValue,
    points: &[(f64, Estimate)],
) -> ComparisonRow {
    let said = ReportedValue::words("below pyzobrist");
    let above = points.last().is_some_and(|(_, points)| points.low > 50.0);
    let (verdict, why) = match above {
        true => (ComparisonVerdict::Better, "more than half of the points against it"),
        false => (
            ComparisonVerdict::Agrees,
            "not more than half of the points against it, within the error",
        ),
    };
    ComparisonRow::from_parts(what, Some(said), ours, verdict, why)
}

/// Compares the best mixture with both ends.
fn mixture_helps(points: &[(f64, Estimate)]) -> ComparisonRow {
    let best = |among: &dyn Fn(f64) -> bool| {
        let among = points.iter().filter(|(lambda, _)| among(*lambda));
        among.max_by(|a, b| a.1.value.total_cmp(&b.1.value)).copied()
    };
    let is_end = |lambda: f64| lambda == 0.0 || lambda == 1.0;
    let (end, between) = (best(&is_end), best(&|lambda| !is_end(lambda)));
    let text = |found: Option<(f64, Estimate)>| match found {
        Some((lambda, points)) => format!("{:.1} % with λ = {lambda}", points.value),
        None => "-".to_string(),
    };
    let (end_value, between_value) =
        (end.map_or(0.0, |end| end.1.value), between.map_or(0.0, |between| between.1.value));
    let ours = ReportedValue::words(format!("at best {}, at an end {}", text(between), text(end)));
    let row = ComparisonRow::claim(
        "points of a mixture and of its parts",
        "a more accurate prediction than either",
        ours,
        between_value > end_value,
    );
    let row = row.explain_difference(
        "the tree search uses the same critic, so w₂ already contains its score",
    );
    match end.zip(between).map(|((_, end), (_, between))| compare(end, between, Better::Neither)) {
        Some((ComparisonVerdict::Agrees, why)) => {
            row.with_note(&format!("the difference is {why}"))
        }
        _ => row,
    }
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
    use crate::run::Effort;

    #[test]
    fn the_ends_of_the_mixture_are_its_parts() {
        let start = board(9).unwrap();
        let run = ReproductionRun::new(Effort::Quick, 3, 1, &|_| {});
        let rows = ends(&start, &run).unwrap();
        assert!(rows.iter().all(|row| row.verdict == ComparisonVerdict::Agrees), "{rows:?}");
    }

    #[test]
    fn a_mixture_helps_only_when_it_does_best() {
        let points = |values: [f64; 5]| LAMBDAS.into_iter().zip(values.map(Estimate::exact));
        let verdict = |values| mixture_helps(&points(values).collect::<Vec<_>>()).verdict;
        assert_eq!(verdict([60.0, 61.0, 70.0, 50.0, 40.0]), ComparisonVerdict::Agrees);
        assert_eq!(verdict([87.0, 86.0, 80.0, 71.0, 45.0]), ComparisonVerdict::Differs);
    }
}
