//! Attacks, each limited in count and time: devices named as files, unread streams, unfinished
//! request heads, a new cookie for every request, very many streams, very many games. The server
//! runs with its default limits; each attack prints its measurements.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{Visitor, connect, escaped};
use super::server::Server;

/// An attack on a server.
type Attack = fn(&Server, usize) -> Result<(), String>;

/// All attacks; the number passed to each limits its connections or requests.
pub(super) const ATTACKS: [(&str, Attack); 6] = [
    ("devices and pipes named as files", hung_files),
    ("streams that are not read", slow_readers),
    ("half-open connections", half_open),
    ("a new cookie for every request", minted_cookies),
    ("a flood of streams", stream_flood),
    ("very many games by name", many_specs),
];

/// The time limit for an answer. A server without limits per address would need the time of all
/// attackers' searches.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
const THREADS: usize = 8;

/// Requests of guests that name endless files. None is opened, so all are refused at once.
fn hung_files(server: &Server, _: usize) -> Result<(), String> {
    let pipe = server.path("runs/pipe");
    crate::steps::run(Command::new("mkdir").arg(server.path("runs")))?;
    crate::steps::run(Command::new("mkfifo").arg(&pipe))?;
    let pipe = pipe.display().to_string();
    let mut refused = 0;
    let began = Instant::now();
    for file in ["/dev/ptmx", "/dev/zero", &pipe, "runs/pipe"] {
        for player in ["gomoku:weights", "forest:file", "critic:file", "pvs:book"] {
            let player = escaped(&format!("{player}={file}"));
            let path = format!("/api/thinking?game=gomoku&player={player}");
            match first_status(server.address, &path, Duration::from_secs(5))? {
                Some(400) => refused += 1,
                other => return Err(format!("{player}: answered with {other:?}; expected 400")),
            }
        }
    }
    println!("{refused} of {refused} requests refused in {:.1?}", began.elapsed());
    println!("a move takes {:.1?} afterwards", timed_move(server.address)?);
    Ok(())
}

/// Streams that are never read: their searches end in time, and other requests are served.
fn slow_readers(server: &Server, _: usize) -> Result<(), String> {
    const READERS: usize = 4;
    let path = "/api/think/visits?game=mnk:20x20,k=5&seconds=12";
    let mut unread = Vec::new();
    for _ in 0..READERS {
        unread.push(send_request(server.address, path, "")?);
    }
    std::thread::sleep(Duration::from_secs(1));
    let waited = timed_move(server.address)?;
    println!("{READERS} unread streams of 12 s: a move of another session waits {waited:.1?}");
    Ok(())
}

/// Connections with an unfinished head: the server closes them in time.
fn half_open(server: &Server, count: usize) -> Result<(), String> {
    let mut open = Vec::new();
    for _ in 0..count {
        // This program may reach its limit of open files before the server does.
        let Ok(mut stream) = TcpStream::connect(server.address) else { break };
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: local");
        open.push(stream);
    }
    let began = Instant::now();
    let in_time = || began.elapsed() < ANSWER_TIMEOUT;
    while Visitor::new(server.address).get("/").is_err() && in_time() {
        std::thread::sleep(Duration::from_millis(200));
    }
    let page = Visitor::new(server.address).get("/")?;
    println!(
        "{} half-open connections of one address: the address is served again after {:.1?} (status {})",
        open.len(),
        began.elapsed(),
        page.status
    );
    Ok(())
}

/// A new cookie for every request: the limits of the address apply.
fn minted_cookies(server: &Server, count: usize) -> Result<(), String> {
    let began = Instant::now();
    let game = started_game(server.address)?;
    let answers = count_statuses(server.address, 5 * count, |visitor| {
        visitor.get("/api/recording").map(|answer| answer.status)
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let (got, most) = (answered(&answers), 1_280.0 + 320.0 * seconds);
    println!("requests in {seconds:.1} s: {answers:?}; expected at most {most:.0} answered");
    if got as f64 > most {
        return Err(format!("{got} requests answered; expected at most {most:.0}"));
    }
    // Wait until the limit of requests has recovered; records have a limit of their own.
    std::thread::sleep(Duration::from_secs(2));
    let began = Instant::now();
    let record = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human",
                         "second": "human", "resigned": null });
    let answers = count_statuses(server.address, 200, |visitor| {
        visitor.post("/api/records", &record).map(|answer| answer.status)
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let (got, most) = (answered(&answers), 9.0 + 4.0 * seconds);
    println!("records in {seconds:.1} s: {answers:?}; expected at most {most:.0} stored");
    if got as f64 > most {
        return Err(format!("{got} records stored; expected at most {most:.0}"));
    }
    std::thread::sleep(Duration::from_secs(2));
    let answers = count_statuses(server.address, count.min(500), |visitor| {
        visitor.post("/api/gems", &json!({ "level": 1 })).map(|answer| answer.status)
    })?;
    std::thread::sleep(Duration::from_secs(1));
    let status = Visitor::new(server.address).get(&game)?.status;
    println!("games of Gem Island: {answers:?}; the game in progress answers {status}");
    if status == 200 { Ok(()) } else { Err("a game in progress was lost".to_string()) }
}

/// The address of a game of Gem Island after one move.
fn started_game(server: SocketAddr) -> Result<String, String> {
    let mut player = Visitor::new(server);
    player.get("/")?;
    let started = player.post("/api/gems", &json!({ "level": 1 }))?.json()?;
    let path = format!("/api/gems/{}", started["id"].as_str().ok_or("no game")?);
    player.post(&format!("{path}/swap"), &started["view"]["swaps"][0])?.json()?;
    Ok(path)
}

/// Sends requests, each with a new cookie, and counts the answers by status.
fn count_statuses(
    server: SocketAddr,
    count: usize,
    ask: impl Fn(&mut Visitor) -> Result<u16, String> + Sync,
) -> Result<BTreeMap<u16, usize>, String> {
    let sent = AtomicUsize::new(0);
    let one_thread = || {
        let mut visitor = Visitor::new(server);
        let mut statuses = BTreeMap::new();
        while sent.fetch_add(1, Ordering::Relaxed) < count {
            visitor.forget();
            visitor.get("/")?;
            *statuses.entry(ask(&mut visitor)?).or_default() += 1;
        }
        Ok::<BTreeMap<u16, usize>, String>(statuses)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(one_thread)).collect();
        let mut all = BTreeMap::new();
        for thread in threads {
            let statuses = thread.join().map_err(|_| "a thread panicked")??;
            for (status, count) in statuses {
                *all.entry(status).or_default() += count;
            }
        }
        Ok(all)
    })
}

