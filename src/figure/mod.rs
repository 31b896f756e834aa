//! Answers to pictures, as values.
//!
//! A [`Figure`] knows how it looks at a given width: it turns into a [`Scene`], a list of marks in CSS
//! pixels whose colours are names. [`paint()`](paint::paint) draws scenes by way of plotters' backends, on the
//! page's canvases and on the bitmaps of tests; [`svg`] writes the same scenes as text, and tests look at them
//! without either. The overlay, which follows the cursor, is a scene of its own, so that pointing repaints no data.
//!
//! What stands where is decided here and not by plotters' charts: they measure text with inline styles that the
//! page's Content-Security-Policy forbids, paint heatmaps by single rectangles, and would be an eighth of the page's
//! size budget.

pub mod attention_stats;
mod axis;
mod bars;
mod color_bar;
mod color_map;
mod counts;
mod criteria_table;
mod cursor;
pub mod demonstration;
mod encoding_profiles;
mod flat_lines;
mod frame;
mod grid_profile;
mod head_patterns;
mod head_shares;
pub mod heads;
mod heatmap;
mod highlighted_cells;
pub mod images;
pub mod kernel_fits;
mod kernel_function;
mod labelled_lines;
mod lines;
pub mod model_comparison;
mod near_zero;
pub mod paint;
mod patch_picture;
mod phasors;
mod plot;
mod printed_color_scale;
mod scale;
mod scatter;
pub(crate) mod scene;
mod score_table;
mod series;
mod share;
mod shuffle;
pub mod svg;
mod table;
pub mod text;
mod theme;
mod thumbnails;
mod toeplitz_scores;
pub mod training_timeline;
pub mod waves;

pub use axis::Axis;
pub use bars::{BarRow, Bars};
pub use color_bar::ColorBar;
pub use color_map::{COLOR_MAPS, ColorMap};
pub use counts::{Count, Counts, grouped};
pub use criteria_table::Judgements;
pub use cursor::Cursor;
pub use encoding_profiles::{EncodingProfiles, scheme_ink};
pub use flat_lines::FlatLines;
pub use grid_profile::GridProfile;
pub use head_patterns::{head_patterns, offset_maps, pattern_labels, patterns_caption};
pub use head_shares::{HeadShares, ModelShares};
pub use heatmap::{Heatmap, ValueRange};
pub use kernel_function::{HeadGuide, kernel_function};
pub use labelled_lines::Numbered;
pub use lines::{Handle, Lines};
pub use near_zero::{needs_all_offsets, shown_offsets};
pub use patch_picture::{PatchPicture, patch_caption};
pub use phasors::Phasors;
pub use printed_color_scale::ColourScale;
pub use scale::{LinearScale, number, ordinal, signed};
pub use scatter::{Dots, Scatter, ScatterPoint};
pub use scene::{Anchor, Extent, Ink, Mark, Raster, Rect, Scene};
pub use score_table::{ScoreRow, ScoreTable};
pub use series::{Band, Series};
pub use share::Share;
pub use shuffle::Shuffle;
pub use table::{Column, InFull, Table};
pub use theme::{DARK, LIGHT, PRINT, Theme};
pub use thumbnails::{Thumbnail, Thumbnails};
pub use toeplitz_scores::{
    ALL_TOEPLITZ, both_r2, chance_words, headline_number, headline_words, is_all_toeplitz,
    score_bars, seam_words, short_r2,
};

/// A picture as a value. It does not ask for `Debug`: through the pointer the page would carry the formatting of
/// every number a figure holds.
pub trait Figure {
    /// Height in CSS pixels at a width.
    fn height(&self, width: f64) -> f64;

    /// What it looks like at a width.
    fn scene(&self, width: f64) -> Scene;

    /// What the cursor adds.
    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let _ = cursor;
        Scene::new(width, self.height(width))
    }

    /// What a point of the figure points at: nothing that the figure does not have.
    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let _ = (width, x, y);
        None
    }

    /// The point near (`x`, `y`) that can be pulled at, by its number.
    fn handle_at(&self, width: f64, x: f64, y: f64) -> Option<usize> {
        let _ = (width, x, y);
        None
    }

    /// The offset and value at a point.
    fn point_at(&self, width: f64, x: f64, y: f64) -> Option<(f64, f64)> {
        let _ = (width, x, y);
        None
    }

    /// The matrix that the figure is, if it is one: its blocks can be exchanged for finer ones.
    fn as_heatmap(&self) -> Option<&Heatmap> {
        None
    }

    /// Where its plot stands, if it has two axes.
    fn plot_frame(&self, width: f64) -> Option<Rect> {
        let _ = width;
        None
    }

    /// The name of its vertical axis, where it draws that itself; empty otherwise.
    fn vertical_name(&self) -> &'static str {
        ""
    }

    /// Where its parts stand, if they can be chosen one by one.
    fn places(&self, width: f64) -> Vec<Rect> {
        let _ = width;
        Vec::new()
    }

    /// What the picture shows, in a sentence or two of numbers.
    fn summary(&self) -> String;

    /// The numbers behind it, or a coarse view of them where there are too many to read.
    fn table(&self) -> Table;
}
