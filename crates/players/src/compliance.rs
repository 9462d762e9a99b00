//! Checks of another program's protocol: a list of named checks, each a part of a game.

mod gomocup;

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::random::seeded;
use tesuji_games::{GameLine, Position, Rng, SpecError, State};
use tesuji_search::Game;

use crate::external::process::{EngineFault, LaunchOptions, Process};
use crate::external::{MoveRequest, Protocol, ProtocolClient, excerpt, program_of};
use crate::five_in_a_row::FiveInARow;
use crate::searching::bad_value;
use tesuji_play::quantity::duration_text;
use tesuji_play::{Clock, Openings, PlayerSpec, Turn};

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProtocolCheck {
    /// What was checked.
    pub name: &'static str,
    /// Whether the program passed.
    pub verdict: CheckVerdict,
    /// Details.
    pub detail: String,
}

/// Whether a program passed a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It passed.
    Passed,
    /// It failed an optional check.
    Remark,
    /// It failed.
    Failed,
}

impl CheckVerdict {
    /// The word for tables.
    pub const fn word(self) -> &'static str {
        match self {
            CheckVerdict::Passed => "ok",
            CheckVerdict::Remark => "note",
            CheckVerdict::Failed => "FAILED",
        }
    }
}

/// Thinking time per move that the program is given.
const MOVE_TIME: Duration = Duration::from_millis(500);
/// How much later an answer still counts as in time.
const LATENCY: Duration = Duration::from_millis(150);
/// How long a check waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a check waits for an optional answer.
const SHORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Checks a program, given as the player `external:cmd=…`, in a game from its start.
pub fn check_engine(player: &PlayerSpec, game: &Game) -> Result<Vec<ProtocolCheck>, SpecError> {
    let spec = program_of(player).ok_or_else(|| {
        let expected = "another program, such as external:cmd=./pbrain-wine";
        bad_value("the protocol check", "player", player.text(), expected)
    })?;
    let protocol = spec.protocol_for(game);
    let (client, launch) = spec.prepare(player.text(), game)?;
    let checker = ProtocolChecker {
        start: game.start().clone(),
        gomocup_board: FiveInARow::of(game).filter(|_| protocol == Protocol::Gomocup),
        launch,
        client,
        rng: seeded(1),
        slowest: Duration::ZERO,
        checks: Vec::new(),
    };
    Ok(checker.run())
}

struct ProtocolChecker {
    start: State,
    /// The board, for the checks of the Gomocup protocol.
    gomocup_board: Option<FiveInARow>,
    launch: LaunchOptions,
    client: Box<dyn ProtocolClient>,
    rng: Rng,
    slowest: Duration,
    checks: Vec<ProtocolCheck>,
}

/// The details of a passed check, or the fault.
type CheckResult = Result<String, EngineFault>;

impl ProtocolChecker {
    fn run(mut self) -> Vec<ProtocolCheck> {
        let Some(mut process) = self.begin() else { return self.checks };
        // After a failed move the program's position is unknown.
        if self.plays(&mut process) {
            self.plays_more_games(&mut process);
        }
        self.keeps_time_limit();
        self.handles_unknown_commands(&mut process);
        if let Some(board) = self.gomocup_board {
            self.checks.extend(gomocup::check(&self.launch, board));
        }
        self.note("quits on request", CheckVerdict::Failed, quit(&mut process));
        self.checks
    }

    fn note(&mut self, name: &'static str, severity: CheckVerdict, result: CheckResult) -> bool {
        let check = verdict_of(name, severity, result);
        let passed = check.verdict == CheckVerdict::Passed;
        self.checks.push(check);
        passed
    }

    /// Starts the program and a game.
    fn begin(&mut self) -> Option<Process> {
        let process = Process::start(&self.launch);
        let started = process.as_ref().map(|_| String::new());
        self.note(
            "starts",
            CheckVerdict::Failed,
            started.map_err(|error| problem(&error.to_string())),
        );
        let mut process = process.ok()?;
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let name = self.client.handshake(&mut process, deadline);
        let said = name
            .and_then(|name| name.ok_or(EngineFault::InvalidReply("gives no name".to_string())));
        self.note("gives its name", CheckVerdict::Failed, said);
        let begun = self.client.start_game(&mut process, 1, Instant::now() + ANSWER_TIMEOUT);
        let words = begun.map(|()| String::new());
        self.note("starts a game", CheckVerdict::Failed, words).then_some(process)
    }

