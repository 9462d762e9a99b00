//! Bad input gives exit code 2 and one line that names the culprit and what would be right.

use crate::terminal::Terminal;

/// What a verb for two players expects, and where there is nothing else for a game of one.
const OF_TWO: &str = "; expected a game of two players, ";
const OF_TWO_ALONE: &str = "; expected a game of two players\n";
/// What `play` takes for a game of one player.
const OF_ONE: &str = "a game of one player; expected --first, --hints-by, --seed or --color\n";

/// A command line, and words that the line on stderr must contain.
const BAD: &[(&str, &[&str])] = &[
    // No verb, wrong verb, wrong arguments.
    ("", &["verb is missing", "tesuji --help", "example: tesuji play tictactoe"]),
    ("paly tictactoe", &["'paly'", "'play'", "example: tesuji"]),
    ("match tictactoe random", &["<SECOND>", "example: tesuji match"]),
    ("match tictactoe random random --gmaes 3", &["'--gmaes'", "'--games'"]),
    ("match tictactoe random random --games 0", &["'0'", "--games", "1..=10000000"]),
    ("match tictactoe random random --time 5", &["'5'", "500ms"]),
    ("match tictactoe random random --time 0s", &["'0s'", "1ms and 24h"]),
    ("match tictactoe random random --concurrency 0", &["'0'", "--concurrency"]),
    ("analyze tictactoe --depth 0", &["'0'", "--depth"]),
    ("perft tictactoe", &["<DEPTH>", "example: tesuji perft"]),
    ("perft tictactoe many", &["'many'", "<DEPTH>"]),
    ("play tictactoe --color blue", &["'blue'", "auto, always, never"]),
    ("games tictactoe --players", &["--players", "cannot be used"]),
    ("worker --queue nats://x", &["--store"]),
    ("worker --store a.db", &["--queue nats://HOST", "TESUJI_QUEUE"]),
    ("worker --queue http://x --store a.db", &["--queue", "nats://HOST"]),
    ("queue", &["status"]),
    ("match tictactoe random random --queue nats://x", &["--store", "postgres://"]),
    ("gem bench random --store a.db", &["--queue"]),
    ("serve --addr here", &["'here'", "--addr", "example: tesuji serve"]),
    ("serve --searches 0", &["'0'", "--searches"]),
    ("serve --longest-search soon", &["'soon'", "500ms"]),
    ("serve --store a.db --no-store", &["--store", "cannot be used"]),
    // Games.
    ("games tictactoo", &["unknown game 'tictactoo'", "did you mean 'tictactoe'"]),
    ("play ''", &["a name is missing", "connect4"]),
    ("play :", &["a name is missing"]),
    ("perft tictactoe:4x4 2", &["'tictactoe' has no option '4x4'", "takes none"]),
    ("stats tictactoe:k=3", &["no option 'k'"]),
    ("games connect4:0x0", &["'connect4'", "0x0"]),
    ("games connect4:1000000x1000000", &["'connect4'", "1000000x1000000"]),
    ("games connect4:99999999999999999999x1", &["99999999999999999999x1", "such as 7x6"]),
    ("games mnk:3x3,k=9", &["'mnk'", "k"]),
    ("games mnk:0x0", &["'mnk'", "0x0"]),
    ("games gomoku:size=9", &["no option 'size'"]),
    ("games othello:5x5", &["'othello'", "5x5", "8x8"]),
    ("games renju:4x4", &["'renju'", "4x4", "sides from 5 to 20"]),
    ("games renju:k=6", &["'renju' has no option 'k'"]),
    ("games caro:caro=perhaps", &["'perhaps'", "on or off"]),
    // Positions.
    ("analyze tictactoe zz", &["\"zz\"", "a1 to c3"]),
    ("analyze tictactoe b2b2", &["\"b2\"", "not legal"]),
    ("analyze tictactoe b2a1x", &["\"x\"", "a1 to c3"]),
    ("analyze tictactoe a1a2b1b2c1", &["the game is over after a1a2b1b2c1", "first wins"]),
    ("analyze tictactoe a1a2b1b2c1c2", &["\"c2\"", "the game is over"]),
    ("analyze renju e1a15f1c15g1e15i1g15j1i15h1", &["\"h1\"", "not legal"]),
    ("perft connect4 2 9", &["\"9\""]),
    ("solve tictactoe b2b2", &["\"b2\"", "not legal"]),
    // Games that a verb cannot take, said before any work is done.
    ("solve chess", &["'chess'", "can repeat", "such as connect4"]),
    ("solve checkers --wins first", &["'checkers'", "can repeat", "such as connect4"]),
    ("solve chess --file none", &["'chess'", "can repeat"]),
    ("stats chess", &["'chess'", "can repeat", "--plies"]),
    ("stats checkers --max-states 9", &["'checkers'", "can repeat", "--plies"]),
    (
        "analyze gem-island --player belief",
        &["'gem-island' is a game of one player", OF_TWO, "or the hint command of tesuji gem play"],
    ),
    (
        "match gem-island belief greedy",
        &["'gem-island' is a game of one player", OF_TWO, "or tesuji gem bench for this one"],
    ),
    ("solve gem-island:level=2", &["'gem-island:level=2' is a game of one player", OF_TWO_ALONE]),
    ("stats gem-island", &["'gem-island' is a game of one player", OF_TWO_ALONE]),
    ("perft gem-island 2", &["'gem-island' is a game of one player", OF_TWO_ALONE]),
    ("book build gem-island x.book", &["a game of one player", OF_TWO_ALONE]),
    ("engine --check true --game gem-island", &["a game of one player", OF_TWO_ALONE]),
    ("forest import a.xml --game gem-island", &["a game of one player", OF_TWO_ALONE]),
    ("match gem-iland random random", &["unknown game 'gem-iland'", "did you mean 'gem-island'"]),
    // Options of `play` that a game of one player has no use for.
    ("play gem-island --second random", &["--second does not apply to 'gem-island'", OF_ONE]),
    ("play gem-island --position a1", &["--position does not apply to 'gem-island'", OF_ONE]),
    ("play gem-island --load none.json", &["--load does not apply to 'gem-island'", OF_ONE]),
    ("play gem-island --store mine.db", &["--store does not apply to 'gem-island'", OF_ONE]),
    ("play gem-island --first pvs", &["unknown agent 'pvs'", "random, greedy, flat-ucb, belief"]),
    ("play gem-island --hints-by mcts", &["unknown agent 'mcts'", "greedy, flat-ucb, belief"]),
    ("play gem-island:levl=2", &["'gem-island' has no option 'levl'", "level"]),
    ("play tictactoe --position d4", &["\"d4\"", "a1 to c3"]),
    // Players.
    ("match tictactoe randm random", &["unknown player 'randm'", "did you mean 'random'"]),
    ("match tictactoe '' random", &["unknown player ''", "known are human, random"]),
    ("match tictactoe human random", &["'human'", "such as random"]),
    ("match tictactoe random:depth=3 random", &["'random' has no option 'depth'", "takes seed"]),
    ("match tictactoe random:seed=x random", &["'random' cannot take seed 'x'"]),
    ("match tictactoe minimax:depth=0 random", &["'minimax' cannot take depth '0'", "1 to 255"]),
    ("match connect4 solver:level=11 random", &["'solver' cannot take level '11'", "1 to 10"]),
    ("play connect4 --second solver:level=0", &["'solver' cannot take level '0'", "1 to 10"]),
    ("match tictactoe pvs:tt=lots random", &["'pvs' cannot take tt 'lots'", "64M"]),
    ("match tictactoe pvs:time=fast random", &["'pvs' cannot take time 'fast'", "500ms"]),
    (
        "match tictactoe pvs:parallel=no random",
        &["'pvs' cannot take parallel 'no'", "shared, root"],
    ),
    ("match tictactoe mcts:sims=0 random", &["'mcts' cannot take sims '0'"]),
    ("match tictactoe mcts:c=nan random", &["'mcts' cannot take c 'nan'", "0 to 100"]),
    ("match tictactoe mcts:rave=-1 random", &["'mcts' cannot take rave '-1'"]),
    ("match tictactoe mcts:speed=9 random", &["no option 'speed'", "sims"]),
    (
        "match othello pvs:quiesce=on random",
        &["'pvs:quiesce=on'", "Tactics", "'othello'", "quiesce=off"],
    ),
    ("match othello gomoku random", &["'gomoku'", "'othello'", "right would be gomoku"]),
    ("match connect4 gomoku random", &["'gomoku'", "'connect4'", "right would be gomoku"]),
    ("match mnk:9x9,k=4 gomoku:time=1s random", &["'gomoku:time=1s'", "'mnk:9x9,k=4'", "renju"]),
    ("match connect6 gomoku random", &["'gomoku'", "'connect6'", "one stone a turn"]),
    ("match gomoku connect6 random", &["'connect6'", "'gomoku'", "right would be connect6"]),
    (
        "match mnk:19x19,k=6 connect6:time=1s random",
        &["'connect6:time=1s'", "two stones a turn", "p=2,q=1"],
    ),
    ("match connect6 connect6:threads=2 random", &["'connect6' has no option 'threads'", "tt"]),
    ("match mnk:9x4,k=5 gomoku random", &["'mnk:9x4,k=5'", "from 5x5 to 20x20"]),
    ("match gomoku gomoku:hash=9 random", &["'gomoku' has no option 'hash'", "tt"]),
    ("match connect6 report-naive random", &["'report-naive'", "'connect6'", "gomoku"]),
    (
        "match gomoku gomoku:weights=/no/such.weights random",
        &["weights '/no/such.weights'", "No such file"],
    ),
    ("match gomoku gomoku:tune.razor_depth=99 random", &["tune.razor_depth '99'", "0 to 10"]),
    ("match gomoku gomoku:tune.nothing=1 random", &["tune.nothing"]),
    ("engine --json", &["--json", "--check", "--tunables"]),
    (
        "match gomoku report-alphabeta:set=best random",
        &["'report-alphabeta' cannot take set 'best'", "final, pydan2"],
    ),
    ("analyze tictactoe --player gomoku", &["'gomoku'", "'tictactoe'", "right would be gomoku"]),
    ("analyze tictactoe --player random", &["'random'", "a searching player"]),
    ("play tictactoe --second nobody", &["unknown player 'nobody'"]),
    ("play tictactoe --hints-by human", &["'human'"]),
    // Files.
    ("play --load missing.json", &["missing.json", "No such file"]),
    ("match tictactoe random random --openings missing", &["missing", "No such file"]),
    ("play tictactoe --load a --position b2", &["--load", "cannot be used"]),
    ("book info missing.book", &["missing.book", "No such file"]),
    ("book build tictactoe x --player random", &["'random'", "a searching player"]),
    ("match tictactoe pvs:book=missing random", &["book 'missing'", "No such file"]),
    // Solving.
    ("solve tictactoe a1a2b1b2c1", &["nothing to solve", "first wins"]),
    ("solve tictactoe --nodes 0", &["'0'", "--nodes", "20M"]),
    ("solve tictactoe --tt 5T", &["'5T'", "64M"]),
    ("solve tictactoe --wins nobody", &["'nobody'", "first, second"]),
    ("match tictactoe minimax:ties=no random", &["ties 'no'", "first, random"]),
    // Connect Four.
    ("solve connect4 8", &["\"8\"", "1 to 7"]),
    ("solve connect4 0", &["\"0\"", "1 to 7"]),
    ("solve connect4 4444444", &["\"4\"", "a column that is not full, such as 1"]),
    ("solve connect4 44x4", &["\"x4\"", "1 to 7"]),
    ("solve connect4 d4", &["\"d4\"", "1 to 7"]),
    (
        "solve connect4 1212121",
        &["nothing to solve", "the game is over after 1212121", "first wins"],
    ),
    ("solve connect4 12121213", &["\"3\"", "the game is over"]),
    ("solve connect4:9x7 a", &["\"a\"", "1 to 9"]),
    ("solve connect4:9x99", &["9x99", "such as 7x6"]),
    ("solve connect4 --file missing", &["missing", "No such file"]),
    ("solve connect4 --file .", &[".: "]),
    ("solve connect4 44 --file missing", &["--file", "cannot be used"]),
    ("solve connect4 --moves --file missing", &["--moves", "cannot be used"]),
    ("solve gomoku --file missing.jsonl", &["missing.jsonl", "No such file"]),
    ("solve connect4 --threads 0", &["'0'", "--threads", "1..=256"]),
    // Matches and tournaments.
    ("match tictactoe random random --sprt 5,0", &["ELO0 below ELO1", "5 is not below 0"]),
    ("match tictactoe random random --sprt 5", &["`5`", "ELO0,ELO1", "0,5"]),
    ("match tictactoe random random --sprt 0,5 --sprt-model x", &["`x`", "normalized or logistic"]),
    ("match tictactoe random random --sprt 0,600", &["600", "500 at most"]),
    ("match tictactoe random random --sprt-model logistic", &["--sprt"]),
    ("match tictactoe random random --game-time 1m+x", &["'x'", "500ms"]),
    ("match tictactoe random random --adjudicate many", &["'many'", "500k"]),
    ("match tictactoe random random --adjudicate 1k,soon", &["'soon'", "such as 30"]),
    ("match chess random random --adjudicate 1k", &["adjudication by solver", "'chess'", "scores"]),
    ("match tictactoe random random --decided 500", &["'500'", "such as 500,3"]),
    ("match tictactoe random random --even=-1,3", &["'-1,3'", "such as 500,3"]),
    ("match tictactoe random random --shuffle", &["--openings"]),
    ("match tictactoe random random --store mysql://x", &["'mysql://x'", "postgres://"]),
    ("match tictactoe external:cmd=./nobody random", &["./nobody"]),
    ("match tictactoe external random", &["'external'", "cmd"]),
    ("match mnk:11x11,k=5 forest random", &["'forest'", "none comes with the program"]),
    ("match tictactoe forest:model=go random", &["'go'", "expected one of tictactoe-weights"]),
    ("match tictactoe forest:file=missing.xml random", &["missing.xml"]),
    ("match othello forest:file=missing.xml random", &["capability Stones", "'othello' lacks"]),
    ("match tictactoe forest:file=f.xml,radius=many random", &["'many'", "radius"]),
    ("tournament", &["FILE.toml", "example: tesuji tournament"]),
    ("tournament missing.toml", &["missing.toml", "No such file"]),
    ("tournament .", &[".: "]),
    ("store ratings missing.db", &["missing.db", "no such file"]),
    ("play tictactoe --store mysql://x", &["'mysql://x'", "postgres://"]),
    // Training.
    ("train", &["FILE.toml", "example: tesuji train"]),
    ("train missing.toml", &["missing.toml", "No such file"]),
    ("train .", &[".: "]),
    ("train gomoku-eval missing.toml", &["missing.toml", "No such file"]),
    ("train critic missing.toml", &["missing.toml", "No such file"]),
    ("train gomoku-evil missing.toml", &["'gomoku-evil'", "gomoku-eval"]),
    ("train missing.toml --iterations many", &["'many'", "--iterations"]),
    ("train missing.toml --threads 2000", &["'2000'", "0..=1024"]),
    // Forests.
    ("forest", &["a verb is missing", "example: tesuji forest show"]),
    ("forest show missing.xml", &["missing.xml", "No such file"]),
    ("forest show .", &[".: "]),
    ("forest show a.xml --force", &["--svg"]),
    ("forest export missing.xml out.xml", &["missing.xml", "No such file"]),
    ("forest import", &["<FILE>", "example: tesuji forest show"]),
    ("forest import missing.xml", &["missing.xml", "No such file"]),
    ("forest import a.xml -o b.xml", &["--game"]),
    ("forest import a.xml --game gomku", &["unknown game 'gomku'", "did you mean 'gomoku'"]),
    ("forest import a.xml --game chess", &["'chess' is none", "such as mnk:10x10,k=5"]),
    // Gem Island.
    ("gem", &["a verb is missing", "example: tesuji gem"]),
    ("gem verify", &["<FILE>", "example: tesuji gem"]),
    ("gem verify missing.json", &["missing.json", "No such file"]),
    ("gem verify .", &[".: "]),
    ("gem log missing.txt", &["missing.txt", "No such file"]),
    ("gem play --level 4", &["'4'", "--level", "1..=3"]),
    ("gem play --game connect4", &["unknown game 'connect4'", "gem-island"]),
    ("gem play --game gem-island:levl=2", &["'gem-island' has no option 'levl'", "level"]),
    ("gem play --game gem-island:2x2", &["2 rows and 2 columns", "3 or longer"]),
    ("gem play --game gem-island:40x40", &["40x40", "1 to 31"]),
    ("gem play --game gem-island:kinds=2", &["2 kinds", "3 to 8"]),
    ("gem play --game gem-island:ice=1", &["medals under 1 rows of ice"]),
    ("gem play --agent nobody", &["unknown agent 'nobody'", "known are random"]),
    ("gem play --hints-by randm", &["unknown agent 'randm'", "did you mean 'random'"]),
    ("gem play --log .", &[".: "]),
    ("gem play --level 1 --game gem-island", &["--level", "cannot be used"]),
    ("games gem-island:kinds=9", &["kinds '9'", "0 to 8"]),
    // Benchmarks.
    ("bench connect5", &["no benchmark 'connect5'", "connect4-boards"]),
    ("bench connect4-boards/3x3", &["no benchmark 'connect4-boards/3x3'"]),
    ("bench connect4 --sets missing", &["missing", "No such file"]),
    ("bench connect4 --sets .", &[".: no sets", "Test_*"]),
    ("bench connect4 --peer nobody", &["'nobody' is not NAME=COMMAND"]),
    ("bench connect4 --peer =solver", &["'=solver' is not NAME=COMMAND"]),
    // Counting.
    ("count", &["example: tesuji count grid-paths"]),
    ("count grid-paths --width 0 --height 5 --from 0,0 --to 4,4 --length 8", &["width"]),
    ("count grid-paths --width 5 --height 5 --from 0 --to 4,4 --length 8", &["'0'", "0,0"]),
    ("count grid-paths --width 5 --height 5 --from 0,0 --to 5,4 --length 8", &["5,4", "4,4"]),
];

