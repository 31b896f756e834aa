//! Choice of offsets at which a profile is shown: those near zero, those around kernels, or all.

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

/// Share of the shown offsets that is left beyond the outermost centre of a kernel.
const BEYOND_CENTRES: f64 = 0.1;

/// Returns the shown range of the offset axis for n positions, such that the centres of all kernels are in it: offsets
/// near zero, and farther ones if a centre is beyond them.
#[must_use]
pub fn offsets_around(centres: impl IntoIterator<Item = f64>, n: usize) -> (f64, f64) {
    let farthest = centres.into_iter().map(f64::abs).fold(0.0, f64::max);
    let (_, near) = shown_offsets(n, false);
    let (_, edge) = shown_offsets(n, true);
    let reach = if farthest * (1.0 + BEYOND_CENTRES) <= near {
        near
    } else {
        ((farthest * (1.0 + BEYOND_CENTRES)).ceil() + 0.5).min(edge)
    };
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
