//! FilePaths that players and agents name, on another machine. There they lie elsewhere; what a player is called, and so
//! the identity of its games, stays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tesuji_queue::{Brief, Trouble};

use crate::file::PlayerFile;

/// Where files lie, by the names that texts have for them.
pub type FilePaths = BTreeMap<String, PathBuf>;

/// The brief with the files of a player: the content that the player has here.
pub fn attach<'a>(
    brief: Brief,
    mut files: impl Iterator<Item = &'a PlayerFile>,
) -> Result<Brief, Trouble> {
    files.try_fold(brief, |brief, file| {
        let name = file.name();
        let bytes = file.bytes().map_err(|why| Trouble(format!("{name}: {why}")))?;
        match brief.files.get(name) {
            None => Ok(brief.with_file(name, bytes.to_vec())),
            Some(other) if other == bytes => Ok(brief),
            Some(_) => Err(Trouble(format!("{name}: it changed while it was read"))),
        }
    })
}
