//! Runs the tasks of `tesuji bench` with other libraries. For each task among its arguments, prints a
//! line `TASK <tab> PEER <tab> NUMBER` for each peer that has the task: games or simulations per second,
//! or milliseconds.

mod board_game_peer;
mod minimax_peer;

use std::time::{Duration, Instant};

/// The time in which a rate is measured.
const WINDOW: Duration = Duration::from_millis(700);
/// How often a duration is measured; the shortest is printed.
const REPETITIONS: usize = 5;

fn main() {
    for task in std::env::args().skip(1) {
        let results = match task.as_str() {
            "playouts/tictactoe" => vec![("board-game", board_game_peer::tictactoe_playouts())],
            "playouts/connect4" => vec![
                ("board-game", board_game_peer::connect4_playouts()),
                ("minimax on our rules", minimax_peer::playouts()),
            ],
            "uct/1-thread" => vec![
                ("board-game", board_game_peer::uct_simulations()),
                ("minimax on our rules", minimax_peer::uct_simulations(1)),
            ],
            "uct/2-threads" => vec![("minimax on our rules", minimax_peer::uct_simulations(2))],
            "alphabeta/depth-12" => vec![
                ("board-game", board_game_peer::alphabeta_milliseconds(12)),
                ("minimax on our rules", minimax_peer::negamax_milliseconds(12)),
            ],
            "deepening/depth-14" => {
                vec![("minimax on our rules", minimax_peer::iterative_milliseconds(14))]
            }
            _ => Vec::new(),
        };
        for (peer, number) in results {
            println!("{task}\t{peer}\t{number}");
        }
    }
}

/// The calls of `work` per second, multiplied by the count of each call.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    let started = Instant::now();
    let mut count = 0;
    while started.elapsed() < WINDOW {
        count += work();
    }
    count as f64 / started.elapsed().as_secs_f64()
}

/// The shortest of several runs.
fn milliseconds(mut work: impl FnMut()) -> f64 {
    (0..REPETITIONS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1000.0
        })
        .fold(f64::INFINITY, f64::min)
}
