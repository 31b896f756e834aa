//! Tests of `kernel_io`.

pub(crate) mod take_home;
