//! The feature patterns and how they are counted.
//!
//! A pattern is a list of shapes, and is counted on each line as a regular expression of these alternatives
//! would count: from the left, at each start the first shape that fits, and after a match going on behind its
//! last cell, so that overlapping shapes count once. Patterns do not see each other: a cell can be part of one
//! match of each. The shapes stand in the order of the published program. That order cannot matter, since no
//! two shapes of one pattern can begin at the same cell (a test goes through all pairs).
//!
//! The published program joins all lines into one text with single walls between them. A match at the end of
//! one line then uses up the wall that a shape at the start of the next line needs, so that its counts depend
//! on which lines are neighbours in the text, and local changes do not add up to the count of the whole board.
//! Here every line has walls of its own; then they do. (It shows seldom: on 1 of 300 boards of 20×20 with a stone
//! on every fourth cell, and on none of 60 positions after a few moves.)

use std::ops::{AddAssign, SubAssign};

use tesuji_games::Side;

use super::board::{Board, Cell};
use super::lines::{LINES, Line, Stone};

/// The longest shape that there can be. The report's longest has nine cells; longer rows have longer ones.
pub const LONGEST_SHAPE: usize = 17;

/// The most shapes that are counted together.
pub const MOST_SHAPES: usize = 24;

/// What a shape wants of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Want {
    Empty,
    Own,
    /// A stone of the other side, or (where the set of patterns says so) a wall.
    Blocked,
}

/// Wanted cells in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    wants: [Want; LONGEST_SHAPE],
    length: u8,
    stones: u8,
}

impl Shape {
    /// `1` is an own stone, `0` an empty cell, anything else a blocked one. At most [`LONGEST_SHAPE`] cells.
    pub const fn new(text: &str) -> Shape {
        let text = text.as_bytes();
        let mut shape =
            Shape { wants: [Want::Empty; LONGEST_SHAPE], length: text.len() as u8, stones: 0 };
        let mut at = 0;
        while at < text.len() {
            shape.wants[at] = match text[at] {
                b'0' => Want::Empty,
                b'1' => Want::Own,
                _ => Want::Blocked,
            };
            shape.stones += (text[at] == b'1') as u8;
            at += 1;
        }
        shape
    }

    /// Where on the line the shape begins, as bits.
    #[inline]
    fn starts(&self, own: u32, empty: u32, blocked: u32) -> u32 {
        let wants = &self.wants[..self.length as usize];
        wants.iter().enumerate().fold(u32::MAX, |starts, (offset, want)| {
            let fitting = match want {
                Want::Empty => empty,
                Want::Own => own,
                Want::Blocked => blocked,
            };
            starts & (fitting >> offset)
        })
    }
}

/// Whether the edge of the board and blocked cells stand for a stone of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Walls {
    Block,
    DoNot,
}

/// Patterns that are counted together.
#[derive(Clone, Copy, Debug)]
pub struct PatternSet<const N: usize> {
    pub(super) patterns: [&'static [Shape]; N],
    pub(super) walls: Walls,
}

/// How important a pattern is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Category {
    /// The game is over.
    WinningIdentity,
    /// Two ways to win at once.
    WinningThreat,
    /// Must be answered, or it becomes a winning threat or five.
    ForcingThreat,
    /// May become something.
    PotentialThreat,
}

/// The ten feature patterns, in the report's order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pattern {
    /// Five in a row.
    Five,
    /// Four in a row, both ends empty.
    OpenFour,
    /// Three in a row with a stone behind a gap at both ends.
    CompensationFour,
    /// Four that one cell makes five.
    SimpleFour,
    /// Three in a row, two empty cells at both ends.
    OpenThree,
    /// Three that can become an open four in one way only, or with a gap.
    SimpleThree,
    /// Five stones with a gap between each two.
    Compensation,
    /// Two with room on both sides.
    OpenTwo,
    /// Three that can become a simple four only.
    BrokenThree,
    /// Two with less room on one side.
    SimpleTwo,
}

impl Pattern {
    /// All ten, in order.
    pub const ALL: [Pattern; 10] = [
        Pattern::Five,
        Pattern::OpenFour,
        Pattern::CompensationFour,
        Pattern::SimpleFour,
        Pattern::OpenThree,
        Pattern::SimpleThree,
        Pattern::Compensation,
        Pattern::OpenTwo,
        Pattern::BrokenThree,
        Pattern::SimpleTwo,
    ];

    /// How important it is.
    pub const fn category(self) -> Category {
        match self {
            Pattern::Five => Category::WinningIdentity,
            Pattern::OpenFour | Pattern::CompensationFour => Category::WinningThreat,
            Pattern::SimpleFour
            | Pattern::OpenThree
            | Pattern::SimpleThree
            | Pattern::Compensation => Category::ForcingThreat,
            Pattern::OpenTwo | Pattern::BrokenThree | Pattern::SimpleTwo => {
                Category::PotentialThreat
            }
        }
    }

