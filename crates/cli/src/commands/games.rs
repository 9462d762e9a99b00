//! `tesuji games`: what can be played, and by whom.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use serde_json::json;
use tesuji_games::registry::{GameInfo, Puzzle, PuzzleSettings};
use tesuji_games::{Draw, Position, SpecError};
use tesuji_play::PlayerContext;

use tesuji_search::{Game, Registry};

use crate::examples;
use crate::failure::Failure;
use crate::output::{print_json, print_table};

/// List the games, or describe one
#[derive(Args)]
#[command(after_help = examples::help(examples::GAMES))]
pub(crate) struct Games {
    /// A game to describe, such as connect4 or mnk:10x10,k=5
    game: Option<String>,
    /// List the players and their options instead
    #[arg(long, conflicts_with = "game")]
    players: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Games {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        match (&self.game, self.players, self.json) {
            (Some(game), _, _) => self.describe(games, game),
            (None, true, true) => print_json(&tesuji_players::roster().all().collect::<Vec<_>>()),
            (None, true, false) => list_players(),
            (None, false, true) => {
                let of_two = games
                    .games()
                    .map(|info| Ok(json!({ "game": info, "start": open(games, info.name)? })));
                let of_one =
                    games.puzzles().map(|puzzle| Ok(json!({ "game": puzzle.info, "start": null })));
                print_json(&of_two.chain(of_one).collect::<Result<Vec<_>, SpecError>>()?)
            }
            (None, false, false) => list_games(games),
        }
    }

    fn describe(&self, games: &Registry, game: &str) -> Result<(), Failure> {
        if let Some((puzzle, settings)) = games.puzzle(game)? {
            return self.describe_puzzle(puzzle, &settings);
        }
        let game = games.open(game)?;
        let (start, players, info) = (Start::of(&game), who_plays(&game), game.info());
        if self.json {
            return print_json(&json!({ "game": info, "start": start, "players": players }));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}", info.name, info.summary)?;
        print_entries(&mut out, "options", info.options.iter().copied())?;
        let presets = info.presets.iter().map(|p| (p.name, p.stands_for));
        print_entries(&mut out, "presets", presets)?;
        writeln!(out, "capabilities: {}", start.capabilities.join(", "))?;
        writeln!(out, "players: {}", players.join(", "))?;
        writeln!(out, "moves at the start: {}", start.moves)?;
        Ok(write!(out, "\n{}", start.board)?)
    }

    fn describe_puzzle(&self, puzzle: &Puzzle, settings: &PuzzleSettings) -> Result<(), Failure> {
        let Puzzle { info, nature, commands, .. } = puzzle;
        if self.json {
            return print_json(&json!({ "game": info, "start": null, "settings": settings }));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}", info.name, info.summary)?;
        writeln!(out, "{}", info.rules)?;
        print_entries(&mut out, "options", info.options.iter().copied())?;
        let presets = info.presets.iter().map(|p| (p.name, p.stands_for));
        print_entries(&mut out, "presets", presets)?;
        Ok(writeln!(out, "{nature}: see {} --help", commands.verb)?)
    }
}

/// What can be seen of a game without playing it.
#[derive(Serialize)]
struct Start {
    capabilities: Vec<&'static str>,
    moves: usize,
    board: String,
}

impl Start {
    fn of(game: &Game) -> Start {
        let start = game.start();
        let optional = [
            ("Heuristic", start.estimate().is_some()),
            ("MoveOrder", start.has_move_order()),
            ("Notation", true),
            ("Draw", true),
            ("Symmetry", start.has_symmetry()),
            ("Tactics", start.forcing_moves().is_some()),
            ("Stones", start.rows().is_some()),
            ("WinDetection", start.detects_wins()),
        ];
        let there = optional.into_iter().filter(|(_, there)| *there).map(|(name, _)| name);
        Start {
            capabilities: there.collect(),
            moves: start.move_count(),
            board: start.diagram().to_string(),
        }
    }
}

/// Who can play a game: whoever can be made for it, people, and other programs.
fn who_plays(game: &Game) -> Vec<&'static str> {
    let context = PlayerContext::new(game, 1);
    let plays = |name: &str| match name {
        "human" | "external" => true,
        name => tesuji_players::player(name).is_ok_and(|spec| spec.supports(&context).is_ok()),
    };
    tesuji_players::roster().all().map(|info| info.name).filter(|name| plays(name)).collect()
}

fn open(games: &Registry, game: &str) -> Result<Start, SpecError> {
    games.open(game).map(|game| Start::of(&game))
}

fn list_games(games: &Registry) -> Result<(), Failure> {
    let mut rows = vec![["GAME", "SYMMETRY", "TACTICS", "SUMMARY"].map(String::from)];
    for info in games.games() {
        rows.push(game_row(games, info.name, info.summary.to_string())?);
        rows.extend(option_rows(info));
        for preset in info.presets {
            let summary = format!("{} ({})", preset.summary, preset.stands_for);
            rows.push(game_row(games, preset.name, summary)?);
        }
    }
    for Puzzle { info, .. } in games.puzzles() {
        rows.push([info.name, "-", "-", info.summary].map(String::from));
        rows.extend(option_rows(info));
    }
    print_table(&rows)
}

fn option_rows(info: &GameInfo) -> impl Iterator<Item = [String; 4]> {
    info.options.iter().map(|(option, meaning)| {
        [format!("  :{option}"), String::new(), String::new(), format!("  {meaning}")]
    })
}

fn game_row(games: &Registry, name: &str, summary: String) -> Result<[String; 4], SpecError> {
    let start = open(games, name)?;
    let mark =
        |capability| if start.capabilities.contains(&capability) { "yes" } else { "-" }.to_string();
    Ok([name.to_string(), mark("Symmetry"), mark("Tactics"), summary])
}

fn list_players() -> Result<(), Failure> {
    let mut rows = vec![["PLAYER", "SUMMARY"].map(String::from)];
    for kind in tesuji_players::roster().all() {
        rows.push([kind.name.to_string(), kind.summary.to_string()]);
        let option_rows = kind.options.iter();
        rows.extend(option_rows.map(|it| [format!("  {}", it.form()), format!("  {}", it.help)]));
    }
    print_table(&rows)
}

fn print_entries<'a>(
    out: &mut impl Write,
    title: &str,
    entries: impl Iterator<Item = (&'a str, &'a str)>,
) -> io::Result<()> {
    let entries: Vec<_> = entries.collect();
    let width = entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    if !entries.is_empty() {
        writeln!(out, "{title}:")?;
    }
    for (name, meaning) in entries {
        writeln!(out, "  {name:<width$}  {meaning}")?;
    }
    Ok(())
}
