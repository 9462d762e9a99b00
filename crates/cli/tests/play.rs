//! Games in the terminal, driven through a pipe.

use crate::terminal::Terminal;

/// The last board in the output.
fn last_board(stdout: &str) -> String {
    let rows: Vec<&str> = stdout.lines().collect();
    let bottom = rows.iter().rposition(|row| *row == "  a b c").expect("the output has a board");
    rows[bottom - 3..bottom].join("/")
}

const TWO_HUMANS: &str = "play tictactoe --second human";

#[test]
fn two_humans_play_to_the_end() {
    let stdout = Terminal::new().run_with_input(TWO_HUMANS, "a1\na2\nb1\nb2\nc1\n").success();
    assert_eq!(last_board(&stdout), "3 . . ./2 O O ./1 X X X");
    assert!(stdout.contains("game over: first wins (human)"), "{stdout}");
    assert!(!stdout.contains('\x1b'), "no colors in a pipe");
}

#[test]
fn undo_takes_back_the_last_move_of_the_human() {
    let stdout = Terminal::new().run_with_input(TWO_HUMANS, "a1\na2\nundo\nundo\nundo\n").success();
    assert!(last_board(&stdout) == "3 . . ./2 . . ./1 . . ." && stdout.contains("nothing to undo"));
    // Against a computer, undo also takes back the reply of the computer.
    let stdout =
        Terminal::new().run_with_input("play tictactoe --second random", "b2\nundo\n").success();
    assert!(stdout.contains("second (random) plays"));
    assert_eq!(last_board(&stdout), "3 . . ./2 . . ./1 . . .");
    // The first move of the computer cannot be taken back.
    let stdout =
        Terminal::new().run_with_input("play tictactoe --first random --second human", "undo\n");
    assert!(stdout.success().contains("nothing to undo"));
}

#[test]
fn a_finished_game_can_be_taken_back() {
    let input = "a1\na2\nb1\nb2\nc1\nc2\nhint\nmoves\nundo\nc3\nboard\n";
    let stdout = Terminal::new().run_with_input(TWO_HUMANS, input).success();
    assert!(stdout.contains("cannot play \"c2\": the game is over"), "{stdout}");
    assert!(stdout.contains("no hint: the game is over"));
    assert!(stdout.contains("none: the game is over"));
    assert_eq!(last_board(&stdout), "3 . . X/2 O O ./1 X X .");
    assert_eq!(stdout.matches("game over:").count(), 1);
}

#[test]
fn hints_and_legal_moves_are_shown() {
    let hinted = "play tictactoe --second human --hints-by minimax:depth=9";
    let stdout = Terminal::new().run_with_input(hinted, "a1\na2\nb1\nb2\nhint\nmoves\n").success();
    assert!(stdout.contains("hint: c1 (win in 1"), "{stdout}");
    assert!(stdout.contains("c1 c2 a3 b3 c3"), "{stdout}");
}

#[test]
fn invalid_input_changes_nothing() {
    let input = "b2\nb2\nzz\n\nsave\nload\nundo now\n\u{7f}\nhelp\n?\nboard\n";
    let stdout = Terminal::new().run_with_input(TWO_HUMANS, input).success();
    for words in [
        "cannot play \"b2\": the move is not legal here",
        "cannot read \"zz\"; expected a cell from a1 to c3",
        "save: FILE is missing; expected a file, such as save game.json",
        "load: FILE is missing",
        "save FILE",
    ] {
        assert!(stdout.contains(words), "{words} in {stdout}");
    }
    assert_eq!(last_board(&stdout), "3 . . ./2 . X ./1 . . .");
    let answer = Terminal::new().run_words(&["play", "tictactoe"], b"\xff\xfe\n\0\n\nboard");
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn a_saved_game_is_resumed() {
    let terminal = Terminal::new();
    let command = "play tictactoe --second human --seed 5";
    terminal.run_with_input(command, "b2\na1\nsave game.json\nc3\nquit\n").success();
    let stdout = terminal.run_with_input("play --load game.json", "c1\n").success();
    assert_eq!(last_board(&stdout), "3 . . ./2 . X ./1 O . X");
    // Loading within a game keeps the players of the command line.
    let stdout = terminal.run_with_input(TWO_HUMANS, "a3\nload game.json\nundo\n").success();
    assert!(stdout.contains("loaded game.json"), "{stdout}");
    assert_eq!(last_board(&stdout), "3 . . ./2 . X ./1 . . .");
    let saved = std::fs::read_to_string(terminal.folder().join("game.json")).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved["position"], "b2a1");
    assert_eq!(saved["seed"], 5);
}

