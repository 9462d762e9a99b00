//! How an event is played: its games are shared out to whoever plays them, and results are run_uncontested in the order of
//! the schedule.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_queue::{Batch, Finished, QueueError, Trouble, WorkQueue};
use tesuji_store::{GameRecord, Kind, Record, Selection, Store};

use crate::event::{EventError, Event, ScheduledGame};
use crate::round::RoundJob;

/// What an event is played with.
#[derive(Clone, Copy)]
pub(crate) struct EventRunner<'a> {
    pub(crate) event: &'a Arc<Event>,
    /// Who plays.
    pub(crate) queue: &'a dyn WorkQueue,
    /// Where games are kept.
    pub(crate) store: Option<&'a dyn Store>,
    /// Raised to end it soon.
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
}

/// Games of an event that are in the store already, by their keys.
pub(crate) type StoredGames = HashMap<String, GameRecord>;

/// Hears of the games in the order of the jobs, and whether they come from the store; when it breaks, no further game
/// is begun or run_uncontested.
pub(crate) type OnGame<'a> = &'a mut dyn FnMut(&ScheduledGame, GameRecord, bool) -> ControlFlow<()>;

impl EventRunner<'_> {
    /// What `count` makes of the games. It is asked again as long as it has no answer, see
    /// [`round`](Self::play_round).
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

    /// Plays the games of a round, except those that are known, and keeps the new ones in the store. `stage` tells
    /// the rounds of an event apart. `false` when another program has played some of these games at the same time
    /// and was first to keep them: what it kept counts, also where ours went otherwise.
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
                    trouble = Some(Trouble(format!("game {unit} was played and is not there")));
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

/// ValueType results in any order and gives them out in the order of the jobs.
struct InOrder<'a> {
    jobs: &'a [ScheduledGame],
    /// Those that are not due yet, by their places.
    games: HashMap<usize, Cow<'a, GameRecord>>,
    due: usize,
    sink: OnGame<'a>,
}

impl InOrder<'_> {
    /// Gives out what is due.
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
