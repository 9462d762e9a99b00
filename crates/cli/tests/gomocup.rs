//! `tesuji engine` as a Gomocup brain: scripted conversations with the real program, what it does under time
//! pressure, when it is interrupted, and with a hundred thousand lines of anything.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tesuji_games::Rng;
use tesuji_games::random::{below, choose, seeded};

const TESUJI: &str = env!("CARGO_BIN_EXE_tesuji");

/// A brain with a small table: they are many.
fn command() -> Command {
    let mut command = Command::new(TESUJI);
    command.args(["engine", "--player", "gomoku:tt=1M"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Everything it says to these lines.
fn conversation(lines: &str) -> Vec<String> {
    let mut brain = command().spawn().unwrap();
    brain.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = brain.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

/// Whatever a manager gives, a brain takes no more than there is.
#[test]
fn memory_and_threads_are_clamped_to_what_there_is() {
    let lines = "INFO max_memory 99999999999999999999\r\nINFO thread_num 256\r\nSTART 15\r\n\
                 INFO timeout_turn 300\r\nBEGIN\r\nINFO hash_size 99999999999999999999\r\n\
                 RESTART\r\nBEGIN\r\nEND\r\n";
    let mut brain = Command::new("sh")
        .args(["-c", "ulimit -v 1500000; exec \"$0\" engine --player gomoku", TESUJI])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    brain.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = brain.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let moves = said.lines().filter(|line| point(line).is_some()).count();
    assert_eq!(moves, 2, "{said}");
}

fn is_message(line: &str) -> bool {
    line.starts_with("MESSAGE ")
}

fn point(line: &str) -> Option<(usize, usize)> {
    let (x, y) = line.split_once(',')?;
    Some((x.parse().ok()?, y.parse().ok()?))
}

/// How many moves a line says; `None` if there is anything else.
fn moves_in(line: &str) -> Option<usize> {
    line.split(' ').map(point).collect::<Option<Vec<_>>>().map(|moves| moves.len())
}

/// Every command has an answer that begins so; a dot is any move, nothing is no answer.
#[track_caller]
fn check(talk: &[(&str, &str)]) {
    let input: String = talk.iter().map(|(line, _)| line.replace('\n', "\r\n") + "\r\n").collect();
    let mut said = conversation(&input).into_iter().filter(|line| !is_message(line));
    for (line, form) in talk.iter().filter(|(_, form)| !form.is_empty()) {
        let answer = said.next().unwrap_or_default();
        let right = match form.chars().all(|c| c == '.') {
            true => moves_in(&answer) == Some(form.len()),
            false => answer.starts_with(form),
        };
        assert!(right, "{line:?}: {answer:?}, not {form:?}");
    }
    assert_eq!(said.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn a_tournament_game_is_played() {
    check(&[
        ("ABOUT", "name=\"Tesuji gomoku:tt=1M\", version=\""),
        ("START 20", "OK"),
        ("INFO max_memory 367001600\nINFO timeout_match 60000\nINFO timeout_turn 100", ""),
        ("INFO game_type 2\nINFO rule 1\nINFO folder /tmp/with space\nINFO thread_num 1", ""),
        ("INFO time_left 60000\nBEGIN", "10,9"),
        ("INFO time_left 59900\nTURN 0,0", "."),
        ("INFO time_left -5\nTURN 0,19", "."),
        ("TURN 10,9", "ERROR there is a stone on 10,9"),
        ("RESTART", "OK"),
        ("INFO time_left 60000\nTURN 10,10", "."),
        ("RECTSTART 12,9", "OK"),
        ("BOARD\n1,1,1\n5,5,2\n2,1,1\n6,6,2\n3,1,1\n7,7,2\n4,1,1\n5,1,2\nDONE", "0,1"),
        ("RESTART", "OK"),
        ("START 15 15", "OK"),
        ("BOARD\n3,3,2\n4,3,2\n5,3,2\n6,3,2\n2,3,1\n9,9,1\n11,9,1\nDONE", "7,3"),
        ("TAKEBACK 7,3", "OK"),
        ("TAKEBACK 3,3", "OK"),
        ("TAKEBACK 3,3", "ERROR there is no stone on 3,3"),
        ("START 1000", "ERROR boards from 5 to 20"),
        ("HELP", "UNKNOWN"),
        ("PLAY 0,0", "0,0"),
    ]);
}

#[test]
fn rules_are_kept() {
    // Six in a row is made by 5,5: a win in freestyle, none by the other rules.
    let gap =
        "BOARD\n2,5,1\n0,0,2\n3,5,1\n14,0,2\n4,5,1\n0,14,2\n6,5,1\n14,14,2\n7,5,1\n7,0,2\nDONE";
    check(&[("START 15", "OK"), ("INFO timeout_turn 200", ""), (gap, "5,5")]);
    for rule in ["1", "4", "9"] {
        let input = format!("START 15\nINFO timeout_turn 200\nINFO rule {rule}\n{gap}\n");
        let said = conversation(&input);
        assert_ne!(said.last().map(String::as_str), Some("5,5"), "rule {rule}: {said:?}");
    }
    // Two threes cross: black may not, and is told so.
    let crossing = "YXBOARD\n6,7,1\n0,0,2\n8,7,1\n14,0,2\n7,6,1\n0,14,2\n7,8,1\n14,14,2\nDONE";
    check(&[
        ("START 15", "OK"),
        ("INFO timeout_turn 100\nINFO rule 4", ""),
        (crossing, ""),
        ("YXSHOWFORBID", "FORBID 0707."),
        ("PLAY 7,7", "ERROR 7,7 cannot be played"),
        ("PLAY 3,3", "3,3"),
        ("YXSHOWFORBID", "FORBID ."),
        ("TURN 7,7", "."),
    ]);
    let said = conversation("START 15\nINFO rule 64\nINFO timeout_turn 50\nBEGIN\n");
    assert!(said[1].starts_with("MESSAGE rule 64 is unknown"), "{said:?}");
}

#[test]
fn analysis_is_answered() {
    let position = "YXBOARD\n7,7,1\n8,8,2\n8,6,1\n6,8,2\nDONE";
    let start = format!("START 15\nINFO timeout_turn 300\n{position}\n");
    let said = conversation(&format!("{start}YXNBEST 4\n"));
    let ranked: Vec<&String> = said.iter().filter(|line| line.starts_with("MESSAGE (")).collect();
    assert_eq!(ranked.len(), 4, "{said:?}");
    let best = said.last().unwrap();
    assert!(ranked[0].contains(&format!(" {best} ")), "{said:?}");
    // What is blocked is not played; when it is free again, it is.
    let blocked = format!("{start}YXBLOCK\n{best}\nDONE\nYXNBEST 2\nYXBLOCKRESET\n");
    let other = conversation(&blocked);
    assert!(point(other.last().unwrap()).is_some() && other.last() != Some(best), "{other:?}");
    let ranks_it =
        |line: &&String| line.starts_with("MESSAGE (") && line.contains(&format!(" {best} "));
    assert!(!other.iter().any(|line| ranks_it(&line)), "{other:?}");
    check(&[
        ("START 15", "OK"),
        ("INFO timeout_turn 100", ""),
        ("SWAP2BOARD\nDONE", "..."),
        ("YXBALANCEONE 0", "."),
        ("YXBALANCETWO 0", ".."),
        // Three in a row for black: nobody leaves that to the other.
        ("SWAP2BOARD\n7,7,1\n0,0,2\n8,7,1\n0,14,2\n9,7,1\nDONE", "SWAP"),
        ("SWAP2BOARD\n0,0,1\n7,7,2\n0,2,1\n8,7,2\n0,4,1\nDONE", "."),
        ("YXHASHCLEAR\nYXBLOCKRESET", ""),
    ]);
}

/// A brain to talk to line by line.
struct Brain {
    child: Child,
    input: ChildStdin,
    lines: mpsc::Receiver<String>,
}

impl Brain {
    fn start(words: &str) -> Brain {
        let mut child = command().spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || forward(output, &sender));
        let mut brain = Brain { child, input, lines };
        brain.say(words);
        brain
    }

    fn say(&mut self, words: &str) {
        self.input.write_all(format!("{words}\r\n").as_bytes()).unwrap();
    }

    /// The next line that is no message, and how long it took.
    fn answer(&self) -> (String, Duration) {
        let asked = Instant::now();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20)).expect("an answer");
            if !is_message(&line) {
                return (line, asked.elapsed());
            }
        }
    }

    /// How long it takes to end.
    fn wait(mut self) -> Duration {
        let told = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(told.elapsed() < Duration::from_secs(20), "it does not end");
            thread::sleep(Duration::from_millis(2));
        }
        told.elapsed()
    }
}

fn forward(output: ChildStdout, sender: &mpsc::Sender<String>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if sender.send(line).is_err() {
            return;
        }
    }
}

