//! Divisors of rotary angles from GGUF's `rope_freqs.weight`, one per pair of columns. Ones leave an angle unchanged,
//! huge ones stop it (Gemma 4), others stretch it (Llama 3.1).

use super::{ModelError, Note, read};
use crate::{checkpoint::Weights, encoding::Rotary};

/// Maximum number of column pairs.
const MOST_PAIRS: u64 = 2048;
/// Divisor at or above which a pair counts as not rotating: its period is longer than any text.
const STILL: f32 = 1e10;

/// Applies the divisors to `rotary`, and returns a note on what was applied or left out.
///
/// Removes the pairs after the last rotating one; other effects of the divisors are left out.
pub(super) async fn apply_divisors<W: Weights>(
    checkpoint: &W,
    tensor: &str,
    rotary: Rotary,
) -> Result<(Rotary, Option<Note>), ModelError> {
    let tensor = checkpoint.locate(tensor).await?;
    let pairs = rotary.width / 2;
    if !tensor.dtype.is_float() || tensor.shape != [pairs as u64] || pairs as u64 > MOST_PAIRS {
        let text = format!(
            "The file divides the angles by “{}”, which does not fit {pairs} pairs of columns and is left out.",
            tensor.name
        );
        return Ok((rotary, Some(Note::new("Divided angles", text))));
    }
    let divisors = checkpoint.read(&tensor).await?;
    read::refuse_non_numbers(&divisors, &tensor, 0, 1)?;
    let turning = divisors
        .iter()
        .take_while(|number| **number < STILL)
        .count();
    let rest_is_still = divisors[turning..].iter().all(|number| *number >= STILL);
    let is_plain = divisors[..turning].iter().all(|number| *number == 1.0);
    if turning == 0 || !rest_is_still || !is_plain {
        let changed = divisors.iter().filter(|number| **number != 1.0).count();
        let text = format!(
            "The file stretches the angles of {changed} of {pairs} pairs of columns, by the numbers in “{}”. This is left out here.",
            tensor.name
        );
        return Ok((rotary, Some(Note::new("Divided angles", text))));
    }
    if turning == pairs {
        return Ok((rotary, None));
    }
    // θ_m = base^(−2m/w) for m < `turning`: equal to the angles of a narrower head with a smaller base.
    let base = rotary.base.powf(turning as f64 / pairs as f64);
    let text = format!(
        "By the numbers in “{}” the first {turning} of {pairs} pairs of columns are rotated, and the others are not.",
        tensor.name
    );
    let width = 2 * turning;
    let narrower = Rotary {
        width,
        base,
        ..rotary
    };
    Ok((narrower, Some(Note::new("Divided angles", text))))
}
