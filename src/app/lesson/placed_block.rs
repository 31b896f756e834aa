//! Figures and controls of a presented step as page elements: their heights at a width, and their positions.
//!
//! Blocks are measured at a few widths, [`arrange`] chooses their widths, and the style sheet positions elements with
//! `data-placed` by three custom properties. Letters grow where figures are hardly smaller for it; if nothing fits, all
//! letters in the pane shrink in steps.

use crate::{
    app::figure::view::AnyFigure,
    lesson_checks::arrangement::{Arrangement, Pane, PaneBlock, arrange},
};
use leptos::prelude::*;
use std::cmp::Ordering;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

/// Font-size factors of the pane that are compared.
const GROWTH_FACTORS: [f64; 3] = [1.3, 1.15, 1.0];

/// Gain in the logarithm of a figure's area for which smaller letters are chosen: figures grow by 2 %.
const GAIN: f64 = 0.02;

/// Weight of a picture of a fixed shape, such as a matrix, where one of a free height has a weight of 1: the latter can
/// use what space is left.
const FIXED_WEIGHT: f64 = 1.4;

/// Font-size factors of the pane where none of [`GROWTH_FACTORS`] fits, tried in this order.
const REDUCTION_FACTORS: [f64; 6] = [0.9, 0.8, 0.72, 0.65, 0.58, 0.5];

/// Size of the smallest letters of a figure at a factor of 1, in rem, as in the style sheet.
const SMALL_LETTERS: f64 = 0.75;

/// Least size of letters, in CSS pixels. A step whose figures need smaller letters scrolls instead.
const LEAST_LETTERS: f64 = 9.0;

/// Least and greatest height over width of a picture whose height is free.
const ASPECTS: (f64, f64) = (0.22, 1.9);

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
    /// Height of the picture in place of its own, which is `None`.
    free_height: Option<RwSignal<Option<f64>>>,
}

/// Heights of a block at a width, in CSS pixels.
#[derive(Debug, Clone, Copy)]
struct BlockHeights {
    /// Without its picture; infinite if its contents are wider than the block.
    around: f64,
    /// Limits of the picture's height, if it is free.
    limits: Option<(f64, f64)>,
}

impl PlacedBlock {
    /// Creates a block for a `<figure>` element, its figure, and the height that it may be given.
    pub(super) fn figure(
        element: HtmlElement,
        picture: Option<AnyFigure>,
        height: RwSignal<Option<f64>>,
    ) -> Self {
        let canvases: Vec<HtmlElement> = ["picture", "overlay"]
            .into_iter()
            .filter_map(|name| part(&element, &format!(".stage > .figure-view > .{name}")))
            .collect();
        Self {
            figure: picture.filter(|_| !canvases.is_empty()),
            element,
            canvases,
            is_figure: true,
            free_height: Some(height),
        }
    }

    /// Creates a block for controls beside figures.
    pub(super) fn controls(element: HtmlElement) -> Self {
        Self {
            element,
            figure: None,
            canvases: Vec::new(),
            is_figure: false,
            free_height: None,
        }
    }

    /// Returns the picture's own height at a given block width, in CSS pixels; 0 without a picture.
    pub(super) fn picture_height(&self, width: f64, scale: f64) -> f64 {
        let figure = self.figure.as_ref();
        figure.map_or(0.0, |figure| scale * figure.height(width / scale))
    }

    /// Returns the picture's height that comes closest to `height` at a width, in CSS pixels; `None` if the height is not
    /// free.
    fn height_near(&self, width: f64, height: f64, scale: f64) -> Option<f64> {
        let width = width / scale;
        let figure = self.figure.as_ref()?.with_height(width, height / scale)?;
        Some(scale * figure.height(width))
    }

    /// Returns the width and height that axes and legends take of the picture at a block width, in CSS pixels; 0 for
    /// pictures without axes.
    fn plot_margins(&self, width: f64, scale: f64) -> (f64, f64) {
        let figure = self.figure.as_ref();
        let margins = figure.and_then(|figure| {
            let frame = figure.plot_frame(width / scale)?;
            let height = figure.height(width / scale);
            Some((width - scale * frame.width, scale * (height - frame.height)))
        });
        margins.unwrap_or((0.0, 0.0))
    }

    /// Measures the block at its current width.
    fn measure(&self, width: f64, scale: f64, fits_across: bool) -> BlockHeights {
        let near = |aspect: f64| self.height_near(width, aspect * width, scale);
        let limits = near(ASPECTS.0).zip(near(ASPECTS.1));
        BlockHeights {
            around: self.height_around(fits_across),
            limits,
        }
    }

    /// Gives the picture a height, if that is free, and sets that of the canvases to what they will have once painted.
    fn take_height(&self, width: f64, scale: f64, height: f64) {
        let free = self.height_near(width, height, scale);
        if let Some(signal) = self.free_height {
            let height = free.map(|_| height);
            if signal.try_get_untracked().is_some_and(|now| now != height) {
                signal.set(height);
            }
        }
        if self.figure.is_some() {
            let height = free.unwrap_or_else(|| self.picture_height(width, scale));
            for canvas in &self.canvases {
                set_property(canvas, "height", &format!("{height}px"));
            }
        }
    }

    /// Restores the layout of the style sheet and the picture's own height.
    pub(super) fn release(&self) {
        release(&self.element);
        if let Some(signal) = self.free_height {
            // Ignored: the figure may have left the page.
            let _ = signal.try_set(None);
        }
    }

