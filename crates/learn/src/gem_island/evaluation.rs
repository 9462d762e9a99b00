//! Networks as what rollouts are worth.

use std::sync::Arc;

use tesuji_games::rules::gem_island::{Board, GemIsland, View};
use tesuji_search::flat_ucb::RolloutValue;

use super::sight;
use crate::network::{Input, Network, Scratch};

/// The utility network at the end of rollouts.
#[derive(Clone, Debug)]
pub struct NnUtility {
    network: Arc<Network>,
    scratch: Scratch,
    seen: Vec<(u32, f32)>,
    root: Option<(Board<u128>, u16, f64)>,
    pub contrast: f64,
    pub speed: f64,
}

impl NnUtility {
    pub fn new(network: Network) -> NnUtility {
        let scratch = network.scratch();
        NnUtility { network: Arc::new(network), scratch, seen: Vec::with_capacity(512), root: None, contrast: 0.0, speed: 0.02 }
    }

    /// Chance to win in time, and expected number of moves left over
    pub fn chances(&mut self, state: &GemIsland<u128>) -> &[f32] {
        sight::show(state, &mut self.seen);
        self.network.predict(Input::Sparse(&self.seen), &mut self.scratch)
    }

    pub fn worth(&mut self, state: &GemIsland<u128>) -> f64 {
        let left = usize::from(state.moves_left());
        let speed = self.speed;
        if state.medals_left() == 0 {
            return 1.0 + speed * left as f64;
        }
        if left == 0 {
            let parts = f64::from(state.medals_left());
            return -0.01 * parts;
        }
        let chances = self.chances(state);
        let in_time = f64::from(chances[left.min(chances.len()) - 1]);
        let needed: f64 = 1.0 + chances.iter().map(|c| 1.0 - f64::from(*c)).sum::<f64>();
        in_time + speed * (left as f64 - needed)
    }
}

impl RolloutValue<GemIsland<u128>> for NnUtility {
    fn value(&mut self, start: &View<u128>, end: &GemIsland<u128>, _: f64) -> f64 {
        let worth = self.worth(end);
        if self.contrast == 0.0 { return worth; }
        let key = (*start.known.board(), start.known.moves_left());
        let base = match self.root {
            Some((board, moves, base)) if (board, moves) == key => base,
            _ => {
                let base = self.worth(&start.known);
                self.root = Some((key.0, key.1, base));
                base
            }
        };
        1.0 / (1.0 + (-self.contrast * (worth - base)).exp())
    }
}
