//! What a run has found so far: models that can be played against, the population of an evolution, sample games.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_learn::LearnerSettings;
use tesuji_learn::gomoku::record::GameRecord;

use super::{folders, model_file};

/// A model of a run, and who plays with it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Trained {
    pub(super) title: String,
    /// The step that it is from; `None` for the latest.
    pub(super) iteration: Option<u32>,
    pub(super) game: String,
    /// The player as text; `None` where no page can play with it.
    pub(super) player: Option<String>,
}

/// So many earlier models are listed, spread evenly over the run.
const MOST_MODELS: usize = 200;
/// No player's text is longer, with room for what a page may add.
const LONGEST_PLAYER: usize = 180;

/// The models of a run that can be played against: the latest first, then earlier ones.
pub(super) fn models(path: &Path, settings: &LearnerSettings) -> Vec<Trained> {
    let game = folders::game_of(settings);
    let of = |title: &str, iteration, file: PathBuf, player: &str| {
        let text = player_with(player, &file);
        file.is_file().then(|| Trained {
            title: title.to_string(),
            iteration,
            game: game.clone(),
            player: text,
        })
    };
    let latest = match settings {
        LearnerSettings::Forest(settings) => {
            let player = format!("forest:depth={},file=", settings.search.depth.clamp(1, 2));
            let best = of("The best forest", None, path.join(model_file::FOREST), &player);
            let earlier = iterations(path).into_iter().filter_map(|iteration| {
                let file = model_file::of_iteration(path, iteration);
                of(&format!("Iteration {iteration}"), Some(iteration), file, &player)
            });
            return best.into_iter().chain(earlier).collect();
        }
        LearnerSettings::Weights(_) => {
            of("The weights", None, path.join(model_file::WEIGHTS), "forest:depth=2,file=")
        }
        LearnerSettings::Critic(_) => {
            of("The critic", None, path.join(model_file::CRITIC), "critic:file=")
        }
        LearnerSettings::Gomoku(_) => of(
            "The engine with these numbers",
            None,
            path.join(model_file::ENGINE),
            "gomoku:time=1s,weights=",
        ),
        LearnerSettings::Lines(_) => {
            of("The network", None, path.join(model_file::LINES), "line-mcts:time=1s,file=")
        }
        LearnerSettings::Network(_) => {
            let file = path.join("network.net");
            file.is_file().then(|| Trained {
                title: "The network".to_string(),
                iteration: None,
                game: game.clone(),
                player: None,
            })
        }
    };
    latest.into_iter().collect()
}

/// A player with a file of a run, if that can be said in a text.
fn player_with(player: &str, file: &Path) -> Option<String> {
    let file = file.to_str()?;
    let text = match file.contains([',', ' ']) {
        true => format!("{player}\"{file}\""),
        false => format!("{player}{file}"),
    };
    let sayable =
        text.len() <= LONGEST_PLAYER && !file.contains(|c: char| c.is_control() || c == '"');
    sayable.then_some(text)
}

/// Iterations whose best forest is kept, the latest first.
fn iterations(path: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(path.join(model_file::FORESTS)).into_iter().flatten().flatten();
    let number =
        |entry: std::fs::DirEntry| model_file::iteration(&entry.file_name().into_string().ok()?);
    let mut all: Vec<u32> = entries.take(100_000).filter_map(number).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    let stride = all.len().div_ceil(MOST_MODELS).max(1);
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
const LARGEST_CHECKPOINT: u64 = 16 << 20;
/// So many survivors are shown,
const MOST_MEMBERS: usize = 40;
/// with so many trees of each.
const MOST_TREES: usize = 60;

/// The survivors of the last iteration, from the checkpoint of an evolution.
pub(super) fn population(path: &Path) -> Option<Population> {
    let text = folders::text_of(&path.join("checkpoint.json"), LARGEST_CHECKPOINT)?;
    let Checkpoint { iteration, mut survivors, trees } = serde_json::from_str(&text).ok()?;
    survivors.truncate(MOST_MEMBERS);
    for member in &mut survivors {
        member.trees.retain(|&tree| tree < trees.len());
        member.trees.truncate(MOST_TREES);
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
const MOST_GAMES: usize = 12;
/// No record of a game has a longer line.
const LONGEST_LINE: u64 = 64 << 10;

/// Some games of a run that keeps them: the engine's own, of the latest round.
pub(super) fn games(path: &Path, settings: &LearnerSettings) -> Vec<SampleGame> {
    let (rule, file) = match settings {
        LearnerSettings::Gomoku(settings) => {
            let rounds = (1..=settings.rounds.min(10_000)).rev();
            let file = |round| path.join(format!("games-{round}.jsonl"));
            let Some(file) = rounds.map(file).find(|file| file.is_file()) else {
                return Vec::new();
            };
            (&settings.rule, file)
        }
        LearnerSettings::Lines(settings) => (&settings.rule, path.join("games.jsonl")),
        _ => return Vec::new(),
    };
    let Ok(file) = folders::open(&file) else { return Vec::new() };
    let mut from = BufReader::new(file);
    let mut found = Vec::new();
    while found.len() < MOST_GAMES {
        let mut line = String::new();
        let read = from.by_ref().take(LONGEST_LINE).read_line(&mut line);
        match GameRecord::from_line(&line) {
            Ok(record) if read.is_ok() => found.push(sample(rule, record)),
            _ => break,
        }
    }
    found
}

fn sample(rule: &str, record: GameRecord) -> SampleGame {
    SampleGame {
        title: format!("Game {}", record.game + 1),
        game: folders::gomoku(rule, record.board),
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
        std::fs::create_dir_all(run.join("forests")).unwrap();
        let settings = LearnerSettings::from_toml("game = 'tictactoe'").unwrap();
        assert!(models(&run, &settings).is_empty());
        let forest = include_bytes!("../../../../../examples/forest.xml");
        std::fs::write(run.join(folders::SETTINGS), "game = 'tictactoe'").unwrap();
        std::fs::write(run.join("best.xml"), forest).unwrap();
        for iteration in [1, 2, 30] {
            std::fs::write(model_file::of_iteration(&run, iteration), forest).unwrap();
        }
        let found = models(&run, &settings);
        let iterations: Vec<Option<u32>> = found.iter().map(|model| model.iteration).collect();
        assert_eq!(iterations, [None, Some(30), Some(2), Some(1)]);
        let player = found[0].player.as_deref().unwrap();
        let is_admitted = |runs: &Path| crate::admission::check_files(player, runs).is_ok();
        assert!(is_admitted(place.path()), "{player}");
        assert!(!is_admitted(&run.join("forests")), "{player}");
    }
}
