//! Cells of a matrix that are highlighted for a cursor: those of its offset.

use super::Cursor;
use crate::math::Window;
use std::ops::Range;

/// Returns the ends of each run of highlighted cells in a window, as (row, column) of cell corners, so that a run of
/// one cell has a length.
pub(super) fn lit_runs(cursor: Cursor, window: &Window) -> Vec<[(f64, f64); 2]> {
    let run = |(k, rows): (i64, Range<usize>)| {
        let k = k as f64;
        // The part of the diagonal j = i + k inside the window.
        let first = (rows.start as f64)
            .max(window.rows.start as f64)
            .max(window.cols.start as f64 - k);
        let last = (rows.end as f64)
            .min(window.rows.end as f64)
            .min(window.cols.end as f64 - k);
        (first < last).then_some([(first, first + k), (last, last + k)])
    };
    highlighted_cells(cursor)
        .into_iter()
        .filter_map(run)
        .collect()
}

/// Returns the highlighted cells as an offset k and the range of queries i with a key at i + k.
fn highlighted_cells(cursor: Cursor) -> Vec<(i64, Range<usize>)> {
    if let Cursor::GridOffset { grid, dy, dx } = cursor {
        let first = |by: i64| (-by).max(0);
        let end = |side: usize, by: i64| side as i64 - by.max(0);
        let width = grid.width as i64;
        let k = dy * width + dx;
        let (from, to) = (first(dx), end(grid.width, dx));
        // The queries in one row of the grid whose keys are in the row Δy below: one run per row.
        return (first(dy)..end(grid.height, dy))
            .filter(|_| from < to)
            .map(|y| (k, (y * width + from) as usize..(y * width + to) as usize))
            .collect();
    }
    cursor
        .offset()
        .map(|k| (k, 0..usize::MAX))
        .into_iter()
        .collect()
}
