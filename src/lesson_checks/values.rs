//! Numbers of a lesson: read from a table, formatted for a sentence.

use crate::{
    analysis::ModelSummary,
    figure::{Column, FullTable, Table, group_thousands},
};
use lesson_format::{Condition, Extreme, ModelFact, NumberReading, Writing};

/// The value of a number in a lesson.
#[derive(Debug, Clone, PartialEq)]
pub enum LessonValue {
    /// A real number.
    Number(f64),
    /// An integer, written with all its digits; thousands are separated from 10,000 on.
    Whole(i64),
    /// A name.
    Name(String),
}

impl LessonValue {
    /// Returns it as a number. `None` if it is a name or NaN.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number).filter(|number| !number.is_nan()),
            Self::Whole(number) => Some(*number as f64),
            Self::Name(_) => None,
        }
    }

    /// Formats the value for display, with a true minus sign.
    #[must_use]
    pub fn format(&self, writing: Writing) -> String {
        let sized = |number: f64| if writing.size { number.abs() } else { number };
        match self {
            Self::Name(name) => name.clone(),
            Self::Whole(number) if !writing.percent => {
                let size = number.unsigned_abs();
                let sign = if *number < 0 && !writing.size {
                    "−"
                } else {
                    ""
                };
                // Small integers are written without separators, like positions and layers; larger ones like counts.
                if size < 10_000 {
                    format!("{sign}{size}")
                } else {
                    format!("{sign}{}", group_thousands(size))
                }
            }
            Self::Whole(number) => percentage(sized(*number as f64), writing.digits),
            Self::Number(number) if writing.percent => percentage(sized(*number), writing.digits),
            Self::Number(number) => significant(sized(*number), writing.digits),
        }
    }
}

fn percentage(share: f64, digits: u8) -> String {
    if !share.is_finite() {
        return significant(share, digits);
    }
    format!("{} %", significant(100.0 * share, digits))
}

/// Formats this many significant digits, with an exponent only for very small or large values. A value that is not
/// finite is written as “not a number”, since it is part of a sentence.
fn significant(value: f64, digits: u8) -> String {
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = i32::from(digits);
    let size = value.abs();
    if !(1e-5..1e9).contains(&size) {
        return format!("{value:.*e}", (digits - 1).max(0) as usize).replace('-', "−");
    }
    let places = (digits - 1 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.places$}");
    // Rounding may carry to the next power of ten, which adds a digit.
    text.replace('-', "−")
}

/// Returns a fact of a model. `None` if it is unknown.
#[must_use]
pub fn model_value(fact: ModelFact, model: &ModelSummary) -> Option<LessonValue> {
    let whole = |number: usize| Some(LessonValue::Whole(number as i64));
    let heads = || Some(model.heads?.0 as usize).filter(|heads| *heads > 0);
    match fact {
        ModelFact::Name => Some(LessonValue::Name(model.name.clone())),
        ModelFact::Rows => whole(model.rows),
        ModelFact::Width => whole(model.width).filter(|_| model.width > 0),
        ModelFact::Layers => whole(model.layers),
        ModelFact::Heads => whole(heads()?),
        ModelFact::HeadWidth => whole(model.hidden_width.checked_div(heads()?)?),
        ModelFact::Seam => whole(model.breaks.main_seam()?.first_behind),
    }
}

/// Reads a number from the table of a figure.
///
/// # Errors
/// A sentence: the table lacks a column, or no row meets the conditions.
pub fn read(
    reading: &NumberReading,
    rows: &[Condition],
    table: &Table,
) -> Result<LessonValue, String> {
    let table = table.in_full();
    let fitting = matching_rows(rows, table)?;
    let nothing = || "no row of the table fits".to_owned();
    let numbers = |name: &str| -> Result<Vec<(usize, f64)>, String> {
        let column = table.column(name)?;
        Ok((fitting.iter())
            .filter_map(|&row| Some((row, column.number(row).filter(|value| !value.is_nan())?)))
            .collect())
    };
    let extreme = |extreme: Extreme, name: &str| -> Result<usize, String> {
        let numbers = numbers(name)?.into_iter();
        // The first of equal values counts.
        let best = numbers.reduce(|best, next| {
            let is_better = match extreme {
                Extreme::Max => next.1 > best.1,
                Extreme::Min => next.1 < best.1,
            };
            if is_better { next } else { best }
        });
        Ok(best.ok_or_else(nothing)?.0)
    };
    let cell = |name: &str, row: usize| -> Result<LessonValue, String> {
        Ok(match table.column(name)?.as_ref() {
            Column::Whole(values) => LessonValue::Whole(values[row]),
            Column::Number(values) => LessonValue::Number(values[row]),
            Column::Name(values) => LessonValue::Name(values[row].clone()),
        })
    };
    match reading {
        NumberReading::First(name) => cell(name, *fitting.first().ok_or_else(nothing)?),
        NumberReading::Extreme(which, name) => cell(name, extreme(*which, name)?),
        NumberReading::At {
            column,
            extreme: which,
            of,
        } => cell(column, extreme(*which, of)?),
        NumberReading::Count => Ok(LessonValue::Whole(fitting.len() as i64)),
        NumberReading::Sum(name) => {
            let numbers = numbers(name)?;
            Ok(LessonValue::Number(
                numbers.iter().map(|(_, value)| value).sum(),
            ))
        }
        NumberReading::Mean(name) => {
            let numbers = numbers(name)?;
            if numbers.is_empty() {
                return Err(nothing());
            }
            let sum: f64 = numbers.iter().map(|(_, value)| value).sum();
            Ok(LessonValue::Number(sum / numbers.len() as f64))
        }
    }
}

/// Returns the rows that meet all conditions.
fn matching_rows(rows: &[Condition], table: FullTable<'_>) -> Result<Vec<usize>, String> {
    let mut fitting: Vec<usize> = (0..table.rows()).collect();
    for condition in rows {
        let column = table.column(&condition.column)?;
        let target = condition.value.replace('−', "-").parse::<f64>().ok();
        fitting.retain(|&row| match (column.number(row), target) {
            (Some(value), Some(target)) => condition.relation.holds(value, target),
            _ => {
                condition.relation == lesson_format::Relation::Equal
                    && column.text(row) == condition.value
            }
        });
    }
    Ok(fitting)
}
