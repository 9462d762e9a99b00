//! The interactive session: reads a line, runs it and prints the result. Only `quit`, the end of
//! the game and the end of input end it.

use std::io::{self, Write};
use std::ops::ControlFlow;

use tesuji_games::random::Rng;
use tesuji_games::rules::gem_island::text::LogAction;
use tesuji_games::rules::gem_island::updates::{PassUpdate, TurnUpdates, play_recorded};
use tesuji_games::rules::gem_island::{GemIsland, GemStatus, Mask, Swap};
use tesuji_play::quantity::grouped;
use tesuji_search::gem_island::Agent;

use super::board_text::{LEGEND, board};
use super::log_writer::LogWriter;
use super::swap_text::{read_swap, swap_text};
use crate::failure::Failure;
use crate::input::read_line;
use crate::output::Progress;

/// The help of the commands.
pub(super) const COMMANDS: &str = "  \
  e5 right     swap the gem on e5 with its neighbor; also e5r, e5 f5, or 4-4-4-5 as in logs
  moves        list the legal swaps
  board        show the board
  hint         show the swap of an agent
  quit         leave the game
";

/// A game in the terminal.
pub(super) struct GemSession<M: Mask> {
    pub(super) game: GemIsland<M>,
    pub(super) rng: Rng,
    pub(super) seed: u64,
    /// The agent that plays; `None` for a person.
    pub(super) agent: Option<Box<dyn Agent<M>>>,
    pub(super) hints_by: Box<dyn Agent<M>>,
    pub(super) log_writer: Option<LogWriter>,
    pub(super) colors: bool,
    /// Whether stdin is a terminal.
    pub(super) prompts: bool,
}

impl<M: Mask> GemSession<M> {
    /// Plays until the end of the game or of the input.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        self.say(&format!("gem-island, seed {}", self.seed))?;
        self.show_board()?;
        while self.game.status() == GemStatus::Running {
            let next = match self.agent.is_some() {
                true => self.agent_plays()?,
                false => self.person_plays()?,
            };
            if next.is_break() {
                return Ok(());
            }
        }
        if let Some(log_writer) = &mut self.log_writer {
            log_writer.write(&self.game, LogAction::End)?;
        }
        self.say(&self.result())
    }

    fn agent_plays(&mut self) -> Result<ControlFlow<()>, Failure> {
        let Some(agent) = &mut self.agent else { return Ok(ControlFlow::Break(())) };
        let thinking = Progress::new(None, "moves");
        thinking.show(0, || "the agent is thinking".to_string());
        let decision = agent.decide(&self.game.view());
        drop(thinking);
        if let Some(fault) = agent.fault() {
            return Err(Failure::Failed(format!("agent: {fault}")));
        }
        let Some(decision) = decision else { return Ok(ControlFlow::Break(())) };
        self.play(decision.swap).map(ControlFlow::Continue)
    }

    fn person_plays(&mut self) -> Result<ControlFlow<()>, Failure> {
        if self.prompts {
            let mut out = io::stdout().lock();
            write!(out, "your swap> ")?;
            out.flush()?;
        }
        match read_line(&mut io::stdin().lock())? {
            Some(text) => self.run_command(text.trim()),
            None => Ok(ControlFlow::Break(())),
        }
    }

    fn run_command(&mut self, text: &str) -> Result<ControlFlow<()>, Failure> {
        match text {
            "" => {}
            "quit" | "exit" => return Ok(ControlFlow::Break(())),
            "help" | "?" => self.say(&format!("{COMMANDS}\n{LEGEND}"))?,
            "board" => self.show_board()?,
            "moves" => self.list_moves()?,
            "hint" => self.hint()?,
            "undo" => self.say("undo: not supported, as new gems are random")?,
            _ => self.try_swap(text)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Plays the swap in the text. A bonus appears at the first cell if possible.
    fn try_swap(&mut self, text: &str) -> Result<(), Failure> {
        match read_swap(text, &self.game.grid().settings) {
            Err(problem) => self.say(&format!("{problem} (help lists the commands)")),
            Ok(swap) if self.game.oriented(swap.first, swap.second).is_none() => {
                let swap = self.text(swap);
                self.say(&format!("{swap} puts no three in a row (moves lists the swaps that do)"))
            }
            Ok(swap) => self.play(swap),
        }
    }

    fn play(&mut self, swap: Swap) -> Result<(), Failure> {
        if let Some(log_writer) = &mut self.log_writer {
            log_writer.write(&self.game, LogAction::Swap(swap))?;
        }
        let (_, updates) = play_recorded(&mut self.game, swap, &mut self.rng);
        self.say(&format!("{}: {}", self.text(swap), updates_text(&updates)))?;
        self.show_board()
    }

    fn hint(&mut self) -> Result<(), Failure> {
        let decision = self.hints_by.decide(&self.game.view());
        if let Some(fault) = self.hints_by.fault() {
            return Err(Failure::Failed(format!("agent of hints: {fault}")));
        }
        let hint = decision.map(|decision| format!("hint: {}", self.text(decision.swap)));
        self.say(&hint.unwrap_or("no hint: no legal swap".to_string()))
    }

    fn list_moves(&self) -> Result<(), Failure> {
        let swaps = self.game.legal_swaps().into_iter();
        self.say(&swaps.map(|swap| self.text(swap)).collect::<Vec<_>>().join(", "))
    }

    fn text(&self, swap: Swap) -> String {
        swap_text(swap, &self.game.grid().settings)
    }

    fn show_board(&self) -> Result<(), Failure> {
        let (game, board) = (&self.game, board(&self.game.view(), self.colors));
        let score = grouped(u128::from(game.score()));
        let (moves, medals) = (game.moves_left(), game.medals_left());
        self.say(&format!("\n{board}\nscore {score}, moves left {moves}, medals left {medals}\n"))
    }

    fn result(&self) -> String {
        let game = &self.game;
        let score = grouped(game.final_score().round() as u128);
        let (moves, medals) = (game.moves_made(), game.medals_left());
        match game.status() {
            GemStatus::Won => {
                format!("all medals are free after {moves} moves: won, score {score}")
            }
            GemStatus::Stuck => {
                format!("no legal swap: the game ends without a result, score {score}")
            }
            _ => format!("no moves left, {medals} medals left: lost, score {score}"),
        }
    }

    fn say(&self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(io::stdout(), "{text}")?)
    }
}

/// A turn in one line.
fn updates_text(updates: &TurnUpdates) -> String {
    let sum = |count: fn(&PassUpdate) -> usize| updates.passes.iter().map(count).sum::<usize>();
    let mut parts = vec![format!("{} gems gone", sum(|pass| pass.removals.len()))];
    let rest = [
        (sum(|pass| pass.created.len()), "bonus made", "bonuses made"),
        (sum(|pass| pass.ice.len()), "ice broken", "ice broken"),
        (sum(|pass| pass.medals.len()), "medal free", "medals free"),
    ];
    for (count, one, several) in rest.into_iter().filter(|(count, ..)| *count > 0) {
        parts.push(format!("{count} {}", if count == 1 { one } else { several }));
    }
    parts.push(format!("+{}", grouped(u128::from(updates.score))));
    if updates.reshuffled.is_some() {
        parts.push("gems shuffled, as no swap was legal".to_string());
    }
    parts.join(", ")
}
