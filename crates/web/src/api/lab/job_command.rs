//! Converts the settings of a job to arguments of the program, which checks the settings itself.
//! This module only ensures that settings from a page do not name programs or files of this
//! machine, unless the server allows it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_app::experiment::{self, DEFAULT_RUN_LIMIT, Experiment, ExperimentInputs};
use tesuji_games::Spec;
use tesuji_train::measure::is_model;
use toml::{Table, Value};

use crate::admission;
use crate::errors::ApiError;

/// The kind of a job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LabJobKind {
    /// A training run.
    Train,
    /// A tournament of many players.
    Tournament,
    /// A match of two players.
    Match,
    /// A training run or match over a grid of settings, with one table of results.
    Experiment,
    /// A reproduction of published numbers.
    Reproduce,
}

/// The file with the settings, in the folder of a job.
pub(super) const FILE: &str = "job.toml";

/// Whether a job starts or resumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StartMode {
    New,
    Resume,
}

/// The places where a job stores its results.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobPaths<'a> {
    /// The folder of the job.
    pub(super) folder: &'a Path,
    /// The store of the server.
    pub(super) store: Option<&'a str>,
    /// The folder of reports.
    pub(super) reports: &'a Path,
}

/// The store of a job, which is passed in its environment: the address of a database contains a
/// password, and every user of the machine can read the arguments of a process. Trainings and
/// experiments have their own store unless remote workers play their games.
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
        // The file that locked the folder, which may be from the command line.
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

/// The id of the published table or figure in a file, which may contain nothing else.
pub(super) fn reproduction_id(toml: &str) -> Result<&'static str, ApiError> {
    let table = parsed(toml)?;
    let named = table.get("experiment").and_then(Value::as_str).filter(|_| table.len() == 1);
    let id = named.ok_or_else(|| {
        ApiError::bad("reproduction: invalid file; expected only `experiment = \"ID\"`")
    })?;
    let known = tesuji_reproduce::find(id).map(|experiment| experiment.id);
    let missing = "experiment: not found; see /api/lab/reproduction";
    known.ok_or_else(|| ApiError::missing(missing))
}

/// The keys of a match file besides the game and the players; they are options of `tesuji match`.
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
            _ => return Err(ApiError::bad(format!("`{key}`: missing; expected a string"))),
        }
    }
    let mut arguments = vec!["match".to_string()];
    for (key, value) in table {
        if !MATCH_OPTIONS.contains(&key.as_str()) {
            let known = MATCH_OPTIONS.join(", ");
            let key = key.escape_debug();
            return Err(ApiError::bad(format!("`{key}`: unknown key; expected one of {known}")));
        }
        let value = match value {
            Value::String(text) => text,
            Value::Integer(number) => number.to_string(),
            _ => {
                let problem = "invalid type; expected an integer or a string";
                return Err(ApiError::bad(format!("`{key}`: {problem}")));
            }
        };
        arguments.push(format!("--{key}={value}"));
    }
    // Positional arguments may begin with a dash.
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
/// Keys whose values are players.
const PLAYER_KEYS: [&str; 6] = ["players", "rivals", "opponents", "spec", "first", "second"];

/// The end of all following errors.
const ALLOW_PROGRAMS_HINT: &str = "expected none, or a server started with --allow-programs";

/// Checks that a file from a page names no programs, files of this machine or environment
/// variables. Blocks for lookups of models.
pub(super) fn check_file(runs: &Path, kind: LabJobKind, toml: &str) -> Result<(), ApiError> {
    check_programs(toml)?;
    if kind == LabJobKind::Experiment {
        return check_experiment(runs, toml);
    }
    let table = parsed(toml)?;
    // The players of Gem Island's learners are agents; none of them runs a program or reads a file.
    let learner = table.get("learner").and_then(Value::as_str).unwrap_or_default();
    let guarded = kind != LabJobKind::Train || !learner.starts_with("gem-");
    visit_texts("", &Value::Table(table), &mut |key, text| {
        let shipped = super::examples::openings().any(|(name, _)| name == text);
        // Patterns from a file: `from = "forest:FILE.xml"`.
        let is_place = FILE_KEYS.contains(&key) || (key == "from" && text.starts_with("forest:"));
        if is_place && !text.is_empty() && !shipped {
            let problem = "names a file or database of the server";
            return Err(ApiError::forbidden(format!("`{key}`: {problem}; {ALLOW_PROGRAMS_HINT}")));
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

/// The values of a grid become settings and player options, so the settings or players of every run
/// are checked.
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

/// Parses an experiment, and checks its number of runs.
fn read_experiment(toml: &str) -> Result<Experiment, ApiError> {
    let experiment = Experiment::parse(toml).map_err(|error| ApiError::bad(error.to_string()))?;
    match experiment.runs() {
        runs if runs > DEFAULT_RUN_LIMIT => {
            let why = format!("experiment: {runs} runs; expected at most {DEFAULT_RUN_LIMIT}");
            Err(ApiError::bad(why))
        }
        _ => Ok(experiment),
    }
}

/// Checks that a file names no programs, and no environment variables, which could contain one.
pub(super) fn check_programs(toml: &str) -> Result<(), ApiError> {
    visit_texts("", &Value::Table(parsed(toml)?), &mut check_text)
}

fn check_text(key: &str, text: &str) -> Result<(), ApiError> {
    let key = key.escape_debug();
    if text.contains("${") {
        let problem = "names an environment variable of the server";
        return Err(ApiError::forbidden(format!("`{key}`: {problem}; {ALLOW_PROGRAMS_HINT}")));
    }
    if Spec::parse(text).is_ok_and(|spec| spec.name() == "external") {
        let problem = "starts a program on the server";
        return Err(ApiError::forbidden(format!("`{key}`: {problem}; {ALLOW_PROGRAMS_HINT}")));
    }
    Ok(())
}

/// Calls `each` with every text of a file and its key.
fn visit_texts(
    key: &str,
    value: &Value,
    each: &mut dyn FnMut(&str, &str) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    match value {
        Value::String(text) => each(key, text),
        Value::Array(values) => values.iter().try_for_each(|value| visit_texts(key, value, each)),
        Value::Table(table) => {
            // A named player: only its spec matters.
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
    fn only_experiments_of_the_catalogue_are_reproduced() {
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
    fn match_settings_become_arguments() {
        let read = |toml: &str| arguments(LabJobKind::Match, StartMode::New, paths(), toml);
        let words = read("game='tictactoe'\nfirst='random'\nsecond='--json'\ngames=4").unwrap();
        assert_eq!(words, ["match", "--games=4", "--", "tictactoe", "random", "--json"]);
        for (toml, why) in [
            ("game='x'\nfirst='a'", "`second`"),
            ("game='x'\nfirst='a'\nsecond='b'\nopenings='/etc/passwd'", "`openings`: unknown"),
            ("game='x'\nfirst='a'\nsecond='b'\nstore='x.db'", "`store`: unknown"),
            ("game='x'\nfirst='a'\nsecond='b'\ngames=[1]", "`games`: invalid"),
            ("game='x'\n\nfirst=", "line 3"),
        ] {
            let error = read(toml).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_training_starts_and_resumes() {
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
    fn remote_workers_get_the_shared_store() {
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
    fn settings_from_pages_name_no_files_and_no_programs() {
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

    /// Files from elsewhere may name files, but programs are refused everywhere.
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
