//! Files that players and agents name, on another machine. There they lie elsewhere; what a player is called, and so
//! the identity of its games, stays.
//!
//! Which options name files is said in one place, the [`PlayerInfo`]: those of the form `key=FILE`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tesuji_games::Spec;
use tesuji_queue::{Brief, Trouble};

use crate::PlayerInfo;

/// Where files lie, by the names that texts have for them.
pub type Files = BTreeMap<String, PathBuf>;

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

/// The brief with the files that a text names.
pub(crate) fn packed(
    mut brief: Brief,
    text: &str,
    known: impl IntoIterator<Item = PlayerInfo>,
) -> Result<Brief, Trouble> {
    for (_, name) in named(text, known) {
        if !brief.files.contains_key(&name) {
            let bytes =
                std::fs::read(&name).map_err(|why| Trouble(format!("{text}: {name}: {why}")))?;
            brief = brief.with_file(name, bytes);
        }
    }
    Ok(brief)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gem_island::AGENTS;
    use crate::players;

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
