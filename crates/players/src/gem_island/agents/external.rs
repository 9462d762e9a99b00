//! Other programs as agents, over the line protocol (docs/protocol.md, "Gem Island").

use std::time::{Duration, Instant};

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::text::{GemSnapshot, LogAction, TextDialect};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, GemStatus, GemView, Mask, Swap};
use tesuji_play::options::{ValueType, option};
use tesuji_play::quantity::duration_text;
use tesuji_search::gem_island::{Agent, Decision};

use super::{AgentConfig, AgentKind};
use crate::external::lines::{VERSION, demand};
use crate::external::process::{EngineFault, Process};
use crate::external::{ExternalSetup, MAX_UNEXPECTED_LINES, NAME, command, excerpt};

pub(super) const EXTERNAL: AgentKind = AgentKind {
    name: NAME,
    former_name: None,
    summary: "another program, over the line protocol (docs/protocol.md)",
    options: &[
        option(
            "cmd",
            ValueType::Text { name: "COMMAND" },
            "command line of the program; in double quotes if it contains a comma",
        ),
        option("dir", ValueType::Text { name: "FOLDER" }, "working directory of the program"),
        option(
            "timeout",
            ValueType::Time,
            "maximum time to start, and to choose a swap [default: 30s]",
        ),
        option(
            "log",
            ValueType::Text { name: "PATH" },
            "append all lines sent and received to this file",
        ),
    ],
    read: |options| Ok(AgentConfig::External(Box::new(ExternalSetup::of_agent(options)?))),
};

/// A program that plays one game.
pub(super) struct ExternalAgent {
    process: Process,
    program: String,
    timeout: Duration,
    fault: Option<String>,
}

impl ExternalAgent {
    /// Starts the program and the game.
    pub(super) fn start(
        setup: &ExternalSetup,
        settings: &GemSettings,
        seed: u64,
    ) -> Result<ExternalAgent, SpecError> {
        let (mut process, program) = setup.start_process("\n", "quit")?;
        let timeout = setup.timeout();
        let deadline = Instant::now() + timeout;
        let mut greet = || {
            demand(&mut process, &format!("tesuji {VERSION}"), deadline)?;
            demand(&mut process, &format!("game {settings}"), deadline)?;
            demand(&mut process, &format!("new {seed}"), deadline)
        };
        let greeting = greet();
        let mut agent = ExternalAgent { process, program, timeout, fault: None };
        match greeting {
            Ok(_) => Ok(agent),
            Err(fault) => {
                let why = agent.text(&fault);
                Err(SpecError::Impossible { owner: NAME.to_string(), why })
            }
        }
    }

    fn request<M: Mask>(&mut self, view: &GemView<M>) -> Result<Swap, EngineFault> {
        let state = &view.known;
        let numbers = GemSnapshot::of(state).to_text(TextDialect::Js);
        let numbers = numbers.trim_end().replace('\t', " ");
        let (moves, medals) = (state.moves_left(), state.medals_left());
        self.process.send(&format!("state {moves} {medals} {numbers}"));
        let swaps: Vec<String> = state.legal_swaps().iter().map(Swap::to_string).collect();
        self.process.send(&format!("swaps {}", swaps.join(" ")));
        self.process.send("go");
        let deadline = Instant::now() + self.timeout;
        for _ in 0..MAX_UNEXPECTED_LINES {
            let line = self.process.next_line(deadline)?;
            match command(&line) {
                ("swap", text) => return legal_swap(state, text),
                ("error", why) => {
                    let why = format!("answers 'go' with 'error {}'", excerpt(why));
                    return Err(EngineFault::InvalidReply(why));
                }
                _ => {}
            }
        }
        Err(EngineFault::InvalidReply("sends too many lines without a swap".to_string()))
    }

    /// The fault as text, with the last words of the program.
    fn text(&mut self, fault: &EngineFault) -> String {
        let ended = matches!(fault, EngineFault::Timeout | EngineFault::Exited(_));
        self.process.ask_to_quit = !ended;
        let mut text = format!("{} {fault}", self.program);
        if *fault == EngineFault::Timeout {
            text += &format!(" in {}", duration_text(self.timeout));
        }
        if let Some(words) = self.process.last_stderr_line() {
            text += &format!("; stderr: {words}");
        }
        text
    }
}

fn legal_swap<M: Mask>(state: &GemIsland<M>, text: &str) -> Result<Swap, EngineFault> {
    let illegal = |why: &str| EngineFault::IllegalMove(format!("swaps '{}': {why}", excerpt(text)));
    match text.parse() {
        Ok(LogAction::Swap(swap)) if state.oriented(swap.first, swap.second).is_some() => Ok(swap),
        Ok(_) => Err(illegal("not one of the legal swaps")),
        Err(_) => Err(illegal("expected a swap such as 4-4-4-5")),
    }
}

impl<M: Mask> Agent<M> for ExternalAgent {
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision> {
        if view.known.status() != GemStatus::Running || self.fault.is_some() {
            return None;
        }
        match self.request(view) {
            Ok(swap) => Some(Decision { swap, value: 0.0, rollouts: 0, swaps: Vec::new() }),
            Err(fault) => {
                self.fault = Some(self.text(&fault));
                None
            }
        }
    }

    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}
