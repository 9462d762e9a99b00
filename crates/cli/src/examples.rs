//! One command that works for every verb: printed by its help and by complaints about its arguments.

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
A position is its list of moves, such as b2a1; an empty text is the start.";

/// More of them for the help of `play`.
pub(crate) const PLAY: &str = "\
A game of one player takes --first, --hints-by, --seed and --color, and has commands of its
own (for gem-island: tesuji gem play --help).
  tesuji play gem-island:level=2                  play it
  tesuji play gem-island --first greedy           watch an agent
";
/// More of them for the help of `solve`.
pub(crate) const SOLVE: &str = "\
Connect Four positions are columns counted from 1. Scores say how soon: 1 for a win with one's
last stone, 2 with the last but one and so on, 0 for a draw, negative for a loss.
  tesuji solve connect4 44444422 --moves      every column's score
  tesuji solve connect4 2252576 --wdl         who wins, but not how soon: faster
  tesuji solve connect4:6x6 --threads 2       another board
  tesuji solve connect4 --file positions.txt  lines of MOVES SCORE such as '4455 0', checked
Gomoku is not solved, but wins by fours alone are found. A file of problems is described in docs/formats.md.
  tesuji solve gomoku --file examples/gomoku-problems.jsonl";
/// More of them for the help of `match`.
pub(crate) const MATCH: &str = "\
A match with a store can be stopped and started again, and made longer; docs/arena.md says how.
  tesuji match connect4 solver random --games 100
  tesuji match othello pvs:depth=4 mcts:sims=500 --random-plies 6 --concurrency 2 --store games.db
  tesuji match gomoku pvs mcts --time 200ms --openings openings.txt --games 40
  tesuji match connect4 pvs:depth=7 pvs:depth=6 --sprt 0,50 --games 4000 --random-plies 6";
/// What the help of `tournament` says about its files.
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
docs/arena.md describes them all. ${NAME} stands for the environment's NAME.";
/// What the help of `train` says about its files.
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
Files that end in .properties have the keys of the thesis; examples/training has both kinds.
  tesuji train FILE.toml --resume         carry on with the run of this file
  tesuji train --resume runs/gomoku       the same by its folder
  tesuji train --resume runs/gomoku --iterations 100";
/// What the help of `experiment` says about its files.
pub(crate) const EXPERIMENT: &str = "\
A file has a training run or a match, the values to be tried, and seeds:
  title = \"Trees and depth of a forest\"
  seeds = [1, 2, 3]
  [train]                           # the settings of a training run, as for tesuji train
  game = \"mnk:7x7,k=4\"
  stop = { iterations = 10 }
  measure = { opponents = [\"start\", \"heuristic\"], games = 40 }
  [grid]                            # every combination; [[cells]] for a list of combinations
  \"forest.trees\" = [10, 25]
  \"search.depth\" = [1, 2]
A file with [match] in the place of [train] has game, player, opponents, games and openings; the keys
of the grid are options of the player.
  tesuji experiment FILE.toml --dry-run       list the runs and stop
  tesuji experiment FILE.toml --jobs 4        four runs at once
  tesuji experiment FILE.toml                 the same again resumes an interrupted experiment";
/// More of them for the help of `reproduce`.
pub(crate) const REPRODUCE: &str = "\
Each table or figure is printed and written to out/reproduce/ID.json, ID.md and ID.svg. A row agrees when ours lies within
the error of both numbers, is better or differs when it does not; docs/reproduction.md has all of them.
  tesuji reproduce --list                      what there is
  tesuji reproduce gem-6-3 gem-fig-6-1         two of them, in full
  tesuji reproduce --all --quick               all of them, each in under a minute
  tesuji reproduce --all --resume              what an interrupted run has not made yet
  tesuji reproduce --all --document all.md     everything in one document
  tesuji reproduce fudan-table --engine pela=./pbrain-pela";
/// More of them for the help of `store export`.
pub(crate) const STORE_EXPORT: &str = "\
Examples:
  tesuji store export games.db games.jsonl             everything, to be imported again
  tesuji store export games.db cup.sgf --event cup     the games of an event for a board program
  tesuji store export games.db games.pgn               chess for chess programs
  tesuji store export games.db gomoku --format psq     Gomoku for Piskvork, a folder of files
  tesuji store export games.db games.parquet           a table of games for pandas, polars, DuckDB
  tesuji store export games.db loss.csv --kind metrics the numbers of training runs as a table
  tesuji store export games.db - --kind ratings        to the screen";
pub(crate) const GEM_PLAY: &str = "tesuji gem play --level 1 --agent greedy --seed 1";
pub(crate) const GEM_LOG: &str = "tesuji gem log game.txt -o repaired.txt";
pub(crate) const GEM_VERIFY: &str = "tesuji gem verify examples/gem-cases.json";
pub(crate) const GEM_BENCH: &str = "tesuji gem bench belief --level 1 --games 100 --threads 2";

/// The example of a verb, or of the program for a word that is none: the last line of its help.
pub(crate) fn of_command(verb: &str) -> String {
    let program = Arguments::command();
    let help = program.find_subcommand(verb).and_then(|verb| verb.get_after_help());
    let help = help.map_or("tesuji play tictactoe".to_string(), |help| help.to_string());
    help.lines().last().unwrap_or_default().trim().to_string()
}

/// The last lines of a verb's help.
pub(crate) fn help(example: &str) -> String {
    format!("Example:\n  {example}")
}

/// The same below what else there is to say.
pub(crate) fn help_below(more: &str, example: &str) -> String {
    format!("{more}\n\n{}", help(example))
}
