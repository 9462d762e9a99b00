//! Other programs as players: `external:cmd=./pbrain-wine`. This file has the options and the
//! player; its modules have the process and the two protocols.
//!
//! A fault of the program loses its game and affects nothing else: the next game starts a new
//! process.

mod engine_info;
pub(crate) mod gomocup;
pub(crate) mod lines;
pub(crate) mod process;
mod process_tree;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tesuji_games::{GameLine, Position, SpecError};
use tesuji_play::clock::shorter;
use tesuji_play::options::{PlayerOptions, SEED, ValueType, WordValues, option, word, words};
use tesuji_play::quantity::duration_text;
use tesuji_play::{
    Choice, EngineFile, Player, PlayerContext, PlayerError, PlayerKind, PlayerSetup, PlayerSpec,
    Turn,
};
use tesuji_search::{Game, TableSize};

use crate::five_in_a_row::FiveInARow;
use crate::searching::bad_value;
use gomocup::GomocupClient;
use lines::LineClient;
use process::{EngineFault, LaunchOptions, Process};

pub(super) const NAME: &str = "external";

const PROTOCOLS: WordValues<Protocol, 2> =
    [("gomocup", Protocol::Gomocup), ("lines", Protocol::Lines)];

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: NAME,
    former_name: None,
    summary: "another program, over the Gomocup protocol or our own (docs/protocol.md)",
    options: &[
        option(
            "cmd",
            ValueType::Text { name: "COMMAND" },
            "command line of the program; in double quotes if it contains a comma",
        ),
        option("dir", ValueType::Text { name: "FOLDER" }, "working directory of the program"),
        option(
            "protocol",
            word(&words(&PROTOCOLS)),
            "protocol [default: gomocup for five in a row with one stone per turn, otherwise lines]",
        ),
        option(
            "time",
            ValueType::Time,
            "thinking time per move, limited by the clock [default: 1s without a clock]",
        ),
        option(
            "timeout",
            ValueType::Time,
            "maximum time to start, and to move without a clock [default: 30s]",
        ),
        option(
            "memory",
            ValueType::Size,
            "memory limit sent to the program (Gomocup only) [default: 350M]",
        ),
        option(
            "name",
            ValueType::Text { name: "TEXT" },
            "name of the program in errors [default: its own name]",
        ),
        option(
            "log",
            ValueType::Text { name: "PATH" },
            "append all lines sent and received to this file",
        ),
        SEED,
    ],
    read: |options| Ok(Box::new(ExternalSetup::read(options)?)),
}];

/// Maximum number of unexpected lines before a program loses the game.
pub(crate) const MAX_UNEXPECTED_LINES: usize = 1000;
/// Memory that Gomocup allows.
const DEFAULT_MEMORY: TableSize = TableSize::megabytes(350);
/// Default time to start a program.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Default thinking time, the same as that of our own searches.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The options of the player.
#[derive(Clone, Debug)]
pub struct ExternalSetup {
    words: Vec<String>,
    folder: Option<PathBuf>,
    protocol: Option<Protocol>,
    time: Option<Duration>,
    timeout: Duration,
    memory: TableSize,
    name: Option<String>,
    log: Option<PathBuf>,
}

/// The protocol of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    /// The protocol of the Gomocup tournaments.
    Gomocup,
    /// Our own protocol.
    Lines,
}

impl ExternalSetup {
    fn read(options: &PlayerOptions) -> Result<ExternalSetup, SpecError> {
        let command = options.text_of("cmd").unwrap_or_default();
        let path = |key| options.text_of(key).map(PathBuf::from);
        let external = ExternalSetup {
            words: shlex::split(command).unwrap_or_default(),
            folder: path("dir"),
            protocol: options.choice("protocol", &PROTOCOLS),
            time: options.time("time"),
            timeout: options.time("timeout").unwrap_or(DEFAULT_TIMEOUT),
            memory: options.size("memory").unwrap_or(DEFAULT_MEMORY),
            name: options.text_of("name").map(str::to_string),
            log: path("log"),
        };
        if external.words.first().is_none_or(String::is_empty) {
            let expected = "a command line such as cmd=./pbrain-wine";
            return Err(options.bad_value("cmd", command, expected));
        }
        Ok(external)
    }

    /// Reads the options of an agent of Gem Island.
    pub(crate) fn of_agent(options: &PlayerOptions) -> Result<ExternalSetup, SpecError> {
        let command = options.text_of("cmd").unwrap_or_default();
        let path = |key| options.text_of(key).map(PathBuf::from);
        let setup = ExternalSetup {
            words: shlex::split(command).unwrap_or_default(),
            folder: path("dir"),
            protocol: Some(Protocol::Lines),
            time: None,
            timeout: options.time("timeout").unwrap_or(DEFAULT_TIMEOUT),
            memory: DEFAULT_MEMORY,
            name: None,
            log: path("log"),
        };
        if setup.words.first().is_none_or(String::is_empty) {
            let expected = "a command line such as cmd=./agent.py";
            return Err(options.bad_value("cmd", command, expected));
        }
        Ok(setup)
    }

