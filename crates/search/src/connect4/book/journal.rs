//! The scores of an unfinished build, in a file next to the book, so that an interrupted build
//! resumes. The header identifies the book. Then follows one record per position, in any order: the
//! index (4 bytes), the score (1 byte) and a check byte.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tesuji_games::rules::connect4::Connect4Size;

use super::build::BookBuildError;

const MAGIC: &[u8; 8] = b"tesuji-j";
const HEADER_BYTES: usize = 15;
const RECORD_BYTES: usize = 6;

/// Identifies the book that a journal belongs to.
#[derive(Clone, Copy)]
pub(super) struct JournalHeader {
    pub(super) size: Connect4Size,
    pub(super) plies: u32,
    pub(super) positions: usize,
    /// The highest possible score.
    pub(super) highest: i8,
}

impl JournalHeader {
    fn header(self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(MAGIC);
        let numbers = [self.size.width(), self.size.height(), self.plies as usize];
        header[8..11].copy_from_slice(&numbers.map(|number| number as u8));
        header[11..].copy_from_slice(&(self.positions as u32).to_le_bytes());
        header
    }
}

/// An open journal, locked against concurrent builds.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    pending: Vec<u8>,
}

impl Journal {
    /// Opens or creates a journal and returns the scores in it. Drops an incomplete record at the
    /// end.
    pub(super) fn open(
        path: &Path,
        expected: JournalHeader,
    ) -> Result<(Journal, Vec<Option<i8>>), BookBuildError> {
        let io = |why| BookBuildError::Io { path: path.display().to_string(), why };
        let damaged = |what| BookBuildError::Journal { path: path.display().to_string(), what };
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        // Reading a pipe or a device might never end.
        if !file.metadata().map_err(io)?.is_file() {
            return Err(damaged("not a regular file"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(damaged("another build is using it")),
            Err(TryLockError::Error(why)) if why.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(why)) => return Err(io(why)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let scores = read(&bytes, expected).map_err(damaged)?;
        if bytes.len() < HEADER_BYTES {
            file.set_len(0).map_err(io)?;
            file.rewind().map_err(io)?;
            file.write_all(&expected.header()).map_err(io)?;
        } else {
            let incomplete = (bytes.len() - HEADER_BYTES) % RECORD_BYTES;
            file.set_len((bytes.len() - incomplete) as u64).map_err(io)?;
            file.seek(SeekFrom::End(0)).map_err(io)?;
        }
        Ok((Journal { path: path.to_path_buf(), file, pending: Vec::new() }, scores))
    }

    /// Records a score; it is on disk after the next [`flush`](Self::flush).
    pub(super) fn add(&mut self, index: u32, score: i8) {
        self.pending.extend(index.to_le_bytes());
        self.pending.extend([score as u8, check(index, score as u8)]);
    }

    /// Writes the pending records to disk.
    pub(super) fn flush(&mut self) -> Result<(), BookBuildError> {
        let written = self.file.write_all(&self.pending).and_then(|()| self.file.sync_data());
        self.pending.clear();
        written.map_err(|why| BookBuildError::Io { path: self.path.display().to_string(), why })
    }
}

fn read(bytes: &[u8], expected: JournalHeader) -> Result<Vec<Option<i8>>, &'static str> {
    let mut scores = vec![None; expected.positions];
    let header = expected.header();
    let Some((found, records)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        let is_prefix = header.starts_with(bytes);
        return if is_prefix { Ok(scores) } else { Err("not the journal of a build") };
    };
    if !found.starts_with(MAGIC) {
        return Err("not the journal of a build");
    }
    if *found != header {
        return Err("journal of a build of another size or depth");
    }
    let (records, _torn) = records.as_chunks::<RECORD_BYTES>();
    for &[a, b, c, d, score, sum] in records {
        let index = u32::from_le_bytes([a, b, c, d]);
        if sum != check(index, score) {
            return Err("damaged record");
        }
        let score = score as i8;
        let slot = scores.get_mut(index as usize).ok_or("record of a nonexistent position")?;
        if slot.is_some_and(|other| other != score)
            || score.unsigned_abs() > expected.highest.unsigned_abs()
        {
            return Err("damaged record");
        }
        *slot = Some(score);
    }
    Ok(scores)
}

/// A check byte that depends on all bits of a record.
fn check(index: u32, score: u8) -> u8 {
    let all = u64::from(index) << 8 | u64::from(score);
    ((all + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: JournalHeader =
        JournalHeader { size: Connect4Size::STANDARD, plies: 2, positions: 25, highest: 20 };

    fn write_scores(path: &Path, scores: &[(u32, i8)]) {
        let (mut journal, _) = Journal::open(path, HEADER).unwrap();
        scores.iter().for_each(|&(index, score)| journal.add(index, score));
        journal.flush().unwrap();
    }

    fn scores_in(path: &Path) -> Result<Vec<(usize, i8)>, String> {
        let (_, scores) = Journal::open(path, HEADER).map_err(|error| error.to_string())?;
        let indexed = scores.into_iter().enumerate();
        Ok(indexed.filter_map(|(index, score)| score.map(|score| (index, score))).collect())
    }

    #[test]
    fn what_was_flushed_is_found_again_and_a_torn_end_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.part");
        assert_eq!(scores_in(&path), Ok(vec![]));
        write_scores(&path, &[(3, -2), (0, 7)]);
        write_scores(&path, &[(24, 0), (3, -2)]);
        let complete = std::fs::read(&path).unwrap();
        for length in 0..=complete.len() {
            std::fs::write(&path, &complete[..length]).unwrap();
            let records = length.saturating_sub(HEADER_BYTES) / RECORD_BYTES;
            let mut expected = [(3, -2), (0, 7), (24, 0)][..records.min(3)].to_vec();
            expected.sort_unstable();
            assert_eq!(scores_in(&path).unwrap(), expected);
            write_scores(&path, &[(5, 5)]);
            assert!(
                scores_in(&path).unwrap().contains(&(5, 5)),
                "it appends after complete records"
            );
        }
    }

    #[test]
    fn other_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.part");
        write_scores(&path, &[(3, -2), (0, 7)]);
        let complete = std::fs::read(&path).unwrap();
        for (slot, words) in
            [(0, "not the journal"), (8, "another size"), (15, "damaged"), (19, "damaged")]
        {
            let mut bad = complete.clone();
            bad[slot] ^= 4;
            std::fs::write(&path, &bad).unwrap();
            let error = scores_in(&path).unwrap_err();
            assert!(error.contains(words) && error.contains("x.part"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), bad, "the file is unchanged");
        }
        std::fs::write(&path, b"my letter").unwrap();
        assert!(scores_in(&path).unwrap_err().contains("not the journal"));
        std::fs::remove_file(&path).unwrap();
        write_scores(&path, &[(30, 1)]);
        assert!(scores_in(&path).unwrap_err().contains("nonexistent position"));
    }

    #[test]
    fn two_builds_do_not_share_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.part");
        let first = Journal::open(&path, HEADER).unwrap();
        assert!(scores_in(&path).unwrap_err().contains("another build"));
        drop(first);
        assert_eq!(scores_in(&path), Ok(vec![]));
    }
}
