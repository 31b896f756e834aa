//! The header's tools: the link to what is shown, how large text is, light or dark.

use super::{controls::CopyLink, text_size::TextSizeButton, theme::ThemeButton};
use leptos::prelude::*;

/// The tools, which come after the first figure.
#[component]
pub(super) fn Tools() -> impl IntoView {
    view! {
        <CopyLink/>
        <TextSizeButton/>
        <ThemeButton/>
    }
}
