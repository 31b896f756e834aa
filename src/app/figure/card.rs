//! A figure with its heading, help, caption, formula, controls, toolbar, summary and numbers.

use super::{
    formula::FormulaLine,
    help::UnfoldedGuide,
    matrix_source::MatrixSource,
    number_table::Numbers,
    registry::{FigureRegistry, RegisteredFigure},
    resolution::MatrixResolution,
    toolbar::FigureToolbar,
    view::{AnyFigure, FigureView, Navigation, Pull},
};
use crate::{
    app::query_client::QueryStatus,
    app::state::{OpenHead, PageState},
    figure_spec::formulas::Formula,
    figure_spec::{FigureSpec, NOTHING_OPEN},
};
use leptos::{either::Either, prelude::*};

/// A figure with its surroundings. The children are controls, placed above the picture.
///
/// Title, caption, formula and help come from the specification; props replace those that depend on the model or the
/// answer.
#[component]
pub(in crate::app) fn FigureCard(
    /// The specification.
    spec: &'static FigureSpec,
    /// The figure, once computed.
    #[prop(into)]
    figure: Signal<Option<AnyFigure>>,
    /// The painted figure, if the picture moves from one figure to the next.
    #[prop(optional, into)]
    painted: Option<Signal<Option<AnyFigure>>>,
    /// Title, if the model needs another.
    #[prop(optional_no_strip)]
    title: Option<&'static str>,
    /// Caption, if it depends on the answer.
    #[prop(optional, into)]
    caption: Option<Signal<String>>,
    /// Formula after the caption, if it depends on a choice.
    #[prop(optional, into)]
    formula: Option<Signal<Formula>>,
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
    /// The query behind the figure, or its status.
    #[prop(default = Signal::stored(QueryStatus::Computing), into)]
    query: Signal<QueryStatus>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let FigureSpec { id, empty, .. } = *spec;
    let title = title.unwrap_or(id.title());
    let caption = caption.unwrap_or_else(|| Signal::stored(spec.caption.to_owned()));
    let caption = match spec.shows_head_scores() {
        true => with_text_note(caption),
        false => caption,
    };
    let formula = formula.unwrap_or_else(|| Signal::stored(spec.formula));
    let present = Memo::new(move |_| figure.with(Option::is_some));
    let is_earlier = Memo::new(move |_| present.get() && query.get() == QueryStatus::NextAnswer);
    let figure_state = move || match (present.get(), partial.get(), query.get()) {
        (true, _, QueryStatus::NextAnswer) => "earlier",
        (true, true, _) => "partial",
        (true, false, _) => "ready",
        (false, _, QueryStatus::Failed(_)) => "failed",
        (false, ..) => "waiting",
    };
    let registry = FigureRegistry::from_context();
    let height = RwSignal::new(None);
    registry.register(RegisteredFigure {
        id,
        title,
        figure,
        is_whole: Signal::derive(move || figure_state() == "ready"),
        height,
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
            .with(|link| link.model.is_remote() || link.model.is_from_visitor());
        match (query.get(), models.open.get()) {
            (QueryStatus::Failed(sentence), _) => sentence,
            (QueryStatus::Nothing, None) if empty == NOTHING_OPEN && models.is_opening() => {
                "Opening …".to_owned()
            }
            (QueryStatus::Nothing, _) if state.open_head.waits_for_text() => {
                "No text has passed this model.".to_owned()
            }
            (QueryStatus::Nothing, _) => empty.to_owned(),
            (QueryStatus::Computing, None) if link_waits => NOTHING_OPEN.to_owned(),
            (QueryStatus::Computing | QueryStatus::NextAnswer, _) => "Computing …".to_owned(),
        }
    };
    let painted = painted.unwrap_or(figure);
    let stage = match stage {
        Some(stage) => Either::Left(stage),
        None => Either::Right(view! {
            <div class="stage">
                <FigureView id=id.id() figure=painted label height positions pull navigation resolution term=spec.term/>
                {above}
                <p class="waiting" hidden=move || present.get() && !is_earlier.get()>{message}</p>
            </div>
        }),
    };
    let controls = children.map(|children| view! { <div class="controls">{children()}</div> });
    let (heading, summary_id) = (format!("{}-title", id.id()), format!("{}-summary", id.id()));
    let (labelled_by, described_by) = (heading.clone(), summary_id.clone());
    view! {
        <figure
            id=id.id()
            data-figure=id.id()
            data-state=figure_state
            data-lit=move || registry.is_highlighted(id).then_some("")
            aria-labelledby=labelled_by
            aria-describedby=described_by
        >
            <header>
                <h2 id=heading>{title}</h2>
                <FigureToolbar spec title=Signal::stored(title.to_owned()) caption figure earlier=is_earlier matrix/>
                <UnfoldedGuide spec/>
            </header>
            <p class="caption">
                {move || caption.with(|caption| first_sentence(caption).0.to_owned())}
                <span class="rest">{move || caption.with(|caption| first_sentence(caption).1.to_owned())}</span>
                " " <FormulaLine formula term_figures=spec.term_figures/>
            </p>
            {controls}
            {stage}
            <figcaption class="summary" id=summary_id>{summary}</figcaption>
            <Numbers id title figure/>
        </figure>
    }
}

/// The caption with a sentence on the text from which the heads of a rotary model take their scores.
fn with_text_note(caption: Signal<String>) -> Signal<String> {
    let open_head = OpenHead::from_context();
    Signal::derive(move || {
        let (mut caption, note) = (caption.get(), open_head.text_note());
        // The formula no longer follows the caption.
        if !note.is_empty() && caption.ends_with(':') {
            caption.pop();
            caption.push('.');
        }
        (caption + &note).trim_start().to_owned()
    })
}

/// Splits a caption after its first sentence. A presented figure shows that alone.
fn first_sentence(caption: &str) -> (&str, &str) {
    let end = caption.find(". ").map_or(caption.len(), |end| end + 1);
    caption.split_at(end)
}
