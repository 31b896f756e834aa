//! Memory that autocorrelations take, whatever the shape of a table: as much again as the table, and a little.

use diagonal::math::Autocorrelation;
use ndarray::Array2;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Counts the bytes that are held, and the most that were.
struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: memory comes from the system's allocator as it was asked for; what is counted touches none of it.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        // SAFETY: the layout is the caller's, who promises that it is not empty.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: both are those of an allocation above.
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
        let found = Autocorrelation::of(table.view());
        assert_eq!(found.is_some(), rows > 1, "{rows} × {columns}");
        let taken = MOST.load(Relaxed) - before;
        // Besides the numbers by lag, some lines of twice the rows in double precision.
        let most = 5 * rows * columns + 400 * rows + 100_000;
        assert!(
            taken <= most,
            "{rows} × {columns}: {taken} bytes, {most} at most"
        );
    }
}
