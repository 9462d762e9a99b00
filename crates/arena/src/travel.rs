//! Files that players and agents name, on another machine. There they lie elsewhere; what a player is called, and so
//! the identity of its games, stays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tesuji_queue::{Brief, Trouble};

use crate::players::file::PlayerFile;

/// Where files lie, by the names that texts have for them.
pub type Files = BTreeMap<String, PathBuf>;

/// The brief with the files of a player: the content that the player has here.
pub(crate) fn packed<'a>(
    brief: Brief,
    mut files: impl Iterator<Item = &'a PlayerFile>,
) -> Result<Brief, Trouble> {
    files.try_fold(brief, |brief, file| {
        let name = file.name();
        let bytes = file.bytes().map_err(|why| Trouble(format!("{name}: {why}")))?;
        match brief.files.get(name) {
            None => Ok(brief.with_file(name, bytes.to_vec())),
            Some(other) if other == bytes => Ok(brief),
            Some(_) => Err(Trouble(format!("{name}: it changed while it was read"))),
        }
    })
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
    use crate::options::OptionInfo;
    use crate::{PlayerContext, PlayerSpec, players};
    use tesuji_games::rules::gem_island::Settings;
    use tesuji_gomoku::engine::tunables::Tunables;

    #[test]
    fn files_are_looked_for_elsewhere_under_the_same_name() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("1");
        std::fs::write(&copy, "content").unwrap();
        let files = Files::from([("a,b.xml".to_string(), copy)]);
        let text = "forest:file=\"a,b.xml\",depth=2";
        let spec = PlayerSpec::reading(text, &files).unwrap();
        assert_eq!(spec.text(), text);
        let found: Vec<_> = spec.files().map(|file| (file.key(), file.name())).collect();
        assert_eq!(found, [("file", "a,b.xml")]);
        assert_eq!(spec.files().next().unwrap().bytes().unwrap(), b"content");
        let here: PlayerSpec = text.parse().unwrap();
        assert!(here.files().next().unwrap().bytes().is_err());
        for text in ["random", "forest:model=a,depth=2", "solver:book=off,level=3"] {
            assert_eq!(PlayerSpec::reading(text, &files).unwrap().files().count(), 0, "{text}");
        }
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
        let keys = |options: &'static [OptionInfo]| {
            options.iter().filter(|info| info.is_file()).map(|info| info.key)
        };
        let named = |name: &str, key: &str| format!("{name}:{key}={place}");
        let players = players::all()
            .flat_map(|kind| keys(kind.options).map(move |key| named(kind.name, key)));
        let agents =
            AGENTS.iter().flat_map(|kind| keys(kind.options).map(move |key| named(kind.name, key)));
        let gomoku = crate::opened("gomoku");
        for text in players {
            let parsed = || text.parse::<PlayerSpec>().unwrap();
            assert!(!opens(&pipe, || drop(parsed())), "{text}");
            // What is declared as a file is part of the identity of games, and goes to other
            // machines.
            let spec = parsed();
            let files: Vec<&str> = spec.files().map(PlayerFile::name).collect();
            assert_eq!(files, [pipe.to_str().unwrap()], "{text}");
            let error = parsed().build(&PlayerContext::new(&gomoku, 1)).err();
            let error = error.unwrap().to_string();
            assert!(error.contains("a device or a pipe; expected a regular file"), "{error}");
        }
        for text in agents.map(|text| format!("{text},eval=nn-utility")) {
            let parsed = || text.parse::<AgentSpec>().unwrap();
            assert!(!opens(&pipe, || drop(parsed())), "{text}");
            let spec = parsed();
            let files: Vec<&str> = spec.files().map(PlayerFile::name).collect();
            assert_eq!(files, [pipe.to_str().unwrap()], "{text}");
            assert!(parsed().build::<u128>(&Settings::level(1).unwrap(), 1).is_err());
        }
        let external = format!("external:cmd=\"{place} {place}\",log={place},dir={place}");
        assert!(!opens(&pipe, || drop(external.parse::<PlayerSpec>().unwrap())));
    }

    /// A text from an untrusted source names files in declared options only.
    #[test]
    fn an_option_that_is_not_declared_is_refused() {
        for text in ["random:file=a", "pvs:weights=a", "gomoku:log=a", "a:file=b", "", "pvs:/dev/x"]
        {
            assert!(text.parse::<PlayerSpec>().is_err(), "{text}");
        }
        let tunable = Tunables::ALL[0];
        let text = format!("gomoku:{}={}", tunable.option, tunable.usual);
        assert_eq!(text.parse::<PlayerSpec>().unwrap().files().count(), 0);
    }

    #[test]
    fn players_say_which_options_are_files() {
        let forms = |name: &str, options: &[OptionInfo]| -> Vec<String> {
            let files = options.iter().filter(|info| info.is_file());
            files.map(|info| format!("{name}:{}", info.form())).collect()
        };
        let players: Vec<String> =
            players::all().flat_map(|kind| forms(kind.name, kind.options)).collect();
        assert_eq!(
            players.join(" "),
            "negaalphabeta:book=FILE pvs:book=FILE forest:file=FILE gomoku:weights=FILE \
             critic:file=FILE critic-mcts:file=FILE uct:file=FILE line-mcts:file=FILE \
             line-alphabeta:file=FILE"
        );
        let agents: Vec<String> =
            AGENTS.iter().flat_map(|kind| forms(kind.name, kind.options)).collect();
        assert_eq!(agents, ["flat-ucb:file=FILE"]);
    }
}
