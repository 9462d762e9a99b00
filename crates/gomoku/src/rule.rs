//! The rules of Gomoku that are played, and what makes a row of stones win by each. Where black may not
//! play in renju is in [`forbidden`](crate::forbidden).

use std::fmt;
use std::str::FromStr;

use tesuji_games::Side;

/// Which Gomoku is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Five or more in a row win.
    Freestyle,
    /// Exactly five in a row win.
    Standard,
    /// Black wins with exactly five and may not make two threes, two fours or more than five at once;
    /// white wins with five or more.
    Renju,
    /// Exactly five in a row win, unless a stone of the other side stands at each end. The edge of the board
    /// is not a stone.
    Caro,
}

/// No rule has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown rule \"{name}\": it is freestyle, standard, renju or caro")]
pub struct UnknownRule {
    name: String,
}

/// What a row of one side must be to win.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Winning {
    /// Five stones or more.
    FiveOrMore,
    /// Five stones and no more.
    ExactlyFive,
    /// Five stones and no more; more are forbidden, and so are two fours at once.
    RenjuBlack,
    /// Five stones and no more, and not a stone of the other side at each end.
    OpenFive,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 4] = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro];

    /// What `side` needs to win.
    pub const fn winning(self, side: Side) -> Winning {
        match (self, side) {
            (Rule::Freestyle, _) | (Rule::Renju, Side::Second) => Winning::FiveOrMore,
            (Rule::Standard, _) => Winning::ExactlyFive,
            (Rule::Renju, Side::First) => Winning::RenjuBlack,
            (Rule::Caro, _) => Winning::OpenFive,
        }
    }

    /// How far along a line one must look to know what a stone makes there: the rest of a row of five, and
    /// the cell after it where a sixth stone or a stone of the other side would matter.
    pub const fn reach(self) -> u32 {
        match self {
            Rule::Freestyle => 4,
            _ => 5,
        }
    }

    /// The name, as it is read and written.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        let known = Rule::ALL.into_iter().find(|rule| rule.name() == name);
        known.ok_or_else(|| UnknownRule { name: name.chars().take(20).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        let error = "pente".parse::<Rule>().unwrap_err().to_string();
        assert!(error.contains("pente") && error.contains("caro"), "{error}");
    }
}
