//! What a run has found so far: models that can be played against, the population of an evolution, sample games.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_learn::evolution::training::POPULATION;
use tesuji_learn::gomoku::record::GameRecord;
use tesuji_learn::gomoku::settings::five_in_a_row;
use tesuji_learn::gomoku::training::games_file;
use tesuji_learn::line_network::games::GAMES;
use tesuji_train::{LearnerKind, RunSettings};

use super::runs::MAX_SETTINGS;
use super::{folders, model_file};

/// A model of a run, and who plays with it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct RunModel {
    pub(super) title: String,
    /// The step that it is from; `None` for the latest.
    pub(super) step: Option<u32>,
    pub(super) game: String,
    /// The player as text; `None` where no page can play with it.
    pub(super) player: Option<String>,
}

/// So many earlier models are listed, spread evenly over the run.
const MAX_MODELS: usize = 200;
/// No player's text is longer, with room for what a page may add.
const MAX_PLAYER_BYTES: usize = 180;

/// The models of a run that can be played against: the best first, then those of steps.
pub(super) fn models(path: &Path, settings: &RunSettings) -> Vec<RunModel> {
    let (kind, game) = (settings.kind, &settings.facts.game);
    let options = settings.facts.measure.as_ref().map_or("", |measure| &measure.options);
    let of = |title: String, step, file: PathBuf| {
        let player = kind.player_with(&file, options);
        let player = player.filter(|text| text.len() <= MAX_PLAYER_BYTES);
        file.is_file().then(|| RunModel { title, step, game: game.clone(), player })
    };
    let best = of(format!("The {}", best_noun(kind)), None, path.join(model_file::best(kind)));
    let earlier = steps(path).into_iter().filter_map(|step| {
        let file = model_file::of_step(path, kind, step);
        of(format!("{} {step}", capitalized(kind.step.one)), Some(step), file)
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

/// Steps whose model is kept, the latest first.
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
    /// The side of the square that patterns lie in.
    pub(super) side: usize,
    pub(super) members: Vec<Member>,
    /// Patterns of all trees: cells, row by row from the top left of the square.
    pub(super) patterns: Vec<Vec<u16>>,
}

/// One of them, best first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Member {
    born: u64,
    number: u64,
    /// How it did: points, won, drawn, lost and the like.
    standing: Value,
    /// Its trees, as places in the list of patterns.
    trees: Vec<usize>,
}

/// What is read of a checkpoint.
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

/// No checkpoint that is shown is larger.
const MAX_CHECKPOINT_BYTES: u64 = 16 << 20;
/// So many survivors are shown,
const MAX_MEMBERS: usize = 40;
/// with so many trees of each.
const MAX_TREES: usize = 60;

/// The survivors of the last iteration, from the checkpoint of an evolution.
pub(super) fn population(path: &Path) -> Option<Population> {
    let text = folders::text_of(&path.join(POPULATION), MAX_CHECKPOINT_BYTES)?;
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

/// A game that a run learned from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SampleGame {
    title: String,
    game: String,
    moves: String,
    outcome: Value,
}

/// So many are shown.
const MAX_GAMES: usize = 12;
/// No record of a game has a longer line.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// Some games of a run that keeps them: the engine's own, of the latest round.
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
        match GameRecord::from_line(&line) {
            Ok(record) if read.is_ok() => found.push(sample(&rule, record)),
            _ => break,
        }
    }
    found
}

/// The rule of five in a row that the settings of a run name.
fn settings_rule(path: &Path) -> Option<String> {
    let text = folders::text_of(&path.join(folders::SETTINGS), MAX_SETTINGS)?;
    let table: toml::Table = toml::from_str(&text).ok()?;
    table.get("rule")?.as_str().map(str::to_string)
}

fn sample(rule: &str, record: GameRecord) -> SampleGame {
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
