//! Checks of the Gomocup protocol in addition to playing a game: unusual lines and optional
//! commands. Each check is a short conversation with a new game; a missing optional feature is
//! noted.

use std::time::{Duration, Instant};

use super::{
    ANSWER_TIMEOUT, CheckResult, CheckVerdict, ProtocolCheck, SHORT_TIMEOUT, problem, quit,
    verdict_of,
};
use crate::external::gomocup::{about_name, read_pair, rule_number, start_command};
use crate::external::process::{EngineFault, LaunchOptions, Process};
use crate::external::{command, excerpt};
use crate::five_in_a_row::FiveInARow;
use tesuji_play::quantity::duration_text;

/// Thinking time for checks that interrupt the engine.
const LONG_MOVE_TIME: Duration = Duration::from_secs(5);
/// Thinking time for the other checks.
const SHORT_MOVE_TIME: Duration = Duration::from_millis(100);
/// How long the engine thinks before it is interrupted.
const BEFORE_STOP: Duration = Duration::from_millis(150);

/// A check: its name, its verdict if it fails, and the conversation.
type GomocupCheck = (&'static str, CheckVerdict, fn(&mut Conversation) -> CheckResult);

const CHECKS: &[GomocupCheck] = &[
    ("ignores blank lines", CheckVerdict::Remark, |conversation| {
        conversation.say(&["", "   ", "\t"]);
        conversation.expect_name()
    }),
    ("ignores unknown INFO", CheckVerdict::Failed, |conversation| {
        conversation.say(&["INFO tea_time 5", "INFO", "INFO rule", "INFO folder /no/where"]);
        conversation.expect_name()
    }),
    ("refuses a huge board", CheckVerdict::Remark, |conversation| {
        conversation.say(&["START 1000000"]);
        let said = conversation.expect_error()?;
        conversation.start()?;
        Ok(said)
    }),
    ("refuses a taken cell", CheckVerdict::Remark, |conversation| {
        let (middle, _) = one_exchange(conversation)?;
        conversation.say(&[&format!("TURN {middle}")]);
        conversation.expect_error()
    }),
    ("takes moves back", CheckVerdict::Remark, |conversation| {
        let (middle, reply) = one_exchange(conversation)?;
        for point in [&reply, &middle] {
            conversation.say(&[&format!("TAKEBACK {}", point.trim())]);
            conversation.expect("OK", SHORT_TIMEOUT, |line| is_word(line, "OK"))?;
        }
        conversation.say(&["BEGIN"]);
        conversation.expect_move().map(|_| String::new())
    }),
    ("moves at once with zero time", CheckVerdict::Remark, |conversation| {
        conversation.allow(Duration::ZERO);
        conversation.board("BOARD");
        let started = Instant::now();
        conversation.expect("a move", SHORT_TIMEOUT, |line| read_pair(line).is_some())?;
        Ok(format!("after {}", duration_text(started.elapsed())))
    }),
    ("stops on YXSTOP", CheckVerdict::Remark, |conversation| {
        conversation.allow(LONG_MOVE_TIME);
        conversation.board("BOARD");
        let answered = conversation.answer(BEFORE_STOP);
        if !matches!(answered, Err(EngineFault::Timeout)) {
            return answered.map(|_| "answered before the stop".to_string());
        }
        conversation.say(&["YXSTOP"]);
        let started = Instant::now();
        match conversation.answer(SHORT_TIMEOUT) {
            Ok(line) if read_pair(&line).is_some() => {
                Ok(format!("after {}", duration_text(started.elapsed())))
            }
            Ok(line) => {
                Err(EngineFault::InvalidReply(format!("says '{}' to YXSTOP", excerpt(&line))))
            }
            Err(EngineFault::Timeout) => Err(problem("continues after YXSTOP")),
            Err(fault) => Err(fault),
        }
    }),
    ("accepts YXBOARD without an answer", CheckVerdict::Remark, |conversation| {
        conversation.board("YXBOARD");
        conversation.expect_name().map(|_| String::new())
    }),
    ("lists its best moves", CheckVerdict::Remark, |conversation| {
        conversation.board("YXBOARD");
        conversation.say(&["YXNBEST 2"]);
        conversation.expect_move().map(|_| String::new())
    }),
    ("avoids blocked points", CheckVerdict::Remark, |conversation| {
        conversation.board("BOARD");
        let best = conversation.expect_move()?;
        conversation.say(&["YXBLOCK", best.trim(), "DONE"]);
        conversation.board("BOARD");
        let other = conversation.expect_move()?;
        match read_pair(&best) == read_pair(&other) {
            true => Err(problem(&format!("plays {} anyway", best.trim()))),
            false => Ok(format!("{} instead of {}", other.trim(), best.trim())),
        }
    }),
    ("shows forbidden points", CheckVerdict::Remark, |conversation| {
        conversation.say(&["INFO rule 4"]);
        // Two threes cross in the middle.
        let crossing = [(1, 2), (0, 0), (3, 2), (4, 0), (2, 1), (0, 4), (2, 3), (4, 4)];
        conversation.list("YXBOARD", &crossing);
        conversation.say(&["YXSHOWFORBID"]);
        let right = format!(
            "FORBID {:02}{:02}.",
            conversation.board.width / 2,
            conversation.board.height / 2
        );
        conversation.expect(&right, SHORT_TIMEOUT, |line| line.trim() == right)
    }),
    ("opens by swap2", CheckVerdict::Remark, |conversation| {
        conversation.say(&["SWAP2BOARD", "DONE"]);
        conversation.expect("three moves", ANSWER_TIMEOUT, |line| moves_in(line) == Some(3))
    }),
    ("chooses in swap2", CheckVerdict::Remark, |conversation| {
        conversation.list("SWAP2BOARD", &[(2, 2), (3, 3), (4, 1)]);
        let choice = |line: &str| is_word(line, "SWAP") || matches!(moves_in(line), Some(1 | 2));
        let three = conversation.expect("SWAP, a move or two", ANSWER_TIMEOUT, choice)?;
        conversation.start()?;
        conversation.list("SWAP2BOARD", &[(2, 2), (3, 3), (4, 1), (0, 4), (1, 0)]);
        let choice = |line: &str| is_word(line, "SWAP") || moves_in(line) == Some(1);
        let five = conversation.expect("SWAP or a move", ANSWER_TIMEOUT, choice)?;
        Ok(format!("{} after three stones, {} after five", three.trim(), five.trim()))
    }),
    ("quits while thinking", CheckVerdict::Remark, |conversation| {
        conversation.allow(LONG_MOVE_TIME);
        conversation.board("BOARD");
        // An engine that answers early no longer thinks.
        let _ = conversation.answer(BEFORE_STOP);
        quit(&mut conversation.process)
    }),
];

/// Runs all checks, each with its own process: after a fault the state of the engine is unknown.
pub(super) fn check(launch: &LaunchOptions, board: FiveInARow) -> Vec<ProtocolCheck> {
    let run = |&(name, severity, converse): &GomocupCheck| {
        let result = Conversation::begin(launch, board)
            .and_then(|mut conversation| converse(&mut conversation));
        verdict_of(name, severity, result)
    };
    CHECKS.iter().map(run).collect()
}

/// A conversation with an engine in a new game.
struct Conversation {
    process: Process,
    board: FiveInARow,
}

impl Conversation {
    fn begin(launch: &LaunchOptions, board: FiveInARow) -> Result<Conversation, EngineFault> {
        let process = Process::start(launch).map_err(|error| problem(&error.to_string()))?;
        let mut conversation = Conversation { process, board };
        conversation.start()?;
        Ok(conversation)
    }

    fn start(&mut self) -> Result<(), EngineFault> {
        self.say(&[&start_command(self.board)]);
        self.expect("OK to START", ANSWER_TIMEOUT, |line| is_word(line, "OK"))?;
        let rule = format!("INFO rule {}", rule_number(self.board.rule));
        self.say(&[&rule, "INFO game_type 2"]);
        self.allow(SHORT_MOVE_TIME);
        Ok(())
    }

    fn allow(&mut self, time: Duration) {
        self.say(&[&format!("INFO timeout_turn {}", time.as_millis())]);
        self.say(&["INFO timeout_match 0", "INFO time_left 2147483647"]);
    }

    fn say(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.process.send(line));
    }

    /// Returns the next line that is not a message.
    fn answer(&mut self, patience: Duration) -> Result<String, EngineFault> {
        let deadline = Instant::now() + patience;
        loop {
            let line = self.process.next_line(deadline)?;
            if !is_word(&line, "MESSAGE") && !is_word(&line, "DEBUG") && !line.trim().is_empty() {
                return Ok(line);
            }
        }
    }

    /// Returns the next line if it is the expected one.
    fn expect(
        &mut self,
        what: &str,
        patience: Duration,
        is_right: impl Fn(&str) -> bool,
    ) -> Result<String, EngineFault> {
        let line = self.answer(patience)?;
        if is_right(&line) {
            return Ok(line);
        }
        Err(EngineFault::InvalidReply(format!("says '{}', not {what}", excerpt(&line))))
    }

    fn expect_move(&mut self) -> Result<String, EngineFault> {
        self.expect("a move", ANSWER_TIMEOUT, |line| read_pair(line).is_some())
    }

    fn expect_error(&mut self) -> CheckResult {
        self.expect("ERROR", SHORT_TIMEOUT, |line| is_word(line, "ERROR"))
            .map(|line| excerpt(&line))
    }

    /// Checks that the engine still answers, and with nothing else before.
    fn expect_name(&mut self) -> CheckResult {
        self.say(&["ABOUT"]);
        let line = self.expect("its name", SHORT_TIMEOUT, |line| about_name(line).is_some())?;
        Ok(about_name(&line).unwrap_or_default())
    }

    /// Sends a list of points around the middle, with stones of the engine and the opponent in
    /// turn.
    fn list(&mut self, word: &str, offsets: &[(usize, usize)]) {
        let middle = (self.board.width / 2, self.board.height / 2);
        self.say(&[word]);
        for (&(x, y), who) in offsets.iter().zip([1, 2].into_iter().cycle()) {
            self.say(&[&format!("{},{},{who}", middle.0 + x - 2, middle.1 + y - 2)]);
        }
        self.say(&["DONE"]);
    }

    /// Sends a quiet position with the engine to move first.
    fn board(&mut self, word: &str) {
        self.list(word, &[(2, 2), (3, 3), (3, 1), (1, 3)]);
    }
}

fn is_word(line: &str, word: &str) -> bool {
    command(line).0.eq_ignore_ascii_case(word)
}

/// Plays a stone in the middle and returns it with the engine's answer.
fn one_exchange(conversation: &mut Conversation) -> Result<(String, String), EngineFault> {
    let middle = format!("{},{}", conversation.board.width / 2, conversation.board.height / 2);
    conversation.say(&[&format!("TURN {middle}")]);
    let reply = conversation.expect_move()?;
    Ok((middle, reply))
}

/// Returns the number of moves in a line; `None` if it contains anything else.
fn moves_in(line: &str) -> Option<usize> {
    line.split_whitespace().map(read_pair).collect::<Option<Vec<_>>>().map(|moves| moves.len())
}
