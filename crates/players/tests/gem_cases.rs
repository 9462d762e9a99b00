//! Case files of Gem Island: our file is reproduced, every change in it is noticed, and any bytes
//! are accepted or refused.

use serde_json::Value;
use tesuji_games::random::{below, seeded};
use tesuji_players::gem_island::cases::{CaseFile, CaseReport};

const CASES: &str = include_str!("../../../examples/gem-cases.json");

fn cases() -> Value {
    serde_json::from_str(CASES).expect("our file is JSON")
}

/// Returns how many cases of a file are not reproduced; `None` when it is refused.
fn mismatches(file: &Value) -> Option<usize> {
    CaseFile::parse(file.to_string().as_bytes()).ok().map(|file| missed(&file.check()))
}

fn missed(kinds: &[CaseReport]) -> usize {
    kinds.iter().map(|kind| kind.mismatches.len()).sum()
}

#[test]
fn our_cases_are_reproduced() {
    let report = CaseFile::parse(CASES.as_bytes()).expect("our file").check();
    let counts: Vec<(&str, usize)> = report.iter().map(|kind| (kind.kind, kind.matches)).collect();
    let expected = [
        ("unit_tests", 5),
        ("state_strings", 3),
        ("legal_moves", 3),
        ("full_turns_real_game", 4),
        ("simulator_turns_with_original_bug", 4),
        ("evaluations", 4),
    ];
    assert_eq!((missed(&report), &counts[..]), (0, &expected[..]));
}

/// Changes every number, word and truth value of expected results.
#[test]
fn every_change_is_noticed() {
    let results = [
        ("unit_tests", &["removals", "bonuses_created", "ice_after"][..]),
        ("state_strings", &["state_string", "score", "medals_uncovered"]),
        ("legal_moves", &["legal_moves"]),
        (
            "full_turns_real_game",
            &[
                "first_removals",
                "first_bonuses",
                "gems_after",
                "ice_after",
                "medals_after",
                "medals_remaining_after",
                "moves_remaining_after",
                "cascade_passes",
                "score_after",
                "win",
                "terminal",
                "refill_tape",
            ],
        ),
        (
            "simulator_turns_with_original_bug",
            &["gems_after", "ice_after", "medals_remaining_after", "moves_remaining_after"],
        ),
        ("evaluations", &["crude", "heuristic", "binary", "mp", "ir", "gr"]),
    ];
    for (kind, fields) in results {
        let count = cases()[kind].as_array().expect("a list").len();
        for (case, field) in (0..count).flat_map(|case| fields.iter().map(move |f| (case, f))) {
            let mut file = cases();
            let value = &mut file[kind][case][*field];
            if !value.is_null() && change(value) {
                assert_ne!(mismatches(&file), Some(0), "{kind} {case} {field} was changed");
            }
        }
    }
}

/// Changes the last value; returns `false` when there is none.
fn change(value: &mut Value) -> bool {
    match value {
        Value::Array(list) => list.last_mut().is_some_and(change),
        Value::Bool(truth) => {
            *truth = !*truth;
            true
        }
        Value::Number(number) => {
            let number = number.as_f64().expect("a number");
            *value = match number.fract() == 0.0 {
                true => Value::from(if number > 0.0 { number - 1.0 } else { number + 1.0 } as i64),
                false => Value::from(number + 1e-9),
            };
            true
        }
        Value::String(text) => {
            text.push('0');
            true
        }
        Value::Null | Value::Object(_) => false,
    }
}

#[test]
fn a_mismatch_says_where_and_what() {
    let mut file = cases();
    file["full_turns_real_game"][2]["cascade_passes"] = Value::from(77);
    file["unit_tests"][1]["bonuses_created"][0][3] = Value::from(1);
    let report = CaseFile::parse(file.to_string().as_bytes()).expect("makes sense").check();
    let all: Vec<&String> = report.iter().flat_map(|kind| &kind.mismatches).collect();
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].starts_with("case 1 (star_at_first_cell): bit planes: bonuses: "), "{all:?}");
    assert_eq!(all[1], "case 2: bit planes: passes: 5, expected 77");
}

#[test]
fn any_bytes_are_taken() {
    let mut rng = seeded(5);
    for _ in 0..2000 {
        let mut bytes = CASES.as_bytes().to_vec();
        for _ in 0..1 + below(&mut rng, 3) {
            let at = below(&mut rng, bytes.len() as u32) as usize;
            let letters = b"0123456789-[],{}\"n\xff";
            bytes[at] = letters[below(&mut rng, letters.len() as u32) as usize];
        }
        match CaseFile::parse(&bytes) {
            Ok(file) => drop(file.check()),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}