    /// Returns how long an answer may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Starts the program; also returns its name.
    pub(crate) fn start_process(
        &self,
        line_end: &'static str,
        quit_command: &'static str,
    ) -> Result<(Process, String), SpecError> {
        let launch = self.launch(line_end, quit_command)?;
        let process = Process::start(&launch)
            .map_err(|error| self.unusable(&format!("{}: {error}", launch.program.display())))?;
        Ok((process, file_name(&launch.program)))
    }

    /// Makes the player and starts its program, so that a missing program is reported before a
    /// match.
    fn start(&self, text: &str, context: &PlayerContext) -> Result<ExternalPlayer, SpecError> {
        let (client, launch) = self.prepare(text, &context.game)?;
        let process = Process::start(&launch)
            .map_err(|error| self.unusable(&format!("{}: {error}", launch.program.display())))?;
        Ok(ExternalPlayer {
            text: text.to_string(),
            program: self.name.clone().unwrap_or_else(|| file_name(&launch.program)),
            spec: self.clone(),
            launch,
            client,
            process: Ok(process),
            has_started: false,
            seed: context.seed,
        })
    }

    /// Returns the protocol for a game.
    pub(crate) fn protocol_for(&self, game: &Game) -> Protocol {
        let is_known = FiveInARow::of(game).is_some();
        self.protocol.unwrap_or(if is_known { Protocol::Gomocup } else { Protocol::Lines })
    }

    /// Makes the client of the protocol and the options to start the program.
    pub(crate) fn prepare(
        &self,
        text: &str,
        game: &Game,
    ) -> Result<(Box<dyn ProtocolClient>, LaunchOptions), SpecError> {
        let (client, line_end, quit_command): (Box<dyn ProtocolClient>, _, _) =
            match self.protocol_for(game) {
                Protocol::Lines => (Box::new(LineClient { game: game.clone() }), "\n", "quit"),
                Protocol::Gomocup => {
                    let board = FiveInARow::of(game).ok_or_else(|| {
                    let expected = format!(
                        "lines for '{}': gomocup is for five in a row on boards from 5x5 to 20x20",
                        game.name()
                    );
                    bad_value(text, "protocol", "gomocup", &expected)
                })?;
                    (Box::new(GomocupClient::new(board, self.memory.bytes())), "\r\n", "END")
                }
            };
        Ok((client, self.launch(line_end, quit_command)?))
    }

    fn launch(
        &self,
        line_end: &'static str,
        quit_command: &'static str,
    ) -> Result<LaunchOptions, SpecError> {
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            let folder = folder.display().to_string();
            return Err(bad_value(NAME, "dir", &folder, "an existing folder"));
        }
        Ok(LaunchOptions {
            program: self.program()?,
            arguments: self.words[1..].to_vec(),
            folder: self.folder.clone(),
            line_end,
            quit_command,
            log: self.log.clone(),
        })
    }

    /// Finds the program's file. A path is relative to the program's working directory; a bare name
    /// is searched on the PATH.
    fn program(&self) -> Result<PathBuf, SpecError> {
        let word = &self.words[0];
        let candidates: Vec<PathBuf> = if word.contains('/') {
            vec![self.folder.clone().unwrap_or_default().join(word)]
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|folder| folder.join(word)).collect()
        };
        let found = candidates.iter().find(|path| path.is_file());
        let missing = match &candidates[..] {
            [only] => format!("{}: no such file", only.display()),
            _ => format!("no {word} on the PATH"),
        };
        // The program starts in another folder, where a relative path would not work. Links stay as
        // they are, since some programs depend on the name they were called by.
        let absolute = found.and_then(|path| std::path::absolute(path).ok());
        absolute.ok_or_else(|| self.unusable(&missing))
    }

    fn unusable(&self, why: &str) -> SpecError {
        let expected = format!("a program that can be started ({why})");
        bad_value(NAME, "cmd", &self.words.join(" "), &expected)
    }
}

/// Returns the other program of a player; `None` for other players.
pub(crate) fn program_of(player: &PlayerSpec) -> Option<ExternalSetup> {
    player.starts_program().then(|| ExternalSetup::read(player.options()).ok()).flatten()
}

