//! Figures of heads: all heads of a model as thumbnails, and sections through one of them.

use super::{
    Axis, ColorMap, Column, Ink, Plot, Rect, Series, Table, Thumbnail, Thumbnails, format_signed,
    number, toeplitz_scores::with_missing, words::format_count,
};
use crate::{
    analysis::{HeadDetail, HeadR2, HeadSummary, Section},
    math::{AttentionMask, NoR2},
};
use std::collections::HashMap;

/// Number below the thumbnail of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadLabel {
    /// Its Toeplitz R².
    R2,
    /// The offset of the maximum of its profile.
    PeakOffset,
}

impl HeadLabel {
    fn text(self, head: &HeadSummary, cells: AttentionMask, measure: &HeadR2) -> String {
        let r2 = measure.of_head(head, cells);
        match self {
            Self::PeakOffset => format_signed(head.peak_over(cells)),
            Self::R2 if r2.is_finite() => format!("{r2:.2}"),
            Self::R2 => number(r2),
        }
    }
}

/// Cache of head thumbnails by layer and head. A head is drawn once, however often the order changes or new heads
/// arrive.
#[derive(Debug, Clone, Default)]
pub struct HeadPictures(HashMap<(usize, usize), Thumbnail>);

impl HeadPictures {
    /// Draws the heads that are not in the cache. All must belong to one model, and be computed and coloured in the
    /// same way.
    pub fn add(&mut self, heads: &[HeadSummary], cells: AttentionMask, map: ColorMap) {
        for head in heads {
            let place = (head.layer, head.head);
            self.0.entry(place).or_insert_with(|| {
                let tile = head.thumbnail.clone();
                let tile = match cells {
                    AttentionMask::Whole => tile,
                    AttentionMask::Causal => tile.causal(),
                };
                Thumbnail::new(tile, map, place, String::new())
            });
        }
    }

    /// Returns the thumbnails in the order of `heads`, with labels, where R² is that of `measure`. `None` before the first
    /// head. A row of `per_row` is a layer.
    #[must_use]
    pub fn grid(
        &self,
        heads: &[&HeadSummary],
        cells: AttentionMask,
        (label, measure): (HeadLabel, &HeadR2),
        per_row: Option<usize>,
    ) -> Option<Thumbnails> {
        let thumbnail = |head: &&HeadSummary| {
            let mut thumbnail = self.0.get(&(head.layer, head.head))?.clone();
            thumbnail.label = label.text(head, cells, measure);
            Some(thumbnail)
        };
        (!heads.is_empty()).then(|| Thumbnails {
            cells: heads.iter().filter_map(thumbnail).collect(),
            per_row,
            open: None,
            table: grid_table(heads, cells, measure),
            summary: grid_summary(heads, cells, measure),
        })
    }
}

/// R² of every head in the order of the model, layers and heads counted from 1:
/// `layer,head,r2,causal_r2,peak_offset,causal_peak_offset`, then `r2_2d` for the patches of an image. If scores depend
/// on more than the offset, then R² of the scores minus their row means, which softmax ignores:
/// `r2_softmax,causal_r2_softmax` and `r2_2d_softmax`. If a head has no R², `r2_missing` gives the reason. R² weighted by
/// attention, under the mask of the figure, is `r2_attention`, once it is the measure.
fn grid_table(heads: &[&HeadSummary], cells: AttentionMask, measure: &HeadR2) -> Table {
    let mut heads = heads.to_vec();
    heads.sort_by_key(|head| (head.layer, head.head));
    let whole = |of: fn(&HeadSummary) -> i64| heads.iter().map(|head| of(head)).collect();
    let real = |of: fn(&HeadSummary) -> f64| heads.iter().map(|head| of(head)).collect();
    let table = Table::new()
        .with("layer", whole(|head| head.layer as i64 + 1))
        .with("head", whole(|head| head.head as i64 + 1))
        .with("r2", real(|head| head.r2))
        .with("causal_r2", real(|head| head.causal_r2))
        .with("peak_offset", whole(|head| head.peak_offset))
        .with("causal_peak_offset", whole(|head| head.causal_peak_offset));
    // Either all heads of a model have a grid or none has. The same holds for scores by offset.
    let with = |table: Table, name, of: &dyn Fn(&HeadSummary) -> Option<f64>| match heads
        .iter()
        .map(|head| of(head))
        .collect()
    {
        Some(numbers) if !heads.is_empty() => table.with(name, Column::Number(numbers)),
        _ => table,
    };
    let table = with(table, "r2_2d", &|head| head.r2_2d);
    let table = with(table, "r2_softmax", &|head| Some(head.softmax_r2?.all));
    let table = with(table, "causal_r2_softmax", &|head| {
        Some(head.softmax_r2?.causal)
    });
    let table = with(table, "r2_2d_softmax", &|head| head.softmax_r2?.on_grid);
    let table = with_missing(table, heads.iter().map(|head| head.no_r2(cells)));
    match measure {
        HeadR2::WeightedByAttention(_) => {
            let of_heads = heads.iter().map(|head| measure.of_head(head, cells));
            table.with("r2_attention", of_heads.collect())
        }
        HeadR2::Scores | HeadR2::WithoutRowMeans => table,
    }
}

