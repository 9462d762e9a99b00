//! What a worker can do of this crate.

use tesuji_queue::{Task, Trouble};
use tesuji_search::Registry;

use crate::{PlayerSpec, Roster, round};

/// Whether a worker may start other programs for the runs of other machines (players
/// `external:cmd=…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramPolicy {
    /// It starts whatever a run names.
    Allowed,
    /// A job with such a player fails.
    Refused,
}

/// Every task of this crate: those of [`Brief`](tesuji_queue::Brief)s that its events write.
pub fn job_kinds(games: &Registry, roster: Roster, programs: ProgramPolicy) -> Vec<Task> {
    vec![round::payload::job_kind(games, roster, programs)]
}

impl ProgramPolicy {
    /// An error for a player that is another program, where none may be started.
    pub fn check(self, player: &PlayerSpec) -> Result<(), Trouble> {
        if self == ProgramPolicy::Allowed || !player.starts_program() {
            return Ok(());
        }
        Err(Trouble(format!(
            "player '{}': this worker starts no programs; expected a worker that was started with \
             --allow-programs",
            player.text()
        )))
    }
}
