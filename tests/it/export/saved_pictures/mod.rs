//! Saved pictures, one file per part of them; here is what the files share: the shipped font, an example, and its
//! sheet.

mod file_names;
mod labels;
mod metadata;
mod outlines;
mod panel_sheets;
mod sheets;

use crate::support::root;
use crate::{figure::pictures::tile, support::spec};
use diagonal::{
    export::{FigureLabels, Heading, LabelContext, Provenance, Sheet, SheetWidth, TextOutlines},
    figure::{ColorMap, Figure, Heatmap, Mark, Scene},
    math::{AttentionMask, Tile, Window},
    model::PositionKind,
    url_state::Link,
};
use std::sync::Arc;

/// The shipped font.
pub(crate) fn font() -> Vec<u8> {
    let path = root().join("www/fonts/inter.otf");
    std::fs::read(path).expect("the font")
}

fn matrix() -> Heatmap {
    let tile = tile(Window::whole(24, 24), 1, |i, j| {
        (i.abs_diff(j) % 12) as f32 / 4.0
    });
    Heatmap::matrix(Arc::new(tile), ColorMap::Viridis, 0.0)
}

fn words(figure: &str, query: &str) -> FigureLabels {
    let (link, _) = Link::parse(query);
    FigureLabels::new(LabelContext {
        figure: spec(figure),
        link: &link,
        cells: AttentionMask::Whole,
        kind: PositionKind::Table,
        text_tokens: None,
    })
}

fn sheet_of(figure: &dyn Figure, words: &FigureLabels, width: SheetWidth) -> Scene {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let sheet = Sheet {
        figure,
        title: "How alike are two positions?",
        subject: "minilm-l6, 512 positions, width 384",
        words,
        width,
        heading: Heading::Title,
    };
    sheet.scene(&letters)
}

/// Texts on a sheet, in order.
fn texts(scene: &Scene) -> Vec<&str> {
    let text = |mark| match mark {
        &Mark::Letters { ref text, .. } | &Mark::Text { ref text, .. } => Some(text.as_str()),
        _ => None,
    };
    scene.marks.iter().filter_map(text).collect()
}

fn provenance(title: &str) -> Provenance {
    Provenance {
        title: title.into(),
        description: "Two < three & \"four\". Значения, 値.".into(),
        source: "https://example.org/?view=positions&model=file&file=a%20b#position-matrix".into(),
        hash: Some(0x0123_4567_89ab_cdef),
    }
}

/// A square matrix with an outlier at either end of its range.
fn with_outliers(low: f32, high: f32, step: usize, cells: Option<(f32, f32)>) -> Heatmap {
    let n = 40 * step;
    let mut tile = tile(Window::whole(n, n), step, |i, j| {
        low / 16.0 + (high - low) / 16.0 * ((i * 7 + j * 3) % 11) as f32 / 11.0
    });
    (tile.values[0], tile.values[1]) = (low, high);
    let tile = Tile { cells, ..tile };
    Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, 1.0)
}
