//! A PostgreSQL server for the tests: a cluster of its own in a temporary folder, on a free port of this
//! machine, with a password that nobody else knows. It is stopped and removed with the value.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{programs, steps};

/// Where the suites find the URL of a database in which they may make others.
pub(crate) const VARIABLE: &str = "TESUJI_POSTGRES";

/// How long the server may take to start, and to stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub(crate) struct Postgres {
    process: Child,
    cluster: Cluster,
    port: u16,
}

impl Postgres {
    /// Makes a cluster and starts its server.
    pub(crate) fn start() -> Result<Postgres, String> {
        let cluster = Cluster::make()?;
        let port = free_port()?;
        let mut server = cluster.program("postgres")?;
        server
            .arg("-D")
            .arg(cluster.data())
            .args(["-p", &port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(cluster.log()?);
        let process = server.spawn().map_err(|why| format!("cannot start PostgreSQL: {why}"))?;
        let mut server = Postgres { process, cluster, port };
        server.wait_until_ready()?;
        println!("PostgreSQL runs on port {port}");
        Ok(server)
    }

    /// The URL of a database in which others may be made.
    pub(crate) fn url(&self) -> String {
        format!("postgres://tesuji:{}@127.0.0.1:{}/postgres", self.cluster.password, self.port)
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        while !self.cluster.is_ready() {
            let has_ended = self.process.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || Instant::now() > deadline {
                return Err(format!("PostgreSQL did not start: {}", self.cluster.last_words()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Asks for a fast shutdown, which disconnects everybody and leaves nothing behind.
    fn stop(&mut self) -> Result<(), String> {
        let id = self.process.id().to_string();
        steps::run(Command::new("sh").args(["-c", "kill -INT \"$0\"", &id]))?;
        let deadline = Instant::now() + PATIENCE;
        while self.process.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() > deadline {
                return Err("PostgreSQL does not stop".to_string());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Err(message) = self.stop() {
            println!("{message}");
            // There is nobody left to tell when even this fails.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// The files of a server.
struct Cluster {
    folder: PathBuf,
    /// Who runs it; `None` for whoever runs this.
    user: Option<User>,
    password: String,
}

impl Cluster {
    fn make() -> Result<Cluster, String> {
        let folder = std::env::temp_dir().join(format!("tesuji-postgres-{}", std::process::id()));
        fs::create_dir(&folder)
            .map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        // From here on the folder is removed with the value, whatever happens.
        let mut cluster = Cluster { folder, user: None, password: new_password()? };
        cluster.fill().map_err(|why| format!("{}: {why}", cluster.folder.display()))?;
        cluster.initialise()?;
        Ok(cluster)
    }

    /// PostgreSQL refuses to run as root, so its folder belongs to a user who may do little.
    fn fill(&mut self) -> std::io::Result<()> {
        fs::set_permissions(&self.folder, fs::Permissions::from_mode(0o700))?;
        fs::write(self.password_file(), &self.password)?;
        if fs::metadata(&self.folder)?.uid() == 0 {
            let user = User::harmless().ok_or_else(|| {
                std::io::Error::other("neither `postgres` nor `nobody` is a user of this machine")
            })?;
            for path in [self.folder.clone(), self.password_file()] {
                std::os::unix::fs::chown(path, Some(user.id), Some(user.group))?;
            }
            self.user = Some(user);
        }
        Ok(())
    }

    fn initialise(&self) -> Result<(), String> {
        let mut initdb = self.program("initdb")?;
        initdb.arg("-D").arg(self.data()).arg("--pwfile").arg(self.password_file());
        initdb.args(["-U", "tesuji", "-A", "scram-sha-256", "-E", "UTF8", "--no-locale"]);
        initdb.args(["--no-instructions", "--no-sync"]);
        steps::run(initdb.stdout(Stdio::null()))
    }

    /// One of PostgreSQL's programs, to be run by the right user in the right folder.
    fn program(&self, name: &str) -> Result<Command, String> {
        let program = programs::find(name).ok_or_else(|| format!("there is no program {name}"))?;
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        if let Some(user) = &self.user {
            command.uid(user.id).gid(user.group);
        }
        Ok(command)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn password_file(&self) -> PathBuf {
        self.folder.join("password")
    }

    fn log(&self) -> Result<fs::File, String> {
        fs::File::create(self.folder.join("log"))
            .map_err(|why| format!("cannot write a log: {why}"))
    }

    /// The server writes its state into the eighth line of this file.
    fn is_ready(&self) -> bool {
        let state = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        state.lines().nth(7).is_some_and(|line| line.trim() == "ready")
    }

    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        log.lines().last().unwrap_or("it said nothing").to_string()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Err(why) = fs::remove_dir_all(&self.folder) {
            println!("{} is left behind: {why}", self.folder.display());
        }
    }
}

/// A user of this machine.
struct User {
    id: u32,
    group: u32,
}

impl User {
    fn harmless() -> Option<User> {
        let users = fs::read_to_string(Path::new("/etc/passwd")).ok()?;
        ["postgres", "nobody"].iter().find_map(|name| User::named(name, &users))
    }

    /// Finds a user in the text of `/etc/passwd`: `name:x:id:group:…`.
    fn named(name: &str, users: &str) -> Option<User> {
        users.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            match fields.as_slice() {
                [found, _, id, group, ..] if *found == name => {
                    Some(User { id: id.parse().ok()?, group: group.parse().ok()? })
                }
                _ => None,
            }
        })
    }
}

/// A port that nobody listened on a moment ago.
fn free_port() -> Result<u16, String> {
    let found = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    found.map(|address| address.port()).map_err(|why| format!("no free port: {why}"))
}

fn new_password() -> Result<String, String> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|why| format!("/dev/urandom: {why}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\nodd line\nnobody:x:65534:65533::/:/x\n";
        let nobody = User::named("nobody", users).unwrap();
        assert_eq!((nobody.id, nobody.group), (65534, 65533));
        assert!(User::named("postgres", users).is_none());
    }

    #[test]
    fn passwords_differ() {
        let [first, second] = [new_password().unwrap(), new_password().unwrap()];
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }
}
