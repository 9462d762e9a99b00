//! Exact books of Connect Four. An item is a run of positions that are neighbors in the order of
//! play: they share most of their subtrees, and so most of the solver's table.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tesuji_games::rules::connect4::Connect4Size;
use tesuji_queue::{
    Batch, CancelToken, FinishedItem, JobError, JobKind, JobRunner, JobSpec, Output, Payload,
    QueueError, ReceivedPayload, WorkQueue,
};
use tesuji_search::connect4::{BookBuildError, BookBuilder, BookPositions, Connect4Book};
use tesuji_search::{Limits, TableSize};

use super::BooksError;

/// Reads jobs of this kind on a worker.
pub(crate) fn job_kind() -> JobKind {
    JobKind::new(NAME, open)
}

/// The name of the job kind.
const NAME: &str = "connect4-book";

/// The most positions of an item.
const MAX_POSITIONS_PER_ITEM: usize = 32;
/// The least number of items, in books with as many positions.
const MIN_ITEMS: usize = 64;

/// Builds a book on the workers of a queue. `progress` gets the number of solved positions and of
/// all positions.
pub fn build_exact(
    build: &BookBuilder,
    queue: &dyn WorkQueue,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Connect4Book, BooksError> {
    let job = ExactBookJob::new(build)?;
    let positions = job.positions.len();
    let mut notes = build.progress(&job.positions)?;
    progress(notes.solved(), positions);
    let is_due = |&unit: &u64| job.positions_of(unit).any(|index| !notes.has(index));
    let units: Vec<u64> = (0..job.num_items()).filter(is_due).collect();
    let BookSettings { width, height, plies, .. } = job.settings;
    let name = format!("connect4-book-{width}x{height}-{plies}");
    let batch = Batch::new(&name, "1", &units, &job);
    let performed = batch.run_on(queue, &mut |FinishedItem { item: unit, output: product }| {
        let range = job.positions_of(unit);
        let scores: Vec<i8> = product.note().map_err(QueueError::from)?;
        if scores.len() != range.len() {
            let wrong = format!("item: {} scores for {} positions", scores.len(), range.len());
            return Err(QueueError::from(JobError(wrong)).into());
        }
        range.zip(scores).try_for_each(|(index, score)| notes.add(index, score))?;
        progress(notes.solved(), positions);
        Ok::<(), BooksError>(())
    });
    // Keeps the solved positions whether or not the batch succeeded.
    notes.flush()?;
    performed?;
    Ok(notes.finish(job.positions)?)
}

/// The settings of a book and the table size of a solver, in bytes.
#[derive(Serialize, Deserialize)]
struct BookSettings {
    width: usize,
    height: usize,
    plies: u32,
    table: u64,
}

/// The positions of a book in runs of `positions_per_item`.
struct ExactBookJob {
    settings: BookSettings,
    positions: BookPositions,
    positions_per_item: usize,
}

impl ExactBookJob {
    fn new(build: &BookBuilder) -> Result<ExactBookJob, BookBuildError> {
        let positions = build.positions()?;
        let (width, height) = (build.size().width(), build.size().height());
        let settings =
            BookSettings { width, height, plies: build.plies(), table: build.table().bytes() };
        // Depends on the book alone, so that all machines number the items alike.
        let positions_per_item = (positions.len() / MIN_ITEMS).clamp(1, MAX_POSITIONS_PER_ITEM);
        Ok(ExactBookJob { settings, positions, positions_per_item })
    }

    fn num_items(&self) -> u64 {
        self.positions.len().div_ceil(self.positions_per_item) as u64
    }

    /// The positions of an item.
    fn positions_of(&self, unit: u64) -> Range<usize> {
        let count = self.positions.len();
        let from = usize::try_from(unit)
            .map_or(count, |unit| unit.saturating_mul(self.positions_per_item));
        from.min(count)..from.saturating_add(self.positions_per_item).min(count)
    }
}

impl JobSpec for ExactBookJob {
    fn payload(&self) -> Result<Payload, JobError> {
        let text = serde_json::to_string(&self.settings).map_err(JobError::new)?;
        Ok(Payload::new(NAME, text))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let mut solver = self.positions.solver(TableSize::from_bytes(self.settings.table));
        let limits = Limits { stop: Some(cancel.flag()), ..Limits::default() };
        Ok(Box::new(move |unit: u64| {
            let mut scores = Vec::new();
            for index in self.positions_of(unit) {
                let Some(score) = solver.score(index, &limits) else { return Ok(None) };
                cancel.heartbeat();
                scores.push(score);
            }
            Ok(Some(Output::default().with_note(&scores)))
        }))
    }

    /// Counts positions in place of games.
    fn games(&self, unit: u64) -> u64 {
        self.positions_of(unit).len() as u64
    }
}

fn open(parcel: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let settings: BookSettings = serde_json::from_str(&parcel.text)
        .map_err(|error| JobError(format!("book positions: cannot be read: {error}")))?;
    let size = Connect4Size::new(settings.width, settings.height).ok_or_else(|| {
        JobError(format!("board: {}x{} is not supported", settings.width, settings.height))
    })?;
    let build = BookBuilder::new(size, settings.plies).map_err(JobError::new)?;
    let build = build.with_table(TableSize::from_bytes(settings.table));
    Ok(Box::new(ExactBookJob::new(&build).map_err(JobError::new)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_queue::testing::LoopbackQueue;
    use tesuji_queue::{JobKinds, Pool};

    fn build(folder: &std::path::Path) -> BookBuilder {
        let build = BookBuilder::new(Connect4Size::new(5, 4).unwrap(), 5).unwrap();
        let table = TableSize::from_bytes(1 << 16);
        build.with_table(table).with_journal(&folder.join("x.part"))
    }

    /// The book does not depend on the queue or on the number of positions solved before.
    #[test]
    fn every_queue_builds_the_same_book() {
        let folder = tempfile::tempdir().unwrap();
        let build = build(folder.path());
        let book = build.run(|_, _| {}).unwrap().to_bytes();
        let journal = std::fs::read(folder.path().join("x.part")).unwrap();
        let registry = tesuji_builtin::registry();
        let tasks = crate::job_kinds(&registry, tesuji_play::ProgramPolicy::Refused);
        let elsewhere = LoopbackQueue::new(JobKinds::new(tasks));
        let queues: [&dyn WorkQueue; 3] = [&Pool::new(1), &Pool::new(3), &elsewhere];
        for queue in queues {
            for kept in [0, journal.len() / 2, journal.len()] {
                std::fs::write(folder.path().join("x.part"), &journal[..kept]).unwrap();
                let mut seen = Vec::new();
                let again = build_exact(&build, queue, &mut |done, of| seen.push((done, of)));
                assert_eq!(again.unwrap().to_bytes(), book);
                assert_eq!(seen[0].0, kept.saturating_sub(15) / 6, "solved positions are kept");
                assert!(seen.is_sorted() && seen.last().is_some_and(|(done, of)| done == of));
            }
        }
    }

    #[test]
    fn runs_cover_every_position_once() {
        let folder = tempfile::tempdir().unwrap();
        let build = build(folder.path());
        let job = ExactBookJob::new(&build).unwrap();
        let covered: Vec<usize> =
            (0..job.num_items()).flat_map(|unit| job.positions_of(unit)).collect();
        assert!(job.positions_per_item > 1, "there is more than one position in a run");
        assert!(covered.iter().copied().eq(0..job.positions.len()));
        assert!(
            job.positions_of(job.num_items()).is_empty() && job.positions_of(u64::MAX).is_empty()
        );
    }
}
