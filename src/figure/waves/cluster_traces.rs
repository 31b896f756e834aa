//! Mean attention by offset of each group of heads, beside that of the same heads with randomly turned keys.

use crate::{
    analysis::{GroupChance, HeadGroups},
    figure::{Axis, Band, Ink, Plot, Series, Table, percent, words::join_words},
    math::{ChanceRange, TRACE_REACH},
};

/// The mean trace of each group of heads (eq. 8), and by chance, once that is known, a band from the 2.5 % to the 97.5 %
/// quantile of the mean over the same heads with randomly turned keys. The table, one group below the other, counted from 1:
/// `cluster,name,heads,offset,share,chance_share,chance_share_low,chance_share_high,explained,chance_explained,`
/// `chance_explained_low,chance_explained_high`.
///
/// `explained` is the share of the variance between the traces of all heads that the groups explain, equal in every row
/// and NaN if there is one group. Columns of chance are a median and a 95 % range over 20 models, NaN while not known.
#[must_use]
pub fn cluster_traces(found: &HeadGroups, chance: Option<&GroupChance>) -> Plot {
    let clusters = &found.clusters;
    let each = clusters.traces.iter().zip(&clusters.names).enumerate();
    let series: Vec<Series> = each
        .map(|(at, (trace, name))| {
            let values = trace.by_offset().map(|(_, share)| share).collect();
            let series = Series::new(format!("{} {name}", at + 1), -TRACE_REACH, values);
            series.ink(Ink::Category(at)).width(1.8).in_legend()
        })
        .collect();
    let bands = chance.map_or(&[][..], |chance| &chance.shares);
    let bands = bands.iter().map(|shares| Band {
        first: -TRACE_REACH,
        low: shares.iter().map(|share| share.low).collect(),
        high: shares.iter().map(|share| share.high).collect(),
    });
    let plot = Plot::over(Axis::Offset)
        .vertical("share of attention")
        .series(series)
        .aspect(0.4)
        .with_table(trace_table(found, chance))
        .with_summary(format!(
            "The share of attention at each offset, averaged over the heads of each group. {}",
            trace_words(found, chance)
        ));
    bands.fold(plot, Plot::band)
}

/// States which groups have a peak beyond chance, and how much of the variance between heads the groups explain. Empty if
/// neither is known.
#[must_use]
pub fn trace_words(found: &HeadGroups, chance: Option<&GroupChance>) -> String {
    let peaks = chance.map(|chance| peak_words(found, chance));
    let explained_share = found.clusters.explained_share.map(|explained_share| {
        let by_chance = chance.and_then(|chance| chance.explained_share);
        let by_chance = by_chance.map_or(String::new(), |ChanceRange { median, low, high }| {
            format!(
                "; as many groups of heads with randomly turned keys explain {} ({} to {})",
                percent(median),
                percent(low),
                percent(high)
            )
        });
        format!(
            "The groups explain {} of the variance between heads{by_chance}.",
            percent(explained_share)
        )
    });
    let words: Vec<String> = peaks.into_iter().chain(explained_share).collect();
    words.join(" ")
}

/// Explains the shade, and states which groups have a peak above it.
fn peak_words(found: &HeadGroups, chance: &GroupChance) -> String {
    let traces = &found.clusters.traces;
    let exceeding = traces.iter().enumerate();
    let exceeding = exceeding.filter(|(group, trace)| chance.is_exceeded(*group, trace));
    let groups: Vec<String> = exceeding
        .map(|(group, _)| (group + 1).to_string())
        .collect();
    let peaks = match &*groups {
        [] => "No group has a peak above its shade".to_owned(),
        all if all.len() == traces.len() => "Every group has a peak above its shade".to_owned(),
        [group] => format!("Group {group} alone has a peak above its shade"),
        some => format!(
            "Groups {} have a peak above their shade, the others have none",
            join_words(some)
        ),
    };
    format!(
        "Shade: 95 % of the means of the same heads in 20 models with randomly turned keys. {peaks}."
    )
}

/// A row of the table: the group from 0, the offset and the share of attention.
type TraceRow = (usize, i64, f64);

fn trace_table(found: &HeadGroups, chance: Option<&GroupChance>) -> Table {
    let clusters = &found.clusters;
    let heads = |group: usize| clusters.of.iter().filter(|&&of| of == group).count();
    let rows: Vec<TraceRow> = (clusters.traces.iter().enumerate())
        .flat_map(|(group, trace)| trace.by_offset().map(move |(k, share)| (group, k, share)))
        .collect();
    let whole = |of: &dyn Fn(&TraceRow) -> i64| rows.iter().map(of).collect();
    let chance_share = |of: fn(ChanceRange) -> f64| {
        let share = |&(group, k, _): &TraceRow| {
            let shares = chance?.shares.get(group)?;
            shares.get(usize::try_from(k + TRACE_REACH).ok()?).copied()
        };
        rows.iter()
            .map(|row| share(row).map_or(f64::NAN, of))
            .collect()
    };
    let by_chance = |of: fn(ChanceRange) -> f64| {
        let explained_share = chance.and_then(|chance| chance.explained_share);
        explained_share.map_or(f64::NAN, of)
    };
    let name = |group: usize| clusters.names[group].name().to_owned();
    Table::new()
        .with("cluster", whole(&|row| row.0 as i64 + 1))
        .with("name", rows.iter().map(|row| name(row.0)).collect())
        .with("heads", whole(&|row| heads(row.0) as i64))
        .with("offset", whole(&|row| row.1))
        .with("share", rows.iter().map(|row| row.2).collect())
        .with("chance_share", chance_share(|share| share.median))
        .with("chance_share_low", chance_share(|share| share.low))
        .with("chance_share_high", chance_share(|share| share.high))
        .with_constant("explained", clusters.explained_share.unwrap_or(f64::NAN))
        .with_constant("chance_explained", by_chance(|share| share.median))
        .with_constant("chance_explained_low", by_chance(|share| share.low))
        .with_constant("chance_explained_high", by_chance(|share| share.high))
}
