//! Many simultaneous players, each with a move per second: measures the response times without the
//! time of the computer's search.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chance::Chance;
use super::http::{Visitor, escaped};
use super::server::Server;

/// The games and the opponents. The searches are short, so that the server is measured.
const GAMES: [(&str, &str); 6] = [
    ("tictactoe", "pvs:depth=4"),
    ("connect4", "pvs:depth=4"),
    ("gomoku", "pvs:depth=1"),
    ("othello", "pvs:depth=2"),
    ("checkers", "pvs:depth=4"),
    ("chess", "pvs:depth=2"),
];

/// The time between two moves of a player.
const INTERVAL: Duration = Duration::from_secs(1);
/// The limit of the 99th percentile of response times, without the search.
pub(super) const GOAL: Duration = Duration::from_millis(150);
/// The minimum share of moves made in time.
const GOAL_DONE: f64 = 0.98;

/// The measured times.
#[derive(Default)]
pub(super) struct Report {
    /// Times from a player's move to the new board.
    shown: Vec<Duration>,
    /// Times from the request of the computer's move to the answer, without the search.
    answered: Vec<Duration>,
    /// Times of the computer's search.
    searched: Vec<Duration>,
    due: usize,
    problems: Vec<String>,
    processor: f64,
}

/// Lets `players` play for `time`.
pub(super) fn run(server: &Server, players: usize, time: Duration, seed: u64) -> Report {
    let before = server.processor_seconds();
    let start = Instant::now() + Duration::from_millis(500);
    let address = server.address;
    let one = |number: usize| {
        SimulatedPlayer::new(address, number, seed).play(start, start + time, players)
    };
    let mut report = std::thread::scope(|scope| {
        let playing: Vec<_> = (0..players).map(|number| scope.spawn(move || one(number))).collect();
        let reports = playing.into_iter().map(|thread| thread.join());
        reports.fold(Report::default(), |all, one| match one {
            Ok(one) => all.with(one),
            Err(_) => all.with(Report::failed("the thread of a player panicked")),
        })
    });
    report.processor = (server.processor_seconds() - before) / time.as_secs_f64();
    report
}

impl Report {
    fn failed(why: &str) -> Report {
        Report { problems: vec![why.to_string()], ..Report::default() }
    }

    fn with(mut self, other: Report) -> Report {
        self.shown.extend(other.shown);
        self.answered.extend(other.answered);
        self.searched.extend(other.searched);
        self.problems.extend(other.problems);
        self.due += other.due;
        self
    }

    /// Prints a table; returns an error if a goal was missed.
    pub(super) fn print(mut self, players: usize, time: Duration) -> Result<(), String> {
        let done = self.answered.len();
        println!(
            "{players} players, a move per second, {} s: {done} of {} moves made, {} failed",
            time.as_secs(),
            self.due,
            self.problems.len()
        );
        println!("the server used {:.2} processors", self.processor);
        println!("{:34} {:>9} {:>9} {:>9} {:>9}", "milliseconds", "p50", "p90", "p99", "max");
        let mut worst = Duration::ZERO;
        for (title, times, counts) in [
            ("the player's move shown", &mut self.shown, true),
            ("the computer's move, without search", &mut self.answered, true),
            ("search", &mut self.searched, false),
        ] {
            times.sort_unstable();
            let at = |share: f64| percentile(times, share);
            let shown = [0.5, 0.9, 0.99, 1.0].map(|share| at(share).as_secs_f64() * 1e3);
            println!(
                "{title:36} {:7.1} {:9.1} {:9.1} {:9.1}",
                shown[0], shown[1], shown[2], shown[3]
            );
            if counts {
                worst = worst.max(at(0.99));
            }
        }
        if let Some(problem) = self.problems.first() {
            return Err(format!("{} requests failed, such as: {problem}", self.problems.len()));
        }
        if worst > GOAL {
            return Err(format!("p99 is {worst:?}; the goal is {GOAL:?}"));
        }
        if (done as f64) < GOAL_DONE * self.due as f64 {
            return Err(format!("only {done} of {} moves were made in time", self.due));
        }
        Ok(())
    }
}

/// A percentile of sorted times.
fn percentile(sorted: &[Duration], share: f64) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or_default()
}

