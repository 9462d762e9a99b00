//! `tesuji engine` with the Gomocup protocol: scripted sessions with the real program, time limits,
//! interruption, and a hundred thousand random lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tesuji_games::Rng;
use tesuji_games::random::{below, choose, seeded};

const TESUJI: &str = env!("CARGO_BIN_EXE_tesuji");

/// An engine with a small transposition table, since many run at once.
fn command() -> Command {
    let mut command = Command::new(TESUJI);
    command.args(["engine", "--player", "gomoku:tt=1M"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// All output lines of an engine for these input lines.
fn run_engine(lines: &str) -> Vec<String> {
    let mut engine = command().spawn().unwrap();
    engine.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = engine.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

/// A manager may allow more memory and threads than the machine has; the engine uses no more than
/// available.
#[test]
fn memory_and_threads_are_clamped_to_what_is_available() {
    let lines = "INFO max_memory 99999999999999999999\r\nINFO thread_num 256\r\nSTART 15\r\n\
                 INFO timeout_turn 300\r\nBEGIN\r\nINFO hash_size 99999999999999999999\r\n\
                 RESTART\r\nBEGIN\r\nEND\r\n";
    let mut engine = Command::new("sh")
        .args(["-c", "ulimit -v 1500000; exec \"$0\" engine --player gomoku", TESUJI])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    engine.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = engine.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let moves = stdout.lines().filter(|line| point(line).is_some()).count();
    assert_eq!(moves, 2, "{stdout}");
}

fn is_message(line: &str) -> bool {
    line.starts_with("MESSAGE ")
}

fn point(line: &str) -> Option<(usize, usize)> {
    let (x, y) = line.split_once(',')?;
    Some((x.parse().ok()?, y.parse().ok()?))
}

/// The number of moves in a line; `None` if it contains anything else.
fn moves_in(line: &str) -> Option<usize> {
    line.split(' ').map(point).collect::<Option<Vec<_>>>().map(|moves| moves.len())
}

/// Checks the answer to every line. The second text is the beginning of the answer; a dot stands
/// for any move, and an empty text for no answer.
#[track_caller]
fn check(exchanges: &[(&str, &str)]) {
    let input: String =
        exchanges.iter().map(|(line, _)| line.replace('\n', "\r\n") + "\r\n").collect();
    let mut lines = run_engine(&input).into_iter().filter(|line| !is_message(line));
    for (line, form) in exchanges.iter().filter(|(_, form)| !form.is_empty()) {
        let answer = lines.next().unwrap_or_default();
        let is_expected = match form.chars().all(|c| c == '.') {
            true => moves_in(&answer) == Some(form.len()),
            false => answer.starts_with(form),
        };
        assert!(is_expected, "{line:?}: {answer:?}, not {form:?}");
    }
    assert_eq!(lines.collect::<Vec<_>>(), Vec::<String>::new());
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
        ("TURN 10,9", "ERROR 10,9 is occupied"),
        ("RESTART", "OK"),
        ("INFO time_left 60000\nTURN 10,10", "."),
        ("RECTSTART 12,9", "OK"),
        ("BOARD\n1,1,1\n5,5,2\n2,1,1\n6,6,2\n3,1,1\n7,7,2\n4,1,1\n5,1,2\nDONE", "0,1"),
        ("RESTART", "OK"),
        ("START 15 15", "OK"),
        ("BOARD\n3,3,2\n4,3,2\n5,3,2\n6,3,2\n2,3,1\n9,9,1\n11,9,1\nDONE", "7,3"),
        ("TAKEBACK 7,3", "OK"),
        ("TAKEBACK 3,3", "OK"),
        ("TAKEBACK 3,3", "ERROR 3,3 is empty"),
        ("START 1000", "ERROR unsupported board size; expected 5 to 20"),
        ("HELP", "UNKNOWN"),
        ("PLAY 0,0", "0,0"),
    ]);
}

#[test]
fn rules_are_kept() {
    // 5,5 makes six in a row: a win in freestyle, but not by the other rules.
    let gap =
        "BOARD\n2,5,1\n0,0,2\n3,5,1\n14,0,2\n4,5,1\n0,14,2\n6,5,1\n14,14,2\n7,5,1\n7,0,2\nDONE";
    check(&[("START 15", "OK"), ("INFO timeout_turn 200", ""), (gap, "5,5")]);
    for rule in ["1", "4", "9"] {
        let input = format!("START 15\nINFO timeout_turn 200\nINFO rule {rule}\n{gap}\n");
        let lines = run_engine(&input);
        assert_ne!(lines.last().map(String::as_str), Some("5,5"), "rule {rule}: {lines:?}");
    }
    // Two threes cross: the point is forbidden for black, and the engine reports that.
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
    let lines = run_engine("START 15\nINFO rule 64\nINFO timeout_turn 50\nBEGIN\n");
    assert!(lines[1].starts_with("MESSAGE rule 64 is unknown"), "{lines:?}");
}

#[test]
fn analysis_is_answered() {
    let position = "YXBOARD\n7,7,1\n8,8,2\n8,6,1\n6,8,2\nDONE";
    let start = format!("START 15\nINFO timeout_turn 300\n{position}\n");
    let lines = run_engine(&format!("{start}YXNBEST 4\n"));
    let ranked: Vec<&String> = lines.iter().filter(|line| line.starts_with("MESSAGE (")).collect();
    assert_eq!(ranked.len(), 4, "{lines:?}");
    let best = lines.last().unwrap();
    assert!(ranked[0].contains(&format!(" {best} ")), "{lines:?}");
    // A blocked move is neither played nor ranked.
    let blocked = format!("{start}YXBLOCK\n{best}\nDONE\nYXNBEST 2\nYXBLOCKRESET\n");
    let other = run_engine(&blocked);
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
        // Black has three in a row, so that the engine takes black.
        ("SWAP2BOARD\n7,7,1\n0,0,2\n8,7,1\n0,14,2\n9,7,1\nDONE", "SWAP"),
        ("SWAP2BOARD\n0,0,1\n7,7,2\n0,2,1\n8,7,2\n0,4,1\nDONE", "."),
        ("YXHASHCLEAR\nYXBLOCKRESET", ""),
    ]);
}

