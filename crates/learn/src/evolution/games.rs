//! The games of an iteration, and those before the first. Each game depends on its players and its place in the
//! schedule alone, so it does not matter who plays, where, or in which order games end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Position, Rng, RowBoard, Stones};
use tesuji_queue::{Bench, Brief, Hand, Life, Parcel, Product, Task, Trouble};
use tesuji_search::{Limits, Scheduler, Search};
use tesuji_store::Kind;

use crate::forest::{
    Evaluation, ForestSearch, LineOrder, Order, SearchOptions, Style, Ties, Window, WindowSample,
    heuristic_move,
};

use super::bank::{self, Stage};
use super::chance::{Chance, Purpose};
use super::errand::Errand;
use super::population::Population;
use super::schedule::{self, Pairing};
use super::settings::{
    DataSettings, Helpers, MoveSorting, SearchSettings, SearchStyle, Settings, TieRule,
};
use super::training::window_on;
use crate::stones;
use tesuji_train::{TrainError, threads};

/// The name of the task of the games before the first iteration.
const SEED: &str = "evolution-seed";
/// The name of the task of the games of an iteration.
const GAMES: &str = "evolution-games";

/// What other machines can do for a run, exercises apart.
pub(crate) fn tasks() -> [Task; 2] {
    [Task::new(SEED, open_seed_games), Task::new(GAMES, open_games)]
}

fn open_seed_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let errand = Errand::read(parcel)?;
    let start = board_of(&errand.settings)?;
    let window = window_on(&errand.settings, &start.grid())?;
    Ok(Box::new(SeedGames::new(start, window, errand)))
}

fn open_games(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let (errand, start, population) = with_forests(parcel)?;
    let table = Table::new(start, &errand.settings)?;
    Ok(Box::new(IterationGames::new(table, errand, population)))
}

/// An errand with its board and the forests that came along.
pub(super) fn with_forests(
    parcel: &Parcel,
) -> Result<(Errand, RowBoard, Arc<Population>), Trouble> {
    let errand = Errand::read(parcel)?;
    let start = board_of(&errand.settings)?;
    let window = window_on(&errand.settings, &start.grid())?;
    let population = Arc::new(errand.population(parcel, window)?);
    Ok((errand, start, population))
}

/// The game of a run, at its start.
pub(super) fn board_of(settings: &Settings) -> Result<RowBoard, TrainError> {
    stones::board(&settings.game).map_err(TrainError::settings)
}

/// The window of a run, if its settings fit its game.
pub fn window(settings: &Settings) -> Result<Window, TrainError> {
    window_on(settings, &board_of(settings)?.grid())
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
    errand: Errand,
    population: Arc<Population>,
    schedule: Vec<Pairing>,
    /// Threads without a game help others.
    scheduler: Scheduler,
}

impl IterationGames {
    pub(super) fn new(table: Table, errand: Errand, population: Arc<Population>) -> Self {
        let evolution = &errand.settings.evolution;
        let schedule = schedule::games(evolution.games, evolution.population, population.len());
        let scheduler = Scheduler::new(table.threads);
        IterationGames { table, errand, population, schedule, scheduler }
    }

    fn work(
        &self,
        game: u64,
        players: &[Arc<Evaluation>],
        life: &Life,
    ) -> Result<Option<Product>, Trouble> {
        let (table, iteration) = (&self.table, self.errand.iteration);
        let pairing = self.schedule.get(game as usize).ok_or_else(|| {
            Trouble(format!("there is no game {game}; expected less than {}", self.schedule.len()))
        })?;
        let _running = self.scheduler.start_game();
        let seats = [0, 1].map(|side| {
            let seed = table.chance.seed(Purpose::Player, &[iteration, game, side]);
            let player = players[pairing.players[side as usize]].clone();
            table.thinker(player, seed, &self.scheduler)
        });
        let played = table.play(seats, &table.opening(iteration, pairing.pair), life);
        Ok(played.map(|(sample, played)| {
            let stage = Stage::Iteration(iteration);
            let Errand { run, settings, .. } = &self.errand;
            let record = bank::record(run, &settings.game, stage, game, &sample, table.window);
            Product::kept(vec![record]).with_note(&played)
        }))
    }
}

impl Bench for IterationGames {
    fn brief(&self) -> Result<Brief, Trouble> {
        self.errand.brief_with(GAMES, &self.population)
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        let players = self.population.laid(&self.table.start.grid(), self.table.threads)?;
        Ok(Box::new(move |game: u64| self.work(game, players, life)))
    }

    fn records(&self, game: u64) -> Option<(Kind, Vec<String>)> {
        let key = bank::key(&self.errand.run, Stage::Iteration(self.errand.iteration), game);
        Some((Kind::Sample, vec![key]))
    }
}

/// What all games of a run have in common.
pub struct Table {
    /// Where games begin.
    pub start: RowBoard,
    /// What is learned from.
    pub window: Window,
    /// How forests look ahead.
    pub search: SearchSettings,
    /// Random stones at the beginning.
    pub openings: usize,
    /// Where chance comes from.
    pub chance: Chance,
    /// How many games run at once.
    pub threads: usize,
}

impl Table {
    /// As the settings say, if they fit the board.
    pub fn new(start: RowBoard, settings: &Settings) -> Result<Table, TrainError> {
        Ok(Table {
            window: window_on(settings, &start.grid())?,
            start,
            search: settings.search.clone(),
            openings: settings.data.openings,
            chance: Chance::new(settings.seed),
            threads: threads::threads(settings.threads),
        })
    }

