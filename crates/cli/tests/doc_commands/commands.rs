//! The commands of a Markdown text: lines of fenced blocks, and code in sentences.
//!
//! - In a block marked `sh` every line is a command; a final `\` joins the next line, and `#`
//!   begins a comment.
//! - In any other block a line that begins with `$ ` is a command, and other lines are output.
//! - A block marked with a language and a name, such as `toml cup.toml`, is a file that the reader
//!   creates.
//! - In a sentence, code is a command if it is the name of a program and at least one more word.

use std::path::Path;

use super::templates;
use super::words::{split, without_comment};

/// A document and its commands.
pub(crate) struct Document {
    /// Its path in the repository.
    pub(crate) name: String,
    pub(crate) commands: Vec<Command>,
    /// Files that the reader creates: name and contents.
    pub(crate) files: Vec<(String, String)>,
}

/// A command in a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Command {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) kind: CommandKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CommandKind {
    /// Runs as written.
    Complete,
    /// Shows the form of a command: it has placeholders in capital letters or `…`, or it is the
    /// bare name of a verb that needs arguments.
    Template,
}

/// Programs whose names begin a command in a sentence.
const PROGRAMS: &[&str] =
    &["tesuji", "cargo", "apt-get", "pip", "createdb", "curl", "nats-server", "python3"];

impl Document {
    pub(crate) fn read(root: &Path, name: &str) -> Document {
        let text = std::fs::read_to_string(root.join(name)).expect("the document exists");
        let (commands, files) = contents(&text);
        Document { name: name.to_string(), commands, files }
    }
}

impl Command {
    pub(crate) fn is_run(&self) -> bool {
        self.kind == CommandKind::Complete
    }
}

/// All commands in the order of the text, and all files.
fn contents(text: &str) -> (Vec<Command>, Vec<(String, String)>) {
    let (mut found, mut files) = (Vec::new(), Vec::new());
    // The text between two blocks, and the number of its first line.
    let (mut prose, mut prose_from) = (String::new(), 1);
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            prose += line;
            prose += "\n";
            continue;
        };
        found.extend(commands_in_prose(&std::mem::take(&mut prose), prose_from));
        let block: Vec<(&str, usize)> =
            lines.by_ref().take_while(|(line, _)| !line.trim_start().starts_with("```")).collect();
        prose_from = number + block.len() + 2;
        match language.trim().split_once(' ') {
            Some((_, name)) => files.push((name.to_string(), joined(&block))),
            None => found.extend(commands_in_block(language.trim(), &block)),
        }
    }
    found.extend(commands_in_prose(&prose, prose_from));
    (found, files)
}

fn joined(block: &[(&str, usize)]) -> String {
    block.iter().map(|(line, _)| format!("{line}\n")).collect()
}

fn commands_in_block(language: &str, lines: &[(&str, usize)]) -> Vec<Command> {
    let mut found = Vec::new();
    let mut lines = lines.iter();
    while let Some(&(line, number)) = lines.next() {
        let Some(line) = command_line(language, line) else { continue };
        let mut text = line.to_string();
        while let Some(begun) = text.strip_suffix('\\') {
            let Some((more, _)) = lines.next() else { break };
            text = format!("{} {}", begun.trim_end(), more.trim());
        }
        let text = without_comment(&text);
        if !text.is_empty() {
            found.push(Command {
                line: number,
                kind: templates::kind(text),
                text: text.to_string(),
            });
        }
    }
    found
}

/// The command in a line of a block, if it has one.
fn command_line<'t>(language: &str, line: &'t str) -> Option<&'t str> {
    match line.strip_prefix("$ ") {
        Some(typed) => Some(typed),
        None if language == "sh" => Some(line),
        None => {
            let is_unmarked = ["", "text"].contains(&language)
                && templates::is_tesuji_command(line)
                && templates::kind(line) == CommandKind::Complete;
            assert!(!is_unmarked, "`{line}` is in a block that is not marked `sh`");
            None
        }
    }
}

/// Code between single backticks.
fn commands_in_prose(prose: &str, first_line: usize) -> Vec<Command> {
    let mut found = Vec::new();
    let mut line = first_line;
    for (index, part) in prose.split('`').enumerate() {
        let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
        if index % 2 == 1 && is_command(&text) {
            found.push(Command { line, kind: templates::kind_in_prose(&text), text });
        }
        line += part.matches('\n').count();
    }
    found
}

fn is_command(text: &str) -> bool {
    let words = split(text);
    let begins = |word: &&str| PROGRAMS.contains(word);
    words.first().is_some_and(begins)
        && words.len() > 1
        && (words[0] != "tesuji" || templates::is_tesuji_command(text))
}

#[test]
fn commands_are_found_in_blocks_and_sentences() {
    let text = "\
Type `tesuji games` or `tesuji solve GAME`; `games` is a word.

```sh
tesuji match connect4 random \\
    random --games 2    # two
export A=b
```

```text
$ tesuji perft chess 1
20
```

```toml cup.toml
pairs = 2
```

Say `tesuji
perft chess 2` or `tesuji match`.
";
    let (found, files) = contents(text);
    assert_eq!(files, [("cup.toml".to_string(), "pairs = 2\n".to_string())]);
    let all: Vec<(usize, &str, bool)> =
        found.iter().map(|it| (it.line, it.text.as_str(), it.is_run())).collect();
    assert_eq!(
        all,
        [
            (1, "tesuji games", true),
            (1, "tesuji solve GAME", false),
            (4, "tesuji match connect4 random random --games 2", true),
            (6, "export A=b", true),
            (10, "tesuji perft chess 1", true),
            (18, "tesuji perft chess 2", true),
            (19, "tesuji match", false),
        ]
    );
}
