//! The games of one round of an event as a job on a work queue. An item is one game; each thread
//! keeps its players and its adjudicator from one game to the next.

pub(crate) mod payload;

use std::sync::Arc;

use tesuji_games::SpecError;
use tesuji_queue::{CancelToken, JobError, JobRunner, JobSpec, Output, Payload};
use tesuji_search::{Limits, Scheduler};
use tesuji_store::{Record, RecordKind};

use crate::event::{Event, ScheduledGame};
use crate::{Adjudicator, GameConditions, Player};

/// Some games of an event. The number of an item is the index of its game.
pub(crate) struct RoundJob {
    event: Arc<Event>,
    schedule: Arc<[ScheduledGame]>,
    scheduler: Scheduler,
}

impl RoundJob {
    pub(crate) fn new(event: Arc<Event>, schedule: Arc<[ScheduledGame]>) -> RoundJob {
        RoundJob { event, schedule, scheduler: Scheduler::for_this_machine() }
    }

    fn game(&self, item: u64) -> Option<&ScheduledGame> {
        self.schedule.get(usize::try_from(item).ok()?)
    }
}

impl JobSpec for RoundJob {
    fn payload(&self) -> Result<Payload, JobError> {
        payload::pack(&self.event, &self.schedule)
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let conditions = &self.event.conditions;
        let limits = Limits { stop: Some(cancel.flag()), ..conditions.limits.clone() };
        let adjudicator = Adjudicator::new(&self.event.game, conditions.adjudication.clone());
        let adjudicator = adjudicator.with_heartbeats(cancel);
        let conditions = GameConditions { limits, ..conditions.clone() };
        Ok(Box::new(GameRunner { round: self, conditions, adjudicator, players: Vec::new() }))
    }

    fn records(&self, unit: u64) -> Option<(RecordKind, Vec<String>)> {
        self.game(unit).map(|game| (RecordKind::Game, vec![self.event.key(game)]))
    }
}

/// Per-thread state: plays one game after another.
struct GameRunner<'a> {
    round: &'a RoundJob,
    conditions: GameConditions,
    adjudicator: Adjudicator,
    /// The players of the last game with their participant numbers.
    players: Vec<(usize, Box<dyn Player>)>,
}

impl JobRunner for GameRunner<'_> {
    fn run(&mut self, unit: u64) -> Result<Option<Output>, JobError> {
        let RoundJob { event, scheduler, .. } = self.round;
        let scheduled = self.round.game(unit).ok_or_else(|| {
            JobError(format!(
                "{}: no game {unit}; expected a number below {}",
                event.id,
                self.round.schedule.len()
            ))
        })?;
        let _running = scheduler.start_game();
        // A failure to create a player (such as a program missing on this machine) fails the job;
        // it does not lose the game.
        let players = take_players(&mut self.players, scheduled.players, event, scheduler)
            .map_err(JobError::new)?;
        let played = event.play(scheduled, players, &self.conditions, &mut self.adjudicator);
        // If the program file was replaced meanwhile, the game may belong to the new program:
        // reject it.
        for player in scheduled.players {
            event.participants[player].check_unchanged().map_err(JobError)?;
        }
        Ok(played.map(|game| Output::default().with_records(vec![Record::Game(game)])))
    }
}

/// Returns the players of a game. Players of the previous game are reused if they play again; the
/// others are dropped, since each may be a process or hold a large table.
fn take_players<'a>(
    players: &'a mut Vec<(usize, Box<dyn Player>)>,
    wanted: [usize; 2],
    event: &Event,
    scheduler: &Scheduler,
) -> Result<[&'a mut dyn Player; 2], SpecError> {
    let mut kept = std::mem::take(players);
    kept.retain(|(player, _)| wanted.contains(player));
    for player in wanted {
        let built = match kept.iter().position(|(other, _)| *other == player) {
            Some(index) => kept.swap_remove(index).1,
            None => {
                event.participants[player].spec.build(&event.context(Some(scheduler.clone())))?
            }
        };
        players.push((player, built));
    }
    match &mut players[..] {
        [(_, one), (_, other)] => Ok([one.as_mut(), other.as_mut()]),
        _ => unreachable!("the loop above pushes two players"),
    }
}
