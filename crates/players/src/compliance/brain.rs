//! What a Gomocup brain should do beside playing a game: how it takes odd lines, and which of the optional commands it
//! knows. Each check is a small conversation with a new game; where a brain lacks something optional, that is noted.

use std::time::{Duration, Instant};

use super::{Check, Finding, PATIENCE, SHORT_PATIENCE, Verdict, ended, verdict_of};
use crate::external::excerpt;
use crate::external::gomocup::{about_name, read_pair};
use crate::external::process::{Fault, Launch, Process};
use crate::external::rules::rule_number;
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
    ("passes over blank lines", Verdict::Remark, blank_lines),
    ("passes over unknown INFO", Verdict::Failed, unknown_info),
    ("refuses a huge board", Verdict::Remark, huge_board),
    ("refuses a taken cell", Verdict::Remark, taken_cell),
    ("takes moves back", Verdict::Remark, take_back),
    ("moves at once without time", Verdict::Remark, no_time),
    ("stops when told", Verdict::Remark, stop),
    ("takes a position silently", Verdict::Remark, silent_board),
    ("names its best moves", Verdict::Remark, best_moves),
    ("avoids blocked points", Verdict::Remark, blocked_points),
    ("shows forbidden points", Verdict::Remark, forbidden_points),
    ("opens by swap2", Verdict::Remark, swap2_opening),
    ("chooses in swap2", Verdict::Remark, swap2_choice),
    ("ends while it thinks", Verdict::Remark, end),
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
        let FiveInARow { width, height, rule } = self.board;
        let start = match width == height {
            true => format!("START {width}"),
            false => format!("RECTSTART {width},{height}"),
        };
        self.say(&[&start]);
        self.expect("OK to START", PATIENCE, |line| is_word(line, "OK"))?;
        let rule = format!("INFO rule {}", rule_number(rule));
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

    fn expect_ok(&mut self) -> Result<String, Fault> {
        self.expect("OK", SHORT_PATIENCE, |line| is_word(line, "OK"))
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

    /// Lines of a list of points around the middle; `who` is added to each in turn.
    fn list(&mut self, command: &str, offsets: &[(usize, usize)], who: [&str; 2]) {
        let middle = (self.board.width / 2, self.board.height / 2);
        self.say(&[command]);
        for (&(x, y), n) in offsets.iter().zip(0..) {
            let point = format!("{},{}{}", middle.0 + x - 2, middle.1 + y - 2, who[n % 2]);
            self.say(&[&point]);
        }
        self.say(&["DONE"]);
    }

    /// A quiet position with the brain to move first.
    fn board(&mut self, command: &str) {
        self.list(command, &[(2, 2), (3, 3), (3, 1), (1, 3)], [",1", ",2"]);
    }
}

fn is_word(line: &str, word: &str) -> bool {
    line.split_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(word))
}

fn blank_lines(talk: &mut Talk) -> Finding {
    talk.say(&["", "   ", "\t"]);
    talk.expect_name()
}

fn unknown_info(talk: &mut Talk) -> Finding {
    talk.say(&["INFO tea_time 5", "INFO", "INFO rule", "INFO folder /no/where"]);
    talk.expect_name()
}

fn huge_board(talk: &mut Talk) -> Finding {
    talk.say(&["START 1000000"]);
    let said = talk.expect_error()?;
    talk.start()?;
    Ok(said)
}

/// A stone in the middle and the brain's answer.
fn one_exchange(talk: &mut Talk) -> Result<(String, String), Fault> {
    let middle = format!("{},{}", talk.board.width / 2, talk.board.height / 2);
    talk.say(&[&format!("TURN {middle}")]);
    let reply = talk.expect_move()?;
    Ok((middle, reply))
}

fn taken_cell(talk: &mut Talk) -> Finding {
    let (middle, _) = one_exchange(talk)?;
    talk.say(&[&format!("TURN {middle}")]);
    talk.expect_error()
}

