//! Whether another program keeps to a protocol: a list of named checks, each a small piece of a game.

mod brain;

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::random::seeded;
use tesuji_games::{GameLine, Position, Rng, SpecError, State};
use tesuji_search::Game;

use crate::external::process::{Fault, Launch, Process};
use crate::external::{Dialect, Protocol, Question, excerpt, program_of};
use crate::five_in_a_row::FiveInARow;
use crate::searching::bad_value;
use tesuji_play::quantity::duration_text;
use tesuji_play::{Clock, Openings, PlayerSpec, Turn};

/// What came of one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// What came of it.
    pub verdict: Verdict,
    /// In more words.
    pub detail: String,
}

/// Whether a program did what it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It did.
    Passed,
    /// It did not, and need not.
    Remark,
    /// It did not.
    Failed,
}

impl Verdict {
    /// The word for tables.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Passed => "ok",
            Verdict::Remark => "note",
            Verdict::Failed => "FAILED",
        }
    }
}

/// How long the program is told to think about a move.
const THINKING: Duration = Duration::from_millis(500);
/// How much later its answer may come and still be in time.
const LATENCY: Duration = Duration::from_millis(150);
/// How long a check waits for an answer before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it waits for an answer that need not come.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// Checks a program, given as the player `external:cmd=…`, at a game from its start.
pub fn check_engine(player: &PlayerSpec, game: &Game) -> Result<Vec<Check>, SpecError> {
    let spec = program_of(player).ok_or_else(|| {
        let expected = "another program, such as external:cmd=./pbrain-wine";
        bad_value("the check of a protocol", "player", player.text(), expected)
    })?;
    let protocol = spec.protocol_for(game);
    let (dialect, launch) = spec.prepared(player.text(), game)?;
    let examination = Examination {
        start: game.start().clone(),
        brain: FiveInARow::of(game).filter(|_| protocol == Protocol::Gomocup),
        launch,
        dialect,
        rng: seeded(1),
        slowest: Duration::ZERO,
        checks: Vec::new(),
    };
    Ok(examination.run())
}

struct Examination {
    start: State,
    /// The board, for what Gomocup's brains alone are asked.
    brain: Option<FiveInARow>,
    launch: Launch,
    dialect: Box<dyn Dialect>,
    rng: Rng,
    slowest: Duration,
    checks: Vec<Check>,
}

/// A check's result: what to say of it.
type Finding = Result<String, Fault>;

impl Examination {
    fn run(mut self) -> Vec<Check> {
        let Some(mut process) = self.begin() else { return self.checks };
        // After a failed move nobody knows what the program thinks of the position.
        if self.plays(&mut process) {
            self.plays_again(&mut process);
        }
        self.keeps_its_time();
        self.takes_unknown_words(&mut process);
        if let Some(board) = self.brain {
            self.checks.extend(brain::examine(&self.launch, board));
        }
        self.note("quits when told", Verdict::Failed, quits(&mut process));
        self.checks
    }

    fn note(&mut self, name: &'static str, otherwise: Verdict, finding: Finding) -> bool {
        let check = verdict_of(name, otherwise, finding);
        let passed = check.verdict == Verdict::Passed;
        self.checks.push(check);
        passed
    }

    /// The program, greeted and ready for a game.
    fn begin(&mut self) -> Option<Process> {
        let process = Process::start(&self.launch);
        let started = process.as_ref().map(|_| String::new());
        self.note("starts", Verdict::Failed, started.map_err(|error| ended(&error.to_string())));
        let mut process = process.ok()?;
        let deadline = Instant::now() + PATIENCE;
        let name = self.dialect.greet(&mut process, deadline);
        let said = name.and_then(|name| name.ok_or(Fault::Nonsense("gives no name".to_string())));
        self.note("says who it is", Verdict::Failed, said);
        let begun = self.dialect.begin(&mut process, 1, Instant::now() + PATIENCE);
        let words = begun.map(|()| String::new());
        self.note("begins a game", Verdict::Failed, words).then_some(process)
    }

