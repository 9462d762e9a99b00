//! Files that players and agents name, on another machine. There they lie elsewhere; what a player is called, and so
//! the identity of its games, stays.
//!
//! Which options name files is said in one place, the [`PlayerInfo`]: those of the form `key=FILE`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tesuji_games::{Spec, SpecError};
use tesuji_gomoku::engine::tunables::Tunables;
use tesuji_queue::{Brief, Trouble};

use crate::PlayerInfo;
use crate::players::file::PlayerFile;

/// Where files lie, by the names that texts have for them.
pub type Files = BTreeMap<String, PathBuf>;

/// The options of a text that name files to be read, and their values, for a text from an untrusted
/// source. Nothing is opened. An option that the player does not declare is refused, because it
/// could name a file as well.
pub fn declared_files(
    text: &str,
    known: impl IntoIterator<Item = PlayerInfo>,
) -> Result<Vec<(&'static str, String)>, SpecError> {
    let mut spec = Spec::parse(text)?;
    let known: Vec<PlayerInfo> = known.into_iter().collect();
    let info = known.iter().find(|info| info.name == spec.name());
    let info = info.ok_or_else(|| SpecError::UnknownName {
        kind: "player",
        name: spec.name().to_string(),
        known: known.iter().map(|info| info.name.to_string()).collect(),
    })?;
    let mut files = Vec::new();
    for (form, _) in info.options {
        match form.split_once('=').unwrap_or((form, "")) {
            ("tune.NAME", _) => {
                Tunables::ALL.iter().for_each(|tunable| drop(spec.take(tunable.option)));
            }
            (key, "FILE") => files.extend(spec.take(key).map(|file| (key, file))),
            (key, _) => drop(spec.take(key)),
        }
    }
    spec.finish()?;
    Ok(files)
}

/// The options of a text that name files to be read, and their values.
fn named(text: &str, known: impl IntoIterator<Item = PlayerInfo>) -> Vec<(&'static str, String)> {
    let Ok(mut spec) = Spec::parse(text) else { return Vec::new() };
    let info = known.into_iter().find(|info| info.name == spec.name());
    let options = info.map_or(&[][..], |info| info.options);
    let keys = options.iter().filter_map(|(form, _)| form.strip_suffix("=FILE"));
    keys.filter_map(|key| Some((key, spec.take(key)?))).collect()
}

/// The text with files from where they lie.
pub(crate) fn local_text(
    text: &str,
    known: impl IntoIterator<Item = PlayerInfo>,
    files: &Files,
) -> String {
    let mut local = text.to_string();
    for (key, name) in named(text, known) {
        if let Some(path) = files.get(&name) {
            // Of two options with one key the later counts.
            local += &format!(",{key}=\"{}\"", path.display());
        }
    }
    local
}

