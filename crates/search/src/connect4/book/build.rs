//! Building a book: the positions of the deepest ply are solved, by several threads with a solver each.
//! Neighbours in the order of play share most of what follows, so a thread takes a run of neighbours and
//! keeps its table.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tesuji_games::Position;
use tesuji_games::rules::connect4::{Connect4, Geometry, Size};

use super::file::deepest_scores;
use super::journal::{Journal, Task};
use super::tree::{MOST_POSITIONS, Tree, win_at};
use super::{Connect4Book, ForGeometry, size_text, with_best_geometry};
use crate::connect4::{Connect4Solver, Word};
use crate::{Limits, TableSize};

/// Which book to build, and with what.
#[derive(Clone, Debug)]
pub struct BookBuild {
    size: Size,
    plies: u32,
    threads: usize,
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
    /// A thread died.
    #[error("a thread of the build ended early")]
    ThreadLost,
}

/// Between two writes to the journal.
const BETWEEN_FLUSHES: Duration = Duration::from_millis(250);
/// Neighbours that a thread takes at once.
const RUN: usize = 32;

impl BookBuild {
    /// A book of all positions with at most so many stones.
    pub fn new(size: Size, plies: u32) -> Result<Self, BuildError> {
        let most = size.cells() - 1;
        if plies as usize > most {
            return Err(BuildError::BeyondTheEnd { size: size_text(size), most, plies });
        }
        let table = TableSize::megabytes(64);
        Ok(BookBuild { size, plies, threads: 1, table, journal: None })
    }

    /// With so many threads, each with its own table.
    pub fn with_threads(self, threads: usize) -> Self {
        BookBuild { threads: threads.max(1), ..self }
    }

    /// With tables of this size together.
    pub fn with_table(self, table: TableSize) -> Self {
        BookBuild { table, ..self }
    }

    /// Notes in this file what is solved, and begins with what it holds.
    pub fn with_journal(self, path: &Path) -> Self {
        BookBuild { journal: Some(path.to_path_buf()), ..self }
    }

    /// Builds it. Now and then `progress` hears how many positions of how many are solved.
    pub fn run(&self, mut progress: impl FnMut(usize, usize)) -> Result<Connect4Book, BuildError> {
        with_best_geometry(self.size, Run { build: self, progress: &mut progress })
    }
}

struct Run<'a> {
    build: &'a BookBuild,
    progress: &'a mut dyn FnMut(usize, usize),
}

impl ForGeometry for Run<'_> {
    type Output = Result<Connect4Book, BuildError>;

    fn run<G: Geometry<Bits: Word>>(self, geometry: G) -> Self::Output {
        let BookBuild { size, plies, .. } = *self.build;
        let too_many = |_| BuildError::TooMany { size: size_text(size), plies };
        let (tree, deepest) = Tree::grow(geometry, plies, MOST_POSITIONS).map_err(too_many)?;
        let open: Vec<Connect4<G>> =
            deepest.iter().filter(|p| p.winning_move().is_none()).copied().collect();
        let solved = self.solve(&open)?;
        let mut solved = solved.into_iter();
        let scores = deepest_scores(&deepest, || solved.next()).ok_or(BuildError::ThreadLost)?;
        Ok(Connect4Book::from_tree(size, tree, &scores))
    }
}

impl Run<'_> {
    fn solve<G: Geometry<Bits: Word>>(self, open: &[Connect4<G>]) -> Result<Vec<i8>, BuildError> {
        let build = self.build;
        let (mut journal, mut scores) = match &build.journal {
            Some(path) => {
                let highest = win_at(build.size.cells() as i32, build.plies as i32 + 1);
                let (size, plies, positions) = (build.size, build.plies, open.len());
                let task = Task { size, plies, positions, highest };
                let (journal, scores) = Journal::open(path, task)?;
                (Some(journal), scores)
            }
            None => (None, vec![None; open.len()]),
        };
        let left: Vec<usize> = (0..open.len()).filter(|&index| scores[index].is_none()).collect();
        let crew = Crew {
            open,
            left: &left,
            run: RUN.min(left.len() / (build.threads * 4)).max(1),
            next: AtomicUsize::new(0),
            stop: Arc::new(AtomicBool::new(false)),
            table: TableSize::from_bytes(build.table.bytes() / build.threads as u64),
        };
        std::thread::scope(|scope| {
            let (results, incoming) = channel();
            for _ in 0..build.threads.min(left.len()) {
                let (results, crew) = (results.clone(), &crew);
                scope.spawn(move || crew.work(&results));
            }
            drop(results);
            let collected = collect(&incoming, &mut scores, journal.as_mut(), self.progress);
            crew.stop.store(true, Relaxed);
            collected
        })?;
        scores.into_iter().collect::<Option<_>>().ok_or(BuildError::ThreadLost)
    }
}

/// Takes results until all threads are done.
fn collect(
    incoming: &Receiver<(usize, i8)>,
    scores: &mut [Option<i8>],
    mut journal: Option<&mut Journal>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), BuildError> {
    let mut flushed = Instant::now();
    let mut done = scores.iter().flatten().count();
    progress(done, scores.len());
    loop {
        match incoming.recv_timeout(BETWEEN_FLUSHES) {
            Ok((index, score)) => {
                scores[index] = Some(score);
                done += 1;
                if let Some(journal) = &mut journal {
                    journal.add(index as u32, score);
                }
                progress(done, scores.len());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if let Some(journal) = &mut journal
            && flushed.elapsed() >= BETWEEN_FLUSHES
        {
            journal.flush()?;
            flushed = Instant::now();
        }
    }
    journal.map_or(Ok(()), Journal::flush)
}

/// The threads and what they share.
struct Crew<'a, G: Geometry> {
    open: &'a [Connect4<G>],
    /// The positions that are not solved yet.
    left: &'a [usize],
    run: usize,
    next: AtomicUsize,
    stop: Arc<AtomicBool>,
    table: TableSize,
}

impl<G: Geometry<Bits: Word>> Crew<'_, G> {
    /// Solves run after run of neighbours until none is left.
    fn work(&self, results: &Sender<(usize, i8)>) {
        let Some(first) = self.open.first() else { return };
        let mut solver = Connect4Solver::new(first.geometry(), self.table);
        let limits = Limits { stop: Some(self.stop.clone()), ..Limits::default() };
        loop {
            let start = self.next.fetch_add(self.run, Relaxed);
            let Some(rest) = self.left.get(start..) else { return };
            for &index in rest.iter().take(self.run) {
                let Ok(score) = solver.score(&self.open[index], &limits) else { return };
                if results.send((index, score as i8)).is_err() {
                    return;
                }
            }
            if rest.is_empty() {
                return;
            }
        }
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
    fn more_threads_and_small_tables_build_the_same_book() {
        let size = Size::new(5, 4).unwrap();
        let book = small_book(5, 4, 4);
        let build = BookBuild::new(size, 4).unwrap().with_threads(3);
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
            let again = build.clone().with_threads(2).run(|done, _| _ = begun.get_or_insert(done));
            assert_eq!(again.unwrap().to_bytes(), book.to_bytes());
            assert_eq!(begun, Some(length.saturating_sub(15) / 6), "solved positions are kept");
        }
    }

    #[test]
    fn impossible_books_are_refused() {
        let size = Size::new(4, 4).unwrap();
        let error = BookBuild::new(size, 16).unwrap_err().to_string();
        assert!(error.contains("4x4") && error.contains("at most 15"), "{error}");
    }
}
