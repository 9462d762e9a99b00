//! What threads tell each other: which positions are being searched right now, so that a thread takes
//! another move first (ABDADA, Weill, 1996, with the marks in a small table of their own). A mark may be
//! overwritten by that of another position; then two threads do the same for a while, nothing worse.

use std::sync::atomic::AtomicU64;

/// The mark of a position that nobody is busy with.
pub(super) const NOBODY: u64 = 0;

/// More than positions that are searched at a time: threads times plies.
const COUNT: usize = 4096;

/// The marks of a search with several threads.
pub(super) struct Marks {
    marks: Vec<AtomicU64>,
}

impl Marks {
    pub(super) fn new() -> Self {
        let mut marks = Vec::new();
        marks.resize_with(COUNT, AtomicU64::default);
        Marks { marks }
    }

    /// The place for the mark of the position with this key.
    #[inline(always)]
    pub(super) fn of(&self, key: u64) -> &AtomicU64 {
        &self.marks[key as usize % COUNT]
    }
}
