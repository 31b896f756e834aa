//! Chooses rows per dispatch so that one dispatch takes about 100 ms on any GPU.

/// Operations of the first batch: half a second on the slowest adapter measured, a software one.
const FIRST: f64 = 1e8;

/// Target duration of a batch, in milliseconds.
const AIM_MS: f64 = 100.0;

/// Splits rows into batches.
#[derive(Debug)]
pub(super) struct BatchSize {
    next: usize,
    end: usize,
    unit: usize,
    most: usize,
    rows: usize,
    start: f64,
}

impl BatchSize {
    /// Batches for rows `start..end` with `of_row` operations per row. The size of a batch is a multiple of `unit` rows
    /// and at most `most` rows, but at least `unit`.
    pub(super) fn new(start: usize, end: usize, unit: usize, most: usize, of_row: f64) -> Self {
        let mut pace = Self {
            next: start,
            end,
            unit: unit.max(1),
            most,
            rows: 0,
            start: 0.0,
        };
        pace.set(FIRST / of_row.max(1.0));
        pace
    }

    /// The next batch of rows, sized by the time since the previous call. Call when the previous batch is done.
    pub(super) fn piece(&mut self) -> Option<std::ops::Range<usize>> {
        let now = js_sys::Date::now();
        if self.start > 0.0 {
            let factor = AIM_MS / (now - self.start).max(1.0);
            self.set(self.rows as f64 * factor.clamp(0.25, 4.0));
        }
        self.start = now;
        let start = self.next;
        self.next = (start + self.rows).min(self.end);
        (start < self.next).then_some(start..self.next)
    }

    fn set(&mut self, rows: f64) {
        let units = (rows as usize).min(self.most) / self.unit;
        self.rows = units.max(1) * self.unit;
    }
}
