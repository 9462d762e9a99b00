//! The settings that the manager sends with `INFO`: rule, clocks, memory and threads. Other keys
//! are ignored.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tesuji_games::RowRule;
use tesuji_gomoku::engine::GomokuEngine;
use tesuji_gomoku::engine::time_management::time_budget;
use tesuji_search::{Limits, memory};

use crate::external::command;

use tesuji_play::{Clock, PlayerSpec, Turn};

/// Default time per move.
const DEFAULT_TURN: Duration = Duration::from_secs(5);
/// The protocol's value for no time limit.
const NO_CLOCK: i128 = i32::MAX as i128;
/// Minimum time of a search.
const SHORTEST: Duration = Duration::from_millis(1);

/// Memory of everything except the table: program, boards, stacks.
const OTHER_MEMORY: u64 = 40 << 20;
/// The smallest and largest table.
const TABLES: (u64, u64) = (1 << 20, 8 << 30);
/// The memory limit of tournaments. A table that fits is not allocated again when the manager sends
/// it.
const DEFAULT_MEMORY: i128 = 350 << 20;
const MOST_THREADS: i128 = 256;

/// The settings of a conversation.
#[derive(Clone, Debug)]
pub(super) struct Info {
    pub(super) rule: RowRule,
    clock: Clock,
    /// Without time and stop flag.
    limits: Limits,
    table: Option<u64>,
    threads: Option<u64>,
    /// The memory limit of the program, if the manager has sent one.
    memory: Option<u64>,
}

impl Default for Info {
    fn default() -> Self {
        Info {
            rule: RowRule::AtLeast,
            clock: Clock::default(),
            limits: Limits::default(),
            table: Some(table_within(DEFAULT_MEMORY)),
            threads: None,
            memory: None,
        }
    }
}

impl Info {
    /// Sets `key value`. Returns a message for people, if any.
    pub(super) fn set(&mut self, text: &str) -> Option<String> {
        let (key, value) = command(text);
        let number = value.split_whitespace().next()?.parse::<i128>().ok()?;
        let time = Duration::from_millis(number.clamp(0, u32::MAX.into()) as u64);
        match key.to_ascii_lowercase().as_str() {
            "rule" => return self.set_rule(number),
            "timeout_turn" => self.clock.per_move = Some(time).filter(|_| number < NO_CLOCK),
            "timeout_match" => {
                self.clock.per_game = Some(time).filter(|_| 0 < number && number < NO_CLOCK);
                self.clock.left = self.clock.per_game;
            }
            "time_left" => self.clock.left = Some(time).filter(|_| number < NO_CLOCK),
            "time_increment" => self.clock.increment = time,
            // Values beyond any search mean no limit.
            "max_depth" => self.limits.depth = (1..256).contains(&number).then_some(number as u32),
            "max_node" => {
                self.limits.nodes = (1..i64::MAX.into()).contains(&number).then_some(number as u64);
            }
            "max_memory" => {
                self.table = (number > 0).then(|| table_within(number));
                self.memory = u64::try_from(number).ok().filter(|&bytes| bytes > 0);
            }
            "hash_size" => self.table = (number > 0).then(|| table_of(number.saturating_mul(1024))),
            "thread_num" => self.threads = Some(number.clamp(1, MOST_THREADS) as u64),
            _ => {}
        }
        None
    }

    /// Sets the rule. Its number is a set of bits: 1 for exactly five, 4 for renju, 8 for caro,
    /// with or without 1. 2 would be for games that continue after a five; Yixin's board uses it
    /// for renju.
    fn set_rule(&mut self, number: i128) -> Option<String> {
        let known = match number {
            0 => Some(RowRule::AtLeast),
            1 => Some(RowRule::Exactly),
            2 | 4 => Some(RowRule::Renju),
            8 | 9 => Some(RowRule::Caro),
            _ => None,
        };
        self.rule = known.unwrap_or(RowRule::AtLeast);
        let words = "is unknown; expected 0 freestyle, 1 exactly five, 4 renju, 8 or 9 caro; playing freestyle";
        known.is_none().then(|| format!("MESSAGE rule {number} {words}"))
    }

