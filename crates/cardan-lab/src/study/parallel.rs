//! Tasks on several processors.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Works on tasks in their order, several at once (as many as there are processors by default), until all are done or
/// the flag is set.
pub fn in_parallel<T: Sync>(
    tasks: &[T],
    threads: Option<usize>,
    stop: &AtomicBool,
    work: impl Fn(&T) + Sync,
) {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or_else(available);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, tasks.len().max(1)) {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    work(task);
                }
            });
        }
    });
}
