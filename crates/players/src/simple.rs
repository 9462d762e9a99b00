//! The players that do not search: `human`, a person at the terminal; `random`, a uniformly random
//! legal move; `heuristic`, the move with the best static estimate.

use std::time::Instant;

use tesuji_games::random::{choose, seeded};
use tesuji_games::{GameLine, Move, Position, Rng, Score, SpecError, State};
use tesuji_play::options::SEED;
use tesuji_play::{Choice, Player, PlayerContext, PlayerError, PlayerKind, PlayerSetup, Turn};
use tesuji_search::report::sort_best_first;
use tesuji_search::terminal::terminal_score;
use tesuji_search::{MoveScore, SearchReport};

use crate::searching::impossible;

pub(super) const HUMAN: &str = "human";

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: HUMAN,
        former_name: None,
        summary: "a person at the terminal (play only)",
        options: &[],
        read: |_| Ok(Box::new(HumanSetup)),
    },
    PlayerKind {
        name: "random",
        former_name: None,
        summary: "a random legal move",
        options: &[SEED],
        read: |_| Ok(Box::new(MoveRule(random_move))),
    },
    PlayerKind {
        name: "heuristic",
        former_name: None,
        summary: "the move with the best static estimate of the game",
        options: &[SEED],
        read: |_| Ok(Box::new(MoveRule(best_by_estimate))),
    },
];

#[derive(Debug)]
struct HumanSetup;

impl PlayerSetup for HumanSetup {
    fn supports(&self, _: &str, _: &PlayerContext) -> Result<(), SpecError> {
        let why = "cannot play without a terminal; expected a computer player such as random";
        Err(impossible(HUMAN, why))
    }

    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        self.supports(player, context).map(|()| None)
    }
}

/// Chooses a move; returns `None` when the game is over.
#[derive(Clone, Copy, Debug)]
struct MoveRule(fn(&State, &mut Rng) -> Option<Choice>);

impl PlayerSetup for MoveRule {
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
    rule: MoveRule,
}

impl Player for SimplePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
        let choice = (self.rule.0)(&game.end, &mut self.rng);
        choice.ok_or_else(|| PlayerError::GameOver(self.name.clone()))
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = seeded(seed);
    }
}

fn random_move(position: &State, rng: &mut Rng) -> Option<Choice> {
    position.outcome().is_none().then(|| Choice::without_report(position.random_move(rng)))
}

/// Breaks ties at random.
fn best_by_estimate(position: &State, rng: &mut Rng) -> Option<Choice> {
    let started = Instant::now();
    let moves = one_ply_scores(position);
    let score = moves.first()?.score;
    let equals: Vec<Move> =
        moves.iter().filter(|entry| entry.score == score).map(|entry| entry.m).collect();
    let m = *choose(rng, &equals)?;
    let (line, nodes, time) = (vec![m], moves.len() as u64, started.elapsed());
    let report = SearchReport {
        best: Some(m),
        score,
        line,
        depth: 1,
        nodes,
        time,
        moves,
        ..SearchReport::empty()
    };
    Some(Choice { m, report: Some(report) })
}

/// Returns the static estimate after each legal move for the side to move, best first.
pub(super) fn one_ply_scores(position: &State) -> Vec<MoveScore> {
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
        // A side that moves twice in a row is also to move in the child: no change of sign.
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
        let choice = best_by_estimate(&line.end, &mut seeded(seed)).unwrap();
        line.end.move_text(choice.m)
    }

    #[test]
    fn takes_the_win_and_the_center() {
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
    fn no_move_after_the_end() {
        let end = crate::opened("tictactoe").line("a1b1a2b2a3").unwrap().end;
        for rule in [random_move, best_by_estimate] {
            assert!(rule(&end, &mut seeded(1)).is_none());
        }
    }
}
