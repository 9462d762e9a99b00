//! Recorded games as samples: what people and players did at a table is learned from like the games of a run itself.

use std::ops::ControlFlow;

use tesuji_games::{Notation, Position, RowBoard, State, registry};
use tesuji_store::{GameRecord, Kind, Record, Selection, Store, StoreError};

use crate::forest::{Window, WindowSample};

/// Calls `each` with the sample of every game of a store that was played to its end by the rules. Games that began
/// elsewhere than at the usual start count as well; what cannot be played again does not.
pub(super) fn for_each_game(
    store: &dyn Store,
    game: &str,
    window: Window,
    each: &mut dyn FnMut(WindowSample),
) -> Result<(), StoreError> {
    // A game that is none has no games.
    let Ok(start) = registry::start(game) else { return Ok(()) };
    let selection = Selection { game: Some(game.to_string()), ..Selection::all(Kind::Game) };
    store.for_each(&selection, &mut |record| {
        if let Record::Game(game) = record {
            last_stone(&start, &game, window).into_iter().for_each(&mut *each);
        }
        ControlFlow::Continue(())
    })
}

/// What is learned from one game: the surroundings of its last stone, and how it ended.
fn last_stone(start: &State, game: &GameRecord, window: Window) -> Option<WindowSample> {
    let begin = start.parse_line(game.start.as_deref().unwrap_or("")).ok()?;
    let line = begin.end.parse_line(&game.moves).ok()?;
    line.end.outcome()?;
    let last = line.start.cell(*line.moves.last()?)?;
    window.sample(&RowBoard::of(&line.end)?, last)
}

#[cfg(test)]
mod tests {
    use tesuji_games::rules::tictactoe::TicTacToe;
    use tesuji_games::{Notation, Outcome, Side};
    use tesuji_store::{Contestant, Ending, EndingKind};

    use super::*;
    use crate::forest::Class;

    fn game(moves: &str, outcome: Outcome, ending: EndingKind) -> Record {
        let player = |name: &str| Contestant { name: name.to_string(), spec: name.to_string() };
        Record::Game(GameRecord {
            key: format!("web/{moves}"),
            event: "web".to_string(),
            game: "tictactoe".to_string(),
            players: [player("human"), player("pvs:depth=2")],
            pair: None,
            seed: 0,
            start: None,
            moves: moves.to_string(),
            opening_plies: 0,
            outcome,
            ending: Ending::plain(ending),
            thoughts: Vec::new(),
            played_at: 0,
        })
    }

    #[test]
    fn games_that_ended_by_the_rules_are_learned_from() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("web.db");
        let store = tesuji_store::open(place.to_str().unwrap()).unwrap();
        let won = "a1a2b1b2c1";
        store
            .add(&[
                game(won, Outcome::Win(Side::First), EndingKind::Rules),
                game("a1b2", Outcome::Win(Side::Second), EndingKind::Resigned),
            ])
            .unwrap();
        let window = Window { side: 3 };
        let mut found = Vec::new();
        for_each_game(&*store, "tictactoe", window, &mut |sample| found.push(sample)).unwrap();
        let end = TicTacToe::new().parse_line(won).unwrap().end;
        // c1 is the last cell of the board, counted from the top left.
        assert_eq!(found, [window.sample(&end, 8).unwrap()]);
        assert_ne!(found[0].class, Class::Draw);
        found.clear();
        for_each_game(&*store, "connect4", window, &mut |sample| found.push(sample)).unwrap();
        for_each_game(&*store, "chess", window, &mut |sample| found.push(sample)).unwrap();
        assert_eq!(found, []);
    }
}
