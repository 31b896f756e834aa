//! Runs of a small transformer: sessions, their reports and snapshots, and the runs that ship with the page.

pub(crate) mod reports;
mod shipped_runs;
mod snapshots;
