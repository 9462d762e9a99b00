//! A match between two custom players. One plays random legal moves, the other takes an immediate
//! win if there is one: `cargo run --release -p tesuji-play --example own_match`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use tesuji_games::random::{choose, seeded};
use tesuji_games::{GameLine, Move, Position, Rng, SpecError, State};
use tesuji_play::options::SEED;
use tesuji_play::{
    Choice, Match, MatchResult, Openings, Player, PlayerContext, PlayerError, PlayerKind,
    PlayerSetup, Roster, Turn,
};

/// Chooses one of the legal moves.
type Rule = fn(&State, &[Move], &mut Rng) -> Option<Move>;

fn any(_: &State, moves: &[Move], rng: &mut Rng) -> Option<Move> {
    choose(rng, moves).copied()
}

fn winning(position: &State, moves: &[Move], rng: &mut Rng) -> Option<Move> {
    let wins = |m: &Move| {
        let mut after = position.clone();
        after.play(*m);
        after.outcome().is_some_and(|outcome| outcome.winner() == Some(position.to_move()))
    };
    moves.iter().copied().find(wins).or_else(|| any(position, moves, rng))
}

/// The setup of a player such as `winning`.
#[derive(Clone, Copy, Debug)]
struct RuleSetup(Rule);

impl PlayerSetup for RuleSetup {
    fn build(
        &self,
        name: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        let (name, rng) = (name.to_string(), seeded(context.seed));
        Ok(Some(Box::new(RulePlayer { name, rng, rule: self.0 })))
    }
}

struct RulePlayer {
    name: String,
    rng: Rng,
    rule: Rule,
}

impl Player for RulePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
        let choice = (self.rule)(&game.end, &game.end.legal_moves(), &mut self.rng);
        choice.map(Choice::without_report).ok_or_else(|| PlayerError::GameOver(self.name.clone()))
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = seeded(seed);
    }
}

static PLAYERS: &[&[PlayerKind]] = &[&[
    PlayerKind {
        name: "any",
        former_name: None,
        summary: "any legal move",
        options: &[SEED],
        read: |_| Ok(Box::new(RuleSetup(any))),
    },
    PlayerKind {
        name: "winning",
        former_name: None,
        summary: "an immediately winning move, otherwise any",
        options: &[SEED],
        read: |_| Ok(Box::new(RuleSetup(winning))),
    },
]];

fn play(games: u64) -> Result<MatchResult, Box<dyn Error>> {
    let players = Roster::new(PLAYERS);
    let connect4 = tesuji_builtin::registry().open("connect4")?;
    let settings = Match { games, seed: 1, ..Match::default() };
    let pair = [players.read("winning")?, players.read("any")?];
    Ok(settings.run(&connect4, &pair, &Openings::Random { plies: 2 }, &|_| {})?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let score = play(1_000)?.score;
    println!("{:?}", score.tally);
    if let Some(rating) = score.pairs.rating() {
        println!("{:.1} ± {:.1} %", 100.0 * rating.score, 100.0 * rating.score_margin);
    }
    Ok(())
}

#[test]
fn taking_wins_wins_more_often() {
    let score = play(100).unwrap().score;
    assert_eq!(score.tally.games(), 100);
    assert!(score.tally.wins > score.tally.losses);
}
