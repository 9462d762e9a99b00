//! Opening books as work to be shared out: one position after the other is solved or searched, here or elsewhere.

mod exact;
mod searched;

pub use exact::build_exact;
pub(crate) use exact::task as exact_task;
pub use searched::build_searched;
pub(crate) use searched::task as searched_task;

use tesuji_games::SpecError;
use tesuji_queue::QueueError;
use tesuji_search::connect4::BookBuildError;

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
pub enum BooksError {
    /// It cannot be built, or not noted.
    #[error(transparent)]
    Build(#[from] BookBuildError),
    /// The player cannot search.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The positions could not be shared out or solved.
    #[error(transparent)]
    Queue(#[from] QueueError),
}
