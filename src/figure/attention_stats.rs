//! Attention of a head by offset, before and after kernels are added to its scores.

use super::{Axis, Column, Ink, Plot, Series, Table, format_signed, number, percent};
use crate::{
    analysis::{AttentionStats, Looks},
    math::AttentionMask,
};

/// Offsets up to this one are drawn, on either side.
const REACH: f64 = 40.5;

/// The three maps, in display order from left to right.
pub const MAP_NAMES: [&str; 3] = ["head", "kernels", "both added"];

/// Statistics of one map in words.
#[derive(Debug, Clone, PartialEq)]
pub struct LookWords {
    /// Name of the map, and its queries if these are not all.
    pub name: String,
    /// The offset with the most attention.
    pub peak: String,
    /// The share near the query, in percent.
    pub near: String,
    /// The entropy in bits.
    pub entropy: String,
    /// The number of keys that would have that entropy.
    pub keys: String,
}

fn each(looks: &Looks) -> [(&'static str, &AttentionStats); 3] {
    let [head, kernels, both] = MAP_NAMES;
    [
        (head, &looks.head),
        (kernels, &looks.kernels),
        (both, &looks.together),
    ]
}

/// Returns the statistics of the three maps in words. Offsets up to `near` on either side count as near. If the table
/// has a seam, two more rows give the head's statistics for the queries before and behind it.
#[must_use]
pub fn look_words(looks: &Looks, near: usize) -> Vec<LookWords> {
    let words = |name: String, look: &AttentionStats| LookWords {
        name,
        peak: format_signed(look.peak()),
        near: percent(look.within(near)),
        entropy: format!("{:.2}", look.entropy),
        keys: format!("{:.1}", look.keys()),
    };
    let mut all: Vec<LookWords> = each(looks)
        .map(|(name, look)| words(name.to_owned(), look))
        .into();
    if let Some(sides) = &looks.head.sides {
        let seam = sides.first_behind;
        all.push(words(
            format!("head, queries 0–{}", seam - 1),
            &sides.before,
        ));
        all.push(words(format!("head, queries from {seam}"), &sides.behind));
    }
    all
}

/// A sentence on the share of the head's most attended offset on each side of the seam. `None` without a seam.
fn sides_in_words(look: &AttentionStats) -> Option<String> {
    let sides = look.sides.as_ref()?;
    let (seam, peak) = (sides.first_behind, look.peak());
    let share = |side: &AttentionStats| percent(side.share.at(peak).unwrap_or(f64::NAN));
    Some(format!(
        "The table has a seam at position {seam}: queries before it give offset {} {} of the head’s attention, later queries {}.",
        format_signed(peak),
        share(&sides.before),
        share(&sides.behind),
    ))
}

/// Plots the share of all attention by offset, of the head, of the kernels, and of both added.
#[must_use]
pub fn attention_looks(looks: &Looks, cells: AttentionMask) -> Plot {
    let inks = [Ink::Muted, Ink::Category(0), Ink::Ink];
    let series = each(looks).into_iter().zip(inks);
    let series = series.map(|((name, look), ink)| {
        let shares = match cells {
            AttentionMask::Whole => look.share.values(),
            AttentionMask::Causal => look.share.lookback(),
        };
        let line = Series::new(name, look.share.first(), shares.to_vec()).ink(ink);
        line.width(if ink == Ink::Ink { 2.2 } else { 1.3 })
            .with_dashes(ink == Ink::Muted)
            .in_legend()
    });
    // The sum goes first, since the cursor reads the first line.
    let mut series: Vec<Series> = series.collect();
    series.rotate_right(1);
    let n = looks.head.share.n() as f64;
    let reach = REACH.min(n - 0.5);
    let ahead = match cells {
        AttentionMask::Whole => reach,
        AttentionMask::Causal => 0.5,
    };
    let words = look_words(looks, 0);
    let words: Vec<String> = words
        .iter()
        .take(MAP_NAMES.len())
        .map(|words| {
            format!(
                "{}: most at offset {}, {} bits",
                words.name, words.peak, words.entropy
            )
        })
        .collect();
    let sides = sides_in_words(&looks.head).map_or(String::new(), |words| format!(" {words}"));
    Plot::over(Axis::Offset)
        .vertical("share of attention")
        .with_table(table(looks))
        .series(series)
        .horizontal_range((-reach, ahead))
        .aspect(0.2)
        .with_summary(format!(
            "Attention by offset. {}. At offset 0 they give {}, {} and {}.{sides}",
            words.join("; "),
            at_zero(&looks.head),
            at_zero(&looks.kernels),
            at_zero(&looks.together)
        ))
}

fn at_zero(look: &AttentionStats) -> String {
    number(look.share.at(0).unwrap_or(f64::NAN))
}

/// `offset,head,kernels,both_added`: shares. Then `head_entropy` in bits and `head_keys`, the number of keys with that
/// entropy, and the same for the other two; these are equal in all rows. If the position table has a seam,
/// `head_before_seam` and `head_behind_seam` are the head's shares over the queries of each side.
fn table(looks: &Looks) -> Table {
    let offsets = looks.head.share.by_offset().map(|(k, _)| k);
    let named = || each(looks).map(|(name, look)| (name.replace(' ', "_"), look));
    let table = Table::new().with("offset", offsets.collect());
    let table = named().into_iter().fold(table, |table, (name, look)| {
        table.with(name, Column::Number(look.share.to_vec()))
    });
    let table = named().into_iter().fold(table, |table, (name, look)| {
        table
            .with_constant(format!("{name}_entropy"), look.entropy)
            .with_constant(format!("{name}_keys"), look.keys())
    });
    let Some(sides) = &looks.head.sides else {
        return table;
    };
    let shares = |side: &AttentionStats| Column::Number(side.share.to_vec());
    table
        .with("head_before_seam", shares(&sides.before))
        .with("head_behind_seam", shares(&sides.behind))
}
