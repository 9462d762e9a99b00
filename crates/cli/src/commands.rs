//! The commands, one file each.

/// Defines an enum of commands, each with its argument struct and the end of its help.
macro_rules! commands {
    ($(#[$about:meta])* enum $name:ident {
        $($(#[$attribute:meta])* $command:ident($arguments:ty) $(: $help:expr)?,)*
    }) => {
        $(#[$about])*
        #[derive(clap::Subcommand)]
        pub(crate) enum $name {
            $($(#[$attribute])* $(#[command(after_help = $help)])? $command($arguments),)*
        }

        impl $name {
            /// Runs the command.
            pub(crate) fn run(
                self,
                games: &tesuji_search::Registry,
            ) -> Result<(), crate::failure::Failure> {
                match self {
                    $($name::$command(arguments) => arguments.run(games),)*
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
    /// The commands of the program.
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
        /// Show the state of a queue, drain workers, retry failed jobs
        #[command(subcommand)]
        Queue(queue::QueueCommand): help(queue::EXAMPLE),
        Engine(engine::EngineArgs): help("tesuji engine --player gomoku:tt=16M"),
        Bench(bench::BenchArgs): help("tesuji bench playouts uct/1-thread"),
        Reproduce(reproduce::ReproduceArgs): help_below(
            examples::REPRODUCE,
            "tesuji reproduce anigmo-stats --quick",
        ),
        /// Build, inspect and convert opening books
        #[command(subcommand)]
        Book(book::BookCommand): help(book::EXAMPLE),
        /// Inspect, export, import, merge and rate the records of a store
        ///
        /// A store is a file such as games.db, or postgres://USER@HOST/DATABASE.
        #[command(subcommand)]
        Store(store::StoreCommand): help("tesuji store export games.db games.jsonl"),
        /// Inspect, test, export and import forests
        ///
        /// A forest is an XML file as defined in Loos's thesis (2012); see docs/formats.md.
        #[command(subcommand)]
        Forest(forest::ForestCommand): help(forest::EXAMPLE),
        /// Inspect models, and export networks for other programs
        ///
        /// A model is a forest (.xml, .xml.gz), weights (.tuples), a network (.net) or a line
        /// network (.lines).
        #[command(subcommand)]
        Model(model::ModelCommand): help("tesuji model info models/gomoku.lines"),
        /// Play Gem Island, a puzzle of gems, ice and hidden medals, and measure agents
        #[command(subcommand)]
        Gem(gem::GemCommand): help("tesuji gem bench greedy flat-ucb:eval=crude --games 20"),
    }
}

impl Command {
    /// Runs the command. If it fails because the game has one player, the error names the command
    /// for such games.
    pub(crate) fn execute(self, games: &Registry) -> Result<(), Failure> {
        let alternative: fn(&PuzzleCommands) -> Option<&'static str> = match self {
            Command::Match(_) | Command::Tournament(_) => |commands| Some(commands.measure),
            Command::Analyze(_) => |commands| Some(commands.hint),
            Command::Train(_) => |commands| Some(commands.train),
            _ => |_| None,
        };
        self.run(games).map_err(|failure| failure.with_alternative(alternative))
    }
}
