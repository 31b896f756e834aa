//! The header's tools: the link to what is shown, how large text is, light or dark.

use super::{offline::keep_page, text_size::TextSizeButton, theme::ThemeButton};
use crate::app::{controls::buttons::CopyLink, state::page::PageState};
use leptos::prelude::*;

/// The tools, which come after the first figure. Only then is the page kept for times without a network.
#[component]
pub(in crate::app) fn Tools() -> impl IntoView {
    keep_page(PageState::from_context());
    view! {
        <CopyLink/>
        <TextSizeButton/>
        <ThemeButton/>
    }
}
