//! `tesuji tournament`: many players, one file that says everything, tables at the end.

mod tables;

use std::path::{Path, PathBuf};

use tesuji_games::State;
use tesuji_play::tournament::settings::TournamentSettings;
use tesuji_play::{Openings, Tournament, TournamentScore};
use tesuji_store::{Access, Record, RunRecord, Store};

use crate::prelude::*;
use crate::queue_args::QueueArgs;
use tables::Tables;

/// Play a tournament that a file describes; started again, it carries on
#[derive(clap::Args)]
pub(crate) struct TournamentArgs {
    /// Files that describe tournaments
    #[arg(required = true, value_name = "FILE.toml")]
    files: Vec<PathBuf>,
    /// Keep the games here, a file or postgres://… [default: as the file says, else tesuji.db]
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// How many games run at once [default: as the file says]
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Write the tables as text, CSV, JSON and SVG into this folder, or into folders in it when there are
    /// several files
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

impl TournamentArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        // All files are read before the first game: a slip in the last one is told at once.
        let read = self.files.iter().filter_map(|path| self.read(path).transpose());
        let tournaments: Vec<_> = read.collect::<Result<_, Failure>>()?;
        tournaments
            .into_iter()
            .try_for_each(|(path, text, settings)| self.play(games, path, &text, settings))
    }

    /// A file, its text as it was written, and what it says; nothing where it is for a learner and there are others.
    fn read<'a>(
        &self,
        path: &'a Path,
    ) -> Result<Option<(&'a Path, String, TournamentSettings)>, Failure> {
        let text = input::read_text(path)?;
        if names_a_learner(&text) {
            let (path, words) = (path.display(), "teaches a learner; right would be tesuji train");
            if self.files.len() == 1 {
                return Err(Failure::BadInput(format!("{path}: this file {words} {path}")));
            }
            tracing::warn!(target: "match", "{path}: left out, it {words} {path}");
            return Ok(None);
        }
        let mut settings = TournamentSettings::read(&filled_in(path, &text)?).in_file(path)?;
        if let Some(concurrency) = self.concurrency {
            settings.concurrency = usize::from(concurrency);
        }
        Ok(Some((path, text, settings)))
    }

    fn play(
        &self,
        games: &Registry,
        path: &Path,
        text: &str,
        settings: TournamentSettings,
    ) -> Result<(), Failure> {
        let game = games.open(&settings.game);
        let game = game.map_err(|error| Failure::from(error).within(path))?;
        let openings = openings(&settings, path, game.start())?;
        let place = self.store.clone().or(settings.store.clone());
        let place = place.unwrap_or("tesuji.db".to_string());
        let roster = tesuji_players::roster();
        let tournament = Tournament::new(settings, &game, roster, openings).in_file(path)?;
        let store = self.queue_args.open_store(&place, Access::Create)?;
        let queue = self.queue_args.open_queue(tournament.settings.concurrency, Some(&place))?;
        note_run(&*store, &tournament, text, "running")?;
        let names = tournament.names();
        let progress = Progress::new(Some(tournament.total()), "games");
        let result = tournament.run_on(&*queue, Some(&*store), &|score| {
            progress.show(score.done, || leaders(&names, score));
        })?;
        drop(progress);
        let tables = Tables::new(&tournament, &result)?;
        store.add(&tables.records(&result))?;
        note_run(&*store, &tournament, text, "finished")?;
        if let Some(folder) = self.out_folder(path) {
            tables.write(&folder, &result)?;
        }
        if self.json {
            return print_json(&tables.json(&result));
        }
        tables.print(&result, store.place())
    }

    /// Where the tables of a file go: each has a folder of its own when there are several.
    fn out_folder(&self, path: &Path) -> Option<PathBuf> {
        let folder = self.out.as_ref()?;
        match (self.files.len(), path.file_stem()) {
            (2.., Some(stem)) => Some(folder.join(stem)),
            _ => Some(folder.clone()),
        }
    }
}

/// Whether there is a `learner` among the first keys.
fn names_a_learner(text: &str) -> bool {
    let keys = text.lines().map(str::trim_start).take_while(|line| !line.starts_with('['));
    keys.filter_map(|line| line.split_once('=')).any(|(key, _)| key.trim_end() == "learner")
}

fn openings(
    settings: &TournamentSettings,
    path: &Path,
    start: &State,
) -> Result<Openings, Failure> {
    let wanted = &settings.openings;
    let Some(file) = &wanted.file else {
        return Ok(Openings::Random { plies: wanted.random_plies.unwrap_or(0) });
    };
    let beside = path.parent().unwrap_or(Path::new("")).join(file);
    input::read_openings(&beside, start, wanted.order, settings.seed)
}

/// Keeps in the store what was played, and how far it came.
fn note_run(
    store: &dyn Store,
    tournament: &Tournament,
    config: &str,
    state: &str,
) -> Result<(), Failure> {
    let earlier = store.run(tournament.event())?;
    let now = tesuji_play::event::now();
    store.add(&[Record::Run(RunRecord {
        id: tournament.event().to_string(),
        kind: "tournament".to_string(),
        name: tournament.settings.name.clone(),
        config: config.to_string(),
        state: state.to_string(),
        started_at: earlier.as_ref().map_or(now, |run| run.started_at),
        updated_at: earlier.map_or(now, |run| now.max(run.updated_at + 1)),
    })])?;
    Ok(())
}

/// The text of a file with `${NAME}` replaced by what the environment has under that name: where an engine
/// lies differs from machine to machine.
fn filled_in(path: &Path, text: &str) -> Result<String, Failure> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or_else(|| {
            Failure::in_file(path, "'${' has no '}'; write ${NAME} for the environment's NAME")
        })?;
        let value = std::env::var(name).map_err(|_| {
            let example = format!("{name}=/path/to/engine tesuji tournament {}", path.display());
            Failure::in_file(path, format!("the environment has no {name}; example: {example}"))
        })?;
        filled = filled + before + &value;
        rest = after;
    }
    Ok(filled + rest)
}

/// The first three, for the progress line.
fn leaders(names: &[String], score: &TournamentScore) -> String {
    let mut order: Vec<usize> = (0..score.points.len()).collect();
    order.sort_by(|a, b| score.points[*b].total_cmp(&score.points[*a]));
    let text = |&player: &usize| format!("{} {}", names[player], score.points[player]);
    order.iter().take(3).map(text).collect::<Vec<_>>().join(", ")
}
