//! The games of an iteration, and those before the first. Each game depends on its players and its place in the
//! schedule alone, so it does not matter how many threads play, or in which order games end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tesuji_games::{Playable, Rng, Stones};
use tesuji_search::{Limits, Scheduler, Search};

use crate::forest::{
    Evaluation, ForestSearch, LineOrder, Order, SearchOptions, Style, Ties, Window, WindowSample,
    heuristic_move,
};

use super::chance::{Chance, Purpose};
use super::schedule::Pairing;
use super::settings::{DataSettings, Helpers, MoveSorting, SearchSettings, SearchStyle, TieRule};
use crate::workers;

/// What came of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// What is learned from it; its class is the result in the eyes of the side that moved first.
    pub sample: WindowSample,
    /// Moves that were played, the opening included.
    pub plies: u64,
    /// Positions that were visited.
    pub nodes: u64,
}

/// What all games of a run have in common.
pub struct Table<'a, P> {
    /// Where games begin.
    pub start: &'a P,
    /// What is learned from.
    pub window: Window,
    /// How forests look ahead.
    pub search: &'a SearchSettings,
    /// Random stones at the beginning.
    pub openings: usize,
    /// Where chance comes from.
    pub chance: Chance,
    /// How many games run at once.
    pub threads: usize,
    /// Raised to end all games at once.
    pub stop: Arc<AtomicBool>,
}

impl<P: Playable + Stones> Table<'_, P> {
    /// Plays the games of an iteration whose samples are not `known` yet. `each` gets them in whatever order they
    /// end.
    pub fn play_all(
        &self,
        iteration: u64,
        players: &[Arc<Evaluation>],
        schedule: &[Pairing],
        known: &BTreeMap<usize, WindowSample>,
        each: impl FnMut(usize, Played),
    ) {
        let due: Vec<usize> =
            (0..schedule.len()).filter(|game| !known.contains_key(game)).collect();
        let scheduler = Scheduler::new(self.threads);
        let mut each = each;
        let work = |place: usize| {
            let _running = scheduler.start_game();
            let pairing = schedule[due[place]];
            let seats = [0, 1].map(|side| {
                let numbers = [iteration, due[place] as u64, side];
                let seed = self.chance.seed(Purpose::Player, &numbers);
                self.thinker(players[pairing.players[side as usize]].clone(), seed, &scheduler)
            });
            self.play(seats, &self.opening(iteration, pairing.pair))
        };
        workers::share_out(self.threads, due.len(), work, |place, played| each(due[place], played));
    }

    /// The search of a player. Threads without a game help where the move does not depend on their help: the
    /// strong search keeps a table, and what is in it when depends on the threads that fill it.
    pub fn thinker(
        &self,
        evaluation: Arc<Evaluation>,
        seed: u64,
        scheduler: &Scheduler,
    ) -> ForestSearch<P> {
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
    pub fn opening(&self, iteration: u64, pair: usize) -> Opening<P> {
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

    fn play(&self, mut seats: [ForestSearch<P>; 2], opening: &Opening<P>) -> Option<Played> {
        let depth = Some(self.search.depth);
        let limits = Limits { depth, stop: Some(self.stop.clone()), ..Limits::default() };
        let mut nodes = 0;
        let choose = |position: &P| {
            let report = seats[position.to_move() as usize].run(position, &limits);
            nodes += report.nodes;
            // A search that was broken off has no say.
            report.best.filter(|_| !self.stop.load(Ordering::Relaxed))
        };
        let (sample, plies) = play_out(&opening.position, self.window, choose)?;
        Some(Played { sample, plies: opening.plies + plies, nodes })
    }
}

/// Where a pair of games begins.
#[derive(Clone, Debug)]
pub struct Opening<P> {
    /// The position.
    pub position: P,
    /// Stones on it.
    pub plies: u64,
}

/// Plays to the end: what is learned from it, and how many moves were played. `None` when no move was chosen.
pub fn play_out<P: Stones>(
    start: &P,
    window: Window,
    mut choose: impl FnMut(&P) -> Option<P::Move>,
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

/// The games before the first iteration, those left out that are known.
pub fn seed_games<P: Playable + Stones>(
    start: &P,
    window: Window,
    data: &DataSettings,
    chance: &Chance,
    threads: usize,
    known: &BTreeMap<usize, WindowSample>,
) -> Vec<(usize, WindowSample)> {
    let order = LineOrder::new(&start.grid());
    let count = data.random + data.mixed + data.heuristic;
    let due: Vec<usize> = (0..count).filter(|number| !known.contains_key(number)).collect();
    let samples = workers::map(threads, &due, |&number| {
        let mut rng = chance.rng(Purpose::SeedGame, &[number as u64]);
        let players = simple_players(data, number);
        play_out(start, window, |position| {
            Some(simple_move(players[position.to_move() as usize], position, &order, &mut rng))
        })
    });
    let found = due.into_iter().zip(samples);
    found.filter_map(|(number, played)| Some((number, played?.0))).collect()
}

fn simple_move<P: Stones>(
    player: Simple,
    position: &P,
    order: &LineOrder,
    rng: &mut Rng,
) -> P::Move {
    match player {
        Simple::Random => position.random_move(rng),
        Simple::Heuristic => heuristic_move(position, order, rng),
    }
}
