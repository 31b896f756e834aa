//! The worker; empty on native builds.
fn main() {}
