//! Sections through the scores of every head of a layer, as small multiples.

use super::{
    Axis, Ink, Plot, PlotPanel, PlotPanels, Series, Table, format_signed, number, scale::extent,
    words::format_count,
};
use crate::{
    analysis::{KernelFit, PositionKind, ShortRow, ShortSections},
    math::AttentionMask,
};
use std::ops::RangeInclusive;

/// Height of a panel over its width, where it is wide.
const ASPECT: f64 = 0.7;
/// Space above and below the lines, as a share of their range.
const MARGIN: f64 = 0.06;

/// The look of the sections of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionLook {
    /// The cells that count.
    pub cells: AttentionMask,
    /// Whether each head has a vertical axis of its own and its rows are at their own heights (TISA paper, Fig. 7).
    /// Otherwise rows are moved by constants, and all heads have one axis.
    pub own_scales: bool,
}

/// A head's lines at the heights at which a look draws them.
struct HeadLines<'a> {
    head: &'a ShortSections,
    fit: Option<&'a KernelFit>,
    offsets: RangeInclusive<i64>,
    /// The mean of f(k) over the offsets.
    level: f64,
}

impl<'a> HeadLines<'a> {
    fn new(head: &'a ShortSections, fits: &'a [KernelFit], cells: AttentionMask) -> Self {
        let last = match cells {
            AttentionMask::Whole => head.reach(),
            AttentionMask::Causal => 0,
        };
        let offsets = -head.reach()..=last;
        Self {
            level: mean(offsets.clone().filter_map(|k| head.mean_at(k))),
            fit: fits.iter().find(|fit| fit.head == head.head),
            head,
            offsets,
        }
    }

    /// The scores of a row by offset, as far as they are drawn.
    fn scores(&self, row: &'a ShortRow) -> impl Iterator<Item = (i64, f64)> + use<'a> {
        let offsets = self.offsets.clone();
        let scores = (row.first..).zip(&row.scores);
        let scores = scores.map(|(k, score)| (k, f64::from(*score)));
        scores.filter(move |(k, _)| offsets.contains(k))
    }

    /// The constant that, subtracted from a row, brings it nearest to the mean line around zero: the mean over its
    /// offsets of the row minus f(k), and the mean of f(k).
    fn constant(&self, row: &'a ShortRow) -> f64 {
        let rest = self.scores(row);
        self.level + mean(rest.filter_map(|(k, score)| Some(score - self.head.mean_at(k)?)))
    }

    /// The lines from front to back: the mean, the fit, the rows.
    fn series(&self, own_scales: bool) -> Vec<Series> {
        let lowered = |constant: f64| if own_scales { 0.0 } else { constant };
        let first = *self.offsets.start();
        let means = self.offsets.clone().filter_map(|k| self.head.mean_at(k));
        let means = means.map(|f| f - lowered(self.level));
        let mut series = vec![Series::new("mean f(k)", first, means.collect()).width(2.2)];
        if let Some(fit) = self.fit {
            let values = self.offsets.clone();
            let values = values.map(|k| fit.at(k) - lowered(self.level));
            let name = format_count(fit.kernels.0.len(), "kernel", "kernels");
            let fit = Series::new(name, first, values.collect()).width(1.6);
            series.push(fit.ink(Ink::Category(5)).with_dashes(true));
        }
        series.extend(self.head.rows.iter().enumerate().map(|(at, row)| {
            let constant = lowered(self.constant(row));
            let scores = self.scores(row).map(|(_, score)| score - constant);
            let name = format!("query {}", row.query);
            Series::new(name, row.first.max(first), scores.collect())
                .ink(Ink::Category(at))
                .width(1.0)
        }));
        series
    }

    /// The offset of the greatest mean; among equal ones that nearest to zero.
    fn peak(&self) -> Option<i64> {
        let means = self.offsets.clone();
        let means = means.filter_map(|k| Some((k, self.head.mean_at(k)?)));
        let finite = means.filter(|(_, f)| f.is_finite());
        let highest = finite.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.abs().cmp(&a.0.abs())));
        highest.map(|(k, _)| k)
    }

    /// The greatest minus the least mean.
    fn span(&self) -> Option<f64> {
        let means = self.offsets.clone().filter_map(|k| self.head.mean_at(k));
        extent(means, 0.0).map(|range| range.end() - range.start())
    }

    /// States R², also that of scores without row means.
    fn note(&self, cells: AttentionMask) -> String {
        let of_softmax = self.head.softmax_r2.map(|r2| r2.over(cells));
        let of_softmax = of_softmax.filter(|r2| r2.is_finite());
        let of_softmax = of_softmax.map_or_else(String::new, |r2| format!(", centred {r2:.2}"));
        match self.head.r2_over(cells) {
            r2 if r2.is_finite() => format!("R² {r2:.2}{of_softmax}"),
            r2 => format!("R² {}", number(r2)),
        }
    }
}

