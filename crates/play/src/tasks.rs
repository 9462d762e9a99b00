//! What a worker can do of this crate.

use tesuji_queue::{JobError, JobKind};
use tesuji_search::Registry;

use crate::{PlayerSpec, Roster, round};

/// Whether a worker may start other programs for the runs of other machines (players
/// `external:cmd=…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// It starts whatever a run names.
    Allowed,
    /// A job with such a player fails.
    Refused,
}

/// Every task of this crate: those of [`Payload`](tesuji_queue::Payload)s that its events write.
pub fn tasks(games: &Registry, roster: Roster, programs: Programs) -> Vec<JobKind> {
    vec![round::written::task(games, roster, programs)]
}

impl Programs {
    /// An error for a player that is another program, where none may be started.
    pub fn admit(self, player: &PlayerSpec) -> Result<(), JobError> {
        if self == Programs::Allowed || !player.starts_program() {
            return Ok(());
        }
        Err(JobError(format!(
            "player '{}': this worker starts no programs; expected a worker that was started with \
             --allow-programs",
            player.text()
        )))
    }
}
