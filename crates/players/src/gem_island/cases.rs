//! Case files: boards, turns, lists of legal swaps, state strings and evaluations that were
//! recorded from the published program, replayed by every implementation of the rules.

mod file;
mod replay;

use serde::Serialize;
use tesuji_games::rules::gem_island::Fidelity;
use tesuji_games::rules::gem_island::reference::{PlainBoard, PlainStep};
use tesuji_games::rules::gem_island::text::{GemSnapshot, TextDialect};

use file::{CaseBoard, EvaluationCase, LegalMoves, StateString, TurnCase, TurnDetails, UnitTest};
pub use file::{CaseError, CaseFile};
use replay::{Implementation, ReplayedTurn};

/// The result of all cases of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CaseReport {
    /// The name in the file.
    pub kind: &'static str,
    /// Number of cases that every implementation reproduces.
    pub matches: usize,
    /// One line for each other case: its number or name, and the difference.
    pub mismatches: Vec<String>,
}

impl CaseFile {
    /// Replays all cases, kind by kind.
    pub fn check(&self) -> Vec<CaseReport> {
        vec![
            kind("unit_tests", &self.unit_tests, |case| Some(&case.name), unit_test),
            kind("state_strings", &self.state_strings, |case| Some(&case.name), state_string),
            kind("legal_moves", &self.legal_moves, |_| None, legal_moves),
            kind(
                "full_turns_real_game",
                &self.full_turns_real_game,
                |_| None,
                |case| turn(case, Fidelity::Exact),
            ),
            kind(
                "simulator_turns_with_original_bug",
                &self.simulator_turns,
                |_| None,
                |case| turn(case, Fidelity::Original),
            ),
            kind("evaluations", &self.evaluations, |_| None, |case| self.evaluation(case)),
        ]
    }

    fn evaluation(&self, case: &EvaluationCase) -> Result<(), String> {
        // The turn's number was checked when the file was read.
        let turn = &self.simulator_turns[case.case];
        let names = ["crude", "heuristic", "binary", "mp", "ir", "gr"];
        let expected = [case.crude, case.heuristic, case.binary, case.mp, case.ir, case.gr];
        each(&turn.before.plain, |one| {
            let found = (one.evaluations)(turn);
            // Equal up to the rounding of sums.
            let near = |expected: f64, found: f64| (expected - found).abs() < 1e-12;
            let mut rows = names.into_iter().zip(expected.into_iter().zip(found));
            match rows.find(|(_, (expected, found))| !near(*expected, *found)) {
                None => Ok(()),
                Some((name, (expected, found))) => {
                    Err(format!("{name} is {found}, expected {expected}"))
                }
            }
        })
    }
}

/// Replays a case with every implementation.
fn each(
    board: &PlainBoard,
    replay: impl Fn(&Implementation) -> Result<(), String>,
) -> Result<(), String> {
    let mut all = Implementation::all(board).into_iter();
    all.try_for_each(|one| replay(&one).map_err(|what| format!("{}: {what}", one.name)))
}

/// Replays the cases of one kind.
fn kind<C>(
    kind: &'static str,
    cases: &[C],
    name: impl Fn(&C) -> Option<&String>,
    replay: impl Fn(&C) -> Result<(), String>,
) -> CaseReport {
    let mut report = CaseReport { kind, matches: 0, mismatches: Vec::new() };
    for (number, case) in cases.iter().enumerate() {
        let name = name(case).map_or(String::new(), |name| format!(" ({name})"));
        match replay(case) {
            Ok(()) => report.matches += 1,
            Err(what) => report.mismatches.push(format!("case {number}{name}: {what}")),
        }
    }
    report
}

fn unit_test(case: &UnitTest) -> Result<(), String> {
    each(&case.board, |one| {
        let Some((step, ice)) = (one.step)(case) else { return Ok(()) };
        same_step(&case.step, &step)?;
        case.ice_after.as_ref().map_or(Ok(()), |expected| same_layer("ice", expected, &ice))
    })
}

