//! How Toeplitz a table's matrix is: the headline, and the R² of its parts as bars.

use super::{Bars, Column, Table, number};
use crate::{analysis::PositionSummary, math::NOT_A_NUMBER};

/// The one number of the positions view, and a dash where it is none.
#[must_use]
pub fn headline_number(r2: f64) -> String {
    if r2.is_finite() {
        format!("{r2:.4}")
    } else {
        "–".to_owned()
    }
}

/// R² where room is scarce.
#[must_use]
pub fn short_r2(r2: f64) -> String {
    if r2.is_finite() {
        format!("{r2:.3}")
    } else {
        "–".to_owned()
    }
}

/// What the headline's number is, and why there is none where it is not a number. `None` is one to come.
#[must_use]
pub fn headline_words(r2: Option<f64>) -> String {
    const WHAT: &str = "Toeplitz R² of the whole matrix";
    match r2 {
        Some(r2) if !r2.is_finite() => format!("{WHAT}: not a number, because {NOT_A_NUMBER}"),
        _ => WHAT.to_owned(),
    }
}

/// R² of the whole, of leading blocks and of windows along the diagonal.
#[must_use]
pub fn score_bars(summary: &PositionSummary) -> Bars {
    let label = |name: &str, rows: usize| match name.split_once('-') {
        Some(("whole", _)) => "whole, in two dimensions".to_owned(),
        None => format!("whole, {rows} rows"),
        Some(("off", _)) => "whole, without k = 0".to_owned(),
        Some(("window", range)) => format!("rows {}", range.replace('-', "–")),
        Some((_, rows)) => format!("leading {rows} rows"),
    };
    let scopes = &summary.scopes;
    let table = Table::new()
        .with(
            "scope",
            Column::Name(scopes.iter().map(|s| s.name.clone()).collect()),
        )
        .with(
            "rows",
            Column::Whole(scopes.iter().map(|s| s.rows as i64).collect()),
        )
        .with("r2", Column::Number(scopes.iter().map(|s| s.r2).collect()));
    let r2 = summary.fit.r2;
    Bars {
        rows: scopes
            .iter()
            .map(|s| (label(&s.name, s.rows), s.r2))
            .collect(),
        table,
        summary: if r2.is_finite() {
            format!(
                "The offset alone explains {} of the variance of the whole matrix.",
                number(r2)
            )
        } else {
            format!("{}.", headline_words(Some(r2)))
        },
    }
}
