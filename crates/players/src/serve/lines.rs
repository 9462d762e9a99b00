//! The engine's side of our line protocol (docs/protocol.md).

use std::io::{self, BufRead, Write};
use std::time::Duration;

use tesuji_games::Notation;
use tesuji_play::clock::shorter;
use tesuji_play::{Clock, PlayerError, PlayerSpec, Turn};
use tesuji_search::{Limits, Registry, SearchReport};

use super::{Session, read_line, write_line};
use crate::external::command;
use crate::external::lines::VERSION;

/// The longest line that is read.
const LONGEST_LINE: u64 = 1 << 20;

/// Answers until `quit` or the end of the input. Plays every game that the player supports.
pub fn serve_lines(
    player: &PlayerSpec,
    games: &Registry,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut session: Option<Session> = None;
    let mut position_error: Option<String> = None;
    while let Some(line) = read_line(input, LONGEST_LINE)? {
        let (word, rest) = command(&line);
        match (word, &mut session) {
            ("quit", _) => break,
            ("tesuji", _) => write_line(output, &greeting(rest, player))?,
            ("game", _) => match Session::open(games, rest, player) {
                Ok(opened) => {
                    (session, position_error) = (Some(opened), None);
                    write_line(output, "ok")?;
                }
                Err(error) => {
                    session = None;
                    write_line(output, &format!("error {error}"))?;
                }
            },
            ("new" | "go", None) => {
                write_line(
                    output,
                    "error no game; expected a command such as 'game connect4' first",
                )?;
            }
            ("new", Some(session)) => {
                session.new_game(rest.parse().unwrap_or_default());
                position_error = None;
                write_line(output, "ok")?;
            }
            ("position", Some(session)) => match session.game.line(&position_text(rest)) {
                Ok(line) => (session.line, position_error) = (line, None),
                Err(error) => position_error = Some(error.to_string()),
            },
            ("go", Some(session)) => match position_error.as_ref() {
                Some(position_error) => {
                    write_line(output, &format!("error position: {position_error}"))?
                }
                None => answer(output, session, rest)?,
            },
            // Ignore commands of later versions.
            _ => {}
        }
    }
    Ok(())
}

fn greeting(version: &str, player: &PlayerSpec) -> String {
    match version.split_whitespace().next().and_then(|version| version.parse::<u32>().ok()) {
        Some(version) if version >= VERSION => format!("ok Tesuji {player}"),
        _ => format!("error unsupported version; expected 'tesuji {VERSION}'"),
    }
}

