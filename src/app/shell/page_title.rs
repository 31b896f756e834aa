//! The title of the page, which tabs and the browser's history show.

use crate::{
    app::state::page::PageState,
    url_state::{model_name, page_title},
};
use leptos::prelude::*;

/// Names the view and the model that the link names, now and whenever that changes.
pub(in crate::app) fn follow_title(state: PageState) {
    Effect::new(move || {
        let title = state.link.with(|link| {
            state.shelf.with(|shelf| {
                let item = shelf.iter().find(|item| item.is_called(&link.model));
                match item {
                    Some(item) => page_title(link.view, &item.title),
                    None => page_title(link.view, &model_name(link.model.title(), None)),
                }
            })
        });
        // Links change with every step of a slider, titles seldom.
        if document().title() != title {
            document().set_title(&title);
        }
    });
}
