//! The laboratory: runs, experiments and tournaments, past and under way, reports beside published numbers, and the jobs that people
//! start here.

mod examples;
mod experiments;
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

use axum::Router;

use crate::limits::Slots;
use crate::state::AppState;
use experiments::Known;
pub(crate) use jobs::Jobs;
use runs::Gists;
use tournaments::Tables;
use workbench::Lately;

/// Streams of runs at once, and for one session.
const MOST_WATCHERS: usize = 200;
const WATCHERS_OF_A_SESSION: usize = 3;

/// What the laboratory remembers between requests.
pub(crate) struct Lab {
    jobs: Jobs,
    gists: Gists,
    experiments: Known,
    tables: Tables,
    lately: Lately,
    watchers: Slots,
}

impl Lab {
    pub(crate) fn new(sessions_per_address: usize) -> Lab {
        let of_an_address = WATCHERS_OF_A_SESSION.saturating_mul(sessions_per_address.max(1));
        Lab {
            jobs: Jobs::default(),
            gists: Gists::default(),
            experiments: Known::default(),
            tables: Tables::default(),
            lately: Lately::default(),
            watchers: Slots::new(MOST_WATCHERS, of_an_address),
        }
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn gists(&self) -> &Gists {
        &self.gists
    }

    fn experiments(&self) -> &Known {
        &self.experiments
    }

    /// What a store holds, as it was a moment ago, and the tables of its tournaments.
    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    fn lately(&self) -> &Lately {
        &self.lately
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