/// A quiet position with plenty to think about.
const QUIET: &str = "BOARD\r\n7,7,1\r\n8,8,2\r\n8,6,1\r\n6,8,2\r\nDONE";

#[test]
fn thinking_can_be_stopped_and_ended() {
    let mut brain = Brain::start("START 15\r\nINFO timeout_turn 30000");
    assert_eq!(brain.answer().0, "OK");
    for stop in ["YXSTOP", "STOP"] {
        brain.say(QUIET);
        thread::sleep(Duration::from_millis(200));
        brain.say(stop);
        let (answer, time) = brain.answer();
        assert!(point(&answer).is_some() && time < Duration::from_secs(5), "{answer} {time:?}");
    }
    // A stop that comes when nobody thinks is for nobody.
    brain.say("STOP\r\nINFO timeout_turn 400\r\nABOUT");
    brain.answer();
    brain.say(QUIET);
    assert!(brain.answer().1 > Duration::from_millis(150), "it has thought");
    brain.say("INFO timeout_turn 30000");
    brain.say(QUIET);
    thread::sleep(Duration::from_millis(200));
    brain.say("END");
    let time = brain.wait();
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn the_end_of_the_input_is_the_end() {
    for words in ["", "START 15", "START 15\r\nBOARD\r\n7,7,2", "BOARD", "INFO", "END"] {
        let brain = Brain::start(words);
        let Brain { child, input, lines } = brain;
        drop(input);
        let time = Brain { input: dead_end(), child, lines }.wait();
        assert!(time < Duration::from_secs(5), "{words}: {time:?}");
    }
}

/// An input that belongs to a program that is none of ours.
fn dead_end() -> ChildStdin {
    let mut child = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take().unwrap();
    child.wait().unwrap();
    input
}

/// The machine may be busy, so a lot is forgiven; what is not forgiven is a brain that thinks for as long as it likes.
#[test]
fn answers_come_in_time_at_thirty_milliseconds_a_move() {
    let mut brain = Brain::start("START 15\r\nINFO timeout_turn 30\r\nINFO timeout_match 2000");
    assert_eq!(brain.answer().0, "OK");
    let mut times = Vec::new();
    for x in 0..15 {
        brain.say(&format!("TURN {x},{}", 2 * (x % 7)));
        let (answer, time) = brain.answer();
        times.push(time);
        if answer.starts_with("ERROR") {
            break;
        }
    }
    times.sort();
    let median = times[times.len() / 2];
    assert!(median < Duration::from_millis(60), "{times:?}");
    brain.say("INFO timeout_turn 0\r\nRESTART");
    assert_eq!(brain.answer().0, "OK");
    brain.say(QUIET);
    assert!(brain.answer().1 < Duration::from_secs(2));
}

/// A line of a conversation, sensible or not. Thinking is cheap: the boards are small and the limits tight.
fn any_line(rng: &mut Rng) -> Vec<u8> {
    const WORDS: [&str; 40] = [
        "TURN",
        "TURN",
        "TURN",
        "BEGIN",
        "BOARD",
        "DONE",
        "DONE",
        "DONE",
        "RESTART",
        "ABOUT",
        "TAKEBACK",
        "PLAY",
        "SWAP2BOARD",
        "YXBOARD",
        "YXNBEST",
        "YXBLOCK",
        "YXBLOCKUNDO",
        "YXBLOCKRESET",
        "YXSHOWFORBID",
        "YXHASHCLEAR",
        "YXSTOP",
        "STOP",
        "YXSHOWINFO",
        "YXBALANCEONE",
        "YXBALANCETWO",
        "YXQUERYDATABASEALL",
        "INFO rule",
        "INFO time_left",
        "INFO max_depth",
        "INFO timeout_match",
        "INFO",
        "INFO time_increment",
        "INFO game_type",
        "SUGGEST",
        "MESSAGE",
        "",
        " ",
        "\t",
        "turn",
        "\u{fffd}",
    ];
    let number = |rng: &mut Rng| match below(rng, 12) {
        0 => "-1".to_string(),
        1 => "99999999999999999999999999".to_string(),
        2 => "x".to_string(),
        _ => below(rng, 8).to_string(),
    };
    let mut line = match below(rng, 10) {
        0 => format!("START {}", 5 + below(rng, 3)),
        1 => format!("RECTSTART {},{}", 5 + below(rng, 3), 4 + below(rng, 4)),
        2 | 3 => format!("{},{},{}", number(rng), number(rng), 1 + below(rng, 3)),
        4 | 5 => format!("{},{}", number(rng), number(rng)),
        _ => choose(rng, &WORDS).unwrap_or(&"").to_string(),
    };
    if below(rng, 3) > 0 {
        line += &format!(" {},{}", number(rng), number(rng));
    } else if below(rng, 3) == 0 {
        line += &format!(" {}", number(rng));
    }
    let mut bytes = line.into_bytes();
    if below(rng, 20) == 0 {
        bytes.extend(
            (0..below(rng, 40)).map(|_| below(rng, 256) as u8).filter(|&byte| byte != b'\n'),
        );
    }
    bytes
}

/// So many lines of anything, and at the end the brain still plays.
#[test]
fn a_hundred_thousand_lines_of_anything() {
    const LINES: usize = 100_000;
    const LIMITS: &[u8] = b"\nINFO timeout_turn 0\nINFO max_node 20\nINFO hash_size 1024\n";
    let mut brain = command().spawn().unwrap();
    let mut input = brain.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let mut rng = seeded(2026);
        for n in 0..LINES {
            let mut line = any_line(&mut rng);
            // Whatever was asked for, thinking stays cheap, and lists come to an end.
            match n % 100 {
                0 => line.extend(LIMITS),
                50 => line.extend(b"\nDONE"),
                _ => {}
            }
            if n == LINES / 2 {
                line.extend(vec![b'7'; 1 << 20]);
            }
            line.extend(if below(&mut rng, 2) == 0 { &b"\n"[..] } else { b"\r\n" });
            input.write_all(&line).expect("the brain lives");
        }
        input.write_all(b"DONE\nSTART 9\nABOUT\nINFO rule 0\nTURN 4,4\n").expect("the brain lives");
    });
    let mut errors = brain.stderr.take().unwrap();
    let (sender, lines) = mpsc::channel();
    let output = brain.stdout.take().unwrap();
    thread::spawn(move || forward(output, &sender));
    let started = Instant::now();
    let (mut last, mut count) = (Vec::new(), 0);
    while let Ok(line) = lines.recv_timeout(Duration::from_secs(60)) {
        count += 1;
        if !is_message(&line) {
            last.push(line);
            last.drain(..last.len().saturating_sub(3));
        }
        assert!(started.elapsed() < Duration::from_secs(120), "too slow");
    }
    writer.join().expect("everything was sent");
    let status = brain.wait().unwrap();
    let mut complaints = String::new();
    errors.read_to_string(&mut complaints).unwrap();
    assert!(status.success() && complaints.is_empty(), "{status}: {complaints}");
    assert!(count > 10_000, "{count} answers");
    assert!(
        last[0] == "OK" && last[1].starts_with("name=") && point(&last[2]).is_some(),
        "{last:?}"
    );
}
