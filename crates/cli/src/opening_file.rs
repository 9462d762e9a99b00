//! Reading a file of openings.

use std::fs;
use std::path::Path;

use tesuji_arena::{Openings, Order};
use tesuji_games::Playable;

use crate::failure::Failure;

/// Reads it. The seed counts where the order is left to chance.
pub(crate) fn read<P: Playable>(
    start: &P,
    path: &Path,
    order: Order,
    seed: u64,
) -> Result<Openings<P>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::in_file(path, error))?;
    let openings = Openings::read(start, &text).map_err(|error| Failure::in_file(path, error))?;
    Ok(openings.arranged(order, 0, seed))
}