/// Draws the mean score by offset of every head of a layer and the rows of a few queries, aligned at k = 0 (TISA paper,
/// Figs. 3, 6 and 7). `fits` are kernels that were fitted to the heads, drawn beside their means; it may be empty. `None`
/// without heads.
#[must_use]
pub fn layer_sections(
    layer: usize,
    heads: &[ShortSections],
    fits: &[KernelFit],
    look: SectionLook,
) -> Option<PlotPanels> {
    let mut heads: Vec<HeadLines<'_>> = heads
        .iter()
        .map(|head| HeadLines::new(head, fits, look.cells))
        .collect();
    heads.sort_by_key(|lines| lines.head.head);
    let series: Vec<Vec<Series>> = heads
        .iter()
        .map(|lines| lines.series(look.own_scales))
        .collect();
    // The legend also names a fit that only some heads have.
    let legend = series.iter().max_by_key(|lines| lines.len())?.clone();
    let values = series.iter().flatten().flat_map(|line| &line.values);
    let common = extent(values.copied(), MARGIN).map(RangeInclusive::into_inner);
    let common = common.filter(|_| !look.own_scales);
    let panels = heads.iter().zip(series).map(|(lines, series)| PlotPanel {
        title: format!("Head {}", lines.head.head + 1),
        note: lines.note(look.cells),
        plot: Plot::over(Axis::Offset)
            .series(series)
            .values(common)
            .aspect(ASPECT),
    });
    let panels = PlotPanels::new(
        panels.collect(),
        table(layer, &heads, look.cells),
        summary(layer, &heads),
    );
    Some(panels.as_multiples(&legend))
}

/// Returns the caption: the layer from 0, how heights are to be read, the kernels that are fitted, and why rows coincide or
/// differ for this kind of positions.
#[must_use]
pub fn sections_caption(
    layer: usize,
    own_scales: bool,
    kernels: Option<usize>,
    (kind, on_grid): (PositionKind, bool),
) -> String {
    let heights = match own_scales {
        true => "Scores as they are; each panel has a scale of its own.",
        false => {
            "Each row is moved up or down by a constant, which softmax ignores; all panels have one scale."
        }
    };
    let rows = match kind {
        kind if on_grid || matches!(kind, PositionKind::Window | PositionKind::Patches) => {
            " Patches are read row by row, so one offset is several steps (Δy, Δx), and rows differ."
        }
        PositionKind::Rotary => {
            " The rows coincide: for the mean query and the mean key of all tokens, the offset decides alone."
        }
        kind if kind.is_relative() => " The rows coincide: the offset decides alone.",
        _ => " R² is that of the whole matrix; “centred” is without row means.",
    };
    let kernels = kernels.map_or_else(String::new, |kernels| {
        format!(" Dashed: {kernels} kernels fitted to the mean at these offsets.")
    });
    format!(
        "Layer {}, one panel a head. {heights}{rows}{kernels} Heavy:",
        layer + 1
    )
}

/// Mean of numbers; NaN without any.
fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| {
        (sum + number, count + 1.0)
    });
    sum / count
}

/// A score that is drawn, for the table.
struct SectionCell<'a, 'b> {
    lines: &'b HeadLines<'a>,
    query: usize,
    offset: i64,
    score: f64,
    /// The score on a common axis.
    height: f64,
}

