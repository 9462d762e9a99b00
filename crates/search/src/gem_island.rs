//! Agents for Gem Island: they decide on what a player can see, never on the whole state.
//!
//! [`Agent`] is what all of them are; [`RandomAgent`] plays any legal swap.

mod agent;

pub use agent::{Agent, Decision, RandomAgent, Weighed};
