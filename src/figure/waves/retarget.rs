//! The attention of a head before and after its keys are turned.

use crate::{
    analysis::{RETARGET_REACH, RetargetedHead, Retargeting},
    figure::{Axis, Column, Ink, Plot, Series, Table, format_signed, percent, words::format_count},
};

/// Plots the share of attention at each offset of a head as it is, and with keys that make it attend `shift` tokens
/// further. `None` if positions are too few for this shift. The table:
/// `offset,before,after,shift,peak_before,peak_after,key_error,moved_share,directions`. The last six are equal in every
/// row: the shift in tokens, the offsets of the peaks, the size of the difference between the turned keys and keys that
/// lie `shift` tokens before, relative to the latter, the share of the variance of the scores along rows that the rotation
/// moves, and the number of directions in which positions are turned.
#[must_use]
pub fn retarget_head(found: &Retargeting, shift: i64) -> Option<Plot> {
    let (before, after) = (found.original()?, found.at(shift)?);
    let first = -RETARGET_REACH.min(found.n as i64 - 1);
    let line = |name: String, head: &RetargetedHead| Series::new(name, first, head.shares.clone());
    let old = line("as it is".to_owned(), before)
        .ink(Ink::Category(0))
        .with_dashes(true)
        .in_legend();
    let new = line(format!("keys turned by {}", tokens(shift)), after)
        .ink(Ink::Category(1))
        .width(2.0)
        .in_legend();
    let rows = before.shares.len();
    let whole = |value: i64| Column::Whole(vec![value; rows]);
    let table = Table::new()
        .with("offset", (first..).take(rows).collect())
        .with("before", Column::Number(before.shares.clone()))
        .with("after", Column::Number(after.shares.clone()))
        .with("shift", whole(shift))
        .with("peak_before", whole(before.peak))
        .with("peak_after", whole(after.peak))
        .with_constant("key_error", after.error)
        .with_constant("moved_share", found.score_share)
        .with("directions", whole(found.directions as i64));
    let plot = Plot::over(Axis::Offset)
        .vertical("share of attention")
        .series([old, new])
        .aspect(0.4)
        .with_table(table)
        .with_summary(retarget_words(found, shift).unwrap_or_default());
    Some(plot)
}

fn tokens(shift: i64) -> String {
    let count = format_count(shift.unsigned_abs() as usize, "token", "tokens");
    match shift < 0 {
        true => format!("−{count}"),
        false => count,
    }
}

/// States the peaks before and after, how exact the rotation is, and what it moves. `None` if positions are too few for
/// this shift.
#[must_use]
pub fn retarget_words(found: &Retargeting, shift: i64) -> Option<String> {
    let (before, after) = (found.original()?, found.at(shift)?);
    let peak = |head: &RetargetedHead| {
        format!(
            "k = {} ({})",
            format_signed(head.peak),
            percent(head.peak_share)
        )
    };
    let reach = format!(
        "The rotation acts in {}, which hold {} of the variance of the positions and make {} of the variance of the scores.",
        format_count(found.directions, "direction", "directions"),
        percent(found.variance),
        percent(found.score_share)
    );
    if shift == 0 {
        return Some(format!(
            "Attention peaks at {}. Nothing is turned yet. {reach}",
            peak(before)
        ));
    }
    Some(format!(
        "Attention peaks at {} before and at {} after: {} for {} of the slider. The turned keys differ from the keys of \
         positions {} by {} of their size. {reach}",
        peak(before),
        peak(after),
        signed_tokens(after.peak - before.peak),
        signed_tokens(shift),
        match shift > 0 {
            true => format!("{} earlier", tokens(shift)),
            false => format!("{} later", tokens(-shift)),
        },
        percent(after.error)
    ))
}

/// A number of tokens with its sign.
fn signed_tokens(count: i64) -> String {
    let unit = if count.abs() == 1 { "token" } else { "tokens" };
    format!("{} {unit}", format_signed(count))
}