impl PlayerSetup for ExternalSetup {
    /// Does not start the program.
    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        self.prepare(player, &context.game).map(drop)
    }

    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(Some(Box::new(self.start(player, context)?)))
    }

    fn starts_program(&self) -> bool {
        true
    }

    /// Returns the program and the files among its arguments, such as a script or a model. A log is
    /// left out, as the program writes it during the game.
    fn engine_files(&self) -> Vec<EngineFile> {
        let folder = self.folder.clone().unwrap_or_default();
        let arguments = self.words[1..].iter().flat_map(|word| {
            let value = word.split_once('=').map(|(_, value)| value);
            [Some(word.as_str()), value].into_iter().flatten()
        });
        let arguments = arguments.map(|word| folder.join(word));
        let arguments = arguments.filter(|path| path.extension().is_none_or(|it| it != "log"));
        self.program()
            .into_iter()
            .chain(arguments)
            .filter_map(|path| EngineFile::snapshot(&path))
            .collect()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Splits a line into its first word and the rest.
pub(crate) fn command(line: &str) -> (&str, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim())
}

/// Returns the beginning of a program's line without control characters.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 80;
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// The client side of a protocol.
pub(crate) trait ProtocolClient: Send {
    /// Greets a new process; returns the name that the program gives.
    fn handshake(
        &mut self,
        process: &mut Process,
        deadline: Instant,
    ) -> Result<Option<String>, EngineFault>;

    /// Starts the first game of a process.
    fn start_game(
        &mut self,
        process: &mut Process,
        seed: u64,
        deadline: Instant,
    ) -> Result<(), EngineFault>;

    /// Starts another game. If this fails, a new process is started.
    fn restart(
        &mut self,
        process: &mut Process,
        seed: u64,
        deadline: Instant,
    ) -> Result<(), EngineFault> {
        self.start_game(process, seed, deadline)
    }

    /// Requests a move and checks that it is legal.
    fn request_move(
        &mut self,
        process: &mut Process,
        request: &MoveRequest<'_>,
    ) -> Result<Choice, EngineFault>;
}

/// A request for a move.
pub(crate) struct MoveRequest<'a> {
    /// The game so far.
    pub(crate) line: &'a GameLine,
    /// Limits and clock.
    pub(crate) turn: &'a Turn,
    /// Thinking time, if there is a limit in addition to the clock of the game.
    pub(crate) thinking: Option<Duration>,
    /// The deadline of the answer.
    pub(crate) deadline: Instant,
}

/// A player that is another program.
pub(crate) struct ExternalPlayer {
    text: String,
    program: String,
    spec: ExternalSetup,
    launch: LaunchOptions,
    client: Box<dyn ProtocolClient>,
    /// After a fault, every further move of the game fails with it.
    process: Result<Process, PlayerError>,
    /// Whether anything was sent to the process.
    has_started: bool,
    seed: u64,
}

/// Converts a fault to the error that ends the game.
fn player_error(
    program: &str,
    process: &mut Process,
    fault: EngineFault,
    allowed: Duration,
) -> PlayerError {
    // A program that still answers in time can be asked to quit.
    process.ask_to_quit = !matches!(fault, EngineFault::Timeout | EngineFault::Exited(_));
    let mut text = format!("{program} {fault}");
    if fault == EngineFault::Resigned {
        return PlayerError::Resigned(text);
    }
    if fault == EngineFault::Timeout {
        text += &format!(" in {}", duration_text(allowed));
    }
    if let Some(words) = process.last_stderr_line() {
        text += &format!("; stderr: {words}");
    }
    match fault {
        EngineFault::Timeout => PlayerError::Timeout(text),
        EngineFault::Exited(_) => PlayerError::Crash(text),
        EngineFault::IllegalMove(_) => PlayerError::IllegalMove(text),
        _ => PlayerError::InvalidAnswer(text),
    }
}

impl ExternalPlayer {
    /// Starts a game in the current process, or in a new one.
    fn start_game(&mut self) -> Result<(), PlayerError> {
        let timeout = self.spec.timeout;
        if let Ok(process) = &mut self.process
            && self.has_started
            && self.client.restart(process, self.seed, Instant::now() + timeout).is_ok()
        {
            return Ok(());
        }
        if self.has_started || self.process.is_err() {
            // Two processes at a time may need more memory than the machine has.
            self.process = Err(PlayerError::Crash(format!("{} is not running", self.program)));
            self.process = Process::start(&self.launch).map_err(|error| {
                PlayerError::Crash(format!("{} cannot be started: {error}", self.program))
            });
        }
        self.has_started = true;
        let process = self.process.as_mut().map_err(|error| error.clone())?;
        let deadline = Instant::now() + timeout;
        let greeting = self.client.handshake(process, deadline).and_then(|name| {
            self.client.start_game(process, self.seed, deadline)?;
            Ok(name)
        });
        let name =
            greeting.map_err(|fault| player_error(&self.program, process, fault, timeout))?;
        if let (Some(name), None) = (name, &self.spec.name) {
            self.program = name;
        }
        Ok(())
    }

