//! Finds many row patterns in one pass over a line (Aho and Corasick, 1975). A state stores the sum
//! of the values of all patterns that end there, not the patterns themselves.

use super::CellContent;
use super::order::RowPattern;

/// An Aho–Corasick automaton with a value for each state.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    next: Vec<[u32; 3]>,
    value: Vec<i32>,
}

const NONE: u32 = u32::MAX;

impl Automaton {
    /// The state before any input.
    pub(super) const START: usize = 0;

    pub(super) fn new(patterns: &[RowPattern]) -> Automaton {
        let mut automaton = Automaton { next: vec![[NONE; 3]], value: vec![0] };
        for (cells, value) in patterns {
            let state =
                cells.iter().fold(Self::START, |state, &content| automaton.child(state, content));
            automaton.value[state] += value;
        }
        automaton.link_fallbacks();
        automaton
    }

    fn child(&mut self, state: usize, content: CellContent) -> usize {
        if self.next[state][content as usize] == NONE {
            self.next[state][content as usize] = self.next.len() as u32;
            self.next.push([NONE; 3]);
            self.value.push(0);
        }
        self.next[state][content as usize] as usize
    }

    /// Adds the fallback transitions. States are visited in order of their distance from the start,
    /// so the longest proper suffix of a state is complete before the state itself.
    fn link_fallbacks(&mut self) {
        let mut fallback = vec![Self::START; self.next.len()];
        let mut waiting = std::collections::VecDeque::from([Self::START]);
        while let Some(state) = waiting.pop_front() {
            for content in 0..3 {
                let shorter = match state {
                    Self::START => Self::START,
                    _ => self.next[fallback[state]][content] as usize,
                };
                match self.next[state][content] {
                    NONE => self.next[state][content] = shorter as u32,
                    child => {
                        fallback[child as usize] = shorter;
                        self.value[child as usize] += self.value[shorter];
                        waiting.push_back(child as usize);
                    }
                }
            }
        }
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.next.len()
    }

    #[inline]
    pub(super) fn next(&self, state: usize, content: CellContent) -> usize {
        self.next[state][content as usize] as usize
    }

    /// The sum of the values of all patterns that end in this state.
    #[inline]
    pub(super) fn value(&self, state: usize) -> i32 {
        self.value[state]
    }

    /// The sum of the values of all patterns in a line.
    pub(super) fn scan(&self, line: impl Iterator<Item = CellContent>) -> i32 {
        let (mut state, mut sum) = (Self::START, 0);
        for content in line {
            state = self.next(state, content);
            sum += self.value(state);
        }
        sum
    }
}
