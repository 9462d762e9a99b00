//! The lab: runs, experiments, tournaments, reproduction reports, and jobs started from the pages.

mod examples;
mod experiments;
mod folders;
mod job_command;
mod jobs;
mod live;
mod machines;
mod metrics;
pub(crate) mod model_file;
mod process;
mod reproduction;
mod results;
mod runs;
mod tournaments;
mod workbench;

use axum::Router;

use crate::limits::Slots;
use crate::state::AppState;
use experiments::ExperimentCache;
pub(crate) use jobs::Jobs;
use runs::RunSummaryCache;
use tournaments::TableCache;
use workbench::SummaryCache;

/// The most streams of runs in total and of a session.
const MAX_WATCHERS: usize = 200;
const WATCHERS_PER_SESSION: usize = 3;

/// The state of the lab between requests.
pub(crate) struct Lab {
    jobs: Jobs,
    run_summaries: RunSummaryCache,
    experiments: ExperimentCache,
    tables: TableCache,
    summary: SummaryCache,
    watchers: Slots,
}

impl Lab {
    pub(crate) fn new(sessions_per_address: usize) -> Lab {
        let of_an_address = WATCHERS_PER_SESSION.saturating_mul(sessions_per_address.max(1));
        Lab {
            jobs: Jobs::default(),
            run_summaries: RunSummaryCache::default(),
            experiments: ExperimentCache::default(),
            tables: TableCache::default(),
            summary: SummaryCache::default(),
            watchers: Slots::new(MAX_WATCHERS, of_an_address),
        }
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn run_summaries(&self) -> &RunSummaryCache {
        &self.run_summaries
    }

    fn experiments(&self) -> &ExperimentCache {
        &self.experiments
    }

    /// The cached content of the store and the tables of its tournaments.
    pub(super) fn tables(&self) -> &TableCache {
        &self.tables
    }

    fn summary(&self) -> &SummaryCache {
        &self.summary
    }

    fn watchers(&self) -> &Slots {
        &self.watchers
    }
}

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .merge(runs::routes())
        .merge(live::routes())
        .merge(experiments::routes())
        .merge(tournaments::routes())
        .merge(examples::routes())
        .merge(workbench::routes())
        .merge(machines::routes())
        .merge(reproduction::routes())
}
