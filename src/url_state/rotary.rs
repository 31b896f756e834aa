//! Link section for the angles of rotary models.

use super::{
    codec::{Decimal, Maybe},
    model_ref::BASES,
    section::fields,
};
use std::ops::RangeInclusive;

/// Allowed factors of a change for longer texts.
pub const ROTARY_FACTORS: RangeInclusive<f64> = 1.0..=10_000.0;

/// Numbers that replace those of the file in the figure of rotary angles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RotarySection {
    /// Factor of the change for longer texts.
    pub factor: Option<f64>,
    /// Base of the first set of angles.
    pub base: Option<f64>,
}

fields! { RotarySection {
    "rope-factor" => factor: Maybe(Decimal(ROTARY_FACTORS));
    "rope-base" => base: Maybe(Decimal(BASES));
}}
