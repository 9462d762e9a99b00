//! Builds a book: solvers score the positions of the deepest ply one by one, scores are recorded,
//! and the complete set of scores makes the book.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tesuji_games::rules::connect4::Connect4Size;

use super::journal::{Journal, JournalHeader};
use super::positions::BookPositions;
use super::tree::{MAX_POSITIONS, win_at};
use super::{Connect4Book, size_text};
use crate::{Limits, TableSize};

/// The settings of a book build.
#[derive(Clone, Debug)]
pub struct BookBuilder {
    size: Connect4Size,
    plies: u32,
    table: TableSize,
    journal: Option<PathBuf>,
}

/// The error of a book build.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookBuildError {
    /// A file cannot be read or written.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        why: io::Error,
    },
    /// The build cannot resume from the journal.
    #[error("{path}: {what}; expected the journal of this build (remove it to start over)")]
    Journal {
        /// The file.
        path: String,
        /// The problem.
        what: &'static str,
    },
    /// The game ends before this ply.
    #[error(
        "{plies} plies: a board of {size} has no such unfinished positions; expected at most {max}"
    )]
    TooManyPlies {
        /// The board.
        size: String,
        /// The maximum: one less than the number of cells.
        max: usize,
        /// The requested number of plies.
        plies: u32,
    },
    /// The book is too large.
    #[error(
        "{plies} plies: more than {MAX_POSITIONS} positions on a board of {size}; \
         expected fewer plies"
    )]
    TooManyPositions {
        /// The board.
        size: String,
        /// The requested number of plies.
        plies: u32,
    },
    /// The position does not exist, or cannot have this score.
    #[error(
        "position {index}: invalid score {score}; expected a position of the build and its score"
    )]
    InvalidScore {
        /// The index of the position.
        index: usize,
        /// The invalid score.
        score: i8,
    },
    /// The build ended early.
    #[error("book: {left} positions are not solved; expected scores for all positions")]
    Unfinished {
        /// The number of positions without a score.
        left: usize,
    },
}

/// The interval between writes to the journal.
const FLUSH_INTERVAL: Duration = Duration::from_millis(250);

impl BookBuilder {
    /// Creates a build of all positions with at most `plies` stones.
    pub fn new(size: Connect4Size, plies: u32) -> Result<Self, BookBuildError> {
        let max = size.cells() - 1;
        if plies as usize > max {
            return Err(BookBuildError::TooManyPlies { size: size_text(size), max, plies });
        }
        Ok(BookBuilder { size, plies, table: TableSize::megabytes(64), journal: None })
    }

    /// Sets the table size of each solver.
    pub fn with_table(self, table: TableSize) -> Self {
        BookBuilder { table, ..self }
    }

    /// Records scores in this file and resumes from the scores in it.
    pub fn with_journal(self, path: &Path) -> Self {
        BookBuilder { journal: Some(path.to_path_buf()), ..self }
    }

    /// The board.
    pub fn size(&self) -> Connect4Size {
        self.size
    }

    /// The number of stones of the deepest positions.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The table size of each solver.
    pub fn table(&self) -> TableSize {
        self.table
    }

    /// The positions to solve.
    pub fn positions(&self) -> Result<BookPositions, BookBuildError> {
        let too_many =
            |_| BookBuildError::TooManyPositions { size: size_text(self.size), plies: self.plies };
        BookPositions::new(self.size, self.plies).map_err(too_many)
    }

    /// Starts or resumes the recording of scores for these positions.
    pub fn progress(&self, positions: &BookPositions) -> Result<BookProgress, BookBuildError> {
        // In a position to solve, the side to move cannot win at once.
        let highest = win_at(self.size.cells() as i32, self.plies as i32 + 1);
        let (size, plies, count) = (self.size, self.plies, positions.len());
        let (journal, scores) = match &self.journal {
            Some(path) => {
                let (journal, scores) =
                    Journal::open(path, JournalHeader { size, plies, positions: count, highest })?;
                (Some(journal), scores)
            }
            None => (None, vec![None; count]),
        };
        let solved = scores.iter().flatten().count();
        Ok(BookProgress { scores, solved, highest, journal, flushed: Instant::now() })
    }

