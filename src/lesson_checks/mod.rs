//! What lessons say, filled in: their numbers are read from the tables behind figures and from what is known of the
//! open model, and what they claim of numbers is looked at.
//!
//! What a lesson is stands in the crate `lesson`; which state a step shows, in `link`.

pub mod arrangement;
mod claims;
mod values;

pub use claims::{ClaimResult, judge};
pub use values::{LessonValue, of_model, read};
