//! Figures: query answers as pictures, independent of any browser.
//!
//! A [`Figure`] renders at a given width to a [`Scene`], a list of marks in CSS pixels with named colours.
//! [`paint()`](paint::paint) draws scenes with the backends of plotters, on the page's canvases and on bitmaps in
//! tests. [`svg`] writes them as text, and tests can also inspect them directly. The overlay for the cursor is a
//! separate scene, so that moving the cursor does not redraw the data.
//!
//! The layout is done here and not by the charts of plotters. Those measure text with inline styles, which the page's
//! Content-Security-Policy forbids, paint heatmaps as single rectangles, and would take an eighth of the page's size
//! budget.

mod attention_sinks;
pub mod attention_stats;
mod bar_chart;
mod color_bar;
mod color_map;
mod counts;
mod criteria_table;
mod cursor;
pub mod demonstration;
mod encoding_profiles;
mod flat_lines;
mod formula_term;
mod grid_profile;
mod head_entropy;
pub mod head_pair;
mod head_patterns;
mod head_shares;
pub mod heads;
mod heatmap;
mod highlighted_cells;
pub mod images;
pub mod kernel_fits;
mod kernel_function;
mod layer_sections;
mod layer_taps;
mod lipschitz_cone;
mod margins;
mod matrix_panels;
pub mod model_comparison;
mod model_matrices;
mod near_zero;
pub mod paint;
mod panel_heading;
mod patch_picture;
mod phasors;
mod planted_waves;
mod plot;
mod plot_panels;
mod position_budget;
mod position_dependence;
mod printed_color_scale;
mod rect;
mod rotary_angles;
mod rotary_frequencies;
mod row_marks;
mod scale;
pub(crate) mod scene;
mod score_table;
mod score_terms;
mod share;
mod share_chart;
mod shuffle;
pub mod svg;
mod table;
mod table_pair;
pub mod text;
pub mod text_attention;
mod theme;
mod thumbnails;
mod toeplitz_scores;
pub mod training;
pub mod training_timeline;
mod value_range;
pub mod wave_comparison;
pub mod waves;
mod words;

use crate::{analysis::MatrixTile, math::Tile};
use std::sync::Arc;

pub use attention_sinks::sink_bars;
pub use bar_chart::{Bar, BarChart, BarRow, BarScale};
pub use color_bar::ColorBar;
pub use color_map::{COLOR_MAPS, ColorMap};
pub use counts::parameter_counts;
pub use criteria_table::Judgements;
pub use cursor::Cursor;
pub use encoding_profiles::{EncodingProfiles, is_scheme_dashed, scheme_ink};
pub use flat_lines::FlatLines;
pub use formula_term::{FormulaTerm, next_term, part_name};
pub use grid_profile::{GridProfile, patch_rotation_caption};
pub use head_entropy::entropy_bars;
pub use head_patterns::{
    head_patterns, offset_maps, pattern_labels, patterns_caption, shared_profile_words,
};
pub use head_shares::{HeadShares, ModelShares};
pub use heatmap::Heatmap;
pub use kernel_function::{HeadGuide, kernel_function};
pub use layer_sections::{SectionLook, layer_sections, sections_caption};
pub use layer_taps::layer_taps;
pub use lipschitz_cone::{cone_words, lipschitz_cone};
pub use matrix_panels::{MatrixPanel, MatrixPanels};
pub use model_matrices::{ModelMatrix, matrices_caption, model_matrices};
pub use near_zero::{needs_all_offsets, offsets_around, shown_offsets};
pub use patch_picture::{PatchPicture, patch_caption};
pub use phasors::Phasors;
pub use planted_waves::{peak_words, planted_attention, planted_waves, shift_words};
pub use plot::{
    Axis, AxisScale, Band, Dots, Handle, Plot, PlotAxis, PlotMark, ScatterPoint, Series,
    StackedPlot, StatedRanges, Strip, ValueRaster,
};
pub use plot_panels::{PlotPanel, PlotPanels};
pub use position_budget::budget_bars;
pub use position_dependence::position_dependence;
pub use printed_color_scale::ColourScale;
pub use rect::Rect;
pub use rotary_angles::{AngleChange, length_words, rotary_angles};
pub use rotary_frequencies::{
    FrequencyColours, FrequencyLook, FrequencyMap, frequency_map, pair_reading, pairs_in_use,
};
pub use row_marks::{RowMark, row_marks};
pub use scale::{LinearScale, format_signed, group_thousands, number, ordinal, percent};
pub use scene::{Extent, Mark, Raster, Scene, panel_letter};
pub use score_table::{ScoreRow, ScoreTable};
pub use score_terms::{TermChoices, score_terms};
pub use share::Share;
pub use share_chart::ShareChart;
pub use shuffle::Shuffle;
pub use table::{Column, FullTable, Table};
pub use table_pair::table_pair;
pub use text::Anchor;
pub use theme::{DARK, Ink, LIGHT, PRINT, Theme};
pub use thumbnails::{Thumbnail, Thumbnails};
pub use toeplitz_scores::{
    ALL_TOEPLITZ, both_r2, chance_words, headline_number, headline_words, is_all_toeplitz,
    score_bars, short_r2,
};
pub use value_range::ValueRange;

