//! `tesuji engine`: serves a player to other programs, or checks another program.

use std::io;

use clap::{Args, ValueEnum};
use tesuji_gomoku::engine::tunables::{Tunable, Tunables};
use tesuji_play::PlayerSpec;
use tesuji_players::compliance::{CheckVerdict, ProtocolCheck, check_engine};
use tesuji_players::serve::{serve_gomocup, serve_lines};

use crate::prelude::*;

/// Serve a player to other programs, or check another program's protocol
///
/// Reads commands on stdin and answers on stdout; see docs/protocol.md. A link to this program with
/// a name that begins with pbrain serves the Gomocup protocol without arguments.
#[derive(Args)]
pub(crate) struct EngineArgs {
    /// Serve this player [default: gomoku for gomocup, pvs for lines]
    #[arg(long, value_name = "P")]
    player: Option<String>,
    /// Use this protocol: gomocup for five in a row in Gomocup's managers, lines for any game
    #[arg(long, value_enum, default_value_t = Protocol::Gomocup)]
    protocol: Protocol,
    /// Check a program instead, given as external:cmd=./pbrain-wine or as a command line
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["player", "protocol"])]
    check: Option<String>,
    /// Check with this game
    #[arg(long, value_name = "GAME", default_value = "gomoku", requires = "check")]
    game: String,
    /// List the constants of the Gomoku engine, which gomoku:tune.NAME=N sets, and stop
    #[arg(long, conflicts_with_all = ["player", "protocol", "check"])]
    tunables: bool,
    /// Print the check or the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Protocol {
    Gomocup,
    Lines,
}

impl EngineArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        match &self.check {
            Some(command) => self.check(games, command),
            None if self.tunables => list_tunables(self.json),
            None if self.json => Err(Failure::bad(
                "--json: does not apply to a protocol; expected --check or --tunables",
            )),
            None => serve(games, self.protocol, self.player.as_deref()),
        }
    }

    fn check(&self, games: &Registry, command: &str) -> Result<(), Failure> {
        let player: PlayerSpec = match command.starts_with("external:") {
            true => tesuji_players::player(command)?,
            false => tesuji_players::player(&format!("external:cmd=\"{command}\""))?,
        };
        let checks = check_engine(&player, &games.open(&self.game)?)?;
        if self.json {
            print_json(&json!({ "player": player.text(), "game": self.game, "checks": checks }))?;
        } else {
            let row =
                |it: &ProtocolCheck| [it.verdict.word(), it.name, &it.detail].map(String::from);
            print_table(&checks.iter().map(row).collect::<Vec<_>>())?;
        }
        let failed = checks.iter().filter(|check| check.verdict == CheckVerdict::Failed).count();
        match failed {
            0 => Ok(()),
            _ => Err(Failure::Failed(format!("{failed} of {} checks failed", checks.len()))),
        }
    }
}

fn list_tunables(json: bool) -> Result<(), Failure> {
    if json {
        let entry = |tunable: &Tunable| {
            let Tunable {
                name, description: what, default: usual, range: (least, greatest), ..
            } = tunable;
            json!({ "name": name, "what": what.trim(), "usual": usual, "least": least, "greatest": greatest })
        };
        return print_json(&Tunables::ALL.iter().map(entry).collect::<Vec<_>>());
    }
    let row = |tunable: &Tunable| {
        let Tunable { name, description: what, default: usual, range: (least, greatest), .. } =
            tunable;
        let range = format!("{least}..{greatest}");
        [name.to_string(), usual.to_string(), range, what.trim().to_string()]
    };
    print_table(&Tunables::ALL.iter().map(row).collect::<Vec<_>>())
}

fn serve(games: &Registry, protocol: Protocol, player: Option<&str>) -> Result<(), Failure> {
    let default = if protocol == Protocol::Gomocup { "gomoku" } else { "pvs" };
    let player: PlayerSpec = tesuji_players::player(player.unwrap_or(default))?;
    if tesuji_players::is_human(&player) {
        return Err(Failure::bad(
            "player 'human': cannot be served, as stdin belongs to the other program; expected a \
             computer player, such as pvs",
        ));
    }
    let mut output = io::stdout().lock();
    Ok(match protocol {
        Protocol::Gomocup => serve_gomocup(&player, games, io::stdin(), &mut output),
        Protocol::Lines => serve_lines(&player, games, &mut io::stdin().lock(), &mut output),
    }?)
}

/// The program when called by a name that Gomocup's managers expect.
pub(crate) mod pbrain {
    use std::path::Path;

    use clap::Parser;

    use super::{Failure, Protocol, Registry, serve};
    use crate::failure::from_clap;

    /// A Gomoku engine for Gomocup's managers: reads commands on stdin and answers on stdout.
    #[derive(Parser)]
    #[command(name = "pbrain-tesuji", version, args_override_self = true)]
    struct PbrainArgs {
        /// Play as this player [default: gomoku]
        #[arg(long, value_name = "P")]
        player: Option<String>,
    }

    /// Whether the program was called by such a name.
    pub(crate) fn is_program_name() -> bool {
        let path = std::env::args_os().next().unwrap_or_default();
        let name = Path::new(&path).file_stem().unwrap_or_default();
        name.to_string_lossy().starts_with("pbrain")
    }

    /// Serves until the manager ends the protocol. Managers usually give no arguments.
    pub(crate) fn run(games: &Registry) -> Result<(), Failure> {
        match PbrainArgs::try_parse() {
            Ok(arguments) => serve(games, Protocol::Gomocup, arguments.player.as_deref()),
            Err(error) => from_clap(error),
        }
    }
}
