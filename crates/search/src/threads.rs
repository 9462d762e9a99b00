//! Who may use how many threads. One scheduler knows how many games are being played (the
//! MinimaxManager of Loos, 2012): every game has a thread of its own, and while there are fewer games
//! than threads, a search may borrow the idle ones.

use std::sync::{Arc, Mutex, MutexGuard};

/// Hands out the threads of a machine. Clones share the same threads.
#[derive(Clone, Debug)]
pub struct Scheduler {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    threads: usize,
    games: usize,
    lent: usize,
}

impl State {
    fn idle(&self) -> usize {
        // Nobody has announced a game: the search that asks is one all the same.
        self.threads.saturating_sub(self.games.max(1) + self.lent)
    }
}

impl Scheduler {
    /// For so many threads, at least one.
    pub fn new(threads: usize) -> Self {
        let state = State { threads: threads.max(1), games: 0, lent: 0 };
        Scheduler { state: Arc::new(Mutex::new(state)) }
    }

    /// For as many threads as the machine runs at once.
    pub fn for_this_machine() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Announces a game. It counts as running until the guard is dropped.
    pub fn start_game(&self) -> RunningGame {
        self.state().games += 1;
        RunningGame { scheduler: self.clone() }
    }

    /// Games running now.
    pub fn running_games(&self) -> usize {
        self.state().games
    }

    /// A loan for one search, still without any extra thread.
    pub fn loan(&self) -> ThreadLoan {
        ThreadLoan { scheduler: self.clone(), extra: 0 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Work for one thread.
pub type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Does one thing on this thread and the others on threads of their own, all at once. What starts a thread is a lot
/// of code: boxed, it is compiled once and not for every search of every game.
pub fn run_in_parallel(own: &mut dyn FnMut(), others: Vec<Task<'_>>) {
    std::thread::scope(|scope| {
        for task in others {
            // A search manages with fewer threads where the system starts no more.
            let _ = std::thread::Builder::new().spawn_scoped(scope, task);
        }
        own();
    });
}

/// A game that is being played.
#[derive(Debug)]
pub struct RunningGame {
    scheduler: Scheduler,
}

impl Drop for RunningGame {
    fn drop(&mut self) {
        self.scheduler.state().games -= 1;
    }
}

/// Threads lent to a search. They go back when this is dropped.
#[derive(Debug)]
pub struct ThreadLoan {
    scheduler: Scheduler,
    extra: usize,
}

impl ThreadLoan {
    /// How many threads the search may use now, its own included and at most `wanted`. Asked again
    /// between iterations: the number grows when games end, and shrinks when new ones begin.
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
        assert_eq!(scheduler.loan().renew(8), 1, "nothing is left for a second search");
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
