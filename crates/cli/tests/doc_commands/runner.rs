//! Runs the commands of one document in order, and keeps servers running until the end.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command as Process;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{
    Command, Document, Services, amounts, cargo_commands, folder, is_not_run, print_line, templates,
};
use crate::processes::Program;
use crate::terminal::CommandOutput;

/// Longer than any command takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Commands that run until they are stopped.
const SERVERS: &[&str] = &["tesuji serve", "tesuji worker"];

/// Measurements that take minutes even with the smallest amounts. They must run for
/// `LONG_RUN_TIME`, or end with success before.
const LONG: &[&str] = &[
    "tesuji bench --make-sets",
    "tesuji bench connect4",
    "tesuji bench forest",
    "tesuji reproduce ",
];
const LONG_RUN_TIME: Duration = Duration::from_secs(2);

/// Exceptions from `LONG`, which take seconds.
const NOT_LONG: &[&str] = &["tesuji reproduce --list", "tesuji reproduce anigmo-stats"];

/// Commands that take more seconds than this are printed.
const SLOW_SECONDS: f64 = 5.0;

/// The address of the web app in the documents.
const WEB_ADDRESS: &str = "localhost:7800";

/// The state while the commands of a document run.
pub(crate) struct Runner<'d> {
    document: &'d Document,
    services: Services,
    folder: TempDir,
    /// All `export` commands so far.
    exports: String,
    servers: Vec<(String, Program)>,
    already_run: HashSet<String>,
    counts: Counts,
}

/// The numbers of commands, by their treatment.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) run: usize,
    pub(crate) looked_up: usize,
    pub(crate) templates: usize,
    pub(crate) not_run: usize,
    pub(crate) seconds: f64,
}

