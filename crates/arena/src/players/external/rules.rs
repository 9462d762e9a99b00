//! What another program must be told of the game that is played.

use tesuji_games::{Playable, RowRule, SpecError, Visitor, registry};

use crate::players::five_in_a_row::FiveInARow;

/// A game, seen from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Game {
    /// As text: `connect4`, `mnk:10x10,k=5`.
    pub(crate) text: String,
    /// Its start, where it has a notation for positions.
    pub(crate) start: Option<String>,
    /// Its board, when it is one that Gomocup engines know.
    pub(crate) gomoku: Option<FiveInARow>,
}

/// What the Gomocup protocol calls a rule.
pub(crate) fn rule_number(rule: RowRule) -> u8 {
    match rule {
        RowRule::AtLeast => 0,
        RowRule::Exactly => 1,
        RowRule::Renju => 4,
        // Caro's own number, and that longer rows do not win.
        RowRule::Open => 8 | 1,
    }
}

impl Game {
    /// Opens the game that the text names, to see what it is.
    pub(crate) fn of(text: &str) -> Result<Game, SpecError> {
        let (start, gomoku) = registry::open(text, Look)?;
        Ok(Game { text: text.trim().to_string(), start, gomoku })
    }
}

struct Look;

impl Visitor for Look {
    type Output = (Option<String>, Option<FiveInARow>);

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        (start.position_text(), FiveInARow::of(&start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_the_numbers_of_the_protocol() {
        let number = |text| rule_number(Game::of(text).unwrap().gomoku.unwrap().rule);
        assert_eq!(["gomoku", "gomoku:exact", "renju", "caro"].map(number), [0, 1, 4, 9]);
        assert_eq!(Game::of("connect6").unwrap().gomoku, None);
    }

    #[test]
    fn games_with_positions_say_where_they_start() {
        assert!(Game::of("chess").unwrap().start.is_some_and(|start| start.contains('/')));
        assert_eq!(Game::of("connect4").unwrap().start, None);
        assert!(Game::of("").is_err());
    }
}
