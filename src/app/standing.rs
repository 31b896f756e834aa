//! The figures that stand on the page now, by their identifiers, and which of them are lit: for lessons, which read
//! numbers from figures and point at them, and for pages that embed one.

use super::figure_view::AnyFigure;
use leptos::prelude::*;

/// A figure that stands on the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct StandingFigure {
    /// Its identifier.
    pub(super) id: &'static str,
    /// Its title.
    pub(super) title: &'static str,
    /// The figure, once it is there.
    pub(super) figure: Signal<Option<AnyFigure>>,
    /// Whether it is whole, and the answer to what is asked now.
    pub(super) is_whole: Signal<bool>,
}

/// What is shown of a page besides what its link says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    figures: RwSignal<Vec<(u32, StandingFigure)>>,
    count: StoredValue<u32>,
    lit: RwSignal<Vec<String>>,
}

impl Standing {
    /// Of a page on which nothing stands yet; an embedded figure is lit from the start.
    pub(super) fn provide(embedded: Option<&'static str>) {
        let standing = Self::new();
        standing.light(embedded.map(str::to_owned).into_iter().collect());
        provide_context(standing);
        if embedded.is_some() {
            show_alone("embed");
        }
    }

    /// Where nothing stands, and nothing is lit.
    pub(super) fn new() -> Self {
        Self {
            figures: RwSignal::default(),
            count: StoredValue::default(),
            lit: RwSignal::default(),
        }
    }

    /// The page's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Takes a figure in for as long as its part of the page is there.
    pub(super) fn stand(self, figure: StandingFigure) {
        let number = self.count.get_value();
        self.count.set_value(number + 1);
        self.figures
            .update(|figures| figures.push((number, figure)));
        on_cleanup(move || {
            self.figures
                .update(|figures| figures.retain(|(other, _)| *other != number));
        });
    }

    /// The figure of an identifier.
    pub(super) fn find(self, id: &str) -> Option<StandingFigure> {
        self.figures.with(|figures| {
            let found = figures.iter().find(|(_, figure)| figure.id == id);
            found.map(|(_, figure)| *figure)
        })
    }

    /// Whether a figure is lit.
    pub(super) fn is_lit(self, id: &str) -> bool {
        self.lit.with(|lit| lit.iter().any(|other| other == id))
    }

    /// The figures that stand on the page and are lit, in the order in which they are lit.
    pub(super) fn lit(self) -> Vec<StandingFigure> {
        let lit = self.lit.get();
        lit.iter().filter_map(|id| self.find(id)).collect()
    }

    /// Lights these figures, and no others.
    pub(super) fn light(self, ids: Vec<String>) {
        self.lit.set(ids);
    }
}

/// Has the style sheet show what is lit, and nothing beside it: `present` for a hall, `embed` for another page.
pub(super) fn show_alone(how: &str) {
    if let Some(root) = document().document_element() {
        // A data attribute can always be set.
        let _ = root.set_attribute("data-alone", how);
    }
}

/// Has it show everything.
pub(super) fn show_all() {
    if let Some(root) = document().document_element() {
        // It may not be there.
        let _ = root.remove_attribute("data-alone");
    }
}
