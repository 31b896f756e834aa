//! How large text is: as it was designed, or larger, to be read from the last row of a hall.
//!
//! Texts of the page follow `<html data-text>` by the style sheet; figures are laid out in fewer, larger units, so that
//! their letters and lines grow with the words around them. What a lesson presents is as large as the screen wants it. A
//! browser's own zoom is left alone: it takes room from figures as much as from text, and is there besides.

use super::theme::{choose, chosen};
use crate::figure::Rect;
use leptos::prelude::*;

const KEY: &str = "diagonal-text";

/// Sizes of text in percent; the button goes from each to the next, and from the last to the first.
const PERCENTS: [u8; 3] = [100, 125, 150];

/// The size of text.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct TextSize {
    chosen: RwSignal<u8>,
    /// The least in percent, while something is presented.
    least: RwSignal<u8>,
    /// Factor on the size of letters in figures: below 1 where the figures of a presented step need it to fit.
    shrinking: RwSignal<f64>,
}

impl TextSize {
    /// Follows the size that the person chose last.
    pub(in crate::app) fn provide() {
        let stored = chosen(KEY).and_then(|stored| stored.parse().ok());
        let percent = stored.filter(|percent| PERCENTS.contains(percent));
        let size = RwSignal::new(percent.unwrap_or(PERCENTS[0]));
        Effect::new(move || {
            if let Some(root) = document().document_element() {
                // A data attribute can always be set.
                let _ = root.set_attribute("data-text", &size.get().to_string());
            }
        });
        provide_context(Self {
            chosen: size,
            least: RwSignal::new(0),
            shrinking: RwSignal::new(1.0),
        });
    }

    /// The page's.
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// CSS pixels to a unit of figures.
    pub(in crate::app) fn scale(self) -> f64 {
        self.unshrunk() * self.shrinking.get()
    }

    /// CSS pixels to a unit of figures that have all the room they need.
    pub(in crate::app) fn unshrunk(self) -> f64 {
        f64::from(self.chosen.get().max(self.least.get())) / 100.0
    }

    /// Makes letters of figures smaller by a factor; 1 ends that.
    pub(in crate::app) fn shrink(self, factor: f64) {
        if self.shrinking.get_untracked() != factor {
            self.shrinking.set(factor);
        }
    }

    /// Lets letters of figures be no smaller than so many percent, whatever was chosen; 0 ends that.
    pub(in crate::app) fn at_least(self, percent: u8) {
        self.least.set(percent);
    }

    /// Where things stand in CSS pixels whose places a figure of a width says in its units.
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

/// Makes text larger, and after the largest size as it was.
#[component]
pub(in crate::app) fn TextSizeButton() -> impl IntoView {
    let size = TextSize::from_context().chosen;
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
