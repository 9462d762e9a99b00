//! The class of a move: what a stone creates in all four lines together.
//!
//! The four patterns of a cell and side form a *code* of 16 bits, four for each direction. A table
//! of 64 KiB gives the class of every code. There are two tables: one for black in renju and one
//! for all other sides.

use std::sync::OnceLock;

use tesuji_games::RowRule;

use crate::pattern::LinePattern;

/// What a stone on an empty cell creates, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum MoveClass {
    /// None of the classes below.
    Quiet,
    /// One open two.
    OpenTwo,
    /// One three that a single stone stops even if it is answered one move late.
    Three,
    /// Two or more open twos.
    TwoTwo,
    /// A three and an open two, or two threes.
    ThreeTwo,
    /// An open three: if not answered, it becomes a four that no single stone stops.
    OpenThree,
    /// An open three with an open two or a three.
    OpenThreePlus,
    /// Two open threes.
    ThreeThree,
    /// A four.
    Four,
    /// A four with an open two or a three.
    FourPlus,
    /// A four and an open three.
    FourThree,
    /// A four that no single stone stops, or two fours: wins unless the opponent has a five at
    /// once.
    OpenFour,
    /// Black in renju only: two or more open threes, possibly with a four. Forbidden if two of the
    /// threes are real; [`forbidden`](crate::forbidden) decides.
    Doubtful,
    /// Black in renju only: two fours or an overline.
    Forbidden,
    /// Five: wins.
    Five,
    /// The cell has a stone.
    Taken,
}

impl MoveClass {
    /// The number of classes.
    pub const COUNT: usize = 16;

    /// All classes, ordered by number.
    pub const ALL: [MoveClass; MoveClass::COUNT] = [
        MoveClass::Quiet,
        MoveClass::OpenTwo,
        MoveClass::Three,
        MoveClass::TwoTwo,
        MoveClass::ThreeTwo,
        MoveClass::OpenThree,
        MoveClass::OpenThreePlus,
        MoveClass::ThreeThree,
        MoveClass::Four,
        MoveClass::FourPlus,
        MoveClass::FourThree,
        MoveClass::OpenFour,
        MoveClass::Doubtful,
        MoveClass::Forbidden,
        MoveClass::Five,
        MoveClass::Taken,
    ];

    /// Whether a board counts the cells of this class. Weaker classes change most often, and no
    /// caller needs their counts.
    #[inline]
    pub const fn is_counted(self) -> bool {
        self as u8 >= MoveClass::OpenThree as u8
    }

    /// The class of four patterns, by the definitions above.
    pub fn of(winning: RowRule, patterns: [LinePattern; 4]) -> MoveClass {
        LinePatternCounts::new(patterns).class(winning)
    }
}

/// The number of lines with each pattern.
#[derive(Default)]
struct LinePatternCounts {
    five: u32,
    overline: u32,
    open_four: u32,
    four: u32,
    open_three: u32,
    three: u32,
    open_two: u32,
}

impl LinePatternCounts {
    fn new(patterns: [LinePattern; 4]) -> LinePatternCounts {
        let mut counts = LinePatternCounts::default();
        for pattern in patterns {
            match pattern {
                LinePattern::Five => counts.five += 1,
                LinePattern::Overline => counts.overline += 1,
                LinePattern::OpenFour => counts.open_four += 1,
                LinePattern::DoubleFour => counts.four += 2,
                LinePattern::Four => counts.four += 1,
                LinePattern::WideThree | LinePattern::OpenThree => counts.open_three += 1,
                LinePattern::Three => counts.three += 1,
                LinePattern::WideTwo | LinePattern::OpenTwo => counts.open_two += 1,
                LinePattern::Two | LinePattern::OpenOne | LinePattern::One | LinePattern::Dead => {}
            }
        }
        counts
    }

    fn class(&self, winning: RowRule) -> MoveClass {
        if self.five > 0 {
            return MoveClass::Five;
        }
        if winning == RowRule::Renju {
            if self.overline > 0 || self.open_four + self.four > 1 {
                return MoveClass::Forbidden;
            }
            if self.open_three > 1 {
                return MoveClass::Doubtful;
            }
        }
        self.threat()
    }

