//! Builds opening books with a work queue: every position of a book is solved or searched on its
//! own.

mod exact;
mod searched;

pub use exact::build_exact;
pub(crate) use exact::job_kind as exact_job_kind;
pub use searched::build_searched;
pub(crate) use searched::job_kind as searched_job_kind;

use tesuji_games::SpecError;
use tesuji_queue::QueueError;
use tesuji_search::connect4::BookBuildError;

/// Why a book could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BooksError {
    /// The positions cannot be listed, or the journal cannot be written.
    #[error(transparent)]
    Build(#[from] BookBuildError),
    /// The player or the game is invalid, or the player cannot search.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The queue failed, or a worker could not solve its positions.
    #[error(transparent)]
    Queue(#[from] QueueError),
}
