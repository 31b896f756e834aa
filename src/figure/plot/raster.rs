//! A matrix of values as colours over the whole area of a plot, with a colour bar below it.
//!
//! A [`crate::figure::Heatmap`] has integer rows and columns; here both sides are angles, frequencies or values.

use super::{Plot, PlotMark};
use crate::figure::{
    ColorMap, Raster, Rect, Scene, ValueRange,
    color_bar::{self, BAR, BAR_LABELS},
};
use row_kernels::finite_range;
use std::sync::{Arc, OnceLock};

/// Space above the bar.
const BAR_GAP: f64 = 10.0;
/// Share of the values that may be beyond the upper end of the colours. Otherwise a single peak would leave all others
/// dark.
const BEYOND: f64 = 0.005;

/// A matrix of values as colours.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueRaster {
    /// Values in rows from the top, `columns` each.
    pub values: Vec<f32>,
    /// Number of values per row.
    pub columns: usize,
    /// The colour map.
    pub map: ColorMap,
    /// Values at the ends of the colours; `None` for 0, or the least value below it, and nearly the greatest.
    ends: Option<(f64, f64)>,
    raster: OnceLock<(Arc<Raster>, Option<ValueRange>)>,
}

impl ValueRaster {
    /// Creates the matrix from values in rows from the top.
    #[must_use]
    pub fn new(values: Vec<f32>, columns: usize) -> Self {
        Self {
            values,
            columns: columns.max(1),
            map: ColorMap::Viridis,
            ends: None,
            raster: OnceLock::new(),
        }
    }

    /// Sets the values at the ends of the colours, for matrices that share them.
    #[must_use]
    pub fn with_ends(self, ends: (f64, f64)) -> Self {
        Self {
            ends: Some(ends),
            raster: OnceLock::new(),
            ..self
        }
    }

    /// Returns the pixels, one per value.
    pub(super) fn pixels(&self) -> Arc<Raster> {
        Arc::clone(&self.paint().0)
    }

    /// Returns the range of the colours and of the values. `None` if no value is finite.
    #[must_use]
    pub fn range(&self) -> Option<ValueRange> {
        self.paint().1
    }

    /// Returns the pixels and the range, which are computed once.
    fn paint(&self) -> &(Arc<Raster>, Option<ValueRange>) {
        self.raster.get_or_init(|| {
            let finite = finite_range(&self.values);
            let ends = finite.unwrap_or((0.0, 1.0));
            let mut sorted: Vec<f32> = self
                .values
                .iter()
                .copied()
                .filter(|v| v.is_finite())
                .collect();
            let low = ends.0.min(0.0);
            let mut high = ends.1;
            if let Some(last) = sorted.len().checked_sub(1).filter(|last| *last > 0) {
                let place = last - (BEYOND * last as f64) as usize;
                high = *sorted.select_nth_unstable_by(place, f32::total_cmp).1;
            }
            let high = if high > low { high } else { low + 1.0 };
            let (low, high) = self.ends.unwrap_or((low.into(), high.into()));
            let size = (self.columns, self.values.len() / self.columns);
            let raster = self.map.raster(size, |palette| {
                row_kernels::colours(&self.values, (low, high), palette)
            });
            let range = ValueRange {
                ends: (low, high),
                values: (f64::from(ends.0), f64::from(ends.1)),
            };
            (Arc::new(raster), finite.map(|_| range))
        })
    }
}

impl Plot {
    /// Returns the matrix of values behind the other marks, if there is one.
    pub(super) fn raster(&self) -> Option<&ValueRaster> {
        self.marks.iter().find_map(|mark| match mark {
            PlotMark::Raster(raster) => Some(raster),
            _ => None,
        })
    }

    /// Returns the height of the colour bar and its labels below a plot of this width.
    pub(super) fn bar_height(&self, width: f64) -> f64 {
        self.raster().map_or(0.0, |raster| {
            let words = |range| color_bar::words_height(range, width);
            BAR_GAP + BAR + BAR_LABELS + raster.range().map_or(0.0, words) + 2.0
        })
    }

    /// Draws the colour bar below `top`, as wide as the plot.
    pub(super) fn draw_bar(&self, scene: &mut Scene, frame: &Rect, top: f64) {
        let bar = Rect {
            y: top + BAR_GAP,
            height: BAR,
            ..*frame
        };
        if let Some(raster) = self.raster()
            && let Some(range) = raster.range()
        {
            color_bar::draw(scene, bar, raster.map, range);
        }
    }
}
