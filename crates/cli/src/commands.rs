//! The verbs, one file each.

mod analyze;
mod bench;
mod book;
mod count;
mod engine;
mod experiment;
mod forest;
mod games;
mod gem;
mod match_players;
mod model;
mod perft;
mod play;
mod queue;
mod reproduce;
mod serve;
mod solve;
mod stats;
mod store;
mod tournament;
mod train;
mod worker;

use clap::Subcommand;
use tesuji_games::registry::PuzzleCommands;
use tesuji_search::Registry;

use crate::failure::Failure;

pub(crate) use engine::as_a_brain;

/// What the program can do.
#[derive(Subcommand)]
pub(crate) enum Verb {
    Games(games::Games),
    Play(play::Play),
    Analyze(analyze::Analyze),
    Solve(solve::Solve),
    Perft(perft::Perft),
    Stats(stats::Stats),
    Count(count::Count),
    Match(Box<match_players::MatchPlayers>),
    Tournament(tournament::PlayTournament),
    Serve(serve::Serve),
    Train(train::Train),
    Experiment(experiment::RunExperiment),
    Worker(worker::Worker),
    Queue(queue::Queue),
    Engine(engine::Engine),
    Bench(bench::Bench),
    Reproduce(reproduce::Reproduce),
    Book(book::Book),
    Store(store::Store),
    Forest(forest::Forest),
    Model(model::Model),
    Gem(gem::Gem),
}

impl Verb {
    /// Does it.
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let instead = self.for_one_player();
        self.done(games).map_err(|failure| failure.or_for_one_player(instead))
    }

    /// What does the work of this verb, which is for games of two players, for a game of one.
    fn for_one_player(&self) -> fn(&PuzzleCommands) -> Option<&'static str> {
        match self {
            Verb::Match(_) | Verb::Tournament(_) => |commands| Some(commands.measure),
            Verb::Analyze(_) => |commands| Some(commands.hint),
            Verb::Train(_) => |commands| Some(commands.train),
            _ => |_| None,
        }
    }

    fn done(self, games: &Registry) -> Result<(), Failure> {
        match self {
            Verb::Games(verb) => verb.run(games),
            Verb::Play(verb) => verb.run(games),
            Verb::Analyze(verb) => verb.run(games),
            Verb::Solve(verb) => verb.run(games),
            Verb::Perft(verb) => verb.run(games),
            Verb::Stats(verb) => verb.run(games),
            Verb::Count(verb) => verb.run(),
            Verb::Match(verb) => verb.run(games),
            Verb::Tournament(verb) => verb.run(games),
            Verb::Serve(verb) => verb.run(games),
            Verb::Train(verb) => verb.run(games),
            Verb::Experiment(verb) => verb.run(games),
            Verb::Worker(verb) => verb.run(games),
            Verb::Queue(verb) => verb.run(),
            Verb::Engine(verb) => verb.run(games),
            Verb::Bench(verb) => verb.run(games),
            Verb::Reproduce(verb) => verb.run(),
            Verb::Book(verb) => verb.run(games),
            Verb::Store(verb) => verb.run(games),
            Verb::Forest(verb) => verb.run(games),
            Verb::Model(verb) => verb.run(),
            Verb::Gem(verb) => verb.run(),
        }
    }
}
