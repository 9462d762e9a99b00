//! How commands are made to take seconds: the amounts in them, and those in the files that they name, are made smaller.
//! Everything else is run as it is written.

use super::words::split;

/// `--option N` with at most so much.
const OPTIONS: &[(&str, u64)] =
    &[("--games", 2), ("--depth", 4), ("--iterations", 2), ("--steps", 2), ("--seconds", 1)];

/// `key=N` of a player with at most so much.
const KEYS_OF_PLAYERS: &[(&str, u64)] = &[("depth", 3), ("sims", 50)];

/// `--time T` and `time=T` with at most so many milliseconds.
const MILLISECONDS: u64 = 20;

/// Words that are added to a verb.
const ADDED: &[(&str, &str)] = &[
    ("bench", "--rounds 1"),
    ("match", "--games 2"),
    ("reproduce", "--quick"),
    ("serve", "--addr 127.0.0.1:0"),
    // The test has a server of its own: this one only says whether it would start.
    ("nats-server", "-t"),
];

/// `key = N` in files of trainings and tournaments with at most so much.
const KEYS_OF_FILES: &[(&str, u64)] = &[
    ("games", 2),
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
            option => at_most(word, bound(OPTIONS, option)).unwrap_or_else(|| player(word)),
        });
    }
    words.extend(added(&words));
    words.join(" ")
}

/// The same for a file of a training or a tournament.
pub(crate) fn smaller_file(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let Some((key, value)) = line.split_once(" = ") else { return line.to_string() };
        let (number, remark) = value.split_once(' ').unwrap_or((value, ""));
        let bound = bound(KEYS_OF_FILES, key.trim());
        at_most(number, bound).map_or(line.to_string(), |less| format!("{key} = {less} {remark}"))
    });
    lines.map(|line| player(&line) + "\n").collect()
}

/// A player's amounts, wherever in a word they are.
fn player(word: &str) -> String {
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

/// A time as `2s` or `100ms`; what is no time is left alone.
fn shorter(time: &str) -> String {
    let digits = time.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_short = time.ends_with("ms") && digits.parse().is_ok_and(|ms: u64| ms <= MILLISECONDS);
    let is_time = digits.len() < time.len() && digits.parse::<f64>().is_ok();
    if is_time && !is_short { format!("{MILLISECONDS}ms") } else { time.to_string() }
}

/// What a command gets that does not say it already, nor only asks something.
fn added(words: &[String]) -> Option<String> {
    let verb = words.iter().take(2).find(|word| *word != "tesuji")?;
    let (_, more) = ADDED.iter().find(|(name, _)| name == verb)?;
    let option = more.split(' ').next()?;
    let has_it = |word: &String| [option, "--list", "--help"].contains(&word.as_str());
    (!words.iter().any(has_it)).then(|| more.to_string())
}

#[test]
fn amounts_become_small() {
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
