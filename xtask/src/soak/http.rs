//! A visitor of the web app: a persistent connection and the cookie of a session.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A visitor of the web app.
pub(super) struct Visitor {
    server: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
    cookie: Option<String>,
}

/// A response of the server.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON; an error unless the status is a success.
    pub(super) fn json(&self) -> Result<Value, String> {
        let text = || String::from_utf8_lossy(&self.body);
        if self.status != 200 {
            return Err(format!("status {}: {}", self.status, text()));
        }
        serde_json::from_slice(&self.body).map_err(|why| format!("{why} in {}", text()))
    }
}

impl Visitor {
    pub(super) fn new(server: SocketAddr) -> Visitor {
        Visitor { server, connection: None, cookie: None }
    }

    /// Forgets the cookie: the next request is of a new visitor, over the same connection.
    pub(super) fn forget(&mut self) {
        self.cookie = None;
    }

    /// The cookie, as it is sent to the server.
    pub(super) fn cookie(&self) -> &str {
        self.cookie.as_deref().unwrap_or_default()
    }

    pub(super) fn get(&mut self, path: &str) -> Result<Answer, String> {
        self.send("GET", path, "", b"")
    }

    pub(super) fn post(&mut self, path: &str, body: &Value) -> Result<Answer, String> {
        self.send("POST", path, "Content-Type: application/json\r\n", body.to_string().as_bytes())
    }

    /// Sends a request; `headers` are lines that end with `\r\n`.
    pub(super) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> Result<Answer, String> {
        let cookie = self.cookie.as_ref().map(|cookie| format!("Cookie: {cookie}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{}{headers}Content-Length: {}\r\n\r\n",
            self.server,
            cookie.unwrap_or_default(),
            body.len()
        );
        let request = [head.as_bytes(), body].concat();
        let kept = self.connection.is_some();
        match self.exchange(&request) {
            Ok(answer) => Ok(answer),
            // The server may have closed the idle connection.
            Err(_) if kept => {
                self.connection = None;
                self.exchange(&request)
            }
            Err(why) => Err(why),
        }
        .map_err(|why| format!("{method} {path}: {why}"))
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Answer, String> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => BufReader::new(connect(self.server).map_err(|why| why.to_string())?),
        };
        connection.get_mut().write_all(request).map_err(|why| why.to_string())?;
        let head = Head::read(&mut connection)?;
        let body = head.read_body(&mut connection)?;
        if let Some(cookie) = head.cookie {
            self.cookie = Some(cookie);
        }
        if !head.closes {
            self.connection = Some(connection);
        }
        Ok(Answer { status: head.status, body })
    }
}

pub(super) fn connect(server: SocketAddr) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// The head of a response.
#[derive(Default)]
struct Head {
    status: u16,
    length: usize,
    chunked: bool,
    closes: bool,
    cookie: Option<String>,
}

impl Head {
    fn read(connection: &mut BufReader<TcpStream>) -> Result<Head, String> {
        let status = line(connection)?;
        let number = status.split(' ').nth(1).and_then(|word| word.parse().ok());
        let mut head =
            Head { status: number.ok_or(format!("no status in '{status}'"))?, ..Head::default() };
        loop {
            let line = line(connection)?;
            let Some((name, value)) = line.split_once(':') else { return Ok(head) };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.length = value.parse().unwrap_or(0),
                "transfer-encoding" => head.chunked = value.eq_ignore_ascii_case("chunked"),
                "connection" => head.closes = value.eq_ignore_ascii_case("close"),
                "set-cookie" => head.cookie = value.split(';').next().map(str::to_string),
                _ => (),
            }
        }
    }

    fn read_body(&self, connection: &mut BufReader<TcpStream>) -> Result<Vec<u8>, String> {
        if !self.chunked {
            return bytes(connection, self.length);
        }
        let mut body = Vec::new();
        loop {
            let size = usize::from_str_radix(line(connection)?.trim(), 16).unwrap_or(0);
            body.extend(bytes(connection, size)?);
            line(connection)?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
}

fn line(connection: &mut BufReader<TcpStream>) -> Result<String, String> {
    let mut line = String::new();
    match connection.read_line(&mut line) {
        Ok(0) => Err("the connection was closed".to_string()),
        Ok(_) => Ok(line.trim_end().to_string()),
        Err(why) => Err(why.to_string()),
    }
}

fn bytes(connection: &mut BufReader<TcpStream>, length: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; length];
    connection.read_exact(&mut bytes).map_err(|why| why.to_string())?;
    Ok(bytes)
}

/// A text escaped for the query of an address.
pub(super) fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(one).collect()
}
