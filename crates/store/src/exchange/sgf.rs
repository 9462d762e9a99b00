//! SGF, the Smart Game Format (Kierulf, 1987; version 4, Hollosi, 1997): games of all kinds, for
//! board programs. Data that SGF does not support are written in the private property `TJ`, so that
//! a record is read back exactly.

mod foreign;
mod tree;

use std::io::{BufRead, Write};

use tesuji_games::{Outcome, Point, Side};

use super::error::excerpt;
use super::plies::{self, Family, GameTraits, Ply, PlyList, Target};
use super::read::{Each, write_bounded};
use super::{ExchangeError, ReadOptions, ReadSummary, date, metadata};
use crate::{EndingKind, GameRecord, Record, SearchRecord};
use tree::{Node, Trees, escape, main_line, variations};

/// Moves per line of the file.
const MOVES_A_LINE: usize = 10;

/// The number of games that SGF does not list. Without a number a game would count as Go.
const NO_NUMBER: u32 = 0;

/// Writes one game.
pub fn write(out: &mut dyn Write, record: &GameRecord) -> Result<(), ExchangeError> {
    write_bounded(out, &record.key, "SGF", |out| write_any(out, record))
}

fn write_any(out: &mut dyn Write, record: &GameRecord) -> Result<(), ExchangeError> {
    let unwritable =
        |why| ExchangeError::Unwritable { key: record.key.clone(), format: "SGF", why };
    let list = PlyList::of(record).map_err(unwritable)?;
    let opening = record.opening_plies as usize;
    let own_moves = list.plies.len().saturating_sub(opening);
    let with_moves = record.thoughts.len().min(own_moves);
    // Search records without a move: of a player that failed.
    let (thoughts, others) = record.thoughts.split_at(with_moves);
    let json = metadata::text(record, others).map_err(unwritable)?;
    write!(out, "(;{}TJ[{}]", root(record, &list.traits), escape(&json))?;
    for (number, ply) in list.plies.iter().enumerate() {
        out.write_all(if number % MOVES_A_LINE == 0 { b"\n;" } else { b";" })?;
        write!(out, "{}[{}]", color(ply.side, &list.traits), escape(&value(&ply.target)))?;
        if let Some(thought) = number.checked_sub(opening).and_then(|index| thoughts.get(index)) {
            let text = serde_json::to_string(thought).map_err(std::io::Error::from)?;
            write!(out, "TJ[{}]", escape(&text))?;
        }
    }
    Ok(out.write_all(b")\n")?)
}

/// The standard properties.
fn root(record: &GameRecord, traits: &GameTraits) -> String {
    let mut text = format!("FF[4]GM[{}]CA[UTF-8]", number(traits));
    text += &format!("AP[tesuji:{}]", env!("CARGO_PKG_VERSION"));
    match traits.size {
        Some((width, height)) if width == height => text += &format!("SZ[{width}]"),
        Some((width, height)) => text += &format!("SZ[{width}:{height}]"),
        None => {}
    }
    for side in Side::ALL {
        let name = simple(&record.players[side.index()].name);
        text += &format!("P{}[{name}]", color(side, traits));
    }
    if !record.event.is_empty() {
        text += &format!("EV[{}]", simple(&record.event));
    }
    if record.played_at > 0 {
        text += &format!("DT[{}]", date::text(record.played_at));
    }
    text += &format!("RU[{}]RE[{}]", rules(record, traits), result(record, traits));
    text
}

fn number(traits: &GameTraits) -> u32 {
    match traits.family {
        Family::Othello => 2,
        Family::Chess => 3,
        Family::Gomoku { .. } => 4,
        Family::Other => NO_NUMBER,
    }
}

/// The first side is black, except in chess.
fn color(side: Side, traits: &GameTraits) -> char {
    match (side, traits.family == Family::Chess) {
        (Side::First, false) | (Side::Second, true) => 'B',
        (Side::First, true) | (Side::Second, false) => 'W',
    }
}

