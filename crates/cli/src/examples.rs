//! Examples of every command, for its help and for errors in its arguments.

use clap::CommandFactory;

use crate::Arguments;

/// The examples of the program's own help.
pub(crate) const OVERVIEW: &str = "\
Examples:
  tesuji play connect4 --second pvs:time=1s
  tesuji analyze tictactoe b2a1
  tesuji match connect4 pvs:depth=6 mcts:sims=2000 --games 100

A game is written name[:option,...], such as connect4 or mnk:10x10,k=5 (tesuji games lists them).
A player is written name[:key=value,...], such as random or alphabeta:depth=4 (tesuji games --players).
A position is a list of moves, such as b2a1; an empty list is the start.";

/// More help of `play`.
pub(crate) const PLAY: &str = "\
A game of one player takes --first, --hints-by, --seed and --color. For the other options of
gem-island see tesuji gem play --help.
  tesuji play gem-island:level=2                  play level 2
  tesuji play gem-island --first greedy           watch an agent
";
/// More help of `solve`.
pub(crate) const SOLVE: &str = "\
A Connect Four position is a list of columns, from 1. A score is 1 for a win with the side's last
stone, 2 for a win with the stone before it and so on, 0 for a draw, and negative for a loss.
  tesuji solve connect4 44444422 --moves      score every column
  tesuji solve connect4 2252576 --wdl         find only win, draw or loss: faster
  tesuji solve connect4:6x6 --threads 2       use another board
  tesuji solve connect4 --file positions.txt  check lines of MOVES SCORE, such as '4455 0'
For Gomoku, only wins by continuous fours are found; docs/formats.md describes files of problems.
  tesuji solve gomoku --file examples/gomoku-problems.jsonl";
/// More help of `match`.
pub(crate) const MATCH: &str = "\
A match with --store can be interrupted, resumed and extended; see docs/arena.md.
  tesuji match connect4 solver random --games 100
  tesuji match othello pvs:depth=4 mcts:sims=500 --random-plies 6 --concurrency 2 --store games.db
  tesuji match gomoku pvs mcts --time 200ms --openings openings.txt --games 40
  tesuji match connect4 pvs:depth=7 pvs:depth=6 --sprt 0,50 --games 4000 --random-plies 6";
/// More help of `tournament`.
pub(crate) const TOURNAMENT: &str = "\
A file needs a name, a game and players; everything else has a default:
  name = \"ladder\"
  game = \"connect4\"
  format = \"round-robin\"          # or gauntlet (challengers), swiss (rounds), competition (depths)
  pairs = 10                        # color-swapped pairs of games in each pairing
  players = [\"random\", { name = \"deep\", spec = \"pvs:depth=6\" }]
  openings = { random-plies = 4 }   # or { file = \"openings.txt\", order = \"random\" }
  [clock]
  per-move = \"1s\"                 # per-game, increment, margin
Without a file, the models in a folder play each other at several depths:
  tesuji tournament --competition runs --depths 1..5 --random-plies 2
docs/arena.md describes all keys. ${NAME} is replaced by the environment variable NAME.";
/// More help of `train`.
pub(crate) const TRAIN: &str = "\
A file needs a game; everything else has a default. For the learner forest:
  game = \"mnk:10x10,k=5\"
  [forest]
  trees = 25                        # attributes, window, shape, tree_weights, spread, weights
  [evolution]
  population = 5                    # largest, mating, games, mutation, fitness, points, scenarios
  [search]
  depth = 4                         # style, radius, ties, helpers
  [stop]
  iterations = 55                   # or seconds, stagnation; Ctrl-C at any time
  [data]
  openings = 0                      # random, mixed, heuristic, store, import
Files that end in .properties have the keys of Loos's thesis; examples/training has both kinds.
  tesuji train FILE.toml --resume         resume the run of this file
  tesuji train --resume runs/gomoku       resume the run in this folder
  tesuji train --resume runs/gomoku --iterations 100";
/// More help of `experiment`.
pub(crate) const EXPERIMENT: &str = "\
A file has a training run or a match, the values to try, and seeds:
  title = \"Trees and depth of a forest\"
  seeds = [1, 2, 3]
  [train]                           # the settings of a training run, as for tesuji train
  game = \"mnk:7x7,k=4\"
  stop = { iterations = 10 }
  measure = { opponents = [\"start\", \"heuristic\"], games = 40 }
  [grid]                            # every combination; [[cells]] for a list of combinations
  \"forest.trees\" = [10, 25]
  \"search.depth\" = [1, 2]
With [match] instead of [train], a file has game, player, opponents, games and openings; the keys of
the grid are options of the player.
  tesuji experiment FILE.toml --dry-run       list the runs and stop
  tesuji experiment FILE.toml --jobs 4        run four at once
  tesuji experiment FILE.toml                 run all; resumes if interrupted";
/// More help of `reproduce`.
pub(crate) const REPRODUCE: &str = "\
Each table or figure is printed and written to out/reproduce/ID.json, ID.md and ID.svg. A row
agrees if the numbers differ by no more than the error of both; otherwise it is better or differs.
docs/reproduction.md shows all results.
  tesuji reproduce --list                      list tables and figures
  tesuji reproduce gem-6-3 gem-fig-6-1         reproduce two in full
  tesuji reproduce --all --quick               reproduce all, each in under a minute
  tesuji reproduce --all --resume              reproduce those that an interrupted run left
  tesuji reproduce --all --document all.md     write one document with all
  tesuji reproduce fudan-table --engine pela=./pbrain-pela
  tesuji reproduce gem-6-3 --logs human-logs   train on the games of people in this folder";
/// More help of `store export`.
pub(crate) const STORE_EXPORT: &str = "\
Examples:
  tesuji store export games.db games.jsonl             all records, for a later import
  tesuji store export games.db cup.sgf --event cup     the games of an event for a board program
  tesuji store export games.db games.pgn               chess games for chess programs
  tesuji store export games.db gomoku --format psq     Gomoku games for Piskvork, a folder of files
  tesuji store export games.db games.parquet           a table of games for pandas, polars, DuckDB
  tesuji store export games.db loss.csv --kind metrics the numbers of training runs as a table
  tesuji store export games.db - --kind ratings        to stdout";
pub(crate) const GEM_PLAY: &str = "tesuji gem play --level 1 --agent greedy --seed 1";
pub(crate) const GEM_LOG: &str = "tesuji gem log game.txt -o repaired.txt";
pub(crate) const GEM_TUNE: &str = "tesuji gem tune --candidates 8 --games 20 --held-out 100";
pub(crate) const GEM_VERIFY: &str = "tesuji gem verify examples/gem-cases.json";
pub(crate) const GEM_BENCH: &str = "tesuji gem bench belief --level 1 --games 100 --threads 2";

/// The example of a command: the last line of its help. For an unknown command, a general example.
pub(crate) fn of_command(name: &str) -> String {
    let program = Arguments::command();
    let help = program.find_subcommand(name).and_then(|command| command.get_after_help());
    let help = help.map_or("tesuji play tictactoe".to_string(), |help| help.to_string());
    help.lines().last().unwrap_or_default().trim().to_string()
}

/// The end of a command's help.
pub(crate) fn help(example: &str) -> String {
    format!("Example:\n  {example}")
}

/// The end of a command's help, with more text above the example.
pub(crate) fn help_below(more: &str, example: &str) -> String {
    format!("{more}\n\n{}", help(example))
}
