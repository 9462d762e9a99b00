//! The classifier of one line, written for readability. It is too slow for a search, which uses a
//! [`LineTable`](crate::line_table::LineTable) of its results.
//!
//! The line around a cell is a *key*: two bits for each cell, `reach` cells on each side, without
//! the cell itself. The lowest bits are the farthest cell on the low side. The classifier sees the
//! key from one side: its own stones are [`OWN`], those of the opponent [`OTHER`].

use tesuji_games::RowRule;

/// The bits of an empty cell.
pub const EMPTY: u32 = 0;
/// The bits of an own stone; of a black stone in keys that are not relative to a side.
pub const OWN: u32 = 1;
/// The bits of an opponent's stone; of a white stone in keys that are not relative to a side.
pub const OTHER: u32 = 2;
/// The bits of a cell beyond the edge.
pub const WALL: u32 = 3;

/// What a stone on an empty cell creates in one line. Only rows through that stone count.
///
/// The definitions proceed backwards from the win, so each pattern tells how many more stones are
/// needed and whether one stone of the opponent stops it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LinePattern {
    /// No five is possible.
    Dead,
    /// Another stone can make a [`Two`](LinePattern::Two).
    One,
    /// Another stone can make an open two.
    OpenOne,
    /// Another stone can make a [`Three`](LinePattern::Three).
    Two,
    /// Another stone can make an [`OpenThree`](LinePattern::OpenThree).
    OpenTwo,
    /// Another stone can make a [`WideThree`](LinePattern::WideThree).
    WideTwo,
    /// Another stone can make a four, but not one that wins.
    Three,
    /// Another stone can make a four that no single stone stops, on one cell only.
    OpenThree,
    /// Another stone can make a four that no single stone stops, on two or more cells.
    WideThree,
    /// Another stone makes five, but one stone of the opponent stops it.
    Four,
    /// Two fours in one line, such as `x_xxx_x`: no single stone stops both.
    DoubleFour,
    /// Four in a row with a five at either end: no single stone stops it.
    OpenFour,
    /// A win.
    Five,
    /// More than five in a row for black in renju.
    Overline,
}

impl LinePattern {
    /// All patterns, ordered by number.
    pub const ALL: [LinePattern; 14] = [
        LinePattern::Dead,
        LinePattern::One,
        LinePattern::OpenOne,
        LinePattern::Two,
        LinePattern::OpenTwo,
        LinePattern::WideTwo,
        LinePattern::Three,
        LinePattern::OpenThree,
        LinePattern::WideThree,
        LinePattern::Four,
        LinePattern::DoubleFour,
        LinePattern::OpenFour,
        LinePattern::Five,
        LinePattern::Overline,
    ];

    /// The pattern in the lowest four bits.
    #[inline]
    pub const fn from_bits(bits: u32) -> LinePattern {
        const PADDED: [LinePattern; 16] = {
            let mut padded = [LinePattern::Dead; 16];
            let mut n = 0;
            while n < LinePattern::ALL.len() {
                padded[n] = LinePattern::ALL[n];
                n += 1;
            }
            padded
        };
        PADDED[(bits & 15) as usize]
    }

    /// Whether another stone can make a four that no single stone stops.
    #[inline]
    pub const fn is_open_three(self) -> bool {
        matches!(self, LinePattern::OpenThree | LinePattern::WideThree)
    }
}

/// The content of a cell, by its number in a key.
#[inline]
pub const fn cell_of_key(key: u32, number: u32) -> u32 {
    key >> (2 * number) & 3
}

/// The offset from the middle of the cell with this number in a key.
#[inline]
pub const fn offset_in_key(number: u32, reach: u32) -> i32 {
    let offset = number as i32 - reach as i32;
    if offset < 0 { offset } else { offset + 1 }
}

/// The numbers of the empty cells of a key.
pub fn empty_cells(key: u32, reach: u32) -> impl Iterator<Item = u32> + Clone {
    (0..2 * reach).filter(move |&number| cell_of_key(key, number) == EMPTY)
}

/// The key with a stone added on an empty cell.
#[inline]
pub const fn with_stone(key: u32, number: u32, stone: u32) -> u32 {
    key | stone << (2 * number)
}

/// The pattern of an own stone in the middle of `key`.
pub fn pattern(winning: RowRule, reach: u32, key: u32) -> LinePattern {
    Line { winning, reach, key }.pattern(&|key| pattern(winning, reach, key))
}

/// The input of the classifier; the middle of the line is an own stone.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) winning: RowRule,
    pub(crate) reach: u32,
    pub(crate) key: u32,
}

impl Line {
    /// The pattern, given the patterns of the keys with one more stone. These keys are greater
    /// numbers, so a table can be filled from its end.
    pub(crate) fn pattern(self, further: &impl Fn(u32) -> LinePattern) -> LinePattern {
        self.finished().unwrap_or_else(|| self.unfinished(further))
    }

    /// The pattern if there are five or more in a row.
    fn finished(self) -> Option<LinePattern> {
        let (low, low_end) = self.run((0..self.reach).rev());
        let (high, high_end) = self.run(self.reach..2 * self.reach);
        let enclosed = low_end == Some(OTHER) && high_end == Some(OTHER);
        match (low + 1 + high, self.winning) {
            (0..5, _) => None,
            (5, RowRule::Caro) if enclosed => Some(LinePattern::Dead),
            (5, _) | (_, RowRule::AtLeast) => Some(LinePattern::Five),
            (_, RowRule::Renju) => Some(LinePattern::Overline),
            (_, RowRule::Exactly | RowRule::Caro) => Some(LinePattern::Dead),
        }
    }

