//! Figures of two heads: their matrices beside the difference, and their profiles on one axis.

use super::{
    Axis, ColorMap, Heatmap, Ink, MatrixPanel, MatrixPanels, Plot, Series, Table, ValueRange,
    format_signed, number, short_r2,
};
use crate::{
    analysis::{HeadDetail, MatrixId},
    math::{AttentionMask, Tile, Window},
};
use std::sync::Arc;

/// A head of a pair.
#[derive(Debug, Clone)]
pub struct PairedHead {
    /// Layer and head, from 0.
    pub place: (usize, usize),
    /// Its numbers.
    pub detail: Arc<HeadDetail>,
}

impl PairedHead {
    /// Returns the name: “layer 1, head 3”.
    #[must_use]
    pub fn name(&self) -> String {
        let (layer, head) = self.place;
        format!("layer {}, head {}", layer + 1, head + 1)
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.detail.fit.f.n()
    }

    fn r2(&self, cells: AttentionMask) -> f64 {
        match cells {
            AttentionMask::Whole => self.detail.fit.r2,
            AttentionMask::Causal => self.detail.causal_r2,
        }
    }

    /// Means of the diagonals that count.
    fn means(&self, cells: AttentionMask) -> &[f64] {
        match cells {
            AttentionMask::Whole => self.detail.fit.f.values(),
            AttentionMask::Causal => self.detail.fit.f.lookback(),
        }
    }
}

/// A matrix of the pair as it is drawn.
#[derive(Debug, Clone)]
pub struct PairTile {
    /// Its blocks.
    pub tile: Arc<Tile>,
    /// The matrix behind them.
    pub source: MatrixId,
}

/// Draws the scores of two heads on one scale, and their difference on a diverging scale of its own. `matrices` are
/// those of the first head, of the second, and of their difference; `clip` percent of the values at either end are
/// beyond a colour bar.
#[must_use]
pub fn head_difference(
    heads: &[PairedHead; 2],
    matrices: [PairTile; 3],
    window: Option<&Window>,
    correlation: Option<f64>,
    (map, clip): (ColorMap, f64),
    cells: AttentionMask,
) -> MatrixPanels {
    let [first, second, difference] = matrices;
    let drawn = |matrix: &PairTile, map| Heatmap::matrix(Arc::clone(&matrix.tile), map, clip);
    let both = [drawn(&first, map), drawn(&second, map)];
    let range = ValueRange::union(both.iter().map(Heatmap::range));
    let ends = range.map_or((0.0, 1.0), |range| range.ends);
    let change = drawn(&difference, ColorMap::Diverging);
    let (low, high) = change.range().values;
    let summary = format!(
        "Scores of {} (R² {}), of {} (R² {}), and the first minus the second, from {} to {}. {}",
        heads[0].name(),
        short_r2(heads[0].r2(cells)),
        heads[1].name(),
        short_r2(heads[1].r2(cells)),
        number(low),
        number(high),
        correlation_sentence(correlation, cells)
    );
    let panel = |title, note, matrix, source| MatrixPanel {
        title,
        note,
        matrix,
        source: Some((source, window.cloned())),
        term: None,
    };
    let of_head = |head: &PairedHead, matrix: Heatmap, source| {
        let note = format!("R² {}", short_r2(head.r2(cells)));
        panel(head.name(), note, matrix.with_range(ends), source)
    };
    let [a, b] = both;
    let note = match correlation {
        Some(correlation) => format!("correlation of a and b {correlation:.3}").replace('-', "−"),
        None => String::new(),
    };
    MatrixPanels::new(vec![
        of_head(&heads[0], a, first.source),
        of_head(&heads[1], b, second.source),
        panel("a − b".to_owned(), note, change, difference.source),
    ])
    .with_summary(summary)
}

/// Plots the means of the diagonals of both heads. The table has a row for each head and offset:
/// `layer,head,offset,mean,cells,r2`, then `correlation` of the scores of both, equal in all rows, NaN if unknown.
#[must_use]
pub fn pair_profiles(
    heads: &[PairedHead; 2],
    correlation: Option<f64>,
    cells: AttentionMask,
    range: (f64, f64),
) -> Plot {
    let rows = || {
        heads.iter().flat_map(|head| {
            let f = &head.detail.fit.f;
            let means = head.means(cells).iter().copied();
            f.offsets().zip(means).map(move |(k, mean)| (head, k, mean))
        })
    };
    let table = Table::new()
        .with("layer", rows().map(|(head, ..)| head.place.0 + 1).collect())
        .with("head", rows().map(|(head, ..)| head.place.1 + 1).collect())
        .with("offset", rows().map(|(_, k, _)| k).collect())
        .with("mean", rows().map(|(.., mean)| mean).collect())
        .with(
            "cells",
            rows()
                .map(|(head, k, _)| head.detail.fit.f.cells(k))
                .collect(),
        )
        .with("r2", rows().map(|(head, ..)| head.r2(cells)).collect())
        .with_constant("correlation", correlation.unwrap_or(f64::NAN));
    let series = heads.iter().enumerate().map(|(at, head)| {
        let first = head.detail.fit.f.first();
        Series::new(head.name(), first, head.means(cells).to_vec())
            .ink(Ink::Category(at))
            .width(1.6)
            .in_legend()
    });
    let peaks = heads.iter().map(|head| {
        let means = head.detail.fit.f.offsets().zip(head.means(cells));
        let peak = means.max_by(|a, b| a.1.total_cmp(b.1));
        let (offset, mean) = peak.map_or((0, f64::NAN), |(k, mean)| (k, *mean));
        format!(
            "{} is highest at {} with {}",
            head.name(),
            format_signed(offset),
            number(mean)
        )
    });
    let peaks: Vec<String> = peaks.collect();
    Plot::over(Axis::Offset)
        .vertical("mean score")
        .series(series)
        .horizontal_range(range)
        .aspect(0.42)
        .with_table(table)
        .with_summary(format!("The mean of each diagonal: {}.", peaks.join("; ")))
}

/// Returns the caption of the matrices: which is which, and how far they correlate.
///
/// # Errors
/// If the heads have different numbers of positions. The error is a sentence for the user.
pub fn pair_caption(
    heads: &[PairedHead; 2],
    correlation: Option<f64>,
    cells: AttentionMask,
) -> Result<String, String> {
    let [first, second] = heads;
    if first.n() != second.n() {
        return Err(format!(
            "The two heads have different sizes, so their scores have no difference: {} has {} positions, {} has {}.",
            first.name(),
            first.n(),
            second.name(),
            second.n()
        ));
    }
    let caption = format!(
        "Scores of {} (a) and {} (b) on one colour scale, and a − b. {}",
        first.name(),
        second.name(),
        correlation_sentence(correlation, cells)
    );
    Ok(caption.trim_end().to_owned())
}

fn correlation_sentence(correlation: Option<f64>, cells: AttentionMask) -> String {
    let over = match cells {
        AttentionMask::Whole => "all cells",
        AttentionMask::Causal => "the cells that the causal mask leaves",
    };
    correlation.map_or_else(String::new, |correlation| {
        format!("The correlation of both over {over} is {correlation:.3}.").replace('-', "−")
    })
}
