//! One command that works for every verb: printed by its help and by complaints about its arguments.

/// The examples of the program's own help.
pub(crate) const OVERVIEW: &str = "\
Examples:
  tesuji play connect4 --second pvs:time=1s
  tesuji analyze tictactoe b2a1
  tesuji match connect4 pvs:depth=6 mcts:sims=2000 --games 100

A game is written name[:option,...], such as connect4 or mnk:10x10,k=5 (tesuji games lists them).
A player is written name[:key=value,...], such as random or alphabeta:depth=4 (tesuji games --players).
A position is its list of moves, such as b2a1; an empty text is the start.";

const EXAMPLES: &[(&str, &str)] = &[
    ("games", GAMES),
    ("play", PLAY),
    ("analyze", ANALYZE),
    ("solve", SOLVE),
    ("perft", PERFT),
    ("stats", STATS),
    ("count", COUNT),
    ("match", MATCH),
    ("tournament", TOURNAMENT),
    ("serve", SERVE),
    ("train", TRAIN),
    ("experiment", EXPERIMENT),
    ("worker", WORKER),
    ("queue", QUEUE),
    ("engine", ENGINE),
    ("bench", BENCH),
    ("reproduce", REPRODUCE),
    ("book", BOOK),
    ("store", STORE),
    ("forest", FOREST),
    ("model", MODEL),
    ("gem", GEM),
];

pub(crate) const GAMES: &str = "tesuji games tictactoe";
pub(crate) const PLAY: &str = "tesuji play tictactoe --second minimax:depth=9";
/// More of them for the help of `play`.
pub(crate) const PLAY_MORE: &str = "\
A game of one player takes --first, --hints-by, --seed and --color, and has commands of its
own (for gem-island: tesuji gem play --help).
  tesuji play gem-island:level=2                  play it
  tesuji play gem-island --first greedy           watch an agent
";
pub(crate) const ANALYZE: &str = "tesuji analyze tictactoe b2a1 --depth 9";
pub(crate) const SOLVE: &str = "tesuji solve tictactoe b2a2";
/// More of them for the help of `solve`.
pub(crate) const SOLVE_MORE: &str = "\
Connect Four positions are columns counted from 1. Scores say how soon: 1 for a win with one's
last stone, 2 with the last but one and so on, 0 for a draw, negative for a loss.
  tesuji solve connect4 44444422 --moves      every column's score
  tesuji solve connect4 2252576 --wdl         who wins, but not how soon: faster
  tesuji solve connect4:6x6 --threads 2       another board
  tesuji solve connect4 --file positions.txt  lines of MOVES SCORE such as '4455 0', checked
Gomoku is not solved, but wins by fours alone are found. A file of problems is described in docs/formats.md.
  tesuji solve gomoku --file examples/gomoku-problems.jsonl";
pub(crate) const PERFT: &str = "tesuji perft tictactoe 5 --divide";
pub(crate) const STATS: &str = "tesuji stats tictactoe --json";
pub(crate) const COUNT: &str =
    "tesuji count grid-paths --width 5 --height 5 --from 0,0 --to 4,4 --length 8";
pub(crate) const MATCH: &str = "tesuji match tictactoe minimax:depth=9 random --games 20 --seed 1";
/// More of them for the help of `match`.
pub(crate) const MATCH_MORE: &str = "\
A match with a store can be stopped and started again, and made longer; docs/arena.md says how.
  tesuji match connect4 solver random --games 100
  tesuji match othello pvs:depth=4 mcts:sims=500 --random-plies 6 --concurrency 2 --store games.db
  tesuji match gomoku pvs mcts --time 200ms --openings openings.txt --games 40
  tesuji match connect4 pvs:depth=7 pvs:depth=6 --sprt 0,50 --games 4000 --random-plies 6";
