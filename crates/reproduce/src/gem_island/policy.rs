//! The policy network: how often it predicts the swaps of people, and what it is worth to agents.

use tesuji_games::rules::gem_island::GemRules;
use tesuji_learn::gem_island::{PlayedSwap, PolicyNetwork};
use tesuji_players::gem_island::AgentSpec;

use super::logs::POLICY_TOML;
use crate::comparison::{Better, Estimate, compare};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun};

/// Pairs of an agent and the same agent with the network.
const AGENTS: [[&str; 2]; 3] = [
    ["random", "policy"],
    ["flat-ucb:sims=20", "flat-ucb:sims=20,prior=policy"],
    ["flat-ucb:sims=100", "flat-ucb:sims=100,prior=policy"],
];

/// Agents whose swaps are compared with those of people.
const COMPARED: [&str; 3] = ["greedy", "flat-ucb", "belief"];

pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let mut tables = Vec::new();
    let mut notes = vec!["The published program has a policy network without results.".to_string()];
    match run.trained_on_logs(POLICY_TOML)? {
        Some(trained) => {
            let network = PolicyNetwork::new(trained.network.clone());
            let network = network.map_err(|error| ReproduceError::Other(error.to_string()))?;
            tables.push(matches(run, network, &trained.held_out)?);
            notes.push(format!(
                "Trained on nine tenths of {} games of people; the others are held out.",
                trained.logs.games.len()
            ));
        }
        None => notes.push(
            "The share of predicted swaps needs the games of people: --logs DIR.".to_string(),
        ),
    }
    tables.push(games(run)?);
    let findings = Findings::of_all(tables);
    Ok(notes.into_iter().fold(findings, Findings::note))
}

/// How often the network and agents choose the swap of people.
fn matches(
    run: &ReproductionRun<'_>,
    mut network: PolicyNetwork,
    held_out: &[PlayedSwap],
) -> Result<ComparisonTable, ReproduceError> {
    let most = run.pick(500, 5_000).min(held_out.len());
    // Evenly spread over the games.
    let turns = (0..most).map(|n| &held_out[n * held_out.len() / most]);
    let turns: Vec<&PlayedSwap> = turns.collect();
    let legal = |turn: &&PlayedSwap| 1.0 / f64::from(turn.view.known.swaps().count().max(1));
    let chance = Estimate::exact(100.0 * turns.iter().map(legal).sum::<f64>() / most as f64);
    let mut rows = vec![];
    let mut push = |name: &str, matches: usize| {
        let ours = Estimate::percent(matches as f64, most as u64);
        let (verdict, why) = compare(chance, ours, Better::Higher);
        let why = format!("a random swap: {:.1} %; {why}", chance.value);
        rows.push(ComparisonRow::from_parts(
            name,
            None,
            ReportedValue::percent(ours),
            verdict,
            why,
        ));
    };
    push("policy network", turns.iter().filter(|turn| network.matches(turn)).count());
    for text in COMPARED {
        let spec: AgentSpec = text.parse()?;
        let mut same = 0;
        for (n, turn) in turns.iter().enumerate() {
            run.report_progress(n as u64, most as u64, &format!("swaps of {text}"));
            let mut agent = spec.build(&turn.view.known.grid().settings, run.seed)?;
            same += usize::from(agent.decide(&turn.view).is_some_and(|it| it.swap == turn.swap));
        }
        push(text, same);
    }
    Ok(ComparisonTable::new(format!("Swaps of people in {most} positions of held-out games"), rows))
}

/// Games won at level 1 with and without the shipped network.
fn games(run: &ReproductionRun<'_>) -> Result<ComparisonTable, ReproduceError> {
    let mut rows = Vec::new();
    for [without, with] in AGENTS {
        let games = run.pick(200, 2_000);
        let [before, after] = [without, with].map(|agent| {
            run.gem_games(1, GemRules::Fixed, agent, games).map(|played| played.won())
        });
        let (before, after) = (before?, after?);
        let (verdict, why) = compare(before, after, Better::Higher);
        let why = format!("{without}: {:.1} %; {why}", before.value);
        rows.push(ComparisonRow::from_parts(
            with,
            None,
            ReportedValue::percent(after),
            verdict,
            why,
        ));
    }
    Ok(ComparisonTable::new("Games won at level 1 with the network of the program", rows))
}