    const fn shapes(self) -> &'static [Shape] {
        const fn shapes<const N: usize>(texts: [&str; N]) -> [Shape; N] {
            let mut shapes = [Shape::new(""); N];
            let mut at = 0;
            while at < N {
                shapes[at] = Shape::new(texts[at]);
                at += 1;
            }
            shapes
        }
        match self {
            Pattern::Five => const { &shapes(["11111"]) },
            Pattern::OpenFour => const { &shapes(["011110"]) },
            Pattern::CompensationFour => const { &shapes(["1011101"]) },
            Pattern::SimpleFour => {
                const { &shapes(["x11110", "01111x", "11011", "11101", "10111"]) }
            }
            Pattern::OpenThree => const { &shapes(["0011100"]) },
            Pattern::SimpleThree => const { &shapes(["011010", "010110", "x011100", "001110x"]) },
            Pattern::Compensation => const { &shapes(["101010101"]) },
            Pattern::OpenTwo => const { &shapes(["001100", "0010100"]) },
            Pattern::BrokenThree => {
                const {
                    &shapes([
                        "x11100", "00111x", "x11010", "01011x", "x10110", "01101x", "x01110x",
                        "10101",
                    ])
                }
            }
            Pattern::SimpleTwo => const { &shapes(["x01100", "00110x", "x010100", "001010x"]) },
        }
    }
}

/// The report's ten patterns.
pub const REPORT_PATTERNS: PatternSet<10> = {
    let mut patterns: [&'static [Shape]; 10] = [&[]; 10];
    let mut at = 0;
    while at < 10 {
        patterns[at] = Pattern::ALL[at].shapes();
        at += 1;
    }
    PatternSet { patterns, walls: Walls::Block }
};

/// Seven patterns of the first, naive agent: five, open four, blocked four, straight three, gapped three, a three
/// with an empty cell at both ends (which a straight three has too), two. The edge of the board blocks nothing.
pub(super) const NAIVE_PATTERNS: PatternSet<7> = PatternSet {
    patterns: [
        &[Shape::new("11111")],
        &[Shape::new("011110")],
        &[Shape::new("x11110"), Shape::new("01111x")],
        &[Shape::new("001110x"), Shape::new("x011100"), Shape::new("0011100")],
        &[Shape::new("010110"), Shape::new("011010")],
        &[Shape::new("01110")],
        &[Shape::new("0110")],
    ],
    walls: Walls::DoNot,
};

/// How often each pattern of a set occurs, a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts<const N: usize> {
    sides: [[u16; N]; 2],
}

impl<const N: usize> Default for Counts<N> {
    fn default() -> Self {
        Counts { sides: [[0; N]; 2] }
    }
}

impl<const N: usize> Counts<N> {
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

impl<const N: usize> AddAssign for Counts<N> {
    fn add_assign(&mut self, other: Self) {
        self.each(&other, |mine, theirs| *mine += theirs);
    }
}

/// Never below nothing: what is taken away was counted before.
impl<const N: usize> SubAssign for Counts<N> {
    fn sub_assign(&mut self, other: Self) {
        self.each(&other, |mine, theirs| *mine = mine.saturating_sub(theirs));
    }
}

impl<const N: usize> PatternSet<N> {
    /// Counts the whole board.
    pub fn count(&self, board: &Board) -> Counts<N> {
        let mut counts = Counts::default();
        for line in 0..LINES {
            for side in Side::ALL {
                self.count_line(&board.line(line, side), &mut counts.sides[side.index()]);
            }
        }
        counts
    }

    /// Counts the four lines through a cell only.
    pub fn count_through(&self, board: &Board, cell: Cell) -> Counts<N> {
        self.count_lines(board, cell, |line, _, _| line)
    }

    /// Counts the four lines through an empty cell as if `side` had a stone there.
    pub fn count_through_with(&self, board: &Board, cell: Cell, side: Side) -> Counts<N> {
        self.count_lines(board, cell, |line, bit, viewer| {
            line.with_stone(bit, if viewer == side { Stone::Own } else { Stone::Other })
        })
    }

    #[inline]
    fn count_lines(
        &self,
        board: &Board,
        cell: Cell,
        changed: impl Fn(Line, u32, Side) -> Line,
    ) -> Counts<N> {
        let mut counts = Counts::default();
        for place in board.places(cell) {
            for side in Side::ALL {
                let line = changed(board.line(place.line, side), place.bit, side);
                self.count_line(&line, &mut counts.sides[side.index()]);
            }
        }
        counts
    }

    #[inline]
    fn count_line(&self, line: &Line, counts: &mut [u16; N]) {
        // No shape has fewer than two stones.
        if line.own.count_ones() < 2 {
            return;
        }
        let blocked = match self.walls {
            Walls::Block => line.other | line.walls,
            Walls::DoNot => line.other,
        };
        for (shapes, count) in self.patterns.iter().zip(counts) {
            *count += count_matches(shapes, line.own, line.empty, blocked);
        }
    }
}

/// How often shapes occur on a line of bits, without overlap, found from the left: of those that begin at the same cell
/// the first counts. At most [`MOST_SHAPES`] of them.
#[inline]
pub fn count_matches(shapes: &[Shape], own: u32, empty: u32, blocked: u32) -> u16 {
    let stones = own.count_ones();
    let mut starts = [0u32; MOST_SHAPES];
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
