//! What a stone makes in all four lines together: one of sixteen classes, looked up by the four patterns.
//!
//! The four patterns of a cell and side are a *code* of 16 bits, four a direction. A table of 64 KiB gives the
//! class of every code; there are two, one for black in renju and one for everybody else.

use std::sync::OnceLock;

use tesuji_games::RowRule;

use crate::pattern::Pattern;

/// What a stone on an empty cell makes, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Nothing below.
    Quiet,
    /// One open two.
    OpenTwo,
    /// One three that is stopped by one stone even if left alone for a move.
    Three,
    /// Two open twos or more.
    TwoTwo,
    /// Such a three and an open two, or two such threes.
    ThreeTwo,
    /// An open three: left alone, it becomes a four that cannot be stopped.
    OpenThree,
    /// An open three with an open two or another three.
    OpenThreePlus,
    /// Two open threes.
    ThreeThree,
    /// A four.
    Four,
    /// A four with an open two or a three.
    FourPlus,
    /// A four and an open three.
    FourThree,
    /// A four that no single stone stops, or two fours: wins unless the other side makes five at once.
    OpenFour,
    /// Black in renju only: two open threes or more, perhaps with a four. Forbidden if two of the
    /// threes are real; [`forbidden`](crate::forbidden) finds out.
    Doubtful,
    /// Black in renju only: two fours, or more than five.
    Forbidden,
    /// Five: wins.
    Five,
    /// There is a stone, so nothing can be made.
    Taken,
}

impl Class {
    /// How many classes there are.
    pub const COUNT: usize = 16;

    /// All classes, in the order of their numbers.
    pub const ALL: [Class; Class::COUNT] = [
        Class::Quiet,
        Class::OpenTwo,
        Class::Three,
        Class::TwoTwo,
        Class::ThreeTwo,
        Class::OpenThree,
        Class::OpenThreePlus,
        Class::ThreeThree,
        Class::Four,
        Class::FourPlus,
        Class::FourThree,
        Class::OpenFour,
        Class::Doubtful,
        Class::Forbidden,
        Class::Five,
        Class::Taken,
    ];

    /// Whether a board keeps count of the cells of this class. Weaker ones change most often, and nobody asks.
    #[inline]
    pub const fn is_counted(self) -> bool {
        self as u8 >= Class::OpenThree as u8
    }

    /// What patterns make together, by the definitions above.
    pub fn of(winning: RowRule, patterns: [Pattern; 4]) -> Class {
        Tally::new(patterns).class(winning)
    }
}

/// How many lines have what.
#[derive(Default)]
struct Tally {
    five: u32,
    overline: u32,
    open_four: u32,
    four: u32,
    open_three: u32,
    three: u32,
    open_two: u32,
}

impl Tally {
    fn new(patterns: [Pattern; 4]) -> Tally {
        let mut tally = Tally::default();
        for pattern in patterns {
            match pattern {
                Pattern::Five => tally.five += 1,
                Pattern::Overline => tally.overline += 1,
                Pattern::OpenFour => tally.open_four += 1,
                Pattern::DoubleFour => tally.four += 2,
                Pattern::Four => tally.four += 1,
                Pattern::WideThree | Pattern::OpenThree => tally.open_three += 1,
                Pattern::Three => tally.three += 1,
                Pattern::WideTwo | Pattern::OpenTwo => tally.open_two += 1,
                Pattern::Two | Pattern::OpenOne | Pattern::One | Pattern::Dead => {}
            }
        }
        tally
    }

    fn class(&self, winning: RowRule) -> Class {
        if self.five > 0 {
            return Class::Five;
        }
        if winning == RowRule::Renju {
            if self.overline > 0 || self.open_four + self.four > 1 {
                return Class::Forbidden;
            }
            if self.open_three > 1 {
                return Class::Doubtful;
            }
        }
        self.threat()
    }

    fn threat(&self) -> Class {
        let help = self.three + self.open_two;
        match (self.open_four, self.four, self.open_three) {
            (1.., _, _) | (_, 2.., _) => Class::OpenFour,
            (_, 1, 1..) => Class::FourThree,
            (_, 1, 0) if help > 0 => Class::FourPlus,
            (_, 1, 0) => Class::Four,
            (_, 0, 2..) => Class::ThreeThree,
            (_, 0, 1) if help > 0 => Class::OpenThreePlus,
            (_, 0, 1) => Class::OpenThree,
            (_, 0, 0) => self.preparation(),
        }
    }

    fn preparation(&self) -> Class {
        match (self.three, self.open_two) {
            (2.., _) | (1, 1..) => Class::ThreeTwo,
            (1, 0) => Class::Three,
            (0, 2..) => Class::TwoTwo,
            (0, 1) => Class::OpenTwo,
            (0, 0) => Class::Quiet,
        }
    }
}

/// The class of every code.
#[derive(Debug)]
pub struct ClassTable {
    classes: Box<[Class; 1 << 16]>,
}

impl ClassTable {
    /// The table for a side that wins like this.
    pub fn of(winning: RowRule) -> &'static ClassTable {
        static RENJU_BLACK: OnceLock<ClassTable> = OnceLock::new();
        static EVERYBODY_ELSE: OnceLock<ClassTable> = OnceLock::new();
        let table = match winning {
            RowRule::Renju => &RENJU_BLACK,
            _ => &EVERYBODY_ELSE,
        };
        table.get_or_init(|| ClassTable::new(winning))
    }

    fn new(winning: RowRule) -> ClassTable {
        let mut classes = Box::new([Class::Quiet; 1 << 16]);
        for (code, class) in classes.iter_mut().enumerate() {
            *class = Class::of(winning, patterns_of_code(code as u16));
        }
        ClassTable { classes }
    }

    /// The class of four patterns.
    #[inline]
    pub fn class(&self, code: u16) -> Class {
        self.classes[usize::from(code)]
    }
}

/// The four patterns of a code.
#[inline]
pub fn patterns_of_code(code: u16) -> [Pattern; 4] {
    [0, 4, 8, 12].map(|shift| Pattern::from_bits(u32::from(code) >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_classes_agree() {
        for (number, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, number);
        }
    }

    #[test]
    fn five_beats_forbidden_and_only_black_in_renju_is_forbidden() {
        use Pattern::*;
        let rows = [
            ([Five, Overline, Dead, Dead], Class::Five, Class::Five),
            ([Overline, Four, Dead, Dead], Class::Forbidden, Class::Four),
            ([Four, Four, Dead, Dead], Class::Forbidden, Class::OpenFour),
            ([DoubleFour, Dead, Dead, Dead], Class::Forbidden, Class::OpenFour),
            ([OpenFour, Dead, WideThree, Dead], Class::OpenFour, Class::OpenFour),
            ([OpenThree, Dead, WideThree, Dead], Class::Doubtful, Class::ThreeThree),
            ([OpenThree, Four, WideThree, Dead], Class::Doubtful, Class::FourThree),
            ([OpenThree, Four, Two, Dead], Class::FourThree, Class::FourThree),
            ([One, Four, WideTwo, Dead], Class::FourPlus, Class::FourPlus),
        ];
        for (patterns, black, others) in rows {
            assert_eq!(Class::of(RowRule::Renju, patterns), black, "{patterns:?}");
            assert_eq!(Class::of(RowRule::AtLeast, patterns), others, "{patterns:?}");
        }
    }
}
