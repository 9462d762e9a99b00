//! `tesuji bench critic`: the speed of evaluation and training of a critic on 15x15, on one thread,
//! compared with PyTorch where Python has it: the same network, one position at a time.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::random::{choose, seeded};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Position, RowPosition};
use tesuji_learn::critic::encoding::push_inputs;
use tesuji_learn::critic::{Candidates, Critic, CriticEvaluator, PatternMatcher};
use tesuji_learn::network::{Input, TdLambda};
use tesuji_search::EvaluatedPosition;

use super::peers::measure_library;
use crate::prelude::*;

/// All figures, each per second.
#[derive(Default, Serialize)]
pub(crate) struct CriticSpeeds {
    /// Evaluations of the position after a move, incremental from the position before it.
    evaluations: f64,
    /// Positions whose moves were generated, pruned and evaluated.
    candidates: f64,
    /// Training positions, λ = 0.
    samples: f64,
    /// Training positions, λ = 0.7.
    samples_with_traces: f64,
    peer: Option<PyTorch>,
}

/// The figures of PyTorch.
#[derive(Serialize)]
struct PyTorch {
    name: String,
    samples: f64,
    we_are_times_as_fast: f64,
}

type Gomoku = EvaluatedPosition<Mnk<LineBoard>, CriticEvaluator>;

/// The time of each measurement.
const TIME: Duration = Duration::from_millis(700);
/// The number of games from which positions are taken.
const GAMES: u64 = 20;

pub(crate) fn run(python: &Path, rounds: u16) -> Result<CriticSpeeds, Failure> {
    let progress = Progress::new(Some(u64::from(rounds)), "rounds");
    let positions = positions()?;
    let inputs: Vec<Vec<(u32, f32)>> = positions.iter().map(inputs_of).collect();
    let mut best = CriticSpeeds::default();
    for round in 0..rounds {
        progress.show(round.into(), || "a critic".to_string());
        best.evaluations = best.evaluations.max(evaluations(&positions));
        best.candidates = best.candidates.max(candidates(&positions));
        best.samples = best.samples.max(samples(&inputs, 0.0)?);
        best.samples_with_traces = best.samples_with_traces.max(samples(&inputs, 0.7)?);
    }
    best.peer = peer(python, best.samples);
    Ok(best)
}

/// Positions of games of random moves among those that the critic's pruning leaves.
fn positions() -> Result<Vec<Gomoku>, Failure> {
    let rules = MnkRules::new(15, 15, 5).expect("a valid board");
    let start = Mnk::<LineBoard>::new(rules);
    let matcher = Arc::new(PatternMatcher::new(&start.grid()).map_err(Failure::failed)?);
    let critic = Arc::new(Critic::new(Critic::random_init(1)).map_err(Failure::failed)?);
    let (mut positions, mut found) = (Vec::new(), Candidates::default());
    for seed in 0..GAMES {
        let mut rng = seeded(seed);
        let evaluator = CriticEvaluator::new(matcher.clone(), critic.clone());
        let mut game = EvaluatedPosition::new(start.clone(), evaluator);
        while game.position().outcome().is_none() {
            game.evaluator().candidates(game.position(), &mut found);
            let Some(candidate) = choose(&mut rng, &found.moves) else { break };
            game.play(candidate.m);
            positions.push(game.clone());
        }
        positions.pop();
    }
    Ok(positions)
}

fn inputs_of(position: &Gomoku) -> Vec<(u32, f32)> {
    let mut inputs = Vec::new();
    let counts = position.evaluator().pattern_board().counts();
    push_inputs(counts, position.position().to_move(), &mut inputs);
    inputs
}

/// Calls `work`, which returns a number of items, and returns the items per second.
fn per_second(mut work: impl FnMut() -> usize) -> f64 {
    let (started, mut done) = (Instant::now(), 0);
    while started.elapsed() < TIME {
        done += work();
    }
    done as f64 / started.elapsed().as_secs_f64()
}

fn evaluations(positions: &[Gomoku]) -> f64 {
    let moves = positions.iter().map(|position| {
        let mut moves = Vec::new();
        position.evaluator().push_near_moves(position.position(), &mut moves);
        moves
    });
    let moves: Vec<_> = moves.collect();
    let mut chances = Vec::new();
    per_second(|| {
        let evaluated = positions.iter().zip(&moves).map(|(position, moves)| {
            position.evaluator().chances_after(position.position(), moves, &mut chances);
            black_box(&chances).len()
        });
        evaluated.sum()
    })
}

fn candidates(positions: &[Gomoku]) -> f64 {
    let mut found = Candidates::default();
    per_second(|| {
        for position in positions {
            position.evaluator().candidates(position.position(), &mut found);
            black_box(&found);
        }
        positions.len()
    })
}

/// TD(λ) steps per second: for each position its value, the value of the next one, and an update.
fn samples(inputs: &[Vec<(u32, f32)>], lambda: f32) -> Result<f64, Failure> {
    let mut learner = TdLambda::new(Critic::random_init(1), lambda).map_err(Failure::failed)?;
    Ok(per_second(|| {
        learner.reset_traces();
        for pair in inputs.windows(2) {
            let value = learner.observe(Input::Sparse(&pair[0]));
            let next = learner.value(Input::Sparse(&pair[1]));
            learner.update(1e-3 * (next - value));
        }
        black_box(&learner);
        inputs.len() - 1
    }))
}

/// The same network in PyTorch, one position at a time on one thread; `None` without PyTorch.
fn peer(python: &Path, ours: f64) -> Option<PyTorch> {
    let (name, [samples]) = measure_library("PyTorch", python, PYTORCH, &[])?;
    Some(PyTorch { name, samples, we_are_times_as_fast: ours / samples })
}

/// `VERSION SAMPLES-PER-SECOND`.
const PYTORCH: &str = r#"
import time, torch
torch.set_num_threads(1)
torch.manual_seed(1)
layers = torch.nn.Sequential(
    torch.nn.Linear(81, 32, bias=False), torch.nn.Sigmoid(),
    torch.nn.Linear(32, 1, bias=False), torch.nn.Sigmoid())
optimizer = torch.optim.SGD(layers.parameters(), lr=1e-3)
positions = (torch.rand(256, 1, 81) < 0.2).float()
def learn(count):
    for n in range(count):
        with torch.no_grad():
            goal = layers(positions[(n + 1) % 256])
        optimizer.zero_grad()
        (0.5 * (goal - layers(positions[n % 256])) ** 2).sum().backward()
        optimizer.step()
learn(200)
started = time.perf_counter()
learn(2000)
print(torch.__version__, 2000 / (time.perf_counter() - started))
"#;

pub(crate) fn print(figures: &CriticSpeeds) -> Result<(), Failure> {
    say!("\nCritic 81-32-1, Gomoku on 15x15, one thread, per second")?;
    let rows = [
        ("positions after a move, incremental", figures.evaluations, "3000000"),
        ("positions with moves generated and pruned", figures.candidates, ""),
        ("training positions, lambda 0", figures.samples, "200000"),
        ("training positions, lambda 0.7", figures.samples_with_traces, "200000"),
    ];
    let rows = rows
        .map(|(name, figure, goal)| [name.to_string(), format!("{figure:.0}"), goal.to_string()]);
    print_titled(&["figure", "tesuji", "goal"], rows)?;
    match &figures.peer {
        Some(PyTorch { name, samples, we_are_times_as_fast }) => say!(
            "{name}: {samples:.0} training positions, one at a time; ratio {we_are_times_as_fast:.0}x"
        ),
        None => say!("no PyTorch: run `pip install torch` and give --python PROGRAM"),
    }
}
