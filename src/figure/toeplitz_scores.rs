//! R² of a table's matrix: the headline, and the R² of its parts as bars.
//!
//! The bars leave k = 0 out. The table also has R² of all cells, as in the TISA paper. Both have the score of a random
//! table for comparison; see [`RandomTable`](crate::math::RandomTable).

use super::{BarRow, Share, ShareChart, Table, number};
use crate::{
    analysis::{PositionSummary, Scope, leading_scope},
    math::{NoR2, OffsetR2},
};

/// Formats the headline number of the positions view. A dash if it is not finite.
#[must_use]
pub fn headline_number(r2: f64) -> String {
    if r2.is_finite() {
        format!("{r2:.4}")
    } else {
        "–".to_owned()
    }
}

/// Formats R² in a short form. A dash if it is not finite.
#[must_use]
pub fn short_r2(r2: f64) -> String {
    if r2.is_finite() {
        format!("{r2:.3}")
    } else {
        "–".to_owned()
    }
}

/// States both R² of a table, and the reason if one is missing.
#[must_use]
pub fn both_r2(r2: OffsetR2) -> String {
    let all = short_r2(r2.all);
    match r2.missing_reason {
        None => {
            let others = short_r2(r2.off_diagonal);
            format!("Toeplitz R² of the inner products: {others} without k = 0, {all} with k = 0")
        }
        Some(why) if r2.all.is_finite() => format!(
            "Toeplitz R² of the inner products: {all} with k = 0; none without k = 0, because {why}"
        ),
        Some(why) => {
            format!("Toeplitz R² of the inner products: not a number, because {why}")
        }
    }
}

/// Returns the label of the headline number, and the reason if it is not a number. `None` before it is computed.
#[must_use]
pub fn headline_words(scope: Option<&Scope>) -> String {
    let what = match scope {
        Some(scope) if is_in_two_dimensions(scope) => {
            "Toeplitz R² in two dimensions, without (0, 0)"
        }
        _ => "Toeplitz R² of the full matrix, without k = 0",
    };
    match scope {
        Some(Scope {
            r2:
                OffsetR2 {
                    missing_reason: Some(why),
                    ..
                },
            ..
        }) => format!("{what}: not a number, because {why}"),
        _ => what.to_owned(),
    }
}

/// States the score of a random table, and why it is not zero. `None` if the positions are not a table.
#[must_use]
pub fn chance_words(scope: &Scope) -> Option<String> {
    let random = scope.random?;
    Some(format!(
        "A random table of the same size scores {} without k = 0 and {} with k = 0, because every row matches itself.",
        short_r2(random.off_diagonal),
        short_r2(random.all),
    ))
}

fn is_in_two_dimensions(scope: &Scope) -> bool {
    scope.name == "whole-2d"
}

/// Adds the columns `r2,r2_off_diagonal,r2_random,r2_off_diagonal_random` of scopes. Those of a random table are NaN if
/// the positions are not a table. If a scope has no R², `r2_missing` follows with the reason.
pub(super) fn r2_columns<'a>(
    table: Table,
    scopes: impl Iterator<Item = &'a Scope> + Clone,
) -> Table {
    let column = |of: &dyn Fn(&Scope) -> Option<f64>| {
        let values = scopes.clone().map(|scope| of(scope).unwrap_or(f64::NAN));
        values.collect()
    };
    let table = table
        .with("r2", column(&|scope| Some(scope.r2.all)))
        .with(
            "r2_off_diagonal",
            column(&|scope| Some(scope.r2.off_diagonal)),
        )
        .with("r2_random", column(&|scope| Some(scope.random?.all)))
        .with(
            "r2_off_diagonal_random",
            column(&|scope| Some(scope.random?.off_diagonal)),
        );
    with_missing(table, scopes.map(|scope| scope.r2.missing_reason))
}

/// Adds the column `r2_missing` with the reasons, if any R² is missing.
pub(super) fn with_missing(table: Table, missing: impl Iterator<Item = Option<NoR2>>) -> Table {
    let missing: Vec<Option<NoR2>> = missing.collect();
    if missing.iter().all(Option::is_none) {
        return table;
    }
    let why = |why: Option<NoR2>| why.map_or("", NoR2::name).to_owned();
    table.with("r2_missing", missing.into_iter().map(why).collect())
}

