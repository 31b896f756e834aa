//! How transformers encode position: position tables, positional scores of every head, TISA kernels.
//!
//! Every picture of Diagonal is a matrix A whose row *i* is the query position and whose column *j* is
//! the key position. The one question asked of it is how much of A depends on the offset alone.
//!
//! # Conventions
//!
//! * row = query `i`, column = key `j`, offset `k = j − i`: a negative offset looks back;
//! * numbers are stored as `f32`; sums and statistics are taken in `f64`;
//! * discrete Fourier transforms are unnormalised, frequencies 0 … n/2;
//! * layers and heads are counted from 0 in code and from 1 on the page, as the papers print them;
//! * weight matrices act as `x·W` with `W` of shape `[in, out]`; readers transpose once, at the boundary;
//! * a kernel is `a·exp(−|b|(k − c)²)`: amplitude `a`, sharpness `b`, centre `c` (TISA, eq. 5).
//!
//! # The way data flows
//!
//! bytes → named tensors → a model's positions → answers → figures → canvas: `checkpoint` → `model` →
//! `analysis` → `figure` → `app`. `ARCHITECTURE.md` describes
//! the modules; `tests/it/project/layers.rs` checks the arrows between them.

#![allow(
    missing_docs,
    reason = "the page is the only user of this library; names say what a line of documentation would repeat"
)]

pub mod csv_rows;
pub mod figure_help;
pub mod lazy;
pub mod load_failure;
pub mod math;
pub mod safetensors_writer;
pub mod short_text;
pub mod text_samples;

pub mod encoding;
pub mod kernel_io;

pub mod checkpoint;

pub mod model;

pub mod numpy_model;

pub mod forward;

pub mod analysis;

pub mod training;

pub mod figure;

pub mod lesson_checks;
pub mod undo;
pub mod url_state;

pub mod performance_table;

pub mod figure_spec;

pub mod page_reference;

pub mod export;

pub mod numpy_program;

pub mod protocol;

#[cfg(target_arch = "wasm32")]
pub mod same_origin_files;

#[cfg(all(target_arch = "wasm32", feature = "gpu"))]
pub mod gpu;

#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod worker;

#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod trainer;

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod app;
