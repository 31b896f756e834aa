//! Decides whether the matrices of several models share one colour scale, with a sentence on why.

use super::{ValueRange, number};

/// A matrix whose values span less than 1/5 of a shared scale is nearly one colour on it.
const PARTS: f64 = 5.0;

/// The colour scale of matrices side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourScale {
    /// The shared range. `None` if each matrix has its own.
    pub shared_range: Option<ValueRange>,
    /// States which scale is used, and why. Empty for fewer than two matrices.
    pub sentence: String,
}

impl ColourScale {
    /// Chooses the scale for models, given as name and own range. `own` is the user's choice: one scale each, or one
    /// for all. By default each model has its own scale if on a shared one some model would be nearly one colour.
    #[must_use]
    pub fn new(models: &[(String, ValueRange)], own: Option<bool>, are_some_apart: bool) -> Self {
        let all = ValueRange::union(models.iter().map(|(_, range)| *range));
        let whole = all.map_or(0.0, span);
        let narrowest = models.iter().min_by(|a, b| span(a.1).total_cmp(&span(b.1)));
        let least = narrowest.map_or(0.0, |(_, range)| span(*range));
        let is_blank = PARTS * least < whole;
        let is_own = own.unwrap_or(is_blank);
        let which = match are_some_apart {
            true => "All matrices but those of computed tables",
            false => "All matrices",
        };
        let sentence = match narrowest {
            Some((name, _)) if models.len() > 1 => {
                let part = format!(
                    "the values of {name} span {} and those of all of these {}",
                    number(least),
                    number(whole)
                );
                match (own, is_own, is_blank) {
                    (None, true, _) => format!(
                        "The colour scales are separate, because on a shared one {name} would be almost one colour: {part}."
                    ),
                    (None, false, _) => {
                        format!("{which} share one colour scale, because on it no matrix is almost one colour: {part}.")
                    }
                    (Some(_), true, _) => "The colour scales are separate, as chosen. One colour means different values in different matrices."
                        .to_owned(),
                    (Some(_), false, true) => format!(
                        "{which} share one colour scale, as chosen. On it {name} is almost one colour: {part}."
                    ),
                    (Some(_), false, false) => format!(
                        "{which} share one colour scale, as chosen. One colour means the same value in all of them."
                    ),
                }
            }
            _ => String::new(),
        };
        Self {
            shared_range: all.filter(|_| !is_own),
            sentence,
        }
    }
}

fn span(range: ValueRange) -> f64 {
    range.ends.1 - range.ends.0
}
