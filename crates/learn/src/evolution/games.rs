//! The games of an iteration, and those before the first. Each game depends on its players and its place in the
//! schedule alone, so it does not matter who plays, where, or in which order games end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Position, RowBoard, RowPosition};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};
use tesuji_search::{Limits, Scheduler, Search};
use tesuji_store::RecordKind;

use crate::forest::{
    Evaluation, ForestSearch, LineOrder, SearchOptions, Style, Window, WindowSample, heuristic_move,
};

use super::bank::{self, Stage};
use super::chance::{Chance, Purpose};
use super::errand::{Errand, POPULATION};
use super::population::Population;
use super::schedule;
use super::settings::{Helpers, SearchSettings, Settings};
use crate::stones;
use tesuji_train::{TrainError, threads};

/// The name of the task of the games before the first iteration.
const SEED: &str = "evolution-seed";
/// The name of the task of the games of an iteration.
const GAMES: &str = "evolution-games";

/// What other machines can do for a run, exercises apart.
pub(crate) fn tasks() -> [JobKind; 2] {
    [JobKind::new(SEED, open_seed_games), JobKind::new(GAMES, open_games)]
}

fn open_seed_games(parcel: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    Ok(Box::new(SeedGames::new(Table::new(Errand::read(parcel)?)?)))
}

fn open_games(parcel: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let (table, population) = Table::with_forests(parcel)?;
    Ok(Box::new(IterationGames::new(table, population)))
}

/// The game of a run at its start, and the window that is learned from, if the settings fit.
pub(super) fn board_of(settings: &Settings) -> Result<(RowBoard, Window), TrainError> {
    let start = stones::board(&settings.game).map_err(TrainError::settings)?;
    let grid = start.grid();
    let window = Window::within(settings.forest.window, &grid);
    let (attributes, cells, side) = (settings.forest.attributes, window.cells(), window.side);
    if attributes > cells {
        return Err(TrainError::settings(format!(
            "`forest.attributes` is {attributes}, but the {side}x{side} window on this board has {cells} cells; \
             expected 1 to {cells}"
        )));
    }
    let (openings, cells) = (settings.data.openings, grid.cells());
    if openings >= cells {
        return Err(TrainError::settings(format!(
            "`data.openings` is {openings}, but the board has {cells} cells; expected fewer"
        )));
    }
    Ok((start, window))
}

/// What is counted of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Played {
    /// Moves that were played, the opening included.
    pub plies: u64,
    /// Positions that were visited.
    pub nodes: u64,
}

/// The games of an iteration; a unit is a place in the schedule.
pub(super) struct IterationGames {
    table: Table,
    population: Arc<Population>,
    /// Who plays in each game.
    schedule: Vec<[usize; 2]>,
    /// Threads without a game help others.
    scheduler: Scheduler,
}

impl IterationGames {
    pub(super) fn new(table: Table, population: Arc<Population>) -> Self {
        let evolution = &table.errand.settings.evolution;
        let schedule = schedule::games(evolution.games, evolution.population, population.len());
        let scheduler = Scheduler::new(table.threads);
        IterationGames { table, population, schedule, scheduler }
    }

    fn work(
        &self,
        game: u64,
        players: &[Arc<Evaluation>],
        cancel: &CancelToken,
    ) -> Result<Option<Output>, JobError> {
        let (table, iteration) = (&self.table, self.table.errand.iteration);
        let pairing = self.schedule.get(game as usize).ok_or_else(|| {
            JobError(format!("there is no game {game}; expected less than {}", self.schedule.len()))
        })?;
        let _running = self.scheduler.start_game();
        let seats = [0, 1].map(|side| {
            let seed = table.chance.seed(Purpose::Player, &[iteration, game, side]);
            let player = players[pairing[side as usize]].clone();
            table.thinker(player, seed, &self.scheduler)
        });
        let played = table.play(seats, table.opening(game / 2), cancel);
        Ok(played.map(|(sample, played)| table.product(game, &sample).with_note(&played)))
    }
}

impl JobSpec for IterationGames {
    fn payload(&self) -> Result<Payload, JobError> {
        Ok(self.table.errand.brief(GAMES)?.with_file(POPULATION, self.population.packed()))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let players = self.population.laid(&self.table.start.grid(), self.table.threads)?;
        Ok(Box::new(move |game: u64| self.work(game, players, cancel)))
    }

    fn records(&self, game: u64) -> Option<(RecordKind, Vec<String>)> {
        self.table.records(game)
    }
}

/// A part of a run, and what all its games have in common.
pub(super) struct Table {
    pub(super) errand: Errand,
    /// Where games begin.
    pub(super) start: RowBoard,
    /// What is learned from.
    window: Window,
    pub(super) chance: Chance,
    /// How many games run at once.
    pub(super) threads: usize,
}

impl Table {
    /// As the settings say, if they fit the board.
    pub(super) fn new(errand: Errand) -> Result<Table, TrainError> {
        let settings = &errand.settings;
        let (start, window) = board_of(settings)?;
        let (chance, threads) = (Chance::new(settings.seed), threads::threads(settings.threads));
        Ok(Table { errand, start, window, chance, threads })
    }

    /// That of another machine, and the forests that came along.
    pub(super) fn with_forests(
        parcel: &ReceivedPayload,
    ) -> Result<(Table, Arc<Population>), JobError> {
        let table = Table::new(Errand::read(parcel)?)?;
        let forest = |woods| table.errand.settings.forest_of(table.window, woods);
        let population = Population::unpacked(&parcel.read(POPULATION)?, table.window, forest)?;
        Ok((table, Arc::new(population)))
    }

