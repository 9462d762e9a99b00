//! Real connections with slow, many or vanished clients: none affects others or blocks the end of
//! the server.

use crate::support;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tesuji_web::{AppState, ServerOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The timeout of all waits.
const DEADLINE: Duration = Duration::from_secs(30);
/// The longest shutdown, whatever clients do.
const LONGEST_END: Duration = Duration::from_secs(5);

/// A server with a socket.
struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
    _folder: tempfile::TempDir,
}

impl Server {
    async fn start(change: impl FnOnce(&mut ServerOptions)) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut options = support::options(&folder);
        options.address = "127.0.0.1:0".parse().unwrap();
        change(&mut options);
        let state = AppState::new(options).unwrap();
        let (ready, address) = oneshot::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let until = async { drop(stopped.await) };
        let on_ready = |address| ready.send(address).unwrap();
        let serving = tokio::spawn(tesuji_web::serve(state, on_ready, until));
        Server { address: address.await.unwrap(), stop, serving, _folder: folder }
    }

    async fn connect(&self) -> TcpStream {
        self.connect_from([127, 0, 0, 1]).await
    }

    /// All addresses 127.x.x.x are local, so a test can use several.
    async fn connect_from(&self, address: [u8; 4]) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((address, 0))).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// Stops the server and returns the time that this took.
    async fn end(self) -> Duration {
        let asked = Instant::now();
        self.stop.send(()).unwrap();
        timeout(DEADLINE, self.serving).await.expect("the server ends").unwrap().unwrap();
        asked.elapsed()
    }
}

async fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

/// Whether a request on this connection gets a response.
async fn is_answered(stream: &mut TcpStream) -> bool {
    let asked = stream.write_all(get("/api/recording").as_bytes()).await;
    let mut start = [0; 12];
    let read =
        timeout(DEADLINE, stream.read_exact(&mut start)).await.expect("an answer, or an end");
    asked.is_ok() && read.is_ok() && &start == b"HTTP/1.1 200"
}

/// Reads until the connection ends.
async fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A reset connection has ended as well.
    let _ = timeout(DEADLINE, stream.read_to_end(&mut bytes)).await.expect("the connection ends");
    bytes
}

const STALL: Duration = Duration::from_secs(1);

#[tokio::test]
async fn incomplete_and_idle_connections_are_closed() {
    let server = Server::start(|options| options.stall = STALL).await;
    let mut silent = server.connect().await;
    let mut half = server.connect().await;
    send(&mut half, "GET /api/recording HTTP/1.1\r\nhost: local").await;
    let mut idle = server.connect().await;
    assert!(is_answered(&mut idle).await);
    for stream in [&mut silent, &mut half, &mut idle] {
        read_to_end(stream).await;
    }
    assert!(is_answered(&mut server.connect().await).await);
}

/// A client that sends many requests and reads no responses is disconnected.
#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected() {
    const ASKED: usize = 3_000;
    let server = Server::start(|options| options.stall = STALL).await;
    let mut stream = server.connect().await;
    let (mut reading, mut writing) = stream.split();
    let request = get("/api/games");
    // The server stops reading, so this may not complete.
    let asking = async {
        for _ in 0..ASKED {
            if writing.write_all(request.as_bytes()).await.is_err() {
                return;
            }
        }
    };
    let _ = timeout(Duration::from_secs(5) + STALL, asking).await;
    tokio::time::sleep(2 * STALL).await;
    let mut bytes = Vec::new();
    let _ = timeout(DEADLINE, reading.read_to_end(&mut bytes)).await.expect("the connection ends");
    let answers = bytes.windows(15).filter(|window| window == b"HTTP/1.1 200 OK").count();
    assert!(answers > 0 && answers < ASKED, "{answers} of {ASKED} answers");
}

#[tokio::test]
async fn one_address_has_a_bounded_number_of_connections() {
    let server = Server::start(|options| options.sessions_per_address = 2).await;
    let mut held = Vec::new();
    for _ in 0..60 {
        let mut stream = server.connect().await;
        if is_answered(&mut stream).await {
            held.push(stream);
        }
    }
    assert_eq!(held.len(), 32);
    assert!(is_answered(&mut server.connect_from([127, 0, 0, 2]).await).await);
    // Closed connections make room.
    held.truncate(10);
    let since = Instant::now();
    while !is_answered(&mut server.connect().await).await {
        assert!(since.elapsed() < DEADLINE, "there is no room again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A long search as a stream.
fn long_search() -> String {
    get("/api/think/visits?game=gomoku&seconds=20")
}

#[tokio::test]
async fn no_client_blocks_the_shutdown() {
    let server = Server::start(|options| options.searches = 2).await;
    let mut half = server.connect().await;
    send(&mut half, "GET / HTTP/1.1\r\nhost: local").await;
    let mut half_a_body = server.connect().await;
    let head = "POST /api/move HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    send(&mut half_a_body, &format!("{head}content-length: 100\r\n\r\n{{")).await;
    let mut unread = Vec::new();
    for _ in 0..4 {
        let mut stream = server.connect().await;
        send(&mut stream, &long_search()).await;
        unread.push(stream);
    }
    let mut idle = server.connect().await;
    assert!(is_answered(&mut idle).await);
    let took = server.end().await;
    assert!(took < LONGEST_END, "{took:?}");
}

/// Responses in progress at a shutdown are completed.
#[tokio::test]
async fn responses_in_progress_are_completed() {
    let server = Server::start(|_| ()).await;
    let mut stream = server.connect().await;
    let question = r#"{"game":"gomoku","player":"mcts","seconds":20}"#;
    let head = "POST /api/move HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let length = question.len();
    send(&mut stream, &format!("{head}content-length: {length}\r\n\r\n{question}")).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let took = server.end().await;
    assert!(took < LONGEST_END, "{took:?}");
    let answer = String::from_utf8(read_to_end(&mut stream).await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("receipt"), "{answer}");
}
