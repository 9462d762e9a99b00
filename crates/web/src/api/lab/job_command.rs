//! The settings of a job and its kind, as arguments for the program that does it. That program checks
//! the settings; here it is only made sure that settings from a page name no programs and files of
//! this machine, unless the server allows it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_app::experiment::{self, DEFAULT_RUN_LIMIT, Experiment, ExperimentInputs};
use tesuji_games::Spec;
use tesuji_train::measure::is_model;
use toml::{Table, Value};

use crate::admission;
use crate::errors::ApiError;

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LabJobKind {
    /// Teaches a learner.
    Train,
    /// Many players.
    Tournament,
    /// Two players.
    Match,
    /// The same training run or match with other settings, and one table of results.
    Experiment,
    /// Published numbers once more, beside ours.
    Reproduce,
}

/// The file of settings in the folder of a job.
pub(super) const FILE: &str = "job.toml";

/// Whether a job begins, or is carried on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StartMode {
    New,
    Resume,
}

/// Where a job keeps what it makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobPaths<'a> {
    /// Its own folder.
    pub(super) folder: &'a Path,
    /// The store of the server.
    pub(super) store: Option<&'a str>,
    /// The folder of reports.
    pub(super) reports: &'a Path,
}

/// The store of a job, which it gets by its environment: the address of a database has a password
/// in it, and every user of the machine can read the arguments of a process. A training and an
/// experiment have their own unless workers of other machines play for them.
pub(super) fn store_of(kind: LabJobKind, paths: JobPaths<'_>, workers: bool) -> Option<String> {
    let JobPaths { folder, store, .. } = paths;
    let own = || folder.join("games.db").to_string_lossy().into_owned();
    let is_shared = match kind {
        LabJobKind::Train | LabJobKind::Experiment => workers,
        LabJobKind::Tournament | LabJobKind::Match => true,
        LabJobKind::Reproduce => false,
    };
    is_shared.then(|| store.map_or_else(own, str::to_string))
}

/// The program's arguments for a job.
pub(super) fn arguments(
    kind: LabJobKind,
    start: StartMode,
    paths: JobPaths<'_>,
    toml: &str,
) -> Result<Vec<String>, ApiError> {
    let JobPaths { folder, reports, .. } = paths;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let file = path(&folder.join(FILE));
    Ok(match (kind, start) {
        (LabJobKind::Train, StartMode::New) => {
            vec!["train".into(), file, "--out".into(), path(folder)]
        }
        (LabJobKind::Train, StartMode::Resume) => {
            vec!["train".into(), "--resume".into(), path(folder)]
        }
        (LabJobKind::Tournament, _) => {
            vec!["tournament".into(), file, "--out".into(), path(&folder.join("tables"))]
        }
        (LabJobKind::Match, _) => match_arguments(toml)?,
        (LabJobKind::Experiment, StartMode::New) => {
            vec!["experiment".into(), file, "--out".into(), path(folder)]
        }
        // What the folder was taken for, also where that was done on the command line.
        (LabJobKind::Experiment, StartMode::Resume) => {
            let begun = folder.join(experiment::FILE);
            let file = if begun.is_file() { path(&begun) } else { file };
            vec!["experiment".into(), file, "--out".into(), path(folder)]
        }
        (LabJobKind::Reproduce, _) => {
            let id = reproduction_id(toml)?.to_string();
            vec!["reproduce".into(), "--quick".into(), format!("--out={}", path(reports)), id]
        }
    })
}

/// The published table or figure that a file names, which is all that it may say.
pub(super) fn reproduction_id(toml: &str) -> Result<&'static str, ApiError> {
    let table = parsed(toml)?;
    let named = table.get("experiment").and_then(Value::as_str).filter(|_| table.len() == 1);
    let id = named.ok_or_else(|| ApiError::bad("say `experiment = \"ID\"`, and nothing else"))?;
    let known = tesuji_reproduce::find(id).map(|experiment| experiment.id);
    let missing = "there is no such experiment; /api/lab/reproduction lists them";
    known.ok_or_else(|| ApiError::missing(missing))
}