    fn stage(&self) -> Stage {
        Stage::of(self.errand.iteration)
    }

    /// What is kept of a game.
    fn product(&self, game: u64, sample: &WindowSample) -> Output {
        let Errand { run, settings, .. } = &self.errand;
        let stage = self.stage();
        Output::default().with_records(vec![bank::record(
            run,
            &settings.game,
            stage,
            game,
            sample,
            self.window,
        )])
    }

    fn records(&self, game: u64) -> Option<(RecordKind, Vec<String>)> {
        Some((RecordKind::Sample, vec![bank::key(&self.errand.run, self.stage(), game)]))
    }

    /// The search of a player. Threads without a game help where the move does not depend on their help: the
    /// strong search keeps a table, and what is in it when depends on the threads that fill it.
    pub(super) fn thinker(
        &self,
        evaluation: Arc<Evaluation>,
        seed: u64,
        scheduler: &Scheduler,
    ) -> ForestSearch<RowBoard> {
        let SearchSettings { style, radius, order, ties, helpers, depth: _ } =
            self.errand.settings.search;
        let helped = helpers == Helpers::On && style == Style::Thesis;
        let options = SearchOptions {
            style,
            radius: (radius > 0).then_some(radius),
            order,
            ties,
            threads: if helped { self.threads } else { 1 },
            ..SearchOptions::default()
        };
        ForestSearch::new(evaluation, options, seed).with_scheduler(scheduler.clone())
    }

    /// The position after the random stones of a pair of games, and how many these are. Never a finished game: where
    /// chance ends it, the stones are drawn again, and after some attempts there are fewer.
    fn opening(&self, pair: u64) -> (RowBoard, u64) {
        for attempt in 0..100u64 {
            let numbers = [self.errand.iteration, pair, attempt];
            let mut rng = self.chance.rng(Purpose::Opening, &numbers);
            let stones = self.errand.settings.data.openings.saturating_sub(attempt as usize / 10);
            let mut position = self.start.clone();
            for _ in 0..stones {
                if position.outcome().is_none() {
                    let m = position.random_move(&mut rng);
                    position.play(m);
                }
            }
            if position.outcome().is_none() {
                return (position, stones as u64);
            }
        }
        (self.start.clone(), 0)
    }

    /// Plays a game: what is learned from it, and what is counted. `None` when it was told to stop.
    fn play(
        &self,
        mut seats: [ForestSearch<RowBoard>; 2],
        (start, stones): (RowBoard, u64),
        cancel: &CancelToken,
    ) -> Option<(WindowSample, Played)> {
        let limits = self.limits(cancel);
        let mut nodes = 0;
        let choose = |position: &RowBoard| {
            cancel.heartbeat();
            let report = seats[position.to_move() as usize].run(position, &limits);
            nodes += report.nodes;
            // A search that was broken off has no say.
            report.best.filter(|_| !cancel.is_canceled())
        };
        let (sample, plies) = play_out(&start, self.window, choose)?;
        Some((sample, Played { plies: stones + plies, nodes }))
    }

    /// How far a player looks ahead.
    pub(super) fn limits(&self, cancel: &CancelToken) -> Limits {
        let depth = Some(self.errand.settings.search.depth);
        Limits { depth, stop: Some(cancel.flag()), ..Limits::default() }
    }
}

/// Plays to the end: what is learned from it, and how many moves were played. `None` when no move was chosen.
fn play_out(
    start: &RowBoard,
    window: Window,
    mut choose: impl FnMut(&RowBoard) -> Option<u16>,
) -> Option<(WindowSample, u64)> {
    let mut position = start.clone();
    let (mut last, mut plies) = (None, 0);
    while position.outcome().is_none() {
        let m = choose(&position)?;
        last = Some(position.cell(m));
        position.play(m);
        plies += 1;
    }
    Some((window.sample(&position, last?)?, plies))
}

/// The games before the first iteration; a unit is the number of a game.
pub(super) struct SeedGames {
    table: Table,
    order: LineOrder,
}

impl SeedGames {
    pub(super) fn new(table: Table) -> SeedGames {
        SeedGames { order: LineOrder::new(&table.start.grid()), table }
    }

    fn work(&self, number: u64) -> Result<Option<Output>, JobError> {
        let Table { errand, start, window, chance, .. } = &self.table;
        let mut rng = chance.rng(Purpose::SeedGame, &[number]);
        let (data, n) = (&errand.settings.data, number as usize);
        // Which sides know the heuristic; the others play at random.
        let clever = match n {
            _ if n < data.random => [false; 2],
            _ if n < data.random + data.mixed => [n % 2 == 0, n % 2 == 1],
            _ => [true; 2],
        };
        let played = play_out(start, *window, |position| {
            Some(match clever[position.to_move() as usize] {
                true => heuristic_move(position, &self.order, &mut rng),
                false => position.random_move(&mut rng),
            })
        });
        let game = &errand.settings.game;
        let stuck = || JobError(format!("nobody can move at the start of {game}"));
        let (sample, _) = played.ok_or_else(stuck)?;
        Ok(Some(self.table.product(number, &sample)))
    }
}

impl JobSpec for SeedGames {
    fn payload(&self) -> Result<Payload, JobError> {
        self.table.errand.brief(SEED)
    }

    fn runner<'a>(&'a self, _: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(Box::new(|number: u64| self.work(number)))
    }

    fn records(&self, number: u64) -> Option<(RecordKind, Vec<String>)> {
        self.table.records(number)
    }
}
