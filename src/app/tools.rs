//! The header's tools: the link to what is shown, how large text is, light or dark.

use super::{
    controls::CopyLink, offline::keep_page, state::State, text_size::TextSizeButton,
    theme::ThemeButton,
};
use leptos::prelude::*;

/// The tools, which come after the first figure. Only then is the page kept for times without a network.
#[component]
pub(super) fn Tools() -> impl IntoView {
    keep_page(State::from_context());
    view! {
        <CopyLink/>
        <TextSizeButton/>
        <ThemeButton/>
    }
}
