//! Native tests.
#![cfg_attr(target_pointer_width = "32", allow(arithmetic_overflow))]

mod analysis;
mod checkpoint;
mod encoding;
mod export;
mod figure;
mod figure_help;
mod forward;
mod gpu;
mod kernel_io;
mod lesson_checks;
mod math;
mod model;
mod numpy_program;
mod page_reference;
mod performance_table;
mod project;
mod protocol;
mod support;
mod text_samples;
mod training;
mod url_state;
