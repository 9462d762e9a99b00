//! The hall where an event is played: threads that take one game after another, a scribe who writes them
//! down, and a desk where results are handed in and given out in order.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use tesuji_games::{Playable, SpecError};
use tesuji_search::{Limits, Scheduler};
use tesuji_store::{GameRecord, Record, Store, StoreError};

use crate::event::{ArenaError, Event, Job};
use crate::{Conditions, Judge, Player};

/// Finished games that wait for the scribe, at most. Beyond that the threads wait for the store.
const UNWRITTEN: usize = 4096;
/// Games that the scribe writes at once, at most: one durable write costs about as much as a thousand
/// small games.
const AT_ONCE: usize = 2048;

/// Whose games count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    /// Those that the sink was given.
    Told,
    /// Another program has played some of these games at the same time and was first to keep them. What it
    /// kept counts, also where ours went otherwise.
    InTheStore,
}

/// One round of an event.
pub(crate) struct Hall<'a, P: Playable> {
    event: &'a Event<P>,
    jobs: &'a [Job],
    known: &'a HashMap<String, GameRecord>,
    scheduler: Scheduler,
    conditions: Conditions,
    stop: Arc<AtomicBool>,
    next: AtomicUsize,
    desk: Mutex<Desk<'a>>,
}

type Sink<'a> = &'a mut (dyn FnMut(&Job, &GameRecord) -> ControlFlow<()> + Send);

/// Takes results in any order and gives them out in the order of the jobs.
struct Desk<'a> {
    due: usize,
    early: BTreeMap<usize, GameRecord>,
    sink: Sink<'a>,
}

impl<'a, P: Playable> Hall<'a, P> {
    pub(crate) fn new(
        event: &'a Event<P>,
        jobs: &'a [Job],
        known: &'a HashMap<String, GameRecord>,
        sink: Sink<'a>,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let limits = Limits { stop: Some(stop.clone()), ..event.conditions.limits.clone() };
        Hall {
            event,
            jobs,
            known,
            scheduler: Scheduler::for_this_machine(),
            conditions: Conditions { limits, ..event.conditions.clone() },
            stop,
            next: AtomicUsize::new(0),
            desk: Mutex::new(Desk { due: 0, early: BTreeMap::new(), sink }),
        }
    }

    /// Plays until no job is left, the sink breaks, or the store fails.
    pub(crate) fn run(self, store: Option<&dyn Store>) -> Result<Truth, ArenaError> {
        let threads = self.event.concurrency.clamp(1, self.jobs.len().max(1));
        let (finished, unwritten) = sync_channel(UNWRITTEN);
        std::thread::scope(|scope| {
            let scribe = store.map(|store| scope.spawn(|| self.write_down(store, unwritten)));
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let finished = scribe.is_some().then(|| finished.clone());
                    scope.spawn(|| self.work(finished))
                })
                .collect();
            drop(finished);
            let mut result = Ok(());
            for worker in workers {
                result = result.and(worker.join().unwrap_or_else(|panic| resume(panic)));
            }
            let written = scribe.map(|scribe| scribe.join().unwrap_or_else(|panic| resume(panic)));
            let truth = written.unwrap_or(Ok(Truth::Told))?;
            result?;
            Ok(truth)
        })
    }

    /// One thread: takes the next game until none is left.
    fn work(&self, finished: Option<SyncSender<GameRecord>>) -> Result<(), SpecError> {
        let mut judge = Judge::new(self.conditions.adjudication.clone());
        let mut crew = Crew { players: Vec::new() };
        while !self.stop.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(index) else { break };
            if let Some(game) = self.known.get(&self.event.key(job)) {
                self.hand_in(index, game.clone());
                continue;
            }
            let running = self.scheduler.start_game();
            let players =
                crew.seat(job.players, self.event, &self.scheduler).inspect_err(|_| {
                    self.stop.store(true, Ordering::Relaxed);
                })?;
            let played = self.event.play_job(job, players, &self.conditions, &mut judge);
            drop(running);
            let Some(game) = played else { break };
            if let Some(finished) = &finished
                && finished.send(game.clone()).is_err()
            {
                // The scribe gave up: the store has failed, and it says why.
                break;
            }
            self.hand_in(index, game);
        }
        Ok(())
    }

    fn hand_in(&self, index: usize, game: GameRecord) {
        let mut desk = self.desk.lock().unwrap_or_else(|poison| poison.into_inner());
        desk.early.insert(index, game);
        loop {
            let due = desk.due;
            let Some(game) = desk.early.remove(&due) else { return };
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let job = &self.jobs[due];
            desk.due += 1;
            if (desk.sink)(job, &game).is_break() {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The scribe: writes what has gathered, as long as games come.
    fn write_down(
        &self,
        store: &dyn Store,
        unwritten: Receiver<GameRecord>,
    ) -> Result<Truth, StoreError> {
        let mut truth = Truth::Told;
        while let Ok(game) = unwritten.recv() {
            let mut records = vec![Record::Game(game)];
            records.extend(unwritten.try_iter().take(AT_ONCE - 1).map(Record::Game));
            let added = store.add(&records).inspect_err(|_| {
                self.stop.store(true, Ordering::Relaxed);
            })?;
            if added.known > 0 {
                truth = Truth::InTheStore;
            }
        }
        Ok(truth)
    }
}

fn resume(panic: Box<dyn std::any::Any + Send>) -> ! {
    std::panic::resume_unwind(panic)
}

/// The players of one thread. The two of the last game stay, as the next game is mostly theirs too; all
/// others go, since each may be a process or hold a large table.
struct Crew<P: Playable> {
    players: Vec<(usize, Box<dyn Player<P>>)>,
}

impl<P: Playable> Crew<P> {
    fn seat(
        &mut self,
        wanted: [usize; 2],
        event: &Event<P>,
        scheduler: &Scheduler,
    ) -> Result<[&mut dyn Player<P>; 2], SpecError> {
        self.players.retain(|(player, _)| wanted.contains(player));
        for player in wanted {
            if self.players.iter().filter(|(there, _)| *there == player).count()
                < wanted.iter().filter(|there| **there == player).count()
            {
                let context = event.context(Some(scheduler.clone()));
                self.players.push((player, event.entrants[player].spec.build(&context)?));
            }
        }
        if self.players.first().is_some_and(|(player, _)| *player != wanted[0]) {
            self.players.reverse();
        }
        match &mut self.players[..] {
            [(_, one), (_, other)] => Ok([one.as_mut(), other.as_mut()]),
            _ => unreachable!("two players are wanted, and two are there"),
        }
    }
}
