//! Distributes work over threads.

use std::iter::repeat_with;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Resolves a setting of `threads`: 0 means one per core.
pub fn threads(setting: usize) -> usize {
    match setting {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Calls `work` for every number below `count` on several threads. `each` is called on this thread
/// with every result in order of completion; `work` returns `None` when it should stop. At most as
/// many results are buffered as there are threads, so the threads never run far ahead of `each`,
/// and a stop from `each` takes effect soon.
pub fn for_each_result<R: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> Option<R> + Sync,
    mut each: impl FnMut(usize, R),
) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let threads = threads.clamp(1, count.max(1));
        let (finished, results) = mpsc::sync_channel(threads);
        for _ in 0..threads {
            let (finished, next, work) = (finished.clone(), &next, &work);
            scope.spawn(move || {
                let numbers = repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let numbers = numbers.take_while(|number| *number < count);
                let mut results = numbers.map_while(|number| Some((number, work(number)?)));
                results.try_for_each(|result| finished.send(result))
            });
        }
        drop(finished);
        results.iter().for_each(|(number, result)| each(number, result));
    });
}

/// The results of `work` for all items, in the order of the items.
pub fn map<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    for_each_result(
        threads,
        items.len(),
        |number| Some(work(&items[number])),
        |number, result| results[number] = Some(result),
    );
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_their_items() {
        let items: Vec<u64> = (0..100).collect();
        for threads in [1, 2, 7, 200] {
            let squares: Vec<u64> = items.iter().map(|n| n * n).collect();
            assert_eq!(map(threads, &items, |n| n * n), squares);
        }
        assert!(map(3, &[] as &[u64], |n| *n).is_empty());
    }

    #[test]
    fn a_stopped_thread_takes_no_more_work() {
        let mut done = Vec::new();
        for_each_result(1, 10, |n| (n < 4).then_some(n), |_, n| done.push(n));
        assert_eq!(done, [0, 1, 2, 3]);
    }
}
