//! `tesuji book`: opening books, made once and played from ever after.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use tesuji_arena::{PlayerContext, PlayerSpec};
use tesuji_games::{Playable, Visitor, registry};
use tesuji_search::Limits;
use tesuji_search::book::{Book as Entries, BookError, BookKeys};

use crate::examples;
use crate::failure::Failure;
use crate::output::{grouped, print_json};
use crate::progress::Progress;

/// Build an opening book, or look into one
#[derive(Args)]
#[command(after_help = examples::help(examples::BOOK))]
pub(crate) struct Book {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Build(Build),
    Info(Info),
}

/// Search every position of the first moves and write what was found
///
/// A book that is already there is carried on with.
#[derive(Args)]
#[command(after_help = examples::help(examples::BOOK))]
struct Build {
    /// The game
    game: String,
    /// The file
    file: PathBuf,
    /// Up to so many moves from the start
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=40))]
    plies: u32,
    /// Whose search to use
    #[arg(long, value_name = "PLAYER", default_value = "pvs:depth=10")]
    player: String,
}

/// Say what a book is for and how much it knows
#[derive(Args)]
#[command(after_help = "Example:\n  tesuji book info tictactoe.book")]
struct Info {
    /// The file
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Book {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.what {
            What::Build(build) => {
                let player = build.player.parse()?;
                registry::open(&build.game, BuildFor { build: &build, player })?
            }
            What::Info(info) => info.run(),
        }
    }
}

struct BuildFor<'a> {
    build: &'a Build,
    player: PlayerSpec,
}

impl Visitor for BuildFor<'_> {
    type Output = Result<(), Failure>;

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        let Build { game, file, plies, .. } = self.build;
        let mut search = self.player.build_search::<P>(&PlayerContext::new(game, 1))?;
        let limits = match self.player.searching() {
            Some(spec) => spec.limits(&Limits::default()),
            None => Limits::default(),
        };
        let mut book = match Entries::load(file, game) {
            Ok(book) => book,
            Err(BookError::Io { why, .. }) if why.kind() == io::ErrorKind::NotFound => {
                Entries::new(game)
            }
            Err(error) => return Err(Failure::in_file(file, error)),
        };
        let progress = Progress::new(None, "positions");
        let keys = BookKeys::new(P::symmetry());
        book.build(&start, *plies, keys, search.as_mut(), &limits, |positions| {
            progress.show(positions as u64, || format!("{positions} positions"));
        });
        drop(progress);
        book.save(file).map_err(|error| Failure::Undone(error.to_string()))?;
        let positions = grouped(book.len() as u128);
        Ok(writeln!(io::stdout(), "{}: {positions} positions of {game}", file.display())?)
    }
}

impl Info {
    fn run(&self) -> Result<(), Failure> {
        let bytes = fs::read(&self.file).map_err(|error| Failure::in_file(&self.file, error))?;
        let book =
            Entries::from_bytes(&bytes).map_err(|error| Failure::in_file(&self.file, error))?;
        if self.json {
            let (positions, bytes) = (book.len(), bytes.len());
            return print_json(
                &json!({ "game": book.game(), "positions": positions, "bytes": bytes }),
            );
        }
        let positions = grouped(book.len() as u128);
        Ok(writeln!(
            io::stdout(),
            "{}: {positions} positions of {}",
            self.file.display(),
            book.game()
        )?)
    }
}
