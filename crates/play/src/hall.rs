//! The hall where a round of an event is played: games go out to whoever plays them, and results come in at a desk
//! where they are given out in order.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_queue::{Batch, Finished, Trouble, WorkQueue};
use tesuji_store::{GameRecord, Record, Store};

use crate::event::{ArenaError, Event, Job};
use crate::round::Round;

/// Whose games count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    /// Those that the sink was given.
    Told,
    /// Another program has played some of these games at the same time and was first to keep them. What it
    /// kept counts, also where ours went otherwise.
    InTheStore,
}

/// What a round is played with.
#[derive(Clone, Copy)]
pub(crate) struct Hall<'a> {
    /// Who plays.
    pub(crate) queue: &'a dyn WorkQueue,
    /// Where games are kept.
    pub(crate) store: Option<&'a dyn Store>,
    /// Games that are there already, by their keys.
    pub(crate) known: &'a HashMap<String, GameRecord>,
    /// Raised to end it soon.
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
}

/// Hears of the games, in the order of the jobs; when it breaks, no further game is begun or counted.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&Job, GameRecord) -> ControlFlow<()>;

impl Hall<'_> {
    /// Plays the games of a round, except those that are known, and keeps the new ones in the store. `stage` tells
    /// the rounds of an event apart.
    pub(crate) fn play(
        &self,
        event: &Arc<Event>,
        stage: &str,
        jobs: Vec<Job>,
        sink: Sink<'_>,
    ) -> Result<Truth, ArenaError> {
        let jobs: Arc<[Job]> = jobs.into();
        let mut desk = Desk {
            jobs: &jobs,
            known: self.known_of(event, &jobs),
            early: BTreeMap::new(),
            due: 0,
            sink,
            trouble: None,
        };
        let units: Vec<u64> = (0..jobs.len())
            .filter(|index| !desk.known.contains_key(index))
            .map(|i| i as u64)
            .collect();
        if desk.give_out().is_break() || units.is_empty() {
            return Ok(Truth::Told);
        }
        let round = Round::new(event.clone(), jobs.clone());
        let mut batch = Batch::new(&event.id, stage, &units, &round).kept_in(self.store);
        if let Some(stop) = self.stop {
            batch = batch.stopped_by(stop.clone());
        }
        let performed = self.queue.perform(&batch, &mut |finished| desk.take_in(finished))?;
        match desk.trouble {
            Some(trouble) => Err(tesuji_queue::QueueError::from(trouble).into()),
            None if performed.contested => Ok(Truth::InTheStore),
            None => Ok(Truth::Told),
        }
    }

    /// The games that are there already, by their places among the jobs.
    fn known_of(&self, event: &Event, jobs: &[Job]) -> HashMap<usize, &GameRecord> {
        if self.known.is_empty() {
            return HashMap::new();
        }
        let known = |job: &Job| {
            let now = self.known.get(&event.key(job));
            now.or_else(|| self.known.get(&event.first_key(job)?))
        };
        jobs.iter().enumerate().filter_map(|(place, job)| Some((place, known(job)?))).collect()
    }
}

/// Takes results in any order and gives them out in the order of the jobs.
struct Desk<'a> {
    jobs: &'a [Job],
    known: HashMap<usize, &'a GameRecord>,
    early: BTreeMap<usize, GameRecord>,
    due: usize,
    sink: Sink<'a>,
    /// Why it was closed.
    trouble: Option<Trouble>,
}

impl Desk<'_> {
    fn take_in(&mut self, finished: Vec<Finished>) -> ControlFlow<()> {
        for Finished { unit, mut product } in finished {
            let Some(Record::Game(game)) = product.records.pop() else {
                self.trouble = Some(Trouble(format!("game {unit} was played and is not there")));
                return ControlFlow::Break(());
            };
            self.early.insert(unit as usize, game);
            self.give_out()?;
        }
        ControlFlow::Continue(())
    }

    /// Gives out what is due.
    fn give_out(&mut self) -> ControlFlow<()> {
        while let Some(job) = self.jobs.get(self.due) {
            let known = self.known.get(&self.due).map(|&game| game.clone());
            let Some(game) = known.or_else(|| self.early.remove(&self.due)) else { break };
            self.due += 1;
            let [first, second] = &game.players;
            let (result, ending) = (game.outcome, &game.ending.kind);
            tracing::debug!(
                target: "match",
                "game {} of {}: {} against {}: {result:?}, {ending:?}",
                self.due, self.jobs.len(), first.name, second.name
            );
            (self.sink)(job, game)?;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{opened, player};
    use crate::{Conditions, Entrant, Openings};
    use tesuji_queue::Pool;

    /// A store of the first edition keeps its games: those of players that are known by their texts,
    /// however they were written, are there and not played again.
    #[test]
    fn games_of_the_first_edition_count() {
        let entrant = |text: &str| Entrant::unnamed(player(text));
        let event = Arc::new(Event {
            id: "cup".to_string(),
            game: opened("tictactoe"),
            entrants: vec![entrant("pvs:tt=1024K,depth=1"), entrant("random")],
            openings: Openings::none(),
            conditions: Conditions::default(),
            seed: 1,
        });
        let jobs: Vec<Job> = event.pairing([0, 1], 0..4).collect();
        let play = |known: &HashMap<String, GameRecord>| {
            let queue = Pool::new(1);
            let hall = Hall { queue: &queue, store: None, known, stop: None };
            let mut games = Vec::new();
            let mut sink = |_: &Job, game: GameRecord| {
                games.push(game);
                ControlFlow::Continue(())
            };
            hall.play(&event, "all", jobs.clone(), &mut sink).unwrap();
            games
        };
        let fresh = play(&HashMap::new());
        assert_eq!(fresh[2].players[0].spec, "pvs:depth=1,tt=1M");
        let first_key = event.first_key(&jobs[2]).unwrap();
        assert_ne!(first_key, fresh[2].key);
        let old = GameRecord { key: first_key, moves: "of old".into(), ..fresh[2].clone() };
        let games = play(&HashMap::from([(old.key.clone(), old.clone())]));
        assert_eq!((games[1].moves.clone(), games[2].clone()), (fresh[1].moves.clone(), old));
    }
}