/// A picture as a value. `Debug` is not a supertrait: through the trait object, the page would contain the formatting
/// code of every figure.
pub trait Figure {
    /// Returns the height in CSS pixels at a width.
    fn height(&self, width: f64) -> f64;

    /// Returns the figure in another height at this width, if its height is free, as that of a line chart is.
    ///
    /// Legends and axes keep their sizes. The height that results may differ where space is short.
    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let _ = (width, height);
        None
    }

    /// Returns the picture at a width.
    fn scene(&self, width: f64) -> Scene;

    /// Returns the marks that the cursor adds.
    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let _ = cursor;
        Scene::new(width, self.height(width))
    }

    /// Returns the cursor at a point of the figure. `None` outside of the data.
    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let _ = (width, x, y);
        None
    }

    /// Returns the cursor some places below and to the right of `cursor`, where the places of the figure are not cells
    /// of a matrix; where the cursor is in another figure, a place of this one. `None` for all other figures.
    fn step_cursor(&self, cursor: Option<Cursor>, (down, right): (i64, i64)) -> Option<Cursor> {
        let _ = (cursor, down, right);
        None
    }

    /// Returns the index of the drag handle near (`x`, `y`).
    fn handle_at(&self, width: f64, x: f64, y: f64) -> Option<usize> {
        let _ = (width, x, y);
        None
    }

    /// Returns the offset and value at a point.
    fn point_at(&self, width: f64, x: f64, y: f64) -> Option<(f64, f64)> {
        let _ = (width, x, y);
        None
    }

    /// Returns the heatmap, if the figure is one. Its blocks can be replaced by finer ones.
    fn as_heatmap(&self) -> Option<&Heatmap> {
        None
    }

    /// Returns the questions for finer blocks of its matrices, each with the number of its panel, where the drawn
    /// blocks are coarser than the dots of a picture of this width: `dots` for each pixel.
    fn finer_tiles(&self, width: f64, dots: f64) -> Vec<(usize, MatrixTile)> {
        let _ = (width, dots);
        Vec::new()
    }

    /// Returns the figure with these blocks, the answers to [`Self::finer_tiles`].
    fn with_tiles(&self, tiles: Vec<(usize, Tile)>) -> Option<Arc<dyn Figure + Send + Sync>> {
        let _ = tiles;
        None
    }

    /// Returns the frame of its plot, if it has two axes.
    fn plot_frame(&self, width: f64) -> Option<Rect> {
        let _ = width;
        None
    }

    /// Returns the name of its vertical axis if the figure draws it, otherwise an empty string.
    fn vertical_name(&self) -> &'static str {
        ""
    }

    /// Returns the parts of the picture that stand for terms of formulas, each with its term, in the order in which they
    /// are drawn. The term of a whole picture is in the specification of the figure.
    fn terms(&self, width: f64) -> Vec<(FormulaTerm, Rect)> {
        let _ = width;
        Vec::new()
    }

    /// Returns the frames of its parts, if they can be selected individually.
    fn places(&self, width: f64) -> Vec<Rect> {
        let _ = width;
        Vec::new()
    }

    /// Describes the picture in a sentence or two with numbers.
    fn summary(&self) -> String;

    /// Returns the numbers behind the picture, or a coarse view of them if there are too many to read.
    fn table(&self) -> Table;
}
