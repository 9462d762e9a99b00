//! The points where black may not play. This follows the text of the rules, on an array.
//! `crates/gomoku` has a faster implementation with tables, and a test there compares the two.
//!
//! * A *four* is four stones in a line that another stone completes to exactly five. A *straight
//!   four* is four in a row that another stone at either end completes.
//! * A *three* is three stones that another stone, without making five, turns into a straight four.
//!   That stone must be legal as well, so the check is recursive, with one more stone on the board
//!   each time.
//! * A stone is forbidden if it makes more than five in a row, two fours or two threes, unless it
//!   also makes five.

use super::super::mnk::{MAX_SIDE, Mnk, line_board::LineBoard};
use crate::Side;

/// Column and row, on the board or not.
type Point = (i32, i32);
type Direction = (i32, i32);

const DIRECTIONS: [Direction; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Whether this empty cell is forbidden to black.
pub(super) fn is_forbidden(game: &Mnk<LineBoard>, cell: u16) -> bool {
    has_enough_stones(game, cell) && is_forbidden_by_scan(game, cell)
}

/// The same without the quick check of the number of stones.
pub(super) fn is_forbidden_by_scan(game: &Mnk<LineBoard>, cell: u16) -> bool {
    let stone = point(cell);
    TrialBoard::of(game).with_stone(stone, |trial| trial.legality(stone)) == Legality::Forbidden
}

/// A necessary condition. Two threes need two further stones in each of two lines; two fours in one
/// line, and an overline, need four further stones in that line. All of them are at most four cells
/// away.
fn has_enough_stones(game: &Mnk<LineBoard>, cell: u16) -> bool {
    let near = game.board().stones_near(Side::First, cell, 4);
    near.into_iter().filter(|&stones| stones >= 2).sum::<u32>() >= 4
}

fn point(cell: u16) -> Point {
    let (column, row) = Mnk::<LineBoard>::column_and_row(cell);
    (column as i32, row as i32)
}

/// The point that is `steps` away.
fn along((x, y): Point, (dx, dy): Direction, steps: i32) -> Point {
    (x + steps * dx, y + steps * dy)
}

/// The state of a point from black's point of view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Square {
    Empty,
    Black,
    /// A white stone or a point outside the board.
    Blocked,
}

fn square(game: &Mnk<LineBoard>, (x, y): Point) -> Square {
    let (width, height) = (game.rules().width() as i32, game.rules().height() as i32);
    if !(0..width).contains(&x) || !(0..height).contains(&y) {
        return Square::Blocked;
    }
    match game.side_at(x as usize, y as usize) {
        None => Square::Empty,
        Some(Side::First) => Square::Black,
        Some(Side::Second) => Square::Blocked,
    }
}

/// The effect of a black stone by the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Legality {
    Five,
    Forbidden,
    Allowed,
}

/// A board on which black stones are tried.
struct TrialBoard {
    squares: [[Square; MAX_SIDE]; MAX_SIDE],
}

impl TrialBoard {
    fn of(game: &Mnk<LineBoard>) -> TrialBoard {
        let at = |row, column| square(game, (column as i32, row as i32));
        TrialBoard {
            squares: std::array::from_fn(|row| std::array::from_fn(|column| at(row, column))),
        }
    }

    fn at(&self, (x, y): Point) -> Square {
        let on_largest_board = |n: &i32| (0..MAX_SIDE as i32).contains(n);
        if on_largest_board(&x) && on_largest_board(&y) {
            self.squares[y as usize][x as usize]
        } else {
            Square::Blocked
        }
    }

    /// Calls `check` with a black stone on an empty cell.
    fn with_stone<T>(&mut self, (x, y): Point, check: impl FnOnce(&mut TrialBoard) -> T) -> T {
        self.squares[y as usize][x as usize] = Square::Black;
        let result = check(self);
        self.squares[y as usize][x as usize] = Square::Empty;
        result
    }

    fn legality(&mut self, stone: Point) -> Legality {
        let lengths = DIRECTIONS.map(|direction| self.row(stone, direction).length());
        let fours = |trial: &mut TrialBoard| -> usize {
            DIRECTIONS.into_iter().map(|direction| trial.fours(stone, direction)).sum()
        };
        let threes = |trial: &mut TrialBoard| {
            DIRECTIONS.into_iter().filter(|&direction| trial.is_three(stone, direction)).count()
        };
        if lengths.contains(&5) {
            Legality::Five
        } else if lengths.into_iter().any(|length| length > 5)
            || fours(self) > 1
            || threes(self) > 1
        {
            Legality::Forbidden
        } else {
            Legality::Allowed
        }
    }

    /// The row of black stones through a stone.
    fn row(&self, stone: Point, direction: Direction) -> StoneRow {
        let reach = |sign: i32| {
            let black = |n: &i32| self.at(along(stone, direction, sign * n)) == Square::Black;
            (1..).take_while(black).count() as i32
        };
        StoneRow { first: -reach(-1), last: reach(1) }
    }

    /// The number of fours in this line that contain the stone.
    fn fours(&mut self, stone: Point, direction: Direction) -> usize {
        if self.is_straight_four(stone, direction) {
            return 1;
        }
        (-4..=4).filter(|&steps| self.makes_five(stone, direction, steps)).count()
    }

    /// Whether a further stone `steps` away completes exactly five.
    fn makes_five(&mut self, stone: Point, direction: Direction, steps: i32) -> bool {
        let further = along(stone, direction, steps);
        self.at(further) == Square::Empty
            && self.with_stone(further, |trial| trial.row(stone, direction).length() == 5)
    }

    fn is_straight_four(&mut self, stone: Point, direction: Direction) -> bool {
        let row = self.row(stone, direction);
        let ends = [row.first - 1, row.last + 1];
        row.length() == 4 && ends.into_iter().all(|steps| self.makes_five(stone, direction, steps))
    }

    /// Whether the stone is part of a three in this line.
    fn is_three(&mut self, stone: Point, direction: Direction) -> bool {
        (-3..=3).any(|steps| self.makes_straight_four(stone, direction, steps))
    }

    /// Whether a further stone `steps` away is legal and completes a straight four.
    fn makes_straight_four(&mut self, stone: Point, direction: Direction, steps: i32) -> bool {
        let further = along(stone, direction, steps);
        self.at(further) == Square::Empty
            && self.with_stone(further, |trial| {
                let row = trial.row(stone, direction);
                (row.first..=row.last).contains(&steps)
                    && trial.is_straight_four(stone, direction)
                    && trial.legality(further) == Legality::Allowed
            })
    }
}

/// The ends of a row of stones, in steps from one of its stones.
#[derive(Clone, Copy)]
struct StoneRow {
    first: i32,
    last: i32,
}

impl StoneRow {
    fn length(self) -> i32 {
        self.last - self.first + 1
    }
}