    /// The number of own stones from the middle outwards, and the cell after them if in reach.
    fn run(self, outwards: impl Iterator<Item = u32>) -> (u32, Option<u32>) {
        let mut stones = 0;
        for number in outwards {
            match cell_of_key(self.key, number) {
                OWN => stones += 1,
                end => return (stones, Some(end)),
            }
        }
        (stones, None)
    }

    fn unfinished(self, further: &impl Fn(u32) -> LinePattern) -> LinePattern {
        use LinePattern::*;
        let with_one_more = empty_cells(self.key, self.reach)
            .map(|number| further(with_stone(self.key, number, OWN)))
            .filter(|&pattern| pattern != Overline);
        match with_one_more.clone().max().unwrap_or(Dead) {
            Five => self.four(further),
            OpenFour | DoubleFour | Four => {
                match with_one_more.filter(|&four| self.wins_by(four)).count() {
                    0 => Three,
                    1 => OpenThree,
                    _ => WideThree,
                }
            }
            WideThree => WideTwo,
            OpenThree => OpenTwo,
            Three => Two,
            WideTwo | OpenTwo => OpenOne,
            Two => One,
            _ => Dead,
        }
    }

    /// Double fours are forbidden to black in renju, even in one line.
    fn wins_by(self, four: LinePattern) -> bool {
        match four {
            LinePattern::OpenFour => true,
            LinePattern::DoubleFour => self.winning != RowRule::Renju,
            _ => false,
        }
    }

    /// The kind of four; one more stone can make five.
    fn four(self, further: &impl Fn(u32) -> LinePattern) -> LinePattern {
        let mut replies = empty_cells(self.key, self.reach);
        let stops = |reply| {
            let replied = with_stone(self.key, reply, OTHER);
            Line { key: replied, ..self }.winning_cells(further).next().is_none()
        };
        if replies.any(stops) {
            return LinePattern::Four;
        }
        // In an open four no cell between the stones is empty: the two winning cells are five
        // apart.
        let ends: Vec<i32> = self.winning_cells(further).collect();
        match ends[..] {
            [low, high] if high - low == 5 => LinePattern::OpenFour,
            _ => LinePattern::DoubleFour,
        }
    }

    /// The cells where one more stone makes five, as offsets from the middle.
    fn winning_cells(self, further: &impl Fn(u32) -> LinePattern) -> impl Iterator<Item = i32> {
        empty_cells(self.key, self.reach)
            .filter(move |&number| further(with_stone(self.key, number, OWN)) == LinePattern::Five)
            .map(move |number| offset_in_key(number, self.reach))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of a picture such as `..xx|.xo##`: `x` own stones, `o` opponent's stones, `#` walls,
    /// `|` the middle.
    fn key(picture: &str) -> (u32, u32) {
        let (low, high) = picture.split_once('|').expect("a middle");
        assert_eq!(low.len(), high.len());
        let bits = |c| ".xo#".find(c).expect("a known letter") as u32;
        let cells = low.chars().chain(high.chars()).enumerate();
        (low.len() as u32, cells.fold(0, |key, (n, c)| with_stone(key, n as u32, bits(c))))
    }

    fn of(winning: RowRule, picture: &str) -> LinePattern {
        let (reach, key) = key(picture);
        pattern(winning, reach, key)
    }

    #[test]
    fn named_shapes() {
        use LinePattern::*;
        use RowRule::{AtLeast, Caro, Exactly, Renju};
        let rows = [
            (AtLeast, "xxxx|....", Five),
            (AtLeast, ".xxx|xx..", Five),
            (AtLeast, ".xxx|....", OpenFour),
            (AtLeast, "oxxx|....", Four),
            (AtLeast, "x.xx|....", Four),
            (AtLeast, ".x.x|x.x.", DoubleFour),
            (AtLeast, "..xx|....", WideThree),
            (AtLeast, "#.xx|..o.", OpenThree),
            (AtLeast, ".x.x|....", OpenThree),
            (AtLeast, "#.xx|.o..", Three),
            (AtLeast, "oxx.|..o.", Three),
            (AtLeast, "...x|....", WideTwo),
            (AtLeast, "oooo|....", One),
            (AtLeast, ".oo#|...o", Dead),
            (Exactly, "..xxx|xx...", Dead),
            (Exactly, "..xxx|.x...", Four),
            (Exactly, "..xxx|..x..", OpenFour),
            (Exactly, "x..xx|..x..", Three),
            (Exactly, "...xx|..x..", OpenThree),
            (Renju, "..xxx|xx...", Overline),
            (Renju, "..x.x|x.x..", DoubleFour),
            (Caro, "..oxx|x.o..", Dead),
            (Caro, "..oxx|xxo..", Dead),
            (Caro, "..#xx|xxo..", Five),
            (Caro, ".o.xx|x.o..", Four),
            (Caro, "...xx|x.o..", Four),
            (Caro, "...xx|x....", OpenFour),
        ];
        for (winning, picture, expected) in rows {
            assert_eq!(of(winning, picture), expected, "{winning:?} {picture}");
        }
    }

    #[test]
    fn numbers_and_patterns_agree() {
        for (number, pattern) in LinePattern::ALL.into_iter().enumerate() {
            assert_eq!(pattern as usize, number);
            assert_eq!(LinePattern::from_bits(number as u32), pattern);
        }
    }
}
