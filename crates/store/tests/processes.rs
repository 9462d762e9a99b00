//! SQLite files and several processes: killed, waiting, without permissions, and with a full disk.
#![allow(clippy::print_stdout)] // there is no harness that would print

mod plain;
mod process;

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use tempfile::TempDir;
use tesuji_games::random::seeded;
use tesuji_store::{StoreError, open};

use self::plain::{game, keys};
use self::process::{kills, named, other_process, whole_lines, with_task};

fn main() -> ExitCode {
    process::main(laws)
}

fn laws() -> Vec<process::Law> {
    let mut laws = named![
        a_killed_process_loses_nothing_that_was_acknowledged,
        processes_wait_for_each_other,
        a_read_only_file_can_be_read,
        a_limit_on_file_sizes_is_reported,
    ];
    match Disk::mount() {
        Some(_) => laws.extend(named![a_full_disk_is_reported]),
        None => println!("left out: a_full_disk_is_reported (no right to mount a disk)"),
    }
    laws
}

fn place(folder: &TempDir) -> String {
    folder.path().join("games.db").to_str().unwrap().to_string()
}

fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let mut rng = seeded(9);
    let rounds = kills::rounds(12);
    let (mut total, mut silent) = (0, 0);
    // A new file now and then: a process may be killed while it creates one.
    for file in 0..rounds.div_ceil(4) {
        let folder = TempDir::new().unwrap();
        let place = place(&folder);
        let mut acknowledged = BTreeSet::new();
        for round in 0..(rounds - 4 * file).min(4) {
            let said = kills::add_and_kill(&mut rng, &place, &format!("{file}.{round}"));
            silent += u32::from(said.is_empty());
            acknowledged.extend(said);
            if Path::new(&place).exists() {
                check_integrity(Path::new(&place));
            }
            kills::check(&*open(&place).unwrap(), &acknowledged);
        }
        total += acknowledged.len();
    }
    println!("{rounds} kills ({silent} before the first answer), {total} acknowledged batches");
    assert!(total > 0, "no process lived long enough to write anything");
}

fn processes_wait_for_each_other() {
    let folder = TempDir::new().unwrap();
    let children: Vec<_> = ["ann", "bob", "eve"]
        .iter()
        .map(|name| other_process("add some", &place(&folder), name).spawn().unwrap())
        .collect();
    let mut new = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", output.status);
        new += whole_lines(&output.stdout)[0].parse::<u32>().unwrap();
    }
    assert_eq!(new, 400, "each game is new to one process");
    assert_eq!(keys(&*open(&place(&folder)).unwrap()).len(), 400);
    check_integrity(Path::new(&place(&folder)));
}

/// Reads by a user without write permission for the file, its folder or both, also during writes.
fn a_read_only_file_can_be_read() {
    for (file_mode, folder_mode, is_open) in
        [(0o444, 0o555, false), (0o444, 0o755, false), (0o644, 0o555, false), (0o644, 0o555, true)]
    {
        let folder = TempDir::new().unwrap();
        let program = program_for_everyone(folder.path());
        let stores = folder.path().join("stores");
        std::fs::create_dir(&stores).unwrap();
        let path = stores.join("games.db");
        let place = path.to_str().unwrap();
        let store = open(place).unwrap();
        store.add(&[game("one"), game("two")]).unwrap();
        let store = is_open.then_some(store);
        // The owner may write what the reader may not, unless they are the same user.
        let is_somebody_else = is_root();
        set_mode(&path, file_mode);
        set_mode(&stores, folder_mode);
        let mut command = Command::new(program);
        if is_somebody_else {
            command.uid(NOBODY).gid(NOBODY);
        } else if file_mode & 0o200 != 0 {
            println!("left out: a file of another user (only root can be two users)");
            set_mode(&stores, 0o755);
            continue;
        }
        let said = answer(with_task(command, "read, then add", place, ""));
        let case = format!("{file_mode:o} in {folder_mode:o}, open: {is_open}: {said:?}");
        assert_eq!(said[0], "2", "{case}");
        assert!(said[1].starts_with("ReadOnly"), "{case}");
        set_mode(&stores, 0o755);
        if let Some(store) = store {
            assert_eq!(store.add(&[game("three")]).unwrap().new, 1, "{case}");
        }
    }
}

/// The output of a process that ended successfully.
fn answer(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{:?}: {}", command, output.status);
    whole_lines(&output.stdout)
}

/// The user and group `nobody`.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Copies this program so that every user may run it.
fn program_for_everyone(folder: &Path) -> std::path::PathBuf {
    set_mode(folder, 0o755);
    let copy = folder.join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    set_mode(&copy, 0o755);
    copy
}

/// Writes past a limit on file sizes fail like those to a full disk, and any user may set such a
/// limit. A small one stops the log, a larger one the file itself.
fn a_limit_on_file_sizes_is_reported() {
    for blocks in [100, 2_000, 12_000] {
        let folder = TempDir::new().unwrap();
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\""));
        shell.arg(std::env::current_exe().unwrap());
        let said = answer(with_task(shell, "fill", &place(&folder), "filler"));
        assert!(said[1].starts_with("Full"), "{blocks} blocks: {said:?}");
        let count: usize = said[0].parse().unwrap();
        assert!(blocks == 100 || count > 100, "{blocks} blocks: {said:?}");
        check_after_full(&place(&folder), count);
    }
}

/// All acknowledged records are stored, and more can be added once there is room.
fn check_after_full(place: &str, count: usize) {
    let store = open(place).unwrap();
    assert_eq!(keys(&*store).len(), count);
    assert_eq!(store.add(&[game("one more")]).unwrap().new, 1);
    drop(store);
    check_integrity(Path::new(place));
}

fn a_full_disk_is_reported() {
    let disk = Disk::mount().unwrap();
    let place = place(&disk.folder);
    let (count, error) = process::tasks::fill_store(&*open(&place).unwrap(), "filler");
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(count > 100, "{count}");
    disk.grow();
    check_after_full(&place, count);
}

/// A small file system in memory.
struct Disk {
    folder: TempDir,
}

impl Disk {
    /// `None` if this user may not.
    fn mount() -> Option<Disk> {
        let folder = TempDir::new().unwrap();
        let is_done = mount(&["-t", "tmpfs", "-o", "size=2m", "tmpfs"], folder.path());
        is_done.then(|| Disk { folder })
    }

    fn grow(&self) {
        assert!(mount(&["-o", "remount,size=20m"], self.folder.path()));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder.path()).status();
    }
}

fn mount(words: &[&str], folder: &Path) -> bool {
    let mut command = Command::new("mount");
    command.args(words).arg(folder).output().is_ok_and(|output| output.status.success())
}

/// SQLite's integrity check of a file.
fn check_integrity(path: &Path) {
    let file = rusqlite::Connection::open(path).unwrap();
    let verdict: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}
