//! Reads and writes files of kernels, as values and text only. The page saves the files, and `checkpoint` opens them.
//!
//! | format | convention | layers and heads | what else |
//! |---|---|---|---|
//! | JSON ([`to_json`], [`from_json`]) | f(k), k = key − query | from 1 | model, mode, intercepts |
//! | CSV ([`to_csv`], [`from_csv`]) | f(k), k = key − query | from 1 | intercepts |
//! | safetensors ([`to_safetensors`]) | the authors': F\[i, j\] = g(i − j − 1) | from 0, as PyTorch counts | names of the authors' module |
//!
//! Safetensors files are read by `checkpoint` like any other; it also lists JSON and CSV as tensors. [`MODULE`] is a
//! PyTorch module that loads the safetensors file.

mod csv;
mod heads_csv;
mod json;
mod kernel_file;
mod kernel_format;
mod safetensors;

pub use csv::{from_csv, looks_like_csv, to_csv};
pub use heads_csv::{heads_of_csv, looks_like_heads};
pub use json::{FORMAT, from_json, to_json};
pub use kernel_file::KernelFile;
pub use kernel_format::{KERNEL_FORMATS, KernelFormat};
pub use safetensors::{DEFAULT_PREFIX, to_safetensors};

/// A PyTorch module that loads kernels and adds `F_P` to attention scores. Its formula runs under NumPy, too.
pub const MODULE: &str = include_str!("module.py");
