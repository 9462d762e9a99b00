//! The laboratory: runs and tournaments, past and under way, reports beside published numbers, and the jobs that people
//! start here.

mod examples;
mod findings;
mod folders;
mod jobs;
mod live;
mod machines;
mod metrics;
pub(crate) mod model_file;
mod order;
mod process;
mod reproduction;
mod runs;
mod tournaments;
mod workbench;

use std::sync::Arc;

use axum::Router;
use tokio::sync::Semaphore;

use crate::state::AppState;
pub(crate) use jobs::Jobs;
use runs::Gists;
use tournaments::Tables;
use workbench::Lately;

/// So many may watch a run at once.
const MOST_WATCHERS: usize = 200;

/// What the laboratory remembers between requests.
pub(crate) struct Lab {
    jobs: Jobs,
    gists: Gists,
    tables: Tables,
    lately: Lately,
    watchers: Arc<Semaphore>,
}

impl Lab {
    pub(crate) fn new() -> Lab {
        Lab {
            jobs: Jobs::default(),
            gists: Gists::default(),
            tables: Tables::default(),
            lately: Lately::default(),
            watchers: Arc::new(Semaphore::new(MOST_WATCHERS)),
        }
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn gists(&self) -> &Gists {
        &self.gists
    }

    /// What a store holds, as it was a moment ago, and the tables of its tournaments.
    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    fn lately(&self) -> &Lately {
        &self.lately
    }

    fn watchers(&self) -> Arc<Semaphore> {
        self.watchers.clone()
    }
}

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .merge(runs::routes())
        .merge(live::routes())
        .merge(tournaments::routes())
        .merge(examples::routes())
        .merge(workbench::routes())
        .merge(machines::routes())
        .merge(reproduction::routes())
}
