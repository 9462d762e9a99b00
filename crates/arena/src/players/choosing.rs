//! Chance among equally good moves, as a search around a search (Anigmo's `determine`).

use tesuji_games::random::seeded;
use tesuji_games::{Playable, Rng};
use tesuji_search::determine::determine;
use tesuji_search::{Limits, Progress, Report, Search};

/// Values every move with the search inside it, and picks one of the best by chance.
pub(super) struct AmongEquals<P: Playable> {
    search: Box<dyn Search<P>>,
    rng: Rng,
}

impl<P: Playable> AmongEquals<P> {
    pub(super) fn new(search: Box<dyn Search<P>>, seed: u64) -> Self {
        AmongEquals { search, rng: seeded(seed) }
    }
}

impl<P: Playable> Search<P> for AmongEquals<P> {
    /// Only the depth counts: a value that a clock cut short would not be comparable with the others.
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        _: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        let depth_after_the_move = limits.plies().saturating_sub(1);
        determine(position, depth_after_the_move, self.search.as_mut(), &mut self.rng)
    }

    fn forget(&mut self) {
        self.search.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tesuji_games::Notation;
    use tesuji_games::rules::tictactoe::TicTacToe;
    use tesuji_search::{GameHeuristic, Minimax};

    #[test]
    fn chance_decides_among_the_best_and_only_those() {
        let position = TicTacToe::new().parse_line("b2").unwrap().end;
        let chosen = |seed| {
            let mut search = AmongEquals::new(Box::new(Minimax::new(GameHeuristic)), seed);
            let report = search.run(&position, &Limits::depth(9));
            position.move_text(report.best.unwrap())
        };
        let all: BTreeSet<String> = (0..30).map(chosen).collect();
        let corners = ["a1", "a3", "c1", "c3"].map(String::from);
        assert_eq!(all, BTreeSet::from(corners), "edges lose, corners draw");
        assert_eq!(chosen(4), chosen(4));
    }
}
