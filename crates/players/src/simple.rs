//! The players that do not search: `human`, a person at the terminal; `random`, any legal move, each as likely as any
//! other; `heuristic`, the move after which the game's own estimate is best.

use std::time::Instant;

use tesuji_games::random::{choose, seeded};
use tesuji_games::{Line, Move, Position, Rng, Score, SpecError, State};
use tesuji_play::options::SEED;
use tesuji_play::{Choice, Player, PlayerContext, PlayerError, PlayerKind, PlayerSetup, Turn};
use tesuji_search::report::sort_best_first;
use tesuji_search::terminal::terminal_score;
use tesuji_search::{MoveScore, Report};

use crate::searching::bad_value;

pub(super) const HUMAN: &str = "human";

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: HUMAN,
        summary: "you, at the terminal (play only)",
        options: &[],
        read: |_| Ok(Box::new(Human)),
    },
    PlayerKind {
        name: "random",
        summary: "any legal move",
        options: &[SEED],
        read: |_| Ok(Box::new(Rule(any_move))),
    },
    PlayerKind {
        name: "heuristic",
        summary: "the move after which the game's own estimate is best",
        options: &[SEED],
        read: |_| Ok(Box::new(Rule(best_at_once))),
    },
];

#[derive(Debug)]
struct Human;

impl PlayerSetup for Human {
    fn supports(&self, _: &str, _: &PlayerContext) -> Result<(), SpecError> {
        let expected = "a player that needs nobody, such as random or alphabeta:depth=4";
        Err(bad_value("a game without a terminal", "player", HUMAN, expected))
    }

    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        self.supports(player, context).map(|()| None)
    }
}

/// How a player chooses a move; there is none where the game is over.
#[derive(Clone, Copy, Debug)]
struct Rule(fn(&State, &mut Rng) -> Option<Choice>);

impl PlayerSetup for Rule {
    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        let (name, rng) = (player.to_string(), seeded(context.seed));
        Ok(Some(Box::new(SimplePlayer { name, rng, rule: *self })))
    }
}

struct SimplePlayer {
    name: String,
    rng: Rng,
    rule: Rule,
}

impl Player for SimplePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &Line, _: &Turn) -> Result<Choice, PlayerError> {
        let choice = (self.rule.0)(&game.end, &mut self.rng);
        choice.ok_or_else(|| PlayerError::GameOver(self.name.clone()))
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = seeded(seed);
    }
}

fn any_move(position: &State, rng: &mut Rng) -> Option<Choice> {
    position.outcome().is_none().then(|| Choice::without_report(position.random_move(rng)))
}

/// Among equally good moves chance decides.
fn best_at_once(position: &State, rng: &mut Rng) -> Option<Choice> {
    let started = Instant::now();
    let moves = values_after_one_move(position);
    let score = moves.first()?.score;
    let equals: Vec<Move> =
        moves.iter().filter(|entry| entry.score == score).map(|entry| entry.m).collect();
    let m = *choose(rng, &equals)?;
    let (line, nodes, time) = (vec![m], moves.len() as u64, started.elapsed());
    let report =
        Report { best: Some(m), score, line, depth: 1, nodes, time, moves, ..Report::empty() };
    Some(Choice { m, report: Some(report) })
}

/// Every legal move with the estimate of the position after it, best first, for the side that moves.
pub(super) fn values_after_one_move(position: &State) -> Vec<MoveScore> {
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
    let estimate = Score::estimate(child.estimate().unwrap_or(0));
    match child.outcome() {
        Some(outcome) => terminal_score(outcome, mover, 1),
        // A side that moves twice in a row looks at the child with its own eyes.
        None if child.to_move() == mover => estimate,
        None => -estimate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::Notation;

    fn chosen(moves: &str, seed: u64) -> String {
        let line = crate::opened("tictactoe").line(moves).unwrap();
        let choice = best_at_once(&line.end, &mut seeded(seed)).unwrap();
        line.end.move_text(choice.m)
    }

    #[test]
    fn takes_the_win_and_the_centre() {
        assert_eq!(["", "a1b1a2b2"].map(|moves| chosen(moves, 1)), ["b2", "a3"]);
    }

    #[test]
    fn ties_are_broken_by_the_seed() {
        let all: std::collections::BTreeSet<String> =
            (0..40).map(|seed| chosen("b2", seed)).collect();
        let corners = ["a1", "a3", "c1", "c3"].map(String::from);
        assert!(all.iter().eq(&corners), "the corners are equally good: {all:?}");
        assert_eq!(chosen("b2", 5), chosen("b2", 5));
    }

    #[test]
    fn nobody_moves_after_the_end() {
        let end = crate::opened("tictactoe").line("a1b1a2b2a3").unwrap().end;
        for rule in [any_move, best_at_once] {
            assert!(rule(&end, &mut seeded(1)).is_none());
        }
    }
}
