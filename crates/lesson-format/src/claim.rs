//! Claims about numbers in a lesson's text, which the page checks.

use super::Number;
use serde::{Deserialize, Serialize};

/// A claim about two numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Left operand.
    pub left: Operand,
    /// Relation that must hold.
    pub relation: Relation,
    /// Right operand.
    pub right: Operand,
}

/// An operand of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Operand {
    /// A number that the page computes.
    Read(Number),
    /// A literal number.
    Written(f64),
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Relation {
    /// <
    Less,
    /// >
    Greater,
    /// ≤
    AtMost,
    /// ≥
    AtLeast,
    /// =
    Equal,
    /// At most this far apart.
    Near(f64),
}

// A distance is never NaN: it was parsed from digits and compared.
impl Eq for Relation {}

impl Relation {
    /// The signs, longer ones before their prefixes.
    const SIGNS: [(&str, Self); 5] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Less),
        (">", Self::Greater),
        ("=", Self::Equal),
    ];

    /// Splits text at the first sign in it.
    pub(crate) fn split(text: &str) -> Option<(&str, Self, &str)> {
        let at = text.find(['<', '>', '='])?;
        let (before, rest) = text.split_at(at);
        let (sign, relation) = Self::SIGNS
            .into_iter()
            .find(|(sign, _)| rest.starts_with(sign))?;
        Some((before.trim(), relation, rest[sign.len()..].trim()))
    }

    /// Whether the relation holds between two numbers; false if either is NaN.
    #[must_use]
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::Greater => left > right,
            Self::AtMost => left <= right,
            Self::AtLeast => left >= right,
            Self::Equal => (left - right).abs() <= 1e-9 * left.abs().max(right.abs()),
            Self::Near(within) => (left - right).abs() <= within,
        }
    }

    /// The relation in words, as it stands between two numbers.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Less => "less than",
            Self::Greater => "greater than",
            Self::AtMost => "at most",
            Self::AtLeast => "at least",
            Self::Equal => "equal to",
            Self::Near(_) => "near",
        }
    }
}

impl Claim {
    /// Parses `{…} < 0.6` or `{…} near {…} within 0.1`.
    ///
    /// # Errors
    /// A sentence that states what was not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (left, rest) = Operand::take(text)?;
        let rest = rest.trim_start();
        let unknown = || {
            format!(
                "“{text}” is no claim: it should read {{number}} < {{number}}, or near … within …."
            )
        };
        if let Some(rest) = rest.strip_prefix("near ") {
            let (right, rest) = Operand::take(rest)?;
            let within = rest
                .trim()
                .strip_prefix("within ")
                .and_then(|within| within.trim().parse::<f64>().ok())
                .filter(|within| *within >= 0.0)
                .ok_or_else(unknown)?;
            return Ok(Self {
                left,
                relation: Relation::Near(within),
                right,
            });
        }
        let (sign, relation) = Relation::SIGNS
            .into_iter()
            .find(|(sign, _)| rest.starts_with(sign))
            .ok_or_else(unknown)?;
        let (right, rest) = Operand::take(&rest[sign.len()..])?;
        if !rest.trim().is_empty() {
            return Err(unknown());
        }
        Ok(Self {
            left,
            relation,
            right,
        })
    }

    /// The numbers in the claim that the page computes.
    pub fn numbers(&self) -> impl Iterator<Item = &Number> {
        [&self.left, &self.right]
            .into_iter()
            .filter_map(|operand| match operand {
                Operand::Read(number) => Some(number),
                Operand::Written(_) => None,
            })
    }
}

impl Operand {
    /// Parses an operand and returns the text after it.
    fn take(text: &str) -> Result<(Self, &str), String> {
        let text = text.trim_start();
        if let Some(inside) = text.strip_prefix('{') {
            let (number, rest) = inside
                .split_once('}')
                .ok_or_else(|| format!("“{text}” lacks a closing brace."))?;
            return Ok((Self::Read(Number::parse(number)?), rest));
        }
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        match number.replace('−', "-").parse::<f64>() {
            Ok(number) if number.is_finite() => Ok((Self::Written(number), rest)),
            _ => Err(format!("“{number}” is no number.")),
        }
    }
}
