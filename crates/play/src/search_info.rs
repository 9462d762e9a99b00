//! Progress of a search, for listeners.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tesuji_games::Score;
use tesuji_search::SearchReport;

/// The state of a running search.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SearchInfo {
    /// Completed depth in plies.
    pub depth: u32,
    /// Nodes visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// Elapsed time in seconds.
    pub seconds: f64,
    /// The current score for the searching side.
    pub score: Score,
}

/// Receives the progress of a search from time to time. The default discards it.
#[derive(Clone, Default)]
pub struct InfoListener(Option<Arc<dyn Fn(SearchInfo) + Send + Sync>>);

impl InfoListener {
    /// Creates a listener that calls `on_info`.
    pub fn new(on_info: impl Fn(SearchInfo) + Send + Sync + 'static) -> InfoListener {
        InfoListener(Some(Arc::new(on_info)))
    }

    /// Passes on the intermediate report of a search.
    pub fn on_info(&self, report: &SearchReport) {
        let Some(on_info) = &self.0 else { return };
        let SearchReport { depth, nodes, score, .. } = *report;
        on_info(SearchInfo { depth, nodes, score, seconds: report.time.as_secs_f64() });
    }
}

impl fmt::Debug for InfoListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "InfoListener(..)" } else { "InfoListener(none)" })
    }
}