#[test]
fn a_bad_file_leaves_the_game_unchanged() {
    let terminal = Terminal::new();
    std::fs::write(terminal.folder().join("bad"), "{").unwrap();
    terminal.run_with_input("play othello --second human", "save othello\n").success();
    let input = "b2\nload bad\nload nowhere\nload othello\nsave no/such/folder\nboard\n";
    let stdout = terminal.run_with_input(TWO_HUMANS, input).success();
    for words in [
        "cannot load bad: not a saved game",
        "cannot load nowhere: does not exist",
        "cannot load othello: a game of 'othello'",
        "cannot save to no/such/folder: ",
    ] {
        assert!(stdout.contains(words), "{words} in {stdout}");
    }
    assert_eq!(last_board(&stdout), "3 . . ./2 . X ./1 . . .");
}

#[test]
fn resigning_and_quitting_end_the_session() {
    let stdout = Terminal::new().run_with_input(TWO_HUMANS, "b2\nresign\na1\n").success();
    assert!(stdout.ends_with("first wins: second resigns\n"), "{stdout}");
    let stdout = Terminal::new().run_with_input(TWO_HUMANS, "quit\nb2\n").success();
    assert_eq!(stdout.matches("a b c").count(), 1);
}

#[test]
fn colors_mark_human_computer_and_last_move() {
    let command = "play tictactoe --position b2 --second random --first human --color always";
    let stdout = Terminal::new().run_with_input(command, "").success();
    assert!(stdout.contains("\x1b[34mX\x1b[0m"), "the human is blue: {stdout:?}");
    assert!(stdout.contains("\x1b[32mO\x1b[0m"), "the computer's last move is green: {stdout:?}");
    let computers = "play tictactoe --first random --second random --color always";
    let stdout = Terminal::new().run(computers).success();
    assert!(stdout.contains("\x1b[31m"), "the computer is red: {stdout:?}");
    assert!(!stdout.contains("\x1b[34m"));
    let never = Terminal::new().run("play tictactoe --first random --second random --color never");
    assert!(!never.success().contains('\x1b'));
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let play = |seed| {
        let command = format!("play tictactoe --first random --second random --seed {seed}");
        Terminal::new().run(&command).success()
    };
    assert_eq!(play(3), play(3));
    assert_ne!(play(3), play(4));
}

/// A file is written completely or not at all, and no temporary file is left in the folder.
#[test]
fn saving_is_atomic() {
    let terminal = Terminal::new();
    let path = |name: &str| terminal.folder().join(name);
    std::fs::create_dir(path("taken")).unwrap();
    std::fs::write(path("taken/inside"), "x").unwrap();
    let input = "b2\nsave taken\nsave game.json\na1\nsave game.json\n";
    let stdout = terminal.run_with_input(TWO_HUMANS, input).success();
    assert!(stdout.contains("cannot save to taken: "), "{stdout}");
    assert_eq!(stdout.matches("saved to game.json").count(), 2);
    assert!(path("taken/inside").exists());
    assert_eq!(
        std::fs::read_dir(terminal.folder()).unwrap().count(),
        2,
        "a temporary file is left"
    );
    assert!(std::fs::read_to_string(path("game.json")).unwrap().contains("b2a1"));
}

#[test]
fn finished_games_are_stored_on_request() {
    let terminal = Terminal::new();
    let keep = format!("{TWO_HUMANS} --store mine.db");
    // A game won, taken back and won differently; then a resigned one; then an abandoned one.
    let stdout = terminal.run_with_input(&keep, "a1\na2\nb1\nb2\nc1\nundo\nc3\nc2\n").success();
    assert_eq!(stdout.matches("saved in mine.db").count(), 2, "{stdout}");
    terminal.run_with_input(&keep, "b2\nresign\n").success();
    terminal.run_with_input(&keep, "b2\na1\n").success();
    let games = terminal.run("store games mine.db --json").json();
    let endings: Vec<_> = games
        .as_array()
        .unwrap()
        .iter()
        .map(|game| (game["moves"].as_str().unwrap(), game["ending"]["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(endings, [("a1a2b1b2c1", "rules"), ("a1a2b1b2c3c2", "rules"), ("b2", "resigned")]);
    // A player is stored under its canonical text.
    let computer = "play tictactoe --second pvs:tt=1024K,depth=1 --store computer.db";
    terminal.run_with_input(computer, "b2\nresign\n").success();
    let games = terminal.run("store games computer.db --json").json();
    assert_eq!(games[0]["players"][1]["spec"], "pvs:depth=1,tt=1M");
}