    /// A game from its start: the first move, an answer, and a few more.
    fn plays(&mut self, process: &mut Process) -> bool {
        let mut line = GameLine::new(self.start.clone());
        for (name, moves) in [("moves first", 1), ("answers a move", 1), ("plays on", 3)] {
            let finding = (0..moves).try_for_each(|_| self.exchange(process, &mut line));
            let detail = finding.map(|()| line.text());
            if !self.note(name, Verdict::Failed, detail) {
                return false;
            }
        }
        true
    }

    /// Asks for a move and answers it at random.
    fn exchange(&mut self, process: &mut Process, line: &mut GameLine) -> Result<(), Fault> {
        if line.end.outcome().is_some() {
            return Ok(());
        }
        let turn = Turn {
            clock: Clock { per_move: Some(THINKING), margin: LATENCY, ..Clock::default() },
            ..Turn::default()
        };
        let started = Instant::now();
        let question =
            Question { line, turn: &turn, thinking: Some(THINKING), deadline: started + PATIENCE };
        let choice = self.dialect.ask(process, &question)?;
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

    /// Further games: from the start as the second side, and from an opening.
    fn plays_again(&mut self, process: &mut Process) {
        let again = self.dialect.again(process, 2, Instant::now() + PATIENCE);
        let is_optional = self.brain.is_some();
        let otherwise = if is_optional { Verdict::Remark } else { Verdict::Failed };
        if !self.note("begins another game", otherwise, again.map(|()| String::new())) {
            return;
        }
        for (name, plies) in [("moves second", 1), ("continues an opening", 6)] {
            let mut line = Openings::Random { plies }.opening(&self.start, 3, 0);
            let opening = line.text();
            let finding = self.exchange(process, &mut line).map(|()| opening);
            if !self.note(name, Verdict::Failed, finding) {
                return;
            }
        }
    }

    fn keeps_its_time(&mut self) {
        let words = format!(
            "{} at most, {} were allowed",
            duration_text(self.slowest),
            duration_text(THINKING)
        );
        let in_time = self.slowest <= THINKING + LATENCY;
        let finding = if in_time { Ok(words) } else { Err(Fault::Nonsense(words)) };
        self.note("keeps its time", Verdict::Failed, finding);
    }

    /// Gomocup has a word for what a brain does not know; our own protocol has silence.
    fn takes_unknown_words(&mut self, process: &mut Process) {
        process.send("HAIKU please");
        let deadline = Instant::now() + SHORT_PATIENCE;
        let said = loop {
            match process.next_line(deadline) {
                Ok(line) if line.to_ascii_uppercase().starts_with("MESSAGE") => {}
                said => break said,
            }
        };
        let is_brain = self.brain.is_some();
        let (otherwise, finding) = match said {
            Ok(line) if is_brain && line.starts_with("UNKNOWN") => {
                (Verdict::Remark, Ok(excerpt(&line)))
            }
            Ok(line) => (Verdict::Remark, Err(ended(&format!("says '{}'", excerpt(&line))))),
            Err(Fault::Late) if is_brain => {
                (Verdict::Remark, Err(ended("says nothing; UNKNOWN is usual")))
            }
            Err(Fault::Late) => (Verdict::Remark, Ok(String::new())),
            Err(fault) => (Verdict::Failed, Err(fault)),
        };
        self.note("takes unknown words", otherwise, finding);
    }
}

fn verdict_of(name: &'static str, otherwise: Verdict, finding: Finding) -> Check {
    let (verdict, detail) = match finding {
        Ok(detail) => (Verdict::Passed, detail),
        Err(fault) => (otherwise, fault.to_string()),
    };
    Check { name, verdict, detail }
}

fn ended(text: &str) -> Fault {
    Fault::Ended(text.to_string())
}

fn quits(process: &mut Process) -> Finding {
    match process.quits() {
        true => Ok(String::new()),
        false => Err(ended("is still there after a second")),
    }
}