/// What may stand in the file of a match beside the game and the two players: options of `tesuji match`.
const MATCH_OPTIONS: [&str; 14] = [
    "games",
    "random-plies",
    "time",
    "game-time",
    "margin",
    "depth",
    "nodes",
    "seed",
    "concurrency",
    "sprt",
    "adjudicate",
    "decided",
    "even",
    "max-plies",
];

fn match_arguments(toml: &str) -> Result<Vec<String>, ApiError> {
    let mut table = parsed(toml)?;
    let mut words = Vec::new();
    for key in ["game", "first", "second"] {
        match table.remove(key) {
            Some(Value::String(word)) => words.push(word),
            _ => return Err(ApiError::bad(format!("a match needs `{key}`, as text in quotes"))),
        }
    }
    let mut arguments = vec!["match".to_string()];
    for (key, value) in table {
        if !MATCH_OPTIONS.contains(&key.as_str()) {
            let known = MATCH_OPTIONS.join(", ");
            let key = key.escape_debug();
            return Err(ApiError::bad(format!("a match has no `{key}`; it may have {known}")));
        }
        let value = match value {
            Value::String(text) => text,
            Value::Integer(number) => number.to_string(),
            _ => return Err(ApiError::bad(format!("`{key}` must be a number or a text"))),
        };
        arguments.push(format!("--{key}={value}"));
    }
    // Whatever they begin with, these are no options.
    arguments.push("--".to_string());
    arguments.extend(words);
    Ok(arguments)
}

fn parsed(toml: &str) -> Result<Table, ApiError> {
    toml.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or("", |span| toml.get(..span.start).unwrap_or_default());
        let line = before.matches('\n').count() + 1;
        ApiError::bad(format!("line {line}: {}", error.message()))
    })
}

/// Keys whose values are files or databases.
const FILE_KEYS: [&str; 5] = ["store", "import", "records", "logs", "file"];
/// Keys whose values are players, in the files of tournaments and matches and among a learner's rivals.
const PLAYER_KEYS: [&str; 6] = ["players", "rivals", "opponents", "spec", "first", "second"];

/// The end of every refusal below.
const ALLOW_PROGRAMS_HINT: &str =
    "expected none, or a server that was started with --allow-programs";

/// Checks a file that comes from a page: it may not name programs, files of this machine, or its
/// environment. Models of runs are looked up, so this is not for a thread of the runtime.
pub(super) fn check_file(runs: &Path, kind: LabJobKind, toml: &str) -> Result<(), ApiError> {
    check_programs(toml)?;
    if kind == LabJobKind::Experiment {
        return check_experiment(runs, toml);
    }
    let table = parsed(toml)?;
    // The players of Gem Island's learners are not those of the arena, and none of them is a
    // program or reads a file.
    let learner = table.get("learner").and_then(Value::as_str).unwrap_or_default();
    let guarded = kind != LabJobKind::Train || !learner.starts_with("gem-");
    visit_texts("", &Value::Table(table), &mut |key, text| {
        let shipped = super::examples::openings().any(|(name, _)| name == text);
        // Patterns that are taken from a file: `from = "forest:FILE.xml"`.
        let is_place = FILE_KEYS.contains(&key) || (key == "from" && text.starts_with("forest:"));
        if is_place && !text.is_empty() && !shipped {
            let why = "names a place on the machine of the server";
            return Err(ApiError::forbidden(format!("`{key}` {why}; {ALLOW_PROGRAMS_HINT}")));
        }
        if guarded && PLAYER_KEYS.contains(&key) && !is_model(text) {
            check_player(runs, key, &text.replace("{depth}", "1"))?;
        }
        Ok(())
    })
}

fn check_player(runs: &Path, key: &str, text: &str) -> Result<(), ApiError> {
    admission::check_files(text, runs)
        .map_err(|error| ApiError::new(error.status, format!("`{key}`: {error}")))
}

