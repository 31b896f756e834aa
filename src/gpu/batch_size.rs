//! How much is asked of a GPU at once: so many rows that it takes about a tenth of a second, whatever GPU it is.

/// Operations of the first piece: half a second on the slowest adapter that was met, which is a program.
const FIRST: f64 = 1e8;

/// What a piece should take, in milliseconds.
const AIM_MS: f64 = 100.0;

/// Cuts rows into pieces.
#[derive(Debug)]
pub(super) struct BatchSize {
    next: usize,
    end: usize,
    unit: usize,
    most: usize,
    rows: usize,
    begun: f64,
}

impl BatchSize {
    /// For rows `start..end` that take so many operations each. Pieces are whole multiples of `unit` rows, and at most
    /// `most` where that is more.
    pub(super) fn new(start: usize, end: usize, unit: usize, most: usize, of_row: f64) -> Self {
        let mut pace = Self {
            next: start,
            end,
            unit: unit.max(1),
            most,
            rows: 0,
            begun: 0.0,
        };
        pace.set(FIRST / of_row.max(1.0));
        pace
    }

    /// The next piece. The one before it is done.
    pub(super) fn piece(&mut self) -> Option<std::ops::Range<usize>> {
        let now = js_sys::Date::now();
        if self.begun > 0.0 {
            let factor = AIM_MS / (now - self.begun).max(1.0);
            self.set(self.rows as f64 * factor.clamp(0.25, 4.0));
        }
        self.begun = now;
        let start = self.next;
        self.next = (start + self.rows).min(self.end);
        (start < self.next).then_some(start..self.next)
    }

    fn set(&mut self, rows: f64) {
        let units = (rows as usize).min(self.most) / self.unit;
        self.rows = units.max(1) * self.unit;
    }
}
