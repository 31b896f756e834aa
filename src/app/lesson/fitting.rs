//! Fits a presented step into the window without scrolling: figures and their controls share the pane, and the text has
//! its own column.
//!
//! A [`ResizeObserver`] and the highlighted figures trigger a new fit; [`super::placed_block`] measures and places.
//! Narrow windows keep one column that scrolls.

use super::{
    Steps,
    placed_block::{PlacedBlock, choose, element, in_order, place, set_property},
};
use crate::{
    app::{
        display::{root::matches_media, text_size::TextSize},
        figure::registry::FigureRegistry,
    },
    lesson_checks::arrangement::Pane,
};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use std::time::Duration;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, HtmlElement, ResizeObserver};

/// Media query for windows where a presented step is one scrolling column, as in the style sheet.
const NARROW: &str = "(max-width: 760px)";

/// Font-size factors for the text beside the figures, tried in this order.
const TEXT_FACTORS: [f64; 8] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.74, 0.68, 0.62];

/// Gap between neighbouring blocks, in rem.
const GAP: f64 = 1.25;

/// Maximum number of fits within [`PERIOD`]. Text below pictures may depend on their size; without a limit, that
/// feedback could keep the page busy.
const MOST_PER_PERIOD: u32 = 8;

/// Period in which fits are counted, in milliseconds.
const PERIOD: f64 = 500.0;

/// Maximum number of times one fit lowers the pane's height because figures became higher than measured.
const MOST_TRIES: usize = 4;

/// Fits figures and controls of the presented step to the window, and follows its changes.
#[derive(Clone, Copy)]
pub(super) struct StepFitting {
    is_on: Memo<bool>,
    registry: FigureRegistry,
    text: TextSize,
    sizes: StoredValue<StepSizes, LocalStorage>,
    observer: StoredValue<Option<ResizeObserver>, LocalStorage>,
    /// Whether a fit is scheduled for the next frame.
    is_due: StoredValue<bool>,
    rate: StoredValue<Rate>,
}

/// Limits how often a step is fitted.
#[derive(Debug, Default, Clone, Copy)]
struct Rate {
    /// Start of the current period, in milliseconds.
    begin: f64,
    /// Number of fits in the period.
    count: u32,
    /// Whether a fit waits for the end of the period.
    is_waiting: bool,
}

/// Sizes measured and set by the last fit.
#[derive(Default)]
struct StepSizes {
    /// Width and height of the pane in CSS pixels, and CSS pixels per figure unit at a factor of 1.
    pane: (f64, f64, f64),
    /// Font-size factor of the pane, and CSS pixels per figure unit at that factor.
    factor: f64,
    scale: f64,
    /// Whether the step or its figures changed since the last fit; letters may grow again then.
    is_other: bool,
    /// Placed blocks with their heights and their pictures' own heights, in CSS pixels.
    blocks: Vec<(PlacedBlock, i32, f64)>,
    /// Text beside the figures, with its column's width, the text's height and the window's height.
    text: (String, (i32, i32, i32)),
}

/// Whether a step is presented and the window is wide enough to fit it.
pub(super) fn is_fitted() -> bool {
    let root = document().document_element();
    let how = root.and_then(|root| root.get_attribute("data-alone"));
    how.as_deref() == Some("present") && !matches_media(NARROW)
}

