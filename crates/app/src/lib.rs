//! Code that the command line, the web app and other programs share.
//!
//! * [`training`]: training runs from files and folders. [`experiment`]: grids of training runs or
//!   matches.
//! * [`position_view`]: positions, moves, analyses and search data for user interfaces.
//! * [`books`]: opening books. [`logging`]: log lines and log files.

pub mod books;
pub mod experiment;
pub mod logging;
pub mod position_view;
pub mod training;

use tesuji_play::ProgramPolicy;
use tesuji_queue::JobKind;
use tesuji_search::Registry;

pub use position_view::PositionViewError;

/// Returns all kinds of jobs that a worker can run.
pub fn job_kinds(games: &Registry, programs: ProgramPolicy) -> Vec<JobKind> {
    let mut kinds = tesuji_players::job_kinds(games, programs);
    kinds.extend([books::exact_job_kind(), books::searched_job_kind(games)]);
    kinds
}
