//! Distributes threads among games. The scheduler counts running games (the MinimaxManager of Loos,
//! 2012): every game has its own thread, and while there are fewer games than threads, a search may
//! borrow the idle ones.

use std::sync::{Arc, Mutex, MutexGuard};

/// Lends the threads of a machine. Clones share the same threads.
#[derive(Clone, Debug)]
pub struct Scheduler {
    state: Arc<Mutex<SchedulerState>>,
}

#[derive(Debug)]
struct SchedulerState {
    threads: usize,
    games: usize,
    lent: usize,
}

impl SchedulerState {
    fn idle(&self) -> usize {
        // A search outside of any announced game also counts as one.
        self.threads.saturating_sub(self.games.max(1) + self.lent)
    }
}

impl Scheduler {
    /// Creates a scheduler for this number of threads, at least one.
    pub fn new(threads: usize) -> Self {
        let state = SchedulerState { threads: threads.max(1), games: 0, lent: 0 };
        Scheduler { state: Arc::new(Mutex::new(state)) }
    }

    /// Creates a scheduler for the available parallelism of the machine.
    pub fn for_this_machine() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Registers a game. It counts as running until the guard is dropped.
    pub fn start_game(&self) -> RunningGame {
        self.state().games += 1;
        RunningGame { scheduler: self.clone() }
    }

    /// The number of running games.
    pub fn running_games(&self) -> usize {
        self.state().games
    }

    /// Creates a loan for one search, initially without extra threads.
    pub fn loan(&self) -> ThreadLoan {
        ThreadLoan { scheduler: self.clone(), extra: 0 }
    }

    fn state(&self) -> MutexGuard<'_, SchedulerState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A closure that runs on a scoped thread.
pub type ScopedTask<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs `own` on this thread and the others on new threads in parallel. Starting a thread is a lot
/// of code: with boxed closures it is compiled once and not for every search of every game.
pub fn run_in_parallel(own: &mut dyn FnMut(), others: Vec<ScopedTask<'_>>) {
    std::thread::scope(|scope| {
        for task in others {
            // A search works with fewer threads if the system refuses to start one.
            let _ = std::thread::Builder::new().spawn_scoped(scope, task);
        }
        own();
    });
}

/// A guard for a running game.
#[derive(Debug)]
pub struct RunningGame {
    scheduler: Scheduler,
}

impl Drop for RunningGame {
    fn drop(&mut self) {
        self.scheduler.state().games -= 1;
    }
}

/// Threads lent to a search; returned on drop.
#[derive(Debug)]
pub struct ThreadLoan {
    scheduler: Scheduler,
    extra: usize,
}

impl ThreadLoan {
    /// Returns the number of threads that the search may use now, including its own and at most
    /// `wanted`. Called between iterations: the number grows when games end and shrinks when games
    /// start.
    pub fn renew(&mut self, wanted: usize) -> usize {
        let mut state = self.scheduler.state();
        state.lent -= self.extra;
        self.extra = state.idle().min(wanted.saturating_sub(1));
        state.lent += self.extra;
        1 + self.extra
    }
}

impl Drop for ThreadLoan {
    fn drop(&mut self) {
        self.scheduler.state().lent -= self.extra;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_threads_are_lent_and_come_back() {
        let scheduler = Scheduler::new(4);
        let first = scheduler.start_game();
        let mut loan = scheduler.loan();
        assert_eq!(loan.renew(8), 4, "one game, three idle threads");
        assert_eq!(scheduler.loan().renew(8), 1, "no thread is left for a second search");
        let others: Vec<RunningGame> = (0..3).map(|_| scheduler.start_game()).collect();
        assert_eq!(loan.renew(8), 1, "as many games as threads");
        drop(others);
        assert_eq!(loan.renew(2), 2, "no more than wanted");
        assert_eq!(loan.renew(8), 4, "more as soon as games have ended");
        drop(loan);
        assert_eq!(scheduler.loan().renew(8), 4);
        drop(first);
        assert_eq!(scheduler.running_games(), 0);
        assert_eq!(scheduler.loan().renew(8), 4, "without a game the search counts as one");
    }

    #[test]
    fn more_games_than_threads_leave_each_search_its_own() {
        let scheduler = Scheduler::new(0);
        let _games = [scheduler.start_game(), scheduler.start_game()];
        assert_eq!(scheduler.loan().renew(8), 1);
    }
}
