//! The contract for games of one agent with chance and hidden information. [`AgainstChance`] turns
//! a two-sided [`Position`] into such a game.

use std::fmt::Debug;
use std::hash::Hash;

use crate::random::{Rng, below};
use crate::{Outcome, Position, Side};

/// The full state of a game of one agent. The agent sees only the result of
/// [`observe`](Self::observe), and searches on states drawn by
/// [`sample_state`](Self::sample_state).
pub trait Simulator: Clone + Send + Sync + 'static {
    /// An action of the agent.
    type Action: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;
    /// The part of a state that the agent can see.
    type Observation: Clone + Send + Sync;

    /// The agent's observation of this state.
    fn observe(&self) -> Self::Observation;

    /// Draws a random full state that is consistent with the observation (determinization).
    fn sample_state(observation: &Self::Observation, rng: &mut Rng) -> Self;

    /// Calls `each` with every legal action; a finished game has none.
    fn for_each_action(&self, each: impl FnMut(Self::Action));

    /// A uniformly random legal action; `None` if the game is over.
    fn random_action(&self, rng: &mut Rng) -> Option<Self::Action> {
        let mut count = 0;
        self.for_each_action(|_| count += 1);
        let mut left = if count == 0 { return None } else { below(rng, count) };
        let mut chosen = None;
        self.for_each_action(|action| {
            if left == 0 {
                chosen.get_or_insert(action);
            }
            left = left.saturating_sub(1);
        });
        chosen
    }

    /// Performs an action and the random events after it, and returns the reward.
    fn step(&mut self, action: Self::Action, rng: &mut Rng) -> f64;

    /// Whether the game is over.
    fn is_over(&self) -> bool;
}

/// A two-sided game against an opponent that plays uniformly random moves. A step includes the
/// opponent's reply. The reward at the end is 1 for a win, ½ for a draw and 0 for a loss. Nothing
/// is hidden.
#[derive(Clone, Debug)]
pub struct AgainstChance<P> {
    position: P,
    agent: Side,
}

impl<P: Position> AgainstChance<P> {
    /// Starts from a position; the side to move is the agent.
    pub fn new(position: P) -> Self {
        AgainstChance { agent: position.to_move(), position }
    }

    /// The current position.
    pub fn position(&self) -> &P {
        &self.position
    }
}

impl<P: Position> Simulator for AgainstChance<P> {
    type Action = P::Move;
    type Observation = Self;

    fn observe(&self) -> Self {
        self.clone()
    }

    fn sample_state(observation: &Self, _: &mut Rng) -> Self {
        observation.clone()
    }

    fn for_each_action(&self, each: impl FnMut(P::Move)) {
        self.position.for_each_move(each);
    }

    fn step(&mut self, action: P::Move, rng: &mut Rng) -> f64 {
        self.position.play(action);
        while self.position.outcome().is_none() && self.position.to_move() != self.agent {
            let reply = self.position.random_move(rng);
            self.position.play(reply);
        }
        self.position.outcome().map_or(0.0, |outcome: Outcome| outcome.points(self.agent))
    }

    fn is_over(&self) -> bool {
        self.position.outcome().is_some()
    }
}
