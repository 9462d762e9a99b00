//! `tesuji tournament`: plays tournaments described by files, and competitions of models.

mod competition;
mod tables;

use std::path::{Path, PathBuf};

use tesuji_games::State;
use tesuji_play::tournament::settings::TournamentSettings;
use tesuji_play::{Openings, Tournament, TournamentScore};
use tesuji_store::{Access, Record, RunRecord, Store};

use crate::prelude::*;
use crate::queue_args::QueueArgs;
use competition::CompetitionArgs;
use tables::Tables;

/// Play the tournaments that files describe; resumes if interrupted
#[derive(clap::Args)]
pub(crate) struct TournamentArgs {
    /// The settings of the tournaments
    #[arg(required_unless_present = "competition", value_name = "FILE.toml")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    models: CompetitionArgs,
    /// Store the games here, a file or postgres://… [default: as the file says, else tesuji.db]
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Play this many games at once [default: as the file says]
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Write the tables as text, CSV, JSON and SVG to this folder; for several files, to a folder
    /// in it for each
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
        if let Some(folder) = &self.models.competition {
            let text = self.models.settings(games, folder)?;
            let settings = self.with_concurrency(TournamentSettings::read(&text).in_file(folder)?);
            return self.play(games, folder, &text, settings);
        }
        // All files are read before the first game, so that an error in the last one is reported at
        // once.
        let read = self.files.iter().filter_map(|path| self.read(path).transpose());
        let tournaments: Vec<_> = read.collect::<Result<_, Failure>>()?;
        tournaments
            .into_iter()
            .try_for_each(|(path, text, settings)| self.play(games, path, &text, settings))
    }

    /// Reads a file: its path, its text and its settings. `None` for a file of `tesuji train` among
    /// several files.
    fn read<'a>(
        &self,
        path: &'a Path,
    ) -> Result<Option<(&'a Path, String, TournamentSettings)>, Failure> {
        let text = input::read_text(path)?;
        if names_a_learner(&text) {
            let path = path.display();
            let problem =
                format!("{path}: not a tournament but training; expected tesuji train {path}");
            if self.files.len() == 1 {
                return Err(Failure::BadInput(problem));
            }
            tracing::warn!(target: "match", "left out: {problem}");
            return Ok(None);
        }
        let settings =
            TournamentSettings::read(&substitute_variables(path, &text)?).in_file(path)?;
        Ok(Some((path, text, self.with_concurrency(settings))))
    }

    fn with_concurrency(&self, settings: TournamentSettings) -> TournamentSettings {
        let concurrency = self.concurrency.map_or(settings.concurrency, usize::from);
        TournamentSettings { concurrency, ..settings }
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
        store_run(&*store, &tournament, text, "running")?;
        let names = tournament.names();
        let progress = Progress::new(Some(tournament.total()), "games");
        let result = tournament.run_on(&*queue, Some(&*store), &|score| {
            progress.show(score.done, || leaders(&names, score));
        })?;
        drop(progress);
        let tables = Tables::new(&tournament, &result)?;
        store.add(&tables.records(&result))?;
        store_run(&*store, &tournament, text, "finished")?;
        if let Some(folder) = self.out_folder(path) {
            tables.write(&folder, &result)?;
        }
        if self.json {
            return print_json(&tables.json(&result));
        }
        tables.print(&result, store.place())
    }

    /// The folder for the tables of a file: --out, or a folder in it if there are several files.
    fn out_folder(&self, path: &Path) -> Option<PathBuf> {
        let folder = self.out.as_ref()?;
        match (self.files.len(), path.file_stem()) {
            (2.., Some(stem)) => Some(folder.join(stem)),
            _ => Some(folder.clone()),
        }
    }
}

/// Whether the file has a top-level key `learner`.
fn names_a_learner(text: &str) -> bool {
    let keys = text.lines().map(str::trim_start).take_while(|line| !line.starts_with('['));
    keys.filter_map(|line| line.split_once('=')).any(|(key, _)| key.trim_end() == "learner")
}

fn openings(
    settings: &TournamentSettings,
    path: &Path,
    start: &State,
) -> Result<Openings, Failure> {
    let options = &settings.openings;
    let Some(file) = &options.file else {
        return Ok(Openings::Random { plies: options.random_plies.unwrap_or(0) });
    };
    let path = path.parent().unwrap_or(Path::new("")).join(file);
    input::read_openings(&path, start, options.order, settings.seed)
}

/// Stores the record of the tournament with its state.
fn store_run(
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

/// The text of a file with `${NAME}` replaced by the environment variable, such as the path of an
/// engine on this machine.
fn substitute_variables(path: &Path, text: &str) -> Result<String, Failure> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or_else(|| {
            Failure::in_file(path, "'${' without '}'; expected ${NAME} for an environment variable")
        })?;
        let value = std::env::var(name).map_err(|_| {
            let example = format!("{name}=/path/to/engine tesuji tournament {}", path.display());
            Failure::in_file(
                path,
                format!("environment variable {name}: not set; example: {example}"),
            )
        })?;
        filled = filled + before + &value;
        rest = after;
    }
    Ok(filled + rest)
}

/// The first three players, for the progress line.
fn leaders(names: &[String], score: &TournamentScore) -> String {
    let mut order: Vec<usize> = (0..score.points.len()).collect();
    order.sort_by(|a, b| score.points[*b].total_cmp(&score.points[*a]));
    let text = |&player: &usize| format!("{} {}", names[player], score.points[player]);
    order.iter().take(3).map(text).collect::<Vec<_>>().join(", ")
}