/// The brief with the file of a player: the content that the player has here.
pub(crate) fn packed(brief: Brief, file: Option<&PlayerFile>) -> Result<Brief, Trouble> {
    let Some(file) = file else { return Ok(brief) };
    let name = file.path();
    let bytes = file.bytes().map_err(|why| Trouble(format!("{name}: {why}")))?;
    match brief.files.get(name) {
        None => Ok(brief.with_file(name, bytes.to_vec())),
        Some(other) if other == bytes => Ok(brief),
        Some(_) => Err(Trouble(format!("{name}: it changed while it was read"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;
    use crate::gem_island::{AGENTS, AgentSpec};
    use crate::{PlayerContext, PlayerSpec, players};
    use tesuji_games::rules::gem_island::Settings;

    #[test]
    fn files_are_found_and_looked_for_elsewhere() {
        let files = Files::from([("a,b.xml".to_string(), PathBuf::from("/cache/1"))]);
        let local = |text: &str| local_text(text, players::all(), &files);
        let text = "forest:file=\"a,b.xml\",depth=2";
        assert_eq!(local(text), format!("{text},file=\"/cache/1\""));
        for text in ["random", "pvs:book=c.book", "forest:model=a,b.xml", "no such:file=a,b.xml"] {
            assert_eq!(local(text), text);
        }
        let mut spec = Spec::parse(&local(text)).unwrap();
        assert_eq!(spec.take("file").as_deref(), Some("/cache/1"));
    }

    /// Whether a process has the pipe open for reading: only then can it be opened for writing at
    /// once.
    fn has_reader(pipe: &Path) -> bool {
        let mut options = OpenOptions::new();
        match options.write(true).custom_flags(libc::O_NONBLOCK).open(pipe) {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.raw_os_error(), Some(libc::ENXIO), "{error}");
                false
            }
        }
    }

    /// Reads texts again and again, and meanwhile looks at the pipe that they name.
    fn opens(pipe: &Path, read: impl Fn() + Sync) -> bool {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..50).for_each(|_| read());
                done.store(true, Relaxed);
            });
            let mut opened = false;
            while !done.load(Relaxed) {
                opened |= has_reader(pipe);
            }
            opened || has_reader(pipe)
        })
    }

    /// Who may name a player must not be able to have a file opened by that alone: a server reads
    /// the text before it decides whether the player is allowed.
    #[test]
    fn to_read_the_text_of_a_player_opens_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let place = pipe.display();
        let options = |known: &mut dyn Iterator<Item = PlayerInfo>, more: &str| -> Vec<String> {
            let options = known.flat_map(|info| info.options.iter().map(move |it| (info, it.0)));
            let keys =
                options.filter_map(|(info, form)| Some((info.name, form.strip_suffix("=FILE")?)));
            keys.map(|(name, key)| format!("{name}:{key}={place}{more}")).collect()
        };
        let gomoku = crate::opened("gomoku");
        for text in options(&mut players::all(), "") {
            let parsed = || text.parse::<PlayerSpec>().unwrap();
            assert!(!opens(&pipe, || drop(parsed())), "{text}");
            // What is declared as a file is part of the identity of games, and goes to other
            // machines.
            let file = parsed().file().map(|file| file.path().to_string());
            assert_eq!(file.as_deref(), pipe.to_str(), "{text}");
            let error = parsed().build(&PlayerContext::new(&gomoku, 1)).err();
            let error = error.unwrap().to_string();
            assert!(error.contains("a device or a pipe; expected a regular file"), "{error}");
        }
        for text in options(&mut AGENTS.iter().copied(), ",eval=nn-utility") {
            let parsed = || text.parse::<AgentSpec>().unwrap();
            assert!(!opens(&pipe, || drop(parsed())), "{text}");
            assert_eq!(parsed().file().map(PlayerFile::path), pipe.to_str(), "{text}");
            assert!(parsed().build::<u128>(&Settings::level(1).unwrap(), 1).is_err());
        }
        let external = format!("external:cmd=\"{place} {place}\",log={place},dir={place}");
        assert!(!opens(&pipe, || drop(external.parse::<PlayerSpec>().unwrap())));
    }

    #[test]
    fn files_of_untrusted_texts_are_named_in_declared_options_only() {
        let files = |text: &str| declared_files(text, players::all());
        assert_eq!(files("pvs:book=a,depth=2,book=b").unwrap(), [("book", "b".to_string())]);
        assert_eq!(files("forest: file = \"a,b\"").unwrap(), [("file", "a,b".to_string())]);
        for text in ["random", "solver:book=off,level=3", "gomoku:tt=1M", "forest:depth=2"] {
            assert_eq!(files(text).unwrap(), [], "{text}");
        }
        let tunable = Tunables::ALL[0].option;
        assert_eq!(files(&format!("gomoku:{tunable}=1")).unwrap(), []);
        for text in ["random:file=a", "pvs:weights=a", "gomoku:log=a", "a:file=b", "", "pvs:/dev/x"]
        {
            assert!(files(text).is_err(), "{text}");
        }
    }

    /// Every option that some player reads a file by. One more belongs here and is `key=FILE` in the player's help.
    #[test]
    fn players_say_which_options_are_files() {
        let files = |known: &mut dyn Iterator<Item = PlayerInfo>| {
            let options =
                known.flat_map(|info| info.options.iter().map(move |it| (info.name, it.0)));
            let files = options.filter(|(_, form)| form.ends_with("=FILE"));
            files.map(|(player, form)| format!("{player}:{form}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            files(&mut players::all()),
            "negaalphabeta:book=FILE pvs:book=FILE forest:file=FILE gomoku:weights=FILE \
             critic:file=FILE critic-mcts:file=FILE uct:file=FILE line-mcts:file=FILE \
             line-alphabeta:file=FILE"
        );
        assert_eq!(files(&mut AGENTS.iter().copied()), "flat-ucb:file=FILE");
    }
}