/// Returns whether every R² of a table is 1 to four decimals: its matrix is Toeplitz, as for a sinusoidal table by
/// construction. Then one bar and [`ALL_TOEPLITZ`] suffice.
#[must_use]
pub fn is_all_toeplitz(summary: &PositionSummary) -> bool {
    let reads_one = |r2: f64| headline_number(r2) == "1.0000";
    let mut scopes = summary.scopes.iter();
    scopes.all(|scope| reads_one(scope.r2.all) && reads_one(scope.r2.off_diagonal))
}

/// Text in place of bars that are all 1.
pub const ALL_TOEPLITZ: &str = "The offset alone explains all of this matrix: every R² is 1, with and without k = 0, so one bar is drawn:";

/// Sides of a table's breaks: the beginning of the scope's name, and the label of its bar after the rows.
const SIDES_OF_BREAKS: [(&str, &str); 4] = [
    ("before-seam-", "before seam"),
    ("behind-seam-", "behind seam"),
    ("before-tail-", "before tail"),
    ("tail-", "untrained"),
];

/// The label of a scope on one side of a break, such as “0–126, before seam”; `None` for other scopes.
fn side_of_break(name: &str) -> Option<String> {
    SIDES_OF_BREAKS.iter().find_map(|(prefix, side)| {
        let rows = name.strip_prefix(prefix)?.replace('-', "–");
        Some(format!("{rows}, {side}"))
    })
}

/// R² without k = 0 of the whole matrix, of leading blocks, of windows along the diagonal and of the sides of the table's
/// breaks, as bars. The table is
/// `scope,rows,r2,r2_off_diagonal,r2_random,r2_off_diagonal_random`. If all of them are 1, there is one bar; the table
/// still has every row.
#[must_use]
pub fn score_bars(summary: &PositionSummary) -> ShareChart {
    let scopes = &summary.scopes;
    let is_grid = scopes.first().is_some_and(is_in_two_dimensions);
    let label = |name: &str, rows: usize| match name.split_once('-') {
        Some(("whole", _)) => "full, by (Δy, Δx)".to_owned(),
        None if is_grid => "full, row by row".to_owned(),
        None => format!("all {rows} positions"),
        Some(("window", range)) => format!("positions {}", range.replace('-', "–")),
        Some(("before" | "behind" | "tail", _)) => side_of_break(name).unwrap_or_default(),
        Some((_, rows)) => format!("first {rows} positions"),
    };
    let names = scopes.iter().map(|scope| scope.name.clone());
    let lengths = scopes.iter().map(|scope| scope.rows as i64);
    let table = Table::new()
        .with("scope", names.collect())
        .with("rows", lengths.collect());
    let curve_source = match is_all_toeplitz(summary) {
        true => &scopes[..scopes.len().min(1)],
        false => scopes,
    };
    let rows = curve_source.iter().map(|scope| {
        let [off_diagonal, _] = Share::from_r2(scope.r2, scope.random);
        BarRow::new(label(&scope.name, scope.rows), [off_diagonal])
    });
    let has_chance = scopes.iter().any(|scope| scope.random.is_some());
    let chance = has_chance.then_some("a random table");
    ShareChart::new(["R², k ≠ 0"], chance, rows)
        .with_table(r2_columns(table, scopes.iter()))
        .with_summary(
            leading_scope(scopes).map_or(String::new(), in_words) + &breaks_in_words(scopes),
        )
}

/// R² on the sides of the table's breaks, with a space before it; empty without a break.
fn breaks_in_words(scopes: &[Scope]) -> String {
    let sides = scopes.iter().filter_map(|scope| {
        let rows = side_of_break(&scope.name)?;
        Some(format!("{} for {rows}", short_r2(scope.r2.off_diagonal)))
    });
    let sides: Vec<String> = sides.collect();
    match sides.is_empty() {
        true => String::new(),
        false => format!(
            " R² of parts of the table, without k = 0: {}.",
            sides.join("; ")
        ),
    }
}

fn in_words(scope: &Scope) -> String {
    let r2 = scope.r2;
    if !r2.off_diagonal.is_finite() {
        let headline = headline_words(Some(scope));
        return match r2.all.is_finite() {
            true => format!("{headline}. With k = 0, R² is {}.", number(r2.all)),
            false => format!("{headline}."),
        };
    }
    let explains = if is_in_two_dimensions(scope) {
        "The offset (Δy, Δx) alone explains"
    } else {
        "The offset alone explains"
    };
    let sentence = format!(
        "{explains} {} of the variance of the full matrix without its main diagonal, and {} with it.",
        number(r2.off_diagonal),
        number(r2.all)
    );
    match chance_words(scope) {
        Some(chance) => format!("{sentence} {chance}"),
        None => sentence,
    }
}