    /// Builds the book with one solver. Calls `progress` with the number of solved positions and
    /// their total.
    pub fn run(
        &self,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Connect4Book, BookBuildError> {
        let positions = self.positions()?;
        let mut progress_record = self.progress(&positions)?;
        progress(progress_record.solved(), positions.len());
        let mut solver = positions.solver(self.table);
        for index in 0..positions.len() {
            if !progress_record.has(index)
                && let Some(score) = solver.score(index, &Limits::default())
            {
                progress_record.add(index, score)?;
                progress(progress_record.solved(), positions.len());
            }
        }
        drop(solver);
        progress_record.finish(positions)
    }
}

/// The scores recorded so far, in memory and in the journal.
pub struct BookProgress {
    scores: Vec<Option<i8>>,
    solved: usize,
    /// The highest possible score.
    highest: i8,
    journal: Option<Journal>,
    flushed: Instant,
}

impl BookProgress {
    /// The number of solved positions.
    pub fn solved(&self) -> usize {
        self.solved
    }

    /// Whether a position is solved.
    pub fn has(&self, index: usize) -> bool {
        self.scores.get(index).is_some_and(Option::is_some)
    }

    /// Records the score of a position.
    pub fn add(&mut self, index: usize, score: i8) -> Result<(), BookBuildError> {
        let slot = self
            .scores
            .get_mut(index)
            .filter(|_| score.unsigned_abs() <= self.highest.unsigned_abs());
        let slot = slot.ok_or(BookBuildError::InvalidScore { index, score })?;
        if slot.replace(score).is_some() {
            return Ok(());
        }
        self.solved += 1;
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.add(index as u32, score);
        if self.flushed.elapsed() >= FLUSH_INTERVAL {
            journal.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Writes pending scores to the journal.
    pub fn flush(&mut self) -> Result<(), BookBuildError> {
        self.journal.as_mut().map_or(Ok(()), Journal::flush)
    }

    /// Returns the book once all positions are solved.
    pub fn finish(mut self, positions: BookPositions) -> Result<Connect4Book, BookBuildError> {
        self.flush()?;
        let left = self.scores.len() - self.solved;
        let scores: Option<Vec<i8>> = self.scores.into_iter().collect();
        let book = scores.and_then(|scores| positions.into_book(&scores));
        book.ok_or(BookBuildError::Unfinished { left })
    }
}

impl Connect4Book {
    /// Writes the book to a file. Writes a temporary file first and renames it, so a crash never
    /// leaves a partial book.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".new");
        let mut file = File::create(&temporary)?;
        file.write_all(&self.to_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::small_book;
    use super::*;

    #[test]
    fn a_small_table_builds_the_same_book() {
        let size = Connect4Size::new(5, 4).unwrap();
        let book = small_book(5, 4, 4);
        let build = BookBuilder::new(size, 4).unwrap();
        let build = build.with_table(TableSize::from_bytes(1 << 16));
        let mut reported = Vec::new();
        assert_eq!(build.run(|done, total| reported.push((done, total))).unwrap(), book);
        assert!(
            reported.is_sorted() && reported.last().is_some_and(|&(done, total)| done == total)
        );
    }

    #[test]
    fn a_build_goes_on_from_any_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.part");
        let book = small_book(5, 4, 4);
        let build = BookBuilder::new(book.size(), 4).unwrap().with_journal(&path);
        assert_eq!(build.run(|_, _| {}).unwrap(), book);
        let complete = std::fs::read(&path).unwrap();
        for length in [0, 7, 20, complete.len() / 2, complete.len()] {
            std::fs::write(&path, &complete[..length]).unwrap();
            let mut resumed_at = None;
            let again = build.run(|done, _| _ = resumed_at.get_or_insert(done));
            assert_eq!(again.unwrap().to_bytes(), book.to_bytes());
            assert_eq!(
                resumed_at,
                Some(length.saturating_sub(15) / 6),
                "solved positions are kept"
            );
        }
    }

    /// External input is validated before it is recorded.
    #[test]
    fn nonsense_is_not_noted() {
        let build = BookBuilder::new(Connect4Size::new(5, 4).unwrap(), 4).unwrap();
        let positions = build.positions().unwrap();
        let mut progress_record = build.progress(&positions).unwrap();
        for (index, score) in [(positions.len(), 0), (0, 100), (0, i8::MIN)] {
            let error = progress_record.add(index, score).unwrap_err().to_string();
            assert!(error.contains(&score.to_string()), "{error}");
        }
        progress_record.add(0, 1).unwrap();
        assert!(progress_record.has(0) && !progress_record.has(1) && progress_record.solved() == 1);
        let left = format!("{} positions", positions.len() - 1);
        let error = progress_record.finish(positions).unwrap_err().to_string();
        assert!(error.contains(&left), "{error}");
    }

    #[test]
    fn impossible_books_are_refused() {
        let size = Connect4Size::new(4, 4).unwrap();
        let error = BookBuilder::new(size, 16).unwrap_err().to_string();
        assert!(error.contains("4x4") && error.contains("at most 15"), "{error}");
    }
}
