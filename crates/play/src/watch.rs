//! Somebody who watches a player think.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::Score;
use tesuji_search::SearchReport;

/// What is known while a player still thinks.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Glimpse {
    /// Plies searched in full.
    pub depth: u32,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// How long it has been thinking.
    pub seconds: f64,
    /// What it thinks of the position so far, for itself.
    pub score: Score,
}

/// Told now and then what a player has found so far; by default nobody is.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Fn(Glimpse) + Send + Sync>>);

impl Watch {
    /// Calls `tell` with every glimpse.
    pub fn by(tell: impl Fn(Glimpse) + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(tell)))
    }

    /// Shows what a search has found so far.
    pub fn show(&self, report: &SearchReport) {
        let Some(tell) = &self.0 else { return };
        let SearchReport { depth, nodes, score, .. } = *report;
        tell(Glimpse { depth, nodes, score, seconds: report.time.as_secs_f64() });
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(somebody)" } else { "Watch(nobody)" })
    }
}