    /// Returns the thinking time: the player's own option, the limit of the game, or the default
    /// time if nothing else limits the move.
    fn thinking(&self, turn: &Turn) -> Option<Duration> {
        let limited =
            turn.clock.left.is_some() || turn.limits.depth.is_some() || turn.limits.nodes.is_some();
        let usual = Some(DEFAULT_TIME).filter(|_| !limited);
        shorter(self.spec.time.or(turn.limits.time), turn.clock.per_move).or(usual)
    }

    /// Returns how long to wait for the move.
    fn timeout(&self, turn: &Turn, thinking: Option<Duration>) -> Duration {
        match turn.clock.allowed() {
            Some(allowed) => allowed + turn.clock.margin,
            None => self.spec.timeout + thinking.unwrap_or_default(),
        }
    }
}

impl Player for ExternalPlayer {
    fn name(&self) -> &str {
        &self.text
    }

    fn choose(&mut self, game: &GameLine, turn: &Turn) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.text.clone()));
        }
        if !self.has_started {
            self.new_game(self.seed);
        }
        let thinking = self.thinking(turn);
        let patience = self.timeout(turn, thinking);
        let deadline = Instant::now() + patience;
        let process = self.process.as_mut().map_err(|error| error.clone())?;
        let request = MoveRequest { line: game, turn, thinking, deadline };
        let fault = match self.client.request_move(process, &request) {
            Ok(choice) => return Ok(choice),
            Err(fault) => fault,
        };
        // Resigning is not a fault: the program plays the next game.
        let resigns = fault == EngineFault::Resigned;
        let error = player_error(&self.program, process, fault, patience);
        if !resigns {
            self.process = Err(error.clone());
        }
        Err(error)
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        if let Err(error) = self.start_game() {
            self.process = Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_play::Clock;
    use tesuji_search::Limits;

    fn error_of(text: &str) -> String {
        match crate::player(text) {
            Err(error) => error.to_string(),
            Ok(spec) => match spec.build(&PlayerContext::new(&opened("connect4"), 1)) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{text} was built"),
            },
        }
    }

    #[test]
    fn what_cannot_be_started_is_named_at_once() {
        for (text, words) in [
            ("external", "invalid cmd ''; expected a command line such as"),
            ("external:cmd=", "expected a command line"),
            ("external:cmd=\"unclosed 'quote\"", "expected a command line"),
            ("external:command=x", "unknown option 'command'"),
            ("external:cmd=./no/such/file", "./no/such/file: no such file"),
            ("external:cmd=no-such-program-anywhere", "no-such-program-anywhere on the PATH"),
            ("external:cmd=/etc/passwd", "Permission denied"),
            ("external:cmd=cat,dir=/no/folder", "an existing folder"),
            ("external:cmd=cat,protocol=uci", "one of gomocup, lines"),
            ("external:cmd=cat,protocol=gomocup", "gomocup is for five in a row"),
            ("external:cmd=cat,timeout=never", "a time such as"),
            ("external:cmd=cat,log=/no/folder/log", "cannot open /no/folder/log"),
        ] {
            let error = error_of(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn thinking_and_waiting() {
        let spec = crate::player("external:cmd=cat").unwrap();
        let mut external = ExternalSetup::read(spec.options()).unwrap();
        external.timeout = Duration::from_secs(9);
        let mut player =
            external.start("cat", &PlayerContext::new(&opened("connect4"), 1)).unwrap();
        let seconds = Duration::from_secs;
        let times = |player: &ExternalPlayer, turn: &Turn| {
            let thinking = player.thinking(turn);
            (thinking.map(|time| time.as_secs()), player.timeout(turn, thinking).as_secs())
        };
        let clock =
            |per_move, left| Clock { per_move, left, margin: seconds(3), ..Clock::default() };
        assert_eq!(times(&player, &Turn::default()), (Some(1), 10));
        assert_eq!(times(&player, &Turn::limited(Limits::depth(3))), (None, 9));
        assert_eq!(times(&player, &Turn::limited(Limits::time(seconds(5)))), (Some(5), 14));
        let turn = |clock| Turn { clock, ..Turn::default() };
        assert_eq!(times(&player, &turn(clock(Some(seconds(4)), None))), (Some(4), 7));
        assert_eq!(times(&player, &turn(clock(None, Some(seconds(40))))), (None, 43));
        player.spec.time = Some(seconds(2));
        assert_eq!(times(&player, &turn(clock(Some(seconds(4)), None))), (Some(2), 7));
        assert_eq!(times(&player, &turn(clock(None, Some(seconds(40))))), (Some(2), 43));
    }
}
