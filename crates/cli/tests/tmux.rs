//! The program on a real terminal, which tmux provides: colors, prompts and progress bars.

use std::process::Command;
use std::time::{Duration, Instant};

/// A private tmux server with one window, which ends on drop.
struct Screen {
    socket: String,
}

/// Far longer than any step here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Screen {
    /// Runs `tesuji` with these arguments in a new window.
    fn running(name: &str, words: &str) -> Screen {
        let screen = Screen { socket: format!("tesuji-test-{name}-{}", std::process::id()) };
        // `cat` keeps the window open, so that the last output can be read.
        let command = format!("{} {words}; echo EXIT $?; cat", env!("CARGO_BIN_EXE_tesuji"));
        screen.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", &command]);
        screen
    }

    fn tmux(&self, words: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.socket])
            .args(words)
            .env_remove("TMUX")
            .env_remove("NO_COLOR")
            .output()
            .expect("tmux is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn type_line(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Waits until the contents of the window, colors included, meet the condition; returns them.
    fn until(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let shown = self.tmux(&["capture-pane", "-p", "-e", "-S", "-200"]);
            if condition(&shown) {
                return shown;
            }
            assert!(started.elapsed() < TIMEOUT, "{what} did not appear:\n{shown}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn a_human_is_blue_a_computer_red_and_its_last_move_green() {
    let screen = Screen::running("play", "play tictactoe --second minimax:depth=9 --seed 1");
    screen.until("a prompt", |shown| shown.contains("1 . . ."));
    screen.type_line("b2");
    let shown = screen.until("the reply", |shown| shown.contains("\u{1b}[32mO"));
    assert!(shown.contains("\u{1b}[34mX"), "the human's piece is blue:\n{shown}");
    screen.type_line("b3");
    let shown = screen.until("the second reply", |shown| shown.contains("\u{1b}[31mO"));
    assert!(shown.contains("\u{1b}[32mO"), "the newest move is green:\n{shown}");
    screen.type_line("quit");
    screen.until("the end", |shown| shown.contains("EXIT 0"));
}

#[test]
fn invalid_input_is_reported_and_the_game_continues() {
    let screen = Screen::running("nonsense", "play connect4 --second random --seed 1");
    screen.until("a prompt", |shown| shown.contains("1 . . . . . . ."));
    screen.type_line("9");
    screen.until("an error", |shown| shown.contains("a column from 1 to 7"));
    screen.type_line("4");
    screen.until("the stone", |shown| shown.contains("\u{1b}[34mX"));
    screen.tmux(&["send-keys", "C-d"]);
    screen.until("the end", |shown| shown.contains("EXIT 0"));
}

#[test]
fn long_work_shows_a_progress_bar_and_removes_it() {
    let words = "match connect4 mcts:sims=3000 mcts:sims=3000 --games 40 --seed 1";
    let screen = Screen::running("bar", words);
    screen.until("a bar", |shown| shown.contains("/40 games"));
    let shown = screen.until("the result", |shown| shown.contains("EXIT 0"));
    assert!(!shown.contains("/40 games"), "the bar is still there:\n{shown}");
    assert!(shown.contains("Elo"), "{shown}");
}
