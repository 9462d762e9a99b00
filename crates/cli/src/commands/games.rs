//! `tesuji games`: lists games and players.

use serde::Serialize;
use tesuji_games::registry::{GameInfo, Puzzle, PuzzleSettings};
use tesuji_games::{Draw, Position, SpecError};
use tesuji_play::PlayerContext;
use tesuji_search::{Game, Registry};

use crate::prelude::*;

/// List the games, or describe one
#[derive(clap::Args)]
pub(crate) struct GamesArgs {
    /// Describe this game, such as connect4 or mnk:10x10,k=5
    game: Option<String>,
    /// List the players and their options instead
    #[arg(long, conflicts_with = "game")]
    players: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl GamesArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        match (&self.game, self.players, self.json) {
            (Some(game), _, _) => self.describe(games, game),
            (None, true, true) => print_json(&tesuji_players::roster().all().collect::<Vec<_>>()),
            (None, true, false) => list_players(),
            (None, false, true) => {
                let two_player = games.games().map(|info| (info, Some(info.name)));
                let entries = two_player.chain(games.puzzles().map(|puzzle| (&puzzle.info, None)));
                let entries = entries.map(|(info, name)| {
                    let start = name.map(|name| open(games, name)).transpose()?;
                    Ok(json!({ "game": info, "start": start }))
                });
                print_json(&entries.collect::<Result<Vec<_>, SpecError>>()?)
            }
            (None, false, false) => list_games(games),
        }
    }

    fn describe(&self, games: &Registry, game: &str) -> Result<(), Failure> {
        if let Some((puzzle, settings)) = games.puzzle(game)? {
            return self.describe_puzzle(puzzle, &settings);
        }
        let game = games.open(game)?;
        let (start, players, info) = (Start::of(&game), players_of(&game), game.info());
        if self.json {
            return print_json(&json!({ "game": info, "start": start, "players": players }));
        }
        say!("{}: {}", info.name, info.summary)?;
        print_options(info)?;
        say!("capabilities: {}", start.capabilities.join(", "))?;
        say!("players: {}", players.join(", "))?;
        say!("moves at the start: {}\n", start.moves)?;
        print(start.board)
    }

    fn describe_puzzle(&self, puzzle: &Puzzle, settings: &PuzzleSettings) -> Result<(), Failure> {
        let Puzzle { info, nature, commands, .. } = puzzle;
        if self.json {
            return print_json(&json!({ "game": info, "start": null, "settings": settings }));
        }
        say!("{}: {}\n{}", info.name, info.summary, info.rules)?;
        print_options(info)?;
        say!("{nature}: see {} --help", commands.verb)
    }
}

/// The start of a game and its capabilities.
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
            ("RowPosition", start.rows().is_some()),
            ("FindsWins", start.finds_wins()),
        ];
        let capabilities = optional.into_iter().filter(|(_, has)| *has).map(|(name, _)| name);
        Start {
            capabilities: capabilities.collect(),
            moves: start.move_count(),
            board: start.diagram().to_string(),
        }
    }
}

/// The players of a game: those that can be created for it, people and other programs.
fn players_of(game: &Game) -> Vec<&'static str> {
    let context = PlayerContext::new(game, 1);
    let supports = |name: &str| match name {
        "human" | "external" => true,
        name => tesuji_players::player(name).is_ok_and(|spec| spec.supports(&context).is_ok()),
    };
    tesuji_players::roster().all().map(|info| info.name).filter(|name| supports(name)).collect()
}

fn open(games: &Registry, game: &str) -> Result<Start, SpecError> {
    games.open(game).map(|game| Start::of(&game))
}

fn list_games(games: &Registry) -> Result<(), Failure> {
    let mut rows = Vec::new();
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
    print_titled(&["GAME", "SYMMETRY", "TACTICS", "SUMMARY"], rows)
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
    let mut rows = Vec::new();
    for kind in tesuji_players::roster().all() {
        rows.push([kind.name.to_string(), kind.help()]);
        let option_rows = kind.options.iter();
        rows.extend(
            option_rows.map(|it| [format!("  {}", it.form()), format!("  {}", it.help_text())]),
        );
    }
    print_titled(&["PLAYER", "SUMMARY"], rows)
}

/// Prints the options and presets of a game, if any.
fn print_options(info: &GameInfo) -> Result<(), Failure> {
    let presets = info.presets.iter().map(|preset| (preset.name, preset.stands_for)).collect();
    for (title, entries) in [("options", info.options.to_vec()), ("presets", presets)] {
        if !entries.is_empty() {
            say!("{title}:")?;
        }
        let row = |(name, meaning): (&str, &str)| [format!("  {name}"), meaning.to_string()];
        print_table(&entries.into_iter().map(row).collect::<Vec<_>>())?;
    }
    Ok(())
}
