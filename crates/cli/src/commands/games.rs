//! `tesuji games`: what can be played, and by whom.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use serde_json::json;
use tesuji_arena::{PlayerContext, PlayerInfo, PlayerSpec, players};
use tesuji_games::registry::GameInfo;
use tesuji_games::rules::gem_island::{self, Settings};
use tesuji_games::{Draw, Position, Spec, SpecError};

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
            (None, true, true) => print_json(&players::all().collect::<Vec<_>>()),
            (None, true, false) => list_players(),
            (None, false, true) => {
                let of_two = games
                    .games()
                    .map(|info| Ok(json!({ "game": info, "start": open(games, info.name)? })));
                let mut all = of_two.collect::<Result<Vec<_>, SpecError>>()?;
                all.push(json!({ "game": GEM_ISLAND, "start": null }));
                print_json(&all)
            }
            (None, false, false) => list_games(games),
        }
    }

    fn describe(&self, games: &Registry, game: &str) -> Result<(), Failure> {
        if game.split(':').next().map(str::trim) == Some(GEM_ISLAND.name) {
            return self.describe_gem_island(game);
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

    fn describe_gem_island(&self, game: &str) -> Result<(), Failure> {
        let settings = Settings::from_spec(Spec::parse(game)?)?;
        if self.json {
            return print_json(&json!({ "game": GEM_ISLAND, "start": null, "settings": settings }));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}", GEM_ISLAND.name, GEM_ISLAND.summary)?;
        writeln!(out, "{}", GEM_ISLAND.rules)?;
        print_entries(&mut out, "options", GEM_ISLAND.options.iter().copied())?;
        Ok(writeln!(out, "one player, chance and hidden medals: see tesuji gem --help")?)
    }
}

/// The game of one player stands beside the registry, which is for games of two.
const GEM_ISLAND: GameInfo = GameInfo {
    name: gem_island::NAME,
    title: "Gem Island",
    summary: "Gem Island: gems in a row, ice, hidden medals; one player (tesuji gem)",
    rules: "Swap two neighbouring gems so that three or more of a kind stand in a row: they vanish, what is above falls, \
            and ice beneath them breaks. Free every hidden medal before the moves run out.",
    options: &[
        ("level=L", "1, 2 or 3 (default 1); what follows is different from it"),
        ("COLUMNSxROWS", "size of the board (default 9x9, up to 31x31)"),
        ("kinds=N", "kinds of gems, 3 to 8 (default 6)"),
        ("ice=N", "rows under ice, from the bottom"),
        ("layers=N", "layers of ice, 1 to 7 (default 1)"),
        ("medals=N", "medals under the ice"),
        ("moves=N", "moves in which all must be freed"),
        ("rules=fixed|original", "without or with the published program's faults (default fixed)"),
    ],
    presets: &[],
};

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
        name => name.parse().is_ok_and(|spec: PlayerSpec| spec.check(&context).is_ok()),
    };
    players::all().map(|info| info.name).filter(|name| plays(name)).collect()
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
    rows.push([GEM_ISLAND.name, "-", "-", GEM_ISLAND.summary].map(String::from));
    rows.extend(option_rows(&GEM_ISLAND));
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
    for PlayerInfo { name, summary, options } in players::all() {
        rows.push([name.to_string(), summary.to_string()]);
        let option_rows =
            options.iter().map(|(option, meaning)| [format!("  {option}"), format!("  {meaning}")]);
        rows.extend(option_rows);
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