impl StepFitting {
    /// Fits steps to the window while the lesson is open and presented.
    pub(super) fn follow(steps: Steps, is_on: Memo<bool>) {
        let fitting = Self {
            is_on,
            registry: FigureRegistry::from_context(),
            text: TextSize::from_context(),
            sizes: StoredValue::new_local(StepSizes::default()),
            observer: StoredValue::new_local(None),
            is_due: StoredValue::new(false),
            rate: StoredValue::new(Rate::default()),
        };
        let resized = Closure::<dyn Fn()>::new(move || fitting.fit_soon());
        if let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            fitting.observer.set_value(Some(observer.clone()));
            let observing = SendWrapper::new((observer, resized));
            on_cleanup(move || observing.0.disconnect());
        }
        Effect::new(move || {
            steps.at.track();
            steps.unfolded_step.track();
            fitting.text.base_scale();
            steps.is_left();
            for figure in fitting.registry.highlighted_figures() {
                figure.figure.track();
            }
            if is_on.get() {
                fitting.sizes.update_value(|fitted| fitted.is_other = true);
                fitting.fit_soon();
            } else {
                fitting.end();
            }
        });
        let text = fitting.text;
        on_cleanup(move || text.fit(1.0));
    }

    /// Schedules a fit for the next frame: sizes must not change inside a resize observer's callback.
    fn fit_soon(self) {
        // The lesson may be closed already.
        if self.is_due.try_get_value() == Some(false) {
            self.is_due.set_value(true);
            request_animation_frame(move || {
                if self.is_due.try_get_value().is_some() {
                    self.is_due.set_value(false);
                    self.fit();
                }
            });
        }
    }

    /// Fits the step, unless nothing has changed since the last fit.
    fn fit(self) {
        if !self.is_on.get_untracked() {
            return;
        }
        if matches_media(NARROW) {
            self.end();
            return;
        }
        let (Some(main), Some(view), Some(column)) =
            (element("#main"), element("#main .view"), element("#lesson"))
        else {
            return;
        };
        self.fit_text(&column);
        if self.fit_pane(&main, &view) {
            self.observe(&[main, column]);
        }
    }

    /// Observes the sizes of `elements`, of the step's text and of the placed blocks, and no others.
    fn observe(self, elements: &[HtmlElement]) {
        let Some(observer) = self.observer.get_value() else {
            return;
        };
        observer.disconnect();
        for element in elements.iter().chain(&element("#lesson .step")) {
            observer.observe(element);
        }
        self.sizes.with_value(|fitted| {
            for (block, ..) in &fitted.blocks {
                observer.observe(&block.element);
            }
        });
    }

    /// Chooses the largest font size at which the text, with its answer unfolded, fits its column.
    fn fit_text(self, column: &HtmlElement) {
        let measured = || {
            let text = column.text_content().unwrap_or_default();
            let size = (
                column.client_width(),
                column.scroll_height(),
                window_height(),
            );
            (text, size)
        };
        let now = measured();
        if self.sizes.with_value(|fitted| fitted.text == now) {
            return;
        }
        let folded = element("#lesson details.question:not([open])");
        if let Some(question) = &folded {
            // Ignored: setting an attribute does not fail.
            let _ = question.set_attribute("open", "");
        }
        for factor in TEXT_FACTORS {
            set_property(column, "--text-fit", &factor.to_string());
            let is_high = column.scroll_height() > column.client_height();
            // A formula may be wider than the column.
            let is_wide = column.scroll_width() > column.client_width();
            if !is_high && !is_wide {
                break;
            }
        }
        if let Some(question) = &folded {
            let _ = question.remove_attribute("open");
        }
        let fitted_to = measured();
        self.sizes.update_value(|fitted| fitted.text = fitted_to);
    }

    /// Places figures and controls, unless they are in place. Returns whether it placed them.
    fn fit_pane(self, main: &HtmlElement, view: &HtmlElement) -> bool {
        let unit = untrack(|| self.text.base_scale());
        let blocks = self.blocks();
        let rem = pixels_of_root();
        let bottom = main.get_bounding_client_rect().bottom() - padding_below(main);
        let top = view.get_bounding_client_rect().top() + f64::from(main.scroll_top());
        let pane = Pane {
            width: f64::from(view.client_width()),
            height: (bottom - top).floor(),
            gap: GAP * rem,
        };
        let now = (pane.width, pane.height, unit);
        if self.sizes.with_value(|fitted| fitted.is_of(now, &blocks)) {
            return false;
        }
        if !self.may_fit_now() {
            return false;
        }
        let largest = self.sizes.with_value(|fitted| fitted.largest_factor(now));
        self.forget_others(&blocks);
        if blocks.is_empty() || pane.width <= 0.0 || pane.height <= 0.0 {
            self.sizes.update_value(|fitted| fitted.pane = now);
            return true;
        }
        for block in &blocks {
            block.end_reservation();
        }
        // Text below a picture depends on the figure's size, so a figure may become higher than measured.
        let mut allowed = pane.height;
        let mut fitted = None;
        for _ in 0..MOST_TRIES {
            let lower = Pane {
                height: allowed,
                ..pane
            };
            let Some((arrangement, factor)) = choose(main, &lower, &blocks, (unit, rem), largest)
            else {
                break;
            };
            let (heights, bottom) = place(&arrangement, &pane, &blocks, unit * factor);
            fitted = Some((heights, factor));
            let over = bottom - pane.height;
            if over <= 1.0 || over >= allowed {
                break;
            }
            allowed -= over;
        }
        let Some((heights, factor)) = fitted else {
            self.end();
            return false;
        };
        let scale = unit * factor;
        self.text.fit(factor);
        let placed = blocks.into_iter().zip(heights).map(|(block, height)| {
            let picture = block.picture_height(f64::from(block.element.offset_width()), scale);
            (block, height, picture)
        });
        let placed = placed.collect();
        self.sizes.update_value(|fitted| {
            (fitted.pane, fitted.blocks, fitted.is_other) = (now, placed, false);
            (fitted.factor, fitted.scale) = (factor, scale);
        });
        true
    }

    /// Counts a fit against the limit per period. Over the limit (for example while heads arrive one by one), returns
    /// false and schedules a fit for the end of the period.
    fn may_fit_now(self) -> bool {
        let now = js_sys::Date::now();
        let mut rate = self.rate.get_value();
        // The system clock may be set back.
        if !(0.0..PERIOD).contains(&(now - rate.begin)) {
            (rate.begin, rate.count) = (now, 0);
        }
        let may_fit = rate.count < MOST_PER_PERIOD;
        if may_fit {
            rate.count += 1;
        } else if !rate.is_waiting {
            rate.is_waiting = true;
            let rest = Duration::from_millis((rate.begin + PERIOD - now) as u64 + 1);
            set_timeout(move || self.end_waiting(), rest);
        }
        self.rate.set_value(rate);
        may_fit
    }

    fn end_waiting(self) {
        // The lesson may be closed already.
        if self
            .rate
            .try_update_value(|rate| rate.is_waiting = false)
            .is_some()
        {
            self.fit_soon();
        }
    }

    /// Returns the highlighted figures in page order, then the controls beside them. Skips hidden elements.
    fn blocks(self) -> Vec<PlacedBlock> {
        let lit = untrack(|| self.registry.highlighted_figures()).into_iter();
        let mut figures: Vec<PlacedBlock> = lit
            .filter_map(|registry| {
                let element = element(&format!("#main figure#{}", registry.id.id()))?;
                Some(PlacedBlock::figure(
                    element,
                    registry.figure.get_untracked(),
                    registry.height,
                ))
            })
            .collect();
        figures.sort_by(|one, other| in_order(&one.element, &other.element));
        let controls = ["#main .kernel-controls", "#main .schemes"];
        let controls = controls.into_iter().filter_map(element);
        let controls = controls.map(PlacedBlock::controls);
        let all = figures.into_iter().chain(controls);
        all.filter(|block| block.element.offset_width() > 0)
            .collect()
    }

    /// Releases blocks that were placed before and are not in `blocks`, and marks those in `blocks` as placed.
    fn forget_others(self, blocks: &[PlacedBlock]) {
        self.sizes.update_value(|fitted| {
            for (placed, ..) in fitted.blocks.drain(..) {
                if !blocks.iter().any(|block| block.element == placed.element) {
                    placed.release();
                }
            }
        });
        for block in blocks {
            // Ignored: setting a data attribute does not fail.
            let _ = block.element.set_attribute("data-placed", "");
        }
    }

    /// Releases all blocks and restores the style sheet's layout.
    fn end(self) {
        self.forget_others(&[]);
        self.sizes.set_value(StepSizes::default());
        self.text.fit(1.0);
        for (css, property) in [("#main", "--fit"), ("#lesson", "--text-fit")] {
            if let Some(element) = element(css) {
                let _ = element.style().remove_property(property);
            }
        }
    }
}

