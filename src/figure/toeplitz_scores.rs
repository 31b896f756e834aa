//! How Toeplitz a table's matrix is: the headline, and the R² of its parts as bars.
//!
//! R² without k = 0 comes first, that of all cells, which is the TISA paper's, beside it, and with both what a
//! table of random numbers scores: see [`RandomTable`](crate::math::RandomTable).

use super::{BarRow, Bars, Column, Share, Table, number};
use crate::{
    analysis::{PositionSummary, Scope, leading_scope},
    math::{NoR2, OffsetR2, Seam},
};

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

/// Both R² of a table in a few words, and why one is missing.
#[must_use]
pub fn both_r2(r2: OffsetR2) -> String {
    let all = short_r2(r2.all);
    match r2.missing {
        None => {
            let others = short_r2(r2.off_diagonal);
            format!("Toeplitz R² of the inner products: {others} without k = 0, {all} of all cells")
        }
        Some(why) if r2.all.is_finite() => format!(
            "Toeplitz R² of the inner products: {all} of all cells; none without k = 0, because {why}"
        ),
        Some(why) => {
            format!("Toeplitz R² of the inner products: not a number, because {why}")
        }
    }
}

/// What the headline's number is, and why there is none where it is not a number. `None` is one to come.
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
            r2: OffsetR2 {
                missing: Some(why), ..
            },
            ..
        }) => format!("{what}: not a number, because {why}"),
        _ => what.to_owned(),
    }
}

/// What a random table scores, and why that is told; `None` where positions are no table.
#[must_use]
pub fn chance_words(scope: &Scope) -> Option<String> {
    let random = scope.random?;
    Some(format!(
        "A random table of this shape scores {} without k = 0 and {} with it, because each row is most like itself.",
        short_r2(random.off_diagonal),
        short_r2(random.all),
    ))
}

/// Where the table breaks in two, and why that matters to numbers over all positions.
#[must_use]
pub fn seam_words(seam: &Seam) -> String {
    format!(
        "The table has a seam between positions {} and {}: neighbouring rows there have a cosine of {:.2}, elsewhere about {:.2}. Numbers over all positions mix its two sides.",
        seam.last_before, seam.first_behind, seam.cosine, seam.usual
    )
}

fn is_in_two_dimensions(scope: &Scope) -> bool {
    scope.name == "whole-2d"
}

/// The columns `r2,r2_off_diagonal,r2_random,r2_off_diagonal_random` of scopes. A random table's are not numbers
/// where positions are no table. Where a scope has no R², `r2_missing` follows and says why in a few words.
pub(super) fn r2_columns<'a>(
    table: Table,
    scopes: impl Iterator<Item = &'a Scope> + Clone,
) -> Table {
    let column = |of: &dyn Fn(&Scope) -> Option<f64>| {
        let values = scopes.clone().map(|scope| of(scope).unwrap_or(f64::NAN));
        Column::Number(values.collect())
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
    with_missing(table, scopes.map(|scope| scope.r2.missing))
}

/// With the column `r2_missing`, where an R² is missing: why, in a few words.
pub(super) fn with_missing(table: Table, missing: impl Iterator<Item = Option<NoR2>>) -> Table {
    let missing: Vec<Option<NoR2>> = missing.collect();
    if missing.iter().all(Option::is_none) {
        return table;
    }
    let why = |why: Option<NoR2>| why.map_or("", NoR2::name).to_owned();
    table.with(
        "r2_missing",
        Column::Name(missing.into_iter().map(why).collect()),
    )
}

/// Whether every R² of a table reads 1: its matrix is Toeplitz, as that of a sinusoidal table is by construction. Then
/// one bar says all, and so does [`ALL_TOEPLITZ`].
#[must_use]
pub fn is_all_toeplitz(summary: &PositionSummary) -> bool {
    let reads_one = |r2: f64| headline_number(r2) == "1.0000";
    let mut scopes = summary.scopes.iter();
    scopes.all(|scope| reads_one(scope.r2.all) && reads_one(scope.r2.off_diagonal))
}

/// What is said in place of bars that all read 1.
pub const ALL_TOEPLITZ: &str = "The offset alone explains all of this matrix: R² is 1 for the whole and for every part, with and without k = 0, so one bar stands for all:";

/// R² of the whole, of leading blocks and of windows along the diagonal:
/// `scope,rows,r2,r2_off_diagonal,r2_random,r2_off_diagonal_random`. Where all of them read 1, there is one bar; the
/// table has every row.
#[must_use]
pub fn score_bars(summary: &PositionSummary) -> Bars {
    let scopes = &summary.scopes;
    let is_grid = scopes.first().is_some_and(is_in_two_dimensions);
    let label = |name: &str, rows: usize| match name.split_once('-') {
        Some(("whole", _)) => "full, by (Δy, Δx)".to_owned(),
        None if is_grid => "full, row by row".to_owned(),
        None => format!("all {rows} positions"),
        Some(("window", range)) => format!("positions {}", range.replace('-', "–")),
        Some((_, rows)) => format!("first {rows} positions"),
    };
    let names = scopes.iter().map(|scope| scope.name.clone());
    let lengths = scopes.iter().map(|scope| scope.rows as i64);
    let table = Table::new()
        .with("scope", Column::Name(names.collect()))
        .with("rows", Column::Whole(lengths.collect()));
    let drawn = match is_all_toeplitz(summary) {
        true => &scopes[..scopes.len().min(1)],
        false => scopes,
    };
    let rows = drawn.iter().map(|scope| BarRow {
        label: label(&scope.name, scope.rows),
        shares: Share::of_r2(scope.r2, scope.random),
    });
    Bars {
        heads: ["k ≠ 0", "all cells"],
        chance: scopes
            .iter()
            .any(|scope| scope.random.is_some())
            .then_some("a random table"),
        rows: rows.collect(),
        table: r2_columns(table, scopes.iter()),
        summary: leading_scope(scopes).map_or(String::new(), in_words),
    }
}

fn in_words(scope: &Scope) -> String {
    let r2 = scope.r2;
    if !r2.off_diagonal.is_finite() {
        let headline = headline_words(Some(scope));
        return match r2.all.is_finite() {
            true => format!("{headline}. With it, R² is {}.", number(r2.all)),
            false => format!("{headline}."),
        };
    }
    let explains = if is_in_two_dimensions(scope) {
        "The offset (Δy, Δx) alone explains"
    } else {
        "The offset alone explains"
    };
    let said = format!(
        "{explains} {} of the variance of the full matrix without its main diagonal, {} with it.",
        number(r2.off_diagonal),
        number(r2.all)
    );
    match chance_words(scope) {
        Some(chance) => format!("{said} {chance}"),
        None => said,
    }
}
