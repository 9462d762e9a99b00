//! Makes commands short enough for a test: reduces the amounts in commands and in the files that
//! they name. Everything else runs as written.

use super::words::split;

/// Options `--option N`, and the largest N.
const OPTIONS: &[(&str, u64)] =
    &[("--games", 2), ("--depth", 4), ("--iterations", 2), ("--steps", 2), ("--seconds", 1)];

/// Options `key=N` of a player, and the largest N.
const KEYS_OF_PLAYERS: &[(&str, u64)] = &[("depth", 3), ("sims", 50)];

/// The largest time for `--time T` and `time=T`, in milliseconds.
const MILLISECONDS: u64 = 20;

/// Options that are added to a verb.
const ADDED: &[(&str, &str)] = &[
    ("bench", "--rounds 1"),
    ("match", "--games 2"),
    ("reproduce", "--quick"),
    ("serve", "--addr 127.0.0.1:0"),
    // The test has its own server; this option only checks the configuration.
    ("nats-server", "-t"),
];

/// Keys `key = N` in files of trainings and tournaments, and the largest N.
const KEYS_OF_FILES: &[(&str, u64)] = &[
    ("games", 2),
    ("games_per_individual", 4),
    ("pairs", 1),
    ("rounds", 1),
    ("iterations", 1),
    ("population", 3),
    ("count", 8),
    ("nodes", 50),
    ("block", 16),
    ("blocks", 1),
    ("passes", 1),
    ("sims", 20),
    ("depth", 2),
];

/// A command with smaller amounts.
pub(crate) fn smaller(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in split(text) {
        let option = words.last().map_or("", String::as_str);
        words.push(match option {
            "--time" => shorter(word),
            option => at_most(word, bound(OPTIONS, option)).unwrap_or_else(|| smaller_player(word)),
        });
    }
    words.extend(added(&words));
    words.join(" ")
}

/// A file of a training or a tournament with smaller amounts.
pub(crate) fn smaller_file(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let Some((key, value)) = line.split_once(" = ") else { return line.to_string() };
        let (number, comment) = value.split_once(' ').unwrap_or((value, ""));
        let bound = bound(KEYS_OF_FILES, key.trim());
        at_most(number, bound).map_or(line.to_string(), |less| format!("{key} = {less} {comment}"))
    });
    lines.map(|line| smaller_player(&line) + "\n").collect()
}

/// A word or line with smaller amounts in the options of its players.
fn smaller_player(word: &str) -> String {
    let is_end = |letter: char| [',', ':', ' ', '"', '\''].contains(&letter);
    let parts = word.split_inclusive(is_end).map(|part| {
        let (body, end) = part.split_at(part.trim_end_matches(is_end).len());
        let Some((key, value)) = body.split_once('=') else { return part.to_string() };
        let less = match key {
            "time" => Some(shorter(value)),
            key => at_most(value, bound(KEYS_OF_PLAYERS, key)),
        };
        less.map_or(part.to_string(), |less| format!("{key}={less}{end}"))
    });
    parts.collect()
}

fn bound(table: &[(&str, u64)], name: &str) -> Option<u64> {
    table.iter().find(|(known, _)| *known == name).map(|(_, most)| *most)
}

fn at_most(number: &str, most: Option<u64>) -> Option<String> {
    let (number, most): (u64, u64) = (number.parse().ok()?, most?);
    Some(number.min(most).to_string())
}

/// Limits a time such as `2s` or `100ms`; any other text stays the same.
fn shorter(time: &str) -> String {
    let digits = time.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_short = time.ends_with("ms") && digits.parse().is_ok_and(|ms: u64| ms <= MILLISECONDS);
    let is_time = digits.len() < time.len() && digits.parse::<f64>().is_ok();
    if is_time && !is_short { format!("{MILLISECONDS}ms") } else { time.to_string() }
}

/// The options to add, unless the command has them or only asks for a list or for help.
fn added(words: &[String]) -> Option<String> {
    let verb = words.iter().take(2).find(|word| *word != "tesuji")?;
    let (_, more) = ADDED.iter().find(|(name, _)| name == verb)?;
    let option = more.split(' ').next()?;
    let has_it = |word: &String| [option, "--list", "--help"].contains(&word.as_str());
    (!words.iter().any(has_it)).then(|| more.to_string())
}

#[test]
fn amounts_are_reduced() {
    for (written, run) in [
        (
            "tesuji match chess pvs:time=2s,tt=1M random --games 100",
            "time=20ms,tt=1M random --games 2",
        ),
        ("tesuji analyze chess --time 2s --multipv 3", "--time 20ms --multipv 3"),
        (
            "tesuji match chess \"external:cmd=a b\" mcts:sims=5000",
            "\"external:cmd=a b\" mcts:sims=50 --games 2",
        ),
        ("tesuji bench playouts", "tesuji bench playouts --rounds 1"),
        ("tesuji bench --list", "tesuji bench --list"),
        ("tesuji match chess random random --games 1", "--games 1"),
    ] {
        assert!(smaller(written).ends_with(run), "{}", smaller(written));
    }
    let file = "games = 40  # many\ngames = \"limited\"\n  \"pvs:depth=9,ties=random\",\n";
    let less = "games = 2  # many\ngames = \"limited\"\n  \"pvs:depth=3,ties=random\",\n";
    assert_eq!(smaller_file(file), less);
}
