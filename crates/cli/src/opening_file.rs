//! Reading a file of openings.

use std::fs;
use std::path::Path;

use tesuji_arena::Openings;
use tesuji_games::Playable;

use crate::failure::Failure;

/// Reads it; with a seed, in the order that the seed decides.
pub(crate) fn read<P: Playable>(
    start: &P,
    path: &Path,
    shuffled: Option<u64>,
) -> Result<Openings<P>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::in_file(path, error))?;
    let openings = Openings::read(start, &text).map_err(|error| Failure::in_file(path, error))?;
    Ok(match shuffled {
        Some(seed) => openings.shuffled(seed),
        None => openings,
    })
}
