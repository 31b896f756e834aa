//! The buttons of the header: copy link, text size, theme.

use crate::app::lazy::lazy_view;
use crate::app::{
    controls::{buttons::CopyLink, offline::keep_page},
    display::{text_size::TextSizeButton, theme::ThemeButton},
    state::Messages,
};
use leptos::prelude::*;

lazy_view! {
    /// The buttons of the header, as a lazy part.
    pub(in crate::app) const HEADER_BUTTONS = HeaderButtons in details;
}

/// The buttons of the header, loaded after the first figure. Also loads the offline script, which should not delay that
/// figure.
#[component]
fn HeaderButtons() -> impl IntoView {
    keep_page(Messages::from_context());
    view! {
        <CopyLink/>
        <TextSizeButton/>
        <ThemeButton/>
    }
}
