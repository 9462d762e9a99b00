//! Building a book: the positions of the deepest ply are solved, one by one, by whoever has a solver. What is solved is
//! noted, and when all of them are, the book follows.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tesuji_games::rules::connect4::Connect4Size;

use super::journal::{Journal, Task};
use super::positions::BookPositions;
use super::tree::{MOST_POSITIONS, win_at};
use super::{Connect4Book, size_text};
use crate::{Limits, TableSize};

/// Which book to build, and with what.
#[derive(Clone, Debug)]
pub struct BookBuild {
    size: Connect4Size,
    plies: u32,
    table: TableSize,
    journal: Option<PathBuf>,
}

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file could not be read or written.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        why: io::Error,
    },
    /// The journal cannot be carried on with.
    #[error("{path}: {what}; remove it to begin anew")]
    Journal {
        /// The file.
        path: String,
        /// What does not fit.
        what: &'static str,
    },
    /// The game ends before.
    #[error("a board of {size} has unfinished positions of at most {most} stones, not of {plies}")]
    BeyondTheEnd {
        /// The board.
        size: String,
        /// One stone less than cells.
        most: usize,
        /// What was asked for.
        plies: u32,
    },
    /// Nobody could wait for it.
    #[error(
        "{plies} plies of {size} are more than {MOST_POSITIONS} positions; ask for fewer plies"
    )]
    TooMany {
        /// The board.
        size: String,
        /// What was asked for.
        plies: u32,
    },
    /// A score is of no position, or no score of it.
    #[error("{score} cannot be the score of position {index} of the build")]
    Nonsense {
        /// The position.
        index: usize,
        /// What was found.
        score: i8,
    },
    /// It ended early.
    #[error("{left} positions of the build were not solved")]
    Unfinished {
        /// How many.
        left: usize,
    },
}

/// Between two writes to the journal.
const BETWEEN_FLUSHES: Duration = Duration::from_millis(250);

impl BookBuild {
    /// A book of all positions with at most so many stones.
    pub fn new(size: Connect4Size, plies: u32) -> Result<Self, BuildError> {
        let most = size.cells() - 1;
        if plies as usize > most {
            return Err(BuildError::BeyondTheEnd { size: size_text(size), most, plies });
        }
        Ok(BookBuild { size, plies, table: TableSize::megabytes(64), journal: None })
    }

    /// With a table of this size for every solver.
    pub fn with_table(self, table: TableSize) -> Self {
        BookBuild { table, ..self }
    }

    /// Notes in this file what is solved, and begins with what it holds.
    pub fn with_journal(self, path: &Path) -> Self {
        BookBuild { journal: Some(path.to_path_buf()), ..self }
    }

    /// The board.
    pub fn size(&self) -> Connect4Size {
        self.size
    }

    /// The number of stones of the deepest positions.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Memory of every solver.
    pub fn table(&self) -> TableSize {
        self.table
    }

    /// The positions that must be solved.
    pub fn positions(&self) -> Result<BookPositions, BuildError> {
        let too_many = |_| BuildError::TooMany { size: size_text(self.size), plies: self.plies };
        BookPositions::new(self.size, self.plies).map_err(too_many)
    }

    /// Begins to note what is solved of these positions.
    pub fn progress(&self, positions: &BookPositions) -> Result<BookProgress, BuildError> {
        // Nobody wins at once in a position that must be solved.
        let highest = win_at(self.size.cells() as i32, self.plies as i32 + 1);
        let (size, plies, count) = (self.size, self.plies, positions.len());
        let (journal, scores) = match &self.journal {
            Some(path) => {
                let (journal, scores) =
                    Journal::open(path, Task { size, plies, positions: count, highest })?;
                (Some(journal), scores)
            }
            None => (None, vec![None; count]),
        };
        let solved = scores.iter().flatten().count();
        Ok(BookProgress { scores, solved, highest, journal, flushed: Instant::now() })
    }

    /// Builds it with one solver. `progress` hears how many positions of how many are solved.
    pub fn run(&self, mut progress: impl FnMut(usize, usize)) -> Result<Connect4Book, BuildError> {
        let positions = self.positions()?;
        let mut notes = self.progress(&positions)?;
        progress(notes.solved(), positions.len());
        let mut solver = positions.solver(self.table);
        for index in 0..positions.len() {
            if !notes.has(index)
                && let Some(score) = solver.score(index, &Limits::default())
            {
                notes.add(index, score)?;
                progress(notes.solved(), positions.len());
            }
        }
        drop(solver);
        notes.finish(positions)
    }
}

