//! `report-mcts`: the Monte Carlo agent (pymct). Flat, without a tree: an immediate win is played, a five or open
//! four of the other side is stopped, and among what is left random playouts decide, in two stages: short ones
//! for all candidates, longer ones for the best third.

use std::cmp::Reverse;

use tesuji_games::Side;
use tesuji_games::random::{self, Rng};

use super::board::{Board, Cell, Reach};
use super::limits::{Limits, Meter};
use super::lines::Stone;
use super::{ReportAgent, any_empty_cell, central_cell};

/// One of the two stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Playouts for each candidate.
    pub playouts: u32,
    /// Rounds of a playout: a move of each side. After them nobody has won.
    pub rounds: u32,
}

/// How the agent plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayoutOptions {
    /// For all candidates; 100 playouts of 10 rounds by default.
    pub short: Stage,
    /// For the best third and one more; 100 playouts of 40 rounds by default.
    pub long: Stage,
    /// How likely a move in a playout is one that blocks a five or open four, if there is such a move near the last
    /// one; 0 by default, as published.
    pub intelligence: f64,
    /// Plays any cell of the empty board instead of the middle. Off by default.
    pub faithful: bool,
    /// Same seed, same move; 0 by default.
    pub seed: u64,
}

impl Default for PlayoutOptions {
    fn default() -> Self {
        PlayoutOptions {
            short: Stage { playouts: 100, rounds: 10 },
            long: Stage { playouts: 100, rounds: 40 },
            intelligence: 0.0,
            faithful: false,
            seed: 0,
        }
    }
}

/// The Monte Carlo agent.
#[derive(Clone, Debug)]
pub struct Playouts {
    options: PlayoutOptions,
}

impl Playouts {
    /// An agent with these options.
    pub fn new(options: PlayoutOptions) -> Self {
        Playouts { options }
    }

    /// Keeps the best third and one more, by playouts in which the short stage scored them.
    fn best_third(mut scored: Vec<Scored>) -> Vec<Scored> {
        scored.sort_by_key(|candidate| Reverse(candidate.score));
        scored.truncate(scored.len() / 3 + 1);
        for candidate in &mut scored {
            candidate.score = 0;
        }
        scored
    }
}

impl ReportAgent for Playouts {
    fn choose(&mut self, board: &Board, limits: &Limits) -> Option<Cell> {
        let side = board.to_move();
        let cells = board.candidates(Reach::Two);
        if let Some(&win) = cells.iter().find(|&&cell| makes(board, cell, side, Goal::Five)) {
            return Some(win);
        }
        let cells = must_stop(board, cells, !side);
        if cells.is_empty() {
            let faithful = self.options.faithful;
            return if faithful {
                any_empty_cell(board, self.options.seed)
            } else {
                central_cell(board)
            };
        }
        let mut playing = Playing {
            rng: random::seeded(random::derived(self.options.seed, [board.key()])),
            meter: Meter::start(limits, None),
            intelligence: self.options.intelligence,
            board: board.clone(),
            own: side,
            frontier: Vec::new(),
        };
        let mut scored: Vec<Scored> =
            cells.into_iter().map(|cell| Scored { cell, score: 0 }).collect();
        if playing.stage(&mut scored, self.options.short) == Ended::Whole {
            scored = Playouts::best_third(scored);
            playing.stage(&mut scored, self.options.long);
        }
        first_best(&scored)
    }
}

/// The cells on which the other side would make five or an open four, or all where there is none.
fn must_stop(board: &Board, cells: Vec<Cell>, other: Side) -> Vec<Cell> {
    let threatened = |cell: &Cell| makes(board, *cell, other, Goal::FiveOrOpenFour);
    let urgent: Vec<Cell> = cells.iter().copied().filter(threatened).collect();
    if urgent.is_empty() { cells } else { urgent }
}

fn first_best(scored: &[Scored]) -> Option<Cell> {
    scored.iter().rev().max_by_key(|candidate| candidate.score).map(|candidate| candidate.cell)
}

/// What a stone is asked to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Five,
    FiveOrOpenFour,
}

/// Whether a stone of `side` on an empty cell makes such a row, within four cells of it.
fn makes(board: &Board, cell: Cell, side: Side, goal: Goal) -> bool {
    board.places(cell).into_iter().any(|place| {
        let line = board.line(place.line, side).with_stone(place.bit, Stone::Own);
        let near = (0x1ffu64 << place.bit >> 4) as u32;
        let (own, empty) = (line.own & near, line.empty & near);
        let four = own & own >> 1 & own >> 2 & own >> 3;
        let five = four & own >> 4;
        five != 0 || goal == Goal::FiveOrOpenFour && four & empty << 1 & empty >> 4 != 0
    })
}

#[derive(Clone, Copy, Debug)]
struct Scored {
    cell: Cell,
    /// Playouts won less playouts lost.
    score: i64,
}

/// How a stage ended.
#[derive(PartialEq, Eq)]
enum Ended {
    Whole,
    OutOfTime,
}

/// Playouts of one choice.
struct Playing {
    board: Board,
    own: Side,
    rng: Rng,
    meter: Meter,
    intelligence: f64,
    frontier: Vec<Cell>,
}

impl Playing {
    /// Gives every candidate its playouts, all in turn, so that a stage that is cut short is still fair.
    fn stage(&mut self, candidates: &mut [Scored], stage: Stage) -> Ended {
        for _ in 0..stage.playouts {
            for candidate in &mut *candidates {
                if !self.meter.pay() {
                    return Ended::OutOfTime;
                }
                candidate.score += self.playout(candidate.cell, stage.rounds);
            }
        }
        Ended::Whole
    }

    /// 1 for a win, -1 for a loss, 0 when the rounds or the cells are used up.
    fn playout(&mut self, candidate: Cell, rounds: u32) -> i64 {
        let mut played = vec![(candidate, self.own)];
        self.board.put(candidate, self.own);
        let result = self.play_on(&mut played, rounds);
        for (cell, side) in played.into_iter().rev() {
            self.board.lift(cell, side);
        }
        result
    }

    fn play_on(&mut self, played: &mut Vec<(Cell, Side)>, rounds: u32) -> i64 {
        let mut last = played[0].0;
        for _ in 0..rounds {
            for (side, result) in [(!self.own, -1), (self.own, 1)] {
                let Some(cell) = self.playout_move(last, side) else { return 0 };
                if makes(&self.board, cell, side, Goal::Five) {
                    return result;
                }
                self.board.put(cell, side);
                played.push((cell, side));
                last = cell;
            }
        }
        0
    }

    /// A random neighbour of a stone, or now and then a move that the last one makes necessary.
    fn playout_move(&mut self, last: Cell, side: Side) -> Option<Cell> {
        self.board.push_candidates(Reach::One, &mut self.frontier);
        if self.intelligence > 0.0 && random::unit(&mut self.rng) < self.intelligence {
            let urgent: Vec<Cell> = self
                .board
                .around(last, 4)
                .filter(|cell| self.frontier.binary_search(cell).is_ok())
                .filter(|&cell| makes(&self.board, cell, !side, Goal::FiveOrOpenFour))
                .collect();
            if let Some(&cell) = random::choose(&mut self.rng, &urgent) {
                return Some(cell);
            }
        }
        random::choose(&mut self.rng, &self.frontier).copied()
    }
}
