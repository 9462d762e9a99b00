//! Tests of conversations. Tests with the real binary are in `crates/cli/tests/gomocup.rs`.

use std::io::Cursor;
use std::time::Duration;

use tesuji_games::random::{below, seeded};
use tesuji_games::registry::GameEntry;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{self, Mnk};
use tesuji_search::{Limits, searches};

use super::*;
use crate::external::gomocup::read_pair;
use tesuji_play::Clock;

fn conversation(player: &str, input: &[u8]) -> Vec<String> {
    let (mut output, input) = (Vec::new(), Cursor::new(input.to_vec()));
    serve_gomocup(&crate::player(player).unwrap(), &tesuji_builtin::registry(), input, &mut output)
        .unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_string).collect()
}

/// Returns the answers without messages.
fn answers(player: &str, input: &str) -> Vec<String> {
    let input = input.replace('\n', "\r\n");
    let said = conversation(player, input.as_bytes());
    said.into_iter().filter(|line| !line.starts_with("MESSAGE")).collect()
}

/// Checks the answer to every line: a prefix, `.` for any move, or nothing for no answer.
#[track_caller]
fn check(player: &str, talk: &[(&str, &str)]) {
    let input: Vec<&str> = talk.iter().map(|(line, _)| *line).collect();
    let expected: Vec<&str> =
        talk.iter().map(|(_, answer)| *answer).filter(|answer| !answer.is_empty()).collect();
    let said = answers(player, &(input.join("\n") + "\n"));
    for (line, form) in said.iter().zip(&expected) {
        let right = match *form {
            "." => read_pair(line).is_some(),
            form => line.starts_with(form),
        };
        assert!(right, "{line}, not {form}: {said:?}");
    }
    assert_eq!(said.len(), expected.len(), "{said:?}");
}

#[test]
fn a_row_is_stopped_and_finished() {
    let input = "START 15\nINFO timeout_turn 1000\nBOARD\n3,3,2\n4,3,2\n5,3,2\n6,3,2\n2,3,1\n\
        9,9,1\n10,9,1\n0,0,3\nDONE\nTURN 0,0\n";
    let said = answers("pvs:depth=2", input);
    assert_eq!(said[0], "OK");
    assert_eq!(said[1], "7,3", "the only end of the row");
    assert_eq!(said.len(), 3, "{said:?}");
}

/// A manager that sends nothing until it receives `OK`.
struct SilentManager {
    said: Vec<u8>,
    heard: std::sync::mpsc::Receiver<()>,
}

impl std::io::Read for SilentManager {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.said.is_empty() {
            let more: &[u8] = if self.heard.recv().is_ok() { b"END\r\n" } else { b"" };
            self.said.extend(more);
        }
        let length = self.said.len().min(into.len());
        into[..length].copy_from_slice(&self.said[..length]);
        self.said.drain(..length);
        Ok(length)
    }
}

