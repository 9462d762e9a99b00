//! The games of one round of an event as work to be shared out. A game is a unit; who plays one after the other keeps
//! players and judge.

pub(crate) mod written;

use std::sync::Arc;

use tesuji_games::SpecError;
use tesuji_queue::{CancelToken, JobError, JobRunner, JobSpec, Output, Payload};
use tesuji_search::{Limits, Scheduler};
use tesuji_store::{Record, RecordKind};

use crate::event::{Event, Job};
use crate::{Conditions, Judge, Player};

/// Games of an event. The number of a unit is its place among them.
pub(crate) struct Round {
    event: Arc<Event>,
    jobs: Arc<[Job]>,
    scheduler: Scheduler,
}

impl Round {
    pub(crate) fn new(event: Arc<Event>, jobs: Arc<[Job]>) -> Round {
        Round { event, jobs, scheduler: Scheduler::for_this_machine() }
    }

    fn job(&self, unit: u64) -> Option<&Job> {
        self.jobs.get(usize::try_from(unit).ok()?)
    }
}

impl JobSpec for Round {
    fn payload(&self) -> Result<Payload, JobError> {
        written::brief(&self.event, &self.jobs)
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let conditions = &self.event.conditions;
        let limits = Limits { stop: Some(cancel.flag()), ..conditions.limits.clone() };
        let mut judge = Judge::new(&self.event.game, conditions.adjudication.clone());
        judge.cancel = cancel.clone();
        let conditions = Conditions { limits, ..conditions.clone() };
        Ok(Box::new(Seat { round: self, conditions, judge, players: Vec::new() }))
    }

    fn records(&self, unit: u64) -> Option<(RecordKind, Vec<String>)> {
        self.job(unit).map(|job| (RecordKind::Game, vec![self.event.key(job)]))
    }
}

/// Where one game after another is played.
struct Seat<'a> {
    round: &'a Round,
    conditions: Conditions,
    judge: Judge,
    /// Those of the last game, with their numbers.
    players: Vec<(usize, Box<dyn Player>)>,
}

impl JobRunner for Seat<'_> {
    fn run(&mut self, unit: u64) -> Result<Option<Output>, JobError> {
        let Round { event, scheduler, .. } = self.round;
        let job = self.round.job(unit).ok_or_else(|| {
            JobError(format!("{} has no game {unit}, only {}", event.id, self.round.jobs.len()))
        })?;
        let _running = scheduler.start_game();
        // A player that cannot be made, such as a program that is not here, loses nothing by it.
        let players =
            seated(&mut self.players, job.players, event, scheduler).map_err(JobError::new)?;
        let played = event.play_job(job, players, &self.conditions, &mut self.judge);
        // A program that was replaced may have played this game, under the name of the one before
        // it.
        for player in job.players {
            event.entrants[player].check_unchanged().map_err(JobError)?;
        }
        Ok(played.map(|game| Output::default().with_records(vec![Record::Game(game)])))
    }
}

/// The players of a game. The two of the last game stay, as the next game is mostly theirs too; all
/// others go, since each may be a process or hold a large table.
fn seated<'a>(
    players: &'a mut Vec<(usize, Box<dyn Player>)>,
    wanted: [usize; 2],
    event: &Event,
    scheduler: &Scheduler,
) -> Result<[&'a mut dyn Player; 2], SpecError> {
    let mut there = std::mem::take(players);
    there.retain(|(player, _)| wanted.contains(player));
    for player in wanted {
        let made = match there.iter().position(|(other, _)| *other == player) {
            Some(place) => there.swap_remove(place).1,
            None => event.entrants[player].spec.build(&event.context(Some(scheduler.clone())))?,
        };
        players.push((player, made));
    }
    match &mut players[..] {
        [(_, one), (_, other)] => Ok([one.as_mut(), other.as_mut()]),
        _ => unreachable!("two players are wanted, and two are there"),
    }
}