/// States the number of heads, their mean R², and the most Toeplitz one by `measure`.
fn grid_summary(heads: &[&HeadSummary], cells: AttentionMask, measure: &HeadR2) -> String {
    let scored: Vec<(f64, &HeadSummary)> = heads
        .iter()
        .map(|head| (measure.of_head(head, cells), *head))
        .filter(|(r2, _)| r2.is_finite())
        .collect();
    let count = heads.len();
    let without = [NoR2::NotFinite, NoR2::NothingVaries, NoR2::DigitsLost]
        .into_iter()
        .map(|why| {
            let missing = heads.iter().filter(|head| head.no_r2(cells) == Some(why));
            match missing.count() {
                0 => String::new(),
                missing if missing == count => format!(" Their R² is not a number, because {why}."),
                1 => format!(" One of them has no R², because {why}."),
                missing => format!(" {missing} of them have no R², because {why}."),
            }
        });
    let without: String = without.collect();
    let Some((r2, most)) = scored.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return format!("{}.{without}", format_count(count, "head", "heads"));
    };
    let mean_of = |numbers: Vec<f64>| {
        let count = numbers.len() as f64;
        numbers.into_iter().sum::<f64>() / count
    };
    let mean = mean_of(scored.iter().map(|(r2, _)| *r2).collect());
    let r2_of_softmax: Option<Vec<f64>> = (scored.iter())
        .map(|(_, head)| Some(head.softmax_r2?.over(cells)).filter(|r2| r2.is_finite()))
        .collect();
    let r2_of_softmax = match (measure, r2_of_softmax) {
        (HeadR2::Scores, Some(r2_of_softmax)) => format!(
            " With the mean of each row subtracted, which softmax ignores, the mean R² is {}.",
            number(mean_of(r2_of_softmax))
        ),
        (HeadR2::Scores, None) => String::new(),
        (HeadR2::WithoutRowMeans, _) => {
            " R² is that of scores without row means, which softmax ignores.".to_owned()
        }
        (HeadR2::WeightedByAttention(_), _) => " R² is weighted by attention.".to_owned(),
    };
    format!(
        "{}, mean R² {}.{r2_of_softmax} The most Toeplitz is head {} of layer {} with an R² of {}.{without}",
        format_count(count, "head", "heads"),
        number(mean),
        most.head + 1,
        most.layer + 1,
        number(*r2)
    )
}

/// Returns the caption: how many of a model's heads are computed, and the number below each. `in_rows`: a row is a
/// layer.
#[must_use]
pub fn grid_caption(come: usize, all: usize, in_rows: bool, label: HeadLabel) -> String {
    let come = match all {
        0 => String::new(),
        _ if come < all => format!("{come} of {all} heads so far. "),
        _ => format!("All {all} heads. "),
    };
    let rows = if in_rows { "Each row is a layer. " } else { "" };
    let number = match label {
        HeadLabel::R2 => "its R²",
        HeadLabel::PeakOffset => "its peak offset",
    };
    format!(
        "{come}{rows}The number below each head is {number}. Open a head with a click or the arrow keys; with Shift and a click, see another beside it."
    )
}

/// Returns the label of a head's button: its layer and number from 1, and its R².
#[must_use]
pub fn button_label((layer, head): (usize, usize), r2: f64) -> String {
    let (layer, head) = (layer + 1, head + 1);
    if r2.is_finite() {
        format!("layer {layer}, head {head}, R² {r2:.3}")
    } else {
        format!("layer {layer}, head {head}, R² not a number")
    }
}

