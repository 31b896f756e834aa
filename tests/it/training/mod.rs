//! Runs of a small transformer: sessions, their reports and snapshots, saved runs in another library, and the runs that
//! ship with the page.

pub(crate) mod reports;
mod rotary_runs;
mod saved_runs;
pub(crate) mod shipped_runs;
mod snapshots;
