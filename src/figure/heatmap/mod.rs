//! A matrix as an image: one colour per block, a colour bar, and ticks on both axes.

mod drawing;

use super::{
    Axis, ColorMap, Cursor, Raster, RowMark,
    color_bar::MarkedValue,
    color_map::Palette,
    value_range::{Span, ValueRange},
};
use crate::math::{AttentionMask, Tile};
use std::sync::{Arc, OnceLock};

/// Percent of the cells of a causal map that may exceed the colours, since only the first queries reach such values.
const FIRST_QUERIES: f64 = 1.0;

/// Axes and bar around a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dress {
    /// Axes and a colour bar.
    Full,
    /// Only axes. The matrix is one of several that share a bar.
    Axes,
    /// Only a colour bar.
    Bar,
    /// Neither. The matrix is one of several that share a bar.
    Bare,
}

/// A matrix with its colours.
#[derive(Debug, Clone)]
pub struct Heatmap {
    tile: Arc<Tile>,
    map: ColorMap,
    down: Axis,
    across: Axis,
    /// Numbers of the first row and column on the axes.
    first: (i64, i64),
    span: Span,
    /// Computed on first access. A given range needs no percentiles.
    range: OnceLock<ValueRange>,
    /// Least and greatest cell behind block means, if known.
    cells: Option<(f32, f32)>,
    marked_value: Option<MarkedValue>,
    /// Marks on the axis of rows.
    row_marks: Vec<RowMark>,
    square: bool,
    dress: Dress,
    /// Whether a picture that replaces this one may show block means.
    may_be_blocks: bool,
    raster: OnceLock<Arc<Raster>>,
}

impl Heatmap {
    /// A matrix of queries and keys. `clip` percent of the values at either end are beyond the colour bar.
    #[must_use]
    pub fn matrix(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        Self::new(tile, map, clip, Axis::Query, Axis::Key, true)
    }

    /// Names the axes “position i” and “position j”, for a matrix that compares positions and has no queries and keys.
    /// The columns of its table keep their names, `query` and `key_0`, ….
    #[must_use]
    pub fn of_positions(self) -> Self {
        Self {
            down: Axis::PositionI,
            across: Axis::PositionJ,
            ..self
        }
    }

    /// An attention map of n keys. Its colours range from zero to at least 2/n. The mark 1/n is the value of every cell
    /// if attention is uniform, so a nearly uniform map looks uniform.
    ///
    /// In a causal map the first queries have few keys, the first one only one. Values that only they reach are beyond
    /// the colours.
    #[must_use]
    pub fn attention(tile: Arc<Tile>, map: ColorMap, n: usize, cells: AttentionMask) -> Self {
        // Attention is never negative, so half of a diverging map would be unused.
        let map = if map.is_diverging() {
            ColorMap::Viridis
        } else {
            map
        };
        let uniform = 1.0 / n.max(1) as f64;
        let clip = match cells {
            AttentionMask::Whole => 0.0,
            AttentionMask::Causal => FIRST_QUERIES,
        };
        Self {
            span: Span::Shares(clip, 2.0 * uniform),
            marked_value: Some((uniform, "1/n")),
            ..Self::matrix(tile, map, clip)
        }
    }

    /// A table of positions and dimensions.
    #[must_use]
    pub fn table(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        Self::new(tile, map, clip, Axis::Position, Axis::Dimension, false)
    }

    /// A map of offsets (Δy, Δx) with (0, 0) in the middle.
    #[must_use]
    pub fn offsets(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        let middle = |length: usize| -(length as i64 / 2);
        let first = (
            middle(tile.window.rows.len()),
            middle(tile.window.cols.len()),
        );
        Self {
            first,
            ..Self::new(tile, map, clip, Axis::Down, Axis::Across, true)
        }
    }

    fn new(
        tile: Arc<Tile>,
        map: ColorMap,
        clip: f64,
        down: Axis,
        across: Axis,
        square: bool,
    ) -> Self {
        Self {
            span: Span::Values(clip),
            range: OnceLock::new(),
            cells: tile.cells,
            tile,
            map,
            down,
            across,
            first: (0, 0),
            marked_value: None,
            row_marks: Vec::new(),
            square,
            dress: Dress::Full,
            may_be_blocks: false,
            raster: OnceLock::new(),
        }
    }