#[test]
fn bad_input_is_refused_in_one_line() {
    let terminal = Terminal::new();
    let mut faults = Vec::new();
    for (command_line, words) in BAD {
        let answer = terminal.run(command_line);
        let one_line = answer.stderr.starts_with("error: ") && answer.stderr.lines().count() == 1;
        let complete = words.iter().all(|word| answer.stderr.contains(word));
        if answer.code != 2 || !one_line || !complete || !answer.stdout.is_empty() {
            faults.push(format!("tesuji {command_line}\n  wanted {words:?}\n  {answer:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(std::fs::read_dir(terminal.folder()).unwrap().count(), 0, "something was written");
}

#[test]
fn line_breaks_in_arguments_stay_one_line() {
    let answer = Terminal::new().run_words(&["games", "no\nsuch\ngame"], b"");
    assert_eq!((answer.code, answer.stderr.lines().count()), (2, 1), "{answer:?}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\xfe\x1b[31m");
    for words in [vec![bytes], vec!["games".as_ref(), bytes]] {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.lines().count() == 1, "{stderr}");
        assert!(!stderr.contains('\x1b'), "{stderr:?}");
    }
}

/// A saved game of tic-tac-toe, said to be one of another game.
fn saved(game: &str) -> String {
    format!(
        r#"{{"format":"tesuji-game","version":1,"game":"{game}","position":"","first":"human","second":"random","seed":1}}"#
    )
}

const LEARNERS_FOR_ONE: &str = ".toml: 'gem-island:level=2' is a game of one player; expected a \
    game of two players, or learner = \"gem-outcome\" or \"gem-utility\" for this one";

#[test]
fn bad_files_are_refused_with_their_place() {
    let terminal = Terminal::new();
    let write =
        |name: &str, text: &str| std::fs::write(terminal.folder().join(name), text).unwrap();
    write("openings", "b2a1\n\nb2q9\n");
    write("finished", "a1a2b1b2c1\n");
    write("empty", "# nothing\n");
    write("list", "[1, 2, 3]");
    write("cut.book", "tesuji-b");
    write(
        "later",
        r#"{"format":"tesuji-game","version":99,"game":"tictactoe","position":"","first":"human","second":"random","seed":1}"#,
    );
    write(
        "illegal",
        r#"{"format":"tesuji-game","version":1,"game":"tictactoe","position":"b2b2","first":"human","second":"random","seed":1}"#,
    );
    write("gems.toml", "name = 'x'\ngame = 'gem-island'\nplayers = ['belief', 'greedy']\n");
    for learner in ["forest", "weights", "critic"] {
        let text = format!("learner = '{learner}'\ngame = 'gem-island:level=2'\n");
        write(&format!("gem-{learner}.toml"), &text);
    }
    write("gems.json", &saved("gem-island"));
    write("scoreless", "44 2\n\n4455\n");
    write("fraction", "44 0.5\n");
    write("column", "44 2\n48 2\n");
    write("full", "1111111 2\n");
    write("won", "44 2\n1212121 -18\n");
    write("nothing", "\n \n");
    write("cut.json", "{\"legal_moves\": [\n  {\"gem_types\": [[0, 1");
    write("misspelt.json", "{\n\"unit_test\": []}");
    write("none.json", "{\"unit_tests\": []}");
    write("ragged.json", r#"{"legal_moves": [{"gem_types": [[0, 1], [0]], "legal_moves": []}]}"#);
    write(
        "far.json",
        r#"{"legal_moves": [{"gem_types": [[0, 1]], "legal_moves": [[[0, 0], [0, 2]]]}]}"#,
    );
    write("kind.json", r#"{"legal_moves": [{"gem_types": [[0, 8]], "legal_moves": []}]}"#);
    write(
        "evaluation.json",
        r#"{"evaluations": [{"case": 0, "crude": 0, "heuristic": 0, "binary": 0, "mp": 0, "ir": 0, "gr": 0}]}"#,
    );
    std::fs::write(terminal.folder().join("bytes"), [0xff, 0xfe, b'4']).unwrap();
    for (command_line, words) in [
        (
            "solve connect4 --file scoreless",
            "scoreless: line 3: cannot read \"4455\"; expected MOVES",
        ),
        (
            "solve connect4 --file fraction",
            "fraction: line 1: cannot read \"44 0.5\"; expected MOVES",
        ),
        ("solve connect4 --file column", "column: line 2: cannot read \"8\": expected a column"),
        (
            "solve connect4 --file full",
            "full: line 1: cannot read \"1\": expected a column that is not full",
        ),
        ("solve connect4 --file won", "won: line 2: the game is over after 1212121 (first wins)"),
        ("solve connect4 --file nothing", "nothing: no positions; expected lines such as '4455 0'"),
        ("solve connect4 --file bytes", "bytes: "),
        (
            "match tictactoe random random --openings openings",
            "openings: line 3: cannot read \"q9\"",
        ),
        ("match tictactoe random random --openings finished", "finished: line 1: the game is over"),
        ("match tictactoe random random --openings empty", "empty: no opening found"),
        ("gem verify cut.json", "cut.json: not a case file: EOF while parsing a list at line 2"),
        (
            "gem verify misspelt.json",
            "unknown field `unit_test`, expected one of `about`, `unit_tests`",
        ),
        ("gem verify misspelt.json", "at line 2 column"),
        ("gem verify list", "list: not a case file"),
        ("gem verify bytes", "bytes: not a case file"),
        ("gem verify none.json", "none.json: no cases; expected lists such as"),
        (
            "gem verify ragged.json",
            "ragged.json: legal_moves case 0: the rows of gems have different",
        ),
        ("gem verify far.json", "far.json: legal_moves case 0: row 0 column 2 is not on the board"),
        ("gem verify kind.json", "legal_moves case 0: a gem of kind 8; from 0 to 7 are possible"),
        ("gem verify evaluation.json", "evaluations case 0: there is no case 0 among the 0"),
        ("gem play --log list", "list: File exists (os error 17); name another file"),
        ("book info list", "list: not an opening book"),
        ("book info cut.book", "cut.book: the book is damaged"),
        ("book build tictactoe list", "list: not an opening book"),
        (
            "tournament gems.toml",
            "gems.toml: 'gem-island' is a game of one player; expected a game of two players, \
             or tesuji gem bench for this one",
        ),
        ("train gem-forest.toml", LEARNERS_FOR_ONE),
        ("train gem-weights.toml", LEARNERS_FOR_ONE),
        ("train gem-critic.toml", LEARNERS_FOR_ONE),
        ("play --load gems.json", "'gem-island' is a game of one player; expected a game of two"),
        ("play --load list", "list: not a saved game"),
        ("play --load later", "version 99 is newer"),
        ("play --load illegal", "cannot play \"b2\""),
        ("play connect4 --load illegal", "one of 'tictactoe', not of 'connect4'"),
    ] {
        let answer = terminal.run(command_line);
        assert_eq!(answer.code, 2, "{command_line}: {answer:?}");
        assert!(answer.stderr.contains(words), "{command_line}: {answer:?}");
        assert_eq!(answer.stderr.lines().count(), 1, "{command_line}: {answer:?}");
    }
}

/// Tables that do not fit into the memory that the process may have are refused before they are
/// made.
#[test]
fn tables_larger_than_memory_are_refused() {
    for command_line in [
        "match connect4 pvs:tt=64G,depth=1 random --games 2",
        "match gomoku gomoku:tt=32G,depth=1 random --games 2",
        "match connect6 connect6:tt=32G random --games 2",
        "match tictactoe solver:tt=32G random --games 2",
        "analyze connect4 --player pvs:tt=64G --depth 1",
        "solve tictactoe --tt 32G",
        "solve tictactoe --wins first --tt 32G",
        "book build connect4 --plies 1 --tt 32G",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = std::process::Command::new("sh")
            .args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tesuji")])
            .args(command_line.split_whitespace())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command_line}: {said}");
        assert!(said.contains("do not fit; expected at most the"), "{command_line}: {said}");
        assert_eq!(said.lines().count(), 1, "{command_line}: {said}");
    }
}
