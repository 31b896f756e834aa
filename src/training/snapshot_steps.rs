//! Steps at which snapshots are taken: close together at first, when most changes.

/// Whether a snapshot is taken after so many steps of a run of `last` steps: at step 0, at the powers of two, halfway
/// between two of them from 2 on, and at the end. A run of 20,000 steps has 30 snapshots.
#[must_use]
pub fn is_snapshot_step(step: u32, last: u32) -> bool {
    let is_power = |step: u32| step.is_power_of_two();
    step == 0
        || step == last
        || step < last && (is_power(step) || step.is_multiple_of(3) && is_power(step / 3))
}
