//! The repository's examples, inside the program: files to start from, and what they need beside them.

use axum::{Json, Router, routing::get};
use rust_embed::Embed;
use serde::Serialize;
use serde_json::{Value, json};

use super::order::Kind;
use crate::state::AppState;

#[derive(Embed)]
#[folder = "../../examples"]
#[include = "*.toml"]
#[include = "training/*.toml"]
#[include = "weights/*.toml"]
#[include = "gomoku-eval/*.toml"]
#[include = "experiments/*.toml"]
#[include = "openings/*.txt"]
#[exclude = "engines/*"]
#[exclude = "own-game/*"]
struct Examples;

/// A match has no file of its own on the command line; here it has this one.
const MATCH: &str = "\
# Two players, many games: who is stronger, and by how much?

game = \"connect4\"
first = \"pvs:depth=6\"
second = \"mcts:sims=2000\"
games = 40
random-plies = 4
";
const MATCH_NAME: &str = "match.toml";

/// A file to start from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Example {
    /// Its path among the examples.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// What it is, in its own first words.
    pub(super) title: String,
    pub(super) text: String,
}

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/api/lab/examples", get(list))
}

async fn list() -> Json<Value> {
    Json(json!({ "examples": all() }))
}

/// All of them: what trains quickly first, then tournaments, the match, and experiments.
pub(super) fn all() -> Vec<Example> {
    let names = Examples::iter().filter(|name| name.ends_with(".toml"));
    let mut all: Vec<Example> = names.filter_map(|name| read(&name)).collect();
    all.push(example(MATCH_NAME, Kind::Match, MATCH.to_string()));
    let rank = |example: &Example| (example.kind, !example.name.starts_with("training/"));
    all.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.name.cmp(&b.name)));
    all
}

/// The example of this name.
pub(super) fn find(name: &str) -> Option<Example> {
    all().into_iter().find(|example| example.name == name)
}

fn read(name: &str) -> Option<Example> {
    let text = String::from_utf8(Examples::get(name)?.data.into_owned()).ok()?;
    let kind = match name.split_once('/') {
        Some(("experiments", _)) => Kind::Experiment,
        Some(_) => Kind::Train,
        None if toml_names(&text, "learner") => Kind::Train,
        None => Kind::Tournament,
    };
    Some(example(name, kind, text))
}

fn toml_names(text: &str, key: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key(key))
}

fn example(name: &str, kind: Kind, text: String) -> Example {
    let comment = text.lines().next().and_then(|line| line.strip_prefix('#'));
    let title = comment.map_or(name, str::trim).trim_end_matches(['.', ':']).to_string();
    Example { name: name.to_string(), kind, title, text }
}

/// Lists of openings that examples name, to be laid beside a file that names them: path and content.
pub(super) fn openings() -> impl Iterator<Item = (String, Vec<u8>)> {
    let names = Examples::iter().filter(|name| name.starts_with("openings/"));
    names.filter_map(|name| Some((name.to_string(), Examples::get(&name)?.data.into_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_there_each_of_its_kind() {
        let kinds = |kind| all().iter().filter(|example| example.kind == kind).count();
        assert!(kinds(Kind::Train) >= 10 && kinds(Kind::Tournament) >= 8);
        assert_eq!(kinds(Kind::Match), 1);
        for example in all() {
            assert!(example.text.parse::<toml::Table>().is_ok(), "{}", example.name);
            assert!(!example.text.contains("${"), "{}", example.name);
            let is_experiment = example.name.starts_with("experiments/");
            assert_eq!(is_experiment, example.kind == Kind::Experiment, "{}", example.name);
        }
        assert_eq!(find("training/tictactoe.toml").unwrap().kind, Kind::Train);
        assert_eq!(find("critic-gomoku.toml").unwrap().kind, Kind::Train);
        assert_eq!(find("gomoku.toml").unwrap().kind, Kind::Tournament);
        assert!(openings().any(|(name, _)| name == "openings/gomoku.txt"));
        assert!(find("../Cargo.toml").is_none() && find("engines/gomoku-engines.toml").is_none());
        assert!(find("own-game/Cargo.toml").is_none());
    }
}