#[test]
fn the_table_is_ready_before_the_answer_to_start() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    static OPENED: AtomicUsize = AtomicUsize::new(0);
    let counted = GameEntry {
        open: |spec| {
            OPENED.fetch_add(1, Relaxed);
            (mnk::GAME.open)(spec)
        },
        ..mnk::GAME
    };
    let games = Registry::empty().with(counted, searches::of::<Mnk<LineBoard>>);
    let (tell, heard) = std::sync::mpsc::channel();
    let mut opened_before_ok = 0;
    let mut output = |line: &[u8]| {
        if line.starts_with(b"OK") {
            opened_before_ok = OPENED.load(Relaxed);
            let _ = tell.send(());
        }
    };
    struct OutputTap<'a>(&'a mut dyn FnMut(&[u8]));
    impl Write for OutputTap<'_> {
        fn write(&mut self, said: &[u8]) -> io::Result<usize> {
            (self.0)(said);
            Ok(said.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let input = SilentManager { said: b"START 15\r\n".to_vec(), heard };
    let player = crate::player("random").unwrap();
    serve_gomocup(&player, &games, input, &mut OutputTap(&mut output)).unwrap();
    assert_eq!((opened_before_ok, OPENED.load(Relaxed)), (1, 1));
}

#[test]
fn time_for_the_table_is_taken_from_the_move() {
    let millis = Duration::from_millis;
    let clock = Clock { per_move: Some(millis(30)), left: Some(millis(100)), ..Clock::default() };
    let turn = Turn { limits: Limits::time(millis(28)), clock, ..Turn::default() };
    let left = turn.without(millis(29));
    assert_eq!(left.limits.time, Some(millis(0)));
    assert_eq!((left.clock.per_move, left.clock.left), (Some(millis(1)), Some(millis(71))));
    assert_eq!(Turn::default().without(millis(5)).limits.time, None);
}

#[test]
fn the_protocol_is_kept() {
    check(
        "random:seed=3",
        &[
            ("ABOUT", "name=\"Tesuji random:seed=3\", version=\""),
            ("BEGIN", "ERROR no board"),
            ("RESTART", "UNKNOWN"),
            ("START 4", "ERROR unsupported board"),
            ("START 21", "ERROR unsupported board"),
            ("START 99999999999999999999999", "ERROR unsupported board"),
            ("START", "ERROR unsupported board"),
            ("START 15 15 15", "ERROR unsupported board"),
            ("RECTSTART 12,9", "OK"),
            ("", ""),
            ("BEGIN", "."),
            ("BEGIN", "ERROR the board is not empty"),
            ("TAKEBACK 0,20", "ERROR 0,20 is empty"),
            ("TAKEBACK", "ERROR expected TAKEBACK x,y"),
            ("RESTART", "OK"),
            ("TURN 30,2", "ERROR 30,2"),
            ("TURN 3", "ERROR expected TURN x,y"),
            ("TURN -1,2", "ERROR expected TURN x,y"),
            ("TURN 3,2", "."),
            ("turn 3,2", "ERROR 3,2 is occupied"),
            ("NOTHING", "UNKNOWN"),
            ("DONE", "ERROR DONE without BOARD"),
            ("START 9 7", "OK"),
            ("PLAY 8,6", "8,6"),
            ("PLAY 8,6", "ERROR 8,6 is occupied"),
            ("PLAY 8,7", "ERROR 8,7"),
            ("PLAY", "ERROR expected PLAY x,y"),
            ("TURN 0,0", "."),
            ("START 15", "OK"),
            ("INFO rule 17", ""),
            ("BEGIN", "."),
            ("BOARD\n1,1,1\nDONE", "ERROR not the engine's turn"),
            ("BOARD\nx\nDONE", "ERROR expected x,y,who"),
            ("BOARD\n1,1,2\n1,1,1\nDONE", "ERROR 1,1 is occupied"),
            ("BOARD\n1,20,2\nDONE", "ERROR 1,20"),
            ("BOARD\nDONE", "."),
            ("END", ""),
            ("BEGIN", ""),
        ],
    );
}

#[test]
fn what_is_refused_changes_nothing() {
    let talk = "START 9\nYXBOARD\n4,4,1\n5,5,2\n4,5,1\nDONE\n";
    let wrong = "TURN 4,4\nTURN 9,9\nBOARD\n1,1,1\nDONE\nBOARD\n0,0,2\n0,9,2\n1,1,1\nDONE\nPLAY 4,5\nSTART 99\n";
    let plain = answers("pvs:depth=2", &format!("{talk}TURN 3,3\n"));
    let disturbed = answers("pvs:depth=2", &format!("{talk}{wrong}TURN 3,3\n"));
    assert_eq!(plain.last(), disturbed.last(), "{disturbed:?}");
    assert_eq!(disturbed.iter().filter(|line| line.starts_with("ERROR")).count(), 6);
}

#[test]
fn stones_are_taken_back_from_anywhere() {
    let reply = answers("random:seed=1", "START 15\nTURN 7,7\n").pop().unwrap();
    let input = format!("START 15\nTURN 7,7\nTAKEBACK {reply}\nTAKEBACK 7,7\nBEGIN\n");
    let said = answers("random:seed=1", &input);
    assert_eq!(said[2..4], ["OK", "OK"], "{said:?}");
    assert!(read_pair(&said[4]).is_some(), "{said:?}");
    let row = "START 15\nYXBOARD\n3,3,1\n0,0,2\n4,3,1\n14,0,2\n5,3,1\n0,14,2\n6,3,1\nDONE\n";
    let input = format!("{row}TAKEBACK 4,3\nPLAY 1,1\nPLAY 2,2\nPLAY 4,3\n");
    let said = answers("pvs:depth=1", &input);
    assert_eq!(said[1..], ["OK", "1,1", "2,2", "4,3"], "the first side has five: {said:?}");
}

#[test]
fn analysis_is_served() {
    let row = "YXBOARD\n7,7,1\n0,0,2\n8,7,1\n0,14,2\nDONE";
    check(
        "random:seed=5",
        &[
            ("YXBOARD\n7,7,1\nDONE", "ERROR no board"),
            ("START 15", "OK"),
            (row, ""),
            ("YXSHOWFORBID", "FORBID ."),
            ("YXNBEST 3", "."),
            ("YXNBEST x", "ERROR expected YXNBEST n"),
            ("YXHASHCLEAR", ""),
            ("YXSHOWINFO", ""),
            ("YXBLOCKRESET", ""),
            ("YXBALANCEONE 0", "ERROR random:seed=5 does not report scores"),
            ("YXBALANCETWO x", "ERROR invalid bias"),
            ("YXQUERYDATABASEALL\n7,7\nDONE", "UNKNOWN"),
            ("YXBOARD\n7,7,1\n1,1,1\nDONE", "ERROR invalid position: 2 own stones and 0 others"),
            ("YXSTOP", ""),
        ],
    );
    let said = conversation("random", b"YXSHOWINFO\n");
    assert!(said[0].starts_with("MESSAGE INFO MAX_THREAD_NUM"), "{said:?}");
}

/// A player that cannot avoid points refuses instead of playing there.
#[test]
fn blocked_points_are_not_played() {
    let full = (0..5).flat_map(|y| (0..5).map(move |x| format!("{x},{y}\n")));
    let all: String = full.collect();
    check(
        "random:seed=5",
        &[
            ("START 5", "OK"),
            (&format!("YXBLOCK\n{all}DONE"), ""),
            ("BEGIN", "ERROR random:seed=5 does not support blocked"),
            (&format!("YXBLOCKUNDO\n{all}DONE"), ""),
            ("BEGIN", "."),
            ("YXBLOCK\n1\nDONE", "ERROR expected x,y"),
            ("YXBLOCK\n1,1,2\nDONE", ""),
            ("YXBLOCKRESET", ""),
        ],
    );
}

#[test]
fn forbidden_points_are_shown_to_black_alone() {
    // Two open threes would cross at 7,7.
    let threes = "YXBOARD\n6,7,1\n0,0,2\n8,7,1\n14,0,2\n7,6,1\n0,14,2\n7,8,1\n14,14,2\nDONE\n";
    let talk = format!("START 15\nINFO rule 4\n{threes}YXSHOWFORBID\nINFO rule 0\nYXSHOWFORBID\n");
    assert_eq!(answers("random", &talk)[1..], ["FORBID 0707.", "FORBID ."]);
    let white =
        format!("START 15\nINFO rule 4\n{threes}PLAY 1,1\nYXSHOWFORBID\nTAKEBACK 1,1\nTURN 7,7\n");
    let said = answers("random", &white);
    assert_eq!(said[1..4], ["1,1", "FORBID .", "OK"], "{said:?}");
    assert!(said[4].starts_with("ERROR 7,7"), "{said:?}");
}

#[test]
fn swap2_is_played() {
    let said = answers("pvs:depth=1", "START 15\nSWAP2BOARD\nDONE\n");
    let stones: Vec<&str> = said[1].split(' ').collect();
    assert!(stones.len() == 3 && stones.iter().all(|stone| read_pair(stone).is_some()), "{said:?}");
    assert_eq!(answers("random", "START 5\nSWAP2BOARD\nDONE\n").len(), 2, "small boards too");

    let three = "SWAP2BOARD\n7,7,1\n7,8,2\n0,0,1\nDONE\n";
    let said = answers("pvs:depth=2", &format!("START 15\nINFO timeout_turn 300\n{three}"));
    let words = said[1].split(' ').count();
    assert!(said[1] == "SWAP" || words <= 2, "{said:?}");

    // Black has three in a row and must not get the move; then White has three.
    let black = "SWAP2BOARD\n7,7\n0,0\n8,7\n0,14\n9,7\nDONE\n";
    assert_eq!(answers("pvs:depth=3", &format!("START 15\n{black}"))[1], "SWAP");
    let white = "SWAP2BOARD\n0,0,1\n7,7,2\n0,2,1\n8,7,2\n0,4,1\nDONE\n";
    assert!(read_pair(&answers("pvs:depth=3", &format!("START 15\n{white}"))[1]).is_some());

    check(
        "random",
        &[
            ("SWAP2BOARD\nDONE", "ERROR no board"),
            ("START 15", "OK"),
            ("SWAP2BOARD\n1,1\nDONE", "ERROR SWAP2BOARD: 1 stones; expected 0, 3 or 5"),
            ("SWAP2BOARD\n1,1\n1,1\n2,2\nDONE", "ERROR 1,1 is occupied"),
            ("SWAP2BOARD\n1,1\nx\n2,2\nDONE", "ERROR expected x,y"),
            (three, "."),
            ("TURN 3,3", "."),
        ],
    );
}

#[test]
fn positions_are_balanced_by_players_that_value_them() {
    let start = "START 11\nINFO timeout_turn 200\nYXBOARD\n5,5,1\n5,6,2\n6,6,1\nDONE\n";
    let one = answers("pvs:depth=2", &format!("{start}YXBALANCEONE 0\n"));
    assert!(read_pair(&one[1]).is_some(), "{one:?}");
    let two = answers("pvs:depth=2", &format!("{start}YXBALANCETWO\nTURN 0,0\n"));
    assert_eq!(two[1].split(' ').count(), 2, "{two:?}");
    assert!(read_pair(&two[2]).is_some(), "{two:?}");
}

#[test]
fn any_bytes_are_some_conversation() {
    let mut rng = seeded(9);
    let words = [
        "START 5",
        "BEGIN",
        "TURN ",
        "BOARD",
        "1,1,2",
        "INFO rule 1",
        "DONE",
        "0,0",
        "\n",
        "YXBOARD",
        "SWAP2BOARD",
        "PLAY 2,2",
        "TAKEBACK 2,2",
        "YXNBEST 2",
        "INFO rule 4",
        "YXSHOWFORBID",
        "STOP",
    ];
    for _ in 0..300 {
        let mut bytes = Vec::new();
        for _ in 0..below(&mut rng, 25) {
            match below(&mut rng, words.len() as u32 + 1) {
                0 => bytes.push(below(&mut rng, 256) as u8),
                n => {
                    bytes.extend(words[n as usize - 1].bytes());
                    bytes.extend(Some(b'\n').filter(|_| below(&mut rng, 2) == 0));
                }
            }
        }
        conversation("random", &bytes);
    }
}
