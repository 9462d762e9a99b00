//! Tests of the test servers and processes: servers keep their data over a restart, and processes
//! react to signals.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::processes::Program;
use crate::servers::nats::{Options, Tls};
use crate::terminal::Terminal;
use crate::{TIMEOUT, nats, postgres};

/// Sends a message in the protocol of NATS and returns the reply.
pub(crate) fn ask(server: SocketAddr, subject: &str, message: &str) -> Value {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let length = message.len();
    write!(
        stream,
        "CONNECT {{\"verbose\":false}}\r\nSUB answer 1\r\n\
         PUB {subject} answer {length}\r\n{message}\r\n"
    )
    .unwrap();
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    // `MSG answer 1 LENGTH`, and the answer in the next line.
    let answer = lines.skip_while(|line| !line.starts_with("MSG answer")).nth(1).unwrap();
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn a_queue_comes_back_with_what_it_had() {
    let mut server = nats(&Options::default());
    let (url, info) = (server.url(), server.info().unwrap());
    assert!(info.starts_with("INFO {") && info.contains("\"jetstream\":true"), "{info}");
    assert!(!info.contains("auth_required") && !info.contains("tls_required"), "{info}");
    let stream = r#"{"name":"JOBS","subjects":["jobs"],"storage":"file"}"#;
    let made = ask(server.address(), "$JS.API.STREAM.CREATE.JOBS", stream);
    assert_eq!(made["config"]["name"], "JOBS", "{made}");
    for job in 1..=3 {
        assert_eq!(ask(server.address(), "jobs", "a job")["seq"], job);
        server.kill().unwrap();
        assert!(server.info().is_err());
        server.start_again().unwrap();
        assert_eq!(server.url(), url);
        let info = ask(server.address(), "$JS.API.STREAM.INFO.JOBS", "");
        assert_eq!(info["state"]["messages"], job, "{info}");
    }
}

#[test]
fn a_queue_can_require_a_token_and_tls() {
    let folder = tempfile::tempdir().unwrap();
    let tls = Tls::make(folder.path()).unwrap();
    let more = "max_payload: 123456\n".to_string();
    let server = nats(&Options { token: Some("secret".to_string()), tls: Some(tls), more });
    let info = server.info().unwrap();
    for part in ["\"auth_required\":true", "\"tls_required\":true", "\"max_payload\":123456"] {
        assert!(info.contains(part), "{info}");
    }
}

#[test]
fn a_dropped_queue_has_ended() {
    let server = nats(&Options::default());
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).is_err());
}

/// Acknowledged records survive a restart and a kill.
#[test]
fn a_database_keeps_its_records() {
    let mut server = postgres();
    let url = server.url();
    let terminal = Terminal::new();
    let play = |games: u32| {
        terminal.run(&format!("match tictactoe random random --games {games} --json --store {url}"))
    };
    assert_eq!(play(3).json()["result"]["resumed"], 0);
    server.restart().unwrap();
    assert_eq!(play(5).json()["result"]["resumed"], 3);
    server.kill().unwrap();
    assert_eq!(play(7).code, 1);
    server.start_again().unwrap();
    assert_eq!(server.url(), url);
    assert_eq!(play(7).json()["result"]["resumed"], 5);
}

#[test]
fn a_program_ends_on_sigterm_sigkill_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let serve = ["serve", "--addr", "127.0.0.1:0", "--json", "--no-store"];
    let mut terminated = Program::start(folder.path(), &serve);
    terminated.wait_for("address", TIMEOUT);
    terminated.signal("TERM");
    let answer = terminated.wait(TIMEOUT);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("http://127.0.0.1"), "{}", answer.stdout);

    let mut killed = Program::start(folder.path(), &serve);
    killed.wait_for("address", TIMEOUT);
    assert!(killed.is_running());
    killed.kill9();
    assert!(!killed.is_running());
    assert_eq!(killed.wait(TIMEOUT).code, -9);

    let mut refused = Program::start(folder.path(), &["no-such-verb"]);
    let answer = refused.wait(TIMEOUT);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("no-such-verb"), "{}", answer.stderr);
}

/// A stopped process does not handle SIGTERM until it continues.
#[test]
fn a_program_can_be_stopped_and_continued() {
    let folder = tempfile::tempdir().unwrap();
    let serve = ["serve", "--addr", "127.0.0.1:0", "--json", "--no-store"];
    let mut program = Program::start(folder.path(), &serve);
    program.wait_for("address", TIMEOUT);
    program.signal("STOP");
    program.signal("TERM");
    std::thread::sleep(Duration::from_millis(500));
    assert!(program.is_running());
    program.signal("CONT");
    assert_eq!(program.wait(TIMEOUT).code, 0);
}
