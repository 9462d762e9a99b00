//! What a worker can do of this crate.

use tesuji_queue::Task;

use crate::{books, gem_island, rivals, round};

/// Every task of this crate: those of [`Brief`](tesuji_queue::Brief)s that its runs write.
pub fn tasks() -> Vec<Task> {
    let own = [round::written::TASK, gem_island::bench::TASK, books::EXACT, books::SEARCHED];
    own.into_iter().chain([rivals::EXERCISES]).collect()
}
