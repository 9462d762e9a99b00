//! What another program must be told of the game that is played.

use tesuji_games::{Notation, RowRule};
use tesuji_search::Game;

use crate::five_in_a_row::FiveInARow;

/// A game, seen from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameFacts {
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

impl GameFacts {
    /// What is told of a game.
    pub(crate) fn of(game: &Game) -> GameFacts {
        GameFacts {
            text: game.name().to_string(),
            start: game.start().position_text(),
            gomoku: FiveInARow::of(game),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(game: &str) -> GameFacts {
        GameFacts::of(&crate::opened(game))
    }

    #[test]
    fn rules_have_the_numbers_of_the_protocol() {
        let number = |text| rule_number(facts(text).gomoku.unwrap().rule);
        assert_eq!(["gomoku", "gomoku:exact", "renju", "caro"].map(number), [0, 1, 4, 9]);
        assert_eq!(facts("connect6").gomoku, None);
    }

    #[test]
    fn games_with_positions_say_where_they_start() {
        assert!(facts("chess").start.is_some_and(|start| start.contains('/')));
        assert_eq!(facts("connect4").start, None);
    }
}