/// A running engine with which a test exchanges single lines.
struct EngineProcess {
    child: Child,
    input: ChildStdin,
    lines: mpsc::Receiver<String>,
}

impl EngineProcess {
    fn start(text: &str) -> EngineProcess {
        let mut child = command().spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || forward(output, &sender));
        let mut engine = EngineProcess { child, input, lines };
        engine.send(text);
        engine
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(format!("{text}\r\n").as_bytes()).unwrap();
    }

    /// The next line that is not a message, and the time until it came.
    fn answer(&self) -> (String, Duration) {
        let started = Instant::now();
        loop {
            let line = self
                .lines
                .recv_timeout(Duration::from_secs(20))
                .expect("the engine answers in time");
            if !is_message(&line) {
                return (line, started.elapsed());
            }
        }
    }

    /// The time until the engine ends.
    fn wait(mut self) -> Duration {
        let started = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < Duration::from_secs(20), "the engine does not end");
            thread::sleep(Duration::from_millis(2));
        }
        started.elapsed()
    }
}

fn forward(output: ChildStdout, sender: &mpsc::Sender<String>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if sender.send(line).is_err() {
            return;
        }
    }
}

/// A quiet position in which a search takes long.
const QUIET: &str = "BOARD\r\n7,7,1\r\n8,8,2\r\n8,6,1\r\n6,8,2\r\nDONE";

