//! Beliefs about a game: the probability of a medal under each cell of ice, and the expected gain
//! of each swap over sampled worlds.

use serde::Serialize;
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, GemView, Mask, Swap};
use tesuji_search::gem_island::{Belief, BeliefOptions, BeliefTracker};

/// The sampled worlds; the same for every swap.
const WORLDS: u64 = 256;

/// The beliefs about a game.
#[derive(Serialize)]
pub(super) struct BeliefResponse {
    /// The probability of a medal under each cell, row by row; `None` without ice.
    cells: Vec<Option<f64>>,
    /// The number of completely hidden medals.
    hidden: u8,
    /// Whether the probabilities are from all possible arrangements or from samples.
    exact: bool,
    /// The number of these arrangements.
    arrangements: usize,
    /// The number of sampled worlds.
    worlds: u64,
    /// The legal swaps, highest gain first.
    swaps: Vec<ExpectedGain>,
}

/// The mean gain of a swap, its cascade included.
#[derive(Serialize)]
struct ExpectedGain {
    swap: Swap,
    /// Uncovered parts of medals.
    gain: f64,
    /// Broken layers of ice.
    ice: f64,
    /// Freed medals.
    medals: f64,
    /// Points.
    score: f64,
}

/// Computes the beliefs from a player's view. The seed determines the sampled worlds.
pub(super) fn belief_response(view: &GemView, seed: u64) -> BeliefResponse {
    let mut beliefs = BeliefTracker::new(BeliefOptions::default());
    let belief = beliefs.for_view(view);
    let mut swaps: Vec<ExpectedGain> = view
        .known
        .legal_swaps()
        .into_iter()
        .map(|swap| expected_gain(view, belief, swap, seed))
        .collect();
    swaps.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(b.score.total_cmp(&a.score)));
    BeliefResponse {
        cells: chances(view, belief),
        hidden: view.hidden,
        exact: belief.is_exact(),
        arrangements: belief.count(),
        worlds: WORLDS,
        swaps,
    }
}

fn chances(view: &GemView, belief: &Belief<u128>) -> Vec<Option<f64>> {
    let (grid, board) = (view.known.grid(), view.known.board());
    let known = grid.medal_cells(board.medals);
    let chance = |index: u32| match known.has(index) {
        true => 1.0,
        false => belief.chances().get(index as usize).copied().unwrap_or(0.0),
    };
    let cells = grid.row_major().map(|cell| grid.index(cell));
    cells.map(|index| board.iced().has(index).then(|| chance(index))).collect()
}

fn expected_gain(view: &GemView, belief: &Belief<u128>, swap: Swap, seed: u64) -> ExpectedGain {
    let mut sum = ExpectedGain { swap, gain: 0.0, ice: 0.0, medals: 0.0, score: 0.0 };
    for n in 0..WORLDS {
        let part = (n as f64 + 0.5) / WORLDS as f64;
        let mut world = view.with_medals(belief.at(part));
        let (medals, iced) = (covered_parts(&world), world.board().iced());
        let turn = world.play(swap, &mut seeded(derived(seed, [n])), &mut ());
        let bare = !world.board().iced();
        sum.gain += f64::from((medals & bare).count());
        sum.ice += f64::from((iced & bare).count());
        sum.medals += f64::from(turn.medals_freed);
        sum.score += turn.score as f64;
    }
    let mean = |sum: f64| sum / WORLDS as f64;
    ExpectedGain {
        swap,
        gain: mean(sum.gain),
        ice: mean(sum.ice),
        medals: mean(sum.medals),
        score: mean(sum.score),
    }
}

fn covered_parts(game: &GemIsland) -> u128 {
    game.grid().medal_cells(game.board().medals) & game.board().iced()
}

#[cfg(test)]
mod tests {
    use tesuji_games::rules::gem_island::GemSettings;

    use super::*;

    fn game(level: usize, seed: u64) -> GemIsland {
        GemIsland::generate(GemSettings::level(level).unwrap(), &mut seeded(seed)).unwrap()
    }

    #[test]
    fn probabilities_add_up_to_the_parts_of_all_covered_medals() {
        for level in 1..=3 {
            let mut game = game(level, 5);
            for turn in 0..4 {
                let view = game.view();
                let believed = belief_response(&view, 1);
                let sum: f64 = believed.cells.iter().flatten().sum();
                let shown = view.known.grid().medal_cells(view.known.board().medals);
                let covered = (shown & view.known.board().iced()).count();
                let expected = f64::from(covered) + 4.0 * f64::from(view.hidden);
                assert!((sum - expected).abs() < 1e-6, "level {level}: {sum} and {expected}");
                game.play(game.swap_at(turn), &mut seeded(turn.into()), &mut ());
            }
        }
    }

    #[test]
    fn a_swap_gains_at_least_the_expectation_of_its_first_pass() {
        let game = game(3, 9);
        let view = game.view();
        let believed = belief_response(&view, 1);
        let grid = game.grid();
        let chance: Vec<f64> = believed.cells.iter().map(|chance| chance.unwrap_or(0.0)).collect();
        assert_eq!(believed.swaps.len(), game.legal_swaps().len());
        for swap in &believed.swaps {
            let step = game.peek(swap.swap);
            let hit = step.removed | step.created.cells();
            let at_once: f64 = grid
                .row_major()
                .zip(&chance)
                .filter(|(cell, _)| hit.has(grid.index(*cell)))
                .map(|(_, chance)| chance)
                .sum();
            // The worlds are a sample, so slightly less is possible.
            assert!(swap.gain > 0.85 * at_once, "{}: {} and {at_once}", swap.swap, swap.gain);
        }
    }

    #[test]
    fn the_true_places_of_hidden_medals_have_no_effect() {
        let game = game(2, 4);
        let view = game.view();
        let other = view.with_medals(view.place_hidden(&mut seeded(99)));
        assert_ne!(game.board().medals, other.board().medals);
        let response_text =
            |view: &GemView| serde_json::to_string(&belief_response(view, 1)).unwrap();
        assert_eq!(response_text(&view), response_text(&other.view()));
    }
}
