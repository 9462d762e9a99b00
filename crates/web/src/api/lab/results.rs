//! The results of a run so far: models, the population of an evolution, sample games.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_learn::evolution::training::POPULATION_FILE;
use tesuji_learn::gomoku::record::SelfPlayRecord;
use tesuji_learn::gomoku::settings::five_in_a_row;
use tesuji_learn::gomoku::training::games_file;
use tesuji_learn::line_network::games::GAMES;
use tesuji_train::{LearnerKind, RunSettings};

use super::runs::MAX_SETTINGS;
use super::{folders, model_file};

/// A model of a run, with its player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct RunModel {
    pub(super) title: String,
    /// The step; `None` for the best model.
    pub(super) step: Option<u32>,
    pub(super) game: String,
    /// The player text; `None` if guests cannot use it.
    pub(super) player: Option<String>,
}

/// The most models of steps, spread evenly over the run.
const MAX_MODELS: usize = 200;
/// The longest player text, with room for options of a page.
const MAX_PLAYER_BYTES: usize = 180;

/// The models of a run: the best one first, then those of steps.
pub(super) fn models(path: &Path, settings: &RunSettings) -> Vec<RunModel> {
    let (kind, game) = (settings.kind, &settings.common.game);
    let options = settings.common.measure.as_ref().map_or("", |measure| &measure.options);
    let of = |title: String, step, file: PathBuf| {
        let player = kind.player_with(&file, options);
        let player = player.filter(|text| text.len() <= MAX_PLAYER_BYTES);
        file.is_file().then(|| RunModel { title, step, game: game.clone(), player })
    };
    let best = of(format!("The {}", best_noun(kind)), None, path.join(model_file::best(kind)));
    let earlier = steps(path).into_iter().filter_map(|step| {
        let file = model_file::of_step(path, kind, step);
        of(format!("{} {step}", capitalized(kind.step.singular)), Some(step), file)
    });
    best.into_iter().chain(earlier).collect()
}

fn best_noun(kind: &LearnerKind) -> String {
    match kind.noun.starts_with("best") {
        true => kind.noun.to_string(),
        false => format!("best {}", kind.noun),
    }
}

fn capitalized(word: &str) -> String {
    word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect()
}

/// The steps with a model, latest first.
fn steps(path: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(path.join(model_file::MODELS)).into_iter().flatten().flatten();
    let number = |entry: std::fs::DirEntry| {
        model_file::step(&entry.file_name().into_string().ok()?).map(|(step, _)| step)
    };
    let mut all: Vec<u32> = entries.take(100_000).filter_map(number).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    let stride = all.len().div_ceil(MAX_MODELS).max(1);
    all.into_iter().step_by(stride).collect()
}

/// The survivors of an evolution.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Population {
    pub(super) iteration: u64,
    /// The side of the square of the patterns.
    pub(super) side: usize,
    pub(super) members: Vec<Member>,
    /// The patterns of all trees: cells, row by row from the top left of the square.
    pub(super) patterns: Vec<Vec<u16>>,
}

/// One survivor; the best is the first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Member {
    born: u64,
    number: u64,
    /// Its results: points, wins, draws, losses and others.
    standing: Value,
    /// Its trees, as indices of `patterns`.
    trees: Vec<usize>,
}

/// The used part of a checkpoint.
#[derive(Deserialize)]
struct Checkpoint {
    iteration: u64,
    survivors: Vec<Member>,
    trees: Vec<Tree>,
}

#[derive(Deserialize)]
struct Tree {
    recipe: Recipe,
}

#[derive(Deserialize)]
struct Recipe {
    pattern: Pattern,
}

#[derive(Deserialize)]
struct Pattern {
    window: usize,
    cells: Vec<u16>,
}

/// The largest checkpoint.
const MAX_CHECKPOINT_BYTES: u64 = 16 << 20;
/// The most survivors.
const MAX_MEMBERS: usize = 40;
/// The most trees of a survivor.
const MAX_TREES: usize = 60;

