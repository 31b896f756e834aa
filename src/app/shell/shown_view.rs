//! The view that the link names.

use super::lazy_views::{self, Lazy};
use crate::app::{state::page::PageState, views::PositionsView};
use leptos::{either::Either, prelude::*};

/// Whichever view it is; another one when the link says so.
#[component]
pub(in crate::app) fn ShownView() -> impl IntoView {
    let view = PageState::from_context().part(|link| link.view);
    move || match lazy_views::part_of(view.get()) {
        None => Either::Left(view! { <PositionsView/> }),
        Some(part) => Either::Right(view! { <Lazy part/> }),
    }
}
