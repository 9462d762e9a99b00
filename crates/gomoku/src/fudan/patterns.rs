//! The feature patterns and how to count them.
//!
//! A pattern is a list of shapes. It is counted on each line as a regular expression with these
//! alternatives: from the left, at each start the first shape that matches, and after a match from
//! the cell behind it, so that overlapping shapes count once. Patterns are independent: a cell can
//! be part of one match of each. The shapes are in the order of the published program. The order
//! does not matter, because no two shapes of a pattern can begin at the same cell (a test checks
//! all pairs).
//!
//! The published program joins all lines into one text with single walls between them. A match at
//! the end of one line then consumes the wall that a shape at the start of the next line needs, so
//! its counts depend on the order of the lines, and local changes do not add up to the count of the
//! whole board. Here every line has its own walls, so they do. (The difference is rare: on 1 of 300
//! boards of 20×20 with a stone on every fourth cell, and on none of 60 positions after a few
//! moves.)

use std::ops::{AddAssign, SubAssign};

use tesuji_games::Side;

use super::board::{FudanBoard, FudanCell};
use super::lines::{LINES, Line, Stone};

/// The greatest length of a shape. The report's longest has nine cells; longer rows have longer
/// ones.
pub const MAX_SHAPE_CELLS: usize = 17;

/// The most shapes to count together.
pub const MAX_SHAPES: usize = 24;

/// The requirement of a shape on one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CellNeed {
    Empty,
    Own,
    /// A stone of the opponent or, if the pattern set says so, a wall.
    Blocked,
}

/// A sequence of required cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineShape {
    needs: [CellNeed; MAX_SHAPE_CELLS],
    length: u8,
    stones: u8,
}

impl LineShape {
    /// Parses a shape: `1` is an own stone, `0` an empty cell, anything else a blocked one. At most
    /// [`MAX_SHAPE_CELLS`] cells.
    pub const fn new(text: &str) -> LineShape {
        let text = text.as_bytes();
        let mut shape = LineShape {
            needs: [CellNeed::Empty; MAX_SHAPE_CELLS],
            length: text.len() as u8,
            stones: 0,
        };
        let mut at = 0;
        while at < text.len() {
            shape.needs[at] = match text[at] {
                b'0' => CellNeed::Empty,
                b'1' => CellNeed::Own,
                _ => CellNeed::Blocked,
            };
            shape.stones += (text[at] == b'1') as u8;
            at += 1;
        }
        shape
    }

    /// The cells where the shape begins on a line, as bits.
    #[inline]
    fn starts(&self, own: u32, empty: u32, blocked: u32) -> u32 {
        let needs = &self.needs[..self.length as usize];
        needs.iter().enumerate().fold(u32::MAX, |starts, (offset, want)| {
            let fitting = match want {
                CellNeed::Empty => empty,
                CellNeed::Own => own,
                CellNeed::Blocked => blocked,
            };
            starts & (fitting >> offset)
        })
    }
}

/// Whether the edge of the board and blocked cells count as stones of the opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EdgeRule {
    Blocks,
    Open,
}

/// Patterns to count together.
#[derive(Clone, Copy, Debug)]
pub struct PatternSet<const N: usize> {
    pub(super) patterns: [&'static [LineShape]; N],
    pub(super) edge: EdgeRule,
}

/// The importance of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PatternCategory {
    /// The game is over.
    WinningIdentity,
    /// Two ways to win at once.
    WinningThreat,
    /// It must be answered, or it becomes a winning threat or five.
    ForcingThreat,
    /// It may become a threat.
    PotentialThreat,
}

/// The ten feature patterns, in the report's order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FudanPattern {
    /// Five in a row.
    Five,
    /// Four in a row, both ends empty.
    OpenFour,
    /// Three in a row with a stone behind a gap at both ends.
    CompensationFour,
    /// Four stones that one more makes five.
    SimpleFour,
    /// Three in a row, two empty cells at both ends.
    OpenThree,
    /// Three that can become an open four in one way only, or with a gap.
    SimpleThree,
    /// Five stones with a gap between each two.
    Compensation,
    /// Two with room on both sides.
    OpenTwo,
    /// Three that can become only a simple four.
    BrokenThree,
    /// Two with less room on one side.
    SimpleTwo,
}