    /// The search of a player. Threads without a game help where the move does not depend on their help: the
    /// strong search keeps a table, and what is in it when depends on the threads that fill it.
    pub fn thinker(
        &self,
        evaluation: Arc<Evaluation>,
        seed: u64,
        scheduler: &Scheduler,
    ) -> ForestSearch<RowBoard> {
        let helped = self.search.helpers == Helpers::On && self.search.style == SearchStyle::Thesis;
        let options = SearchOptions {
            style: match self.search.style {
                SearchStyle::Thesis => Style::Thesis,
                SearchStyle::Strong => Style::Strong,
            },
            radius: (self.search.radius > 0).then_some(self.search.radius),
            order: match self.search.order {
                MoveSorting::Patterns => Order::Patterns,
                MoveSorting::Forest => Order::Forest,
            },
            ties: match self.search.ties {
                TieRule::First => Ties::First,
                TieRule::Random => Ties::Random,
            },
            threads: if helped { self.threads } else { 1 },
            ..SearchOptions::default()
        };
        ForestSearch::new(evaluation, options, seed).with_scheduler(scheduler.clone())
    }

    /// The position after the random stones of a pair of games. Never a finished game: where chance ends it, the
    /// stones are drawn again, and after some attempts there are fewer.
    pub fn opening(&self, iteration: u64, pair: usize) -> Opening {
        for attempt in 0..100u64 {
            let numbers = [iteration, pair as u64, attempt];
            let mut rng = self.chance.rng(Purpose::Opening, &numbers);
            let stones = self.openings.saturating_sub(attempt as usize / 10);
            let mut position = self.start.clone();
            for _ in 0..stones {
                if position.outcome().is_none() {
                    let m = position.random_move(&mut rng);
                    position.play(m);
                }
            }
            if position.outcome().is_none() {
                return Opening { position, plies: stones as u64 };
            }
        }
        Opening { position: self.start.clone(), plies: 0 }
    }

    /// Plays a game: what is learned from it, and what is counted. `None` when it was told to stop.
    fn play(
        &self,
        mut seats: [ForestSearch<RowBoard>; 2],
        opening: &Opening,
        life: &Life,
    ) -> Option<(WindowSample, Played)> {
        let limits = self.limits(life);
        let mut nodes = 0;
        let choose = |position: &RowBoard| {
            life.beat();
            let report = seats[position.to_move() as usize].run(position, &limits);
            nodes += report.nodes;
            // A search that was broken off has no say.
            report.best.filter(|_| !life.is_stopped())
        };
        let (sample, plies) = play_out(&opening.position, self.window, choose)?;
        Some((sample, Played { plies: opening.plies + plies, nodes }))
    }

    /// How far a player looks ahead.
    pub fn limits(&self, life: &Life) -> Limits {
        let depth = Some(self.search.depth);
        Limits { depth, stop: Some(life.flag()), ..Limits::default() }
    }
}

/// Where a pair of games begins.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position.
    pub position: RowBoard,
    /// Stones on it.
    pub plies: u64,
}

/// Plays to the end: what is learned from it, and how many moves were played. `None` when no move was chosen.
pub fn play_out(
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

/// Who plays one side of a game before the first iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Simple {
    Random,
    Heuristic,
}

/// The players of such a game.
fn simple_players(data: &DataSettings, number: usize) -> [Simple; 2] {
    if number < data.random {
        [Simple::Random; 2]
    } else if number < data.random + data.mixed {
        match number % 2 {
            0 => [Simple::Heuristic, Simple::Random],
            _ => [Simple::Random, Simple::Heuristic],
        }
    } else {
        [Simple::Heuristic; 2]
    }
}

/// The games before the first iteration; a unit is the number of a game.
pub(super) struct SeedGames {
    start: RowBoard,
    window: Window,
    errand: Errand,
    order: LineOrder,
}

impl SeedGames {
    pub(super) fn new(start: RowBoard, window: Window, errand: Errand) -> SeedGames {
        let order = LineOrder::new(&start.grid());
        SeedGames { start, window, errand, order }
    }

    fn work(&self, number: u64) -> Result<Option<Product>, Trouble> {
        let Errand { run, settings, .. } = &self.errand;
        let mut rng = Chance::new(settings.seed).rng(Purpose::SeedGame, &[number]);
        let players = simple_players(&settings.data, number as usize);
        let played = play_out(&self.start, self.window, |position| {
            Some(simple_move(players[position.to_move() as usize], position, &self.order, &mut rng))
        });
        let (sample, _) = played
            .ok_or_else(|| Trouble(format!("nobody can move at the start of {}", settings.game)))?;
        let record = bank::record(run, &settings.game, Stage::Seed, number, &sample, self.window);
        Ok(Some(Product::kept(vec![record])))
    }
}

impl Bench for SeedGames {
    fn brief(&self) -> Result<Brief, Trouble> {
        self.errand.brief(SEED)
    }

    fn hand<'a>(&'a self, _: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(Box::new(|number: u64| self.work(number)))
    }

    fn records(&self, number: u64) -> Option<(Kind, Vec<String>)> {
        Some((Kind::Sample, vec![bank::key(&self.errand.run, Stage::Seed, number)]))
    }
}

fn simple_move(player: Simple, position: &RowBoard, order: &LineOrder, rng: &mut Rng) -> u16 {
    match player {
        Simple::Random => position.random_move(rng),
        Simple::Heuristic => heuristic_move(position, order, rng),
    }
}
