//! Bad input gives exit code 2 and one line with the subject, the problem and what is expected.

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;

/// Command lines that the program refuses. `error_texts.txt` has the error of each.
const BAD: &[&str] = &[
    // No verb, wrong verb, wrong arguments.
    "",
    "paly tictactoe",
    "match tictactoe random",
    "match tictactoe random random --gmaes 3",
    "match tictactoe random random --games 0",
    "match tictactoe random random --time 5",
    "match tictactoe random random --time 0s",
    "match tictactoe random random --concurrency 0",
    "analyze tictactoe --depth 0",
    "perft tictactoe",
    "perft tictactoe many",
    "play tictactoe --color blue",
    "games tictactoe --players",
    "worker --queue nats://x",
    "worker --store a.db",
    "worker --queue http://x --store a.db",
    "queue",
    "match tictactoe random random --queue nats://x",
    "gem bench random --store a.db",
    "serve --addr here",
    "serve --searches 0",
    "serve --longest-search soon",
    "serve --store a.db --no-store",
    // Games.
    "games tictactoo",
    "play ''",
    "play :",
    "perft tictactoe:4x4 2",
    "stats tictactoe:k=3",
    "games connect4:0x0",
    "games connect4:1000000x1000000",
    "games connect4:99999999999999999999x1",
    "games mnk:3x3,k=9",
    "games mnk:0x0",
    "games gomoku:size=9",
    "games othello:5x5",
    "games renju:4x4",
    "games renju:k=6",
    "games caro:caro=perhaps",
    // Positions.
    "analyze tictactoe zz",
    "analyze tictactoe b2b2",
    "analyze tictactoe b2a1x",
    "analyze tictactoe a1a2b1b2c1",
    "analyze tictactoe a1a2b1b2c1c2",
    "analyze renju e1a15f1c15g1e15i1g15j1i15h1",
    "perft connect4 2 9",
    "solve tictactoe b2b2",
    // Games that a verb does not support; the check precedes any work.
    "solve chess",
    "solve checkers --wins first",
    "solve chess --file none",
    "stats chess",
    "stats checkers --max-states 9",
    "analyze gem-island --player belief",
    "match gem-island belief greedy",
    "solve gem-island:level=2",
    "stats gem-island",
    "perft gem-island 2",
    "book build gem-island x.book",
    "engine --check true --game gem-island",
    "forest import a.xml --game gem-island",
    "match gem-iland random random",
    // Options of `play` that do not apply to a game for one player.
    "play gem-island --second random",
    "play gem-island --position a1",
    "play gem-island --load none.json",
    "play gem-island --store mine.db",
    "play gem-island --first pvs",
    "play gem-island --hints-by mcts",
    "play gem-island:levl=2",
    "play tictactoe --position d4",
    // Players.
    "match tictactoe randm random",
    "match tictactoe '' random",
    "match tictactoe human random",
    "match tictactoe random:depth=3 random",
    "match tictactoe random:seed=x random",
    "match tictactoe minimax:depth=0 random",
    "match connect4 solver:level=11 random",
    "play connect4 --second solver:level=0",
    "match tictactoe pvs:tt=lots random",
    "match tictactoe pvs:time=fast random",
    "match tictactoe pvs:parallel=no random",
    "match tictactoe mcts:sims=0 random",
    "match tictactoe mcts:c=nan random",
    "match tictactoe mcts:rave=-1 random",
    "match tictactoe mcts:speed=9 random",
    "match othello pvs:quiesce=on random",
    "match chess engine:symmetry=on random",
    "match othello determine:center=on random",
    "match connect4 determine:search=mcts random",
    "match othello gomoku random",
    "match connect4 gomoku random",
    "match mnk:9x9,k=4 gomoku:time=1s random",
    "match connect6 gomoku random",
    "match gomoku connect6 random",
    "match mnk:19x19,k=6 connect6:time=1s random",
    "match connect6 connect6:threads=2 random",
    "match mnk:9x4,k=5 gomoku random",
    "match gomoku gomoku:hash=9 random",
    "match connect6 fudan-naive random",
    "match gomoku gomoku:weights=/no/such.weights random",
    "match gomoku gomoku:tune.razor_depth=99 random",
    "match gomoku gomoku:tune.nothing=1 random",
    "engine --json",
    "match gomoku fudan-alphabeta:set=best random",
    "analyze tictactoe --player gomoku",
    "analyze tictactoe --player random",
    "play tictactoe --second nobody",
    "play tictactoe --hints-by human",
    // Files.
    "play --load missing.json",
    "match tictactoe random random --openings missing",
    "play tictactoe --load a --position b2",
    "book info missing.book",
    "book build tictactoe x --player random",
    "match tictactoe pvs:book=missing random",
    // Solving.
    "solve tictactoe a1a2b1b2c1",
    "solve tictactoe --nodes 0",
    "solve tictactoe --tt 5T",
    "solve tictactoe --wins nobody",
    "match tictactoe minimax:ties=no random",
    // Connect Four.
    "solve connect4 8",
    "solve connect4 0",
    "solve connect4 4444444",
    "solve connect4 44x4",
    "solve connect4 d4",
    "solve connect4 1212121",
    "solve connect4 12121213",
    "solve connect4:9x7 a",
    "solve connect4:9x99",
    "solve connect4 --file missing",
    "solve connect4 --file .",
    "solve connect4 44 --file missing",
    "solve connect4 --moves --file missing",
    "solve gomoku --file missing.jsonl",
    "solve connect4 --threads 0",
    // Matches and tournaments.
    "match tictactoe random random --sprt 5,0",
    "match tictactoe random random --sprt 5",
    "match tictactoe random random --sprt 0,5 --sprt-model x",
    "match tictactoe random random --sprt 0,600",
    "match tictactoe random random --sprt-model logistic",
    "match tictactoe random random --game-time 1m+x",
    "match tictactoe random random --adjudicate many",
    "match tictactoe random random --adjudicate 1k,soon",
    "match chess random random --adjudicate 1k",
    "match tictactoe random random --decided 500",
    "match tictactoe random random --even=-1,3",
    "match tictactoe random random --shuffle",
    "match tictactoe random random --store mysql://x",
    "match tictactoe external:cmd=./nobody random",
    "match tictactoe external random",
    "match mnk:11x11,k=5 forest random",
    "match tictactoe forest:model=go random",
    "match tictactoe forest:model=tictactoe-weights random",
    "match tictactoe weights:model=tictactoe random",
    "match connect6 weights random",
    "match tictactoe forest:book=missing.book random",
    "match tictactoe forest:file=missing.xml random",
    "match othello forest:file=missing.xml random",
    "match tictactoe forest:file=f.xml,radius=many random",
    "tournament",
    "tournament missing.toml",
    "tournament .",
    "store ratings missing.db",
    "play tictactoe --store mysql://x",
    // Training.
    "train",
    "train missing.toml",
    "train .",
    "train gomoku-eval missing.toml",
    "train critic missing.toml",
    "train gomoku-evil missing.toml",
    "train missing.toml --iterations many",
    "train missing.toml --threads 2000",
    // Forests.
    "forest",
    "forest show missing.xml",
    "forest show .",
    "forest show a.xml --force",
    "forest export missing.xml out.xml",
    "forest weigh missing.xml out.xml",
    "forest weigh a.xml out.xml --depth 0",
    "forest import",
    "forest import missing.xml",
    "forest import a.xml -o b.xml",
    "forest import a.xml --game gomku",
    "forest import a.xml --game chess",
    // Gem Island.
    "gem",
    "gem verify",
    "gem verify missing.json",
    "gem verify .",
    "gem log missing.txt",
    "gem play --level 4",
    "gem play --game connect4",
    "gem play --game gem-island:levl=2",
    "gem play --game gem-island:2x2",
    "gem play --game gem-island:40x40",
    "gem play --game gem-island:kinds=2",
    "gem play --game gem-island:ice=1",
    "gem play --agent nobody",
    "gem play --hints-by randm",
    "gem play --log .",
    "gem play --level 1 --game gem-island",
    "games gem-island:kinds=9",
    // Benchmarks.
    "bench connect5",
    "bench connect4-boards/3x3",
    "bench connect4 --sets missing",
    "bench connect4 --sets .",
    "bench connect4 --peer nobody",
    "bench connect4 --peer =solver",
    // Counting.
    "count",
    "count grid-paths --width 0 --height 5 --from 0,0 --to 4,4 --length 8",
    "count grid-paths --width 5 --height 5 --from 0 --to 4,4 --length 8",
    "count grid-paths --width 5 --height 5 --from 0,0 --to 5,4 --length 8",
];

