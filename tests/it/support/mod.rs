//! Helpers of the tests: sessions, models of every family, and reference implementations.

pub(crate) mod asking;
pub(crate) mod models;
pub(crate) mod oracles;
pub(crate) mod tile_oracles;
