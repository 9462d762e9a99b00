//! Random Woods: where the pattern of one tree is placed on a board. The thesis uses all eight
//! symmetries and every position where the pattern fits.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use tesuji_games::RowGrid;

use super::Pattern;

/// Where a pattern is placed on a board. The default is the thesis's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spread {
    /// The symmetries in which it is placed.
    pub symmetries: PatternSymmetries,
    /// The translations at which it is placed.
    pub slide: Translations,
    /// The part of it that must lie on the board.
    pub fit: PatternFit,
}

/// The symmetries in which a pattern is placed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatternSymmetries {
    /// All eight symmetries of the square.
    #[default]
    All,
    /// The identity and the left-right mirror image: the symmetries of boards with gravity.
    Mirror,
    /// The identity only.
    One,
}

/// The translations at which a pattern is placed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Translations {
    /// Wherever it fits.
    #[default]
    Everywhere,
    /// Horizontally only; the bottom row of its window stays on the bottom row of the board.
    Sideways,
    /// None: its window stays in the lower left corner of the board.
    Nowhere,
}

/// The part of a pattern that must lie on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatternFit {
    /// The bounding box of its cells, so that every part of the board is covered.
    #[default]
    Box,
    /// The whole window that it was drawn from.
    Window,
}

/// The cells of one placement on the board, in the order of the pattern's digits.
pub type Placement = Vec<u16>;

impl Spread {
    /// All distinct placements of a pattern on a board, in a fixed order: by symmetry, then by row.
    /// Empty if the pattern is too large for the board.
    pub fn placements(&self, pattern: &Pattern, grid: &RowGrid) -> Vec<Placement> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for &form in self.symmetries.forms() {
            let cells = turned(pattern, form);
            let (across, down) = self.steps(&cells, pattern.window().side as isize, grid);
            for top in down {
                for left in across.clone() {
                    let cell = |&(x, y)| ((y + top) * grid.columns as isize + x + left) as u16;
                    let placement: Placement = cells.iter().map(cell).collect();
                    if seen.insert(placement.clone()) {
                        all.push(placement);
                    }
                }
            }
        }
        all
    }

    /// The valid horizontal and vertical offsets of a transformed pattern.
    fn steps(&self, cells: &[(isize, isize)], side: isize, grid: &RowGrid) -> (Steps, Steps) {
        let (columns, rows) = (grid.columns as isize, grid.rows as isize);
        let only_if = |fits: bool, step| step..=if fits { step } else { step - 1 };
        let all = |cells: Vec<isize>, length: isize| {
            let (least, most) = match self.fit {
                PatternFit::Window => (Some(0), Some(side - 1)),
                PatternFit::Box => (cells.iter().min().copied(), cells.iter().max().copied()),
            };
            -least.unwrap_or(0)..=length - 1 - most.unwrap_or(0)
        };
        let across = match self.slide {
            Translations::Nowhere => only_if(columns >= side, 0),
            Translations::Everywhere | Translations::Sideways => {
                all(cells.iter().map(|cell| cell.0).collect(), columns)
            }
        };
        let down = match self.slide {
            Translations::Everywhere => all(cells.iter().map(|cell| cell.1).collect(), rows),
            Translations::Sideways | Translations::Nowhere => only_if(rows >= side, rows - side),
        };
        (across, down)
    }
}

type Steps = std::ops::RangeInclusive<isize>;

impl PatternSymmetries {
    /// The transformations as bits: transpose, mirror left and right, mirror top and bottom.
    fn forms(self) -> &'static [u8] {
        const MIRRORED: u8 = 2;
        match self {
            PatternSymmetries::All => &[0, 1, 2, 3, 4, 5, 6, 7],
            PatternSymmetries::Mirror => &[0, MIRRORED],
            PatternSymmetries::One => &[0],
        }
    }
}

/// The column and row of every cell of a transformed pattern within its window.
fn turned(pattern: &Pattern, form: u8) -> Vec<(isize, isize)> {
    let last = pattern.window().side as isize - 1;
    let places = pattern.places().map(|(x, y)| (x as isize, y as isize));
    places
        .map(|(x, y)| if form & 4 != 0 { (y, x) } else { (x, y) })
        .map(|(x, y)| (if form & 2 != 0 { last - x } else { x }, y))
        .map(|(x, y)| (x, if form & 1 != 0 { last - y } else { y }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::PatternWindow;

    fn grid(columns: usize, rows: usize) -> RowGrid {
        RowGrid { columns, rows, k: 5, gravity: false }
    }

    /// The example of the thesis's Table 3-3: `--XX / ---- / -X-X / X---`.
    fn example() -> Pattern {
        Pattern::new(PatternWindow { side: 4 }, vec![2, 3, 9, 11, 12]).unwrap()
    }

    fn picture(placement: &Placement, columns: usize, rows: usize) -> String {
        let mark = |cell: usize| if placement.contains(&(cell as u16)) { 'X' } else { '-' };
        (0..rows)
            .map(|row| (0..columns).map(|column| mark(row * columns + column)).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Table 3-3: four positions in eight symmetries, in the order of the table. Each is checked by
    /// rule, because some printed grids contain errors.
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
        let pattern = Pattern::new(PatternWindow { side: 3 }, vec![0]).unwrap();
        let by = |fit| Spread { fit, ..Spread::default() }.placements(&pattern, &grid(5, 4)).len();
        assert_eq!(by(PatternFit::Box), 20);
        assert_eq!(by(PatternFit::Window), 20, "mirrored, the window reaches every cell as well");
        let center = Pattern::new(PatternWindow { side: 3 }, vec![4]).unwrap();
        let spread = Spread { fit: PatternFit::Window, ..Spread::default() };
        assert_eq!(spread.placements(&center, &grid(5, 4)).len(), 6);
    }

    #[test]
    fn placements_are_distinct_by_digits() {
        let pair = Pattern::new(PatternWindow { side: 2 }, vec![0, 1]).unwrap();
        let all = Spread::default().placements(&pair, &grid(2, 2));
        assert_eq!(all.len(), 8, "two rows and two columns, each read in both directions");
    }

    #[test]
    fn gravity_keeps_patterns_on_their_rows() {
        let pattern = Pattern::new(PatternWindow { side: 3 }, vec![3, 7]).unwrap();
        let spread = Spread {
            symmetries: PatternSymmetries::Mirror,
            slide: Translations::Sideways,
            fit: PatternFit::Box,
        };
        let all = spread.placements(&pattern, &grid(4, 5));
        assert!(all.iter().all(|p| p[0] / 4 == 3 && p[1] / 4 == 4), "{all:?}");
        assert_eq!(all.len(), 6);
        let fixed = Spread { slide: Translations::Nowhere, ..spread };
        assert_eq!(fixed.placements(&pattern, &grid(4, 5)), [vec![12, 17], vec![14, 17]]);
    }

    #[test]
    fn patterns_larger_than_the_board_have_no_placements() {
        assert!(Spread::default().placements(&example(), &grid(3, 9)).is_empty());
        let sideways = Spread { slide: Translations::Sideways, ..Spread::default() };
        assert!(sideways.placements(&example(), &grid(9, 3)).is_empty());
    }
}
