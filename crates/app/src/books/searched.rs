//! Books from a player's search. An item is a position of one ply, and a new search is made for
//! each item.

use serde::{Deserialize, Serialize};
use tesuji_games::{Score, State};
use tesuji_queue::{
    Batch, CancelToken, FinishedItem, JobError, JobKind, JobRunner, JobSpec, Output, Payload,
    QueueError, ReceivedPayload, WorkQueue,
};
use tesuji_search::book::{Book, BookEntry, BookKeys, layers};
use tesuji_search::{Game, Limits, Registry};
use tesuji_store::key::digest;

use super::BooksError;
use tesuji_play::{PlayerContext, PlayerSpec, attachments};

/// The name of the job kind.
const NAME: &str = "searched-book";

/// Reads jobs of this kind on a worker.
pub(crate) fn job_kind(games: &Registry) -> JobKind {
    let games = games.clone();
    JobKind::new(NAME, move |parcel| open(parcel, &games))
}

/// Symmetric positions share one entry of a book.
fn book_keys() -> BookKeys<State> {
    BookKeys::new(Some(State::symmetry()))
}

/// The seed of players that use randomness.
const SEED: u64 = 1;

/// Adds the search result of every unfinished position within `plies` moves from the start of the
/// book's game. Entries that are in the book stay. `progress` gets the number of positions in the
/// book.
pub fn build_searched(
    book: &mut Book,
    game: &Game,
    plies: u32,
    player: &PlayerSpec,
    queue: &dyn WorkQueue,
    progress: &mut dyn FnMut(usize),
) -> Result<(), BooksError> {
    player.build_search(&PlayerContext::new(game, SEED))?;
    let run = format!("book-{}", &digest(&[game.name(), player.text()])[..12]);
    let keys = book_keys();
    for (ply, positions) in (0..=plies).zip(layers(game.start(), keys)) {
        let is_new = |&unit: &u64| !book.contains(&positions[unit as usize], keys);
        let units: Vec<u64> = (0..positions.len() as u64).filter(is_new).collect();
        let (game, player, stage) = (game.clone(), player.clone(), ply.to_string());
        let layer = BookLayerJob { game, ply, player, positions };
        let batch = Batch::new(&run, &stage, &units, &layer);
        batch.run_on(queue, &mut |FinishedItem { item: unit, output: product }| {
            if let Some(FoundEntry { score, depth, after_best }) = product.note()? {
                let entry = BookEntry { score: Score::from_raw(score), depth, after_best };
                book.insert(&layer.positions[unit as usize], keys, entry);
            }
            progress(book.len());
            Ok::<(), QueueError>(())
        })?;
    }
    Ok(())
}

/// The search result of a position.
#[derive(Serialize, Deserialize)]
struct FoundEntry {
    score: i32,
    depth: u8,
    after_best: u64,
}

/// The positions of one ply. An item's number is the index of its position.
struct BookLayerJob {
    game: Game,
    ply: u32,
    player: PlayerSpec,
    positions: Vec<State>,
}

#[derive(Serialize, Deserialize)]
struct LayerPayload {
    game: String,
    ply: u32,
    player: String,
}

impl JobSpec for BookLayerJob {
    fn payload(&self) -> Result<Payload, JobError> {
        let player = self.player.text().to_string();
        let written = LayerPayload { game: self.game.name().to_string(), ply: self.ply, player };
        let text = serde_json::to_string(&written).map_err(JobError::new)?;
        attachments::attach(Payload::new(NAME, text), self.player.files())
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let limits = Limits { stop: Some(cancel.flag()), ..Limits::default() };
        let limits = self.player.limits(&limits);
        let keys = book_keys();
        Ok(Box::new(move |unit: u64| {
            let position = usize::try_from(unit).ok().and_then(|unit| self.positions.get(unit));
            let position = position
                .ok_or_else(|| JobError(format!("ply {} has no position {unit}", self.ply)))?;
            // A new search for each position: its result must not depend on earlier searches.
            let context = PlayerContext::new(&self.game, SEED);
            let mut search = self.player.build_search(&context).map_err(JobError::new)?;
            let report = search.search(position, &limits, &mut |_| cancel.heartbeat());
            if cancel.is_canceled() {
                return Ok(None);
            }
            let found = BookEntry::of(position, keys, &report).map(|entry| {
                let BookEntry { score, depth, after_best } = entry;
                FoundEntry { score: score.raw(), depth, after_best }
            });
            Ok(Some(Output::default().with_note(&found)))
        }))
    }
}

fn open(parcel: &ReceivedPayload, games: &Registry) -> Result<Box<dyn JobSpec>, JobError> {
    let written: LayerPayload = serde_json::from_str(&parcel.text)
        .map_err(|error| JobError(format!("book positions: cannot be read: {error}")))?;
    let player = tesuji_players::roster()
        .read_with(&written.player, &parcel.files)
        .map_err(JobError::new)?;
    let game = games.open(&written.game).map_err(JobError::new)?;
    // Reads all files of the player.
    player.build_search(&PlayerContext::new(&game, SEED)).map_err(JobError::new)?;
    let positions = layers(game.start(), book_keys()).nth(written.ply as usize).unwrap_or_default();
    Ok(Box::new(BookLayerJob { game, ply: written.ply, player, positions }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_queue::testing::LoopbackQueue;
    use tesuji_queue::{JobKinds, Pool};

    /// A book of three plies, from a player that reads a book of one.
    #[test]
    fn every_queue_builds_the_same_book() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("first.book");
        let built = |book: &mut Book, plies, player: &str, queue: &dyn WorkQueue| {
            let (player, mut seen) = (tesuji_players::player(player).unwrap(), Vec::new());
            let mut progress = |positions| seen.push(positions);
            let game = tesuji_builtin::registry().open("tictactoe").unwrap();
            build_searched(book, &game, plies, &player, queue, &mut progress).unwrap();
            seen
        };
        let mut first = Book::new("tictactoe");
        assert_eq!(built(&mut first, 0, "mcts:sims=200", &Pool::new(1)), [1]);
        first.save(&file).unwrap();
        let player = format!("pvs:depth=3,book={}", file.display());
        let elsewhere = LoopbackQueue::new(JobKinds::new(crate::job_kinds(
            &tesuji_builtin::registry(),
            tesuji_play::ProgramPolicy::Refused,
        )));
        let queues: [&dyn WorkQueue; 3] = [&Pool::new(1), &Pool::new(3), &elsewhere];
        let books = queues.map(|queue| {
            // Entries that are in the book stay.
            let mut book = first.clone();
            let seen = built(&mut book, 3, &player, queue);
            assert_eq!(seen, (2..=book.len()).collect::<Vec<_>>());
            book
        });
        assert!(books[0].len() > 1 + 3 + 12, "{}", books[0].len());
        assert!(books[0] == books[1] && books[0] == books[2]);
    }
}