    /// Starts the clock of a new game.
    pub(super) fn new_game(&mut self) {
        self.clock.left = self.clock.per_game;
    }

    /// Subtracts the time of a move; valid until the manager sends the time left.
    pub(super) fn subtract_time(&mut self, time: Duration) {
        let Clock { left, increment, .. } = &mut self.clock;
        *left = left.map(|left| left.saturating_sub(time) + *increment);
    }

    /// Returns the name of the game on a board of this size.
    pub(super) fn game(&self, (width, height): (usize, usize)) -> String {
        self.rule.five_in_a_row(width, height)
    }

    /// Returns the player with the manager's memory and threads. Its own options come first.
    pub(super) fn player(&self, player: &PlayerSpec) -> PlayerSpec {
        let mut player = player.clone();
        if let Some(bytes) = self.table {
            player = player.with_default("tt", &bytes.to_string());
        }
        if let Some(threads) = self.threads {
            let threads = threads.min(self.most_threads());
            player = player.with_default("threads", &threads.to_string());
        }
        player
    }

    /// Returns how many threads fit next to program and table into the memory limit and into the
    /// free memory of the machine.
    fn most_threads(&self) -> u64 {
        let table = OTHER_MEMORY.saturating_add(self.table.unwrap_or(0));
        let fit = |bytes: u64, each: u64| (bytes.saturating_sub(table) / each).max(1);
        let memory = [self.memory, memory::available()].into_iter().flatten().min();
        let by_memory = memory.map(|bytes| fit(bytes, GomokuEngine::BYTES_PER_THREAD));
        let addresses = GomokuEngine::BYTES_PER_THREAD + memory::ADDRESSES_PER_THREAD;
        let by_addresses = memory::address_space_left().map(|bytes| fit(bytes, addresses));
        [by_memory, by_addresses].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Returns the limits of the next move, for a number of stones and of cells.
    pub(super) fn turn(&self, stones: usize, cells: usize, stop: &Arc<AtomicBool>) -> Turn {
        let per_move = Some(self.clock.per_move.unwrap_or(DEFAULT_TURN));
        let clock = Clock { per_move, ..self.clock };
        let allowed = time_budget(per_move, clock.left, clock.increment, stones, cells);
        let time = allowed.map(|allowed| allowed.hard.max(SHORTEST));
        let limits = Limits { time, stop: Some(stop.clone()), ..self.limits };
        Turn { limits, clock, ..Turn::default() }
    }
}

/// Returns the table size for a memory limit: about half of what the program leaves.
fn table_within(bytes: i128) -> u64 {
    table_of((bytes - i128::from(OTHER_MEMORY)) / 2)
}

/// Returns a table size of at most this many bytes and at most half of the free memory, but not
/// less than the smallest table.
fn table_of(bytes: i128) -> u64 {
    let most = memory::available().map_or(TABLES.1, |left| (left / 2).clamp(TABLES.0, TABLES.1));
    let bytes = bytes.clamp(TABLES.0.into(), most.into()) as u64;
    1 << bytes.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(lines: &[&str]) -> Info {
        let mut info = Info::default();
        for line in lines {
            assert_eq!(info.set(line), None, "{line}");
        }
        info
    }

    fn time(lines: &[&str]) -> u128 {
        let turn = info(lines).turn(10, 225, &Arc::default());
        turn.limits.time.unwrap().as_millis()
    }

    #[test]
    fn rules_are_known_by_their_numbers() {
        for (number, game) in [
            ("0", "mnk:15x12,k=5"),
            ("1", "mnk:15x12,k=5,exact"),
            ("2", "renju:15x12"),
            ("4", "renju:15x12"),
            ("8", "mnk:15x12,k=5,caro"),
            ("9", "mnk:15x12,k=5,caro"),
        ] {
            let info = info(&[&format!("rule {number}")]);
            assert_eq!(info.game((15, 12)), game, "{number}");
        }
        let mut info = info(&["rule 1"]);
        let message = info.set("RULE 17").unwrap();
        assert!(message.starts_with("MESSAGE rule 17 is unknown"), "{message}");
        assert_eq!(info.game((15, 15)), "mnk:15x15,k=5");
    }

    #[test]
    fn clocks_bound_the_time_of_a_move() {
        assert_eq!(time(&["timeout_turn 0"]), 1);
        assert!((1..30).contains(&time(&["timeout_turn 30"])));
        assert!((900..1000).contains(&time(&["timeout_turn 1000", "time_left 2147483647"])));
        assert!((900..1000).contains(&time(&["TIMEOUT_TURN 1000 ms", "timeout_match 0"])));
        assert!(time(&["timeout_turn 30000", "timeout_match 180000"]) < 30_000);
        assert!(time(&["timeout_turn 30000", "time_left 100"]) < 100);
        assert!(time(&["timeout_turn 30000", "time_left -7"]) <= 1);
        assert!((4000..5000).contains(&time(&[])), "usual");
    }

    #[test]
    fn the_clock_of_the_game_runs_unless_the_manager_says_more() {
        let mut info = info(&["timeout_match 10000", "time_increment 500"]);
        info.subtract_time(Duration::from_millis(4000));
        assert_eq!(info.clock.left, Some(Duration::from_millis(6500)));
        info.subtract_time(Duration::from_secs(60));
        assert_eq!(info.clock.left, Some(Duration::from_millis(500)));
        info.set("time_left 3000");
        assert_eq!(info.clock.left, Some(Duration::from_millis(3000)));
        info.new_game();
        assert_eq!(info.clock.left, Some(Duration::from_millis(10_000)));
    }

    #[test]
    fn memory_and_threads_are_given_to_players_that_take_them() {
        let player = |player: &str, lines: &[&str]| {
            info(lines).player(&crate::player(player).unwrap()).text().to_string()
        };
        assert_eq!(player("pvs", &[]), player("pvs", &["max_memory 367001600"]));
        assert_eq!(player("pvs", &["max_memory 367001600"]), "pvs:tt=128M");
        assert_eq!(player("pvs", &["max_memory 1000"]), "pvs:tt=1M");
        assert_eq!(player("pvs", &["max_memory 0"]), "pvs");
        assert_eq!(player("pvs:depth=3", &["hash_size 65536"]), "pvs:depth=3,tt=64M");
        assert_eq!(player("random", &["hash_size 65536", "thread_num 2"]), "random");
        assert!(player("pvs", &["thread_num 2"]).contains("threads=2"));
        let threads = |lines: &[&str]| {
            let text = player("gomoku", lines);
            let (_, threads) = text.split_once("threads=").unwrap();
            threads.split(',').next().unwrap().parse::<u64>().unwrap()
        };
        // 350 MiB minus 40 for the program and 128 for the table.
        assert_eq!(threads(&["thread_num 256", "max_memory 367001600"]), 10);
        assert_eq!(threads(&["max_memory 367001600", "thread_num 4"]), 4);
        assert_eq!(threads(&["max_memory 1", "thread_num 4"]), 1);
        let mine = info(&["max_memory 367001600"]).player(&crate::player("pvs:tt=4M").unwrap());
        assert_eq!(mine.text(), "pvs:tt=4M");
    }

    #[test]
    fn what_means_nothing_is_passed_over() {
        for line in [
            "",
            "rule",
            "rule x",
            "folder /tmp",
            "evaluate 3,4",
            "game_type 2",
            "caution_factor 1",
            "pondering 0",
            "checkmate 0",
            "usedatabase 1",
            "show_detail 1",
            "strength 100",
            "nbestsym 0",
            "swapable 0",
            "max_memory 99999999999999999999999999999999999999999",
            "time_left 1e9",
            "max_memory -1",
            "thread_num -1",
            "max_node 18446744073709551615",
            "max_depth 0",
            "timeout_turn 170141183460469231731687303715884105727",
            "hash_size 170141183460469231731687303715884105727",
        ] {
            let mut info = Info::default();
            assert_eq!(info.set(line), None, "{line}");
            info.turn(0, 25, &Arc::default());
            info.player(&crate::player("pvs").unwrap());
        }
    }
}
