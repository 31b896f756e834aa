//! Size of text on the page: the designed size, or larger for reading from the back of a lecture hall.
//!
//! The style sheet scales the text of the document by `<html data-text>`. Figures are laid out in fewer, larger units,
//! so that their text and lines grow with the text around them. While a lesson is presented, the screen determines a
//! minimum. Browser zoom also works, but shrinks the space for figures as much as it enlarges text.

use super::{
    root::set_root_attribute,
    theme::{choose, stored_choice},
};
use crate::figure::Rect;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

const KEY: &str = "diagonal-text";

/// Text sizes in percent. The button cycles through them.
const PERCENTS: [u8; 3] = [100, 125, 150];

/// Shares of the window's width and height that the font size is where figures fill the window, whichever is less, as in
/// the style sheet: 20 px on a screen of 1280 × 720.
const FONT_SHARES: (f64, f64) = (0.0175, 1.0 / 36.0);

/// Returns the text size where figures fill the window, in percent of 16 px, at least 100.
pub(in crate::app) fn percent_of_window() -> u8 {
    let side = |side: Result<JsValue, JsValue>| side.ok().and_then(|side| side.as_f64());
    let (width, height) = (side(window().inner_width()), side(window().inner_height()));
    let (width, height) = (width.unwrap_or(0.0), height.unwrap_or(0.0));
    let font = (FONT_SHARES.0 * width).min(FONT_SHARES.1 * height);
    (100.0 * font / 16.0).clamp(100.0, 255.0) as u8
}

/// Text size of the document and of figures.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct TextSize {
    chosen_step: RwSignal<u8>,
    /// Minimum in percent while a lesson is presented or a figure fills the window, otherwise 0.
    least: RwSignal<u8>,
    /// Factor on the text size in figures: that of a presented step, whose figures fill a wall.
    figure_factor: RwSignal<f64>,
}

impl TextSize {
    /// Restores the stored size, keeps `<html data-text>` up to date, and provides the size as context.
    pub(in crate::app) fn provide() {
        let stored = stored_choice(KEY).and_then(|stored| stored.parse().ok());
        let percent = stored.filter(|percent| PERCENTS.contains(percent));
        let size = RwSignal::new(percent.unwrap_or(PERCENTS[0]));
        Effect::new(move || set_root_attribute("data-text", Some(&size.get().to_string())));
        provide_context(Self {
            chosen_step: size,
            least: RwSignal::new(0),
            figure_factor: RwSignal::new(1.0),
        });
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns the number of CSS pixels per figure unit.
    pub(in crate::app) fn scale(self) -> f64 {
        self.base_scale() * self.figure_factor.get()
    }

    /// Returns the number of CSS pixels per figure unit before the factor of [`Self::fit`].
    pub(in crate::app) fn base_scale(self) -> f64 {
        f64::from(self.chosen_step.get().max(self.least.get())) / 100.0
    }

    /// Scales the text in figures by `factor`; 1 restores it.
    pub(in crate::app) fn fit(self, factor: f64) {
        if self.figure_factor.get_untracked() != factor {
            self.figure_factor.set(factor);
        }
    }

    /// Sets a minimum text size in percent; 0 removes it.
    pub(in crate::app) fn at_least(self, percent: u8) {
        self.least.set(percent);
    }

    /// Returns the rectangles of a figure `width` CSS pixels wide, in CSS pixels. `places` takes the width and returns
    /// the rectangles in figure units.
    pub(in crate::app) fn in_pixels(
        self,
        width: usize,
        places: impl Fn(f64) -> Vec<Rect>,
    ) -> Vec<Rect> {
        let scale = self.scale();
        let mut places = places(width as f64 / scale);
        for place in &mut places {
            for length in [
                &mut place.x,
                &mut place.y,
                &mut place.width,
                &mut place.height,
            ] {
                *length *= scale;
            }
        }
        places
    }
}

/// A button that cycles through the text sizes.
#[component]
pub(in crate::app) fn TextSizeButton() -> impl IntoView {
    let size = TextSize::from_context().chosen_step;
    let enlarge = move |_| {
        let at = PERCENTS
            .iter()
            .position(|percent| *percent == size.get_untracked());
        let next = PERCENTS[at.map_or(0, |at| (at + 1) % PERCENTS.len())];
        size.set(next);
        choose(KEY, &next.to_string());
    };
    let label = move || format!("Text {} %: change its size", size.get());
    view! {
        <button type="button" class="quiet text-size" aria-label=label title=label on:click=enlarge>
            {move || format!("Text {} %", size.get())}
        </button>
    }
}