/// The values of a grid become settings and options of players, so what the runs would read is checked, as it
/// would be for each alone.
fn check_experiment(runs: &Path, toml: &str) -> Result<(), ApiError> {
    let experiment = read_experiment(toml)?;
    let parts = experiment.inputs().map_err(|error| ApiError::bad(error.to_string()))?;
    match parts {
        ExperimentInputs::Settings(texts) => {
            texts.iter().try_for_each(|text| check_file(runs, LabJobKind::Train, text))
        }
        ExperimentInputs::Players(texts) => texts.iter().try_for_each(|text| {
            check_text("player", text)?;
            check_player(runs, "player", text)
        }),
    }
}

/// The experiment of a file, which is of a size that is begun without asking.
fn read_experiment(toml: &str) -> Result<Experiment, ApiError> {
    let experiment = Experiment::parse(toml).map_err(|error| ApiError::bad(error.to_string()))?;
    match experiment.runs() {
        runs if runs > DEFAULT_RUN_LIMIT => {
            let why = format!("{runs} runs; expected at most {DEFAULT_RUN_LIMIT}");
            Err(ApiError::bad(why))
        }
        _ => Ok(experiment),
    }
}

/// Checks that a file names no programs, in whatever setting, and nothing of the environment, which
/// could hold one.
pub(super) fn check_programs(toml: &str) -> Result<(), ApiError> {
    visit_texts("", &Value::Table(parsed(toml)?), &mut check_text)
}

fn check_text(key: &str, text: &str) -> Result<(), ApiError> {
    let key = key.escape_debug();
    if text.contains("${") {
        let why = "names a variable of the server's environment";
        return Err(ApiError::forbidden(format!("`{key}` {why}; {ALLOW_PROGRAMS_HINT}")));
    }
    if Spec::parse(text).is_ok_and(|spec| spec.name() == "external") {
        let why = "starts a program on the machine of the server";
        return Err(ApiError::forbidden(format!("`{key}` {why}; {ALLOW_PROGRAMS_HINT}")));
    }
    Ok(())
}

