//! The figures that stand on the page now, by their identifiers, and which of them are lit: for lessons, which read
//! numbers from figures and point at them, and for pages that embed one.

use super::view::AnyFigure;
use leptos::prelude::*;

/// A figure that stands on the page.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct RegisteredFigure {
    /// Its identifier.
    pub(in crate::app) id: &'static str,
    /// Its title.
    pub(in crate::app) title: &'static str,
    /// The figure, once it is there.
    pub(in crate::app) figure: Signal<Option<AnyFigure>>,
    /// Whether it is whole, and the answer to what is asked now.
    pub(in crate::app) is_whole: Signal<bool>,
}

/// What is shown of a page besides what its link says.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct FigureRegistry {
    figures: RwSignal<Vec<(u32, RegisteredFigure)>>,
    count: StoredValue<u32>,
    lit: RwSignal<Vec<String>>,
}

impl FigureRegistry {
    /// Of a page on which nothing stands yet; an embedded figure is lit from the start.
    pub(in crate::app) fn provide(embedded: Option<&'static str>) {
        let standing = Self::new();
        standing.light(embedded.map(str::to_owned).into_iter().collect());
        provide_context(standing);
        if embedded.is_some() {
            show_alone("embed");
        }
    }

    /// Where nothing stands, and nothing is lit.
    pub(in crate::app) fn new() -> Self {
        Self {
            figures: RwSignal::default(),
            count: StoredValue::default(),
            lit: RwSignal::default(),
        }
    }

    /// The page's.
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Takes a figure in for as long as its part of the page is there.
    pub(in crate::app) fn stand(self, figure: RegisteredFigure) {
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
    pub(in crate::app) fn find(self, id: &str) -> Option<RegisteredFigure> {
        self.figures.with(|figures| {
            let found = figures.iter().find(|(_, figure)| figure.id == id);
            found.map(|(_, figure)| *figure)
        })
    }

    /// Whether a figure is lit.
    pub(in crate::app) fn is_lit(self, id: &str) -> bool {
        self.lit.with(|lit| lit.iter().any(|other| other == id))
    }

    /// The figures that stand on the page and are lit, in the order in which they are lit.
    pub(in crate::app) fn lit(self) -> Vec<RegisteredFigure> {
        let lit = self.lit.get();
        lit.iter().filter_map(|id| self.find(id)).collect()
    }

    /// Lights these figures, and no others.
    pub(in crate::app) fn light(self, ids: Vec<String>) {
        self.lit.set(ids);
    }
}

/// Has the style sheet show what is lit, and nothing beside it: `present` for a hall, `embed` for another page.
pub(in crate::app) fn show_alone(how: &str) {
    if let Some(root) = document().document_element() {
        // A data attribute can always be set.
        let _ = root.set_attribute("data-alone", how);
    }
}

/// Has it show everything.
pub(in crate::app) fn show_all() {
    if let Some(root) = document().document_element() {
        // It may not be there.
        let _ = root.remove_attribute("data-alone");
    }
}