/// Removes the words `from` and `moves`; the game reads the rest.
fn position_text(rest: &str) -> String {
    let words = rest.split_whitespace().filter(|word| !["from", "moves"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

fn answer(output: &mut dyn Write, session: &mut Session, words: &str) -> io::Result<()> {
    match session.player.choose(&session.line, &turn(words)) {
        Ok(choice) => {
            if let Some(report) = &choice.report {
                write_line(output, &info_line(report))?;
            }
            write_line(output, &format!("move {}", session.line.end.move_text(choice.m)))
        }
        Err(PlayerError::Resigned(_)) => write_line(output, "resign"),
        Err(error) => write_line(output, &format!("error {error}")),
    }
}

fn info_line(report: &SearchReport) -> String {
    let value = match report.score.plies_to_end() {
        Some(plies) if report.score.is_win() => format!("win {plies}"),
        Some(plies) => format!("loss {plies}"),
        // A score that is not decided is its raw value.
        None => report.score.raw().to_string(),
    };
    format!("info score {value} depth {} nodes {}", report.depth, report.nodes)
}

/// Reads `depth 4 nodes 9 movetime 1000 left 60000 increment 100`; ignores unknown words.
fn turn(words: &str) -> Turn {
    let mut turn = Turn::default();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        let known = ["depth", "nodes", "movetime", "left", "increment"].contains(&word);
        let Some(number) = known.then(|| words.next()).flatten().and_then(|n| n.parse().ok())
        else {
            continue;
        };
        let time = Duration::from_millis(number);
        match word {
            "depth" => turn.limits.depth = u32::try_from(number).ok(),
            "nodes" => turn.limits.nodes = Some(number),
            "movetime" => turn.clock.per_move = Some(time),
            "left" => turn.clock.left = Some(time),
            _ => turn.clock.increment = time,
        }
    }
    let time = thinking(&turn.clock);
    Turn { limits: Limits { time, ..turn.limits }, ..turn }
}

fn thinking(clock: &Clock) -> Option<Duration> {
    const MOVES_TO_COME: u32 = 20;
    /// Time for communication.
    const WAY: Duration = Duration::from_millis(30);
    // A share of the time left for the game, at most half of it.
    let share =
        clock.left.map(|left| (left / MOVES_TO_COME + clock.increment.mul_f64(0.8)).min(left / 2));
    let time = shorter(clock.per_move, share)?;
    Some(time.saturating_sub(WAY.min(time / 4)).max(Duration::from_millis(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random::{below, seeded};

    fn conversation(player: &str, input: &[u8]) -> Vec<String> {
        let (games, mut output) = (tesuji_builtin::registry(), Vec::new());
        serve_lines(&crate::player(player).unwrap(), &games, &mut &input[..], &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(str::to_string).collect()
    }

    #[test]
    fn a_game_is_played() {
        let input = "tesuji 1\ngame tictactoe\nnew 5\nposition a1 b1 a2 b2\ngo depth 9\n\
            later words\nposition from moves a1 a2\ngo nodes 1 depth 1 colour red\nquit\nnew 1\n";
        let said = conversation("pvs", input.as_bytes());
        assert_eq!(said[..3], ["ok Tesuji pvs", "ok", "ok"]);
        assert!(said[3].starts_with("info score win 1 depth "), "{said:?}");
        assert_eq!(said[4], "move a3");
        assert!(said[6].starts_with("move "), "{said:?}");
        assert_eq!(said.len(), 7, "{said:?}");
    }

    #[test]
    fn errors_name_the_problem() {
        for (input, words) in [
            ("go\n", "error no game"),
            ("tesuji 0\n", "error unsupported version"),
            ("game nogame\n", "error game 'nogame': unknown"),
            ("game\n", "error no name given"),
            ("game tictactoe\nposition a1 a1\ngo\n", "error position: cannot play"),
            ("game tictactoe\nposition a1 a2 b1 b2 c1\ngo\n", "after the end of the game"),
            ("game chess\nposition from 8/8 moves e2e4\ngo\n", "error position"),
        ] {
            let said = conversation("random", input.as_bytes());
            assert!(said.last().is_some_and(|line| line.contains(words)), "{input}: {said:?}");
        }
    }

    #[test]
    fn chess_positions_with_moves_are_understood() {
        let start = "from 7k/8/5K2/6Q1/8/8/8/8 b - - 0 1 moves h8h7";
        let input = format!("game chess\nposition {start}\ngo depth 2\n");
        assert_eq!(conversation("pvs", input.as_bytes()).last().unwrap(), "move g5g7");
    }

    #[test]
    fn time_is_shared_out() {
        let time = |words: &str| turn(words).limits.time.map(|time| time.as_millis());
        assert_eq!(time("depth 3"), None);
        assert_eq!(time("movetime 1000"), Some(970));
        assert_eq!(time("left 60000 increment 1000"), Some(3770));
        assert_eq!(time("left 100 increment 1000"), Some(37));
        assert_eq!(time("movetime 1000 left 600000"), Some(970));
        assert_eq!(time("movetime x left"), None);
    }

    #[test]
    fn any_bytes_are_some_conversation() {
        let mut rng = seeded(8);
        let words = ["tesuji 1", "game tictactoe", "new ", "position ", "go depth 1", "a1 ", "\n"];
        for _ in 0..300 {
            let mut bytes = Vec::new();
            for _ in 0..below(&mut rng, 20) {
                match below(&mut rng, 8) {
                    0 => bytes.push(below(&mut rng, 256) as u8),
                    n => bytes.extend(words[n as usize - 1].bytes()),
                }
            }
            conversation("random", &bytes);
        }
    }
}