fn side_of(color: char, traits: &GameTraits) -> Side {
    if self::color(Side::First, traits) == color { Side::First } else { Side::Second }
}

fn rules(record: &GameRecord, traits: &GameTraits) -> String {
    match traits.family {
        Family::Gomoku { exact: false } => "Freestyle".to_string(),
        Family::Gomoku { exact: true } => "Standard".to_string(),
        _ => simple(&record.game),
    }
}

fn result(record: &GameRecord, traits: &GameTraits) -> String {
    if record.ending.is_unfinished() {
        return "?".to_string();
    }
    let Outcome::Win(winner) = record.outcome else { return "0".to_string() };
    let how = match record.ending.kind {
        EndingKind::Resigned => "Resign",
        EndingKind::Time => "Time",
        kind if kind.is_failure() => "Forfeit",
        _ => "",
    };
    format!("{}+{how}", color(winner, traits))
}

/// Escapes a text and removes its line breaks.
fn simple(text: &str) -> String {
    escape(&text.replace(char::is_control, " "))
}

fn value(target: &Target) -> String {
    match target {
        Target::Word(word) => word.clone(),
        Target::Point(None) => String::new(),
        Target::Point(Some(point)) => [letter(point.x), letter(point.y)].iter().collect(),
    }
}

/// `a` to `z`, then `A` to `Z`.
fn letter(number: usize) -> char {
    match u8::try_from(number) {
        Ok(small @ 0..26) => char::from(b'a' + small),
        Ok(large @ 26..52) => char::from(b'A' + large - 26),
        _ => '?',
    }
}

fn number_of_letter(letter: u8) -> Option<usize> {
    match letter {
        b'a'..=b'z' => Some(usize::from(letter - b'a')),
        b'A'..=b'Z' => Some(usize::from(letter - b'A') + 26),
        _ => None,
    }
}

fn point_of(value: &str) -> Option<Point> {
    match *value.as_bytes() {
        [x, y] => Some(Point { x: number_of_letter(x)?, y: number_of_letter(y)? }),
        _ => None,
    }
}

/// Reads a file and calls `each` with the main line of every game.
pub fn read(
    input: &mut dyn BufRead,
    options: &ReadOptions,
    each: &mut Each<'_>,
) -> Result<ReadSummary, ExchangeError> {
    let mut summary = ReadSummary::default();
    let mut trees = Trees::new(input);
    let mut tree = Vec::new();
    loop {
        match trees.next(&mut tree) {
            Ok(None) => break,
            Ok(Some(line)) => {
                let game = game(&tree, line, options);
                let mut each = |record| each(record).map_err(|error| error.at(line));
                let records = summary.records;
                summary.take(options, game.map(Record::Game), &mut each)?;
                if summary.records > records {
                    summary.variations += variations(&tree);
                }
            }
            Err(error) => {
                let ended = !error.is_local();
                summary.skip(options, error)?;
                if ended {
                    break;
                }
            }
        }
    }
    if summary.records + summary.left_out == 0 {
        return Err(ExchangeError::Empty { what: "no game; expected SGF such as (;GM[4];B[hh])" });
    }
    Ok(summary)
}

fn game(tree: &[u8], line: u64, options: &ReadOptions) -> Result<GameRecord, ExchangeError> {
    let nodes = main_line(tree, line)?;
    let root =
        nodes.first().ok_or_else(|| ExchangeError::malformed(line, "a game without nodes"))?;
    let record = match root.value("TJ") {
        Some(json) => own_game(json, root, &nodes)?,
        None => foreign::game(root, &nodes, options)?,
    };
    if record.ending.is_unfinished() && !options.unfinished {
        let what = "the result is unknown; expected RE[B+], RE[W+] or RE[0]";
        return Err(ExchangeError::malformed(root.line, what));
    }
    Ok(record)
}