fn take_back(talk: &mut Talk) -> Finding {
    let (middle, reply) = one_exchange(talk)?;
    for point in [&reply, &middle] {
        talk.say(&[&format!("TAKEBACK {}", point.trim())]);
        talk.expect_ok()?;
    }
    talk.say(&["BEGIN"]);
    talk.expect_move().map(|_| String::new())
}

fn no_time(talk: &mut Talk) -> Finding {
    talk.allow(Duration::ZERO);
    talk.board("BOARD");
    let started = Instant::now();
    talk.expect("a move", SHORT_PATIENCE, |line| read_pair(line).is_some())?;
    Ok(format!("after {}", duration_text(started.elapsed())))
}

fn stop(talk: &mut Talk) -> Finding {
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
}

fn silent_board(talk: &mut Talk) -> Finding {
    talk.board("YXBOARD");
    talk.expect_name().map(|_| String::new())
}

fn best_moves(talk: &mut Talk) -> Finding {
    talk.board("YXBOARD");
    talk.say(&["YXNBEST 2"]);
    talk.expect_move().map(|_| String::new())
}

fn blocked_points(talk: &mut Talk) -> Finding {
    talk.board("BOARD");
    let best = talk.expect_move()?;
    talk.say(&["YXBLOCK", best.trim(), "DONE"]);
    talk.board("BOARD");
    let other = talk.expect_move()?;
    match read_pair(&best) == read_pair(&other) {
        true => Err(ended(&format!("plays {} all the same", best.trim()))),
        false => Ok(format!("{} instead of {}", other.trim(), best.trim())),
    }
}

fn forbidden_points(talk: &mut Talk) -> Finding {
    talk.say(&["INFO rule 4"]);
    // Two threes cross in the middle.
    let crossing = [(1, 2), (0, 0), (3, 2), (4, 0), (2, 1), (0, 4), (2, 3), (4, 4)];
    talk.list("YXBOARD", &crossing, [",1", ",2"]);
    talk.say(&["YXSHOWFORBID"]);
    let right = format!("FORBID {:02}{:02}.", talk.board.width / 2, talk.board.height / 2);
    talk.expect(&right, SHORT_PATIENCE, |line| line.trim() == right)
}

fn swap2_opening(talk: &mut Talk) -> Finding {
    talk.say(&["SWAP2BOARD", "DONE"]);
    talk.expect("three moves", PATIENCE, |line| moves_in(line) == Some(3))
}

fn swap2_choice(talk: &mut Talk) -> Finding {
    talk.list("SWAP2BOARD", &[(2, 2), (3, 3), (4, 1)], [",1", ",2"]);
    let choice = |line: &str| is_word(line, "SWAP") || matches!(moves_in(line), Some(1 | 2));
    let three = talk.expect("SWAP, a move or two", PATIENCE, choice)?;
    talk.start()?;
    talk.list("SWAP2BOARD", &[(2, 2), (3, 3), (4, 1), (0, 4), (1, 0)], [",1", ",2"]);
    let choice = |line: &str| is_word(line, "SWAP") || moves_in(line) == Some(1);
    let five = talk.expect("SWAP or a move", PATIENCE, choice)?;
    Ok(format!("{} after three stones, {} after five", three.trim(), five.trim()))
}

/// How many moves a line says; `None` if there is anything else.
fn moves_in(line: &str) -> Option<usize> {
    line.split_whitespace().map(read_pair).collect::<Option<Vec<_>>>().map(|moves| moves.len())
}

fn end(talk: &mut Talk) -> Finding {
    talk.allow(LONG);
    talk.board("BOARD");
    // A brain that answers early has nothing to think about any more.
    let _ = talk.answer(BEFORE_STOP);
    match talk.process.quits() {
        true => Ok(String::new()),
        false => Err(ended("is still there after a second")),
    }
}
