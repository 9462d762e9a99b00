//! Marks that threads use to announce which positions they are searching, so that other threads
//! take another move first (ABDADA, Weill, 1996, with the marks in a small table of their own). A
//! mark may overwrite that of another position; then two threads duplicate some work, which is
//! harmless.

use std::sync::atomic::AtomicU64;

/// The mark of a position that no thread is searching.
pub(super) const UNMARKED: u64 = 0;

/// More than the number of positions that are searched at a time: threads times plies.
const SLOTS: usize = 4096;

/// The marks of a multithreaded search.
pub(super) struct BusyMarks {
    marks: Vec<AtomicU64>,
}

impl BusyMarks {
    pub(super) fn new() -> Self {
        let mut marks = Vec::new();
        marks.resize_with(SLOTS, AtomicU64::default);
        BusyMarks { marks }
    }

    /// The slot for the mark of the position with this key.
    #[inline(always)]
    pub(super) fn slot(&self, key: u64) -> &AtomicU64 {
        &self.marks[key as usize % SLOTS]
    }
}