pub(crate) const TOURNAMENT: &str = "tesuji tournament examples/tictactoe.toml";
/// What the help of `tournament` says about its files.
pub(crate) const TOURNAMENT_FILE: &str = "\
A file needs a name, a game and players; everything else has a default:
  name = \"ladder\"
  game = \"connect4\"
  format = \"round-robin\"          # or gauntlet (challengers), swiss (rounds), competition (depths)
  pairs = 10                        # colour-swapped pairs of games in each pairing
  players = [\"random\", { name = \"deep\", spec = \"pvs:depth=6\" }]
  openings = { random-plies = 4 }   # or { file = \"openings.txt\", order = \"random\" }
  [clock]
  per-move = \"1s\"                 # per-game, increment, margin
docs/arena.md describes them all. ${NAME} stands for the environment's NAME.";
pub(crate) const SERVE: &str = "tesuji serve --addr 127.0.0.1:7800 --store tesuji.db";
pub(crate) const WORKER: &str =
    "tesuji worker --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji";
pub(crate) const QUEUE: &str = "tesuji queue status --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji";
pub(crate) const QUEUE_DRAIN: &str = "tesuji queue drain --queue nats://queue.example:4222";
pub(crate) const QUEUE_RETRY: &str = "tesuji queue retry --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji";
pub(crate) const TRAIN: &str =
    "tesuji train examples/training/tictactoe.toml --iterations 2 --out runs/first";
/// What the help of `train` says about its files.
pub(crate) const TRAIN_FILE: &str = "\
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
pub(crate) const EXPERIMENT: &str = "tesuji experiment examples/experiments/forest-size.toml";
/// What the help of `experiment` says about its files.
pub(crate) const EXPERIMENT_FILE: &str = "\
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
pub(crate) const ENGINE: &str = "tesuji engine --player gomoku:tt=16M";
pub(crate) const BENCH: &str = "tesuji bench playouts uct/1-thread";
pub(crate) const REPRODUCE: &str = "tesuji reproduce anigmo-stats --quick";
/// More of them for the help of `reproduce`.
pub(crate) const REPRODUCE_MORE: &str = "\
Each table or figure is printed and written to out/reproduce/ID.json, ID.md and ID.svg. A row agrees when ours lies within
the error of both numbers, is better or differs when it does not; docs/reproduction.md has all of them.
  tesuji reproduce --list                      what there is
  tesuji reproduce gem-6-3 gem-fig-6-1         two of them, in full
  tesuji reproduce --all --quick               all of them, each in under a minute
  tesuji reproduce --all --resume              what an interrupted run has not made yet
  tesuji reproduce --all --document all.md     everything in one document
  tesuji reproduce fudan-table --engine pela=./pbrain-pela";

pub(crate) const BOOK: &str = "tesuji book build tictactoe tictactoe.book --plies 4";

pub(crate) const STORE: &str = "tesuji store export games.db games.jsonl";
pub(crate) const STORE_INFO: &str = "tesuji store info games.db";
pub(crate) const STORE_IMPORT: &str = "tesuji store import games.db games.jsonl more.sgf";
pub(crate) const STORE_MERGE: &str = "tesuji store merge all.db monday.db tuesday.db";
pub(crate) const STORE_RATINGS: &str =
    "tesuji store ratings games.db --game connect4 --anchor random";
pub(crate) const STORE_GAMES: &str = "tesuji store games games.db --event cup --limit 10";
/// More of them for the help of `store export`.
pub(crate) const STORE_EXPORT_MORE: &str = "\
Examples:
  tesuji store export games.db games.jsonl             everything, to be imported again
  tesuji store export games.db cup.sgf --event cup     the games of an event for a board program
  tesuji store export games.db games.pgn               chess for chess programs
  tesuji store export games.db gomoku --format psq     Gomoku for Piskvork, a folder of files
  tesuji store export games.db games.parquet           a table of games for pandas, polars, DuckDB
  tesuji store export games.db loss.csv --kind metrics the numbers of training runs as a table
  tesuji store export games.db - --kind ratings        to the screen";

pub(crate) const FOREST: &str = "tesuji forest show examples/forest.xml --trees 3";
pub(crate) const FOREST_TEST: &str =
    "tesuji forest test examples/forest.xml --vs random --depths 0..2 --games 20";
pub(crate) const FOREST_EXPORT: &str = "tesuji forest export examples/forest.xml other.xml";
pub(crate) const FOREST_IMPORT: &str =
    "tesuji forest import foreign.xml --game mnk:10x10,k=5 -o forest.xml";

pub(crate) const MODEL: &str = "tesuji model info models/gomoku.lines";
pub(crate) const MODEL_INFO: &str = "tesuji model info models/critic-gomoku-15x15.net --json";
pub(crate) const MODEL_EXPORT: &str = "tesuji model export models/gomoku.lines lines.safetensors";

pub(crate) const GEM: &str = "tesuji gem bench greedy flat-ucb:eval=crude --games 20";
pub(crate) const GEM_PLAY: &str = "tesuji gem play --level 1 --agent greedy --seed 1";
pub(crate) const GEM_LOG: &str = "tesuji gem log game.txt -o repaired.txt";
pub(crate) const GEM_VERIFY: &str = "tesuji gem verify examples/gem-cases.json";
pub(crate) const GEM_BENCH: &str = "tesuji gem bench belief --level 1 --games 100 --threads 2";

/// The example of a verb, or of the program for a word that is none.
pub(crate) fn of_verb(verb: Option<&str>) -> &'static str {
    EXAMPLES
        .iter()
        .find(|(name, _)| Some(*name) == verb)
        .map_or("tesuji play tictactoe", |(_, example)| example)
}

/// The last lines of a verb's help.
pub(crate) fn help(example: &str) -> String {
    format!("Example:\n  {example}")
}
