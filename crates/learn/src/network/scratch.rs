//! Where a network works: everything that it would otherwise have to allocate.

/// Room for one input on its way through a network. Made by [`Network::scratch`](super::Network::scratch).
#[derive(Clone, Debug)]
pub struct Scratch {
    /// What the units of each layer said.
    pub(super) said: Vec<Vec<f32>>,
    /// The slopes of the loss by that. Empty until something is learned.
    pub(super) slopes: Vec<Vec<f32>>,
    /// What dropout multiplies by. Empty where there is none, or until something is learned.
    pub(super) kept: Vec<Vec<f32>>,
}

impl Scratch {
    pub(super) fn new(sizes: impl Iterator<Item = usize>) -> Scratch {
        let said: Vec<Vec<f32>> = sizes.map(|size| vec![0.0; size]).collect();
        let empty = vec![Vec::new(); said.len()];
        Scratch { slopes: empty.clone(), kept: empty, said }
    }

    /// What the last layer said.
    pub fn answer(&self) -> &[f32] {
        self.said.last().map_or(&[], Vec::as_slice)
    }

    /// Makes room for slopes.
    pub(super) fn with_slopes(&mut self) {
        for (slopes, said) in self.slopes.iter_mut().zip(&self.said) {
            slopes.resize(said.len(), 0.0);
        }
    }
}
