//! What is told at the end of a run that learns step by step, such as weights and networks do.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::{Plan, Train, interrupted};
use crate::failure::Failure;
use crate::output::print_json;

/// How far a run came.
pub(super) struct Reached<'a, M> {
    /// What is counted: `games` or `blocks`.
    pub(super) unit: &'static str,
    pub(super) done: u64,
    pub(super) of: u64,
    /// The last line of its metrics, and how it reads.
    pub(super) last: Option<(&'a M, String)>,
    /// What lies in its folder now, and under which name.
    pub(super) result: (&'static str, &'static str),
}

impl<M: Serialize> Reached<'_, M> {
    /// Prints it; a run that did not come to its end is a failure.
    pub(super) fn tell(self, verb: &Train, plan: &Plan) -> Result<(), Failure> {
        let folder: &Path = &plan.folder;
        if verb.json {
            let last = self.last.as_ref().map(|(metrics, _)| metrics);
            print_json(
                &json!({ "folder": folder, self.unit: self.done, "of": self.of, "last": last }),
            )?;
        } else {
            let mut out = io::stdout().lock();
            if let Some((_, line)) = &self.last {
                writeln!(out, "{line}")?;
            }
            let (what, file) = self.result;
            writeln!(out, "{what}: {}", folder.join(file).display())?;
        }
        if self.done < self.of {
            return Err(interrupted(folder, format!("{} {}", self.done, self.unit)));
        }
        Ok(())
    }
}
