//! Numbers and claims of lessons: numbers are read from the tables behind figures and from facts of the open model, and
//! claims are checked against them.
//!
//! The format of lessons is in the crate `lesson_format`; the state that a step shows is a link of `url_state`.

pub mod arrangement;
mod claims;
mod values;

pub use claims::{ClaimResult, judge};
pub use values::{LessonValue, model_value, read};
