//! The document title, displayed by tabs and the browser's history.

use crate::{
    app::state::PageState,
    url_state::{model_name, page_title},
};
use leptos::prelude::*;

/// Keeps the document title at the names of the current view and model.
pub(in crate::app) fn follow_title(state: PageState) {
    Effect::new(move || {
        let title = state.url.link.with(|link| {
            state.models.entries.with(|entries| {
                let item = entries.iter().find(|item| item.is_called(&link.model));
                match item {
                    Some(item) => page_title(link.view, &item.title),
                    None => page_title(link.view, &model_name(link.model.title(), None)),
                }
            })
        });
        // The link changes with every step of a slider, the title rarely.
        if document().title() != title {
            document().set_title(&title);
        }
    });
}
