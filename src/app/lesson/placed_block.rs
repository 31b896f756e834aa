//! Figures and controls of a presented step as page elements: their heights at a width, and their positions.
//!
//! Blocks are measured at a few widths, [`arrange`] chooses their widths, and the style sheet positions elements with
//! `data-placed` by three custom properties. If nothing fits, all letters in the pane shrink in steps.

use crate::{
    app::figure::view::AnyFigure,
    lesson_checks::arrangement::{Arrangement, Pane, PaneBlock, arrange},
};
use leptos::prelude::document;
use std::cmp::Ordering;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

/// Font-size factors of the pane, tried in this order.
const FACTORS: [f64; 7] = [1.0, 0.9, 0.8, 0.72, 0.65, 0.58, 0.5];

/// Fractions of the pane's width at which a figure's parts around its picture are measured.
const MEASUREMENT_WIDTHS: [f64; 7] = [1.0, 0.75, 0.6, 0.48, 0.38, 0.28, 0.2];

/// Minimum width of a figure or group of controls, in rem: a seventh of a projector of 1280 × 720, also at small font
/// sizes.
const LEAST: f64 = 9.5;

/// A figure or group of controls in the pane.
pub(super) struct PlacedBlock {
    pub(super) element: HtmlElement,
    /// The figure, if it is drawn on one canvas.
    figure: Option<AnyFigure>,
    /// The canvases of the picture and of the cursor overlay.
    canvases: Vec<HtmlElement>,
    is_figure: bool,
}

impl PlacedBlock {
    /// Creates a block for a `<figure>` element and its figure.
    pub(super) fn figure(element: HtmlElement, picture: Option<AnyFigure>) -> Self {
        let canvases: Vec<HtmlElement> = ["picture", "overlay"]
            .into_iter()
            .filter_map(|name| part(&element, &format!(".stage > .figure-view > .{name}")))
            .collect();
        Self {
            figure: picture.filter(|_| !canvases.is_empty()),
            element,
            canvases,
            is_figure: true,
        }
    }

    /// Creates a block for controls beside figures.
    pub(super) fn controls(element: HtmlElement) -> Self {
        Self {
            element,
            figure: None,
            canvases: Vec::new(),
            is_figure: false,
        }
    }

    /// Returns the height of the picture at a given block width, in CSS pixels; 0 without a picture.
    pub(super) fn picture_height(&self, width: f64, scale: f64) -> f64 {
        let figure = self.figure.as_ref();
        figure.map_or(0.0, |figure| scale * figure.height(width / scale))
    }

    /// Returns how much the block gains from width, for [`arrange`]: most for a matrix, which grows in both directions,
    /// less for a line chart, least for a list, whose height is the same at all widths. 0 for controls.
    fn weight(&self, width: f64, scale: f64) -> f64 {
        if !self.is_figure {
            return 0.0;
        }
        let (narrow, wide) = (0.4 * width, 0.6 * width);
        let rise = self.picture_height(wide, scale) - self.picture_height(narrow, scale);
        0.7 + 0.8 * (rise / (wide - narrow)).clamp(0.0, 1.0)
    }

    /// Sets the canvases' height to the height that the picture will have once painted.
    fn take_height(&self, width: f64, scale: f64) {
        let height = self.picture_height(width, scale);
        if self.figure.is_some() {
            for canvas in &self.canvases {
                set_property(canvas, "height", &format!("{height}px"));
            }
        }
    }

    /// Returns the block's height without its picture, in CSS pixels; infinite if `fits_across` is set and a table or
    /// controls are wider than the block. Controls higher than the window scroll, and count with their full height.
    fn height_around(&self, fits_across: bool) -> f64 {
        let inside = if self.is_figure {
            part(&self.element, "table").map_or(0, |table| table.offset_width())
        } else {
            self.element.scroll_width()
        };
        if fits_across && inside > self.element.client_width() + 1 {
            return f64::INFINITY;
        }
        let picture = self.figure.as_ref().and(self.canvases.first());
        let picture = picture.map_or(0, HtmlElement::offset_height);
        let height = if self.is_figure {
            self.element.offset_height()
        } else {
            self.element.scroll_height()
        };
        f64::from(height - picture)
    }
}

