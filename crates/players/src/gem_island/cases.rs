//! Case files: boards, turns, lists of legal swaps, state strings and evaluations that were recorded from the published
//! program, replayed by every implementation of the rules here.

mod file;
mod replay;

use serde::Serialize;
use tesuji_games::rules::gem_island::Fidelity;
use tesuji_games::rules::gem_island::reference::{Plain, PlainStep};
use tesuji_games::rules::gem_island::text::{Dialect, Snapshot};

use file::{Board, Evaluation, LegalMoves, Turn, UnitTest};
pub use file::{CaseError, CaseFile};
use replay::{Implementation, Outcome};

/// How often a file was reproduced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Kind by kind.
    pub kinds: Vec<KindReport>,
}

impl Report {
    /// How many cases were not reproduced.
    pub fn mismatches(&self) -> usize {
        self.kinds.iter().map(|kind| kind.mismatches.len()).sum()
    }
}

/// The cases of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KindReport {
    /// As the file calls it.
    pub kind: &'static str,
    /// Cases that every implementation reproduces.
    pub matches: usize,
    /// One line for each of the others: its number or name, and what differed.
    pub mismatches: Vec<String>,
}

impl CaseFile {
    /// Replays everything.
    pub fn check(&self) -> Report {
        let kinds = vec![
            kind("unit_tests", &self.unit_tests, unit_test),
            kind("state_strings", &self.state_strings, state_string),
            kind("legal_moves", &self.legal_moves, legal_moves),
            kind("full_turns_real_game", &self.full_turns_real_game, |case| {
                turn(case, Fidelity::Exact)
            }),
            kind("simulator_turns_with_original_bug", &self.simulator_turns, |case| {
                turn(case, Fidelity::Original)
            }),
            kind("evaluations", &self.evaluations, |case| self.evaluation(case)),
        ];
        Report { kinds }
    }

    fn evaluation(&self, case: &Evaluation) -> Result<(), String> {
        // Which turns there are was checked when the file was read.
        let turn = &self.simulator_turns[case.case];
        let names = ["crude", "heuristic", "binary", "mp", "ir", "gr"];
        let expected = [case.crude, case.heuristic, case.binary, case.mp, case.ir, case.gr];
        for one in Implementation::ALL {
            let found = one.evaluations(turn);
            if let Some(n) = (0..names.len()).find(|n| !near(expected[*n], found[*n])) {
                let (name, expected, found) = (names[n], expected[n], found[n]);
                return Err(format!("{one}: {name} is {found}, expected {expected}"));
            }
        }
        Ok(())
    }
}

/// Equal but for the order in which a sum was rounded.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// Replays the cases of one kind.
fn kind<C: Named>(
    kind: &'static str,
    cases: &[C],
    replay: impl Fn(&C) -> Result<(), String>,
) -> KindReport {
    let mut report = KindReport { kind, matches: 0, mismatches: Vec::new() };
    for (number, case) in cases.iter().enumerate() {
        match replay(case) {
            Ok(()) => report.matches += 1,
            Err(what) => report.mismatches.push(format!("{}: {what}", case.name(number))),
        }
    }
    report
}

/// A case that can be told from the others.
trait Named {
    fn name(&self, number: usize) -> String {
        format!("case {number}")
    }
}

impl Named for UnitTest {
    fn name(&self, number: usize) -> String {
        format!("case {number} ({})", self.name)
    }
}

impl Named for file::StateString {
    fn name(&self, number: usize) -> String {
        format!("case {number} ({})", self.name)
    }
}

impl Named for LegalMoves {}
impl Named for Turn {}
impl Named for Evaluation {}

fn unit_test(case: &UnitTest) -> Result<(), String> {
    for one in Implementation::ALL {
        let said = |what: String| format!("{one}: {what}");
        let Some((step, ice)) = one.step(case) else { continue };
        same_step(&case.step, &step).map_err(said)?;
        if let Some(expected) = &case.ice_after {
            same_layer("ice", expected, &ice).map_err(said)?;
        }
    }
    Ok(())
}

fn state_string(case: &file::StateString) -> Result<(), String> {
    let Board { plain, .. } = &case.board;
    for one in Implementation::ALL {
        let text = one.snapshot(case).to_text(Dialect::Python);
        if text != case.text {
            return Err(format!("{one}: the state is {text:?}, expected {:?}", case.text));
        }
    }
    let (rows, columns) = (plain.rows() as u8, plain.columns() as u8);
    let read = Snapshot::parse(&case.text, rows, columns, Dialect::Python);
    let read = read.map_err(|error| format!("the expected state cannot be read: {error}"))?;
    let back = read.to_text(Dialect::Python);
    if back == case.text { Ok(()) } else { Err(format!("read and written again: {back:?}")) }
}

fn legal_moves(case: &LegalMoves) -> Result<(), String> {
    for one in Implementation::ALL {
        let found = one.legal_swaps(&case.plain);
        same("legal moves", case.swaps.len(), found.len())
            .map_err(|what| format!("{one}: {what}"))?;
        let mut pairs = found.iter().zip(&case.swaps).enumerate();
        if let Some((n, (found, expected))) = pairs.find(|(_, (a, b))| a != b) {
            return Err(format!("{one}: legal move {n} is {found}, expected {expected}"));
        }
    }
    Ok(())
}

fn turn(case: &Turn, fidelity: Fidelity) -> Result<(), String> {
    for one in Implementation::ALL {
        let Some(outcome) = one.turn(case, fidelity) else {
            return Err(format!("{one}: {} is not legal", case.swap));
        };
        same_turn(case, &outcome).map_err(|what| format!("{one}: {what}"))?;
    }
    Ok(())
}

fn same_turn(case: &Turn, found: &Outcome) -> Result<(), String> {
    if let Some(step) = &case.first_step {
        same_step(step, &found.first_step)?;
    }
    let Board { plain, medals_left, moves_left } = &case.after;
    same_gems(plain, &found.after)?;
    same_layer("ice", &plain.ice, &found.after.ice)?;
    same_layer("medal", &plain.medals, &found.after.medals)?;
    same("draws", case.tape.len(), found.draws)?;
    same("medals left", *medals_left, found.medals_left)?;
    same("moves left", *moves_left, found.moves_left)?;
    if let Some(passes) = case.passes {
        same("passes", passes, found.passes)?;
    }
    if let Some(score) = case.score {
        same("score", score, found.final_score())?;
    }
    if let Some(win) = case.win {
        same("win", win, found.medals_left == 0)?;
    }
    if let Some(terminal) = case.terminal {
        same("terminal", terminal, found.medals_left == 0 || found.moves_left == 0)?;
    }
    Ok(())
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

fn same_gems(expected: &Plain, found: &Plain) -> Result<(), String> {
    match expected.cells().find(|cell| expected.gem(*cell) != found.gem(*cell)) {
        None => Ok(()),
        Some(cell) => {
            let (expected, found) = (expected.gem(cell), found.gem(cell));
            let (row, column) = (cell.row, cell.column);
            Err(format!("gem at row {row} column {column} is {found:?}, expected {expected:?}"))
        }
    }
}

fn same_layer(name: &str, expected: &[Vec<i8>], found: &[Vec<i8>]) -> Result<(), String> {
    for (row, (expected, found)) in expected.iter().zip(found).enumerate() {
        if let Some(column) = (0..expected.len()).find(|n| expected[*n] != found[*n]) {
            let (expected, found) = (expected[column], found[column]);
            return Err(format!(
                "{name} at row {row} column {column} is {found}, expected {expected}"
            ));
        }
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Display>(name: &str, expected: T, found: T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{name}: {found}, expected {expected}")) }
}
