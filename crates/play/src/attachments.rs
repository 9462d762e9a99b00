//! The files of players and agents as attachments of a job. Their paths differ on other machines;
//! the names in players' texts, and so the identity of games, stay the same.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tesuji_queue::{JobError, Payload};

use crate::file::PlayerFile;

/// Paths of files by their names in players' texts.
pub type FilePaths = BTreeMap<String, PathBuf>;

/// Attaches the files of a player with the content that they had here.
pub fn attach<'a>(
    payload: Payload,
    mut files: impl Iterator<Item = &'a PlayerFile>,
) -> Result<Payload, JobError> {
    files.try_fold(payload, |payload, file| {
        let name = file.name();
        let bytes = file.bytes().map_err(|why| JobError(format!("{name}: {why}")))?;
        match payload.files.get(name) {
            None => Ok(payload.with_file(name, bytes.to_vec())),
            Some(other) if other == bytes => Ok(payload),
            Some(_) => Err(JobError(format!("{name}: changed while it was read"))),
        }
    })
}
