//! What a worker can do of this crate.

use tesuji_queue::{Task, Trouble};

use crate::{PlayerSpec, books, gem_island, rivals, round};

/// Whether a worker may start other programs for the runs of other machines (players
/// `external:cmd=…`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// It starts whatever a run names.
    Allowed,
    /// A job with such a player fails.
    Refused,
}

/// Every task of this crate: those of [`Brief`](tesuji_queue::Brief)s that its runs write.
pub fn tasks(programs: Programs) -> Vec<Task> {
    let games = [round::written::task(programs), rivals::exercises(programs)];
    let others = [gem_island::bench::TASK, books::EXACT, books::SEARCHED];
    games.into_iter().chain(others).collect()
}

impl Programs {
    /// An error for a player that is another program, where none may be started.
    pub(crate) fn admit(self, player: &PlayerSpec) -> Result<(), Trouble> {
        if self == Programs::Allowed || player.external().is_none() {
            return Ok(());
        }
        Err(Trouble(format!(
            "player '{}': this worker starts no programs; expected a worker that was started with \
             --allow-programs",
            player.text()
        )))
    }
}
