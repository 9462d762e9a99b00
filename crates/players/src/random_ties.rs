//! Random tie-break between equally good moves, as a search around a search (Anigmo's `determine`).

use tesuji_games::random::seeded;
use tesuji_games::{Move, Position, Rng, State};
use tesuji_search::random_tie_break::choose_randomly_among_best;
use tesuji_search::{Limits, ProgressFn, Search, SearchReport};

/// Scores every move with the inner search and picks one of the best at random.
pub(super) struct RandomTieBreak {
    search: Box<dyn Search<State>>,
    rng: Rng,
    /// The key of the start position and the move to play there without a search.
    first_move: Option<(u64, Move)>,
}

impl RandomTieBreak {
    pub(super) fn new(search: Box<dyn Search<State>>, seed: u64) -> Self {
        RandomTieBreak { search, rng: seeded(seed), first_move: None }
    }

    /// Plays this move in the start position, which has this key, without a search.
    pub(super) fn with_first_move(self, start: u64, m: Move) -> Self {
        RandomTieBreak { first_move: Some((start, m)), ..self }
    }
}

impl Search<State> for RandomTieBreak {
    /// Ignores a limit of nodes: a score that it cut short is not comparable with the others.
    fn search(&mut self, position: &State, limits: &Limits, _: ProgressFn<'_>) -> SearchReport {
        if let Some((_, m)) = self.first_move.filter(|&(start, _)| start == position.key()) {
            return SearchReport { best: Some(m), line: vec![m], ..SearchReport::empty() };
        }
        let after = Limits { depth: Some(limits.plies().saturating_sub(1)), ..limits.clone() };
        choose_randomly_among_best(position, &after, self.search.as_mut(), &mut self.rng)
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
    use tesuji_search::SearchPlan;

    #[test]
    fn only_the_best_moves_are_chosen() {
        let tictactoe = crate::opened("tictactoe");
        let position = tictactoe.line("b2").unwrap().end;
        let chosen = |seed| {
            let minimax = tictactoe.searches().search(&SearchPlan::Minimax, 0, None);
            let mut search = RandomTieBreak::new(minimax, seed);
            let report = search.run(&position, &Limits::depth(9));
            position.move_text(report.best.unwrap())
        };
        let all: BTreeSet<String> = (0..30).map(chosen).collect();
        let corners = ["a1", "a3", "c1", "c3"].map(String::from);
        assert_eq!(all, BTreeSet::from(corners), "edges lose, corners draw");
        assert_eq!(chosen(4), chosen(4));
    }
}