#[test]
fn bad_input_is_refused_in_one_line() {
    let terminal = Terminal::new();
    for command_line in BAD {
        let answer = terminal.run(command_line);
        assert!(answer.stdout.is_empty(), "{command_line}: {answer:?}");
        check(&terminal, "bad input", 2, command_line, &answer);
    }
    assert_eq!(std::fs::read_dir(terminal.folder()).unwrap().count(), 0, "something was written");
}

#[test]
fn errors_about_arguments_with_line_breaks_have_one_line() {
    let answer = Terminal::new().run_words(&["games", "no\nsuch\ngame"], b"");
    assert_eq!((answer.code, answer.stderr.lines().count()), (2, 1), "{answer:?}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_refused() {
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

/// A saved game of tic-tac-toe with the name of another game.
fn saved(game: &str) -> String {
    format!(
        r#"{{"format":"tesuji-game","version":1,"game":"{game}","position":"","first":"human","second":"random","seed":1}}"#
    )
}

#[test]
fn errors_in_files_name_the_file_and_the_position() {
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
    for command_line in [
        "solve connect4 --file scoreless",
        "solve connect4 --file fraction",
        "solve connect4 --file column",
        "solve connect4 --file full",
        "solve connect4 --file won",
        "solve connect4 --file nothing",
        "solve connect4 --file bytes",
        "match tictactoe random random --openings openings",
        "match tictactoe random random --openings finished",
        "match tictactoe random random --openings empty",
        "gem verify cut.json",
        "gem verify misspelt.json",
        "gem verify list",
        "gem verify bytes",
        "gem verify none.json",
        "gem verify ragged.json",
        "gem verify far.json",
        "gem verify kind.json",
        "gem verify evaluation.json",
        "gem play --log list",
        "book info list",
        "book info cut.book",
        "match connect4 pvs:book=list random",
        "book build tictactoe list",
        "tournament gems.toml",
        "train gem-forest.toml",
        "train gem-weights.toml",
        "train gem-critic.toml",
        "play --load gems.json",
        "play --load list",
        "play --load later",
        "play --load illegal",
        "play connect4 --load illegal",
    ] {
        refuses(&terminal, "bad files", 2, command_line);
    }
}

/// Tables that exceed the memory limit of the process are refused before their allocation.
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
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command_line}: {stderr}");
        assert!(stderr.contains("do not fit; expected at most the"), "{command_line}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{command_line}: {stderr}");
    }
}