/// `layer,head,r2,query,offset,score,centred,mean_score,centred_mean`: one row for each score that is drawn, layers and
/// heads counted from 1. `centred` is the score on a common axis. R² is that under the mask. `r2_softmax`, of scores
/// without row means, follows if scores depend on more than the offset, and `fit` with `fit_r2` if every head has a fit.
fn table(layer: usize, heads: &[HeadLines<'_>], cells: AttentionMask) -> Table {
    let rows = heads.iter().flat_map(|lines| {
        lines.head.rows.iter().flat_map(move |row| {
            let constant = lines.constant(row);
            lines.scores(row).map(move |(offset, score)| SectionCell {
                lines,
                query: row.query,
                offset,
                score,
                height: score - constant,
            })
        })
    });
    let rows: Vec<SectionCell<'_, '_>> = rows.collect();
    let whole = |of: &dyn Fn(&SectionCell<'_, '_>) -> i64| rows.iter().map(of).collect();
    let real = |of: &dyn Fn(&SectionCell<'_, '_>) -> f64| rows.iter().map(of).collect();
    let mean_at =
        |row: &SectionCell<'_, '_>| row.lines.head.mean_at(row.offset).unwrap_or(f64::NAN);
    let mut table = Table::new()
        .with("layer", whole(&|_| layer as i64 + 1))
        .with("head", whole(&|row| row.lines.head.head as i64 + 1))
        .with("r2", real(&|row| row.lines.head.r2_over(cells)))
        .with("query", whole(&|row| row.query as i64))
        .with("offset", whole(&|row| row.offset))
        .with("score", real(&|row| row.score))
        .with("centred", real(&|row| row.height))
        .with("mean_score", real(&|row| mean_at(row)))
        .with("centred_mean", real(&|row| mean_at(row) - row.lines.level));
    if heads.iter().all(|lines| lines.head.softmax_r2.is_some()) {
        let softmax_r2 = |row: &SectionCell<'_, '_>| {
            let r2 = row.lines.head.softmax_r2;
            r2.map_or(f64::NAN, |r2| r2.over(cells))
        };
        table = table.with("r2_softmax", real(&softmax_r2));
    }
    if heads.iter().all(|lines| lines.fit.is_some()) {
        let of_fit = |of: fn(&KernelFit, i64) -> f64| {
            real(&move |row| row.lines.fit.map_or(f64::NAN, |fit| of(fit, row.offset)))
        };
        table = table
            .with("fit", of_fit(KernelFit::at))
            .with("fit_r2", of_fit(|fit, _| fit.r2));
    }
    table
}

/// States the queries, the offsets at which the means are highest, and the heads whose means vary most and least.
fn summary(layer: usize, heads: &[HeadLines<'_>]) -> String {
    let Some(first) = heads.first() else {
        return String::new();
    };
    let queries = first.head.rows.iter().map(|row| row.query.to_string());
    let queries: Vec<String> = queries.collect();
    let (low, high) = (*first.offsets.start(), *first.offsets.end());
    let mut peaks: Vec<(i64, usize)> = Vec::new();
    for peak in heads.iter().filter_map(HeadLines::peak) {
        match peaks.iter_mut().find(|(offset, _)| *offset == peak) {
            Some((_, count)) => *count += 1,
            None => peaks.push((peak, 1)),
        }
    }
    peaks.sort_by_key(|(offset, count)| (std::cmp::Reverse(*count), offset.abs(), *offset));
    let peaks = peaks.into_iter().take(4).map(|(offset, count)| {
        let heads = format_count(count, "head", "heads");
        format!("at {} in {heads}", format_signed(offset))
    });
    let peaks: Vec<String> = peaks.collect();
    let peaks = match peaks.is_empty() {
        true => " No mean is a number.".to_owned(),
        false => format!(" Means are highest {}.", peaks.join(", ")),
    };
    let spans = heads
        .iter()
        .filter_map(|lines| Some((lines.head.head + 1, lines.span()?)));
    let by_span = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let ends = spans.clone().max_by(by_span).zip(spans.min_by(by_span));
    let spans = ends.map_or_else(String::new, |((most, high), (least, low))| {
        format!(
            " They vary most in head {most}, by {}, and least in head {least}, by {}.",
            number(high),
            number(low)
        )
    });
    let fits = match heads.iter().filter_map(|lines| lines.fit).count() {
        0 => String::new(),
        count => format!(" {} dashed.", format_count(count, "fit is", "fits are")),
    };
    format!(
        "{} of layer {}, offsets {} to {}: means, and the rows of queries {}.{peaks}{spans}{fits}",
        format_count(heads.len(), "head", "heads"),
        layer + 1,
        format_signed(low),
        format_signed(high),
        queries.join(", ")
    )
}