/// A simulated player, with one game after another.
struct SimulatedPlayer {
    visitor: Visitor,
    chance: Chance,
    number: usize,
    game: &'static str,
    opponent: &'static str,
    position: String,
    /// The legal moves of the position.
    moves: Vec<String>,
}

impl SimulatedPlayer {
    fn new(server: SocketAddr, number: usize, seed: u64) -> SimulatedPlayer {
        let (game, opponent) = GAMES[number % GAMES.len()];
        let (visitor, chance) = (Visitor::new(server), Chance::new(seed, number as u64));
        SimulatedPlayer {
            visitor,
            chance,
            number,
            game,
            opponent,
            position: String::new(),
            moves: vec![],
        }
    }

    fn play(mut self, start: Instant, end: Instant, players: usize) -> Report {
        let mut report = Report::default();
        // The first request returns a cookie and the legal moves; it is not counted.
        if let Err(why) = self.start_game() {
            return Report::failed(&why);
        }
        let mut next = start + INTERVAL.mul_f64(self.number as f64 / players as f64);
        while next < end {
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
            report.due += 1;
            if let Err(why) = self.play_move(&mut report) {
                report.problems.push(why);
            }
            next += INTERVAL;
        }
        report
    }

    fn start_game(&mut self) -> Result<(), String> {
        let path = format!("/api/position?game={}", self.game);
        let start = self.visitor.get(&path)?.json()?;
        self.read_snapshot(&start);
        Ok(())
    }

    /// Plays a move and gets the computer's answer; starts a new game after the end of one.
    fn play_move(&mut self, report: &mut Report) -> Result<(), String> {
        let play = self.chance.one(&self.moves).clone();
        let path = format!(
            "/api/position?game={}&moves={}&play={}",
            self.game,
            escaped(&self.position),
            escaped(&play)
        );
        let sent = Instant::now();
        let shown = self.visitor.get(&path)?.json()?;
        report.shown.push(sent.elapsed());
        self.read_snapshot(&shown);
        if !shown["outcome"].is_null() {
            report.answered.push(Duration::ZERO);
            return self.start_game();
        }
        let request = json!({ "game": self.game, "moves": self.position, "player": self.opponent });
        let sent = Instant::now();
        let answer = self.visitor.post("/api/move", &request)?.json()?;
        let waited = sent.elapsed();
        let seconds = answer["choice"]["seconds"].as_f64().ok_or("no time in the answer")?;
        let searched = Duration::try_from_secs_f64(seconds).map_err(|why| why.to_string())?;
        report.answered.push(waited.saturating_sub(searched));
        report.searched.push(searched);
        self.read_snapshot(&answer["position"]);
        if self.moves.is_empty() { self.start_game() } else { Ok(()) }
    }

    fn read_snapshot(&mut self, snapshot: &Value) {
        self.position = snapshot["position"].as_str().unwrap_or_default().to_string();
        let moves = snapshot["moves"].as_array().map(Vec::as_slice).unwrap_or_default();
        let over = !snapshot["outcome"].is_null();
        let texts = moves.iter().filter_map(|one| one["move"].as_str());
        self.moves = texts.filter(|_| !over).map(str::to_string).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<Duration> = (1..=101).map(Duration::from_millis).collect();
        let at = |share| percentile(&times, share).as_millis();
        assert_eq!([at(0.0), at(0.5), at(0.99), at(1.0)], [1, 51, 100, 101]);
        assert_eq!(percentile(&[], 0.99), Duration::ZERO);
    }

    #[test]
    fn one_slow_answer_in_a_hundred_is_allowed() {
        let report = |slow: usize| Report {
            answered: (0..1000)
                .map(|n| if n < slow { GOAL * 2 } else { Duration::from_millis(1) })
                .collect(),
            due: 1000,
            ..Report::default()
        };
        assert!(report(5).print(1, Duration::from_secs(1)).is_ok());
        assert!(report(50).print(1, Duration::from_secs(1)).is_err());
        let lazy = Report { due: 2000, ..report(0) };
        assert!(lazy.print(1, Duration::from_secs(1)).is_err(), "half of the moves were not made");
    }
}