impl<'d> Runner<'d> {
    pub(crate) fn new(document: &'d Document, services: Services) -> Runner<'d> {
        Runner {
            document,
            services,
            folder: folder::create(&document.files),
            exports: String::new(),
            servers: Vec::new(),
            already_run: HashSet::new(),
            counts: Counts::default(),
        }
    }

    /// Runs all commands; returns the counts and all failures.
    pub(crate) fn run_document(mut self) -> (Counts, Vec<String>) {
        let begin = Instant::now();
        let commands = &self.document.commands;
        let mut failures: Vec<String> =
            commands.iter().filter_map(|command| self.process(command).err()).collect();
        failures.extend(self.end_servers());
        if self.counts.templates > 0 && self.counts.run + self.counts.looked_up == 0 {
            failures.push(format!("{}: templates of commands and no example", self.document.name));
        }
        self.counts.seconds = begin.elapsed().as_secs_f64();
        (self.counts, failures)
    }

    fn process(&mut self, command: &Command) -> Result<(), String> {
        let text = command.text.replacen("cargo run --release -- ", "tesuji ", 1);
        let result = if is_not_run(&text) {
            self.counts.not_run += 1;
            Ok(())
        } else if let Some(cargo) = cargo_commands::in_line(&text) {
            self.counts.looked_up += 1;
            cargo_commands::look_up(cargo)
        } else if !command.is_run() {
            self.counts.templates += 1;
            self.check_template(&text)
        } else {
            self.counts.run += 1;
            // A wait for a program panics after its time limit.
            catch_unwind(AssertUnwindSafe(|| self.execute(&text)))
                .unwrap_or_else(|_| Err("a wait failed, see above".to_string()))
        };
        let location = format!("{}:{}", self.document.name, command.line);
        result.map_err(|error| format!("{location}: `{}`\n{error}", command.text))
    }

    /// Checks that the verb of a template has help with an example and with all its options.
    fn check_template(&mut self, text: &str) -> Result<(), String> {
        let verb = templates::verb_path(text).join(" ");
        let answer = self.run(&format!("tesuji {verb} --help"))?;
        let unknown =
            templates::options(text).into_iter().find(|option| !answer.stdout.contains(option));
        match unknown {
            Some(option) => Err(format!("the help of '{verb}' has no {option}")),
            None if !answer.stdout.contains("Example") => {
                Err(format!("the help of '{verb}' has no example"))
            }
            None => Ok(()),
        }
    }

    fn execute(&mut self, text: &str) -> Result<(), String> {
        let text = self.adapted(text);
        folder::provide_engines(self.folder.path(), &text);
        if !self.already_run.insert(text.clone()) {
            // The document has the command twice.
            Ok(())
        } else if text.starts_with("export ") {
            self.exports += &format!("{text}; ");
            Ok(())
        } else if SERVERS.iter().any(|server| text.starts_with(server)) && !asks_for_help(&text) {
            self.start_server(&text)
        } else if is_long(&text) {
            self.run_for_a_while(&text)
        } else {
            self.run(&text).map(|_| ())
        }
    }

    /// The command with smaller amounts, stand-ins and the addresses of the services.
    fn adapted(&self, text: &str) -> String {
        let mut text = amounts::smaller(text);
        for (word, instead) in folder::STAND_INS {
            text = text.replace(word, instead);
        }
        for (scheme, url) in &self.services.urls {
            text = with_url(&text, scheme, url);
        }
        match self.servers.iter().find_map(|(_, program)| web_address(program)) {
            Some(address) => text.replace(WEB_ADDRESS, &address),
            None => text,
        }
    }

    fn run(&self, text: &str) -> Result<CommandOutput, String> {
        let begin = Instant::now();
        let answer = checked(self.start(text).wait(TIMEOUT));
        let seconds = begin.elapsed().as_secs_f64();
        if seconds > SLOW_SECONDS {
            print_line(&format!("{seconds:6.1} s  {}  {text}", self.document.name));
        }
        answer.map_err(|error| format!("run as: {text}\n{error}"))
    }

    fn run_for_a_while(&self, text: &str) -> Result<(), String> {
        let (begin, mut program) = (Instant::now(), self.start(text));
        while begin.elapsed() < LONG_RUN_TIME {
            if !program.is_running() {
                return checked(program.wait(TIMEOUT)).map(|_| ());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Starts a command in a shell, for quotes, braces and redirections.
    fn start(&self, text: &str) -> Program {
        let folder = self.folder.path();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = [folder.join("bin")].into_iter().chain(self.services.programs.clone());
        let path = std::env::join_paths(first.chain(std::env::split_paths(&path)));
        let mut shell = Process::new("bash");
        shell.arg("-c").arg(format!("set -o pipefail; {}{text}", self.exports));
        shell.current_dir(folder).env("PATH", path.expect("no path contains a colon"));
        shell.env("XDG_CACHE_HOME", folder.join("cache"));
        shell.envs(self.services.variables.iter().map(|(name, value)| (name, value)));
        Program::spawn(shell)
    }

    /// Starts a server and checks that it answers.
    fn start_server(&mut self, text: &str) -> Result<(), String> {
        let mut program = self.start(&format!("exec {text}"));
        program.wait_for("Ctrl-C", TIMEOUT);
        if text.starts_with("tesuji serve") {
            // The address is in the other stream, which may come later.
            program.wait_for("http://", TIMEOUT);
        }
        if let Some(address) = web_address(&program) {
            visit(&address).map_err(|error| format!("{address}: {error}"))?;
        }
        self.servers.push((text.to_string(), program));
        Ok(())
    }

    fn end_servers(&mut self) -> Vec<String> {
        let mut failures = Vec::new();
        for (text, mut program) in self.servers.drain(..) {
            if program.is_running() {
                program.signal("TERM");
            }
            if let Err(error) = checked(program.wait(TIMEOUT)) {
                failures.push(format!("{}: `{text}`\n{error}", self.document.name));
            }
        }
        failures
    }
}

fn is_long(text: &str) -> bool {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|it| text.starts_with(it));
    begins(LONG) && !begins(NOT_LONG)
}

fn asks_for_help(text: &str) -> bool {
    text.ends_with(" --help")
}

/// Checks that a command succeeded; the error has the last lines of its output.
fn checked(answer: CommandOutput) -> Result<CommandOutput, String> {
    if answer.code == 0 {
        return Ok(answer);
    }
    let all = format!("{}\n{}", answer.stdout, answer.stderr);
    let lines: Vec<&str> = all.trim().lines().collect();
    let last = lines[lines.len().saturating_sub(6)..].join("\n");
    Err(format!("exit code {}: {last}", answer.code))
}

/// The text with every address of this scheme replaced.
fn with_url(text: &str, scheme: &str, url: &str) -> String {
    let mut parts = text.split(scheme);
    let mut replaced = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find([' ', '"', '\'']).unwrap_or(part.len());
        replaced += url;
        replaced += &part[end..];
    }
    replaced
}

/// The address of the web app in the output of a program.
fn web_address(program: &Program) -> Option<String> {
    let output = program.output();
    let (_, rest) = output.split_once("http://")?;
    let end = rest.find(|letter: char| letter.is_whitespace() || letter == '/');
    Some(rest[..end.unwrap_or(rest.len())].to_string())
}

/// Does what a reader would do: opens the first page, and plays a game that is recorded.
fn visit(address: &str) -> Result<(), String> {
    let game = r#"{"game":"tictactoe","moves":"a1a2b1b2c1","first":"human","second":"human","resigned":null}"#;
    for (request, body) in [("GET /", ""), ("POST /api/records", game)] {
        let answer = ask(address, request, body).map_err(|error| error.to_string())?;
        if !answer.starts_with("HTTP/1.1 200") {
            return Err(format!("it answered: {answer}"));
        }
    }
    Ok(())
}

fn ask(address: &str, request: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn addresses_are_replaced_whole() {
    let text = "tesuji worker --queue nats://HOST:1 --store 'postgres://a@b/c'";
    let text = with_url(&with_url(text, "nats://", "nats://q"), "postgres://", "postgres://p");
    assert_eq!(text, "tesuji worker --queue nats://q --store 'postgres://p'");
}
