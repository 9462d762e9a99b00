//! Other programs as players: `external:cmd=./pbrain-wine`. This file has the options and the player; the
//! files below it have the process and the two protocols.
//!
//! Whatever the program does wrong costs it the game and nothing more: the next game starts it afresh.

mod descendants;
pub(crate) mod gomocup;
pub(crate) mod lines;
pub(crate) mod process;
mod thoughts;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tesuji_games::{Line, Position, SpecError};
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
use gomocup::Gomocup;
use lines::Lines;
use process::{Fault, Launch, Process};

pub(super) const NAME: &str = "external";

const PROTOCOLS: WordValues<Protocol, 2> =
    [("gomocup", Protocol::Gomocup), ("lines", Protocol::Lines)];

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: NAME,
    summary: "another program, over the Gomocup protocol or our own (docs/protocol.md)",
    options: &[
        option(
            "cmd",
            ValueType::Text { name: "COMMAND" },
            "the program and its arguments; in double quotes if it has a comma",
        ),
        option("dir", ValueType::Text { name: "FOLDER" }, "the folder it runs in"),
        option(
            "protocol",
            word(&words(&PROTOCOLS)),
            "how it is spoken to (default gomocup where five in a row win and each turn is one stone)",
        ),
        option(
            "time",
            ValueType::Time,
            "thinking time for a move, where the clock allows it (default 1s without a clock)",
        ),
        option(
            "timeout",
            ValueType::Time,
            "how long it may take to start, and to move without a clock (default 30s)",
        ),
        option(
            "memory",
            ValueType::Size,
            "what it is told it may use, Gomocup only (default 350M)",
        ),
        option(
            "name",
            ValueType::Text { name: "TEXT" },
            "how errors name it (default: as it names itself)",
        ),
        option(
            "log",
            ValueType::Text { name: "PATH" },
            "adds every line said and heard to this file",
        ),
        SEED,
    ],
    read: |options| Ok(Box::new(ExternalSpec::read(options)?)),
}];

/// Unasked-for lines that are passed over before a program is called confused.
pub(crate) const MOST_CHATTER: usize = 1000;
/// Memory that Gomocup allows.
const USUAL_MEMORY: TableSize = TableSize::megabytes(350);
/// How long a program may take to start when nobody says.
const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
/// Thinking time when nobody says: as our own searches have it.
const USUAL_TIME: Duration = Duration::from_secs(1);

/// The options, understood.
#[derive(Clone, Debug)]
pub struct ExternalSpec {
    words: Vec<String>,
    folder: Option<PathBuf>,
    protocol: Option<Protocol>,
    time: Option<Duration>,
    timeout: Duration,
    memory: TableSize,
    name: Option<String>,
    log: Option<PathBuf>,
}

/// How a program is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    /// That of the Gomocup tournaments.
    Gomocup,
    /// Our own.
    Lines,
}

impl ExternalSpec {
    fn read(options: &PlayerOptions) -> Result<ExternalSpec, SpecError> {
        let command = options.text_of("cmd").unwrap_or_default();
        let path = |key| options.text_of(key).map(PathBuf::from);
        let external = ExternalSpec {
            words: shlex::split(command).unwrap_or_default(),
            folder: path("dir"),
            protocol: options.choice("protocol", &PROTOCOLS),
            time: options.time("time"),
            timeout: options.time("timeout").unwrap_or(USUAL_TIMEOUT),
            memory: options.size("memory").unwrap_or(USUAL_MEMORY),
            name: options.text_of("name").map(str::to_string),
            log: path("log"),
        };
        if external.words.first().is_none_or(String::is_empty) {
            let expected = "a command line such as cmd=./pbrain-wine";
            return Err(options.bad_value("cmd", command, expected));
        }
        Ok(external)
    }

    /// Makes the player and starts its program, so that a program that is not there is noticed before a
    /// match begins.
    fn started(&self, text: &str, context: &PlayerContext) -> Result<ExternalPlayer, SpecError> {
        let (dialect, launch) = self.prepared(text, &context.game)?;
        let process = Process::start(&launch)
            .map_err(|error| self.unusable(&format!("{}: {error}", launch.program.display())))?;
        Ok(ExternalPlayer {
            text: text.to_string(),
            program: self.name.clone().unwrap_or_else(|| file_name(&launch.program)),
            spec: self.clone(),
            launch,
            dialect,
            process: Ok(process),
            has_begun: false,
            seed: context.seed,
        })
    }

