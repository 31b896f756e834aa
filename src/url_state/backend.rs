//! Who computes what is heavy.

use super::{codec::OneOf, section::fields};
use crate::analysis::BackendChoice;

/// Who computes what is heavy enough for a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendSection {
    /// Who.
    pub by: BackendChoice,
}

fields! { BackendSection {
    "compute" => by: OneOf(&[
        (BackendChoice::Auto, "auto"),
        (BackendChoice::Cpu, "cpu"),
        (BackendChoice::Gpu, "gpu"),
    ]);
}}