/// The survivors of the last iteration, from the checkpoint of an evolution.
pub(super) fn population(path: &Path) -> Option<Population> {
    let text = folders::text_of(&path.join(POPULATION_FILE), MAX_CHECKPOINT_BYTES)?;
    let Checkpoint { iteration, mut survivors, trees } = serde_json::from_str(&text).ok()?;
    survivors.truncate(MAX_MEMBERS);
    for member in &mut survivors {
        member.trees.retain(|&tree| tree < trees.len());
        member.trees.truncate(MAX_TREES);
    }
    let side = trees.first()?.recipe.pattern.window;
    let patterns = trees.into_iter().map(|tree| tree.recipe.pattern.cells).collect();
    Some(Population { iteration, side, members: survivors, patterns })
}

/// A training game of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SampleGame {
    title: String,
    game: String,
    moves: String,
    outcome: Value,
}

/// The most games.
const MAX_GAMES: usize = 12;
/// The longest line of a game record.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// Games of a run that stores them; for the engine's learner, of the latest round.
pub(super) fn games(path: &Path) -> Vec<SampleGame> {
    let rounds = (1..=10_000).map(|round| path.join(games_file(round)));
    let rounds = rounds.take_while(|file| file.is_file());
    let Some(file) = rounds.last().or_else(|| Some(path.join(GAMES)).filter(|it| it.is_file()))
    else {
        return Vec::new();
    };
    let rule = settings_rule(path).unwrap_or_default();
    let Ok(file) = folders::open(&file) else { return Vec::new() };
    let mut from = BufReader::new(file);
    let mut found = Vec::new();
    while found.len() < MAX_GAMES {
        let mut line = String::new();
        let read = from.by_ref().take(MAX_LINE_BYTES).read_line(&mut line);
        match SelfPlayRecord::from_line(&line) {
            Ok(record) if read.is_ok() => found.push(sample(&rule, record)),
            _ => break,
        }
    }
    found
}

/// The rule of five in a row in the settings of a run.
fn settings_rule(path: &Path) -> Option<String> {
    let text = folders::text_of(&path.join(folders::SETTINGS), MAX_SETTINGS)?;
    let table: toml::Table = toml::from_str(&text).ok()?;
    table.get("rule")?.as_str().map(str::to_string)
}

fn sample(rule: &str, record: SelfPlayRecord) -> SampleGame {
    SampleGame {
        title: format!("Game {}", record.game + 1),
        game: five_in_a_row(rule, record.board),
        moves: record.moves,
        outcome: match record.result {
            1 => json!({ "win": "first" }),
            -1 => json!({ "win": "second" }),
            _ => json!("draw"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_runs_become_players_that_guests_may_call() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("a run");
        std::fs::create_dir_all(run.join(model_file::MODELS)).unwrap();
        let settings = tesuji_learn::read_settings("game = 'tictactoe'").unwrap();
        assert!(models(&run, &settings).is_empty());
        let forest = include_bytes!("../../../../../examples/forest.xml");
        std::fs::write(run.join(folders::SETTINGS), "game = 'tictactoe'").unwrap();
        std::fs::write(run.join("best.xml"), forest).unwrap();
        for step in [1, 2, 30] {
            std::fs::write(model_file::of_step(&run, settings.kind, step), forest).unwrap();
        }
        let found = models(&run, &settings);
        let steps: Vec<Option<u32>> = found.iter().map(|model| model.step).collect();
        assert_eq!(steps, [None, Some(30), Some(2), Some(1)]);
        let player = found[0].player.as_deref().unwrap();
        let is_admitted = |runs: &Path| crate::admission::check_files(player, runs).is_ok();
        assert!(is_admitted(place.path()), "{player}");
        assert!(!is_admitted(&run.join(model_file::MODELS)), "{player}");
    }
}