#[test]
fn a_search_can_be_stopped_and_ended() {
    let mut engine = EngineProcess::start("START 15\r\nINFO timeout_turn 30000");
    assert_eq!(engine.answer().0, "OK");
    for stop in ["YXSTOP", "STOP"] {
        engine.send(QUIET);
        thread::sleep(Duration::from_millis(200));
        engine.send(stop);
        let (answer, time) = engine.answer();
        assert!(point(&answer).is_some() && time < Duration::from_secs(5), "{answer} {time:?}");
    }
    // A stop without a running search has no effect on the next search.
    engine.send("STOP\r\nINFO timeout_turn 400\r\nABOUT");
    engine.answer();
    engine.send(QUIET);
    assert!(engine.answer().1 > Duration::from_millis(150), "the search was stopped early");
    engine.send("INFO timeout_turn 30000");
    engine.send(QUIET);
    thread::sleep(Duration::from_millis(200));
    engine.send("END");
    let time = engine.wait();
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn the_engine_ends_at_the_end_of_its_input() {
    for text in ["", "START 15", "START 15\r\nBOARD\r\n7,7,2", "BOARD", "INFO", "END"] {
        let engine = EngineProcess::start(text);
        let EngineProcess { child, input, lines } = engine;
        drop(input);
        let time = EngineProcess { input: closed_input(), child, lines }.wait();
        assert!(time < Duration::from_secs(5), "{text}: {time:?}");
    }
}

/// The input of an unrelated program that has ended.
fn closed_input() -> ChildStdin {
    let mut child = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take().unwrap();
    child.wait().unwrap();
    input
}

/// The limits are loose, since the machine may be busy; they fail an engine that ignores its time.
#[test]
fn answers_come_in_time_at_thirty_milliseconds_a_move() {
    let mut engine =
        EngineProcess::start("START 15\r\nINFO timeout_turn 30\r\nINFO timeout_match 2000");
    assert_eq!(engine.answer().0, "OK");
    let mut times = Vec::new();
    for x in 0..15 {
        engine.send(&format!("TURN {x},{}", 2 * (x % 7)));
        let (answer, time) = engine.answer();
        times.push(time);
        if answer.starts_with("ERROR") {
            break;
        }
    }
    times.sort();
    let median = times[times.len() / 2];
    assert!(median < Duration::from_millis(60), "{times:?}");
    engine.send("INFO timeout_turn 0\r\nRESTART");
    assert_eq!(engine.answer().0, "OK");
    engine.send(QUIET);
    assert!(engine.answer().1 < Duration::from_secs(2));
}

/// A random line, valid or not. Searches are short: the boards are small and the limits tight.
fn random_line(rng: &mut Rng) -> Vec<u8> {
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

/// After all lines the engine still plays.
#[test]
fn a_hundred_thousand_random_lines_do_no_harm() {
    const LINES: usize = 100_000;
    const LIMITS: &[u8] = b"\nINFO timeout_turn 0\nINFO max_node 20\nINFO hash_size 1024\n";
    let mut engine = command().spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let mut rng = seeded(2026);
        for n in 0..LINES {
            let mut line = random_line(&mut rng);
            // Regular lines keep searches short and end open lists.
            match n % 100 {
                0 => line.extend(LIMITS),
                50 => line.extend(b"\nDONE"),
                _ => {}
            }
            if n == LINES / 2 {
                line.extend(vec![b'7'; 1 << 20]);
            }
            line.extend(if below(&mut rng, 2) == 0 { &b"\n"[..] } else { b"\r\n" });
            input.write_all(&line).expect("the engine is running");
        }
        input
            .write_all(b"DONE\nSTART 9\nABOUT\nINFO rule 0\nTURN 4,4\n")
            .expect("the engine is running");
    });
    let mut errors = engine.stderr.take().unwrap();
    let (sender, lines) = mpsc::channel();
    let output = engine.stdout.take().unwrap();
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
    writer.join().expect("the writer does not panic");
    let status = engine.wait().unwrap();
    let mut stderr = String::new();
    errors.read_to_string(&mut stderr).unwrap();
    assert!(status.success() && stderr.is_empty(), "{status}: {stderr}");
    assert!(count > 10_000, "{count} answers");
    assert!(
        last[0] == "OK" && last[1].starts_with("name=") && point(&last[2]).is_some(),
        "{last:?}"
    );
}
