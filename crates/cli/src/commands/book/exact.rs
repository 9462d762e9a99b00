//! `tesuji book build connect4`: solves every position of the first plies.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tesuji_app::books::{BooksError, build_exact};
use tesuji_games::rules::connect4::Connect4Size;
use tesuji_play::quantity::grouped;
use tesuji_search::connect4::{BookBuildError, BookBuilder};
use tesuji_search::{Connect4Book, TableSize};
use tesuji_train::threads::threads;

use super::BuildArgs;
use crate::prelude::*;

/// Builds a book of exact scores.
pub(super) fn build(arguments: &BuildArgs, size: Connect4Size) -> Result<(), Failure> {
    let default_path =
        || PathBuf::from(format!("connect4-{}x{}.book", size.width(), size.height()));
    let path = arguments.file.clone().unwrap_or_else(default_path);
    if let Some(book) = finished_book(&path, size, arguments.plies)? {
        return report(&path, &book);
    }
    arguments::check_memory(arguments.tt)?;
    let mut journal = path.clone().into_os_string();
    journal.push(".part");
    let journal = PathBuf::from(journal);
    let threads = threads(arguments.threads.map_or(0, usize::from));
    let queue = arguments.queue_args.open_queue(threads, arguments.store.as_deref())?;
    let build = BookBuilder::new(size, arguments.plies)
        .map_err(failure)?
        .with_table(TableSize::from_bytes(arguments.tt.bytes() / threads as u64))
        .with_journal(&journal);
    let mut bar = None;
    let book = build_exact(&build, &*queue, &mut |done, total| {
        let bar = bar.get_or_insert_with(|| Progress::new(Some(total as u64), "positions"));
        bar.show(done as u64, || "solved".to_string());
    });
    drop(bar);
    let book = book?;
    book.save(&path).map_err(|why| Failure::failed(why).within(&path))?;
    // The book has everything that the journal has.
    let _ = fs::remove_file(&journal);
    report(&path, &book)
}

/// The book in the file, if it has the requested plies. A book with fewer plies is replaced later;
/// any other file is an error.
fn finished_book(
    path: &Path,
    size: Connect4Size,
    plies: u32,
) -> Result<Option<Connect4Book>, Failure> {
    let Some(bytes) = input::read_bytes_if_exists(path)? else { return Ok(None) };
    let book = Connect4Book::from_bytes(&bytes).in_file(path)?;
    book.check_size(size).in_file(path)?;
    if book.plies() > plies {
        let problem = format!("a book of {} plies; expected another path", book.plies());
        return Err(Failure::in_file(path, problem));
    }
    Ok((book.plies() == plies).then_some(book))
}

impl From<BooksError> for Failure {
    fn from(error: BooksError) -> Self {
        match error {
            BooksError::Build(error) => failure(error),
            BooksError::Spec(error) => error.into(),
            BooksError::Queue(error) => Failure::failed(error),
        }
    }
}

fn failure(error: BookBuildError) -> Failure {
    match &error {
        BookBuildError::Unfinished { .. } | BookBuildError::InvalidScore { .. } => {
            Failure::failed(error)
        }
        BookBuildError::Io { why, .. } if why.kind() != io::ErrorKind::NotFound => {
            Failure::failed(error)
        }
        _ => Failure::bad(error),
    }
}

fn report(path: &Path, book: &Connect4Book) -> Result<(), Failure> {
    let (width, height) = (book.size().width(), book.size().height());
    let (positions, plies) = (grouped(book.len() as u128), book.plies());
    let path = path.display();
    say!("{path}: {positions} exact positions of connect4 {width}x{height}, {plies} plies")
}