fn state_string(case: &StateString) -> Result<(), String> {
    let CaseBoard { plain, .. } = &case.board;
    each(plain, |one| match (one.snapshot)(case).to_text(TextDialect::Python) {
        text if text == case.text => Ok(()),
        text => Err(format!("the state is {text:?}, expected {:?}", case.text)),
    })?;
    let (rows, columns) = (plain.rows() as u8, plain.columns() as u8);
    let read = GemSnapshot::parse(&case.text, rows, columns, TextDialect::Python);
    let read = read.map_err(|error| format!("the expected state cannot be read: {error}"))?;
    let back = read.to_text(TextDialect::Python);
    if back == case.text {
        Ok(())
    } else {
        Err(format!("reading and writing it again gives {back:?}"))
    }
}

fn legal_moves(case: &LegalMoves) -> Result<(), String> {
    each(&case.plain, |one| {
        let found = (one.legal_swaps)(&case.plain);
        same("legal moves", case.swaps.len(), found.len())?;
        let mut pairs = found.iter().zip(&case.swaps).enumerate();
        match pairs.find(|(_, (found, expected))| found != expected) {
            None => Ok(()),
            Some((n, (found, expected))) => {
                Err(format!("legal move {n} is {found}, expected {expected}"))
            }
        }
    })
}

fn turn(case: &TurnCase, fidelity: Fidelity) -> Result<(), String> {
    each(&case.before.plain, |one| match (one.turn)(case, fidelity) {
        Some(outcome) => same_turn(case, &outcome),
        None => Err(format!("{} is not legal", case.swap)),
    })
}

fn same_turn(case: &TurnCase, found: &ReplayedTurn) -> Result<(), String> {
    if let Some(step) = &case.first_step {
        same_step(step, &found.first_step)?;
    }
    let CaseBoard { plain, medals_left, moves_left } = &case.after;
    same_layer("gem", &plain.gems, &found.after.gems)?;
    same_layer("ice", &plain.ice, &found.after.ice)?;
    same_layer("medal", &plain.medals, &found.after.medals)?;
    let TurnDetails { refill_tape, cascade_passes, score_after, win, terminal } = &case.details;
    same("draws", refill_tape.len(), found.draws)?;
    same("medals left", *medals_left, found.medals_left)?;
    same("moves left", *moves_left, found.moves_left)?;
    same_if_recorded("passes", *cascade_passes, found.passes)?;
    same_if_recorded("score", *score_after, found.final_score())?;
    let won = found.medals_left == 0;
    same_if_recorded("win", *win, won)?;
    same_if_recorded("terminal", *terminal, won || found.moves_left == 0)
}

fn same_if_recorded<T: PartialEq + std::fmt::Display>(
    name: &str,
    expected: Option<T>,
    found: T,
) -> Result<(), String> {
    expected.map_or(Ok(()), |expected| same(name, expected, found))
}

fn same_step(expected: &PlainStep, found: &PlainStep) -> Result<(), String> {
    let lists = [
        ("removals", &expected.removed, &found.removed),
        ("bonuses", &expected.created, &found.created),
    ];
    for (name, expected, found) in lists {
        same(name, expected.len(), found.len())?;
        if let Some((expected, found)) = expected.iter().zip(found).find(|(a, b)| a != b) {
            return Err(format!("{name}: {found:?}, expected {expected:?}"));
        }
    }
    Ok(())
}

fn same_layer<T: PartialEq + std::fmt::Debug>(
    name: &str,
    expected: &[Vec<T>],
    found: &[Vec<T>],
) -> Result<(), String> {
    for (row, (expected, found)) in expected.iter().zip(found).enumerate() {
        let mut pairs = expected.iter().zip(found).enumerate();
        if let Some((column, (expected, found))) = pairs.find(|(_, (a, b))| a != b) {
            return Err(format!(
                "{name} at row {row} column {column} is {found:?}, expected {expected:?}"
            ));
        }
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Display>(name: &str, expected: T, found: T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{name}: {found}, expected {expected}")) }
}
