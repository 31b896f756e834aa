//! The view that the link names.

use super::{
    later::{self, Later},
    state::State,
    views::Positions,
};
use leptos::{either::Either, prelude::*};

/// Whichever view it is; another one when the link says so.
#[component]
pub(super) fn ShownView() -> impl IntoView {
    let view = State::from_context().part(|link| link.view);
    move || match later::part_of(view.get()) {
        None => Either::Left(view! { <Positions/> }),
        Some(part) => Either::Right(view! { <Later part/> }),
    }
}
