//! Where black may not play. Written after the text of the rules, on a plain array; `crates/gomoku` has all of it
//! once more in tables, and a test there compares both.
//!
//! * A *four* is four stones in a line to which one more makes exactly five. A *straight four* is four in a row to
//!   which one more at either end does.
//! * A *three* is three stones to which one more, which makes no five at once, makes a straight four. That stone
//!   must be allowed too, so the question goes back and forth, each time with one more stone on the board.
//! * A stone is forbidden that makes more than five in a row, two fours or two threes, unless it makes five.

use super::super::mnk::{LONGEST_SIDE, Mnk, line_board::LineBoard};
use crate::Side;

/// Column and row, on the board or not.
type Point = (i32, i32);
type Direction = (i32, i32);

const DIRECTIONS: [Direction; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Whether black may not play on this empty cell.
pub(super) fn is_forbidden(game: &Mnk<LineBoard>, cell: u16) -> bool {
    has_enough_stones(game, cell) && is_forbidden_by_scan(game, cell)
}

/// The same without a look at how many stones there are.
pub(super) fn is_forbidden_by_scan(game: &Mnk<LineBoard>, cell: u16) -> bool {
    let stone = point(cell);
    Trial::of(game).with_stone(stone, |trial| trial.verdict(stone)) == Verdict::Forbidden
}

/// Two threes need two further stones in each of two lines; two fours in one line, and an overline, need four
/// further stones in that line. None of them is more than four cells away.
fn has_enough_stones(game: &Mnk<LineBoard>, cell: u16) -> bool {
    let near = game.board().stones_near(Side::First, cell, 4);
    near.into_iter().filter(|&stones| stones >= 2).sum::<u32>() >= 4
}

fn point(cell: u16) -> Point {
    let (column, row) = Mnk::<LineBoard>::column_and_row(cell);
    (column as i32, row as i32)
}

/// The point so many steps away.
fn along((x, y): Point, (dx, dy): Direction, steps: i32) -> Point {
    (x + steps * dx, y + steps * dy)
}

/// A point as black sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Square {
    Empty,
    Black,
    /// A white stone, or no cell of the board.
    Barred,
}

fn square(game: &Mnk<LineBoard>, (x, y): Point) -> Square {
    let (width, height) = (game.rules().width() as i32, game.rules().height() as i32);
    if !(0..width).contains(&x) || !(0..height).contains(&y) {
        return Square::Barred;
    }
    match game.side_at(x as usize, y as usize) {
        None => Square::Empty,
        Some(Side::First) => Square::Black,
        Some(Side::Second) => Square::Barred,
    }
}

/// What the rules say of a black stone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Five,
    Forbidden,
    Allowed,
}

/// A board on which black stones are tried.
struct Trial {
    squares: [[Square; LONGEST_SIDE]; LONGEST_SIDE],
}

impl Trial {
    fn of(game: &Mnk<LineBoard>) -> Trial {
        let at = |row, column| square(game, (column as i32, row as i32));
        Trial { squares: std::array::from_fn(|row| std::array::from_fn(|column| at(row, column))) }
    }

    fn at(&self, (x, y): Point) -> Square {
        let on_greatest_board = |n: &i32| (0..LONGEST_SIDE as i32).contains(n);
        if on_greatest_board(&x) && on_greatest_board(&y) {
            self.squares[y as usize][x as usize]
        } else {
            Square::Barred
        }
    }

    /// What `question` says with a black stone on an empty cell.
    fn with_stone<T>(&mut self, (x, y): Point, question: impl FnOnce(&mut Trial) -> T) -> T {
        self.squares[y as usize][x as usize] = Square::Black;
        let answer = question(self);
        self.squares[y as usize][x as usize] = Square::Empty;
        answer
    }

    fn verdict(&mut self, stone: Point) -> Verdict {
        let lengths = DIRECTIONS.map(|direction| self.row(stone, direction).length());
        let fours = |trial: &mut Trial| -> usize {
            DIRECTIONS.into_iter().map(|direction| trial.fours(stone, direction)).sum()
        };
        let threes = |trial: &mut Trial| {
            DIRECTIONS.into_iter().filter(|&direction| trial.is_three(stone, direction)).count()
        };
        if lengths.contains(&5) {
            Verdict::Five
        } else if lengths.into_iter().any(|length| length > 5)
            || fours(self) > 1
            || threes(self) > 1
        {
            Verdict::Forbidden
        } else {
            Verdict::Allowed
        }
    }

    /// The row of black stones through a stone.
    fn row(&self, stone: Point, direction: Direction) -> Row {
        let reach = |sign: i32| {
            let black = |n: &i32| self.at(along(stone, direction, sign * n)) == Square::Black;
            (1..).take_while(black).count() as i32
        };
        Row { first: -reach(-1), last: reach(1) }
    }

    /// Of how many fours in this line the stone is a part.
    fn fours(&mut self, stone: Point, direction: Direction) -> usize {
        if self.is_straight_four(stone, direction) {
            return 1;
        }
        (-4..=4).filter(|&steps| self.makes_five(stone, direction, steps)).count()
    }

    /// Whether a further stone so many steps away makes exactly five with this one.
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

    /// Whether a further stone so many steps away is allowed and makes a straight four with this one.
    fn makes_straight_four(&mut self, stone: Point, direction: Direction, steps: i32) -> bool {
        let further = along(stone, direction, steps);
        self.at(further) == Square::Empty
            && self.with_stone(further, |trial| {
                let row = trial.row(stone, direction);
                (row.first..=row.last).contains(&steps)
                    && trial.is_straight_four(stone, direction)
                    && trial.verdict(further) == Verdict::Allowed
            })
    }
}

/// A row of stones, counted in steps from one of them.
#[derive(Clone, Copy)]
struct Row {
    first: i32,
    last: i32,
}

impl Row {
    fn length(self) -> i32 {
        self.last - self.first + 1
    }
}
