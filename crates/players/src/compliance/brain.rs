//! What a Gomocup brain should do beside playing a game: how it takes odd lines, and which of the optional commands it
//! knows. Each check is a small conversation with a new game; where a brain lacks something optional, that is noted.

use std::time::{Duration, Instant};

use super::{Check, Finding, PATIENCE, SHORT_PATIENCE, Verdict, ended, quits, verdict_of};
use crate::external::gomocup::{about_name, read_pair, rule_number, start_command};
use crate::external::process::{Fault, Launch, Process};
use crate::external::{command, excerpt};
use crate::five_in_a_row::FiveInARow;
use tesuji_play::quantity::duration_text;

/// How long it is told to think when it is to be interrupted.
const LONG: Duration = Duration::from_secs(5);
/// How long it is told to think otherwise.
const SHORT: Duration = Duration::from_millis(100);
/// How long it thinks before it is interrupted.
const BEFORE_STOP: Duration = Duration::from_millis(150);

/// A check: its name, what it means if it fails, and the conversation.
type Task = (&'static str, Verdict, fn(&mut Talk) -> Finding);

const TASKS: &[Task] = &[
    ("passes over blank lines", Verdict::Remark, |talk| {
        talk.say(&["", "   ", "\t"]);
        talk.expect_name()
    }),
    ("passes over unknown INFO", Verdict::Failed, |talk| {
        talk.say(&["INFO tea_time 5", "INFO", "INFO rule", "INFO folder /no/where"]);
        talk.expect_name()
    }),
    ("refuses a huge board", Verdict::Remark, |talk| {
        talk.say(&["START 1000000"]);
        let said = talk.expect_error()?;
        talk.start()?;
        Ok(said)
    }),
    ("refuses a taken cell", Verdict::Remark, |talk| {
        let (middle, _) = one_exchange(talk)?;
        talk.say(&[&format!("TURN {middle}")]);
        talk.expect_error()
    }),
    ("takes moves back", Verdict::Remark, |talk| {
        let (middle, reply) = one_exchange(talk)?;
        for point in [&reply, &middle] {
            talk.say(&[&format!("TAKEBACK {}", point.trim())]);
            talk.expect("OK", SHORT_PATIENCE, |line| is_word(line, "OK"))?;
        }
        talk.say(&["BEGIN"]);
        talk.expect_move().map(|_| String::new())
    }),
    ("moves at once without time", Verdict::Remark, |talk| {
        talk.allow(Duration::ZERO);
        talk.board("BOARD");
        let started = Instant::now();
        talk.expect("a move", SHORT_PATIENCE, |line| read_pair(line).is_some())?;
        Ok(format!("after {}", duration_text(started.elapsed())))
    }),
    ("stops when told", Verdict::Remark, |talk| {
        talk.allow(LONG);
        talk.board("BOARD");
        let answered = talk.answer(BEFORE_STOP);
        if !matches!(answered, Err(Fault::Late)) {
            return answered.map(|_| "had answered before".to_string());
        }
        talk.say(&["YXSTOP"]);
        let started = Instant::now();
        match talk.answer(SHORT_PATIENCE) {
            Ok(line) if read_pair(&line).is_some() => {
                Ok(format!("after {}", duration_text(started.elapsed())))
            }
            Ok(line) => Err(Fault::Nonsense(format!("says '{}' to YXSTOP", excerpt(&line)))),
            Err(Fault::Late) => Err(ended("thinks on after YXSTOP")),
            Err(fault) => Err(fault),
        }
    }),
    ("takes a position silently", Verdict::Remark, |talk| {
        talk.board("YXBOARD");
        talk.expect_name().map(|_| String::new())
    }),
    ("names its best moves", Verdict::Remark, |talk| {
        talk.board("YXBOARD");
        talk.say(&["YXNBEST 2"]);
        talk.expect_move().map(|_| String::new())
    }),
    ("avoids blocked points", Verdict::Remark, |talk| {
        talk.board("BOARD");
        let best = talk.expect_move()?;
        talk.say(&["YXBLOCK", best.trim(), "DONE"]);
        talk.board("BOARD");
        let other = talk.expect_move()?;
        match read_pair(&best) == read_pair(&other) {
            true => Err(ended(&format!("plays {} all the same", best.trim()))),
            false => Ok(format!("{} instead of {}", other.trim(), best.trim())),
        }
    }),
    ("shows forbidden points", Verdict::Remark, |talk| {
        talk.say(&["INFO rule 4"]);
        // Two threes cross in the middle.
        let crossing = [(1, 2), (0, 0), (3, 2), (4, 0), (2, 1), (0, 4), (2, 3), (4, 4)];
        talk.list("YXBOARD", &crossing);
        talk.say(&["YXSHOWFORBID"]);
        let right = format!("FORBID {:02}{:02}.", talk.board.width / 2, talk.board.height / 2);
        talk.expect(&right, SHORT_PATIENCE, |line| line.trim() == right)
    }),
    ("opens by swap2", Verdict::Remark, |talk| {
        talk.say(&["SWAP2BOARD", "DONE"]);
        talk.expect("three moves", PATIENCE, |line| moves_in(line) == Some(3))
    }),
    ("chooses in swap2", Verdict::Remark, |talk| {
        talk.list("SWAP2BOARD", &[(2, 2), (3, 3), (4, 1)]);
        let choice = |line: &str| is_word(line, "SWAP") || matches!(moves_in(line), Some(1 | 2));
        let three = talk.expect("SWAP, a move or two", PATIENCE, choice)?;
        talk.start()?;
        talk.list("SWAP2BOARD", &[(2, 2), (3, 3), (4, 1), (0, 4), (1, 0)]);
        let choice = |line: &str| is_word(line, "SWAP") || moves_in(line) == Some(1);
        let five = talk.expect("SWAP or a move", PATIENCE, choice)?;
        Ok(format!("{} after three stones, {} after five", three.trim(), five.trim()))
    }),
    ("ends while it thinks", Verdict::Remark, |talk| {
        talk.allow(LONG);
        talk.board("BOARD");
        // A brain that answers early has nothing to think about any more.
        let _ = talk.answer(BEFORE_STOP);
        quits(&mut talk.process)
    }),
];

/// All checks, each with a process of its own: after a surprise nobody knows where the last one stands.
pub(super) fn examine(launch: &Launch, board: FiveInARow) -> Vec<Check> {
    let check = |&(name, otherwise, converse): &Task| {
        let finding = Talk::begin(launch, board).and_then(|mut talk| converse(&mut talk));
        verdict_of(name, otherwise, finding)
    };
    TASKS.iter().map(check).collect()
}

/// A conversation with a brain that has begun a game.
struct Talk {
    process: Process,
    board: FiveInARow,
}

impl Talk {
    fn begin(launch: &Launch, board: FiveInARow) -> Result<Talk, Fault> {
        let process = Process::start(launch).map_err(|error| ended(&error.to_string()))?;
        let mut talk = Talk { process, board };
        talk.start()?;
        Ok(talk)
    }

    fn start(&mut self) -> Result<(), Fault> {
        self.say(&[&start_command(self.board)]);
        self.expect("OK to START", PATIENCE, |line| is_word(line, "OK"))?;
        let rule = format!("INFO rule {}", rule_number(self.board.rule));
        self.say(&[&rule, "INFO game_type 2"]);
        self.allow(SHORT);
        Ok(())
    }

    fn allow(&mut self, time: Duration) {
        self.say(&[&format!("INFO timeout_turn {}", time.as_millis())]);
        self.say(&["INFO timeout_match 0", "INFO time_left 2147483647"]);
    }

    fn say(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.process.send(line));
    }

    /// The next line that is no message.
    fn answer(&mut self, patience: Duration) -> Result<String, Fault> {
        let deadline = Instant::now() + patience;
        loop {
            let line = self.process.next_line(deadline)?;
            if !is_word(&line, "MESSAGE") && !is_word(&line, "DEBUG") && !line.trim().is_empty() {
                return Ok(line);
            }
        }
    }

    /// The next line, if it is right.
    fn expect(
        &mut self,
        what: &str,
        patience: Duration,
        is_right: impl Fn(&str) -> bool,
    ) -> Result<String, Fault> {
        let line = self.answer(patience)?;
        if is_right(&line) {
            return Ok(line);
        }
        Err(Fault::Nonsense(format!("says '{}', not {what}", excerpt(&line))))
    }

    fn expect_move(&mut self) -> Result<String, Fault> {
        self.expect("a move", PATIENCE, |line| read_pair(line).is_some())
    }

    fn expect_error(&mut self) -> Finding {
        self.expect("ERROR", SHORT_PATIENCE, |line| is_word(line, "ERROR"))
            .map(|line| excerpt(&line))
    }

    /// It still answers, and with nothing else before.
    fn expect_name(&mut self) -> Finding {
        self.say(&["ABOUT"]);
        let line = self.expect("who it is", SHORT_PATIENCE, |line| about_name(line).is_some())?;
        Ok(about_name(&line).unwrap_or_default())
    }

    /// Lines of a list of points around the middle, stones of the brain and of the other in turn.
    fn list(&mut self, word: &str, offsets: &[(usize, usize)]) {
        let middle = (self.board.width / 2, self.board.height / 2);
        self.say(&[word]);
        for (&(x, y), who) in offsets.iter().zip([1, 2].into_iter().cycle()) {
            self.say(&[&format!("{},{},{who}", middle.0 + x - 2, middle.1 + y - 2)]);
        }
        self.say(&["DONE"]);
    }

    /// A quiet position with the brain to move first.
    fn board(&mut self, word: &str) {
        self.list(word, &[(2, 2), (3, 3), (3, 1), (1, 3)]);
    }
}

fn is_word(line: &str, word: &str) -> bool {
    command(line).0.eq_ignore_ascii_case(word)
}

/// A stone in the middle and the brain's answer.
fn one_exchange(talk: &mut Talk) -> Result<(String, String), Fault> {
    let middle = format!("{},{}", talk.board.width / 2, talk.board.height / 2);
    talk.say(&[&format!("TURN {middle}")]);
    let reply = talk.expect_move()?;
    Ok((middle, reply))
}

/// How many moves a line says; `None` if there is anything else.
fn moves_in(line: &str) -> Option<usize> {
    line.split_whitespace().map(read_pair).collect::<Option<Vec<_>>>().map(|moves| moves.len())
}
