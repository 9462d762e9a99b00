//! Plays an event: puts its games on a work queue and counts the results in schedule order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_queue::{Batch, JobError, QueueError, WorkQueue};
use tesuji_store::{GameRecord, Record, RecordKind, Selection, Store};

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
            let mut stored = StoredGames::new();
            if let Some(store) = self.store {
                let selection =
                    Selection { kind: RecordKind::Game, ..Selection::event(&self.event.id) };
                store.for_each(&selection, &mut |record| {
                    if let Record::Game(game) = record {
                        stored.insert(game.key.clone(), game);
                    }
                    ControlFlow::Continue(())
                })?;
            }
            if let Some(result) = count(&stored)? {
                return Ok(result);
            }
        }
    }

    /// Plays the games of a round that are not in `stored` and stores them. `stage` distinguishes
    /// the rounds of an event. Returns `false` if another program played some of these games at the
    /// same time and stored them first: the stored games count, even where ours differ.
    pub(crate) fn play_round(
        &self,
        stage: &str,
        schedule: Vec<ScheduledGame>,
        stored: &StoredGames,
        on_game: OnGame<'_>,
    ) -> Result<bool, EventError> {
        let (event, schedule): (_, Arc<[ScheduledGame]>) = (self.event, schedule.into());
        let mut games = HashMap::new();
        for (index, scheduled) in schedule.iter().enumerate().filter(|_| !stored.is_empty()) {
            let game = stored.get(&event.key(scheduled));
            let game = game.or_else(|| stored.get(&event.first_key(scheduled)?));
            games.extend(game.map(|game| (index, Cow::Borrowed(game))));
        }
        let missing: Vec<u64> = (0..schedule.len())
            .filter(|index| !games.contains_key(index))
            .map(|i| i as u64)
            .collect();
        let mut results = InOrder { schedule: &schedule, games, due: 0, on_game };
        if results.deliver().is_break() || missing.is_empty() {
            return Ok(true);
        }
        let round = RoundJob::new(event.clone(), schedule.clone());
        let mut batch = Batch::new(&event.id, stage, &missing, &round).with_store(self.store);
        if let Some(stop) = self.stop {
            batch = batch.stopped_by(stop.clone());
        }
        let mut error = None;
        let summary = self.queue.run_batch(&batch, &mut |finished| {
            for finished in finished {
                let mut output = finished.output;
                let Some(Record::Game(game)) = output.records.pop() else {
                    error = Some(JobError(format!(
                        "game {}: missing in the output of its job",
                        finished.item
                    )));
                    return ControlFlow::Break(());
                };
                results.games.insert(finished.item as usize, Cow::Owned(game));
                results.deliver()?;
            }
            ControlFlow::Continue(())
        })?;
        match error {
            Some(error) => Err(QueueError::from(error).into()),
            None => Ok(!summary.contested),
        }
    }
}

/// Accepts results in any order and delivers them in schedule order.
struct InOrder<'a> {
    schedule: &'a [ScheduledGame],
    /// The results that are not due yet, by index.
    games: HashMap<usize, Cow<'a, GameRecord>>,
    due: usize,
    on_game: OnGame<'a>,
}

impl InOrder<'_> {
    /// Delivers the results that are due.
    fn deliver(&mut self) -> ControlFlow<()> {
        while let Some(scheduled) = self.schedule.get(self.due) {
            let Some(game) = self.games.remove(&self.due) else { break };
            self.due += 1;
            let [first, second] = &game.players;
            let (result, ending) = (game.outcome, &game.ending.kind);
            tracing::debug!(
                target: "match",
                "game {} of {}: {} against {}: {result:?}, {ending:?}",
                self.due, self.schedule.len(), first.name, second.name
            );
            let is_stored = matches!(game, Cow::Borrowed(_));
            (self.on_game)(scheduled, game.into_owned(), is_stored)?;
        }
        ControlFlow::Continue(())
    }
}
