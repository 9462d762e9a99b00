//! Games as lists of plies, as other programs write them: a board size, and for each move a side
//! and a point. Games whose moves are not points keep the text of their moves.

use std::collections::BTreeSet;

use tesuji_games::point::{board_size, move_at, moves_are_points, point_of};
use tesuji_games::rules::chess::Chess;
use tesuji_games::rules::othello::Othello;
use tesuji_games::{
    DiagramCell, Draw, GameLine, Notation, Outcome, Point, Position, RowGame, RowRule, Side,
    SpecError, State, registry,
};

use super::metadata::agree;
use crate::{EndingKind, GameRecord};

/// The most columns and rows that SGF has letters for.
const MAX_SIZE: usize = 52;

/// The properties of a game that formats need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GameTraits {
    /// Its family.
    pub(super) family: Family,
    /// Columns and rows; `None` for more than two dimensions.
    pub(super) size: Option<(usize, usize)>,
    /// Whether moves are written as points.
    pub(super) points: bool,
}

/// Families of games that other programs know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// Five in a row, one stone per turn; with `exact`, longer rows do not win.
    Gomoku {
        exact: bool,
    },
    Othello,
    Chess,
    Other,
}

impl GameTraits {
    /// The traits of a game, by its spec.
    pub(super) fn of(game: &str) -> Result<GameTraits, SpecError> {
        registry::start(game).map(|start| GameTraits::at(&start))
    }

    fn at(start: &State) -> GameTraits {
        let size = board_size(start);
        let fits = size.is_some_and(|(width, height)| width <= MAX_SIZE && height <= MAX_SIZE);
        GameTraits { family: family(start), size, points: fits && moves_are_points(start) }
    }
}

fn family(start: &State) -> Family {
    let is_othello = start.downcast_ref::<Othello<8>>().is_some()
        || start.downcast_ref::<Othello<6>>().is_some()
        || start.downcast_ref::<Othello<4>>().is_some();
    if start.downcast_ref::<Chess>().is_some() {
        Family::Chess
    } else if is_othello {
        Family::Othello
    } else {
        start.rows().map_or(Family::Other, row_family)
    }
}

/// Gomoku is five in a row with one stone per turn, on a board of any size.
fn row_family(game: RowGame) -> Family {
    let five = game.grid.k == 5 && !game.grid.gravity && game.alternates();
    match game.rule {
        RowRule::AtLeast if five => Family::Gomoku { exact: false },
        RowRule::Exactly if five => Family::Gomoku { exact: true },
        _ => Family::Other,
    }
}

/// The points of the stones of each side at the start of a game.
pub(super) fn stones_at_start(game: &str) -> Result<[BTreeSet<Point>; 2], SpecError> {
    let diagram = registry::start(game)?.diagram();
    let width = diagram.columns.len().max(1);
    Ok(Side::ALL.map(|wanted| {
        let cells = diagram.cells.iter().enumerate();
        let mine = cells
            .filter(|(_, cell)| matches!(cell, DiagramCell::Piece { side, .. } if *side == wanted));
        mine.map(|(index, _)| Point { x: index % width, y: index / width }).collect()
    }))
}

/// A game as a list of plies.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PlyList {
    pub(super) traits: GameTraits,
    pub(super) plies: Vec<Ply>,
}

/// A move and its side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ply {
    pub(super) side: Side,
    pub(super) target: Target,
}

/// The target of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// To a point; `None` is a pass.
    Point(Option<Point>),
    /// The text of the move in the notation of the game.
    Word(String),
}

impl PlyList {
    /// The plies of a record. Fails on a record that could not be read again.
    pub(super) fn of(record: &GameRecord) -> Result<PlyList, String> {
        let start = registry::start(&record.game).map_err(|error| error.to_string())?;
        let begin = beginning(&start, record.start.as_deref())?;
        let line = begin.parse_line(&record.moves).map_err(|error| error.to_string())?;
        if record.ending.kind == EndingKind::Rules {
            agree(record.outcome, line.end.outcome())?;
        }
        let traits = GameTraits::at(&start);
        let mut position = line.start.clone();
        let mut plies = Vec::with_capacity(line.moves.len());
        for &m in &line.moves {
            let target = match traits.points {
                true => Target::Point(point_of(&position, m)),
                false => Target::Word(position.move_text(m)),
            };
            plies.push(Ply { side: position.to_move(), target });
            position.play(m);
        }
        Ok(PlyList { traits, plies })
    }
}