    /// The protocol that is spoken for a game.
    pub(crate) fn protocol_for(&self, game: &Game) -> Protocol {
        let is_known = FiveInARow::of(game).is_some();
        self.protocol.unwrap_or(if is_known { Protocol::Gomocup } else { Protocol::Lines })
    }

    /// The protocol's words for a game, and how the program is started.
    pub(crate) fn prepared(
        &self,
        text: &str,
        game: &Game,
    ) -> Result<(Box<dyn Dialect>, Launch), SpecError> {
        let (dialect, line_end, farewell): (Box<dyn Dialect>, _, _) = match self.protocol_for(game)
        {
            Protocol::Lines => (Box::new(Lines { game: game.clone() }), "\n", "quit"),
            Protocol::Gomocup => {
                let board = FiveInARow::of(game).ok_or_else(|| {
                    let expected = format!(
                        "lines for '{}': gomocup is for five in a row on boards from 5x5 to 20x20",
                        game.name()
                    );
                    bad_value(text, "protocol", "gomocup", &expected)
                })?;
                (Box::new(Gomocup::new(board, self.memory.bytes())), "\r\n", "END")
            }
        };
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            let folder = folder.display().to_string();
            return Err(bad_value(NAME, "dir", &folder, "a folder that is there"));
        }
        let launch = Launch {
            program: self.program()?,
            arguments: self.words[1..].to_vec(),
            folder: self.folder.clone(),
            line_end,
            farewell,
            log: self.log.clone(),
        };
        Ok((dialect, launch))
    }

    /// The program's file. A path is relative to the folder that the program runs in; a bare name is looked
    /// for where the shell looks.
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
            _ => format!("there is no {word} on the PATH"),
        };
        // The program starts in another folder, where a relative path would mean something else. Links stay
        // as they are: there are programs that ask by which name they were called.
        let absolute = found.and_then(|path| std::path::absolute(path).ok());
        absolute.ok_or_else(|| self.unusable(&missing))
    }

    fn unusable(&self, why: &str) -> SpecError {
        let expected = format!("a program that can be started ({why})");
        bad_value(NAME, "cmd", &self.words.join(" "), &expected)
    }
}

/// The other program behind a player; `None` for a player without one.
pub(crate) fn program_of(player: &PlayerSpec) -> Option<ExternalSpec> {
    player.starts_program().then(|| ExternalSpec::read(player.options()).ok()).flatten()
}

impl PlayerSetup for ExternalSpec {
    /// The program is not started to find out.
    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        self.prepared(player, &context.game).map(drop)
    }

    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(Some(Box::new(self.started(player, context)?)))
    }

    fn starts_program(&self) -> bool {
        true
    }

    /// The program, and the files among its arguments: a script that an interpreter runs, a
    /// model. A log is none of them, as the program writes it while it plays.
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

/// The first word of a line and the rest.
pub(crate) fn command(line: &str) -> (&str, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim())
}

/// The beginning of what a program said, fit for a line of ours.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 80;
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// A protocol, from the side that asks for moves.
pub(crate) trait Dialect: Send {
    /// The first words to a new process; returns the name that it gives itself.
    fn greet(&mut self, process: &mut Process, deadline: Instant) -> Result<Option<String>, Fault>;

    /// The first game of a process.
    fn begin(&mut self, process: &mut Process, seed: u64, deadline: Instant) -> Result<(), Fault>;

    /// A further game. When this fails, a new process is started.
    fn again(&mut self, process: &mut Process, seed: u64, deadline: Instant) -> Result<(), Fault> {
        self.begin(process, seed, deadline)
    }

    /// Asks for a move, which is legal when it is returned.
    fn ask(&mut self, process: &mut Process, question: &Question<'_>) -> Result<Choice, Fault>;
}

/// What a program is asked.
pub(crate) struct Question<'a> {
    /// The game so far.
    pub(crate) line: &'a Line,
    /// Limits and clock.
    pub(crate) turn: &'a Turn,
    /// How long to think, when there is more to say about it than the clock of the game.
    pub(crate) thinking: Option<Duration>,
    /// When the answer must be there.
    pub(crate) deadline: Instant,
}

/// A player that asks another program.
pub(crate) struct ExternalPlayer {
    text: String,
    program: String,
    spec: ExternalSpec,
    launch: Launch,
    dialect: Box<dyn Dialect>,
    /// What went wrong costs it every further move of the game.
    process: Result<Process, PlayerError>,
    /// Whether anything has been said to the process.
    has_begun: bool,
    seed: u64,
}

