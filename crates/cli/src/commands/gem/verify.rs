//! `tesuji gem verify`: checks the rules against recorded cases.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tesuji_players::gem_island::cases::{CaseFile, CaseReport};

use crate::examples;
use crate::failure::Failure;
use crate::input;
use crate::output::{print_json, print_table};

/// Check the rules against a file of recorded cases
///
/// Boards, legal swaps, full turns, state strings and evaluations are computed by the fast rules,
/// in both widths of their bit boards, and by the slow rules. The exit code is 1 if one of them
/// differs.
#[derive(Args)]
#[command(after_help = examples::help(examples::GEM_VERIFY))]
pub(crate) struct VerifyArgs {
    /// The cases: a JSON file; see docs/formats.md
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    pub(crate) fn run(self, _: &tesuji_search::Registry) -> Result<(), Failure> {
        let bytes = input::read_bytes(&self.file)?;
        let cases = CaseFile::parse(&bytes).map_err(|error| Failure::in_file(&self.file, error))?;
        let kinds = cases.check();
        let mismatches: usize = kinds.iter().map(|kind| kind.mismatches.len()).sum();
        if self.json {
            print_json(&json!({ "mismatches": mismatches, "kinds": kinds }))?;
        } else {
            print(&kinds)?;
        }
        match mismatches {
            0 => Ok(()),
            count => {
                let file = self.file.display();
                Err(Failure::Failed(format!("{file}: {count} cases are not reproduced")))
            }
        }
    }
}

fn print(kinds: &[CaseReport]) -> Result<(), Failure> {
    let mut rows = vec![["KIND", "MATCHES", "MISMATCHES"].map(String::from)];
    for kind in kinds {
        let (matches, mismatches) = (kind.matches, kind.mismatches.len());
        rows.push([kind.kind.to_string(), matches.to_string(), mismatches.to_string()]);
    }
    print_table(&rows)?;
    let mut out = io::stdout().lock();
    for kind in kinds {
        for mismatch in &kind.mismatches {
            writeln!(out, "{} {mismatch}", kind.kind)?;
        }
    }
    Ok(())
}
