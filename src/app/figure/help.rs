//! How to read a figure, for those who ask: three lines, and where the papers have it. The words are the core's
//! ([`crate::figure_help`]), and come with the part of the page that is fetched after the first figure.

use crate::{
    analysis::ModelSummary,
    app::{
        shell::lazy_views::{self, Lazy},
        state::page::PageState,
    },
    figure_help::{Guide, PositionFamily, Source, guide},
    model::PositionKind,
    url_state::unfold,
};
use leptos::{context::Provider, prelude::*};

/// What the guide is called that a figure has.
fn guide_id(figure: &str) -> String {
    format!("{figure}-guide")
}

/// Whether a figure's guide is unfolded.
fn is_unfolded(state: PageState, figure: &'static str) -> Memo<bool> {
    Memo::new(move |_| {
        state
            .link
            .with(|link| link.unfolded.guides.contains(&figure))
    })
}

/// Unfolds a figure's guide, and folds it.
#[component]
pub(in crate::app) fn GuideButton(
    /// The figure's identifier.
    id: &'static str,
) -> impl IntoView {
    let state = PageState::from_context();
    let unfolded = is_unfolded(state, id);
    let turn = move |_| {
        let now = !unfolded.get_untracked();
        state
            .link
            .update(|link| unfold(&mut link.unfolded.guides, id, now));
    };
    view! {
        <button
            type="button"
            class="ask"
            aria-label="How to read this figure"
            title="How to read this figure"
            aria-expanded=move || unfolded.get().to_string()
            aria-controls=guide_id(id)
            on:click=turn
        >
            "?"
        </button>
    }
}

/// The figure whose guide is shown.
#[derive(Debug, Clone, Copy)]
struct GuideTo(&'static str);

/// A figure's guide, while it is unfolded.
#[component]
pub(in crate::app) fn UnfoldedGuide(
    /// The figure's identifier.
    id: &'static str,
) -> impl IntoView {
    let unfolded = is_unfolded(PageState::from_context(), id);
    view! {
        <div class="guide" id=guide_id(id) hidden=move || !unfolded.get()>
            <Show when=move || unfolded.get()>
                <Provider value=GuideTo(id)>
                    <Lazy part=lazy_views::GUIDE inline=true/>
                </Provider>
            </Show>
        </div>
    }
}

/// The words of a guide, for what is open.
#[component]
pub(in crate::app) fn GuideText() -> impl IntoView {
    let GuideTo(id) = expect_context();
    let state = PageState::from_context();
    let subject = Memo::new(move |_| {
        let summary = state.summary();
        summary.map_or(PositionFamily::Table, |summary| subject_of(&summary))
    });
    move || guide(id, subject.get()).map(words)
}

fn subject_of(summary: &ModelSummary) -> PositionFamily {
    match summary.kind {
        PositionKind::Table if summary.grid.is_some() => PositionFamily::Grid,
        PositionKind::Table if summary.tensor.is_empty() => PositionFamily::Computed,
        PositionKind::Table => PositionFamily::Table,
        PositionKind::Line => PositionFamily::Offset,
        PositionKind::Window => PositionFamily::Window,
        PositionKind::Rotary => PositionFamily::Rotary,
    }
}

fn words(guide: Guide) -> impl IntoView {
    let sources = (!guide.sources.is_empty()).then(|| {
        let sources = guide
            .sources
            .iter()
            .map(|source| view! { <HelpPlacement source/> });
        view! {
            <details>
                <summary>"In the paper"</summary>
                <ul>{sources.collect_view()}</ul>
            </details>
        }
    });
    view! {
        <p class="question">{guide.question}</p>
        <dl>
            <dt>"How to read it"</dt>
            <dd>{guide.reading}</dd>
            <dt>"What to look for"</dt>
            <dd>{guide.look_for}</dd>
        </dl>
        {sources}
    }
}

/// Where a paper has it.
#[component]
fn HelpPlacement(source: &'static Source) -> impl IntoView {
    let citation = source.paper.citation();
    let named = match source.paper.address() {
        Some(address) => {
            view! { <a href=address target="_blank" rel="noreferrer">{citation}</a> }.into_any()
        }
        None => citation.into_any(),
    };
    view! { <li>{named} ", " {source.place} ". " {source.says}</li> }
}