/// What is solved of a build, here and in its journal.
pub struct BookProgress {
    scores: Vec<Option<i8>>,
    solved: usize,
    /// No score is higher.
    highest: i8,
    journal: Option<Journal>,
    flushed: Instant,
}

impl BookProgress {
    /// How many positions are solved.
    pub fn solved(&self) -> usize {
        self.solved
    }

    /// Whether a position is solved.
    pub fn has(&self, index: usize) -> bool {
        self.scores.get(index).is_some_and(Option::is_some)
    }

    /// Notes the score of a position.
    pub fn add(&mut self, index: usize, score: i8) -> Result<(), BuildError> {
        let place = self
            .scores
            .get_mut(index)
            .filter(|_| score.unsigned_abs() <= self.highest.unsigned_abs());
        let place = place.ok_or(BuildError::Nonsense { index, score })?;
        if place.replace(score).is_some() {
            return Ok(());
        }
        self.solved += 1;
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.add(index as u32, score);
        if self.flushed.elapsed() >= BETWEEN_FLUSHES {
            journal.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Writes to the journal what it does not have yet.
    pub fn flush(&mut self) -> Result<(), BuildError> {
        self.journal.as_mut().map_or(Ok(()), Journal::flush)
    }

    /// The book, when all of the positions are solved.
    pub fn finish(mut self, positions: BookPositions) -> Result<Connect4Book, BuildError> {
        self.flush()?;
        let left = self.scores.len() - self.solved;
        let scores: Option<Vec<i8>> = self.scores.into_iter().collect();
        let book = scores.and_then(|scores| positions.into_book(&scores));
        book.ok_or(BuildError::Unfinished { left })
    }
}

impl Connect4Book {
    /// Writes the book to a file, by way of a second one that then takes its place: a crash leaves the
    /// old file or the new one, never half of one.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let mut file = File::create(&beside)?;
        file.write_all(&self.to_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::small_book;
    use super::*;

    #[test]
    fn a_small_table_builds_the_same_book() {
        let size = Connect4Size::new(5, 4).unwrap();
        let book = small_book(5, 4, 4);
        let build = BookBuild::new(size, 4).unwrap();
        let build = build.with_table(TableSize::from_bytes(1 << 16));
        let mut seen = Vec::new();
        assert_eq!(build.run(|done, total| seen.push((done, total))).unwrap(), book);
        assert!(seen.is_sorted() && seen.last().is_some_and(|&(done, total)| done == total));
    }

    #[test]
    fn a_build_goes_on_from_any_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.part");
        let book = small_book(5, 4, 4);
        let build = BookBuild::new(book.size(), 4).unwrap().with_journal(&path);
        assert_eq!(build.run(|_, _| {}).unwrap(), book);
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 7, 20, whole.len() / 2, whole.len()] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut begun = None;
            let again = build.run(|done, _| _ = begun.get_or_insert(done));
            assert_eq!(again.unwrap().to_bytes(), book.to_bytes());
            assert_eq!(begun, Some(length.saturating_sub(15) / 6), "solved positions are kept");
        }
    }

    /// Whatever comes from elsewhere is looked at before it is noted.
    #[test]
    fn nonsense_is_not_noted() {
        let build = BookBuild::new(Connect4Size::new(5, 4).unwrap(), 4).unwrap();
        let positions = build.positions().unwrap();
        let mut notes = build.progress(&positions).unwrap();
        for (index, score) in [(positions.len(), 0), (0, 100), (0, i8::MIN)] {
            let error = notes.add(index, score).unwrap_err().to_string();
            assert!(error.contains(&score.to_string()), "{error}");
        }
        notes.add(0, 1).unwrap();
        assert!(notes.has(0) && !notes.has(1) && notes.solved() == 1);
        let left = format!("{} positions", positions.len() - 1);
        let error = notes.finish(positions).unwrap_err().to_string();
        assert!(error.contains(&left), "{error}");
    }

    #[test]
    fn impossible_books_are_refused() {
        let size = Connect4Size::new(4, 4).unwrap();
        let error = BookBuild::new(size, 16).unwrap_err().to_string();
        assert!(error.contains("4x4") && error.contains("at most 15"), "{error}");
    }
}
