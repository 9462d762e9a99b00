//! The client side of our own line protocol, which is for all games. docs/protocol.md defines it.

use std::time::{Duration, Instant};

use tesuji_games::{GameLine, Move, Notation, Position};
use tesuji_play::Choice;
use tesuji_search::Game;

use super::engine_info::EngineInfo;
use super::process::{EngineFault, Process};
use super::{MAX_UNEXPECTED_LINES, MoveRequest, ProtocolClient, command, excerpt};

/// The protocol version.
pub(crate) const VERSION: u32 = 1;

/// The conversation with an engine about a game.
pub(crate) struct LineClient {
    pub(crate) game: Game,
}

impl ProtocolClient for LineClient {
    fn handshake(
        &mut self,
        process: &mut Process,
        deadline: Instant,
    ) -> Result<Option<String>, EngineFault> {
        let name = excerpt(&demand(process, &format!("tesuji {VERSION}"), deadline)?);
        demand(process, &format!("game {}", self.game.name()), deadline)?;
        Ok((!name.is_empty()).then_some(name))
    }

    fn start_game(
        &mut self,
        process: &mut Process,
        seed: u64,
        deadline: Instant,
    ) -> Result<(), EngineFault> {
        demand(process, &format!("new {seed}"), deadline).map(drop)
    }

    fn request_move(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
    ) -> Result<Choice, EngineFault> {
        process.send(&position_command(&self.game, request.line));
        process.send(&go_command(request));
        let started = Instant::now();
        let mut info = EngineInfo::default();
        let mut unexpected = 0;
        while unexpected < MAX_UNEXPECTED_LINES {
            let line = process.next_line(request.deadline)?;
            match command(&line) {
                ("info", rest) => info.read_info(rest),
                ("move", text) => {
                    let m = legal_move(request.line, text)?;
                    return Ok(info.into_choice(m, started.elapsed()));
                }
                ("resign", _) => return Err(EngineFault::Resigned),
                ("error", why) => {
                    let why = excerpt(why);
                    return Err(EngineFault::InvalidReply(format!(
                        "answers 'go' with 'error {why}'"
                    )));
                }
                _ => unexpected += 1,
            }
        }
        Err(EngineFault::InvalidReply("sends too many lines without a move".to_string()))
    }
}

/// Sends a line and returns the rest of the `ok` line.
pub(crate) fn demand(
    process: &mut Process,
    what: &str,
    deadline: Instant,
) -> Result<String, EngineFault> {
    process.send(what);
    for _ in 0..MAX_UNEXPECTED_LINES {
        let line = process.next_line(deadline)?;
        match command(&line) {
            ("ok", rest) => return Ok(rest.to_string()),
            ("error", why) => {
                let why = excerpt(why);
                return Err(EngineFault::InvalidReply(format!(
                    "answers '{what}' with 'error {why}'"
                )));
            }
            _ => {}
        }
    }
    Err(EngineFault::InvalidReply(format!("never answers ok to '{what}'")))
}

/// Formats `position 4 4 5`, or `position from START moves 4 4 5` for another start.
fn position_command(game: &Game, line: &GameLine) -> String {
    let mut text = String::from("position");
    if let Some(start) = line.start_text(game.start()) {
        text.push_str(&format!(" from {start} moves"));
    }
    let mut position = line.start.clone();
    for &m in &line.moves {
        text.push(' ');
        text.push_str(&position.move_text(m));
        position.play(m);
    }
    text
}

fn go_command(request: &MoveRequest<'_>) -> String {
    let (limits, clock) = (&request.turn.limits, &request.turn.clock);
    let milliseconds = |time: Duration| time.as_millis() as u64;
    let increment = Some(clock.increment).filter(|time| !time.is_zero());
    let mut text = String::from("go");
    for (word, number) in [
        ("depth", limits.depth.map(u64::from)),
        ("nodes", limits.nodes),
        ("movetime", request.thinking.map(milliseconds)),
        ("left", clock.left.map(milliseconds)),
        ("increment", increment.map(milliseconds)),
    ] {
        if let Some(number) = number {
            text.push_str(&format!(" {word} {number}"));
        }
    }
    text
}

/// Parses a move. Text that is no move at all counts as an illegal move: which of the two it is
/// depends on the game's notation, and the reason tells the engine's author more.
fn legal_move(line: &GameLine, text: &str) -> Result<Move, EngineFault> {
    line.end
        .parse_move(text)
        .map_err(|error| EngineFault::IllegalMove(format!("moves '{}': {error}", excerpt(text))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::Notation;
    use tesuji_games::random::{below, seeded};
    use tesuji_play::{Clock, Turn};
    use tesuji_search::Limits;

    #[test]
    fn positions_are_lists_of_words() {
        let connect4 = opened("connect4");
        let line = opened("connect4").line("4453").unwrap();
        assert_eq!(position_command(&connect4, &line), "position 4 4 5 3");
        let chess = opened("chess");
        let line = opened("chess").line("e4 e5").unwrap();
        assert_eq!(position_command(&chess, &line), "position e2e4 e7e5");
        let line = opened("chess").line("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1 e3d3").unwrap();
        let expected = "position from 8/8/8/8/8/4k3/4p3/4K3 b - - 0 1 moves e3d3";
        assert_eq!(position_command(&chess, &line), expected);
    }

    #[test]
    fn limits_are_told() {
        let line = opened("connect4").line("").unwrap();
        let clock = Clock {
            left: Some(Duration::from_secs(60)),
            increment: Duration::from_millis(100),
            ..Clock::default()
        };
        let turn = Turn {
            limits: Limits { depth: Some(4), ..Limits::nodes(9) },
            clock,
            ..Turn::default()
        };
        let mut request =
            MoveRequest { line: &line, turn: &turn, thinking: None, deadline: Instant::now() };
        assert_eq!(go_command(&request), "go depth 4 nodes 9 left 60000 increment 100");
        let turn = Turn::default();
        request.turn = &turn;
        request.thinking = Some(Duration::from_secs(1));
        assert_eq!(go_command(&request), "go movetime 1000");
    }

    #[test]
    fn answers_are_moves_or_faults() {
        let line = opened("connect4").line("4444 44").unwrap();
        assert_eq!(line.end.move_text(legal_move(&line, " 3 ").unwrap()), "3");
        for text in ["4", "four", "3 3", "", "9"] {
            assert!(matches!(legal_move(&line, text), Err(EngineFault::IllegalMove(_))), "{text}");
        }
    }

    #[test]
    fn any_bytes_are_some_answer() {
        let mut rng = seeded(6);
        let line = opened("connect4").line("44").unwrap();
        let words = ["ok ", "error", "info score win ", "move ", "resign", "4", " ", "\t"];
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            for _ in 0..below(&mut rng, 8) {
                if below(&mut rng, 2) == 0 {
                    bytes.extend(words[below(&mut rng, words.len() as u32) as usize].bytes());
                } else {
                    bytes.push(below(&mut rng, 256) as u8);
                }
            }
            if let ("move", text) = command(&String::from_utf8_lossy(&bytes)) {
                let _ = legal_move(&line, text);
            }
        }
    }
}
