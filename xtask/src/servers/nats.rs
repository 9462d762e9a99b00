//! A nats-server with JetStream, which writes every message to disk before it acknowledges it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{Folder, free_port, wait_until_ready};

/// The timeout of an answer.
const ANSWER: Duration = Duration::from_secs(5);

/// The options of a server.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// The token that clients must send.
    pub(crate) token: Option<String>,
    /// Requires TLS, with this certificate.
    pub(crate) tls: Option<Tls>,
    /// More lines for the configuration file.
    pub(crate) more: String,
}

/// A certificate and its key, in files.
#[derive(Clone)]
pub(crate) struct Tls {
    /// The self-signed certificate, which clients must trust.
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Tls {
    /// Creates a certificate for `localhost` and `127.0.0.1`, in two files of a folder.
    pub(crate) fn make(folder: &Path) -> Result<Tls, String> {
        let tls = Tls { certificate: folder.join("server.crt"), key: folder.join("server.key") };
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        openssl.args(["-nodes", "-days", "30", "-subj", "/CN=localhost"]);
        openssl.args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]);
        // Clients do not accept a CA certificate as that of a server.
        openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        openssl.arg("-keyout").arg(&tls.key).arg("-out").arg(&tls.certificate);
        let output = openssl.output().map_err(|why| format!("openssl: {why}"))?;
        match output.status.success() {
            true => Ok(tls),
            false => Err(format!("openssl: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }
}

/// A server, running or killed.
pub(crate) struct NatsServer {
    process: Child,
    program: PathBuf,
    folder: Folder,
    port: u16,
}

impl NatsServer {
    /// Starts a server with empty storage.
    pub(crate) fn start(program: &Path, options: &Options) -> Result<NatsServer, String> {
        let (folder, port) = (Folder::new("nats")?, free_port()?);
        let text = configuration(port, &folder.0.join("jetstream"), options);
        fs::write(folder.0.join("server.conf"), text)
            .map_err(|why| format!("{}: {why}", folder.0.display()))?;
        let program = program.to_path_buf();
        let process = spawn(&program, &folder)?;
        let mut server = NatsServer { process, program, folder, port };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// The URL of the server, without a token and TLS.
    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address())
    }

    /// The address of the server.
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// Kills the server with SIGKILL.
    pub(crate) fn kill(&mut self) -> Result<(), String> {
        // An error means that it had already ended.
        let _ = self.process.kill();
        self.process
            .wait()
            .map(|_| ())
            .map_err(|why| format!("nats-server: cannot be killed: {why}"))
    }

    /// Starts it again after a kill, with the same port and files.
    pub(crate) fn start_again(&mut self) -> Result<(), String> {
        self.kill()?;
        self.process = spawn(&self.program, &self.folder)?;
        self.wait_until_ready()
    }

    /// The greeting of the server: `INFO {…}`.
    pub(crate) fn info(&self) -> Result<String, String> {
        info(self.address()).map_err(|why| format!("{}: {why}", self.url()))
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let address = self.address();
        wait_until_ready("nats-server", &mut self.process, &self.folder, |_| {
            info(address).is_ok_and(|line| line.starts_with("INFO "))
        })
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        if let Err(message) = self.kill() {
            println!("{message}");
        }
    }
}

fn spawn(program: &Path, folder: &Folder) -> Result<Child, String> {
    Command::new(program)
        .arg("--config")
        .arg(folder.0.join("server.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(folder.log()?)
        .spawn()
        .map_err(|why| format!("cannot start {}: {why}", program.display()))
}

fn info(address: SocketAddr) -> std::io::Result<String> {
    let stream = TcpStream::connect_timeout(&address, ANSWER)?;
    stream.set_read_timeout(Some(ANSWER))?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(line)
}

fn configuration(port: u16, store: &Path, options: &Options) -> String {
    let mut text = format!(
        "listen: \"127.0.0.1:{port}\"\n\
         jetstream {{ store_dir: \"{}\", sync_interval: always }}\n",
        store.display()
    );
    if let Some(token) = &options.token {
        text += &format!("authorization {{ token: \"{token}\" }}\n");
    }
    if let Some(Tls { certificate, key }) = &options.tls {
        let (certificate, key) = (certificate.display(), key.display());
        text += &format!("tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}\n");
    }
    text + &options.more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_configured() {
        let text = |options: &Options| configuration(4222, Path::new("/s"), options);
        let plain = text(&Options::default());
        assert!(plain.contains("127.0.0.1:4222") && plain.contains("sync_interval: always"));
        assert!(!plain.contains("token") && !plain.contains("tls"));
        let options = Options {
            token: Some("secret".to_string()),
            tls: Some(Tls { certificate: "/c".into(), key: "/k".into() }),
            more: "max_payload: 2MB\n".to_string(),
        };
        let all = text(&options);
        for part in ["token: \"secret\"", "cert_file: \"/c\", key_file: \"/k\"", "max_payload: 2MB"]
        {
            assert!(all.contains(part), "{all}");
        }
    }
}