impl FudanPattern {
    /// All patterns, in order.
    pub const ALL: [FudanPattern; 10] = [
        FudanPattern::Five,
        FudanPattern::OpenFour,
        FudanPattern::CompensationFour,
        FudanPattern::SimpleFour,
        FudanPattern::OpenThree,
        FudanPattern::SimpleThree,
        FudanPattern::Compensation,
        FudanPattern::OpenTwo,
        FudanPattern::BrokenThree,
        FudanPattern::SimpleTwo,
    ];

    /// The category of the pattern.
    pub const fn category(self) -> PatternCategory {
        match self {
            FudanPattern::Five => PatternCategory::WinningIdentity,
            FudanPattern::OpenFour | FudanPattern::CompensationFour => {
                PatternCategory::WinningThreat
            }
            FudanPattern::SimpleFour
            | FudanPattern::OpenThree
            | FudanPattern::SimpleThree
            | FudanPattern::Compensation => PatternCategory::ForcingThreat,
            FudanPattern::OpenTwo | FudanPattern::BrokenThree | FudanPattern::SimpleTwo => {
                PatternCategory::PotentialThreat
            }
        }
    }

    const fn shapes(self) -> &'static [LineShape] {
        const fn shapes<const N: usize>(texts: [&str; N]) -> [LineShape; N] {
            let mut shapes = [LineShape::new(""); N];
            let mut at = 0;
            while at < N {
                shapes[at] = LineShape::new(texts[at]);
                at += 1;
            }
            shapes
        }
        match self {
            FudanPattern::Five => const { &shapes(["11111"]) },
            FudanPattern::OpenFour => const { &shapes(["011110"]) },
            FudanPattern::CompensationFour => const { &shapes(["1011101"]) },
            FudanPattern::SimpleFour => {
                const { &shapes(["x11110", "01111x", "11011", "11101", "10111"]) }
            }
            FudanPattern::OpenThree => const { &shapes(["0011100"]) },
            FudanPattern::SimpleThree => {
                const { &shapes(["011010", "010110", "x011100", "001110x"]) }
            }
            FudanPattern::Compensation => const { &shapes(["101010101"]) },
            FudanPattern::OpenTwo => const { &shapes(["001100", "0010100"]) },
            FudanPattern::BrokenThree => {
                const {
                    &shapes([
                        "x11100", "00111x", "x11010", "01011x", "x10110", "01101x", "x01110x",
                        "10101",
                    ])
                }
            }
            FudanPattern::SimpleTwo => {
                const { &shapes(["x01100", "00110x", "x010100", "001010x"]) }
            }
        }
    }
}

/// The report's ten patterns.
pub const FUDAN_PATTERNS: PatternSet<10> = {
    let mut patterns: [&'static [LineShape]; 10] = [&[]; 10];
    let mut at = 0;
    while at < 10 {
        patterns[at] = FudanPattern::ALL[at].shapes();
        at += 1;
    }
    PatternSet { patterns, edge: EdgeRule::Blocks }
};

/// The seven patterns of the first, naive agent: five, open four, blocked four, straight three,
/// gapped three, three with an empty cell at both ends (which includes a straight three), two. The
/// edge of the board blocks nothing.
pub(super) const NAIVE_PATTERNS: PatternSet<7> = PatternSet {
    patterns: [
        &[LineShape::new("11111")],
        &[LineShape::new("011110")],
        &[LineShape::new("x11110"), LineShape::new("01111x")],
        &[LineShape::new("001110x"), LineShape::new("x011100"), LineShape::new("0011100")],
        &[LineShape::new("010110"), LineShape::new("011010")],
        &[LineShape::new("01110")],
        &[LineShape::new("0110")],
    ],
    edge: EdgeRule::Open,
};

/// The number of occurrences of each pattern of a set, for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PatternCounts<const N: usize> {
    sides: [[u16; N]; 2],
}

