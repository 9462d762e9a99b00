//! What the command line, the web app and other programs share.
//!
//! * [`training`]: training runs from files and folders. [`experiment`]: grids of them, and of matches.
//! * [`desk`]: positions, choices and thinking as data for pages.
//! * [`books`]: opening books. [`logging`]: log lines and log files.

pub mod books;
pub mod desk;
pub mod experiment;
pub mod logging;
pub mod training;

use tesuji_play::ProgramPolicy;
use tesuji_queue::JobKind;
use tesuji_search::Registry;

pub use desk::DeskError;

/// Everything that a worker can do.
pub fn tasks(games: &Registry, programs: ProgramPolicy) -> Vec<JobKind> {
    let mut tasks = tesuji_players::tasks(games, programs);
    tasks.extend([books::exact_task(), books::searched_task(games)]);
    tasks
}
