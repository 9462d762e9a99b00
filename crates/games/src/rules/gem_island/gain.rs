//! What the first pass of every legal swap would do, for those who compare them all: no swap is listed, and nothing is
//! played.

use super::{GemIsland, Mask, Step, Swap};

impl<M: Mask> GemIsland<M> {
    /// Calls `each` with every legal swap, in the order of [`swap_at`](Self::swap_at), and its first pass.
    #[inline]
    pub fn for_each_peek(&self, mut each: impl FnMut(Swap, &Step<M>)) {
        for n in 0..self.swaps().count() {
            let swap = self.swap_at(n);
            each(swap, &self.peek(swap));
        }
    }
}
