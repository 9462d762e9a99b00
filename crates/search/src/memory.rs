//! Memory for large tables: the available memory, and allocation that does not abort.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::TableSize;
use crate::huge_pages;

/// Smaller tables are not checked: the check takes longer than the allocation.
const SMALL: u64 = 64 << 20;

/// The requested memory exceeds the available memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{} of memory do not fit; expected at most the {} that are available",
    Size(*wanted),
    Size(*left)
)]
pub struct NotEnoughMemory {
    /// The requested bytes.
    pub wanted: u64,
    /// The available bytes.
    pub left: u64,
}

/// Returns an error if more bytes are requested than are available to this process. Without
/// information from the system, accepts any size.
pub fn check(wanted: u64) -> Result<(), NotEnoughMemory> {
    match available() {
        Some(left) if wanted > SMALL && wanted > left => Err(NotEnoughMemory { wanted, left }),
        _ => Ok(()),
    }
}

impl TableSize {
    /// Returns an error if the table does not fit into the available memory.
    pub fn check(self) -> Result<(), NotEnoughMemory> {
        check(self.bytes())
    }
}

/// Creates the wanted number of items, or fewer if the system refuses the memory: it may have been
/// allocated since the check.
pub(crate) fn filled<T>(wanted: usize, make: impl FnMut() -> T) -> Vec<T> {
    let (mut items, count) = reserved(wanted);
    huge_pages::prefer_for(&mut items);
    items.resize_with(count, make);
    items
}

/// Reserves capacity for the wanted number of items; halves the number while the system refuses the
/// memory.
fn reserved<T>(wanted: usize) -> (Vec<T>, usize) {
    let (mut items, mut count) = (Vec::new(), wanted.max(1));
    while count > 1 && items.try_reserve_exact(count).is_err() {
        count /= 2;
    }
    (items, count)
}

/// The number of bytes that this process can still use: the minimum of the system's available
/// memory, the remainder of its control groups, and the remainder of its own limits (`ulimit -v`,
/// `ulimit -d`). `None` without information from the system.
pub fn available() -> Option<u64> {
    let system = fs::read_to_string("/proc/meminfo").ok();
    let system = system.and_then(|text| kilobytes(&text, "MemAvailable:"));
    [system, left_by_groups(), left_by_own_limits()].into_iter().flatten().min()
}

/// The number after a keyword at the beginning of a line: `MemAvailable:  123 kB`.
fn kilobytes(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1024))
}

fn left_by_own_limits() -> Option<u64> {
    let data = left_by_own_limit("Max data size", "VmData:");
    [address_space_left(), data].into_iter().flatten().min()
}

/// The bytes of address space that this process may still map (`ulimit -v`); `None` without such a
/// limit.
pub fn address_space_left() -> Option<u64> {
    left_by_own_limit("Max address space", "VmSize:")
}

/// The address space that a thread takes in addition to the memory it uses: the system's allocator
/// reserves 64 MiB for each thread, and its stack is mapped at full length.
pub const ADDRESSES_PER_THREAD: u64 = 72 << 20;

fn left_by_own_limit(limit: &str, used: &str) -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix(limit))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes(&status, used)?))
}

/// The remainder of this process's control groups: the tightest of them.
fn left_by_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(left_by_group).min()
}

/// The remainder of a group and its ancestors, from a line such as `0::/user.slice` (version 2) or
/// `4:memory:/docker/1` (version 1).
fn left_by_group(line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':');
    let (number, kinds, path) = (fields.next()?, fields.next()?, fields.next()?);
    let (root, names) = match number {
        "0" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file"]),
        _ if kinds.split(',').any(|kind| kind == "memory") => (
            "/sys/fs/cgroup/memory",
            ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
        ),
        _ => return None,
    };
    let root = PathBuf::from(root);
    let folder = root.join(path.trim_start_matches('/'));
    let groups = folder.ancestors().take_while(|folder| folder.starts_with(&root));
    groups.filter_map(|folder| left_in(folder, names)).min()
}

fn left_in(folder: &Path, [limit, used, cached]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok();
    let (limit, used): (u64, u64) = (number(limit)?, number(used)?);
    // File pages count as used but can be reclaimed.
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

/// Formats bytes for people: `3.2G`, `350M`.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let giga = self.0 as f64 / (1u64 << 30) as f64;
        match giga {
            ..1.0 => write!(f, "{}M", self.0 >> 20),
            _ if giga.fract() == 0.0 => write!(f, "{giga:.0}G"),
            _ => write!(f, "{giga:.1}G"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_is_made_smaller() {
        // Not filled: the system may overcommit memory.
        let (items, count) = reserved::<u8>(usize::MAX / 4);
        assert!((1..usize::MAX / 4).contains(&count) && items.capacity() >= count);
        assert_eq!(filled(100, || 7_u64), [7; 100]);
        assert_eq!(filled(0, || 7_u64), [7]);
    }

    #[test]
    fn tables_larger_than_memory_are_refused() {
        let Some(left) = available() else { return };
        assert!(left > 1 << 20, "{left}");
        let error = check(left.saturating_mul(4).max(1 << 40)).unwrap_err().to_string();
        assert!(error.contains("do not fit; expected at most the"), "{error}");
        assert_eq!(TableSize::megabytes(1).check(), Ok(()));
    }

    #[test]
    fn numbers_are_found_in_the_systems_texts() {
        let text = "MemTotal:  100 kB\nMemAvailable:    42 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(42 << 10));
        assert_eq!(kilobytes(text, "MemFree:"), None);
        let shown = |bytes: u64| Size(bytes).to_string();
        assert_eq!([shown(64 << 30), shown(3 << 29), shown(350 << 20)], ["64G", "1.5G", "350M"]);
    }

    #[test]
    fn groups_leave_what_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let names = ["memory.max", "memory.current", "inactive_file"];
        assert_eq!(left_in(folder.path(), names), None);
        write("memory.current", "700\n");
        write("memory.max", "max\n");
        assert_eq!(left_in(folder.path(), names), None, "no limit");
        write("memory.max", "1000\n");
        assert_eq!(left_in(folder.path(), names), Some(300));
        write("memory.stat", "anon 5\ninactive_file 200\n");
        assert_eq!(left_in(folder.path(), names), Some(500));
    }
}
