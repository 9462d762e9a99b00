//! Distributes threads among games. The scheduler counts running games (the MinimaxManager of Loos,
//! 2012): every game has its own thread, and while there are fewer games than threads, a search may
//! borrow the idle ones, also those that become idle while it runs.

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{Builder, Scope};

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
    /// The threads in use. A search outside of any announced game also counts as one.
    fn busy(&self) -> usize {
        self.games.max(1) + self.lent
    }

    fn idle(&self) -> usize {
        self.threads.saturating_sub(self.busy())
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

    /// Lends a thread to a running search, if one is idle.
    pub(crate) fn lend(&self) -> Option<LentThread> {
        let mut state = self.state();
        (state.idle() > 0).then(|| {
            state.lent += 1;
            LentThread { scheduler: self.clone(), is_returned: false }
        })
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
        others.into_iter().for_each(|task| spawn(scope, task));
        own();
    });
}

/// A function that runs inside a scope of threads.
pub(crate) type ScopedFn<'a, 'env> = dyn for<'scope> FnMut(&'scope Scope<'scope, 'env>) + 'a;

/// Calls `run` on this thread and waits for all threads that it and they start.
pub(crate) fn in_scope<'env>(run: &mut ScopedFn<'_, 'env>) {
    std::thread::scope(|scope| run(scope));
}

/// Starts a thread. A search works with fewer threads if the system refuses to start one.
pub(crate) fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, task: ScopedTask<'scope>) {
    let _ = Builder::new().spawn_scoped(scope, task);
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

/// A thread lent to a running search; returned on drop.
#[derive(Debug)]
pub(crate) struct LentThread {
    scheduler: Scheduler,
    is_returned: bool,
}

impl LentThread {
    /// Returns the thread if a game needs it. The search may not use it any more then.
    pub(crate) fn return_if_needed(&mut self) -> bool {
        let mut state = self.scheduler.state();
        if !self.is_returned && state.busy() > state.threads {
            state.lent -= 1;
            self.is_returned = true;
        }
        self.is_returned
    }
}

impl Drop for LentThread {
    fn drop(&mut self) {
        if !self.is_returned {
            self.scheduler.state().lent -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lent_thread_goes_back_to_a_game_that_needs_it() {
        let scheduler = Scheduler::new(3);
        let game = scheduler.start_game();
        let mut lent = [scheduler.lend().unwrap(), scheduler.lend().unwrap()];
        assert!(scheduler.lend().is_none(), "all threads are in use");
        assert!(lent.iter_mut().all(|lent| !lent.return_if_needed()));
        let other = scheduler.start_game();
        assert_eq!([lent[0].return_if_needed(), lent[1].return_if_needed()], [true, false]);
        drop((game, other, lent));
        assert_eq!(scheduler.loan().renew(8), 3);
    }

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