    /// Returns the block's height without its picture, in CSS pixels; infinite if `fits_across` is set and a table,
    /// a formula or controls are wider than the block. Controls higher than the window scroll, and count with their full height.
    fn height_around(&self, fits_across: bool) -> f64 {
        let inside = if self.is_figure {
            part(&self.element, "table").map_or(0, |table| table.offset_width())
        } else {
            self.element.scroll_width()
        };
        let formula = part(&self.element, ":scope > .caption .formula");
        let is_cut =
            formula.is_some_and(|formula| formula.scroll_width() > formula.client_width() + 1);
        if fits_across && (is_cut || inside > self.element.client_width() + 1) {
            return f64::INFINITY;
        }
        if !self.is_figure {
            return f64::from(self.element.scroll_height());
        }
        // Not rounded to pixels: the difference of two rounded heights depends on the picture's height.
        let height = |element: &HtmlElement| element.get_bounding_client_rect().height();
        let picture = self.figure.as_ref().and(self.canvases.first());
        height(&self.element) - picture.map_or(0.0, height)
    }

    /// Gives the canvases of a picture that is not painted yet a height. While it is 0, the style sheet reserves room
    /// for the picture, which would count as height around it.
    pub(super) fn end_reservation(&self) {
        if self.figure.is_some() {
            let empty = |canvas: &&HtmlElement| canvas.offset_height() == 0;
            for canvas in self.canvases.iter().filter(empty) {
                set_property(canvas, "height", "1px");
            }
        }
    }
}

/// Chooses a font-size factor at which the blocks fit the pane, and the blocks' sizes: large figures, and letters that are
/// as large as this allows. If nothing fits, the pane is assumed higher than it is, and scrolls. `unit` is CSS pixels per figure unit at a factor of 1, `rem` is CSS
/// pixels per rem.
pub(super) fn choose(
    main: &HtmlElement,
    pane: &Pane,
    blocks: &[PlacedBlock],
    (unit, rem): (f64, f64),
    largest: f64,
) -> Option<(Arrangement, f64)> {
    let at_factor = |factor: f64| {
        set_property(main, "--fit", &factor.to_string());
        let arrangement = arrange_at(pane, blocks, unit * factor, LEAST * rem, true);
        arrangement.map(|arrangement| (arrangement, factor))
    };
    let figures = blocks.iter().filter(|block| block.is_figure).count() as f64;
    let grown = GROWTH_FACTORS
        .into_iter()
        .filter(|factor| *factor <= largest);
    let best = grown.filter_map(at_factor).reduce(|larger, smaller| {
        let gain = smaller.0.value - larger.0.value;
        if gain > GAIN * figures {
            smaller
        } else {
            larger
        }
    });
    if let Some((arrangement, factor)) = best {
        set_property(main, "--fit", &factor.to_string());
        return Some((arrangement, factor));
    }
    let readable = REDUCTION_FACTORS
        .into_iter()
        .filter(|factor| factor * SMALL_LETTERS * rem >= LEAST_LETTERS);
    let mut shrunk = readable.clone().filter(|factor| *factor <= largest);
    if let Some(chosen) = shrunk.find_map(at_factor) {
        return Some(chosen);
    }
    let last = readable.reduce(f64::min).unwrap_or(1.0);
    set_property(main, "--fit", &last.to_string());
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
        block.take_height(*width, scale, 0.0);
    }
    let around = blocks.iter().map(|block| block.height_around(false));
    let around: Vec<f64> = around.collect();
    let sizes = arrangement.widths.iter().zip(&arrangement.heights);
    for ((block, (width, height)), around) in blocks.iter().zip(sizes).zip(around) {
        block.take_height(*width, scale, height - around);
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
    // The blocks at each measured width, widest first.
    let mut measured: Vec<(f64, Vec<BlockHeights>)> = Vec::new();
    for share in MEASUREMENT_WIDTHS {
        let width = (pane.width * share).floor();
        for block in blocks {
            set_property(&block.element, "--w", &format!("{width}px"));
        }
        let all = blocks
            .iter()
            .map(|block| block.measure(width, scale, fits_across));
        measured.push((width, all.collect()));
    }
    let arranged: Vec<PaneBlock> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            let measured = &measured;
            // Narrower blocks are higher, so round down to the next measured width.
            let heights_at = move |width: f64| {
                let narrower = measured.iter().find(|(measured, _)| *measured <= width);
                let narrower = narrower.or(measured.last());
                narrower.map(|(_, all)| all[at])
            };
            PaneBlock {
                least: least.min(pane.width),
                weight: match (block.is_figure, measured[0].1[at].limits) {
                    (false, _) => 0.0,
                    (true, Some(_)) => 1.0,
                    (true, None) => FIXED_WEIGHT,
                },
                heights: Box::new(move |width| {
                    let Some(BlockHeights { around, limits }) = heights_at(width) else {
                        return (0.0, 0.0);
                    };
                    let (least, most) = limits.unwrap_or_else(|| {
                        let own = block.picture_height(width, scale);
                        (own, own)
                    });
                    (around + least, around + most.max(least))
                }),
                margins: Box::new(move |width| {
                    let around = heights_at(width).map_or(0.0, |heights| heights.around);
                    let (across, along) = block.plot_margins(width, scale);
                    (across, around + along)
                }),
            }
        })
        .collect();
    arrange(pane, &arranged)
}

fn release(element: &HtmlElement) {
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
