//! The position sets, named as Pascal Pons named his: after the number of stones (begin: up to 14,
//! middle: up to 28, end) and the number of moves left (easy: up to 14, medium: up to 28, hard).
//! Ours were generated once by `--make-sets` and are part of the program, so that they do not
//! change with the solver.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::rules::connect4::{Connect4, FixedSize};
use tesuji_games::{GameLine, Position, Symmetry};
use tesuji_search::{Connect4Solver, Limits};

use super::TABLE;
use super::solver::ExternalSolver;
use crate::prelude::*;
use crate::scored_positions::{self, ScoredPosition};

/// The prefix of the files of sets.
const PREFIX: &str = "Test_";

/// The conditions for the positions of a set.
struct SetKind {
    name: &'static str,
    stones: RangeInclusive<u32>,
    moves_left: RangeInclusive<u32>,
    count: usize,
    /// The node limit for a candidate.
    most_nodes: u64,
    text: &'static str,
}

/// The node limit of easy sets. A position of an easy set takes a few thousand nodes; to find that
/// a random beginning is not easy would take many millions.
const EASY: u64 = 100_000;
const ANY: u64 = u64::MAX;

macro_rules! kind {
    ($name:literal, $stones:expr, $moves_left:expr, $count:literal, $most:expr) => {
        SetKind {
            name: $name,
            stones: $stones,
            moves_left: $moves_left,
            count: $count,
            most_nodes: $most,
            text: include_str!(concat!("../../../../data/connect4/Test_", $name)),
        }
    };
}

/// All sets. A book covers the positions of the last one.
const KINDS: [SetKind; 6] = [
    kind!("end-easy", 29..=41, 0..=14, 1000, EASY),
    kind!("middle-easy", 15..=28, 0..=14, 1000, EASY),
    kind!("middle-medium", 15..=28, 15..=28, 1000, ANY),
    kind!("begin-easy", 4..=14, 0..=14, 500, EASY),
    kind!("begin-medium", 4..=14, 15..=28, 50, ANY),
    kind!("begin-hard", 4..=8, 29..=42, 10, ANY),
];

pub(crate) struct PositionSet {
    pub(crate) name: String,
    pub(crate) positions: Vec<ScoredPosition<Connect4>>,
    source: SetSource,
}

enum SetSource {
    File(PathBuf),
    Text(&'static str),
}

impl PositionSet {
    /// The mean seconds of each peer. The peer gets the set as a file, a temporary one for a
    /// built-in set.
    pub(crate) fn times(&self, peers: &[ExternalSolver]) -> Result<Vec<f64>, Failure> {
        if peers.is_empty() {
            return Ok(Vec::new());
        }
        let mut temporary = NamedTempFile::new()?;
        let path = match &self.source {
            SetSource::File(path) => path,
            SetSource::Text(text) => {
                temporary.write_all(text.as_bytes())?;
                temporary.path()
            }
        };
        peers.iter().map(|peer| peer.mean_seconds(path)).collect()
    }
}

pub(crate) fn built_in() -> Result<Vec<PositionSet>, Failure> {
    let read = |kind: &SetKind| {
        let positions = scored_positions::parse(&Connect4::new(), kind.text)
            .map_err(|problem| Failure::Failed(format!("set {}: {problem}", kind.name)))?;
        Ok(PositionSet {
            name: kind.name.to_string(),
            positions,
            source: SetSource::Text(kind.text),
        })
    };
    KINDS.iter().map(read).collect()
}

/// The sets of a folder: its files `Test_*`, sorted by name.
pub(crate) fn of_folder(folder: &Path) -> Result<Vec<PositionSet>, Failure> {
    if !folder.is_dir() {
        return Err(Failure::in_file(folder, "is not a folder; expected a folder of files Test_*"));
    }
    let entries = fs::read_dir(folder).in_file(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>().in_file(folder)?;
    paths.sort();
    let mut sets = Vec::new();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(name) = name.strip_prefix(PREFIX) {
            let positions = scored_positions::read(&Connect4::new(), &path)?;
            sets.push(PositionSet {
                name: name.to_string(),
                positions,
                source: SetSource::File(path),
            });
        }
    }
    if sets.is_empty() {
        return Err(Failure::in_file(folder, "no sets; expected files named Test_*"));
    }
    Ok(sets)
}

/// Generates the built-in sets again, from fixed seeds, and writes them to a folder. (A solver with
/// other node counts may give up other candidates, and so generate another set of easy beginnings.)
pub(crate) fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).in_file(folder)?;
    let total = KINDS.iter().map(|kind| kind.count as u64).sum();
    let progress = Progress::new(Some(total), "positions");
    let mut done = 0;
    for (seed, kind) in (1..).zip(&KINDS) {
        let mut solver = Connect4Solver::new(FixedSize::<7, 6>, TABLE);
        let mut rng = seeded(seed);
        let (mut seen, mut text) = (HashSet::new(), String::new());
        while seen.len() < kind.count {
            let Some((line, score)) = kind.draw(&mut solver, &mut rng) else { continue };
            if seen.insert(line.end.canonical_key()) {
                text += &format!("{} {score}\n", line.text());
                done += 1;
                progress.show(done, || kind.name.to_string());
            }
        }
        let path = folder.join(format!("{PREFIX}{}", kind.name));
        fs::write(&path, text).in_file(&path)?;
    }
    Ok(())
}

impl SetKind {
    /// The position after random moves, if it meets the conditions. The side to move must not win
    /// with its next move, as every solver sees that.
    fn draw(
        &self,
        solver: &mut Connect4Solver<FixedSize<7, 6>>,
        rng: &mut Rng,
    ) -> Option<(GameLine<Connect4>, i32)> {
        let (fewest, most) = (*self.stones.start(), *self.stones.end());
        let stones = fewest + below(rng, most - fewest + 1);
        let mut line = GameLine::new(Connect4::new());
        for _ in 0..stones {
            let m = line.end.random_move(rng);
            line.play(m).ok()?;
            line.end.outcome().is_none().then_some(())?;
        }
        line.end.winning_move().is_none().then_some(())?;
        let score = solver.score(&line.end, &Limits::nodes(self.most_nodes)).ok()?;
        let moves_left = solver.last_ply(&line.end, score) - stones;
        self.moves_left.contains(&moves_left).then_some((line, score))
    }
}
