//! The page; empty on native builds.
fn main() {}
