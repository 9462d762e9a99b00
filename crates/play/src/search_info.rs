//! Somebody who watches a player think.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::Score;
use tesuji_search::Report;

/// What is known while a player still thinks.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SearchInfo {
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
pub struct InfoListener(Option<Arc<dyn Fn(SearchInfo) + Send + Sync>>);

impl InfoListener {
    /// Calls `tell` with every glimpse.
    pub fn new(tell: impl Fn(SearchInfo) + Send + Sync + 'static) -> InfoListener {
        InfoListener(Some(Arc::new(tell)))
    }

    /// Shows what a search has found so far.
    pub fn on_info(&self, report: &Report) {
        let Some(tell) = &self.0 else { return };
        let Report { depth, nodes, score, .. } = *report;
        tell(SearchInfo { depth, nodes, score, seconds: report.time.as_secs_f64() });
    }
}

impl fmt::Debug for InfoListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "InfoListener(somebody)" } else { "InfoListener(nobody)" })
    }
}
