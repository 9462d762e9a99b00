//! Finds programs of the system, on the search path and in other known folders.

use std::path::{Path, PathBuf};

/// Debian's folder of the server programs of each PostgreSQL, in `VERSION/bin`.
const POSTGRES: &str = "/usr/lib/postgresql";

/// Finds a program.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(postgres_folders()).collect();
    folders.into_iter().map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The folder of all PostgreSQL programs; other folders may have links to some of them.
pub(crate) fn postgres() -> Option<PathBuf> {
    Some(find("postgres")?.canonicalize().ok()?.parent()?.to_path_buf())
}

/// The folders of PostgreSQL's programs, the newest version first.
fn postgres_folders() -> Vec<PathBuf> {
    let Ok(entries) = Path::new(POSTGRES).read_dir() else { return Vec::new() };
    let mut versions: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        assert!(find("sh").is_some());
        assert!(find("a-program-that-does-not-exist").is_none());
    }
}
