//! Numbers that a file stores to divide the angles of rotary positions by: GGUF's `rope_freqs.weight`, one a pair of
//! columns. Ones leave an angle as it is, huge ones stop it (Gemma 4), others stretch it (Llama 3.1).

use super::{ModelError, Note, read};
use crate::{checkpoint::Weights, encoding::Rotary};

/// The most pairs of columns.
const MOST_PAIRS: u64 = 2048;
/// A number from which on an angle stands still: no text is as long as its period.
const STILL: f32 = 1e10;

/// The angles that are left of `rotary`, and a note on what was done or is left out.
///
/// Pairs behind the last that turns are taken away; what else the numbers do is left out.
pub(super) async fn divided<W: Weights>(
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
            "The file stretches the angles of {changed} of {pairs} pairs of columns, by the numbers in “{}”. That is \
             left out here.",
            tensor.name
        );
        return Ok((rotary, Some(Note::new("Divided angles", text))));
    }
    if turning == pairs {
        return Ok((rotary, None));
    }
    // θ_m = base^(−2m/w) for m below `turning`: the same angles as of a narrower head with a smaller base.
    let base = rotary.base.powf(turning as f64 / pairs as f64);
    let text = format!(
        "By the numbers in “{}” the first {turning} of {pairs} pairs of columns turn, and the others stand still.",
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
