//! Memory of autocorrelations, for tables of any shape: at most 5 bytes per cell (a table has 4), plus 400 bytes per
//! row and 100 kB.

use diagonal::math::Autocorrelation;
use ndarray::Array2;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// An allocator that counts the bytes held, and their peak.
struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: calls are forwarded to the system's allocator unchanged; the counters do not touch its memory.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        // SAFETY: the layout is the caller's, who guarantees a non-zero size.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: pointer and layout are those of an allocation above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// Tables of two million numbers, wide, long and square, and small ones.
#[test]
fn autocorrelation_takes_as_much_memory_as_its_table() {
    for (rows, columns) in [
        (2, 1_000_000),
        (33, 60_000),
        (1000, 2000),
        (16_384, 128),
        (16_384, 1),
        (1, 1000),
    ] {
        let table =
            Array2::from_shape_fn((rows, columns), |(i, j)| ((i * 7 + j * 31) as f32).sin());
        let before = HELD.load(Relaxed);
        MOST.store(before, Relaxed);
        let found = Autocorrelation::compute(table.view());
        assert_eq!(found.is_some(), rows > 1, "{rows} × {columns}");
        let taken = MOST.load(Relaxed) - before;
        // Beyond the results by lag, a few double-precision buffers of twice the rows.
        let most = 5 * rows * columns + 400 * rows + 100_000;
        assert!(
            taken <= most,
            "{rows} × {columns}: {taken} bytes, {most} at most"
        );
    }
}
