//! The `?` button and the help text of a figure: three lines, and the places in the papers. The texts are in
//! `www/figure_help`; the code that reads them is a lazy part.

use crate::{
    analysis::ModelSummary,
    app::{
        lazy::{Lazy, lazy_view},
        state::{ModelList, UrlState},
    },
    figure_help::{Guide, PositionFamily, Source},
    figure_spec::FigureSpec,
    model::PositionKind,
    url_state::{FigureId, unfold},
};
use leptos::{context::Provider, prelude::*};

/// Returns the element identifier of a figure's help.
fn guide_id(figure: FigureId) -> String {
    format!("{}-guide", figure.id())
}

/// Whether a figure's help is unfolded.
fn is_unfolded(url: UrlState, figure: FigureId) -> Memo<bool> {
    Memo::new(move |_| {
        url.link
            .with(|link| link.unfolded_figures.guides.contains(&figure))
    })
}

/// The `?` button, which unfolds and folds the help.
#[component]
pub(in crate::app) fn GuideButton(
    /// The figure.
    id: FigureId,
) -> impl IntoView {
    let url = UrlState::from_context();
    let unfolded = is_unfolded(url, id);
    let turn = move |_| {
        let now = !unfolded.get_untracked();
        url.link
            .update(|link| unfold(&mut link.unfolded_figures.guides, id, now));
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

/// The figure whose help is displayed, as context of the lazy part.
#[derive(Debug, Clone, Copy)]
struct GuideTo(&'static FigureSpec);

/// The help of a figure, if it is unfolded.
#[component]
pub(in crate::app) fn UnfoldedGuide(
    /// The figure.
    spec: &'static FigureSpec,
) -> impl IntoView {
    let unfolded = is_unfolded(UrlState::from_context(), spec.id);
    view! {
        <div class="guide" id=guide_id(spec.id) hidden=move || !unfolded.get()>
            <Show when=move || unfolded.get()>
                <Provider value=GuideTo(spec)>
                    <Lazy part=GUIDE_TEXT inline=true/>
                </Provider>
            </Show>
        </div>
    }
}

lazy_view! {
    /// The help text of a figure, as a lazy part.
    const GUIDE_TEXT = GuideText in details;
}

/// The help text of the figure in context, for the open model.
#[component]
fn GuideText() -> impl IntoView {
    let GuideTo(spec) = expect_context();
    let models = ModelList::from_context();
    let subject = Memo::new(move |_| {
        let summary = models.summary();
        summary.map_or(PositionFamily::Table, |summary| subject_of(&summary))
    });
    // A test reads the help of every figure, so none is malformed here.
    move || spec.guide(subject.get()).ok().map(words)
}

fn subject_of(summary: &ModelSummary) -> PositionFamily {
    match summary.kind {
        PositionKind::Table if summary.grid.is_some() => PositionFamily::Grid,
        PositionKind::Table if summary.tensor.is_empty() => PositionFamily::Computed,
        PositionKind::Table => PositionFamily::Table,
        PositionKind::Line => PositionFamily::Offset,
        PositionKind::Window => PositionFamily::Window,
        PositionKind::Rotary => PositionFamily::Rotary,
        PositionKind::Patches => PositionFamily::Patches,
    }
}

fn words(guide: Guide<'static>) -> impl IntoView + use<> {
    let sources = (!guide.sources.is_empty()).then(|| {
        let sources = guide
            .sources
            .into_iter()
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
        <p><a href="#notation" data-opens="notation">"Notation"</a></p>
        {sources}
    }
}

/// A list item with the place in a paper.
#[component]
fn HelpPlacement(source: Source<'static>) -> impl IntoView {
    let citation = source.paper.citation();
    let named = match source.paper.address() {
        Some(address) => {
            view! { <a href=address target="_blank" rel="noreferrer">{citation}</a> }.into_any()
        }
        None => citation.into_any(),
    };
    view! { <li>{named} ", " {source.place} ". " {source.says}</li> }
}
