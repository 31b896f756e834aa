//! Angles of rotary positions, and the tensors of GGUF files that divide them.

use super::{ModelError, Note, corrections::Correction, read};
use crate::{
    checkpoint::{TensorInfo, Weights},
    encoding::{RotaryAngles, RotaryPositions},
};

/// Maximum number of column pairs.
const MOST_PAIRS: u64 = 2048;
/// Divisor at or above which a pair counts as not rotating: its period is longer than any text.
pub(crate) const STILL: f32 = 1e10;

/// Angles of the heads of a layer, with the tensors on which they depend.
#[derive(Clone, Debug, PartialEq)]
pub struct RotaryTensors {
    /// The angles before they are divided.
    pub angles: RotaryAngles,
    /// Tensors whose numbers divide the angles.
    pub divisors: Option<AngleDivisors>,
}

/// Tensors with one divisor per pair of columns. Ones leave an angle unchanged, huge ones stop it (Gemma 4), others
/// stretch it (Llama 3.1).
#[derive(Clone, Debug, PartialEq)]
pub enum AngleDivisors {
    /// The same for every text.
    Always(String),
    /// Different for short and long texts (`LongRoPE`); a missing tensor leaves the angles unchanged.
    ByLength {
        /// For texts of at most `trained_length` tokens.
        short: Option<String>,
        /// For longer texts.
        long: Option<String>,
        /// Number of tokens of the texts of training.
        trained_length: f64,
        /// Factor of the rotated queries and of the rotated keys.
        attention_factor: f64,
    },
}

impl AngleDivisors {
    /// Name of the tensor for texts of `length` tokens.
    #[must_use]
    pub fn tensor(&self, length: usize) -> Option<&str> {
        match self {
            Self::Always(tensor) => Some(tensor),
            Self::ByLength {
                short,
                long,
                trained_length,
                ..
            } => {
                let is_long = length as f64 > *trained_length;
                (if is_long { long } else { short }).as_deref()
            }
        }
    }
}

impl RotaryTensors {
    /// Number of rotated columns of a head.
    #[must_use]
    pub fn width(&self) -> usize {
        2 * self.angles.pairs
    }

    /// Names of the tensors of divisors.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match &self.divisors {
            None => Vec::new(),
            Some(AngleDivisors::Always(tensor)) => vec![tensor],
            Some(AngleDivisors::ByLength { short, long, .. }) => [short, long]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect(),
        }
    }

    /// Factor of the rotated queries and of the rotated keys; scores have its square.
    #[must_use]
    pub fn attention_factor(&self) -> f64 {
        match self.divisors {
            Some(AngleDivisors::ByLength {
                attention_factor, ..
            }) => attention_factor,
            _ => self.angles.attention_factor(),
        }
    }
}

/// Computes the positions of a text of `length` tokens, and a note on the divisors. Without `is_scaled` the angles are
/// those of training, in which divisors only stop pairs.
///
/// # Errors
/// If the divisors cannot be read, or are not numbers.
pub(super) async fn rotary_positions<W: Weights>(
    checkpoint: &W,
    tensors: &RotaryTensors,
    length: usize,
    is_scaled: bool,
) -> Result<(RotaryPositions, Option<Note>), ModelError> {
    let angles = if is_scaled {
        tensors.angles.clone()
    } else {
        tensors.angles.without_extension()
    };
    let mut positions = angles.positions(length);
    let Some(divisors) = &tensors.divisors else {
        return Ok((positions, None));
    };
    let Some(name) = divisors.tensor(length) else {
        return Ok((positions, by_length(divisors)));
    };
    let tensor = checkpoint.locate(name).await?;
    let pairs = positions.frequencies.len();
    if !tensor.dtype.is_float() || tensor.shape != [pairs as u64] || pairs as u64 > MOST_PAIRS {
        let text = format!(
            "The file divides the angles by “{}”, which does not fit {pairs} pairs of columns and is left out.",
            tensor.name
        );
        return Ok((positions, Some(Note::new("Divided angles", text))));
    }
    let numbers = checkpoint.read(&tensor).await?;
    read::refuse_non_numbers(&numbers, &tensor, 0, 1)?;
    let note = divide(&mut positions.frequencies, &numbers, &tensor, is_scaled);
    Ok((positions, note.or_else(|| by_length(divisors))))
}

/// Divides the angles, and removes the pairs after the last one that rotates.
fn divide(
    frequencies: &mut Vec<f64>,
    divisors: &[f32],
    tensor: &TensorInfo,
    is_scaled: bool,
) -> Option<Note> {
    let pairs = frequencies.len();
    let turning = divisors.iter().rposition(|number| *number < STILL);
    let turning = turning.map_or(0, |last| last + 1);
    let is_wrong = |number: &f32| *number <= 0.0;
    if turning == 0 || divisors.iter().any(is_wrong) {
        let text = format!(
            "The numbers in “{}” divide the angles, but they stop all pairs or are not above 0. They are left out.",
            tensor.name
        );
        return Some(Note::new("Divided angles", text));
    }
    let changed = divisors[..turning].iter().filter(|number| **number != 1.0);
    let changed = changed.count();
    frequencies.truncate(turning);
    if is_scaled {
        for (frequency, divisor) in frequencies.iter_mut().zip(divisors) {
            *frequency /= f64::from(*divisor);
        }
    }
    let mut sentences = Vec::new();
    if turning < pairs {
        sentences.push(format!(
            "By the numbers in “{}” the first {turning} of {pairs} pairs of columns are rotated, and the others are not.",
            tensor.name
        ));
    }
    if changed > 0 {
        sentences.push(format!(
            "The numbers in “{}” divide the angles of {changed} of {pairs} pairs of columns, for longer texts than those of training.",
            tensor.name
        ));
    }
    let note = Note::new("Divided angles", sentences.join(" "));
    match (sentences.is_empty(), changed) {
        (true, _) => None,
        (false, 0) => Some(note),
        (false, _) => Some(note.with_switch(Correction::AngleScaling, is_scaled)),
    }
}

/// A note on divisors that depend on the length of the text.
fn by_length(divisors: &AngleDivisors) -> Option<Note> {
    let AngleDivisors::ByLength { trained_length, .. } = divisors else {
        return None;
    };
    let text = format!(
        "The file divides the angles of texts of more than {trained_length} tokens; this text is shorter."
    );
    Some(Note::new("Divided angles", text))
}
