//! What a network learns from.

use tesuji_games::random::{below, seeded};

use super::Input;

/// An input and what the answer should be.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// What goes in.
    pub input: Input<'a>,
    /// What should come out.
    pub target: &'a [f32],
}

/// Many examples, close together in memory: the places and numbers that are not zero, and the targets.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    outputs: usize,
    entries: Vec<(u32, f32)>,
    /// Where each example's entries end.
    ends: Vec<usize>,
    targets: Vec<f32>,
}

impl Examples {
    /// None yet, of answers with so many numbers.
    pub fn new(outputs: usize) -> Examples {
        Examples { outputs, entries: Vec::new(), ends: Vec::new(), targets: Vec::new() }
    }

    /// Adds one. A target with too few numbers is filled up with zeros.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>, target: &[f32]) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
        self.targets.extend(target.iter().take(self.outputs));
        self.targets.resize(self.ends.len() * self.outputs, 0.0);
    }

    /// Adds all of another list.
    pub fn append(&mut self, other: &Examples) {
        (0..other.len())
            .for_each(|n| self.push(other.entries_of(n).iter().copied(), other.target_of(n)));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The `n`-th, counted from 0.
    pub fn get(&self, n: usize) -> Example<'_> {
        Example { input: Input::Sparse(self.entries_of(n)), target: self.target_of(n) }
    }

    fn entries_of(&self, n: usize) -> &[(u32, f32)] {
        let start = n.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[start..self.ends[n]]
    }

    fn target_of(&self, n: usize) -> &[f32] {
        &self.targets[n * self.outputs..][..self.outputs]
    }

    /// Their numbers in random order.
    pub fn shuffled(&self, seed: u64) -> Vec<u32> {
        let mut rng = seeded(seed);
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, below(&mut rng, last as u32 + 1) as usize);
        }
        order
    }
}
