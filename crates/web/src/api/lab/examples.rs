//! The repository's examples, embedded in the program as templates for jobs.

use axum::{Json, Router, routing::get};
use serde::Serialize;
use serde_json::{Value, json};

use super::job_command::LabJobKind;
use crate::state::AppState;

/// Embeds files by their path among the examples.
macro_rules! embedded {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../../../examples/", $name)))),*]
    };
}

const EXAMPLES: &[(&str, &str)] = embedded![
    "checkers.toml",
    "chess.toml",
    "competition.toml",
    "connect4.toml",
    "connect6.toml",
    "critic-gomoku-10x10.toml",
    "critic-gomoku.toml",
    "experiments/critic-lambda.toml",
    "experiments/forest-size.toml",
    "experiments/mcts-c.toml",
    "gomoku-eval/freestyle.toml",
    "gomoku.toml",
    "line-network-gomoku.toml",
    "mnk.toml",
    "openings/gomoku.txt",
    "othello.toml",
    "qubic.toml",
    "tictactoe.toml",
    "training/connect-four.toml",
    "training/connect-six.toml",
    "training/gomoku-10x10.toml",
    "training/gomoku-7x7.toml",
    "training/tictactoe.toml",
    "weights/connect-four-7x6.toml",
    "weights/connect-four-7x7.toml",
    "weights/gomoku-10x10.toml",
    "weights/tictactoe.toml",
];

/// The command line has no file for a match; this one is for the lab.
const MATCH: &str = "\
# Two players, many games: who is stronger, and by how much?

game = \"connect4\"
first = \"pvs:depth=6\"
second = \"mcts:sims=2000\"
games = 40
random-plies = 4
";
const MATCH_NAME: &str = "match.toml";

/// A template for a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Example {
    /// The path among the examples.
    pub(super) name: String,
    pub(super) kind: LabJobKind,
    /// The first comment of the file.
    pub(super) title: String,
    pub(super) text: String,
}

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/api/lab/examples", get(list))
}

async fn list() -> Json<Value> {
    Json(json!({ "examples": all() }))
}

/// All examples: trainings first, the fastest ones at the top, then tournaments, the match, and
/// experiments.
pub(super) fn all() -> Vec<Example> {
    let files = EXAMPLES.iter().filter(|(name, _)| name.ends_with(".toml"));
    let mut all: Vec<Example> = files.map(|(name, text)| read(name, text)).collect();
    all.push(example(MATCH_NAME, LabJobKind::Match, MATCH));
    let rank = |example: &Example| (example.kind, !example.name.starts_with("training/"));
    all.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.name.cmp(&b.name)));
    all
}

/// Finds an example by name.
pub(super) fn find(name: &str) -> Option<Example> {
    all().into_iter().find(|example| example.name == name)
}

fn read(name: &str, text: &str) -> Example {
    let kind = match name.split_once('/') {
        Some(("experiments", _)) => LabJobKind::Experiment,
        Some(_) => LabJobKind::Train,
        None if names_a_learner(text) => LabJobKind::Train,
        None => LabJobKind::Tournament,
    };
    example(name, kind, text)
}

fn names_a_learner(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("learner"))
}

fn example(name: &str, kind: LabJobKind, text: &str) -> Example {
    let comment = text.lines().next().and_then(|line| line.strip_prefix('#'));
    let title = comment.map_or(name, str::trim).trim_end_matches(['.', ':']).to_string();
    Example { name: name.to_string(), kind, title, text: text.to_string() }
}

/// The opening lists that examples use: paths and contents.
pub(super) fn openings() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXAMPLES.iter().copied().filter(|(name, _)| name.starts_with("openings/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_example_is_forgotten() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
        for folder in ["", "training/", "weights/", "gomoku-eval/", "experiments/", "openings/"] {
            for entry in std::fs::read_dir(format!("{root}{folder}")).unwrap() {
                let name = format!("{folder}{}", entry.unwrap().file_name().display());
                let is_example = name.ends_with(".toml") || name.starts_with("openings/");
                let is_known = EXAMPLES.iter().any(|(known, _)| *known == name);
                assert_eq!(is_known, is_example, "{name}");
            }
        }
    }

    #[test]
    fn examples_are_there_each_of_its_kind() {
        let kinds = |kind| all().iter().filter(|example| example.kind == kind).count();
        assert!(kinds(LabJobKind::Train) >= 10 && kinds(LabJobKind::Tournament) >= 8);
        assert_eq!(kinds(LabJobKind::Match), 1);
        for example in all() {
            assert!(example.text.parse::<toml::Table>().is_ok(), "{}", example.name);
            assert!(!example.text.contains("${"), "{}", example.name);
            let is_experiment = example.name.starts_with("experiments/");
            assert_eq!(is_experiment, example.kind == LabJobKind::Experiment, "{}", example.name);
        }
        assert_eq!(find("training/tictactoe.toml").unwrap().kind, LabJobKind::Train);
        assert_eq!(find("critic-gomoku.toml").unwrap().kind, LabJobKind::Train);
        assert_eq!(find("gomoku.toml").unwrap().kind, LabJobKind::Tournament);
        assert!(openings().any(|(name, _)| name == "openings/gomoku.txt"));
        assert!(find("../Cargo.toml").is_none() && find("engines/gomoku-engines.toml").is_none());
        assert!(find("own-game/Cargo.toml").is_none());
    }
}
