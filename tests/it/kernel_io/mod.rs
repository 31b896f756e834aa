//! Tests of `kernel_io`.

pub(crate) mod kernel_files;