    fn threat(&self) -> MoveClass {
        let support = self.three + self.open_two;
        match (self.open_four, self.four, self.open_three) {
            (1.., _, _) | (_, 2.., _) => MoveClass::OpenFour,
            (_, 1, 1..) => MoveClass::FourThree,
            (_, 1, 0) if support > 0 => MoveClass::FourPlus,
            (_, 1, 0) => MoveClass::Four,
            (_, 0, 2..) => MoveClass::ThreeThree,
            (_, 0, 1) if support > 0 => MoveClass::OpenThreePlus,
            (_, 0, 1) => MoveClass::OpenThree,
            (_, 0, 0) => self.preparation(),
        }
    }

    fn preparation(&self) -> MoveClass {
        match (self.three, self.open_two) {
            (2.., _) | (1, 1..) => MoveClass::ThreeTwo,
            (1, 0) => MoveClass::Three,
            (0, 2..) => MoveClass::TwoTwo,
            (0, 1) => MoveClass::OpenTwo,
            (0, 0) => MoveClass::Quiet,
        }
    }
}

/// A lookup table from codes to classes.
#[derive(Debug)]
pub struct ClassTable {
    classes: Box<[MoveClass; 1 << 16]>,
}

impl ClassTable {
    /// The table for a side with this winning rule.
    pub fn of(winning: RowRule) -> &'static ClassTable {
        static RENJU_BLACK: OnceLock<ClassTable> = OnceLock::new();
        static OTHERS: OnceLock<ClassTable> = OnceLock::new();
        let table = match winning {
            RowRule::Renju => &RENJU_BLACK,
            _ => &OTHERS,
        };
        table.get_or_init(|| ClassTable::new(winning))
    }

    fn new(winning: RowRule) -> ClassTable {
        let mut classes = Box::new([MoveClass::Quiet; 1 << 16]);
        for (code, class) in classes.iter_mut().enumerate() {
            *class = MoveClass::of(winning, patterns_of_code(code as u16));
        }
        ClassTable { classes }
    }

    /// The class of a code.
    #[inline]
    pub fn class(&self, code: u16) -> MoveClass {
        self.classes[usize::from(code)]
    }
}

/// Splits a code into its four patterns.
#[inline]
pub fn patterns_of_code(code: u16) -> [LinePattern; 4] {
    [0, 4, 8, 12].map(|shift| LinePattern::from_bits(u32::from(code) >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_classes_agree() {
        for (number, class) in MoveClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, number);
        }
    }

    #[test]
    fn five_beats_forbidden_and_only_black_in_renju_is_forbidden() {
        use LinePattern::*;
        let rows = [
            ([Five, Overline, Dead, Dead], MoveClass::Five, MoveClass::Five),
            ([Overline, Four, Dead, Dead], MoveClass::Forbidden, MoveClass::Four),
            ([Four, Four, Dead, Dead], MoveClass::Forbidden, MoveClass::OpenFour),
            ([DoubleFour, Dead, Dead, Dead], MoveClass::Forbidden, MoveClass::OpenFour),
            ([OpenFour, Dead, WideThree, Dead], MoveClass::OpenFour, MoveClass::OpenFour),
            ([OpenThree, Dead, WideThree, Dead], MoveClass::Doubtful, MoveClass::ThreeThree),
            ([OpenThree, Four, WideThree, Dead], MoveClass::Doubtful, MoveClass::FourThree),
            ([OpenThree, Four, Two, Dead], MoveClass::FourThree, MoveClass::FourThree),
            ([One, Four, WideTwo, Dead], MoveClass::FourPlus, MoveClass::FourPlus),
        ];
        for (patterns, black, others) in rows {
            assert_eq!(MoveClass::of(RowRule::Renju, patterns), black, "{patterns:?}");
            assert_eq!(MoveClass::of(RowRule::AtLeast, patterns), others, "{patterns:?}");
        }
    }
}
