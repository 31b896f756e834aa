//! The view that the link selects.

use crate::{
    app::{
        lazy::Lazy,
        lesson::LESSONS,
        state::UrlState,
        views::{PositionsView, part_of},
    },
    url_state::View,
};
use leptos::{either::Either, prelude::*};

/// Displays the view that the link selects.
#[component]
pub(in crate::app) fn CurrentView() -> impl IntoView {
    let view = UrlState::from_context().select(|link| link.view);
    move || {
        let part = match view.get() {
            View::Lessons => Some(LESSONS),
            view => part_of(view),
        };
        match part {
            None => Either::Left(view! { <PositionsView/> }),
            Some(part) => Either::Right(view! { <Lazy part/> }),
        }
    }
}
