//! Other solvers: programs that take the path of a set as their last argument, or in place of `{}`,
//! and print `mean X us`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use crate::failure::Failure;

/// Another solver, written `NAME=COMMAND`.
#[derive(Clone, Debug)]
pub(crate) struct ExternalSolver {
    pub(crate) name: String,
    program: String,
    arguments: Vec<String>,
}

impl FromStr for ExternalSolver {
    type Err = String;

    fn from_str(text: &str) -> Result<ExternalSolver, String> {
        let expected = || String::from("expected NAME=COMMAND, such as 'other=./solver --fast'");
        let (name, command) = text.split_once('=').ok_or_else(expected)?;
        let mut words = command.split_whitespace().map(String::from);
        let program = words.next().filter(|_| !name.is_empty()).ok_or_else(expected)?;
        Ok(ExternalSolver { name: name.to_string(), program, arguments: words.collect() })
    }
}

impl ExternalSolver {
    /// The mean seconds that the solver prints for a set.
    pub(crate) fn mean_seconds(&self, set: &Path) -> Result<f64, Failure> {
        let ExternalSolver { name, program, arguments } = self;
        let mut command = Command::new(program);
        for word in arguments {
            command.arg(if word == "{}" { set.as_os_str() } else { word.as_ref() });
        }
        if !arguments.iter().any(|word| word == "{}") {
            command.arg(set);
        }
        let output = command.stderr(Stdio::null()).output();
        let output = output.map_err(|error| {
            Failure::BadInput(format!("peer '{name}': cannot start '{program}': {error}"))
        })?;
        let text = String::from_utf8_lossy(&output.stdout);
        mean_seconds_in(&text).ok_or_else(|| {
            let set = set.display();
            Failure::BadInput(format!(
                "peer '{name}': no time for {set}; expected output 'mean X us'"
            ))
        })
    }
}

/// The number between `mean` and `us`.
fn mean_seconds_in(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(3).find_map(|three| match three {
        ["mean", number, unit] if unit.trim_end_matches(',') == "us" => {
            number.parse::<f64>().ok().filter(|mean| *mean > 0.0).map(|mean| mean / 1e6)
        }
        _ => None,
    })
}
