//! The table of learners. A new learner is a folder with a [`Learner`](tesuji_train::Learner) and
//! an entry here.

use tesuji_train::{LearnerKind, RunSettings, SettingsError};

use crate::{critic, evolution, gem_island, gomoku, line_network, ntuple};

/// Every learner, in the order of the help. The first is the default of files that name none.
pub static LEARNERS: &[LearnerKind] = &[
    evolution::KIND,
    ntuple::KIND,
    critic::KIND,
    line_network::KIND,
    gomoku::KIND,
    gem_island::OUTCOME,
    gem_island::UTILITY,
    gem_island::POLICY,
];

/// Reads the settings of any learner from the text of a TOML file.
pub fn read_settings(text: &str) -> Result<RunSettings, SettingsError> {
    RunSettings::read(LEARNERS, text)
}

/// The learner with this name.
pub fn learner(name: &str) -> Option<&'static LearnerKind> {
    LEARNERS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learner_determines_the_keys() {
        for kind in LEARNERS {
            let settings = read_settings(kind.example).unwrap();
            assert_eq!(settings.kind.name, kind.name);
            assert_eq!(read_settings(&settings.toml).unwrap(), settings, "{}", kind.name);
            assert_eq!(settings.difference(&settings), None);
            let seed = [("seed".to_string(), toml::Value::Integer(5))];
            let other = settings.with(&seed).unwrap();
            let words = other.difference(&settings).unwrap();
            assert!(words.starts_with("`seed` is ") && words.ends_with("and 5 now"), "{words}");
            for key in kind.resumable {
                let has = settings.toml.contains(key.rsplit('.').next().unwrap());
                assert!(has || *key == "stop", "{}: {key}", kind.name);
            }
        }
        let read = |name: &str| read_settings(learner(name).unwrap().example).unwrap();
        assert!(read("weights").difference(&read("critic")).unwrap().starts_with("`learner`"));
        for text in
            ["learner = 'net'", "learner = 3", "learner = 'weights'\n[forest]\ntrees = 3", "x"]
        {
            let error = read_settings(text).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn keys_of_the_first_edition_are_accepted() {
        let text = "learner = 'weights'\ngame = 'tictactoe'\n[measure]\nblock = 7\nevery = 3\n";
        let settings = read_settings(text).unwrap();
        assert!(settings.toml.contains("block = 7"), "{}", settings.toml);
        assert_eq!(settings.common.measure.unwrap().every, 3);
    }

    #[test]
    fn threads_and_stop_settings_may_change() {
        let run = read_settings("game = 'tictactoe'").unwrap();
        let free =
            "game = 'tictactoe'\nthreads = 7\n[stop]\niterations = 3\n[evolution]\nlargest = 20";
        assert_eq!(read_settings(free).unwrap().difference(&run), None);
        let other = read_settings("game = 'tictactoe'\n[forest]\ntrees = 30").unwrap();
        let words = "`forest.trees` is 25 in the run and 30 now";
        assert_eq!(other.difference(&run).as_deref(), Some(words));
        let store = read_settings("game = 'tictactoe'\n[data]\nstore = 'x.db'").unwrap();
        assert!(store.difference(&run).unwrap().contains("`data.store` is absent in the run"));
    }
}