impl<const N: usize> Default for PatternCounts<N> {
    fn default() -> Self {
        PatternCounts { sides: [[0; N]; 2] }
    }
}

impl<const N: usize> PatternCounts<N> {
    /// The counts of one side, in the order of the set.
    #[inline]
    pub fn of(&self, side: Side) -> &[u16; N] {
        &self.sides[side.index()]
    }

    fn each(&mut self, other: &Self, change: impl Fn(&mut u16, u16)) {
        for (mine, theirs) in
            self.sides.as_flattened_mut().iter_mut().zip(other.sides.as_flattened())
        {
            change(mine, *theirs);
        }
    }
}

impl<const N: usize> AddAssign for PatternCounts<N> {
    fn add_assign(&mut self, other: Self) {
        self.each(&other, |mine, theirs| *mine += theirs);
    }
}

/// Saturates at 0; the subtracted patterns were counted before.
impl<const N: usize> SubAssign for PatternCounts<N> {
    fn sub_assign(&mut self, other: Self) {
        self.each(&other, |mine, theirs| *mine = mine.saturating_sub(theirs));
    }
}

impl<const N: usize> PatternSet<N> {
    /// Counts the patterns of the whole board.
    pub fn count(&self, board: &FudanBoard) -> PatternCounts<N> {
        let mut counts = PatternCounts::default();
        for line in 0..LINES {
            for side in Side::ALL {
                self.count_line(&board.line(line, side), &mut counts.sides[side.index()]);
            }
        }
        counts
    }

    /// Counts the patterns on the four lines through a cell.
    pub fn count_through(&self, board: &FudanBoard, cell: FudanCell) -> PatternCounts<N> {
        self.count_lines(board, cell, |line, _, _| line)
    }

    /// Counts the patterns on the four lines through an empty cell as if `side` had a stone there.
    pub fn count_through_with(
        &self,
        board: &FudanBoard,
        cell: FudanCell,
        side: Side,
    ) -> PatternCounts<N> {
        self.count_lines(board, cell, |line, bit, viewer| {
            line.with_stone(bit, if viewer == side { Stone::Own } else { Stone::Other })
        })
    }

    #[inline]
    fn count_lines(
        &self,
        board: &FudanBoard,
        cell: FudanCell,
        changed: impl Fn(Line, u32, Side) -> Line,
    ) -> PatternCounts<N> {
        let mut counts = PatternCounts::default();
        for line_cell in board.line_cells(cell) {
            for side in Side::ALL {
                let line = changed(board.line(line_cell.line, side), line_cell.bit, side);
                self.count_line(&line, &mut counts.sides[side.index()]);
            }
        }
        counts
    }

    #[inline]
    fn count_line(&self, line: &Line, counts: &mut [u16; N]) {
        // Every shape has at least two stones.
        if line.own.count_ones() < 2 {
            return;
        }
        let blocked = match self.edge {
            EdgeRule::Blocks => line.other | line.walls,
            EdgeRule::Open => line.other,
        };
        for (shapes, count) in self.patterns.iter().zip(counts) {
            *count += count_matches(shapes, line.own, line.empty, blocked);
        }
    }
}

/// Counts the non-overlapping matches of shapes on a line of bits, from the left; of those that
/// begin at the same cell the first counts. At most [`MAX_SHAPES`] shapes.
#[inline]
pub fn count_matches(shapes: &[LineShape], own: u32, empty: u32, blocked: u32) -> u16 {
    let stones = own.count_ones();
    let mut starts = [0u32; MAX_SHAPES];
    let mut any = 0;
    for (shape, starts) in shapes.iter().zip(&mut starts) {
        if u32::from(shape.stones) <= stones {
            *starts = shape.starts(own, empty, blocked);
            any |= *starts;
        }
    }
    let mut count = 0;
    while any != 0 {
        let start = any.trailing_zeros();
        let fitting = shapes.iter().zip(starts).find(|(_, starts)| starts >> start & 1 == 1);
        let length = fitting.map_or(1, |(shape, _)| u32::from(shape.length));
        any &= u32::MAX << (start + length);
        count += 1;
    }
    count
}