/// A game that [`write`] wrote.
fn own_game(json: &str, root: &Node, nodes: &[Node]) -> Result<GameRecord, ExchangeError> {
    let at_root = |what: String| ExchangeError::malformed(root.line, what);
    let mut record = metadata::read(json).map_err(|why| at_root(format!("property TJ: {why}")))?;
    let traits = GameTraits::of(&record.game).map_err(|error| at_root(error.to_string()))?;
    let (plies, lines) = plies_of(nodes, &traits)?;
    let replayed = plies::replay(&record.game, record.start.as_deref(), &plies)
        .map_err(|(ply, why)| ExchangeError::malformed(line_of(&lines, ply, root), why))?;
    if record.ending.kind == EndingKind::Rules {
        metadata::agree(record.outcome, replayed.outcome).map_err(at_root)?;
    }
    record.moves = replayed.moves;
    let mut thoughts = thoughts(nodes, record.opening_plies as usize)?;
    thoughts.append(&mut record.thoughts);
    record.thoughts = thoughts;
    Ok(record)
}

fn line_of(lines: &[u64], ply: usize, root: &Node) -> u64 {
    lines.get(ply).copied().unwrap_or(root.line)
}

/// The moves of the nodes, and their lines in the file.
fn plies_of(nodes: &[Node], traits: &GameTraits) -> Result<(Vec<Ply>, Vec<u64>), ExchangeError> {
    let mut plies = Vec::new();
    let mut lines = Vec::new();
    for node in nodes {
        if let Some(ply) = ply(node, traits)? {
            plies.push(ply);
            lines.push(node.line);
        }
    }
    Ok((plies, lines))
}

/// The move of a node, if it has one.
fn ply(node: &Node, traits: &GameTraits) -> Result<Option<Ply>, ExchangeError> {
    let malformed = |what: String| ExchangeError::malformed(node.line, what);
    let (color, values) = match (node.values("B"), node.values("W")) {
        ([], []) => return Ok(None),
        (values, []) => ('B', values),
        ([], values) => ('W', values),
        _ => return Err(malformed("a node with a black and a white move".to_string())),
    };
    let [value] = values else {
        return Err(malformed(format!("{} moves in one node; expected one", values.len())));
    };
    let side = side_of(color, traits);
    let target = match traits.points {
        false => Target::Word(value.trim().to_string()),
        true => Target::Point(point(value, traits).map_err(malformed)?),
    };
    Ok(Some(Ply { side, target }))
}

/// A point of the board; a pass is written `[]`, or `[tt]` in older files.
fn point(value: &str, traits: &GameTraits) -> Result<Option<Point>, String> {
    let value = value.trim();
    let (width, height) = traits.size.unwrap_or_default();
    let on_board = |point: &Point| point.x < width && point.y < height;
    match point_of(value) {
        None if value.is_empty() => Ok(None),
        Some(point) if on_board(&point) => Ok(Some(point)),
        Some(_) if value == "tt" && width <= 19 && height <= 19 => Ok(None),
        _ => {
            let last: String =
                [letter(width.max(1) - 1), letter(height.max(1) - 1)].iter().collect();
            Err(format!(
                "{} is not a point; expected two letters from aa to {last}",
                excerpt(value)
            ))
        }
    }
}

/// The search records of the moves after the opening, up to the last that has one.
fn thoughts(nodes: &[Node], opening: usize) -> Result<Vec<SearchRecord>, ExchangeError> {
    let moves =
        nodes.iter().filter(|node| !node.values("B").is_empty() || !node.values("W").is_empty());
    let mut thoughts = Vec::new();
    for (number, node) in moves.skip(opening).enumerate() {
        let Some(text) = node.value("TJ") else { continue };
        let thought = serde_json::from_str(text).map_err(|error| {
            ExchangeError::malformed(node.line, format!("property TJ: {error}"))
        })?;
        thoughts.resize(number, SearchRecord::default());
        thoughts.push(thought);
    }
    Ok(thoughts)
}
