//! Whether the matrices of several models share one colour scale, and a sentence on why.

use super::{ValueRange, number};

/// A matrix whose values span less than one in so many parts of a shared scale is nearly one colour on it.
const PARTS: f64 = 5.0;

/// The colour scale of matrices side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourScale {
    /// The range that all share; `None` where each has its own.
    pub shared: Option<ValueRange>,
    /// Which scale is used, and why; empty of fewer than two matrices.
    pub sentence: String,
}

impl ColourScale {
    /// The scale of models by their names and the ranges that their colours span by themselves. `own` is what was chosen:
    /// a scale for each or one for all. Where nothing was chosen, each model has its own scale if on a shared one some
    /// model would be nearly one colour.
    #[must_use]
    pub fn of(models: &[(String, ValueRange)], own: Option<bool>, are_some_apart: bool) -> Self {
        let all = ValueRange::of_all(models.iter().map(|(_, range)| *range));
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
                        "Each matrix has its own colour scale, because on a shared scale {name} would be almost one \
                         colour: {part}."
                    ),
                    (None, false, _) => {
                        format!("{which} share one colour scale, because on it no matrix is almost one colour: {part}.")
                    }
                    (Some(_), true, _) => "Each matrix has its own colour scale, as chosen. The same colour is another \
                                           value in another matrix."
                        .to_owned(),
                    (Some(_), false, true) => format!(
                        "{which} share one colour scale, as chosen. On it {name} is almost one colour: {part}."
                    ),
                    (Some(_), false, false) => format!(
                        "{which} share one colour scale, as chosen. The same colour is the same value in all of \
                         these."
                    ),
                }
            }
            _ => String::new(),
        };
        Self {
            shared: all.filter(|_| !is_own),
            sentence,
        }
    }
}

fn span(range: ValueRange) -> f64 {
    range.shown.1 - range.shown.0
}
