//! What a step claims of numbers: whether it holds of what is shown.

use super::LessonValue;
use lesson_format::{Claim, Number, Operand, Writing};

/// What has become of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimResult {
    /// A number of it is not there yet.
    Waiting,
    /// It holds.
    Holds,
    /// It does not: a sentence says what is so instead.
    Fails(String),
}

/// Looks at a claim; `read` gives its numbers, `None` where one is not there yet.
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
        left.written(writing(&claim.left)),
        claim.relation.words(),
        right.written(writing(&claim.right))
    ))
}
