//! Reading a file of openings.

use std::path::Path;

use tesuji_games::State;
use tesuji_play::{Openings, Order};

use crate::failure::Failure;
use crate::input;

/// Reads it. The seed counts where the order is left to chance.
pub(crate) fn read(
    start: &State,
    path: &Path,
    order: Order,
    seed: u64,
) -> Result<Openings, Failure> {
    let text = input::text_of(path)?;
    let openings = Openings::read(start, &text).map_err(|error| Failure::in_file(path, error))?;
    Ok(openings.arranged(order, 0, seed))
}
