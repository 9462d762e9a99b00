//! Files that are there as a whole or not at all: written beside their place, brought to the disk, and
//! only then put where they belong. A crash, a full disk or an error on the way leaves what was there.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What becomes of a file that is already there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// It stays, and nothing is written.
    Keep,
    /// The new one takes its place.
    Replace,
}

/// Writes a file through `content` and puts it at `path` when all of it is on the disk.
pub fn write<T, E: From<io::Error>>(
    path: &Path,
    existing: Existing,
    content: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    check(path, existing)?;
    let folder = folder_of(path);
    let file = beside(folder)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let value = content(&mut out)?;
    let file = out.into_inner().map_err(|error| error.into_error())?;
    file.as_file().sync_all()?;
    match existing {
        Existing::Keep => file.persist_noclobber(path),
        Existing::Replace => file.persist(path),
    }
    .map_err(|error| error.error)?;
    sync_folder(folder)?;
    Ok(value)
}

/// Whether a file may be written there: what is there already must be one that may be replaced.
pub fn check(path: &Path, existing: Existing) -> io::Result<()> {
    let problem = match fs::metadata(path) {
        Err(_) => return Ok(()),
        Ok(data) if data.is_dir() => "it is a folder, expected a file",
        Ok(data) if !data.is_file() => "it is not a plain file",
        Ok(_) if existing == Existing::Keep => "it is there already",
        Ok(_) => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::AlreadyExists, problem))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn beside(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any other file: the user's mask takes away what it should.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Brings the new name to the disk too, where folders can be asked for that.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
    }

    fn put(path: &Path, existing: Existing, text: &str) -> io::Result<()> {
        write(path, existing, |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn a_file_is_kept_or_replaced_as_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        put(&path, Existing::Keep, "one").unwrap();
        let error = put(&path, Existing::Keep, "two").unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        put(&path, Existing::Replace, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn an_error_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        put(&path, Existing::Keep, "old").unwrap();
        let result: io::Result<()> = write(&path, Existing::Replace, |out| {
            out.write_all(&[b'x'; 1 << 18])?;
            Err(io::Error::other("enough"))
        });
        assert_eq!(result.unwrap_err().to_string(), "enough");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn folders_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert!(put(folder.path(), Existing::Replace, "").is_err());
        assert!(put(Path::new("/dev/null"), Existing::Replace, "").is_err());
        assert!(put(&folder.path().join("missing/a.txt"), Existing::Keep, "").is_err());
    }
}
