//! Memory for large tables: the available memory, and allocation that does not abort.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::TableSize;
use crate::huge_pages;

/// Smaller tables are not checked: the check takes longer than the allocation.
const MIN_CHECKED: u64 = 64 << 20;

/// The requested memory exceeds the available memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{} of memory do not fit; expected at most the {} that are available",
    ByteSize(*requested),
    ByteSize(*available)
)]
pub struct NotEnoughMemory {
    /// The requested bytes.
    pub requested: u64,
    /// The available bytes.
    pub available: u64,
}

/// Returns an error if more bytes are requested than are available to this process. Without
/// information from the system, accepts any size.
pub fn check(requested: u64) -> Result<(), NotEnoughMemory> {
    match available() {
        Some(available) if requested > MIN_CHECKED && requested > available => {
            Err(NotEnoughMemory { requested, available })
        }
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
pub(crate) fn filled<T>(requested: usize, make: impl FnMut() -> T) -> Vec<T> {
    let (mut items, count) = reserved(requested);
    huge_pages::prefer_for(&mut items);
    items.resize_with(count, make);
    items
}

/// Reserves capacity for the wanted number of items; halves the number while the system refuses the
/// memory.
fn reserved<T>(requested: usize) -> (Vec<T>, usize) {
    let (mut items, mut count) = (Vec::new(), requested.max(1));
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
    [system, cgroups_left(), limits_left()].into_iter().flatten().min()
}

/// The number after a keyword at the beginning of a line: `MemAvailable:  123 kB`.
fn kilobytes(text: &str, keyword: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(keyword))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1024))
}

fn limits_left() -> Option<u64> {
    let data = limit_left("Max data size", "VmData:");
    [address_space_left(), data].into_iter().flatten().min()
}

/// The bytes of address space that this process may still map (`ulimit -v`); `None` without such a
/// limit.
pub fn address_space_left() -> Option<u64> {
    limit_left("Max address space", "VmSize:")
}

/// The address space that a thread takes in addition to the memory it uses: the system's allocator
/// reserves 64 MiB for each thread, and its stack is mapped at full length.
pub const ADDRESSES_PER_THREAD: u64 = 72 << 20;

fn limit_left(limit: &str, used: &str) -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix(limit))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes(&status, used)?))
}

/// The remainder of this process's control groups: the tightest of them.
fn cgroups_left() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(cgroup_left).min()
}

/// The remainder of a group and its ancestors, from a line such as `0::/user.slice` (version 2) or
/// `4:memory:/docker/1` (version 1).
fn cgroup_left(line: &str) -> Option<u64> {
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
    groups.filter_map(|folder| folder_left(folder, names)).min()
}

fn folder_left(folder: &Path, [limit, used, cached]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok();
    let (limit, used): (u64, u64) = (number(limit)?, number(used)?);
    // File pages count as used but can be reclaimed.
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

/// Formats bytes for people: `3.2G`, `350M`.
struct ByteSize(u64);

impl fmt::Display for ByteSize {
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
        let Some(available) = available() else { return };
        assert!(available > 1 << 20, "{available}");
        let error = check(available.saturating_mul(4).max(1 << 40)).unwrap_err().to_string();
        assert!(error.contains("do not fit; expected at most the"), "{error}");
        assert_eq!(TableSize::megabytes(1).check(), Ok(()));
    }

    #[test]
    fn numbers_are_found_in_the_systems_texts() {
        let text = "MemTotal:  100 kB\nMemAvailable:    42 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(42 << 10));
        assert_eq!(kilobytes(text, "MemFree:"), None);
        let text_of = |bytes: u64| ByteSize(bytes).to_string();
        assert_eq!(
            [text_of(64 << 30), text_of(3 << 29), text_of(350 << 20)],
            ["64G", "1.5G", "350M"]
        );
    }

    #[test]
    fn groups_leave_what_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let names = ["memory.max", "memory.current", "inactive_file"];
        assert_eq!(folder_left(folder.path(), names), None);
        write("memory.current", "700\n");
        write("memory.max", "max\n");
        assert_eq!(folder_left(folder.path(), names), None, "no limit");
        write("memory.max", "1000\n");
        assert_eq!(folder_left(folder.path(), names), Some(300));
        write("memory.stat", "anon 5\ninactive_file 200\n");
        assert_eq!(folder_left(folder.path(), names), Some(500));
    }
}
