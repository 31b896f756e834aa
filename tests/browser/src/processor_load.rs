//! Threads that keep every core busy, so that the page and its workers wait for their turn.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Load on all cores, until it is dropped.
#[derive(Debug)]
pub struct ProcessorLoad {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl ProcessorLoad {
    /// Starts `per_core` busy threads for each core.
    #[must_use]
    pub fn start(per_core: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let is_over = Arc::new(AtomicBool::new(false));
        let spin = || {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            })
        };
        Self {
            threads: (0..cores * per_core).map(|_| spin()).collect(),
            is_over,
        }
    }
}

impl Drop for ProcessorLoad {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that does nothing cannot panic.
            let _ = thread.join();
        }
    }
}
