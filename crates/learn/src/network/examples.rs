//! Training examples.

use tesuji_games::random::{below, seeded};
use tesuji_queue::JobError;

use super::Input;
use crate::packing::{Packer, Unpacker, damaged};

/// An input and its target.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// The input.
    pub input: Input<'a>,
    /// The expected output.
    pub target: &'a [f32],
}

/// A list of examples, contiguous in memory: nonzero inputs and targets.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    outputs: usize,
    entries: Vec<(u32, f32)>,
    /// The end of each example's entries.
    ends: Vec<usize>,
    targets: Vec<f32>,
}

const ONE: u32 = 1f32.to_bits();

impl Examples {
    /// An empty list of examples with this many outputs.
    pub fn new(outputs: usize) -> Examples {
        Examples { outputs, entries: Vec::new(), ends: Vec::new(), targets: Vec::new() }
    }

    /// Adds an example. A short target is padded with zeros.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>, target: &[f32]) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
        self.targets.extend(target.iter().take(self.outputs));
        self.targets.resize(self.ends.len() * self.outputs, 0.0);
    }

    /// Adds all examples of another list with the same number of outputs.
    pub fn append(&mut self, other: &Examples) {
        let before = self.entries.len();
        self.entries.extend(&other.entries);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.targets.extend(&other.targets);
    }

    /// Encodes the examples as a short text: indices as differences, and numbers only where they
    /// are not 1.
    pub(crate) fn packed(&self) -> String {
        let mut packer = Packer::default();
        packer.uint(self.outputs as u64);
        for n in 0..self.len() {
            packer.uint(self.entries_of(n).len() as u64);
            let mut last = 0;
            for &(index, number) in self.entries_of(n) {
                let (delta, is_one) = (i64::from(index) - last, number.to_bits() == ONE);
                let step = delta.unsigned_abs() << 2 | u64::from(delta < 0) << 1;
                packer.uint(step | u64::from(!is_one));
                if !is_one {
                    packer.float(number);
                }
                last = i64::from(index);
            }
            self.target_of(n).iter().for_each(|&number| packer.float(number));
        }
        packer.text()
    }

    /// Decodes the text of [`packed`](Self::packed).
    pub(crate) fn unpacked(text: &str) -> Result<Examples, JobError> {
        let mut unpacker = Unpacker::new(text)?;
        let mut examples = Examples::new(usize::try_from(unpacker.uint()?).map_err(|_| damaged())?);
        while !unpacker.is_empty() {
            let mut last = 0;
            for _ in 0..unpacker.uint()? {
                let step = unpacker.uint()?;
                let delta = (step >> 2) as i64;
                last += if step & 2 > 0 { -delta } else { delta };
                let number = if step & 1 > 0 { unpacker.float()? } else { 1.0 };
                examples.entries.push((u32::try_from(last).map_err(|_| damaged())?, number));
            }
            examples.ends.push(examples.entries.len());
            for _ in 0..examples.outputs {
                examples.targets.push(unpacker.float()?);
            }
        }
        Ok(examples)
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Example `n`, counted from 0.
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

    /// The indices of the examples in random order.
    pub fn shuffled(&self, seed: u64) -> Vec<u32> {
        shuffled(self.len(), seed)
    }
}

/// The numbers below `count` in random order (Fisher and Yates, 1938).
pub(crate) fn shuffled(count: usize, seed: u64) -> Vec<u32> {
    let mut rng = seeded(seed);
    let mut order: Vec<u32> = (0..count as u32).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, below(&mut rng, last as u32 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_examples_round_trip() {
        let mut examples = Examples::new(2);
        assert_eq!(Examples::unpacked(&examples.packed()), Ok(examples.clone()));
        examples.push([(7, 1.0), (3, 0.1), (1_000_000, -0.0), (4, f32::MIN_POSITIVE)], &[0.25]);
        examples.push([], &[1.0, 0.0]);
        examples.push([(u32::MAX, 1.0), (0, 1.0)], &[]);
        let back = Examples::unpacked(&examples.packed()).unwrap();
        assert_eq!(back, examples);
        assert_eq!(back.entries[2].1.to_bits(), (-0f32).to_bits());
        assert!(Examples::unpacked("AAAA").is_err());
    }
}
