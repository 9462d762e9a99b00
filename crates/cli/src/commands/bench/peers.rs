//! Other libraries at the same tasks: Rust ones through the program `tesuji-peers`, which is built apart
//! from this one, and OpenSpiel through Python.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::tasks::{Task, Unit};
use crate::failure::Failure;

/// A figure of somebody else's.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) peer: String,
    pub(crate) figure: f64,
}

/// The peers that this machine has.
pub(crate) struct Peers {
    rust: Option<PathBuf>,
    python: Option<PathBuf>,
}

impl Peers {
    /// Tries each; only a program that was named and cannot be started is an error.
    pub(crate) fn look_for(rust: Option<&Path>, python: &Path) -> Result<Peers, Failure> {
        if let Some(program) = rust {
            let answer = Command::new(program).stdout(Stdio::null()).status();
            if !answer.is_ok_and(|status| status.success()) {
                let shown = program.display();
                return Err(Failure::BadInput(format!(
                    "cannot run the peers '{shown}'; `cargo xtask bench` builds and names them"
                )));
            }
        }
        let has_openspiel = Command::new(python)
            .args(["-c", "import pyspiel"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        Ok(Peers {
            rust: rust.map(Path::to_path_buf),
            python: has_openspiel.then(|| python.to_path_buf()),
        })
    }

    /// Those that are there.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let rust = self.rust.iter().map(|_| "tesuji-peers");
        rust.chain(self.python.iter().map(|_| "OpenSpiel")).collect()
    }

    /// Says how to get those that are not.
    pub(crate) fn explain_absence(&self) -> Result<(), Failure> {
        let mut out = io::stdout();
        if self.rust.is_none() {
            writeln!(out, "\nno Rust peers: `cargo xtask bench` builds and measures them")?;
        }
        if self.python.is_none() {
            writeln!(out, "no OpenSpiel: `pip install open_spiel`, then --python PROGRAM")?;
        }
        Ok(())
    }

    /// Everybody's figure for a task, measured now.
    pub(crate) fn measure(&self, task: &Task) -> Vec<Measured> {
        let mut figures = Vec::new();
        if let Some(program) = &self.rust {
            figures.extend(output_of(Command::new(program).arg(task.id)).lines().filter_map(read));
        }
        if let (Some(python), Some(game)) = (&self.python, task.openspiel) {
            let what = if task.unit == Unit::SimulationsPerSecond { "uct" } else { "playouts" };
            let text = output_of(Command::new(python).args(["-c", OPENSPIEL, what, game]));
            let figure = text.trim().parse().ok();
            figures.extend(figure.map(|figure| Measured { peer: "OpenSpiel".into(), figure }));
        }
        figures
    }
}

fn output_of(command: &mut Command) -> String {
    let output = command.stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// `TASK <tab> PEER <tab> NUMBER`.
fn read(line: &str) -> Option<Measured> {
    let mut fields = line.split('\t').skip(1);
    let peer = fields.next()?.to_string();
    let figure = fields.next()?.trim().parse().ok()?;
    Some(Measured { peer, figure })
}

/// Random games through the Python interface (on the slower games most of the time is spent in C++), or
/// simulations of the C++ search.
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
