//! Plays an event: puts its games on a work queue and counts the results in schedule order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_queue::{Batch, Finished, QueueError, Trouble, WorkQueue};
use tesuji_store::{GameRecord, Kind, Record, Selection, Store};

use crate::event::{Event, EventError, ScheduledGame};
use crate::round::RoundJob;

/// Plays an event.
#[derive(Clone, Copy)]
pub(crate) struct EventRunner<'a> {
    pub(crate) event: &'a Arc<Event>,
    /// Where the games are played.
    pub(crate) queue: &'a dyn WorkQueue,
    /// The store of the games.
    pub(crate) store: Option<&'a dyn Store>,
    /// Set to stop soon.
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
}

/// The games of an event that the store already has, by key.
pub(crate) type StoredGames = HashMap<String, GameRecord>;

/// Called with the games in schedule order, and whether they come from the store; if it breaks, no
/// further game is started or counted.
pub(crate) type OnGame<'a> = &'a mut dyn FnMut(&ScheduledGame, GameRecord, bool) -> ControlFlow<()>;

impl EventRunner<'_> {
    /// Calls `count` with the stored games until it returns a result, see
    /// [`play_round`](Self::play_round).
    pub(crate) fn run_uncontested<T>(
        &self,
        mut count: impl FnMut(&StoredGames) -> Result<Option<T>, EventError>,
    ) -> Result<T, EventError> {
        loop {
            let mut known = StoredGames::new();
            if let Some(store) = self.store {
                let selection = Selection { kind: Kind::Game, ..Selection::event(&self.event.id) };
                store.for_each(&selection, &mut |record| {
                    if let Record::Game(game) = record {
                        known.insert(game.key.clone(), game);
                    }
                    ControlFlow::Continue(())
                })?;
            }
            if let Some(run_uncontested) = count(&known)? {
                return Ok(run_uncontested);
            }
        }
    }

    /// Plays the games of a round that are not in `known` and stores them. `stage` distinguishes
    /// the rounds of an event. Returns `false` if another program played some of these games at the
    /// same time and stored them first: the stored games count, even where ours differ.
    pub(crate) fn play_round(
        &self,
        stage: &str,
        jobs: Vec<ScheduledGame>,
        known: &StoredGames,
        sink: OnGame<'_>,
    ) -> Result<bool, EventError> {
        let (event, jobs): (_, Arc<[ScheduledGame]>) = (self.event, jobs.into());
        let mut games = HashMap::new();
        for (place, job) in jobs.iter().enumerate().filter(|_| !known.is_empty()) {
            let game = known.get(&event.key(job));
            let game = game.or_else(|| known.get(&event.first_key(job)?));
            games.extend(game.map(|game| (place, Cow::Borrowed(game))));
        }
        let units: Vec<u64> =
            (0..jobs.len()).filter(|place| !games.contains_key(place)).map(|i| i as u64).collect();
        let mut results = InOrder { jobs: &jobs, games, due: 0, sink };
        if results.deliver().is_break() || units.is_empty() {
            return Ok(true);
        }
        let round = RoundJob::new(event.clone(), jobs.clone());
        let mut batch = Batch::new(&event.id, stage, &units, &round).kept_in(self.store);
        if let Some(stop) = self.stop {
            batch = batch.stopped_by(stop.clone());
        }
        let mut trouble = None;
        let performed = self.queue.perform(&batch, &mut |finished| {
            for Finished { unit, mut product } in finished {
                let Some(Record::Game(game)) = product.records.pop() else {
                    trouble =
                        Some(Trouble(format!("game {unit}: missing in the output of its job")));
                    return ControlFlow::Break(());
                };
                results.games.insert(unit as usize, Cow::Owned(game));
                results.deliver()?;
            }
            ControlFlow::Continue(())
        })?;
        match trouble {
            Some(trouble) => Err(QueueError::from(trouble).into()),
            None => Ok(!performed.contested),
        }
    }
}

/// Accepts results in any order and delivers them in schedule order.
struct InOrder<'a> {
    jobs: &'a [ScheduledGame],
    /// The results that are not due yet, by index.
    games: HashMap<usize, Cow<'a, GameRecord>>,
    due: usize,
    sink: OnGame<'a>,
}

impl InOrder<'_> {
    /// Delivers the results that are due.
    fn deliver(&mut self) -> ControlFlow<()> {
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
