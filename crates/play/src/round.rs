//! The games of one round of an event as work to be shared out. A game is a unit; who plays one after the other keeps
//! players and judge.

pub(crate) mod payload;

use std::sync::Arc;

use tesuji_games::SpecError;
use tesuji_queue::{Bench, Brief, Hand, Life, Product, Trouble};
use tesuji_search::{Limits, Scheduler};
use tesuji_store::{Kind, Record};

use crate::event::{Event, ScheduledGame};
use crate::{GameConditions, Adjudicator, Player};

/// Games of an event. The number of a unit is its place among them.
pub(crate) struct RoundJob {
    event: Arc<Event>,
    jobs: Arc<[ScheduledGame]>,
    scheduler: Scheduler,
}

impl RoundJob {
    pub(crate) fn new(event: Arc<Event>, jobs: Arc<[ScheduledGame]>) -> RoundJob {
        RoundJob { event, jobs, scheduler: Scheduler::for_this_machine() }
    }

    fn job(&self, unit: u64) -> Option<&ScheduledGame> {
        self.jobs.get(usize::try_from(unit).ok()?)
    }
}

impl Bench for RoundJob {
    fn brief(&self) -> Result<Brief, Trouble> {
        payload::pack(&self.event, &self.jobs)
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        let conditions = &self.event.conditions;
        let limits = Limits { stop: Some(life.flag()), ..conditions.limits.clone() };
        let mut judge = Adjudicator::new(&self.event.game, conditions.adjudication.clone());
        judge.life = life.clone();
        let conditions = GameConditions { limits, ..conditions.clone() };
        Ok(Box::new(GameRunner { round: self, conditions, judge, players: Vec::new() }))
    }

    fn records(&self, unit: u64) -> Option<(Kind, Vec<String>)> {
        self.job(unit).map(|job| (Kind::Game, vec![self.event.key(job)]))
    }
}

/// Where one game after another is played.
struct GameRunner<'a> {
    round: &'a RoundJob,
    conditions: GameConditions,
    judge: Adjudicator,
    /// Those of the last game, with their numbers.
    players: Vec<(usize, Box<dyn Player>)>,
}

impl Hand for GameRunner<'_> {
    fn work(&mut self, unit: u64) -> Result<Option<Product>, Trouble> {
        let RoundJob { event, scheduler, .. } = self.round;
        let job = self.round.job(unit).ok_or_else(|| {
            Trouble(format!("{} has no game {unit}, only {}", event.id, self.round.jobs.len()))
        })?;
        let _running = scheduler.start_game();
        // A player that cannot be made, such as a program that is not here, loses nothing by it.
        let players =
            take_players(&mut self.players, job.players, event, scheduler).map_err(Trouble::of)?;
        let played = event.play(job, players, &self.conditions, &mut self.judge);
        // A program that was replaced may have played this game, under the name of the one before
        // it.
        for player in job.players {
            event.participants[player].check_unchanged().map_err(Trouble)?;
        }
        Ok(played.map(|game| Product::kept(vec![Record::Game(game)])))
    }
}

/// The players of a game. The two of the last game stay, as the next game is mostly theirs too; all
/// others go, since each may be a process or hold a large table.
fn take_players<'a>(
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
            None => event.participants[player].spec.build(&event.context(Some(scheduler.clone())))?,
        };
        players.push((player, made));
    }
    match &mut players[..] {
        [(_, one), (_, other)] => Ok([one.as_mut(), other.as_mut()]),
        _ => unreachable!("two players are wanted, and two are there"),
    }
}
