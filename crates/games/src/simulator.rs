//! The contract for games of one agent against chance and hidden information. A two-sided
//! [`Position`] takes part through [`AgainstChance`].

use std::fmt::Debug;
use std::hash::Hash;

use crate::random::{Rng, below};
use crate::{Outcome, Position, Side};

/// A game of one agent. The full state is known to the simulator only; an agent decides on what
/// [`observe`](Self::observe) shows, and thinks ahead on states that [`imagine`](Self::imagine) makes up.
pub trait Simulator: Clone + Send + Sync + 'static {
    /// What the agent can do.
    type Action: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;
    /// What the agent can see.
    type Observation: Clone + Send + Sync;

    /// What the agent sees of this state.
    fn observe(&self) -> Self::Observation;

    /// A full state that fits the observation, its hidden part drawn at random.
    fn imagine(observation: &Self::Observation, rng: &mut Rng) -> Self;

    /// Calls `each` with everything the agent can do; with nothing when the game is over.
    fn for_each_action(&self, each: impl FnMut(Self::Action));

    /// One of them, each as likely as any other; `None` when the game is over.
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

    /// Does it, lets chance have its turn, and returns the reward.
    fn step(&mut self, action: Self::Action, rng: &mut Rng) -> f64;

    /// Whether the game is over.
    fn is_over(&self) -> bool;
}

/// A two-sided game as one agent meets it when the other side is chance: after each step the opponent
/// has answered with uniformly random moves. The reward is 1 for a win, ½ for a draw, 0 otherwise, given
/// at the end. Nothing is hidden.
#[derive(Clone, Debug)]
pub struct AgainstChance<P> {
    position: P,
    agent: Side,
}

impl<P: Position> AgainstChance<P> {
    /// The side to move is the agent.
    pub fn new(position: P) -> Self {
        AgainstChance { agent: position.to_move(), position }
    }

    /// The position as it stands.
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

    fn imagine(observation: &Self, _: &mut Rng) -> Self {
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