    /// Removes the axes, for a small matrix among others. Keeps the colour bar if `bar`.
    #[must_use]
    pub fn small(mut self, bar: bool) -> Self {
        self.dress = if bar { Dress::Bar } else { Dress::Bare };
        self
    }

    /// Removes the colour bar, for a matrix among others that share one.
    #[must_use]
    pub fn without_bar(self) -> Self {
        Self {
            dress: Dress::Axes,
            ..self
        }
    }

    /// Whether the matrix has a colour bar of its own.
    #[must_use]
    pub fn has_bar(&self) -> bool {
        matches!(self.dress, Dress::Full | Dress::Bar)
    }

    /// Returns the colour map.
    #[must_use]
    pub fn color_map(&self) -> ColorMap {
        self.map
    }

    /// Fixes the range of the colours; see [`ValueRange::union`].
    #[must_use]
    pub fn with_range(self, ends: (f64, f64)) -> Self {
        Self {
            span: Span::Given(ends),
            range: OnceLock::new(),
            raster: OnceLock::new(),
            ..self
        }
    }

    /// Sets the marks on the axis of rows. A matrix without axes does not draw them.
    #[must_use]
    pub fn with_row_marks(self, row_marks: Vec<RowMark>) -> Self {
        Self { row_marks, ..self }
    }

    /// Sets the least and greatest cell behind the block means, unless the tile has them.
    #[must_use]
    pub fn with_cells(mut self, range: Option<(f32, f32)>) -> Self {
        self.cells = self.cells.or(range);
        self
    }

    /// Reserves space for the lines about block means, if `limit` blocks per side would require them. So the height
    /// stays the same when block means replace this picture during a drag.
    #[must_use]
    pub fn high_enough_for(self, limit: usize) -> Self {
        Self {
            may_be_blocks: self.tile.window.step(limit) > 1,
            ..self
        }
    }

    /// Removes the space of [`Self::high_enough_for`], for a picture that no other replaces.
    #[must_use]
    pub fn without_reserve(self) -> Self {
        Self {
            may_be_blocks: false,
            ..self
        }
    }

    /// Replaces the blocks of the same matrix or window. Colours that span the values are computed again; a given range
    /// stays.
    #[must_use]
    pub fn with_tile(self, tile: Arc<Tile>) -> Self {
        Self {
            cells: tile.cells.or(self.cells),
            tile,
            range: OnceLock::new(),
            raster: OnceLock::new(),
            ..self
        }
    }

    /// Returns the picture a share `t` of the way from this matrix to another: its values and colours are interpolated, and
    /// its axes are those of the other. `None` unless both have the same blocks.
    #[must_use]
    pub fn between(&self, other: &Self, t: f64) -> Option<Self> {
        let tile = self.tile.between(&other.tile, t as f32)?;
        Some(Self {
            range: OnceLock::from(self.range().between(other.range(), t)),
            ..other.clone().with_tile(Arc::new(tile))
        })
    }

    /// Returns the ranges of colours and values.
    #[must_use]
    pub fn range(&self) -> ValueRange {
        *(self.range).get_or_init(|| self.span.range(&self.tile.values, self.map))
    }

    /// Returns the drawn blocks.
    #[must_use]
    pub fn tile(&self) -> &Tile {
        &self.tile
    }

    /// Whether more blocks can be drawn than are, up to `limit` per side.
    #[must_use]
    pub fn is_coarser_than(&self, limit: usize) -> bool {
        let step = |cells: usize| cells.div_ceil(limit.max(1)).max(1);
        let window = &self.tile.window;
        self.tile.row_step > step(window.rows.len()) || self.tile.col_step > step(window.cols.len())
    }

    /// Returns the drawn value at the cursor.
    #[must_use]
    pub fn at(&self, cursor: Cursor) -> Option<f32> {
        let (i, j) = cursor.cell()?;
        self.tile.at(i, j)
    }

    /// Returns the pixels, one per block.
    #[must_use]
    pub fn raster(&self) -> Arc<Raster> {
        Arc::clone(self.raster.get_or_init(|| Arc::new(self.paint())))
    }

    fn paint(&self) -> Raster {
        let size = (self.tile.width(), self.tile.height());
        self.map.raster(size, |palette| self.colours(palette))
    }

    /// Returns the colour of each block. NaN is transparent.
    pub(super) fn colours(&self, palette: &Palette) -> Vec<[u8; 4]> {
        row_kernels::colours(&self.tile.values, self.range().ends, palette)
    }
}
