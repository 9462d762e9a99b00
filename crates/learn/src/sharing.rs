//! Work of a learner that is handed to a queue.

use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use tesuji_queue::{Batch, Finished, Performed, QueueError, WorkQueue};

/// Has a batch done, if there is anything to do; an error of `each` ends it.
pub(crate) fn perform<E: From<QueueError>>(
    queue: &dyn WorkQueue,
    batch: &Batch<'_>,
    each: &mut dyn FnMut(&Finished) -> Result<(), E>,
) -> Result<Performed, E> {
    if batch.units.is_empty() {
        return Ok(Performed::default());
    }
    let mut heard = Ok(());
    let performed = queue.perform(batch, &mut |finished| {
        heard = finished.iter().try_for_each(&mut *each);
        if heard.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    heard.map(|()| performed)
}

/// The notes of all units, in their order; `None` when the batch was stopped before its end.
pub(crate) fn notes<T: DeserializeOwned>(
    queue: &dyn WorkQueue,
    batch: &Batch<'_>,
) -> Result<Option<Vec<T>>, QueueError> {
    let mut notes: Vec<Option<T>> = batch.units.iter().map(|_| None).collect();
    perform(queue, batch, &mut |finished| {
        if let Ok(place) = batch.units.binary_search(&finished.unit) {
            notes[place] = Some(finished.product.note()?);
        }
        Ok::<(), QueueError>(())
    })?;
    Ok(notes.into_iter().collect())
}
