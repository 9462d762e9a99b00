//! Atomic writes and bounded reads. A file is written to a temporary file in the same folder,
//! synced, and then renamed; a crash, a full disk or an error leaves the previous file.
//!
//! Files that a user names are read here too: only regular files, up to a limit. A device or a pipe
//! could block or never end, and a file of unlimited size could fill the memory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// Reads a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => bounded(error, most),
        _ => error,
    })?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= most {
        bytes.reserve_exact(usize::try_from(length).unwrap_or(0));
        // One byte more than the limit: the file may grow while it is read.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if length > most || bytes.len() as u64 > most {
        return Err(bounded("too large; expected a regular file", most));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `most` bytes as UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8; expected a text file"))
}

/// Opens a regular file for reading. Folders, devices and pipes are refused at once.
pub fn open(path: &Path) -> io::Result<File> {
    // Checked before opening, since opening a device can have side effects, and again afterwards,
    // since the file may have been replaced.
    check_regular(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Do not wait for the writer of a pipe.
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    let file = options.open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

fn check_regular(data: &fs::Metadata) -> io::Result<()> {
    let problem = match (data.is_file(), data.is_dir()) {
        (true, _) => return Ok(()),
        (_, true) => "is a folder; expected a regular file",
        _ => "is a device or a pipe; expected a regular file",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

fn bounded(problem: impl std::fmt::Display, most: u64) -> io::Error {
    let size = match most >> 20 {
        0 => format!("{} KiB", most.div_ceil(1 << 10)),
        megabytes => format!("{megabytes} MiB"),
    };
    io::Error::new(io::ErrorKind::InvalidInput, format!("{problem} of at most {size}"))
}

/// What to do if the file exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IfExists {
    /// Keep it and fail.
    Keep,
    /// Replace it.
    Replace,
}

/// Writes a file with `content` and moves it to `path` once it is synced.
pub fn write<T, E: From<io::Error>>(
    path: &Path,
    existing: IfExists,
    content: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    check(path, existing)?;
    let folder = folder_of(path);
    let file = temporary_file(folder)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let value = content(&mut out)?;
    let file = out.into_inner().map_err(|error| error.into_error())?;
    file.as_file().sync_all()?;
    match existing {
        IfExists::Keep => file.persist_noclobber(path),
        IfExists::Replace => file.persist(path),
    }
    .map_err(|error| error.error)?;
    sync_folder(folder)?;
    Ok(value)
}

/// Checks whether a file may be written at `path`.
pub fn check(path: &Path, existing: IfExists) -> io::Result<()> {
    let problem = match fs::metadata(path) {
        Err(_) => return Ok(()),
        Ok(data) if data.is_dir() => "is a folder; expected a file",
        Ok(data) if !data.is_file() => "is a device or a pipe; expected a regular file",
        Ok(_) if existing == IfExists::Keep => "already exists",
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

fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The usual permissions, subject to the user's umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Syncs the new name, on systems where folders can be synced.
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

    fn put(path: &Path, existing: IfExists, text: &str) -> io::Result<()> {
        write(path, existing, |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn an_existing_file_is_kept_or_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        put(&path, IfExists::Keep, "one").unwrap();
        let error = put(&path, IfExists::Keep, "two").unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        put(&path, IfExists::Replace, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn an_error_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        put(&path, IfExists::Keep, "old").unwrap();
        let result: io::Result<()> = write(&path, IfExists::Replace, |out| {
            out.write_all(&[b'x'; 1 << 18])?;
            Err(io::Error::other("enough"))
        });
        assert_eq!(result.unwrap_err().to_string(), "enough");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let named = |name: &str| folder.path().join(name);
        fs::write(named("small"), "text").unwrap();
        fs::write(named("latin1"), b"caf\xe9").unwrap();
        File::create(named("large")).unwrap().set_len(1 << 40).unwrap();
        std::os::unix::fs::symlink("/dev/zero", named("link")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(named("pipe")).status().unwrap();
        assert!(made.success());
        for limit in [4, 1 << 20, u64::MAX] {
            assert_eq!(read_text(&named("small"), limit).unwrap(), "text");
        }
        let refusal = |path: &Path, most| read(path, most).unwrap_err().to_string();
        assert!(read_text(&named("latin1"), 9).unwrap_err().to_string().contains("not UTF-8"));
        assert_eq!(
            refusal(&named("small"), 3),
            "too large; expected a regular file of at most 1 KiB"
        );
        assert_eq!(
            refusal(&named("large"), 5 << 20),
            "too large; expected a regular file of at most 5 MiB"
        );
        let devices = [named("link"), named("pipe"), "/dev/zero".into(), "/dev/null".into()];
        for path in devices {
            assert_eq!(
                refusal(&path, 1 << 20),
                "is a device or a pipe; expected a regular file of at most 1 MiB",
            );
            assert!(open(&path).is_err());
        }
        let folder = refusal(folder.path(), 1 << 20);
        assert_eq!(folder, "is a folder; expected a regular file of at most 1 MiB");
        let missing = read(&named("missing"), 1).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn folders_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert!(put(folder.path(), IfExists::Replace, "").is_err());
        assert!(put(Path::new("/dev/null"), IfExists::Replace, "").is_err());
        assert!(put(&folder.path().join("missing/a.txt"), IfExists::Keep, "").is_err());
    }
}
