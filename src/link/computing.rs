//! Who computes what is heavy.

use super::{codec::OneOf, section::fields};
use crate::analysis::Computing;

/// Who computes what is heavy enough for a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComputingSection {
    /// Who.
    pub by: Computing,
}

fields! { ComputingSection {
    "compute" => by: OneOf(&[
        (Computing::Auto, "auto"),
        (Computing::Cpu, "cpu"),
        (Computing::Gpu, "gpu"),
    ]);
}}
