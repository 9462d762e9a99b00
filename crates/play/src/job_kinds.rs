//! The job kinds of this crate, for workers.

use tesuji_queue::{JobError, JobKind};
use tesuji_search::Registry;

use crate::{PlayerSpec, Roster, round};

/// Whether a worker may start other programs for jobs of other machines (players `external:cmd=…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramPolicy {
    /// Every program that a job names may be started.
    Allowed,
    /// Jobs with such a player fail.
    Refused,
}

/// All job kinds of this crate: those that its events put on a queue.
pub fn job_kinds(games: &Registry, roster: Roster, programs: ProgramPolicy) -> Vec<JobKind> {
    vec![round::payload::job_kind(games, roster, programs)]
}

impl ProgramPolicy {
    /// Returns an error for an external program if none may be started.
    pub fn check(self, player: &PlayerSpec) -> Result<(), JobError> {
        self.check_program(player.text(), player.starts_program())
    }

    /// The same for any player or agent, by its text.
    pub fn check_program(self, player: &str, starts_program: bool) -> Result<(), JobError> {
        if self == ProgramPolicy::Allowed || !starts_program {
            return Ok(());
        }
        Err(JobError(format!(
            "player '{player}': this worker does not start programs; expected a worker that runs \
             with --allow-programs"
        )))
    }
}
