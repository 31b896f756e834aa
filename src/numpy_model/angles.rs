//! Expressions for the angles of rotary models.

use super::{python::CodeSegment, readable};
use crate::{
    checkpoint::Weights,
    encoding::{ContextExtension, RotaryAngles},
    model::{RotaryTensors, STILL},
    short_text::short_name,
};

/// θ_m of a text of `length` tokens, an expression, as a call of a function of `parts/rotary_angles.py` or
/// `parts/rotary_change_….py`. `None` for `LongRoPE`, whose numbers depend on the length.
pub(super) fn angle_call(angles: &RotaryAngles, length: &str) -> Option<String> {
    let shape = shape(angles);
    let changed = |change: &str, arguments: &str| format!("{change}_angles({shape}, {arguments})");
    Some(match &angles.extension {
        ContextExtension::None => trained_call(angles),
        ContextExtension::Linear { factor } => changed("linear", &format!("{factor:?}")),
        // A single pair rotates by one radian at any base.
        ContextExtension::Ntk { .. } | ContextExtension::Dynamic { .. }
            if angles.exponent_width <= 2 =>
        {
            trained_call(angles)
        }
        ContextExtension::Ntk { factor } => changed("ntk", &format!("{factor:?}")),
        ContextExtension::Dynamic {
            factor,
            trained_length,
        } => changed(
            "dynamic",
            &format!("{factor:?}, {trained_length:?}, {length}"),
        ),
        ContextExtension::Llama3 {
            factor,
            low_turns,
            high_turns,
            trained_length,
        } => changed(
            "llama3",
            &format!("{factor:?}, {trained_length:?}, {low_turns:?}, {high_turns:?}"),
        ),
        ContextExtension::Yarn(yarn) => {
            let truncated = if yarn.is_truncated { "True" } else { "False" };
            let lengths = format!("{:?}, {:?}", yarn.factor, yarn.trained_length);
            let turns = format!("{:?}, {:?}", yarn.fast_turns, yarn.slow_turns);
            changed("yarn", &format!("{lengths}, {turns}, {truncated}"))
        }
        ContextExtension::LongRope(_) => return None,
    })
}

/// The arguments that all functions of angles begin with.
fn shape(angles: &RotaryAngles) -> String {
    let RotaryAngles {
        pairs,
        exponent_width,
        base,
        ..
    } = angles;
    format!("{base:?}, {exponent_width}, {pairs}")
}

/// The angles as trained.
fn trained_call(angles: &RotaryAngles) -> String {
    format!("trained_angles({})", shape(angles))
}

/// Angles of the pairs of a head in a text of known length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairAngles {
    /// θ_m as an expression.
    pub(super) theta: String,
    /// Number of pairs that it has.
    pub(super) pairs: usize,
    /// Factor of the rotated columns of queries and of keys.
    pub(super) factor: f64,
}

impl PairAngles {
    /// The angles of a text of `length` tokens. Without `is_scaled` they are those of training. Pairs that divisors stop
    /// are left out.
    ///
    /// # Errors
    /// A sentence on divisors that do not fit.
    pub(super) async fn read<W: Weights>(
        tensors: &RotaryTensors,
        length: usize,
        is_scaled: bool,
        file: &W,
    ) -> Result<Self, String> {
        let angles = &tensors.angles;
        let mut pairs = Self {
            theta: trained_call(angles),
            pairs: angles.pairs,
            factor: 1.0,
        };
        if is_scaled {
            pairs.theta = scaled_call(angles, length);
            pairs.factor = tensors.attention_factor();
        }
        let divisors = tensors.divisors.as_ref();
        let Some(name) = divisors.and_then(|divisors| divisors.tensor(length)) else {
            return Ok(pairs);
        };
        if readable(file, name).await? != [angles.pairs as u64] {
            return Err(format!(
                "The numbers in {} do not fit the pairs of columns that rotate.",
                short_name(name)
            ));
        }
        let tensor = file.locate(name).await.map_err(|error| error.to_string())?;
        let numbers = file
            .read(&tensor)
            .await
            .map_err(|error| error.to_string())?;
        let turns = |number: &f32| *number < STILL;
        let count = numbers.iter().rposition(turns).map_or(0, |last| last + 1);
        let is_whole = numbers[..count].iter().all(turns) && count > 0;
        if !is_whole || count < angles.pairs && pairs.factor != 1.0 {
            return Err("Programs cannot rotate some pairs of columns alone.".to_owned());
        }
        if is_scaled {
            let literal = super::string_literal(name);
            pairs.theta = format!("{} / tensor({literal})", pairs.theta);
        }
        Ok(pairs.first_pairs(count))
    }

    /// Angles as a list of numbers, of divisors that do not fit and are left out.
    pub(super) fn from_numbers(angles: &[f64]) -> Self {
        Self {
            theta: format!("np.array({angles:?})"),
            pairs: angles.len(),
            factor: 1.0,
        }
    }

    /// The same angles of fewer pairs.
    pub(super) fn first_pairs(mut self, count: usize) -> Self {
        if count < self.pairs {
            let theta = match self.theta.contains(" / ") {
                true => format!("({})", self.theta),
                false => self.theta,
            };
            (self.theta, self.pairs) = (format!("{theta}[:{count}]"), count);
        }
        self
    }
}

/// The angles of a text of `length` tokens, with their change.
fn scaled_call(angles: &RotaryAngles, length: usize) -> String {
    let call = angle_call(angles, &length.to_string());
    call.unwrap_or_else(|| {
        let ContextExtension::LongRope(rope) = &angles.extension else {
            return trained_call(angles);
        };
        let is_long = length as f64 > rope.trained_length;
        let divisors = match is_long {
            true => &rope.long_divisors,
            false => &rope.short_divisors,
        };
        // Pairs without a divisor keep their angle.
        let numbers = (0..angles.pairs).map(|m| divisors.get(m).copied().unwrap_or(1.0));
        let numbers: Vec<f64> = numbers.collect();
        format!("divided_angles({}, {numbers:?})", shape(angles))
    })
}

/// Parts with the functions of angles, each with the function.
pub(super) const ANGLE_PARTS: &[(&str, &str)] = &[
    ("trained_angles", "rotary_angles"),
    ("linear_angles", "rotary_change_linear"),
    ("ntk_angles", "rotary_change_ntk"),
    ("dynamic_angles", "rotary_change_dynamic"),
    ("yarn_angles", "rotary_change_yarn"),
    ("divided_angles", "rotary_change_divided"),
    ("llama3_angles", "rotary_change_llama3"),
];

/// A definition with the parts whose functions of angles it calls.
pub(super) fn with_parts(segment: CodeSegment) -> CodeSegment {
    let code = segment.code.clone();
    let called = ANGLE_PARTS
        .iter()
        .filter(|(function, _)| code.contains(&format!("{function}(")));
    called.fold(segment, |segment, (_, part)| segment.with_part(part))
}
