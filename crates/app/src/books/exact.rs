//! Exact books of Connect Four: a unit is a run of neighbours in the order of play, which share most of what follows
//! and so most of a solver's table.

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

/// Who can read such work when it was written down.
pub(crate) fn task() -> JobKind {
    JobKind::new(NAME, open)
}

/// What briefs call it.
const NAME: &str = "connect4-book";

/// Neighbours of a unit, at most.
const RUN: usize = 32;
/// So many units there are, at least, where there are as many positions.
const UNITS: usize = 64;

/// Builds a book with whoever the queue has to solve positions. `progress` hears how many of how many are solved.
pub fn build_exact(
    build: &BookBuilder,
    queue: &dyn WorkQueue,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Connect4Book, BooksError> {
    let bench = Runs::new(build)?;
    let positions = bench.positions.len();
    let mut notes = build.progress(&bench.positions)?;
    progress(notes.solved(), positions);
    let is_due = |&unit: &u64| bench.run(unit).any(|index| !notes.has(index));
    let units: Vec<u64> = (0..bench.units()).filter(is_due).collect();
    let Plan { width, height, plies, .. } = bench.plan;
    let name = format!("connect4-book-{width}x{height}-{plies}");
    let batch = Batch::new(&name, "1", &units, &bench);
    let performed = batch.run_on(queue, &mut |FinishedItem { item: unit, output: product }| {
        let run = bench.run(unit);
        let scores: Vec<i8> = product.note().map_err(QueueError::from)?;
        if scores.len() != run.len() {
            let wrong = format!("{} scores of {} positions", scores.len(), run.len());
            return Err(QueueError::from(JobError(wrong)).into());
        }
        run.zip(scores).try_for_each(|(index, score)| notes.add(index, score))?;
        progress(notes.solved(), positions);
        Ok::<(), BooksError>(())
    });
    // What was solved is kept, however it ended.
    notes.flush()?;
    performed?;
    Ok(notes.finish(bench.positions)?)
}

/// Which book, and with how much memory for a solver.
#[derive(Serialize, Deserialize)]
struct Plan {
    width: usize,
    height: usize,
    plies: u32,
    table: u64,
}

/// The positions of a book, run by run.
struct Runs {
    plan: Plan,
    positions: BookPositions,
    run: usize,
}

impl Runs {
    fn new(build: &BookBuilder) -> Result<Runs, BookBuildError> {
        let positions = build.positions()?;
        let (width, height) = (build.size().width(), build.size().height());
        let plan = Plan { width, height, plies: build.plies(), table: build.table().bytes() };
        // Depends on the book alone, so that everybody means the same by a unit.
        let run = (positions.len() / UNITS).clamp(1, RUN);
        Ok(Runs { plan, positions, run })
    }

    fn units(&self) -> u64 {
        self.positions.len().div_ceil(self.run) as u64
    }

    /// The positions of a unit.
    fn run(&self, unit: u64) -> Range<usize> {
        let count = self.positions.len();
        let from = usize::try_from(unit).map_or(count, |unit| unit.saturating_mul(self.run));
        from.min(count)..from.saturating_add(self.run).min(count)
    }
}

impl JobSpec for Runs {
    fn payload(&self) -> Result<Payload, JobError> {
        let text = serde_json::to_string(&self.plan).map_err(JobError::new)?;
        Ok(Payload::new(NAME, text))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let mut solver = self.positions.solver(TableSize::from_bytes(self.plan.table));
        let limits = Limits { stop: Some(cancel.flag()), ..Limits::default() };
        Ok(Box::new(move |unit: u64| {
            let mut scores = Vec::new();
            for index in self.run(unit) {
                let Some(score) = solver.score(index, &limits) else { return Ok(None) };
                cancel.heartbeat();
                scores.push(score);
            }
            Ok(Some(Output::default().with_note(&scores)))
        }))
    }

    /// Positions, in place of games.
    fn games(&self, unit: u64) -> u64 {
        self.run(unit).len() as u64
    }
}

fn open(parcel: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let plan: Plan = serde_json::from_str(&parcel.text)
        .map_err(|error| JobError(format!("the positions of a book cannot be read: {error}")))?;
    let size = Connect4Size::new(plan.width, plan.height)
        .ok_or_else(|| JobError(format!("no board is {}x{}", plan.width, plan.height)))?;
    let build = BookBuilder::new(size, plan.plies).map_err(JobError::new)?;
    let build = build.with_table(TableSize::from_bytes(plan.table));
    Ok(Box::new(Runs::new(&build).map_err(JobError::new)?))
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

    /// However it is shared out, and wherever it begins, the book is the same.
    #[test]
    fn every_queue_builds_the_same_book() {
        let folder = tempfile::tempdir().unwrap();
        let build = build(folder.path());
        let book = build.run(|_, _| {}).unwrap().to_bytes();
        let journal = std::fs::read(folder.path().join("x.part")).unwrap();
        let registry = tesuji_builtin::registry();
        let tasks = crate::tasks(&registry, tesuji_play::ProgramPolicy::Refused);
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
        let runs = Runs::new(&build).unwrap();
        let covered: Vec<usize> = (0..runs.units()).flat_map(|unit| runs.run(unit)).collect();
        assert!(runs.run > 1, "there is more than one position in a run");
        assert!(covered.iter().copied().eq(0..runs.positions.len()));
        assert!(runs.run(runs.units()).is_empty() && runs.run(u64::MAX).is_empty());
    }
}
