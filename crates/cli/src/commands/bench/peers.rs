//! Measures the same tasks with other libraries: Rust libraries through the program `tesuji-peers`,
//! which is built separately, and OpenSpiel through Python.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

use super::tasks::Task;
use crate::prelude::*;

/// The figure of a peer.
#[derive(Serialize)]
pub(crate) struct PeerFigure {
    pub(crate) peer: String,
    pub(crate) figure: f64,
    pub(crate) we_are_times_as_fast: f64,
}

/// The peers that this machine has.
pub(crate) struct Peers {
    rust: Option<PathBuf>,
    python: Option<PathBuf>,
}

impl Peers {
    /// Looks for each peer. Only a named program that cannot be started is an error.
    pub(crate) fn find(rust: Option<&Path>, python: &Path) -> Result<Peers, Failure> {
        if let Some(program) =
            rust.filter(|program| output_of(&mut Command::new(program)).is_none())
        {
            let shown = program.display();
            return Err(Failure::BadInput(format!(
                "--peers {shown}: does not run; expected the program that `cargo xtask bench` builds"
            )));
        }
        let has_openspiel = output_of_python(python, "import pyspiel", &[]).is_some();
        Ok(Peers {
            rust: rust.map(Path::to_path_buf),
            python: has_openspiel.then(|| python.to_path_buf()),
        })
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        let rust = self.rust.iter().map(|_| "tesuji-peers");
        rust.chain(self.python.iter().map(|_| "OpenSpiel")).collect()
    }

    /// Prints how to install the missing peers.
    pub(crate) fn print_missing(&self) -> Result<(), Failure> {
        if self.rust.is_none() {
            say!("\nno Rust peers: run `cargo xtask bench` to build and measure them")?;
        }
        if self.python.is_none() {
            say!("no OpenSpiel: run `pip install open_spiel` and give --python PROGRAM")?;
        }
        Ok(())
    }

    /// Measures a task with every peer.
    pub(crate) fn measure(&self, task: &Task) -> Vec<PeerFigure> {
        let figure = |peer: &str, figure: &str| {
            let (peer, figure) = (peer.to_string(), figure.trim().parse().ok()?);
            Some(PeerFigure { peer, figure, we_are_times_as_fast: f64::NAN })
        };
        let mut figures = Vec::new();
        if let Some(program) = &self.rust {
            let text = output_of(Command::new(program).arg(&task.id)).unwrap_or_default();
            // `TASK <tab> PEER <tab> NUMBER`.
            figures.extend(text.lines().filter_map(|line| {
                let mut fields = line.split('\t').skip(1);
                figure(fields.next()?, fields.next()?)
            }));
        }
        if let (Some(python), Some(game)) = (&self.python, task.openspiel) {
            let mode = if task.id.starts_with("uct/") { "uct" } else { "playouts" };
            let text = output_of_python(python, OPENSPIEL, &[mode.as_ref(), game.as_ref()]);
            figures.extend(text.and_then(|text| figure("OpenSpiel", &text)));
        }
        figures
    }
}

/// The output of a program; `None` if it fails.
fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The output of a Python script on one thread; `None` if it fails.
fn output_of_python(python: &Path, script: &str, arguments: &[&OsStr]) -> Option<String> {
    let mut command = Command::new(python);
    output_of(command.env("OMP_NUM_THREADS", "1").args(["-c", script]).args(arguments))
}

/// Runs a script that prints `VERSION NUMBER…`. Returns the library's name with its version, and
/// the numbers.
pub(crate) fn measure_library<const N: usize>(
    library: &str,
    python: &Path,
    script: &str,
    arguments: &[&OsStr],
) -> Option<(String, [f64; N])> {
    let text = output_of_python(python, script, arguments)?;
    let (version, numbers) = text.split_once(char::is_whitespace)?;
    let numbers: Option<Vec<f64>> = numbers.split_whitespace().map(|it| it.parse().ok()).collect();
    Some((format!("{library} {version}"), numbers?.try_into().ok()?))
}

/// Random games through the Python interface (for the slower games most of the time is spent in
/// C++), or simulations of the C++ search.
const OPENSPIEL: &str = r#"
import random, sys, time
import pyspiel
what, game = sys.argv[1], pyspiel.load_game(sys.argv[2])
random.seed(1)
count, started = 0, time.time()
while time.time() - started < 0.7:
    state = game.new_initial_state()
    if what == "uct":
        rollouts = pyspiel.RandomRolloutEvaluator(1, 1)
        pyspiel.MCTSBot(game, rollouts, 1.4, 20000, 500, True, 1, False).step(state)
        count += 20000
    else:
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
        count += 1
print(count / (time.time() - started))
"#;
