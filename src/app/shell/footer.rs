//! The footer: the choice of device and the report of the last computation, links to the reference texts with their
//! dialog, and in an embedded page the link to the whole page. It is loaded after the first figure.

use super::reference::ReferenceDialog;
use crate::app::lazy::lazy_view;
use crate::{
    analysis::{BackendChoice, ComputeReport, Device},
    app::{
        controls::buttons::{SegmentedButtons, options},
        query_client::QueryClient,
        state::UrlState,
    },
    url_state::EmbedSection,
};
use leptos::prelude::*;

lazy_view! {
    /// The footer, as a lazy part.
    pub(in crate::app) const BACKEND_SELECT = BackendSelect in details;
}

/// The footer with the choice between CPU and GPU, which views with figures have.
#[component]
fn BackendSelect() -> impl IntoView {
    let url = UrlState::from_context();
    let client = QueryClient::from_context();
    let choice = url.select(|link| link.backend.by);
    let set = move |by| {
        url.link.update(|link| link.backend.by = by);
    };
    let all = options([
        (BackendChoice::Auto, "Auto"),
        (BackendChoice::Cpu, "CPU"),
        (BackendChoice::Gpu, "GPU"),
    ]);
    view! {
        <footer class="computing">
            <span class="device" hidden=move || !url.view().has_figures()>
                "Computed by "
                <SegmentedButtons label="Computed by" options=all value=choice set=Callback::new(set)/>
                <output>
                    {move || client.compute_report().map(|computed| in_words(&computed, choice.get()))}
                </output>
            </span>
            <nav class="reference-links" aria-label="Reference">
                <a href="#about" data-opens="about">"About"</a>
                <a href="#notation" data-opens="notation">"Notation " <kbd>"n"</kbd></a>
                <a href="#shortcuts" data-opens="shortcuts">"Keyboard shortcuts " <kbd>"?"</kbd></a>
            </nav>
            <span class="version">{concat!("Diagonal ", env!("CARGO_PKG_VERSION"))}</span>
        </footer>
        <ReferenceDialog/>
        <WayOut/>
    }
}

/// Link from an embedded figure to the whole page in the same state.
#[component]
fn WayOut() -> impl IntoView {
    let url = UrlState::from_context();
    let address = move || {
        let mut link = url.link.get();
        link.embed = EmbedSection::default();
        format!("?{}", link.query())
    };
    let is_embedded = url.select(|link| link.embed.figure.is_some());
    view! {
        <p class="way-out" hidden=move || !is_embedded.get()>
            <a href=address target="_blank" rel="noopener">"Open in Diagonal"</a>
        </p>
    }
}

/// Formats a report like “CPU, 14 ms”, followed by the reason why the GPU was not used if it was allowed.
fn in_words(computed: &ComputeReport, choice: BackendChoice) -> String {
    let ComputeReport {
        by,
        took_ms,
        instead,
    } = computed;
    let by = match by {
        Device::Cpu => "CPU",
        Device::Gpu => "GPU",
    };
    let why = instead.as_ref().filter(|_| choice != BackendChoice::Cpu);
    let why = why.map_or_else(String::new, |why| format!(". {why}"));
    format!("{by}, {took_ms} ms{why}")
}