/// What a fault means for the game.
fn failure(program: &str, process: &mut Process, fault: Fault, allowed: Duration) -> PlayerError {
    // Whoever said something wrong in time can also be asked to go.
    process.polite = !matches!(fault, Fault::Late | Fault::Ended(_));
    let mut text = format!("{program} {fault}");
    if fault == Fault::Resigned {
        return PlayerError::Resigned(text);
    }
    if fault == Fault::Late {
        text += &format!(" in {}", duration_text(allowed));
    }
    if let Some(words) = process.last_words() {
        text += &format!("; its last words: {words}");
    }
    match fault {
        Fault::Late => PlayerError::Timeout(text),
        Fault::Ended(_) => PlayerError::Crash(text),
        Fault::Illegal(_) => PlayerError::IllegalMove(text),
        _ => PlayerError::InvalidAnswer(text),
    }
}

impl ExternalPlayer {
    /// Begins a game with the process that there is, or with a new one.
    fn begin_game(&mut self) -> Result<(), PlayerError> {
        let timeout = self.spec.timeout;
        if let Ok(process) = &mut self.process
            && self.has_begun
            && self.dialect.again(process, self.seed, Instant::now() + timeout).is_ok()
        {
            return Ok(());
        }
        if self.has_begun || self.process.is_err() {
            // Two at a time may be more than the machine's memory holds.
            self.process = Err(PlayerError::Crash(format!("{} is gone", self.program)));
            self.process = Process::start(&self.launch).map_err(|error| {
                PlayerError::Crash(format!("{} cannot be started: {error}", self.program))
            });
        }
        self.has_begun = true;
        let process = self.process.as_mut().map_err(|error| error.clone())?;
        let deadline = Instant::now() + timeout;
        let greeting = self.dialect.greet(process, deadline).and_then(|name| {
            self.dialect.begin(process, self.seed, deadline)?;
            Ok(name)
        });
        let name = greeting.map_err(|fault| failure(&self.program, process, fault, timeout))?;
        if let (Some(name), None) = (name, &self.spec.name) {
            self.program = name;
        }
        Ok(())
    }

    /// How long it is told to think: its own option, what the game allows for a move, or the usual time where
    /// nobody says anything that would end its thinking.
    fn thinking(&self, turn: &Turn) -> Option<Duration> {
        let limited =
            turn.clock.left.is_some() || turn.limits.depth.is_some() || turn.limits.nodes.is_some();
        let usual = Some(USUAL_TIME).filter(|_| !limited);
        shorter(self.spec.time.or(turn.limits.time), turn.clock.per_move).or(usual)
    }

    /// How long it is waited for.
    fn patience(&self, turn: &Turn, thinking: Option<Duration>) -> Duration {
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

    fn choose(&mut self, game: &Line, turn: &Turn) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.text.clone()));
        }
        if !self.has_begun {
            self.new_game(self.seed);
        }
        let thinking = self.thinking(turn);
        let patience = self.patience(turn, thinking);
        let deadline = Instant::now() + patience;
        let process = self.process.as_mut().map_err(|error| error.clone())?;
        let question = Question { line: game, turn, thinking, deadline };
        let fault = match self.dialect.ask(process, &question) {
            Ok(choice) => return Ok(choice),
            Err(fault) => fault,
        };
        // To give up a game is no fault of the program: it plays the next one.
        let resigns = fault == Fault::Resigned;
        let error = failure(&self.program, process, fault, patience);
        if !resigns {
            self.process = Err(error.clone());
        }
        Err(error)
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        if let Err(error) = self.begin_game() {
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
            ("external", "cannot take cmd ''; expected a command line such as"),
            ("external:cmd=", "expected a command line"),
            ("external:cmd=\"unclosed 'quote\"", "expected a command line"),
            ("external:command=x", "has no option 'command'"),
            ("external:cmd=./no/such/file", "./no/such/file: no such file"),
            ("external:cmd=no-such-program-anywhere", "no-such-program-anywhere on the PATH"),
            ("external:cmd=/etc/passwd", "Permission denied"),
            ("external:cmd=cat,dir=/no/folder", "a folder that is there"),
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
        let mut external = ExternalSpec::read(spec.options()).unwrap();
        external.timeout = Duration::from_secs(9);
        let mut player =
            external.started("cat", &PlayerContext::new(&opened("connect4"), 1)).unwrap();
        let seconds = Duration::from_secs;
        let times = |player: &ExternalPlayer, turn: &Turn| {
            let thinking = player.thinking(turn);
            (thinking.map(|time| time.as_secs()), player.patience(turn, thinking).as_secs())
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
