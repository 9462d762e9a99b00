//! Huge pages for large tables: random look-ups miss the processor's address cache less often
//! (measured on the empty board of Connect Four with a table of 64 MiB: 5 % faster with one thread,
//! 14 % with two). Only on Linux, where it is a hint.

/// Requests huge pages for memory that a vector has reserved and not yet touched.
#[cfg(target_os = "linux")]
pub(crate) fn prefer_for<T>(reserved: &mut Vec<T>) {
    const PAGE: usize = 2 << 20;
    let unused = reserved.spare_capacity_mut();
    let bytes = size_of_val(unused);
    let start = unused.as_mut_ptr() as usize;
    let first = start.next_multiple_of(PAGE);
    let length = (start + bytes).saturating_sub(first) / PAGE * PAGE;
    if length > 0 {
        // SAFETY: the range lies within memory that the vector owns, and this advice changes how
        // the memory is mapped, not its content. Failure is harmless.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(first as *mut libc::c_void, length, libc::MADV_HUGEPAGE);
        }
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn prefer_for<T>(_: &mut Vec<T>) {}