/// The first position of a game: its standard start, or a position in its notation.
pub(super) fn beginning<P: Notation>(start: &P, text: Option<&str>) -> Result<P, String> {
    match text {
        None => Ok(start.clone()),
        Some(text) => match start.parse_line(text) {
            Ok(line) => Ok(line.end),
            Err(error) => Err(format!("invalid start position: {error}")),
        },
    }
}

/// A game from a file, replayed by the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Replayed {
    /// The moves in the notation of the game.
    pub(super) moves: String,
    /// The outcome by the rules, if the game is over.
    pub(super) outcome: Option<Outcome>,
    /// The side to move at the end.
    pub(super) to_move: Side,
}

/// Plays the moves of a file. The error is the ply, counted from 0, and the reason.
pub(super) fn replay(
    game: &str,
    start: Option<&str>,
    plies: &[Ply],
) -> Result<Replayed, (usize, String)> {
    let usual = registry::start(game).map_err(|error| (0, error.to_string()))?;
    let mut line = GameLine::new(beginning(&usual, start).map_err(|why| (0, why))?);
    for (number, ply) in plies.iter().enumerate() {
        play(&mut line, ply).map_err(|why| (number, why))?;
    }
    let (outcome, to_move) = (line.end.outcome(), line.end.to_move());
    Ok(Replayed { moves: line.text(), outcome, to_move })
}

fn play(line: &mut GameLine, ply: &Ply) -> Result<(), String> {
    if line.end.outcome().is_some() {
        return Err(format!("a move after the end of the game ({})", word(&ply.target)));
    }
    let out_of_turn = line.end.to_move() != ply.side;
    if out_of_turn && matches!(ply.target, Target::Point(Some(_))) {
        // Some programs leave out forced passes.
        if let Some(pass) = move_at(&line.end, None) {
            line.play(pass).map_err(|why| why.to_string())?;
        }
    }
    if line.end.to_move() != ply.side {
        return Err(format!("it is the turn of the {} side", line.end.to_move()));
    }
    let m = match &ply.target {
        Target::Word(word) => line.end.parse_move(word).map_err(|error| error.to_string())?,
        Target::Point(point) => move_at(&line.end, *point).ok_or_else(|| {
            format!("cannot play {}: the move is not legal here", word(&ply.target))
        })?,
    };
    line.play(m).map_err(|why| why.to_string())
}

fn word(target: &Target) -> String {
    match target {
        Target::Word(word) => super::error::excerpt(word),
        Target::Point(None) => "a pass".to_string(),
        Target::Point(Some(point)) => {
            format!("column {}, row {} from the top", point.x + 1, point.y + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_distinguished() {
        for (game, family) in [
            ("gomoku", Family::Gomoku { exact: false }),
            ("gomoku:20x20,exact", Family::Gomoku { exact: true }),
            ("mnk:5x5", Family::Gomoku { exact: false }),
            ("mnk:15x15,k=5,p=1,q=2", Family::Other),
            ("mnk:4x4", Family::Other),
            ("connect6", Family::Other),
            ("othello:6x6", Family::Othello),
            ("chess", Family::Chess),
            ("connect4", Family::Other),
        ] {
            assert_eq!(GameTraits::of(game).unwrap().family, family, "{game}");
        }
    }

    #[test]
    fn wide_boards_have_no_letters() {
        assert!(GameTraits::of("connect4").unwrap().points);
        assert!(!GameTraits::of("connect4:60x1").is_ok_and(|traits| traits.points));
        assert!(!GameTraits::of("tictactoe3d").unwrap().points);
    }
}
