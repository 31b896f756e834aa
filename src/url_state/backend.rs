//! Link section for the compute backend.

use super::{codec::OneOf, section::fields};
use crate::analysis::BackendChoice;

/// Which backend computes what is heavy enough for a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendSection {
    /// The backend.
    pub by: BackendChoice,
}

fields! { BackendSection {
    "compute" => by: OneOf(&[
        (BackendChoice::Auto, "auto"),
        (BackendChoice::Cpu, "cpu"),
        (BackendChoice::Gpu, "gpu"),
    ]);
}}
