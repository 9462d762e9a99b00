//! How an event is played: its games are shared out to whoever plays them, and results are counted in the order of
//! the schedule.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_queue::{Batch, FinishedItem, JobError, QueueError, WorkQueue};
use tesuji_store::{GameRecord, Record, RecordKind, Selection, Store};

use crate::event::{ArenaError, Event, Job};
use crate::round::Round;

/// What an event is played with.
#[derive(Clone, Copy)]
pub(crate) struct Playing<'a> {
    pub(crate) event: &'a Arc<Event>,
    /// Who plays.
    pub(crate) queue: &'a dyn WorkQueue,
    /// Where games are kept.
    pub(crate) store: Option<&'a dyn Store>,
    /// Raised to end it soon.
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
}

/// Games of an event that are in the store already, by their keys.
pub(crate) type Known = HashMap<String, GameRecord>;

/// Hears of the games in the order of the jobs, and whether they come from the store; when it breaks, no further game
/// is begun or counted.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&Job, GameRecord, bool) -> ControlFlow<()>;

impl Playing<'_> {
    /// What `count` makes of the games. It is asked again as long as it has no answer, see
    /// [`round`](Self::round).
    pub(crate) fn counted<T>(
        &self,
        mut count: impl FnMut(&Known) -> Result<Option<T>, ArenaError>,
    ) -> Result<T, ArenaError> {
        loop {
            let mut known = Known::new();
            if let Some(store) = self.store {
                let selection =
                    Selection { kind: RecordKind::Game, ..Selection::event(&self.event.id) };
                store.for_each(&selection, &mut |record| {
                    if let Record::Game(game) = record {
                        known.insert(game.key.clone(), game);
                    }
                    ControlFlow::Continue(())
                })?;
            }
            if let Some(counted) = count(&known)? {
                return Ok(counted);
            }
        }
    }

    /// Plays the games of a round, except those that are known, and keeps the new ones in the store. `stage` tells
    /// the rounds of an event apart. `false` when another program has played some of these games at the same time
    /// and was first to keep them: what it kept counts, also where ours went otherwise.
    pub(crate) fn round(
        &self,
        stage: &str,
        jobs: Vec<Job>,
        known: &Known,
        sink: Sink<'_>,
    ) -> Result<bool, ArenaError> {
        let (event, jobs): (_, Arc<[Job]>) = (self.event, jobs.into());
        let mut games = HashMap::new();
        for (place, job) in jobs.iter().enumerate().filter(|_| !known.is_empty()) {
            let game = known.get(&event.key(job));
            let game = game.or_else(|| known.get(&event.first_key(job)?));
            games.extend(game.map(|game| (place, Cow::Borrowed(game))));
        }
        let units: Vec<u64> =
            (0..jobs.len()).filter(|place| !games.contains_key(place)).map(|i| i as u64).collect();
        let mut results = Results { jobs: &jobs, games, due: 0, sink };
        if results.give_out().is_break() || units.is_empty() {
            return Ok(true);
        }
        let round = Round::new(event.clone(), jobs.clone());
        let mut batch = Batch::new(&event.id, stage, &units, &round).with_store(self.store);
        if let Some(stop) = self.stop {
            batch = batch.stopped_by(stop.clone());
        }
        let mut trouble = None;
        let performed = self.queue.run_batch(&batch, &mut |finished| {
            for FinishedItem { item: unit, output: mut product } in finished {
                let Some(Record::Game(game)) = product.records.pop() else {
                    trouble = Some(JobError(format!("game {unit} was played and is not there")));
                    return ControlFlow::Break(());
                };
                results.games.insert(unit as usize, Cow::Owned(game));
                results.give_out()?;
            }
            ControlFlow::Continue(())
        })?;
        match trouble {
            Some(trouble) => Err(QueueError::from(trouble).into()),
            None => Ok(!performed.contested),
        }
    }
}

/// Takes results in any order and gives them out in the order of the jobs.
struct Results<'a> {
    jobs: &'a [Job],
    /// Those that are not due yet, by their places.
    games: HashMap<usize, Cow<'a, GameRecord>>,
    due: usize,
    sink: Sink<'a>,
}

impl Results<'_> {
    /// Gives out what is due.
    fn give_out(&mut self) -> ControlFlow<()> {
        while let Some(job) = self.jobs.get(self.due) {
            let Some(game) = self.games.remove(&self.due) else { break };
            self.due += 1;
            let [first, second] = &game.players;
            let (result, ending) = (game.outcome, &game.ending.kind);
            tracing::debug!(
                target: "match",
                "game {} of {}: {} against {}: {result:?}, {ending:?}",
                self.due, self.jobs.len(), first.name, second.name
            );
            let is_known = matches!(game, Cow::Borrowed(_));
            (self.sink)(job, game.into_owned(), is_known)?;
        }
        ControlFlow::Continue(())
    }
}
