//! `tesuji tournament`: many players, one file that says everything, tables at the end.

mod tables;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use tesuji_games::State;
use tesuji_play::tournament::settings::Settings;
use tesuji_play::{Openings, Tournament, TournamentResult, TournamentScore};
use tesuji_store::{Access, Kind, Record, Run, Selection, Store};

use tesuji_search::{Game, Registry};

use crate::crew::Crew;
use crate::examples;
use crate::failure::Failure;
use crate::input;
use crate::opening_file;
use crate::output::print_json;
use crate::progress::Progress;
use tables::Tables;

/// Play a tournament that a file describes; started again, it carries on
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct PlayTournament {
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
    crew: Crew,
}

const USUAL_STORE: &str = "tesuji.db";

fn help() -> String {
    format!("{}\n\n{}", examples::TOURNAMENT_FILE, examples::help(examples::TOURNAMENT))
}

impl PlayTournament {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        // All files are read before the first game: a slip in the last one is told at once.
        let evenings: Vec<Option<Evening<'_>>> =
            self.files.iter().map(|path| self.evening(path)).collect::<Result<_, Failure>>()?;
        evenings.into_iter().flatten().try_for_each(|evening| self.play(games, evening))
    }

    /// The tournament of a file; nothing where the file is for a learner and there are others.
    fn evening<'a>(&'a self, path: &'a Path) -> Result<Option<Evening<'a>>, Failure> {
        let text = input::text_of(path)?;
        if names_a_learner(&text) {
            let (path, words) = (path.display(), "teaches a learner; right would be tesuji train");
            return match self.files.len() {
                1 => Err(Failure::BadInput(format!("{path}: this file {words} {path}"))),
                _ => {
                    tracing::warn!(target: "match", "{path}: left out, it {words} {path}");
                    Ok(None)
                }
            };
        }
        let filled = filled_in(path, &text)?;
        let mut settings =
            Settings::read(&filled).map_err(|error| Failure::in_file(path, error))?;
        if let Some(concurrency) = self.concurrency {
            settings.concurrency = usize::from(concurrency);
        }
        let place =
            self.store.clone().or(settings.store.clone()).unwrap_or(USUAL_STORE.to_string());
        Ok(Some(Evening { path, text, settings, place, crew: &self.crew }))
    }

    fn play(&self, games: &Registry, evening: Evening<'_>) -> Result<(), Failure> {
        let path = evening.path;
        let game = games.open(&evening.settings.game);
        let game = game.map_err(|error| Failure::from(error).within(path))?;
        let (result, tables, place) = evening.play(&game)?;
        if let Some(folder) = self.out_folder(path) {
            tables.write(&folder, &result)?;
        }
        if self.json {
            return print_json(&tables.json(&result));
        }
        tables.print(&result, &place)
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

/// One tournament.
struct Evening<'a> {
    path: &'a Path,
    /// The file as it was written, for the record.
    text: String,
    settings: Settings,
    /// Where its games are kept.
    place: String,
    /// Who plays them.
    crew: &'a Crew,
}

impl Evening<'_> {
    /// The result, its tables, and where the games are kept.
    fn play(self, game: &Game) -> Result<(TournamentResult, Tables, String), Failure> {
        let openings = self.openings(game.start())?;
        let tournament = Tournament::new(self.settings, game, tesuji_players::roster(), openings)
            .map_err(|error| Failure::in_file(self.path, error))?;
        let store = self.crew.store(&self.place, Access::Create)?;
        let queue = self.crew.queue(tournament.settings.concurrency, Some(&self.place))?;
        note_run(&*store, &tournament, &self.text, "running")?;
        let names = tournament.names();
        let progress = Progress::new(Some(tournament.total()), "games");
        let result = tournament.run_on(&*queue, Some(&*store), &|score| {
            progress.show(score.done, || leaders(&names, score));
        })?;
        drop(progress);
        let tables = Tables::new(&tournament, &result)?;
        store.add(&tables.records(&result))?;
        note_run(&*store, &tournament, &self.text, "finished")?;
        Ok((result, tables, store.place().to_string()))
    }

    fn openings(&self, start: &State) -> Result<Openings, Failure> {
        let wanted = &self.settings.openings;
        let Some(file) = &wanted.file else {
            return Ok(Openings::Random { plies: wanted.random_plies.unwrap_or(0) });
        };
        let beside = self.path.parent().unwrap_or(Path::new("")).join(file);
        opening_file::read(start, &beside, wanted.order, self.settings.seed)
    }
}

/// Keeps in the store what was played, and how far it came.
fn note_run(
    store: &dyn Store,
    tournament: &Tournament,
    config: &str,
    state: &str,
) -> Result<(), Failure> {
    let earlier = earlier_run(store, tournament.event())?;
    let now = tesuji_play::event::now();
    store.add(&[Record::Run(Run {
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

fn earlier_run(store: &dyn Store, id: &str) -> Result<Option<Run>, Failure> {
    let mut found = None;
    let selection = Selection { event: Some(id.to_string()), ..Selection::all(Kind::Run) };
    store.for_each(&selection, &mut |record| {
        if let Record::Run(run) = record {
            found = Some(run);
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
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
    order[..order.len().min(3)]
        .iter()
        .map(|&player| format!("{} {}", names[player], score.points[player]))
        .collect::<Vec<_>>()
        .join(", ")
}