    /// Plays a game from its start: the first move, an answer, and a few more.
    fn plays(&mut self, process: &mut Process) -> bool {
        let mut line = GameLine::new(self.start.clone());
        for (name, moves) in [("moves first", 1), ("answers a move", 1), ("continues the game", 3)]
        {
            let result = (0..moves).try_for_each(|_| self.exchange(process, &mut line));
            let detail = result.map(|()| line.text());
            if !self.note(name, CheckVerdict::Failed, detail) {
                return false;
            }
        }
        true
    }

    /// Asks for a move and answers it with a random move.
    fn exchange(&mut self, process: &mut Process, line: &mut GameLine) -> Result<(), EngineFault> {
        if line.end.outcome().is_some() {
            return Ok(());
        }
        let turn = Turn {
            clock: Clock { per_move: Some(MOVE_TIME), margin: LATENCY, ..Clock::default() },
            ..Turn::default()
        };
        let started = Instant::now();
        let request = MoveRequest {
            line,
            turn: &turn,
            thinking: Some(MOVE_TIME),
            deadline: started + ANSWER_TIMEOUT,
        };
        let choice = self.client.request_move(process, &request)?;
        self.slowest = self.slowest.max(started.elapsed());
        line.end.play(choice.m);
        line.moves.push(choice.m);
        let side = line.end.to_move();
        while line.end.outcome().is_none() && line.end.to_move() == side {
            let reply = line.end.random_move(&mut self.rng);
            line.end.play(reply);
            line.moves.push(reply);
        }
        Ok(())
    }

    /// Plays further games: from the start as the second side, and from an opening.
    fn plays_more_games(&mut self, process: &mut Process) {
        let again = self.client.restart(process, 2, Instant::now() + ANSWER_TIMEOUT);
        let is_optional = self.gomocup_board.is_some();
        let severity = if is_optional { CheckVerdict::Remark } else { CheckVerdict::Failed };
        if !self.note("starts another game", severity, again.map(|()| String::new())) {
            return;
        }
        for (name, plies) in [("moves second", 1), ("continues an opening", 6)] {
            let mut line = Openings::Random { plies }.opening(&self.start, 3, 0);
            let opening = line.text();
            let result = self.exchange(process, &mut line).map(|()| opening);
            if !self.note(name, CheckVerdict::Failed, result) {
                return;
            }
        }
    }

    fn keeps_time_limit(&mut self) {
        let words = format!(
            "{} at most, {} allowed",
            duration_text(self.slowest),
            duration_text(MOVE_TIME)
        );
        let in_time = self.slowest <= MOVE_TIME + LATENCY;
        let result = if in_time { Ok(words) } else { Err(EngineFault::InvalidReply(words)) };
        self.note("keeps the time limit", CheckVerdict::Failed, result);
    }

    /// Gomocup answers unknown commands with UNKNOWN; our own protocol ignores them.
    fn handles_unknown_commands(&mut self, process: &mut Process) {
        process.send("HAIKU please");
        let deadline = Instant::now() + SHORT_TIMEOUT;
        let said = loop {
            match process.next_line(deadline) {
                Ok(line) if line.to_ascii_uppercase().starts_with("MESSAGE") => {}
                said => break said,
            }
        };
        let is_gomocup = self.gomocup_board.is_some();
        let (severity, result) = match said {
            Ok(line) if is_gomocup && line.starts_with("UNKNOWN") => {
                (CheckVerdict::Remark, Ok(excerpt(&line)))
            }
            Ok(line) => (CheckVerdict::Remark, Err(problem(&format!("says '{}'", excerpt(&line))))),
            Err(EngineFault::Timeout) if is_gomocup => {
                (CheckVerdict::Remark, Err(problem("no answer; UNKNOWN is usual")))
            }
            Err(EngineFault::Timeout) => (CheckVerdict::Remark, Ok(String::new())),
            Err(fault) => (CheckVerdict::Failed, Err(fault)),
        };
        self.note("handles unknown commands", severity, result);
    }
}

fn verdict_of(name: &'static str, severity: CheckVerdict, result: CheckResult) -> ProtocolCheck {
    let (verdict, detail) = match result {
        Ok(detail) => (CheckVerdict::Passed, detail),
        Err(fault) => (severity, fault.to_string()),
    };
    ProtocolCheck { name, verdict, detail }
}

fn problem(text: &str) -> EngineFault {
    EngineFault::Exited(text.to_string())
}

fn quit(process: &mut Process) -> CheckResult {
    match process.quit() {
        true => Ok(String::new()),
        false => Err(problem("is still running after a second")),
    }
}
