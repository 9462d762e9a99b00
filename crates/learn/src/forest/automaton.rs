//! A machine that finds many rows of cells in one pass over a line (Aho and Corasick, 1975). It keeps the worth of
//! everything that ends at a cell, not which patterns those were.

use super::Field;
use super::order::RowPattern;

/// See the top of this file.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    next: Vec<[u32; 3]>,
    worth: Vec<i32>,
}

const NONE: u32 = u32::MAX;

impl Automaton {
    /// The state before anything was read.
    pub(super) const START: usize = 0;

    pub(super) fn new(patterns: &[RowPattern]) -> Automaton {
        let mut automaton = Automaton { next: vec![[NONE; 3]], worth: vec![0] };
        for (cells, worth) in patterns {
            let state =
                cells.iter().fold(Self::START, |state, &field| automaton.child(state, field));
            automaton.worth[state] += worth;
        }
        automaton.lead_on();
        automaton
    }

    fn child(&mut self, state: usize, field: Field) -> usize {
        if self.next[state][field as usize] == NONE {
            self.next[state][field as usize] = self.next.len() as u32;
            self.next.push([NONE; 3]);
            self.worth.push(0);
        }
        self.next[state][field as usize] as usize
    }

    /// Where no pattern goes on, one may that began later: states are visited by their distance from the start, so
    /// that the longest such state is complete already.
    fn lead_on(&mut self) {
        let mut fallback = vec![Self::START; self.next.len()];
        let mut waiting = std::collections::VecDeque::from([Self::START]);
        while let Some(state) = waiting.pop_front() {
            for field in 0..3 {
                let shorter = match state {
                    Self::START => Self::START,
                    _ => self.next[fallback[state]][field] as usize,
                };
                match self.next[state][field] {
                    NONE => self.next[state][field] = shorter as u32,
                    child => {
                        fallback[child as usize] = shorter;
                        self.worth[child as usize] += self.worth[shorter];
                        waiting.push_back(child as usize);
                    }
                }
            }
        }
    }

    /// How many states there are.
    pub(super) fn states(&self) -> usize {
        self.next.len()
    }

    #[inline]
    pub(super) fn next(&self, state: usize, field: Field) -> usize {
        self.next[state][field as usize] as usize
    }

    /// What ends in this state is worth together.
    #[inline]
    pub(super) fn worth(&self, state: usize) -> i32 {
        self.worth[state]
    }

    /// What all patterns in a line are worth together.
    pub(super) fn scan(&self, line: impl Iterator<Item = Field>) -> i32 {
        let (mut state, mut sum) = (Self::START, 0);
        for field in line {
            state = self.next(state, field);
            sum += self.worth(state);
        }
        sum
    }
}
