//! Registry of the mounted figures by identifier, and which are highlighted. Lessons read numbers from figures and
//! highlight them; a page that embeds a figure displays it alone.

use super::view::AnyFigure;
use crate::app::display::root::set_root_attribute;
use crate::url_state::FigureId;
use leptos::prelude::*;

/// A mounted figure.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct RegisteredFigure {
    pub(in crate::app) id: FigureId,
    pub(in crate::app) title: &'static str,
    /// The figure, once computed.
    pub(in crate::app) figure: Signal<Option<AnyFigure>>,
    /// Whether the figure is complete and answers the current question.
    pub(in crate::app) is_whole: Signal<bool>,
    /// Height of the picture in CSS pixels, in place of its own, if its height is free. Presented steps set it.
    pub(in crate::app) height: RwSignal<Option<f64>>,
}

/// The mounted figures and the highlighted figures.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct FigureRegistry {
    figures: RwSignal<Vec<(u32, RegisteredFigure)>>,
    count: StoredValue<u32>,
    highlighted_ids: RwSignal<Vec<FigureId>>,
    /// Figures that the open step of a lesson highlights or reads numbers of.
    step_ids: RwSignal<Vec<FigureId>>,
    /// The figure that fills the window.
    large_id: RwSignal<Option<FigureId>>,
}

impl FigureRegistry {
    /// Provides an empty registry as context. An embedded figure is highlighted and displayed alone.
    pub(in crate::app) fn provide(embedded: Option<FigureId>) {
        let registry = Self::new();
        registry.highlight(embedded.into_iter().collect());
        provide_context(registry);
        if embedded.is_some() {
            show_alone("embed");
        }
    }

    /// An empty registry.
    pub(in crate::app) fn new() -> Self {
        Self {
            figures: RwSignal::default(),
            count: StoredValue::default(),
            highlighted_ids: RwSignal::default(),
            step_ids: RwSignal::default(),
            large_id: RwSignal::default(),
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Registers a figure until the current reactive owner is disposed of.
    pub(in crate::app) fn register(self, figure: RegisteredFigure) {
        let number = self.count.get_value();
        self.count.set_value(number + 1);
        self.figures
            .update(|figures| figures.push((number, figure)));
        on_cleanup(move || {
            self.figures
                .update(|figures| figures.retain(|(other, _)| *other != number));
        });
    }

    /// Returns a figure if it is mounted.
    pub(in crate::app) fn find(self, id: FigureId) -> Option<RegisteredFigure> {
        self.figures.with(|figures| {
            let entry = figures.iter().find(|(_, figure)| figure.id == id);
            entry.map(|(_, figure)| *figure)
        })
    }

    /// Returns whether a figure is highlighted. While a figure is large, it alone is.
    pub(in crate::app) fn is_highlighted(self, id: FigureId) -> bool {
        match self.large_id.get() {
            Some(large) => large == id,
            None => self.highlighted_ids.with(|lit| lit.contains(&id)),
        }
    }

    /// Returns the figure that fills the window, if it is mounted.
    pub(in crate::app) fn large_figure(self) -> Option<RegisteredFigure> {
        self.find(self.large_id.get()?)
    }

    /// Makes a figure fill the window; `None` shows the page again.
    pub(in crate::app) fn enlarge(self, id: Option<FigureId>) {
        self.large_id.set(id);
    }

    /// Makes a figure fill the window, or shows the page again if it does.
    pub(in crate::app) fn toggle_large(self, id: FigureId) {
        let is_large = self.large_id.get_untracked() == Some(id);
        self.enlarge((!is_large).then_some(id));
    }

    /// Returns the mounted highlighted figures, in the order of [`Self::light`].
    pub(in crate::app) fn highlighted_figures(self) -> Vec<RegisteredFigure> {
        let lit = self.highlighted_ids.get();
        lit.iter().filter_map(|id| self.find(*id)).collect()
    }

    /// Returns whether a figure is highlighted or used by the open step of a lesson, so that it has to be mounted.
    pub(in crate::app) fn is_used(self, id: FigureId) -> bool {
        self.large_id.get() == Some(id)
            || self.highlighted_ids.with(|lit| lit.contains(&id))
            || self.step_ids.with(|used| used.contains(&id))
    }

    /// Sets the figures that the open step of a lesson highlights or reads numbers of.
    pub(in crate::app) fn use_in_step(self, ids: Vec<FigureId>) {
        self.step_ids.set(ids);
    }

    /// Highlights these figures and no others.
    pub(in crate::app) fn highlight(self, ids: Vec<FigureId>) {
        self.highlighted_ids.set(ids);
    }
}

/// Hides everything but the highlighted figures and their controls, through the style sheet. `how` is `present`
/// (presentation), `speaker` (speaker window), `embed` (embedded figure) or `large` (figure that fills the window).
pub(in crate::app) fn show_alone(how: &str) {
    set_root_attribute("data-alone", Some(how));
}

/// Returns how figures are shown alone, if they are.
pub(in crate::app) fn alone() -> Option<String> {
    document().document_element()?.get_attribute("data-alone")
}

/// Undoes [`show_alone`].
pub(in crate::app) fn show_all() {
    set_root_attribute("data-alone", None);
}
