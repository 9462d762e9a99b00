//! Random Woods: where the pattern of one tree lies on a board. The thesis turns and mirrors it in all eight
//! ways and lays it wherever it fits.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use tesuji_games::Grid;

use super::Pattern;

/// How a pattern is laid on a board. The default is the thesis's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spread {
    /// In which turned and mirrored forms.
    pub symmetries: Symmetries,
    /// Where to.
    pub slide: Slide,
    /// What must lie on the board.
    pub fit: Fit,
}

/// In which forms a pattern is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Symmetries {
    /// All eight of the square.
    #[default]
    All,
    /// As it is and with left and right exchanged: what is left where stones fall.
    Mirror,
    /// As it is.
    One,
}

/// Where a pattern may go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slide {
    /// Wherever it fits.
    #[default]
    Everywhere,
    /// To the left and right; the bottom row of its window stays on the bottom row of the board.
    Sideways,
    /// It stays where its window lies in the lower left corner of the board.
    Nowhere,
}

/// What of a pattern must lie on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// The smallest rectangle around its cells, so that every part of the board is seen.
    #[default]
    Box,
    /// The whole window that it was drawn from.
    Window,
}

/// The cells of the board on which a pattern lies, in the order of its digits.
pub type Placement = Vec<u16>;

impl Spread {
    /// Every placement of a pattern on a board, each once, in a fixed order: form by form, row by row. None when
    /// the pattern is too large for the board.
    pub fn placements(&self, pattern: &Pattern, grid: &Grid) -> Vec<Placement> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for form in self.symmetries.forms() {
            let cells = form.apply(pattern);
            let (across, down) =
                (self.columns_of(&cells, pattern, grid), self.rows_of(&cells, pattern, grid));
            for top in down {
                for left in across.clone() {
                    let placement = laid(&cells, left, top, grid.columns);
                    if seen.insert(placement.clone()) {
                        all.push(placement);
                    }
                }
            }
        }
        all
    }

    /// How far to the right the form may be moved.
    fn columns_of(&self, cells: &[(isize, isize)], pattern: &Pattern, grid: &Grid) -> Steps {
        let side = pattern.window().side as isize;
        match self.slide {
            Slide::Nowhere => only_if(grid.columns as isize >= side, 0),
            Slide::Everywhere | Slide::Sideways => {
                self.steps(cells.iter().map(|cell| cell.0), side, grid.columns)
            }
        }
    }

    /// How far down the form may be moved.
    fn rows_of(&self, cells: &[(isize, isize)], pattern: &Pattern, grid: &Grid) -> Steps {
        let side = pattern.window().side as isize;
        match self.slide {
            Slide::Everywhere => self.steps(cells.iter().map(|cell| cell.1), side, grid.rows),
            Slide::Sideways | Slide::Nowhere => {
                let top = grid.rows as isize - side;
                only_if(top >= 0, top)
            }
        }
    }

    fn steps(
        &self,
        cells: impl Iterator<Item = isize> + Clone,
        side: isize,
        length: usize,
    ) -> Steps {
        let (least, most) = match self.fit {
            Fit::Window => (0, side - 1),
            Fit::Box => (cells.clone().min().unwrap_or(0), cells.max().unwrap_or(0)),
        };
        -least..=length as isize - 1 - most
    }
}

type Steps = std::ops::RangeInclusive<isize>;

fn only_if(fits: bool, step: isize) -> Steps {
    step..=if fits { step } else { step - 1 }
}

fn laid(cells: &[(isize, isize)], left: isize, top: isize, columns: usize) -> Placement {
    cells.iter().map(|&(x, y)| ((y + top) * columns as isize + x + left) as u16).collect()
}

/// One of the eight ways to lay a square on itself.
#[derive(Clone, Copy)]
struct Form {
    across: bool,
    upside_down: bool,
    mirrored: bool,
}

impl Symmetries {
    fn forms(self) -> impl Iterator<Item = Form> {
        let count = match self {
            Symmetries::All => 8,
            Symmetries::Mirror | Symmetries::One => 1,
        };
        let mirror = (self == Symmetries::Mirror).then_some(Form {
            across: false,
            upside_down: false,
            mirrored: true,
        });
        (0..count)
            .map(|bits| Form {
                across: bits & 4 != 0,
                mirrored: bits & 2 != 0,
                upside_down: bits & 1 != 0,
            })
            .chain(mirror)
    }
}

