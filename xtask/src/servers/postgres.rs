//! A PostgreSQL server with a new cluster and a random password.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{Folder, free_port, program_in, signal, wait_until_gone, wait_until_ready};

/// A server, running or killed.
pub(crate) struct Postgres {
    process: Child,
    cluster: Cluster,
    port: u16,
}

impl Postgres {
    /// Creates a cluster and starts its server; the programs are in the given folder.
    pub(crate) fn start(programs: &Path) -> Result<Postgres, String> {
        let (cluster, port) = (Cluster::make(programs)?, free_port()?);
        let process = cluster.serve(port)?;
        let mut server = Postgres { process, cluster, port };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// The URL of a database whose user may create others.
    pub(crate) fn url(&self) -> String {
        format!("postgres://tesuji:{}@127.0.0.1:{}/postgres", self.cluster.password, self.port)
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Stops the server cleanly and starts it again.
    pub(crate) fn restart(&mut self) -> Result<(), String> {
        self.stop()?;
        self.start_again()
    }

    /// Kills the server and its backends without a checkpoint: the next start runs a recovery.
    pub(crate) fn kill(&mut self) -> Result<(), String> {
        self.end_by("QUIT")
    }

    /// Starts it again after a kill, with the same port and files.
    pub(crate) fn start_again(&mut self) -> Result<(), String> {
        self.kill()?;
        self.process = self.cluster.serve(self.port)?;
        self.wait_until_ready()
    }

    /// A fast shutdown, which disconnects all clients.
    fn stop(&mut self) -> Result<(), String> {
        self.end_by("INT")
    }

    fn end_by(&mut self, name: &str) -> Result<(), String> {
        if matches!(self.process.try_wait(), Ok(None)) {
            signal(name, &self.process)?;
        }
        wait_until_gone("PostgreSQL", &mut self.process)
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let cluster = &self.cluster;
        wait_until_ready("PostgreSQL", &mut self.process, &cluster.folder, |id| {
            cluster.is_ready(id)
        })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Err(message) = self.stop() {
            println!("{message}");
            // A failure here cannot be reported.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// The files of a server.
struct Cluster {
    folder: Folder,
    /// The folder of the programs.
    programs: PathBuf,
    /// The user that runs the server; `None` for the current user.
    user: Option<User>,
    password: String,
}

impl Cluster {
    fn make(programs: &Path) -> Result<Cluster, String> {
        let (folder, password) = (Folder::new("postgres")?, new_password()?);
        let mut cluster = Cluster { folder, programs: programs.into(), user: None, password };
        cluster.fill().map_err(|why| format!("{}: {why}", cluster.folder.0.display()))?;
        cluster.initialise()?;
        Ok(cluster)
    }

    /// PostgreSQL refuses to run as root, so its folder belongs to an unprivileged user.
    fn fill(&mut self) -> std::io::Result<()> {
        fs::write(self.password_file(), &self.password)?;
        if fs::metadata(&self.folder.0)?.uid() == 0 {
            let user = User::harmless().ok_or_else(|| {
                std::io::Error::other("neither `postgres` nor `nobody` is a user of this machine")
            })?;
            for path in [self.folder.0.clone(), self.password_file()] {
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
        initdb.stdout(Stdio::null()).stderr(self.folder.log()?);
        match initdb.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(format!("initdb: {}", self.folder.last_log_line())),
            Err(why) => Err(format!("cannot start initdb: {why}")),
        }
    }

    fn serve(&self, port: u16) -> Result<Child, String> {
        let mut server = self.program("postgres")?;
        server
            .arg("-D")
            .arg(self.data())
            .args(["-p", &port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(self.folder.log()?);
        server.spawn().map_err(|why| format!("cannot start PostgreSQL: {why}"))
    }

    /// A command for a PostgreSQL program, with the right user and folder.
    fn program(&self, name: &str) -> Result<Command, String> {
        let mut command = program_in(&self.programs, name)?;
        command.current_dir(&self.folder.0);
        if let Some(user) = &self.user {
            command.uid(user.id).gid(user.group);
        }
        Ok(command)
    }

    fn data(&self) -> PathBuf {
        self.folder.0.join("data")
    }

    fn password_file(&self) -> PathBuf {
        self.folder.0.join("password")
    }

    /// Whether the server is ready. Its PID file has the process id in the first line and the state
    /// in the eighth.
    fn is_ready(&self, process: u32) -> bool {
        let state = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let line = |number| state.lines().nth(number).unwrap_or_default().trim();
        line(0) == process.to_string() && line(7) == "ready"
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
