//! The principal variation, in a triangular table: the line of each ply is its best move followed
//! by the line of the next ply. The rows keep their memory from node to node.

use crate::limits::MAX_DEPTH;

/// The principal variations of all plies of a search.
#[derive(Clone, Debug)]
pub(crate) struct PrincipalVariations<M> {
    rows: Vec<Vec<M>>,
}

impl<M: Copy> PrincipalVariations<M> {
    pub(crate) fn new() -> Self {
        // One row more than the number of plies, so that every row has a next one.
        PrincipalVariations { rows: vec![Vec::new(); MAX_DEPTH as usize + 2] }
    }

    /// Ends the line at this ply: the game is over, or the horizon is reached.
    #[inline]
    pub(crate) fn end_at(&mut self, ply: u32) {
        self.rows[ply as usize].clear();
    }

    /// Sets the line at this ply to `m` and the line of the next ply.
    #[inline]
    pub(crate) fn prepend(&mut self, ply: u32, m: M) {
        let (above, below) = self.rows.split_at_mut(ply as usize + 1);
        let row = &mut above[ply as usize];
        row.clear();
        row.push(m);
        row.extend_from_slice(&below[0]);
    }

    /// Sets the line at this ply to `m` alone.
    #[inline]
    pub(crate) fn end_with(&mut self, ply: u32, m: M) {
        let row = &mut self.rows[ply as usize];
        row.clear();
        row.push(m);
    }

    /// The principal variation of the root.
    pub(crate) fn main_line(&self) -> &[M] {
        &self.rows[0]
    }
}
