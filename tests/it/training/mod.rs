//! Runs of a small transformer: sessions, their reports and their snapshots.

mod reports;
mod snapshots;
