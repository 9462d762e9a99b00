//! A minimal HTTP client for WebDriver and the server's API. Existing crates would bring an
//! unwanted license or a hundred dependencies.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than any response takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|why| panic!("not JSON ({why}): {}", self.body))
    }

    /// The data of all events of a kind, if the body is a stream of events.
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let of_kind = |event: &&str| event.lines().any(|line| line == format!("event: {kind}"));
        let data = |event: &str| {
            let line = event.lines().find_map(|line| line.strip_prefix("data: "));
            line.map(|text| serde_json::from_str(text).unwrap())
        };
        self.body.split("\n\n").filter(of_kind).filter_map(data).collect()
    }
}

/// Sends a request and waits for the response.
pub(crate) fn ask(server: SocketAddr, method: &str, path: &str, body: Option<&Value>) -> Answer {
    exchange(server, method, path, "", body)
        .unwrap_or_else(|why| panic!("{method} {path} at {server}: {why}"))
}

/// The same with a token.
pub(crate) fn ask_with_token(
    server: SocketAddr,
    token: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    let header = format!("Authorization: Bearer {token}\r\n");
    exchange(server, method, path, &header, body)
        .unwrap_or_else(|why| panic!("{method} {path} at {server}: {why}"))
}

fn exchange(
    server: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: Option<&Value>,
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n{headers}\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
    read_answer(&mut BufReader::new(stream))
}

/// Not all servers close the connection on request, so use the length from the head.
fn read_answer(stream: &mut BufReader<TcpStream>) -> std::io::Result<Answer> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::other("this is not HTTP"))?;
    let (mut length, mut chunked) = (None, false);
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok(),
            "transfer-encoding" => chunked = value.trim() == "chunked",
            _ => (),
        }
    }
    let mut body = Vec::new();
    match length {
        Some(length) => drop(stream.take(length).read_to_end(&mut body)?),
        None => drop(stream.read_to_end(&mut body)?),
    }
    let body = if chunked { joined(&body) } else { body };
    let body = String::from_utf8(body).map_err(std::io::Error::other)?;
    Ok(Answer { status, body })
}

/// Joins the chunks of a body.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line) = chunks.windows(2).position(|window| window == b"\r\n") {
        let digits = std::str::from_utf8(&chunks[..line]).unwrap_or_default();
        let size = usize::from_str_radix(digits.trim(), 16).unwrap_or(0);
        let Some(chunk) = chunks.get(line + 2..line + 2 + size).filter(|_| size > 0) else { break };
        body.extend_from_slice(chunk);
        chunks = chunks.get(line + 2 + size + 2..).unwrap_or_default();
    }
    body
}

/// Percent-encodes a text for a query.
pub(crate) fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(one).collect()
}
