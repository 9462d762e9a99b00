//! Best play as far as a search has seen it: one line a ply, each the line below it with a move in
//! front. The rows keep their memory from node to node.

use crate::limits::MAX_DEPTH;

/// The lines of a running search.
#[derive(Clone, Debug)]
pub(crate) struct PrincipalVariations<M> {
    rows: Vec<Vec<M>>,
}

impl<M: Copy> PrincipalVariations<M> {
    pub(crate) fn new() -> Self {
        // One row more than there are plies, so that every row has one below it.
        PrincipalVariations { rows: vec![Vec::new(); MAX_DEPTH as usize + 2] }
    }

    /// Nothing is known beyond this ply: the game is over, or the horizon is reached.
    #[inline]
    pub(crate) fn end_at(&mut self, ply: u32) {
        self.rows[ply as usize].clear();
    }

    /// At this ply, `m` is best, and the line below it goes on from there.
    #[inline]
    pub(crate) fn prepend(&mut self, ply: u32, m: M) {
        let (above, below) = self.rows.split_at_mut(ply as usize + 1);
        let row = &mut above[ply as usize];
        row.clear();
        row.push(m);
        row.extend_from_slice(&below[0]);
    }

    /// At this ply, `m` is best and ends the line.
    #[inline]
    pub(crate) fn end_with(&mut self, ply: u32, m: M) {
        let row = &mut self.rows[ply as usize];
        row.clear();
        row.push(m);
    }

    /// The best line from the root.
    pub(crate) fn main_line(&self) -> &[M] {
        &self.rows[0]
    }
}