fn answered(statuses: &BTreeMap<u16, usize>) -> usize {
    statuses.get(&200).copied().unwrap_or(0)
}

/// Very many simultaneous streams: a bounded number waits, the others are refused with 429.
fn stream_flood(server: &Server, count: usize) -> Result<(), String> {
    let path = "/api/thinking?game=gomoku&player=mcts&seconds=20";
    let cookies = new_cookies(server.address, count)?;
    let mut open = Vec::new();
    let (mut statuses, mut closed) = (BTreeMap::new(), 0);
    for cookie in &cookies {
        let Ok(mut stream) = send_request(server.address, path, cookie) else { break };
        match read_status(&mut stream) {
            Some(status) => {
                *statuses.entry(status).or_insert(0) += 1;
                open.push(stream);
            }
            None => closed += 1,
        }
    }
    println!("streams of one address: {statuses:?}, {closed} connections closed at once");
    drop(open);
    println!("when they are gone, a move takes {:.1?}", timed_move(server.address)?);
    match statuses.keys().find(|status| ![200, 429].contains(*status)) {
        Some(status) => Err(format!("a stream was answered with {status}; expected 200 or 429")),
        None => Ok(()),
    }
}

/// Many different games: none may occupy memory after its request.
fn many_specs(server: &Server, _: usize) -> Result<(), String> {
    const MAX_MIB: u64 = 200;
    let before = server.memory()?;
    let sides = 5..=20;
    let sizes = sides.clone().flat_map(|width| sides.clone().map(move |height| (width, height)));
    let games: Vec<String> = sizes
        .flat_map(|(width, height)| [(width, height, 5), (width, height, 4)])
        .map(|(width, height, k)| format!("mnk:{width}x{height},k={k}"))
        .take(450)
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let ask = || {
            let mut visitor = Visitor::new(server.address);
            while let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                visitor.get(&format!("/api/game?game={}", escaped(game)))?.json()?;
            }
            Ok::<(), String>(())
        };
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(ask)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked".to_string())?)
    })?;
    let after = server.memory()?;
    println!(
        "{} games: {:.1} MiB before, {:.1} MiB after",
        games.len(),
        before as f64 / 1024.0,
        after as f64 / 1024.0
    );
    match after.saturating_sub(before) >> 10 {
        0..=MAX_MIB => Ok(()),
        more => Err(format!("{more} MiB more in use; expected at most {MAX_MIB}")),
    }
}

/// The time of a move of a new session, from request to answer.
fn timed_move(server: SocketAddr) -> Result<Duration, String> {
    let began = Instant::now();
    let request = json!({ "game": "tictactoe", "player": "random" });
    loop {
        let mut visitor = Visitor::new(server);
        let answer = visitor.get("/").and_then(|_| visitor.post("/api/move", &request));
        match answer.and_then(|answer| answer.json()) {
            Ok(Value::Object(_)) => return Ok(began.elapsed()),
            Ok(other) => return Err(format!("no move: {other}")),
            Err(why) if began.elapsed() > ANSWER_TIMEOUT => return Err(format!("no move: {why}")),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// The cookies of this many new sessions.
fn new_cookies(server: SocketAddr, count: usize) -> Result<Vec<String>, String> {
    let mut visitor = Visitor::new(server);
    let mut one = || {
        visitor.forget();
        visitor.get("/").map(|_| visitor.cookie().to_string())
    };
    (0..count).map(|_| one()).collect()
}

/// Opens a connection and sends a request.
fn send_request(server: SocketAddr, path: &str, cookie: &str) -> Result<TcpStream, String> {
    let mut stream = connect(server).map_err(|why| why.to_string())?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {server}\r\nCookie: {cookie}\r\n\r\n");
    // The server may have closed the connection.
    let _ = stream.write_all(request.as_bytes());
    Ok(stream)
}

fn first_status(server: SocketAddr, path: &str, wait: Duration) -> Result<Option<u16>, String> {
    let mut stream = send_request(server, path, "")?;
    stream.set_read_timeout(Some(wait)).map_err(|why| why.to_string())?;
    Ok(read_status(&mut stream))
}

/// The status of an answer; `None` without an answer.
fn read_status(stream: &mut TcpStream) -> Option<u16> {
    let mut start = [0; 12];
    stream.read_exact(&mut start).ok()?;
    std::str::from_utf8(&start).ok()?.split(' ').nth(1)?.parse().ok()
}