/// Chooses the largest font-size factor at which the blocks fit the pane, and the blocks' widths. If nothing fits, the
/// pane is assumed higher than it is, and scrolls. `unit` is CSS pixels per figure unit at a factor of 1, `rem` is CSS
/// pixels per rem.
pub(super) fn choose(
    main: &HtmlElement,
    pane: &Pane,
    blocks: &[PlacedBlock],
    (unit, rem): (f64, f64),
    largest: f64,
) -> Option<(Arrangement, f64)> {
    for factor in FACTORS.into_iter().filter(|factor| *factor <= largest) {
        set_property(main, "--fit", &factor.to_string());
        let arrangement = arrange_at(pane, blocks, unit * factor, LEAST * rem, true);
        if let Some(arrangement) = arrangement {
            return Some((arrangement, factor));
        }
    }
    let last = FACTORS[FACTORS.len() - 1];
    let at_height = |times: i32| {
        let height = pane.height * 1.25_f64.powi(times);
        let higher = Pane { height, ..*pane };
        arrange_at(&higher, blocks, unit * last, LEAST * rem, false)
    };
    Some(((1..16).find_map(at_height)?, last))
}

/// Sets the blocks' widths and corners. Returns their heights and the lowest edge, in CSS pixels.
pub(super) fn place(
    arrangement: &Arrangement,
    pane: &Pane,
    blocks: &[PlacedBlock],
    scale: f64,
) -> (Vec<i32>, f64) {
    for (block, width) in blocks.iter().zip(&arrangement.widths) {
        set_property(&block.element, "--w", &format!("{width}px"));
        block.take_height(*width, scale);
    }
    let heights = blocks.iter().map(|block| block.element.offset_height());
    let heights: Vec<i32> = heights.collect();
    let high: Vec<f64> = heights.iter().copied().map(f64::from).collect();
    let mut bottom = 0.0_f64;
    let corners = arrangement.corners(pane.gap, &high);
    for ((block, (x, y)), height) in blocks.iter().zip(corners).zip(&high) {
        set_property(&block.element, "--x", &format!("{x}px"));
        set_property(&block.element, "--y", &format!("{y}px"));
        bottom = bottom.max(y + height);
    }
    (heights, bottom)
}

/// Arranges blocks at `scale` CSS pixels per figure unit. With `fits_across`, no table and no controls may be wider
/// than their block.
fn arrange_at(
    pane: &Pane,
    blocks: &[PlacedBlock],
    scale: f64,
    least: f64,
    fits_across: bool,
) -> Option<Arrangement> {
    // Heights without pictures at each measured width, widest first.
    let mut around: Vec<(f64, Vec<f64>)> = Vec::new();
    for share in MEASUREMENT_WIDTHS {
        let width = (pane.width * share).floor();
        for block in blocks {
            set_property(&block.element, "--w", &format!("{width}px"));
        }
        around.push((
            width,
            blocks
                .iter()
                .map(|block| block.height_around(fits_across))
                .collect(),
        ));
    }
    let arranged: Vec<PaneBlock> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            let around = &around;
            // Narrower blocks are higher, so round down to the next measured width.
            let height_around = move |width: f64| {
                let measured = around.iter().find(|(measured, _)| *measured <= width);
                measured.or(around.last()).map_or(0.0, |(_, all)| all[at])
            };
            PaneBlock {
                least: least.min(pane.width),
                weight: block.weight(pane.width, scale),
                height: Box::new(move |width| {
                    height_around(width) + block.picture_height(width, scale)
                }),
            }
        })
        .collect();
    arrange(pane, &arranged)
}

pub(super) fn release(element: &HtmlElement) {
    // Ignored: the attribute or property may be missing.
    let _ = element.remove_attribute("data-placed");
    for property in ["--x", "--y", "--w"] {
        let _ = element.style().remove_property(property);
    }
}

pub(super) fn set_property(element: &HtmlElement, name: &str, value: &str) {
    // Ignored: a length or number is always accepted.
    let _ = element.style().set_property(name, value);
}

pub(super) fn element(css: &str) -> Option<HtmlElement> {
    let element = document().query_selector(css).ok().flatten()?;
    element.dyn_into().ok()
}

fn part(of: &Element, css: &str) -> Option<HtmlElement> {
    of.query_selector(css).ok().flatten()?.dyn_into().ok()
}

/// Compares the document order of two elements.
pub(super) fn in_order(one: &HtmlElement, other: &HtmlElement) -> Ordering {
    let position = one.compare_document_position(other);
    if position & Node::DOCUMENT_POSITION_FOLLOWING != 0 {
        Ordering::Less
    } else if position & Node::DOCUMENT_POSITION_PRECEDING != 0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}
