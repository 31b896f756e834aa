//! A figure with everything that belongs to it: heading, guide, what to see, formula, toolbar, summary, numbers.

use super::{
    formulas::{self, Formula},
    help::UnfoldedGuide,
    matrix_source::MatrixSource,
    number_table::Numbers,
    registry::{FigureRegistry, RegisteredFigure},
    resolution::MatrixResolution,
    toolbar::FigureToolbar,
    view::{AnyFigure, FigureView, Navigation, Pull},
};
use crate::{
    app::{query_client::QueryStatus, state::page::PageState},
    url_state::{ModelRef, figure_named},
};
use leptos::{either::Either, prelude::*};

/// What stands in a figure's place before there is a model.
const NOTHING_OPEN: &str = "Nothing is open yet.";

/// A figure under its identifier, as in links, file names and tests, with its title in [`FIGURES`]; its children
/// are the controls beside it.
///
/// [`FIGURES`]: crate::link::FIGURES
#[component]
pub(in crate::app) fn FigureCard(
    /// Its identifier.
    id: &'static str,
    /// The figure, once it is there.
    #[prop(into)]
    figure: Signal<Option<AnyFigure>>,
    /// Another title than the list's, where the model asks for one.
    #[prop(optional_no_strip)]
    title: Option<&'static str>,
    /// One sentence on what to see.
    #[prop(optional, into)]
    caption: Signal<String>,
    /// The formula after it.
    #[prop(default = Signal::stored(formulas::NONE), into)]
    formula: Signal<Formula>,
    /// The size of the matrix under the shared cursor; 0 puts the figure under none.
    #[prop(optional, into)]
    positions: Signal<usize>,
    /// The matrix behind it, or the window of it that is shown.
    #[prop(optional, into)]
    matrix: Option<MatrixSource>,
    /// What pulling at it does.
    #[prop(optional, into)]
    pull: Option<Pull>,
    /// What a wheel over it does, and what keys do that move the cursor.
    #[prop(optional, into)]
    navigation: Option<Navigation>,
    /// What asks how finely it can be drawn.
    #[prop(optional, into)]
    room: Option<MatrixResolution>,
    /// What is laid over the picture, in its coordinates.
    #[prop(optional, into)]
    above: Option<AnyView>,
    /// What is shown in the place of the picture, which is then for downloads alone.
    #[prop(optional, into)]
    stage: Option<AnyView>,
    /// Whether more of it is still to come.
    #[prop(optional, into)]
    partial: Signal<bool>,
    /// What is waited for while there is no figure.
    #[prop(default = Signal::stored(QueryStatus::Computing), into)]
    waiting: Signal<QueryStatus>,
    /// What is said when nothing was asked for.
    #[prop(default = NOTHING_OPEN)]
    empty: &'static str,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let title = title
        .or_else(|| figure_named(id).map(|entry| entry.title))
        .unwrap_or_default();
    let present = Memo::new(move |_| figure.with(Option::is_some));
    let is_earlier = Memo::new(move |_| present.get() && waiting.get() == QueryStatus::NextAnswer);
    let figure_state = move || match (present.get(), partial.get(), waiting.get()) {
        (true, _, QueryStatus::NextAnswer) => "earlier",
        (true, true, _) => "partial",
        (true, false, _) => "ready",
        (false, _, QueryStatus::Failed(_)) => "failed",
        (false, ..) => "waiting",
    };
    let standing = FigureRegistry::from_context();
    standing.stand(RegisteredFigure {
        id,
        title,
        figure,
        is_whole: Signal::derive(move || figure_state() == "ready"),
    });
    let summary = Memo::new(move |_| {
        figure.with(|figure| figure.as_ref().map(|f| f.summary()).unwrap_or_default())
    });
    let label = Signal::derive(move || format!("{title}. {}", summary.get()));
    let state = PageState::from_context();
    let said = move || {
        let link_waits = state
            .link
            .with(|link| link.model.is_remote() || matches!(link.model, ModelRef::File { .. }));
        match (waiting.get(), state.open.get()) {
            (QueryStatus::Failed(sentence), _) => sentence,
            (QueryStatus::Nothing, None) if empty == NOTHING_OPEN && state.is_opening() => {
                "Opening …".to_owned()
            }
            (QueryStatus::Nothing, _) => empty.to_owned(),
            (QueryStatus::Computing, None) if link_waits => NOTHING_OPEN.to_owned(),
            (QueryStatus::Computing | QueryStatus::NextAnswer, _) => "Computing …".to_owned(),
        }
    };
    let stage = match stage {
        Some(stage) => Either::Left(stage),
        None => Either::Right(view! {
            <div class="stage">
                <FigureView id figure label positions pull navigation room/>
                {above}
                <p class="waiting" hidden=move || present.get() && !is_earlier.get()>{said}</p>
            </div>
        }),
    };
    let controls = children.map(|children| view! { <div class="controls">{children()}</div> });
    let (heading, summary_id) = (format!("{id}-title"), format!("{id}-summary"));
    let (labelled_by, described_by) = (heading.clone(), summary_id.clone());
    view! {
        <figure
            id=id
            data-figure=id
            data-state=figure_state
            data-lit=move || standing.is_lit(id).then_some("")
            aria-labelledby=labelled_by
            aria-describedby=described_by
        >
            <header>
                <h2 id=heading>{title}</h2>
                <FigureToolbar id title=Signal::stored(title.to_owned()) caption figure earlier=is_earlier matrix/>
                <UnfoldedGuide id/>
            </header>
            <p class="caption">
                {caption} " " <span class="formula" inner_html=move || formula.get().0></span>
            </p>
            {controls}
            {stage}
            <figcaption class="summary" id=summary_id>{summary}</figcaption>
            <Numbers id title figure/>
        </figure>
    }
}
