//! `tesuji tournament --competition FOLDER`: the competition of Loos's thesis between the models in
//! a folder, without a settings file.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use tesuji_learn::Model;
use tesuji_play::report::Competition;

use crate::depths::Depths;
use crate::prelude::*;

/// The arguments of a competition.
#[derive(clap::Args)]
pub(super) struct CompetitionArgs {
    /// Let the forests and weights in this folder play each other at every depth, without a file:
    /// its .xml, .xml.gz and .tuples files, and the best models of the runs in it
    #[arg(long, value_name = "FOLDER", conflicts_with = "files")]
    pub(super) competition: Option<PathBuf>,
    /// Competition: search to these depths in plies, a list such as 0,2,4 or a range such as 1..5
    #[arg(long, value_name = "D", default_value = "1..5", conflicts_with = "files", value_parser = Depths::read)]
    depths: Depths,
    /// Competition: play this many color-swapped pairs of games in each pairing
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "files", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: u64,
    /// Competition: begin each pair of games with this many random moves
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "files", value_parser = clap::value_parser!(u64).range(0..=400))]
    random_plies: u64,
    /// Competition: use only models for this game [default: the game of all models]
    #[arg(long, conflicts_with = "files")]
    game: Option<String>,
    /// Competition: seed the openings and the players
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "files")]
    seed: u64,
}

/// A model of the folder.
struct Entry {
    /// The name in the table: of the file, or of the run.
    name: String,
    path: PathBuf,
    player: &'static str,
    /// The game that it was made for, as text.
    game: String,
}

impl CompetitionArgs {
    /// The competition as the text of a settings file.
    pub(super) fn settings(&self, games: &Registry, folder: &Path) -> Result<String, Failure> {
        let Depths(depths) = &self.depths;
        let entries = self.entries(games, folder)?;
        if entries.len() < 2 {
            let game = self.game.as_ref().map_or(String::new(), |game| format!(" for '{game}'"));
            let problem =
                format!("fewer than two models{game}; expected .xml, .xml.gz or .tuples files");
            return Err(Failure::in_file(folder, problem));
        }
        // The weights of the thesis, for the first five depths; deeper searches count fully.
        let weights = Competition::WEIGHTS.into_iter().chain(std::iter::repeat(1.0));
        let weights: Vec<f64> = weights.take(depths.len()).collect();
        let name = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let name = name.file_name().map_or("competition".into(), |name| name.to_string_lossy());
        let mut text = format!(
            "name = {}\ngame = {}\nformat = \"competition\"\npairs = {}\nseed = {}\n\
             depths = {depths:?}\nweights = {weights:?}\n\
             openings = {{ random-plies = {} }}\nplayers = [\n",
            quoted(&name),
            quoted(&entries[0].game),
            self.pairs,
            self.seed,
            self.random_plies,
        );
        for Entry { name, path, player, .. } in &entries {
            let spec = format!("{player}:file=\"{}\",depth={{depth}}", path.display());
            let _ = writeln!(text, "    {{ name = {}, spec = {} }},", quoted(name), quoted(&spec));
        }
        Ok(text + "]\n")
    }

    /// The models of the game, by name.
    fn entries(&self, games: &Registry, folder: &Path) -> Result<Vec<Entry>, Failure> {
        let wanted = self.game.as_deref().map(|game| games.open(game)).transpose()?;
        let mut entries: Vec<Entry> = Vec::new();
        for (name, path) in model_files(folder)? {
            let model = Model::load(&path).map_err(super::super::forest::model_failure)?;
            let player = match &model {
                Model::Forest(_) => "forest",
                Model::Network(_) => "weights",
            };
            let is_wanted = wanted.as_ref().is_none_or(|wanted| {
                games.open(model.game()).is_ok_and(|game| game.rows() == wanted.rows())
            });
            if is_wanted {
                let game = self.game.as_deref().unwrap_or(model.game()).to_string();
                entries.push(Entry { name, path, player, game });
            }
        }
        match entries.iter().find(|entry| entry.game != entries[0].game) {
            None => Ok(entries),
            Some(other) => Err(Failure::in_file(
                folder,
                format!(
                    "models for several games, such as '{}' and '{}'; expected --game",
                    entries[0].game, other.game
                ),
            )),
        }
    }
}

/// The model files in a folder, and the best models of the runs in it, with their names.
fn model_files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    if !folder.is_dir() {
        return Err(Failure::in_file(folder, "not a folder; expected a folder of models"));
    }
    let listed = fs::read_dir(folder).in_file(folder)?;
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let files_of = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let best = || ["best.xml", "best.tuples"].map(|name| path.join(name)).to_vec();
        let files = if path.is_dir() { best() } else { vec![path.clone()] };
        files.into_iter().map(move |file| (name.clone(), file))
    };
    let files = paths.into_iter().flat_map(files_of);
    Ok(files.filter(|(_, file)| is_model(file) && file.is_file()).collect())
}

fn is_model(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".xml", ".xml.gz", ".tuples"].iter().any(|end| name.ends_with(end))
}

/// A string in the syntax of TOML, which is that of JSON.
fn quoted(text: &str) -> String {
    json!(text).to_string()
}
