//! The openings of the Gomoku report, and random central openings for longer matches.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{GameLine, Move, RowGrid, State};
use tesuji_play::Openings;
use tesuji_search::Game;

use crate::run::ReproduceError;

/// Five in a row.
pub(super) type Gomoku = Mnk<LineBoard>;

/// The openings of the report's tournament, as offsets from the center.
const PUBLISHED: &str = "# offset
-9,0, -6,0, -5,2, -4,1, -4,0, -3,2, -2,3, -5,1, -6,1, -7,-1, -8,-2, -2,1, -3,1, -4,3, -1,0, -5,-1, -8,-1
7,5, 7,6, 5,4, 6,4, 4,6, 4,5, 6,7, 5,7, 3,6
-2,-10, -1,-9, 0,-10, -1,-8
";

/// Returns the empty board with this side.
pub(super) fn board(side: usize) -> Result<Gomoku, ReproduceError> {
    let rules = MnkRules::new(side, side, 5);
    rules.map(Mnk::new).ok_or_else(|| ReproduceError::Other(format!("no board of side {side}")))
}

/// Returns the openings of the report.
pub(super) fn published(game: &Game) -> Result<Openings, ReproduceError> {
    Openings::read(game.start(), PUBLISHED)
        .map_err(|error| ReproduceError::Other(error.to_string()))
}

/// Returns openings of four random stones within the central 5×5 cells.
pub(super) fn central(game: &Game, count: usize, seed: u64) -> Openings {
    const STONES: usize = 4;
    let opening = |number: usize| {
        let mut rng = seeded(derived(seed, [number as u64]));
        let mut line = GameLine::new(game.start().clone());
        while line.moves.len() < STONES {
            let m = game.rows().and_then(|rows| central_move(&line.end, &rows.grid, &mut rng));
            // Empty cells are legal; an occupied one is drawn again.
            if let Some(m) = m {
                let _ = line.play(m);
            }
        }
        line
    };
    Openings::List((0..count).map(opening).collect())
}

fn central_move(position: &State, grid: &RowGrid, rng: &mut Rng) -> Option<Move> {
    const REACH: usize = 2;
    let mut near = |middle: usize| middle - REACH + below(rng, 2 * REACH as u32 + 1) as usize;
    let (column, row) = (near(grid.columns / 2), near(grid.rows / 2));
    position.move_to(row * grid.columns + column)
}

#[cfg(test)]
mod tests {
    use tesuji_games::Position;

    use super::*;
    use crate::run::open_game;

    #[test]
    fn openings_can_be_played() {
        let game = open_game("gomoku:20x20").unwrap();
        let Openings::List(published) = published(&game).unwrap() else { panic!("no list") };
        assert_eq!(published.iter().map(|line| line.moves.len()).collect::<Vec<_>>(), [17, 9, 4]);
        let Openings::List(central) = central(&game, 9, 5) else { panic!("no list") };
        assert!(central.iter().all(|line| line.moves.len() == 4 && line.end.outcome().is_none()));
        assert_ne!(central[0].text(), central[1].text());
    }
}
