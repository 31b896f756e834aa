//! Checks the numeric claims of a lesson step against the figures.

use super::LessonValue;
use lesson_format::{Claim, Number, Operand, Writing};

/// Result of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimResult {
    /// One of its numbers is not available yet.
    Waiting,
    /// The claim holds.
    Holds,
    /// The claim does not hold. The sentence states the actual numbers.
    Fails(String),
}

/// Checks a claim. `read` returns its numbers, or `None` if one is not available yet.
#[must_use]
pub fn judge(claim: &Claim, read: impl Fn(&Number) -> Option<LessonValue>) -> ClaimResult {
    let value = |operand: &Operand| match operand {
        Operand::Read(number) => read(number),
        Operand::Written(number) => Some(LessonValue::Number(*number)),
    };
    let (Some(left), Some(right)) = (value(&claim.left), value(&claim.right)) else {
        return ClaimResult::Waiting;
    };
    let numbers = left.number().zip(right.number());
    if numbers.is_some_and(|(left, right)| claim.relation.holds(left, right)) {
        return ClaimResult::Holds;
    }
    let writing = |operand: &Operand| match operand {
        Operand::Read(number) => number.writing,
        Operand::Written(_) => Writing::default(),
    };
    ClaimResult::Fails(format!(
        "Here {} is not {} {}.",
        left.format(writing(&claim.left)),
        claim.relation.words(),
        right.format(writing(&claim.right))
    ))
}
