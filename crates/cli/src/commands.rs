//! The verbs, one file each.

/// Verbs, each with the struct of its arguments and the end of its help, and doing what one of them says.
macro_rules! commands {
    ($(#[$about:meta])* enum $name:ident {
        $($(#[$attribute:meta])* $verb:ident($arguments:ty) $(: $help:expr)?,)*
    }) => {
        $(#[$about])*
        #[derive(clap::Subcommand)]
        pub(crate) enum $name {
            $($(#[$attribute])* $(#[command(after_help = $help)])? $verb($arguments),)*
        }

        impl $name {
            /// Does it.
            pub(crate) fn run(
                self,
                games: &tesuji_search::Registry,
            ) -> Result<(), crate::failure::Failure> {
                match self {
                    $($name::$verb(verb) => verb.run(games),)*
                }
            }
        }
    };
}

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

use tesuji_games::registry::PuzzleCommands;
use tesuji_search::Registry;

use crate::examples::{self, help, help_below};
use crate::failure::Failure;

pub(crate) use engine::pbrain;

commands! {
    /// What the program can do.
    enum Command {
        Games(games::GamesArgs): help("tesuji games tictactoe"),
        Play(play::PlayArgs): play::help(),
        Analyze(analyze::AnalyzeArgs): help("tesuji analyze tictactoe b2a1 --depth 9"),
        Solve(solve::SolveArgs): help_below(examples::SOLVE, "tesuji solve tictactoe b2a2"),
        Perft(perft::PerftArgs): help("tesuji perft tictactoe 5 --divide"),
        Stats(stats::StatsArgs): help("tesuji stats tictactoe --json"),
        /// Count paths of a given length in a graph
        #[command(subcommand)]
        Count(count::CountCommand): help(count::EXAMPLE),
        Match(Box<match_players::MatchArgs>): help_below(
            examples::MATCH,
            "tesuji match tictactoe minimax:depth=9 random --games 20 --seed 1",
        ),
        Tournament(tournament::TournamentArgs): help_below(
            examples::TOURNAMENT,
            "tesuji tournament examples/tictactoe.toml",
        ),
        Serve(serve::ServeArgs): help("tesuji serve --addr 127.0.0.1:7800 --store tesuji.db"),
        Train(train::TrainArgs): train::help(),
        Experiment(experiment::ExperimentArgs): help_below(
            examples::EXPERIMENT,
            "tesuji experiment examples/experiments/forest-size.toml",
        ),
        Worker(worker::WorkerArgs): help_below(
            "How to set up a queue, a database and workers: docs/cluster.md",
            "tesuji worker --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji",
        ),
        /// See who works at what, let workers go, give failed jobs another chance
        #[command(subcommand)]
        Queue(queue::QueueCommand): help(queue::EXAMPLE),
        Engine(engine::EngineArgs): help("tesuji engine --player gomoku:tt=16M"),
        Bench(bench::BenchArgs): help("tesuji bench playouts uct/1-thread"),
        Reproduce(reproduce::ReproduceArgs): help_below(
            examples::REPRODUCE,
            "tesuji reproduce anigmo-stats --quick",
        ),
        /// Build an opening book, look into one, or change its format
        #[command(subcommand)]
        Book(book::BookCommand): help(book::EXAMPLE),
        /// Look into a store, and get records in and out of it
        ///
        /// A store is a file such as games.db, or postgres://USER@HOST/DATABASE.
        #[command(subcommand)]
        Store(store::StoreCommand): help("tesuji store export games.db games.jsonl"),
        /// Look into forests, and take them from and to other programs
        ///
        /// A forest is an XML file by the definition of Loos's thesis (2012); docs/formats.md describes it.
        #[command(subcommand)]
        Forest(forest::ForestCommand): help(forest::EXAMPLE),
        /// Describe learned models, and write networks for other programs
        ///
        /// A model is a forest (.xml, .xml.gz), weights (.tuples), a network (.net) or a line network (.lines).
        #[command(subcommand)]
        Model(model::ModelCommand): help("tesuji model info models/gomoku.lines"),
        /// Gem Island: a puzzle of gems, ice and hidden medals
        #[command(subcommand)]
        Gem(gem::GemCommand): help("tesuji gem bench greedy flat-ucb:eval=crude --games 20"),
    }
}

impl Command {
    /// Does it, or names what does for a game of one player the work of this verb, which is for games of two.
    pub(crate) fn done(self, games: &Registry) -> Result<(), Failure> {
        let instead: fn(&PuzzleCommands) -> Option<&'static str> = match self {
            Command::Match(_) | Command::Tournament(_) => |commands| Some(commands.measure),
            Command::Analyze(_) => |commands| Some(commands.hint),
            Command::Train(_) => |commands| Some(commands.train),
            _ => |_| None,
        };
        self.run(games).map_err(|failure| failure.with_alternative(instead))
    }
}
