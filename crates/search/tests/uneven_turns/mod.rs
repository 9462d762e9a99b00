//! A tiny test game in which the sides do not alternate, and its values by plain minimax.

use std::collections::HashMap;

use tesuji_games::bits::{for_each_bit, zobrist};
use tesuji_games::{Outcome, Position, Side};

/// Three in a row on a strip of cells. The first side places one stone per turn, the second side
/// two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UnevenTurns {
    cells: u32,
    stones: [u32; 2],
    placed: u32,
}

impl UnevenTurns {
    pub(crate) fn new(cells: u32) -> Self {
        UnevenTurns { cells, stones: [0, 0], placed: 0 }
    }
}

fn has_three(stones: u32) -> bool {
    stones & stones >> 1 & stones >> 2 != 0
}

impl Position for UnevenTurns {
    type Move = u8;
    type Undo = Self;

    fn to_move(&self) -> Side {
        if self.placed.is_multiple_of(3) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Side::ALL.into_iter().find(|side| has_three(self.stones[side.index()]));
        winner.map(Outcome::Win).or((self.placed == self.cells).then_some(Outcome::Draw))
    }

    fn key(&self) -> u64 {
        zobrist(u64::from(self.stones[0]) << 32 | u64::from(self.stones[1]))
    }

    fn for_each_move(&self, mut each: impl FnMut(u8)) {
        if self.outcome().is_none() {
            let empty = ((1 << self.cells) - 1) & !(self.stones[0] | self.stones[1]);
            for_each_bit(u64::from(empty), |cell| each(cell as u8));
        }
    }

    fn is_legal(&self, m: u8) -> bool {
        let mut legal = false;
        self.for_each_move(|cell| legal |= cell == m);
        legal
    }

    fn play(&mut self, m: u8) -> Self {
        let before = *self;
        self.stones[self.to_move().index()] |= 1 << m;
        self.placed += 1;
        before
    }

    fn undo(&mut self, _: u8, before: Self) {
        *self = before;
    }

    fn move_index(&self, m: u8) -> usize {
        usize::from(m)
    }

    fn num_move_indices(&self) -> usize {
        self.cells as usize
    }
}

/// The outcome of a position of a small game with best play, by exhaustive search.
pub(crate) fn best_outcome<P: Position>(
    position: &P,
    cache: &mut HashMap<u64, Outcome>,
) -> Outcome {
    if let Some(outcome) = position.outcome() {
        return outcome;
    }
    if let Some(&outcome) = cache.get(&position.key()) {
        return outcome;
    }
    let side = position.to_move();
    let mut best = Outcome::Win(!side);
    position.for_each_move(|m| {
        let mut child = position.clone();
        child.play(m);
        let outcome = best_outcome(&child, cache);
        if outcome.points(side) > best.points(side) {
            best = outcome;
        }
    });
    cache.insert(position.key(), best);
    best
}

/// Every unfinished position reachable from `start`, including `start`.
pub(crate) fn open_positions<P: Position>(start: &P) -> Vec<P> {
    let mut found = vec![start.clone()];
    let mut seen = HashMap::from([(start.key(), ())]);
    let mut next = 0;
    while next < found.len() {
        let position = found[next].clone();
        position.for_each_move(|m| {
            let mut child = position.clone();
            child.play(m);
            if child.outcome().is_none() && seen.insert(child.key(), ()).is_none() {
                found.push(child);
            }
        });
        next += 1;
    }
    found
}
