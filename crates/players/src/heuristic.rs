//! One ply deep: the move after which the game's own estimate is best.

use std::time::Instant;

use tesuji_games::random::{choose, seeded};
use tesuji_games::{Line, Move, Position, Rng, Score, SpecError, State};
use tesuji_search::report::sort_best_first;
use tesuji_search::{MoveScore, Report};

use tesuji_play::Setup;
use tesuji_play::options::SEED;
use tesuji_play::{Choice, Player, PlayerError, Turn};
use tesuji_play::{PlayerContext, PlayerKind};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "heuristic",
    summary: "the move after which the game's own estimate is best",
    options: &[SEED],
    read: |_| Ok(Box::new(Heuristic)),
}];

#[derive(Debug)]
struct Heuristic;

impl Setup for Heuristic {
    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(Some(Box::new(HeuristicPlayer::new(player, context.seed))))
    }
}

/// The player `heuristic`. Among equally good moves chance decides.
#[derive(Clone, Debug)]
pub struct HeuristicPlayer {
    name: String,
    rng: Rng,
}

impl HeuristicPlayer {
    /// A player with this name and seed.
    pub fn new(name: &str, seed: u64) -> Self {
        HeuristicPlayer { name: name.to_string(), rng: seeded(seed) }
    }
}

impl Player for HeuristicPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &Line, _: &Turn) -> Result<Choice, PlayerError> {
        let started = Instant::now();
        let moves = values_after_one_move(&game.end);
        let best = moves.first().map(|best| best.score);
        let equals: Vec<Move> =
            moves.iter().filter(|entry| Some(entry.score) == best).map(|entry| entry.m).collect();
        let (Some(&m), Some(score)) = (choose(&mut self.rng, &equals), best) else {
            return Err(PlayerError::GameOver(self.name.clone()));
        };
        let report = Report {
            best: Some(m),
            score,
            line: vec![m],
            depth: 1,
            nodes: moves.len() as u64,
            time: started.elapsed(),
            moves,
            lines: Vec::new(),
        };
        Ok(Choice { m, report: Some(report) })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = seeded(seed);
    }
}

/// Every legal move with the estimate of the position after it, best first, for the side that moves.
pub fn values_after_one_move(position: &State) -> Vec<MoveScore> {
    let mut moves = Vec::new();
    position
        .for_each_move(|m| moves.push(MoveScore { m, score: value_of(position, m), visits: 0 }));
    sort_best_first(&mut moves);
    moves
}

fn value_of(position: &State, m: Move) -> Score {
    let mover = position.to_move();
    let mut child = position.clone();
    child.play(m);
    match child.outcome() {
        Some(outcome) => match outcome.winner() {
            Some(winner) if winner == mover => Score::win_in(1),
            Some(_) => Score::loss_in(1),
            None => Score::DRAW,
        },
        // A side that moves twice in a row looks at the child with its own eyes.
        None if child.to_move() == mover => Score::estimate(child.estimate().unwrap_or(0)),
        None => -Score::estimate(child.estimate().unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::Notation;

    #[test]
    fn takes_the_win_and_the_centre() {
        let mut player = HeuristicPlayer::new("heuristic", 1);
        for (position, best) in [("", "b2"), ("a1b1a2b2", "a3")] {
            let line = crate::opened("tictactoe").line(position).unwrap();
            let choice = player.choose(&line, &Turn::default()).unwrap();
            assert_eq!(line.end.move_text(choice.m), best);
        }
    }

    #[test]
    fn ties_are_broken_by_the_seed() {
        let line = crate::opened("tictactoe").line("b2").unwrap();
        let chosen = |seed| {
            let mut player = HeuristicPlayer::new("heuristic", seed);
            player.choose(&line, &Turn::default()).unwrap().m
        };
        let all: std::collections::BTreeSet<u64> =
            (0..40).map(|seed| chosen(seed).number()).collect();
        assert_eq!(
            all.into_iter().collect::<Vec<_>>(),
            [0, 2, 6, 8],
            "the corners are equally good"
        );
        assert_eq!(chosen(5), chosen(5));
    }
}
