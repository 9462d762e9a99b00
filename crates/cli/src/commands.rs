//! The verbs, one file each.

mod analyze;
mod games;
mod match_players;
mod play;

use clap::Subcommand;

use crate::failure::Failure;

/// What the program can do.
#[derive(Subcommand)]
pub(crate) enum Verb {
    Games(games::Games),
    Play(play::Play),
    Analyze(analyze::Analyze),
    Match(match_players::MatchPlayers),
}

impl Verb {
    /// Does it.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Verb::Games(verb) => verb.run(),
            Verb::Play(verb) => verb.run(),
            Verb::Analyze(verb) => verb.run(),
            Verb::Match(verb) => verb.run(),
        }
    }
}