/// Returns the first sentence of a caption: the open head and its R², with and without the row means, which softmax
/// ignores.
#[must_use]
pub fn headline(
    (layer, head): (usize, usize),
    detail: &HeadDetail,
    cells: AttentionMask,
) -> String {
    let r2 = match cells {
        AttentionMask::Whole => detail.fit.r2,
        AttentionMask::Causal => detail.causal_r2,
    };
    // The fit over all cells may have an R² while the cells j ≤ i are constant.
    let why = detail.fit.no_r2().unwrap_or(NoR2::NothingVaries);
    let phrase = match detail
        .grid_fit
        .as_ref()
        .filter(|_| cells == AttentionMask::Whole)
    {
        _ if !r2.is_finite() => format!("R² is not a number, because {why}"),
        Some(fit) => format!("R² in two dimensions {:.4}, row by row {r2:.4}", fit.r2),
        None => format!("R² {r2:.4}"),
    };
    let sentence = detail.softmax_r2.map(|r2| r2.over(cells));
    let sentence = sentence
        .filter(|r2| r2.is_finite())
        .map_or_else(String::new, |r2| {
            format!(
                " With the mean of each row subtracted, R² is {r2:.4}; softmax ignores these means."
            )
        });
    format!(
        "Layer {}, head {}: {phrase}.{sentence}",
        layer + 1,
        head + 1
    )
}

/// Plots a few rows of a head's matrix, aligned at the diagonal: the scores of a few queries for each key.
#[must_use]
pub fn sections(detail: &HeadDetail, cells: AttentionMask, range: (f64, f64)) -> Plot {
    let series: Vec<Series> = detail
        .sections
        .iter()
        .enumerate()
        .map(|(at, section)| {
            let scores = section.scores.iter().take(visible_keys(section, cells));
            let scores = scores.map(|&v| f64::from(v));
            let (name, first) = (format!("query {}", section.query), section.query as i64);
            Series::new(name, -first, scores.collect())
                .ink(Ink::Category(at))
                .in_legend()
        })
        .collect();
    Plot::over(Axis::Offset)
        .vertical("score")
        .with_table(section_table(detail, cells))
        .series(series)
        .horizontal_range(range)
        .aspect(0.42)
        .with_summary("Five rows of the matrix, aligned at k = 0.")
}

/// Returns the number of keys of a query's row.
fn visible_keys(section: &Section, cells: AttentionMask) -> usize {
    match cells {
        AttentionMask::Whole => section.scores.len(),
        AttentionMask::Causal => section.query + 1,
    }
}

/// `section,query,offset,key,score`: one row per cell, sections counted from 1.
fn section_table(detail: &HeadDetail, cells: AttentionMask) -> Table {
    let rows = || {
        let sections = detail.sections.iter().zip(1..);
        sections.flat_map(|(section, at)| {
            let scores = section.scores.iter().take(visible_keys(section, cells));
            scores.zip(0..).map(move |(&score, key)| {
                let query = section.query as i64;
                ([at, query, key - query, key], f64::from(score))
            })
        })
    };
    let whole = |of: usize| rows().map(|(whole, _)| whole[of]).collect();
    Table::new()
        .with("section", whole(0))
        .with("query", whole(1))
        .with("offset", whole(2))
        .with("key", whole(3))
        .with("score", rows().map(|row| row.1).collect())
}

/// Direction of an arrow key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrow {
    /// The previous place.
    Left,
    /// The next place.
    Right,
    /// The line above.
    Up,
    /// The line below.
    Down,
}

/// Returns the place to which an arrow key moves the focus. Lines may differ in length: up and down move to the place
/// with the nearest x.
#[must_use]
pub fn next_place(places: &[Rect], from: usize, arrow: Arrow) -> Option<usize> {
    let here = places.get(from)?;
    let lines = places.iter().map(|place| place.y);
    let line = match arrow {
        Arrow::Left => return from.checked_sub(1),
        Arrow::Right => return Some(from + 1).filter(|at| *at < places.len()),
        Arrow::Up => lines.filter(|y| *y < here.y).max_by(f64::total_cmp),
        Arrow::Down => lines.filter(|y| *y > here.y).min_by(f64::total_cmp),
    }?;
    let in_line = places
        .iter()
        .enumerate()
        .filter(|(_, place)| place.y == line);
    let distance = |place: &Rect| (place.x - here.x).abs();
    let nearest = in_line.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    nearest.map(|(at, _)| at)
}