impl Form {
    /// Column and row of every cell of the pattern in this form, within its window.
    fn apply(self, pattern: &Pattern) -> Vec<(isize, isize)> {
        let last = pattern.window().side as isize - 1;
        let turned = |(x, y): (usize, usize)| {
            let (x, y) =
                if self.across { (y as isize, x as isize) } else { (x as isize, y as isize) };
            let x = if self.mirrored { last - x } else { x };
            (x, if self.upside_down { last - y } else { y })
        };
        pattern.places().map(turned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::Window;

    fn grid(columns: usize, rows: usize) -> Grid {
        Grid { columns, rows, k: 5, gravity: false }
    }

    /// The example of the thesis's Table 3-3: `--XX / ---- / -X-X / X---`.
    fn example() -> Pattern {
        Pattern::new(Window { side: 4 }, vec![2, 3, 9, 11, 12]).unwrap()
    }

    fn picture(placement: &Placement, columns: usize, rows: usize) -> String {
        let mark = |cell: usize| if placement.contains(&(cell as u16)) { 'X' } else { '-' };
        (0..rows)
            .map(|row| (0..columns).map(|column| mark(row * columns + column)).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Table 3-3: four places times eight forms, in the order of the table, each form checked by rule (some of
    /// the printed grids have slips).
    #[test]
    fn a_pattern_of_side_four_has_32_placements_on_5x5() {
        let all = Spread::default().placements(&example(), &grid(5, 5));
        assert_eq!(all.len(), 32);
        let forms: Vec<String> = all.iter().step_by(4).map(|p| picture(p, 5, 4)).collect();
        let expected = [
            "--XX- ----- -X-X- X----",
            "X---- -X-X- ----- --XX-",
            "XX--- ----- X-X-- ---X-",
            "---X- X-X-- ----- XX---",
            "---X- --X-- X---- X-X--",
            "X-X-- X---- --X-- ---X-",
            "X---- -X--- ---X- -X-X-",
            "-X-X- ---X- -X--- X----",
        ];
        assert_eq!(forms, expected);
        let moved: Vec<String> = all[..4].iter().map(|p| picture(p, 5, 5)).collect();
        let expected = [
            "--XX- ----- -X-X- X---- -----",
            "---XX ----- --X-X -X--- -----",
            "----- --XX- ----- -X-X- X----",
            "----- ---XX ----- --X-X -X---",
        ];
        assert_eq!(moved, expected);
    }

    #[test]
    fn the_box_of_a_small_pattern_reaches_every_corner_and_its_window_does_not() {
        let pattern = Pattern::new(Window { side: 3 }, vec![0]).unwrap();
        let by = |fit| Spread { fit, ..Spread::default() }.placements(&pattern, &grid(5, 4)).len();
        assert_eq!(by(Fit::Box), 20);
        assert_eq!(by(Fit::Window), 20, "mirrored, the window reaches every cell as well");
        let centre = Pattern::new(Window { side: 3 }, vec![4]).unwrap();
        let spread = Spread { fit: Fit::Window, ..Spread::default() };
        assert_eq!(spread.placements(&centre, &grid(5, 4)).len(), 6);
    }

    #[test]
    fn equal_placements_are_one_and_equal_shapes_with_other_digits_are_two() {
        let pair = Pattern::new(Window { side: 2 }, vec![0, 1]).unwrap();
        let all = Spread::default().placements(&pair, &grid(2, 2));
        assert_eq!(all.len(), 8, "two rows and two columns, each read in both directions");
    }

    #[test]
    fn falling_stones_keep_patterns_on_their_rows() {
        let pattern = Pattern::new(Window { side: 3 }, vec![3, 7]).unwrap();
        let spread =
            Spread { symmetries: Symmetries::Mirror, slide: Slide::Sideways, fit: Fit::Box };
        let all = spread.placements(&pattern, &grid(4, 5));
        assert!(all.iter().all(|p| p[0] / 4 == 3 && p[1] / 4 == 4), "{all:?}");
        assert_eq!(all.len(), 6);
        let fixed = Spread { slide: Slide::Nowhere, ..spread };
        assert_eq!(fixed.placements(&pattern, &grid(4, 5)), [vec![12, 17], vec![14, 17]]);
    }

    #[test]
    fn what_is_too_large_has_no_place() {
        assert!(Spread::default().placements(&example(), &grid(3, 9)).is_empty());
        let sideways = Spread { slide: Slide::Sideways, ..Spread::default() };
        assert!(sideways.placements(&example(), &grid(9, 3)).is_empty());
    }
}