/// Calls `each` with every text in a file and the key that it stands under.
fn visit_texts(
    key: &str,
    value: &Value,
    each: &mut dyn FnMut(&str, &str) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    match value {
        Value::String(text) => each(key, text),
        Value::Array(values) => values.iter().try_for_each(|value| visit_texts(key, value, each)),
        Value::Table(table) => {
            // A player with a name: only what plays under it matters.
            let named = table.contains_key("spec") && PLAYER_KEYS.contains(&key);
            let inner = table.iter().filter(|(key, _)| !named || *key != "name");
            let mut inner = inner.map(|(key, value)| (key.as_str(), value));
            inner.try_for_each(|(key, value)| visit_texts(key, value, each))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> JobPaths<'static> {
        JobPaths { folder: Path::new("runs/t"), store: Some("g.db"), reports: Path::new("out") }
    }

    #[test]
    fn an_experiment_of_the_catalogue_is_made_again_and_nothing_else_is() {
        let read = |toml: &str| arguments(LabJobKind::Reproduce, StartMode::New, paths(), toml);
        let words = read("experiment = 'anigmo-stats'").unwrap().join(" ");
        assert_eq!(words, "reproduce --quick --out=out anigmo-stats");
        for toml in [
            "",
            "experiment = 1",
            "experiment = '--all'",
            "experiment = '../anigmo-stats'",
            "experiment = 'anigmo-stats'\nengine = 'x=/bin/sh'",
        ] {
            assert!(read(toml).is_err(), "{toml}");
        }
    }

    #[test]
    fn matches_become_arguments_and_nothing_else_does() {
        let read = |toml: &str| arguments(LabJobKind::Match, StartMode::New, paths(), toml);
        let words = read("game='tictactoe'\nfirst='random'\nsecond='--json'\ngames=4").unwrap();
        assert_eq!(words, ["match", "--games=4", "--", "tictactoe", "random", "--json"]);
        for (toml, why) in [
            ("game='x'\nfirst='a'", "`second`"),
            ("game='x'\nfirst='a'\nsecond='b'\nopenings='/etc/passwd'", "no `openings`"),
            ("game='x'\nfirst='a'\nsecond='b'\nstore='x.db'", "no `store`"),
            ("game='x'\nfirst='a'\nsecond='b'\ngames=[1]", "`games` must"),
            ("game='x'\n\nfirst=", "line 3"),
        ] {
            let error = read(toml).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_training_begins_and_is_carried_on_with() {
        let words = |start| arguments(LabJobKind::Train, start, paths(), "").unwrap().join(" ");
        assert_eq!(words(StartMode::New), "train runs/t/job.toml --out runs/t");
        assert_eq!(words(StartMode::Resume), "train --resume runs/t");
    }

    #[test]
    fn an_experiment_is_resumed_by_the_same_command() {
        let words =
            |start| arguments(LabJobKind::Experiment, start, paths(), "").unwrap().join(" ");
        assert_eq!(words(StartMode::New), "experiment runs/t/job.toml --out runs/t");
        assert_eq!(words(StartMode::Resume), words(StartMode::New));
    }

    #[test]
    fn records_are_where_those_who_play_reach_them() {
        let nowhere = JobPaths { store: None, ..paths() };
        for (kind, paths, workers, expected) in [
            (LabJobKind::Train, paths(), false, None),
            (LabJobKind::Train, paths(), true, Some("g.db")),
            (LabJobKind::Tournament, paths(), false, Some("g.db")),
            (LabJobKind::Match, paths(), true, Some("g.db")),
            (LabJobKind::Match, nowhere, false, Some("runs/t/games.db")),
            (LabJobKind::Reproduce, paths(), false, None),
        ] {
            assert_eq!(store_of(kind, paths, workers).as_deref(), expected, "{kind:?}");
        }
    }

    #[test]
    fn files_from_pages_reach_no_files_and_no_programs() {
        let tried = |player: &str, opponent: &str, grid: &str| {
            format!(
                "[match]\ngame='tictactoe'\nplayer='{player}'\nopponents=['{opponent}']\n[grid]\n{grid}"
            )
        };
        let trained = |grid: &str, settings: &str| {
            format!("[train]\ngame='tictactoe'\n{settings}\n[grid]\n{grid}")
        };
        let refused = |kind, toml: &str| check_file(Path::new("runs"), kind, toml).is_err();
        let cup = "name='x'\ngame='tictactoe'\n";
        for (kind, toml) in [
            (LabJobKind::Tournament, format!("{cup}players=['random','external:cmd=/bin/sh']")),
            (
                LabJobKind::Tournament,
                format!("{cup}players=['random',{{name='a',spec='external:cmd=/bin/sh'}}]"),
            ),
            (LabJobKind::Tournament, format!("{cup}players=['random','forest:file=/etc/passwd']")),
            (LabJobKind::Tournament, format!("{cup}players=['random','${{HOME}}']")),
            (LabJobKind::Tournament, format!("{cup}players=['random','pvs']\nstore='/tmp/x.db'")),
            (
                LabJobKind::Tournament,
                format!("{cup}players=['random','pvs']\nopenings={{file='/etc/passwd'}}"),
            ),
            (LabJobKind::Match, "game='x'\nfirst='external:cmd=sh'\nsecond='random'".to_string()),
            (LabJobKind::Train, "game='tictactoe'\n[data]\nstore='/tmp/x.db'".to_string()),
            (LabJobKind::Train, "game='tictactoe'\n[data]\nimport=['/tmp/x.db']".to_string()),
            (
                LabJobKind::Train,
                "game='tictactoe'\n[evolution.scenarios]\nrivals=['external:cmd=sh']".to_string(),
            ),
            (
                LabJobKind::Train,
                "game='tictactoe'\n[measure]\nopponents=['start','external:cmd=sh']".to_string(),
            ),
            (
                LabJobKind::Train,
                "game='tictactoe'\n[measure]\nopponents=['forest:file=/etc/x']".to_string(),
            ),
            (LabJobKind::Train, "learner='gem-outcome'\nlogs='/etc'".to_string()),
            (LabJobKind::Train, "learner='line-network'\nrecords=['/etc/passwd']".to_string()),
            (
                LabJobKind::Train,
                "learner='weights'\n[patterns]\nfrom='forest:/etc/passwd'".to_string(),
            ),
            (LabJobKind::Train, "game='tictactoe'\nwhatever={a=[' external:cmd=sh']}".to_string()),
            (LabJobKind::Train, "learner='gem-outcome'\n[games]\nplayers=['external']".to_string()),
            (LabJobKind::Train, "no toml".to_string()),
            (LabJobKind::Experiment, "no toml".to_string()),
            (LabJobKind::Experiment, tried("random", "external:cmd=sh", "")),
            (LabJobKind::Experiment, tried("external:cmd=sh", "random", "")),
            (LabJobKind::Experiment, tried("external", "random", "cmd=['/bin/sh']")),
            (LabJobKind::Experiment, tried("forest", "random", "file=['/etc/passwd']")),
            (LabJobKind::Experiment, tried("pvs", "random", "depth=['1,book=/etc/passwd']")),
            (LabJobKind::Experiment, tried("pvs", "forest:file=/etc/passwd", "depth=[1]")),
            (LabJobKind::Experiment, tried("pvs", "random", "depth=['${HOME}']")),
            (LabJobKind::Experiment, trained("seed=[1]", "[train.data]\nstore='/tmp/x.db'")),
            (LabJobKind::Experiment, trained("\"data.store\"=['/tmp/x.db']", "")),
            (LabJobKind::Experiment, trained("\"data.import\"=[['/tmp/x.db']]", "")),
            (LabJobKind::Experiment, trained("\"measure.opponents\"=[['external:cmd=sh']]", "")),
            (LabJobKind::Experiment, trained("\"measure.opponents\"=[['forest:file=/x']]", "")),
            (LabJobKind::Experiment, trained("measure=[{opponents=['forest:file=/x']}]", "")),
            (
                LabJobKind::Experiment,
                format!("seeds={:?}\n{}", [1; 101], tried("pvs", "random", "")),
            ),
        ] {
            assert!(refused(kind, &toml), "{toml}");
        }
        let reach = |kind, toml: &str| check_file(Path::new("runs"), kind, toml);
        for example in super::super::examples::all() {
            assert_eq!(reach(example.kind, &example.text), Ok(()), "{}", example.name);
            if example.kind == LabJobKind::Train {
                // Also with all defaults written out, as an experiment checks them.
                let settings = example.text.parse::<Table>().unwrap();
                let table = Table::from_iter([("train".to_string(), Value::Table(settings))]);
                let text = toml::to_string(&table).unwrap();
                assert_eq!(reach(LabJobKind::Experiment, &text), Ok(()), "{}", example.name);
            }
        }
        for toml in [
            tried("pvs", "random", "depth=[1, 2]"),
            trained("\"measure.opponents\"=[['start', 'heuristic']]", ""),
        ] {
            assert_eq!(reach(LabJobKind::Experiment, &toml), Ok(()), "{toml}");
        }
    }

    /// What was started elsewhere may name files; programs are refused wherever they are named.
    #[test]
    fn programs_are_found_in_every_setting() {
        assert_eq!(check_programs("store='/x.db'\nplayers=['forest:file=/x.xml']"), Ok(()));
        for toml in [
            "players=['external:cmd=sh']",
            "players=[{name='a',spec='external:cmd=sh'}]",
            "[evolution.scenarios]\nrivals=['external:cmd=sh']",
            "first=\"\\u0065xternal:cmd=sh\"",
            "players=['${PLAYER}']",
        ] {
            assert!(check_programs(toml).is_err(), "{toml}");
        }
    }
}
