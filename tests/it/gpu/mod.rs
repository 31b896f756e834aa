//! Tests of `gpu`.

pub(crate) mod shaders;
