//! The target packages read exported files: Arrow and pandas read tables, the safetensors package
//! reads tensors, TensorBoard reads metrics. `exchange/read.py` runs them; `cargo xtask test`
//! installs the packages.

#[allow(dead_code, reason = "the tests of the store use the rest")]
#[path = "../../store/tests/plain/mod.rs"]
mod plain;
#[allow(dead_code, reason = "the tests of the store use the rest")]
#[path = "../../store/tests/laws/records.rs"]
mod records;
#[path = "../../../xtask/src/servers/mod.rs"]
mod servers;
mod terminal;

use std::fs;
use std::path::Path;
use std::process::Command;

use terminal::Terminal;
use tesuji_games::random::seeded;
use tesuji_store::{Record, RecordKind};

/// The values of `--kind`, and the kinds.
const KINDS: [(&str, RecordKind); 7] = [
    ("games", RecordKind::Game),
    ("samples", RecordKind::Sample),
    ("runs", RecordKind::Run),
    ("jobs", RecordKind::Job),
    ("metrics", RecordKind::Metric),
    ("ratings", RecordKind::Rating),
    ("humans", RecordKind::Human),
];

/// One network of each kind.
const MODELS: [&str; 6] = [
    "critic-gomoku-15x15.net",
    "gem-outcome.net",
    "gem-utility.net",
    "gomoku.lines",
    "tictactoe.tuples",
    "connect4-7x6.tuples",
];

/// A short training; it has an opponent so that it measures strength.
const TRAINING: &str = "\
game = \"tictactoe\"
seed = 1
[evolution]
population = 3
[stop]
iterations = 2
[data]
random = 20
[measure]
opponents = [\"random\"]
games = 4
";

/// Runs Python with these arguments in the terminal's folder; it must succeed.
#[track_caller]
fn python(terminal: &Terminal, words: &[&str]) {
    let python = std::env::var(servers::PYTHON).unwrap_or_else(|_| {
        panic!("{} is not set; run this suite through `cargo xtask test`", servers::PYTHON)
    });
    let output = Command::new(python).args(words).current_dir(terminal.folder()).output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{words:?}\n{stdout}{stderr}");
}

#[track_caller]
fn reader(terminal: &Terminal, words: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchange/read.py");
    let words: Vec<&str> =
        [script.to_str().unwrap()].into_iter().chain(words.iter().copied()).collect();
    python(terminal, &words);
}

#[test]
fn tables_have_the_same_rows_as_json_lines() {
    let terminal = Terminal::new();
    let store = tesuji_store::open(terminal.folder().join("a.db").to_str().unwrap()).unwrap();
    let mut rng = seeded(31);
    for (word, kind) in KINDS {
        let all: Vec<Record> = (0..150).map(|n| records::record(&mut rng, kind, n)).collect();
        store.add(&all).unwrap();
        for format in ["jsonl", "csv", "parquet"] {
            terminal.run(&format!("store export a.db {word}.{format} --kind {word}")).success();
        }
        let files = ["jsonl", "csv", "parquet"].map(|format| format!("{word}.{format}"));
        reader(&terminal, &["tables", word, &files[0], &files[1], &files[2]]);
    }
}

#[test]
fn large_tables_have_several_row_groups() {
    let terminal = Terminal::new();
    let store = tesuji_store::open(terminal.folder().join("a.db").to_str().unwrap()).unwrap();
    let metric = |step| {
        let (run, name) = ("r".to_string(), "loss".to_string());
        Record::Metric(tesuji_store::Metric { run, name, step, value: step as f64 / 3.0, at: 1 })
    };
    let all: Vec<Record> = (0..70_000).map(metric).collect();
    store.add(&all).unwrap();
    for format in ["jsonl", "csv", "parquet"] {
        terminal.run(&format!("store export a.db a.{format} --kind metrics")).success();
    }
    reader(&terminal, &["tables", "metrics", "a.jsonl", "a.csv", "a.parquet"]);
    let groups = "import pyarrow.parquet as p; \
                  assert p.ParquetFile('a.parquet').num_row_groups == 2";
    python(&terminal, &["-c", groups]);
}

#[test]
fn tensors_equal_those_of_the_networks() {
    let terminal = Terminal::new();
    for model in MODELS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(model);
        let (path, exported) = (path.to_str().unwrap(), format!("{model}.safetensors"));
        terminal.run_words(&["model", "export", path, &exported], b"").success();
        reader(&terminal, &["tensors", path, &exported]);
    }
}

#[test]
fn tensorboard_shows_the_metrics_of_a_run() {
    let terminal = Terminal::new();
    fs::write(terminal.folder().join("a.toml"), TRAINING).unwrap();
    terminal.run("train a.toml --tensorboard --out run").success();
    reader(&terminal, &["scalars", "run/metrics.jsonl", "run/tensorboard"]);
    // A resumed run writes the same event file again.
    terminal.run("train --resume run --iterations 3 --tensorboard").success();
    reader(&terminal, &["scalars", "run/metrics.jsonl", "run/tensorboard"]);
}

/// Runs the blocks marked `python` in `docs/formats.md`, after the commands that write their files.
#[test]
fn the_python_examples_of_the_documentation_work() {
    let terminal = Terminal::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/formats.md")).unwrap();
    let samples: Vec<Record> = (0..3)
        .map(|n| {
            Record::Sample(tesuji_store::Sample {
                key: format!("s/{n}"),
                run: "r".to_string(),
                game: "tictactoe".to_string(),
                position: "X.O/.X./..O".to_string(),
                value: 1.0,
                weight: 1.0,
                detail: serde_json::json!({ "window": 3 }),
            })
        })
        .collect();
    let store = tesuji_store::open(terminal.folder().join("games.db").to_str().unwrap()).unwrap();
    store.add(&samples).unwrap();
    terminal.run("match connect4 random random --games 4 --store games.db").success();
    let lines = root.join("models/gomoku.lines");
    for command in [
        "store export games.db games.parquet",
        "store export games.db games.csv",
        "store export games.db samples.parquet --kind samples",
        &format!("model export {} lines.safetensors", lines.display()),
    ] {
        terminal.run(command).success();
    }
    let blocks: Vec<&str> = text
        .split("```python\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(blocks.len() >= 3, "{blocks:?}");
    for block in blocks {
        python(&terminal, &["-c", block]);
    }
}
