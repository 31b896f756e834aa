//! A figure with its heading, help, caption, formula, controls, toolbar, summary and numbers.

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
    app::{query_client::QueryStatus, state::PageState},
    url_state::{ModelRef, figure_named},
};
use leptos::{either::Either, prelude::*};

/// Text in place of a figure while no model is open.
const NOTHING_OPEN: &str = "Nothing is open yet.";

/// A figure with its surroundings. The children are controls, placed above the picture.
///
/// The identifier is used in links, file names and tests; the title comes from [`FIGURES`].
///
/// [`FIGURES`]: crate::url_state::FIGURES
#[component]
pub(in crate::app) fn FigureCard(
    /// Identifier.
    id: &'static str,
    /// The figure, once computed.
    #[prop(into)]
    figure: Signal<Option<AnyFigure>>,
    /// Title, if the model needs another one than [`FIGURES`] gives.
    #[prop(optional_no_strip)]
    title: Option<&'static str>,
    /// One sentence on what the figure shows.
    #[prop(optional, into)]
    caption: Signal<String>,
    /// Formula after the caption.
    #[prop(default = Signal::stored(formulas::NONE), into)]
    formula: Signal<Formula>,
    /// Number of positions of the matrix, for the shared cursor. 0 disables the cursor.
    #[prop(optional, into)]
    positions: Signal<usize>,
    /// The matrix behind the figure, for CSV and NPY files.
    #[prop(optional, into)]
    matrix: Option<MatrixSource>,
    /// Callbacks of a drag inside the figure.
    #[prop(optional, into)]
    pull: Option<Pull>,
    /// Zoom and pan callbacks of a windowed matrix.
    #[prop(optional, into)]
    navigation: Option<Navigation>,
    /// Receives the width of the figure, which determines the resolution to request.
    #[prop(optional, into)]
    resolution: Option<MatrixResolution>,
    /// Overlay on the picture, in its coordinates.
    #[prop(optional, into)]
    above: Option<AnyView>,
    /// Displayed in place of the picture, which then serves only for downloads.
    #[prop(optional, into)]
    stage: Option<AnyView>,
    /// Whether the answer is not complete yet.
    #[prop(optional, into)]
    partial: Signal<bool>,
    /// Status of the query behind the figure.
    #[prop(default = Signal::stored(QueryStatus::Computing), into)]
    waiting: Signal<QueryStatus>,
    /// Text to display if there is no question.
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
    let registry = FigureRegistry::from_context();
    registry.register(RegisteredFigure {
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
    let models = state.models;
    let message = move || {
        let link_waits = state
            .url
            .link
            .with(|link| link.model.is_remote() || matches!(link.model, ModelRef::File { .. }));
        match (waiting.get(), models.open.get()) {
            (QueryStatus::Failed(sentence), _) => sentence,
            (QueryStatus::Nothing, None) if empty == NOTHING_OPEN && models.is_opening() => {
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
                <FigureView id figure label positions pull navigation resolution/>
                {above}
                <p class="waiting" hidden=move || present.get() && !is_earlier.get()>{message}</p>
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
            data-lit=move || registry.is_highlighted(id).then_some("")
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