impl StepSizes {
    /// Returns the largest font-size factor to try. Pictures inside tables follow the font size a frame later, so a
    /// refit of the same step may only shrink letters; otherwise it could oscillate between two sizes.
    fn largest_factor(&self, pane: (f64, f64, f64)) -> f64 {
        if self.is_other || self.pane != pane || self.factor == 0.0 {
            return f64::INFINITY;
        }
        self.factor
    }

    /// Whether the pane and all blocks still have the sizes of the last fit.
    fn is_of(&self, pane: (f64, f64, f64), blocks: &[PlacedBlock]) -> bool {
        let is_same =
            |((placed, height, picture), block): (&(PlacedBlock, i32, f64), &PlacedBlock)| {
                let element = &placed.element;
                let width = f64::from(element.offset_width());
                *element == block.element
                    && (element.offset_height() - height).abs() <= 1
                    && element.has_attribute("data-placed")
                    && (block.picture_height(width, self.scale) - picture).abs() < 0.5
            };
        self.pane == pane
            && self.blocks.len() == blocks.len()
            && self.blocks.iter().zip(blocks).all(is_same)
    }
}

fn window_height() -> i32 {
    let height = window().inner_height().ok();
    height.and_then(|height| height.as_f64()).unwrap_or(0.0) as i32
}

/// Returns a computed style length of an element, in CSS pixels.
fn computed_length(element: &Element, property: &str) -> Option<f64> {
    let style = window().get_computed_style(element).ok().flatten()?;
    let length = style.get_property_value(property).ok()?;
    length.trim_end_matches("px").parse().ok()
}

fn padding_below(element: &Element) -> f64 {
    computed_length(element, "padding-bottom").unwrap_or(0.0)
}

/// Returns CSS pixels per rem.
fn pixels_of_root() -> f64 {
    let root = document().document_element();
    root.and_then(|root| computed_length(&root, "font-size"))
        .unwrap_or(16.0)
}
