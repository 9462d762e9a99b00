//! Games of other programs: their rules and results.

use std::collections::BTreeSet;

use tesuji_games::{Outcome, Point, Side};

use super::super::error::excerpt;
use super::super::plies::{self, GameTraits, Replayed};
use super::super::{ExchangeError, ReadOptions, date, metadata};
use super::tree::Node;
use super::{color, line_of, plies_of, point_of, side_of};
use crate::{Ending, EndingKind, GameRecord};

/// The record of a game of another program.
pub(super) fn game(
    root: &Node,
    nodes: &[Node],
    options: &ReadOptions,
) -> Result<GameRecord, ExchangeError> {
    let at_root = |what: String| ExchangeError::malformed(root.line, what);
    let game = match &options.game {
        Some(game) => game.clone(),
        None => named_game(root).map_err(at_root)?,
    };
    let traits = GameTraits::of(&game).map_err(|error| at_root(error.to_string()))?;
    check_setup(&game, nodes, &traits)?;
    let (plies, lines) = plies_of(nodes, &traits)?;
    let replayed = plies::replay(&game, None, &plies)
        .map_err(|(ply, why)| ExchangeError::malformed(line_of(&lines, ply, root), why))?;
    let (outcome, ending) = ending(root, &replayed, &traits).map_err(at_root)?;
    let name = |side: Side| {
        let property = format!("P{}", color(side, &traits));
        root.simple(&property).unwrap_or_else(|| "?".to_string())
    };
    let mut record = GameRecord {
        event: root.simple("EV").unwrap_or_default(),
        played_at: root.simple("DT").and_then(|text| date::seconds(&text)).unwrap_or_default(),
        moves: replayed.moves,
        outcome,
        ending,
        ..metadata::foreign(game, Side::ALL.map(name))
    };
    record.key = metadata::content_key(&record);
    Ok(record)
}

/// The game according to the properties.
fn named_game(root: &Node) -> Result<String, String> {
    let number = root.simple("GM").unwrap_or_else(|| "1".to_string());
    let size = size(root)?;
    let rules = root.simple("RU").unwrap_or_default();
    match number.as_str() {
        "2" => Ok(sized("othello", size, (8, 8))),
        "3" => Ok("chess".to_string()),
        "4" => gomoku(size, &rules),
        // Files of this program name a game without a number in the rules.
        _ if GameTraits::of(&rules).is_ok() => Ok(rules),
        "1" => Err(
            "it is a game of Go (GM[1], or no GM); expected another game, or its name as --game"
                .to_string(),
        ),
        _ => Err(format!(
            "unknown game GM[{}]; expected 2 (Othello), 3 (chess) or 4 (Gomoku), or --game",
            excerpt(&number).trim_matches('\'')
        )),
    }
}

fn gomoku(size: Option<(usize, usize)>, rules: &str) -> Result<String, String> {
    let rules = rules.to_ascii_lowercase();
    if rules.contains("renju") {
        return Err(
            "the rules of Renju are not supported; expected --game to read it as another game"
                .to_string(),
        );
    }
    let exact = rules.contains("standard") || rules.contains("exact");
    let game = sized("gomoku", size, (15, 15));
    Ok(match (exact, game.contains(':')) {
        (false, _) => game,
        (true, true) => game + ",exact",
        (true, false) => game + ":exact",
    })
}

fn sized(name: &str, size: Option<(usize, usize)>, usual: (usize, usize)) -> String {
    match size {
        Some((width, height)) if (width, height) != usual => format!("{name}:{width}x{height}"),
        _ => name.to_string(),
    }
}

fn size(root: &Node) -> Result<Option<(usize, usize)>, String> {
    let Some(text) = root.simple("SZ") else { return Ok(None) };
    let (width, height) = text.split_once(':').unwrap_or((&text, &text));
    match (width.trim().parse(), height.trim().parse()) {
        (Ok(width), Ok(height)) => Ok(Some((width, height))),
        _ => Err(format!("{} is not a size; expected SZ[15] or SZ[7:6]", excerpt(&text))),
    }
}

/// Checks that stones that are set up are those of the start position.
fn check_setup(game: &str, nodes: &[Node], traits: &GameTraits) -> Result<(), ExchangeError> {
    let set_up = |node: &Node| ["AB", "AW", "AE"].iter().any(|name| !node.values(name).is_empty());
    let Some(node) = nodes.iter().find(|node| set_up(node)) else { return Ok(()) };
    let refused = |what: &str| Err(ExchangeError::malformed(node.line, what));
    let points = |name: &str| -> Option<BTreeSet<Point>> {
        node.values(name).iter().map(|value| point_of(value)).collect()
    };
    let usual = plies::stones_at_start(game)
        .map_err(|error| ExchangeError::malformed(node.line, error.to_string()))?;
    let mut found = [points("AB"), points("AW")];
    if side_of('W', traits) == Side::First {
        found.reverse();
    }
    let first = nodes.first().is_some_and(|first| first.line == node.line && set_up(first));
    if first && found == usual.map(Some) && node.values("AE").is_empty() {
        return Ok(());
    }
    refused("stones that are set up (AB, AW, AE) are not supported; expected moves from the start")
}

/// The result by the rules, or else by the file.
fn ending(
    root: &Node,
    replayed: &Replayed,
    traits: &GameTraits,
) -> Result<(Outcome, Ending), String> {
    let given = match root.simple("RE") {
        Some(text) => result(&text, traits)?,
        None => None,
    };
    match (replayed.outcome, given) {
        (Some(outcome), given) => {
            if let Some((given, _)) = given {
                metadata::agree(given, replayed.outcome)?;
            }
            Ok((outcome, Ending::plain(EndingKind::Rules)))
        }
        (None, Some(given)) => Ok(given),
        (None, None) => Ok((Outcome::Draw, Ending::unfinished())),
    }
}

/// Parses `RE`; `None` if the result is unknown.
fn result(text: &str, traits: &GameTraits) -> Result<Option<(Outcome, Ending)>, String> {
    let (winner, how) = text.split_once('+').unwrap_or((text, ""));
    let outcome = match winner.trim() {
        "0" | "Draw" | "draw" => Outcome::Draw,
        "B" | "b" => Outcome::Win(side_of('B', traits)),
        "W" | "w" => Outcome::Win(side_of('W', traits)),
        "?" | "Void" => return Ok(None),
        _ => return Err(format!("{} is not a result; expected B+, W+ or 0", excerpt(text))),
    };
    let ending = match how.trim() {
        "R" | "Resign" => Ending::plain(EndingKind::Resigned),
        "T" | "Time" => Ending::plain(EndingKind::Time),
        "F" | "Forfeit" => Ending::with(EndingKind::Unknown, "forfeit"),
        _ => Ending::plain(EndingKind::Unknown),
    };
    Ok(Some((outcome, ending)))
}
