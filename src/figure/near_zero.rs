//! Choice of offsets at which a profile is shown: those near zero, or all.

use crate::math::Profile;

/// Offsets up to this one count as near zero.
const REACH: f64 = 40.5;

/// Returns the shown range of the offset axis for n positions.
#[must_use]
pub fn shown_offsets(n: usize, all: bool) -> (f64, f64) {
    let edge = n as f64 - 0.5;
    let reach = if all { edge } else { edge.min(REACH) };
    (-reach, reach)
}

/// Returns whether a profile should be shown at all of its offsets: its range near zero is less than half of its whole
/// range.
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
