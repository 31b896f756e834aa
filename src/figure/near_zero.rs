//! Which offsets a profile is shown at: those near zero, or all of them.

use crate::math::Profile;

/// Offsets to either side that count as near zero.
const REACH: f64 = 40.5;

/// The part of the axis that is shown of n positions' offsets.
#[must_use]
pub fn shown_offsets(n: usize, all: bool) -> (f64, f64) {
    let edge = n as f64 - 0.5;
    let reach = if all { edge } else { edge.min(REACH) };
    (-reach, reach)
}

/// Whether a profile has to be seen at all of its offsets: near zero it varies by less than half of what it varies by.
#[must_use]
pub fn needs_all_offsets(f: &Profile) -> bool {
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        ends.1 - ends.0
    };
    let near = |k: i64| (k as f64).abs() <= REACH;
    let near = span(&mut f.by_offset().filter(|(k, _)| near(*k)).map(|(_, v)| v));
    2.0 * near < span(&mut f.iter().copied())
}
