//! The comparison view: every open model side by side. Matrices under one cursor, profiles on one axis, scores, heads,
//! R² against the models' performance on tasks, and waves on shared axes.

mod answers;
mod figures;
mod heads;
mod performance;
mod program_constants;
mod read_buttons;
mod small_matrix;
mod waves;

use super::{
    figure_fold::FigureFold,
    matrix_controls::{LinkedSegmentedButtons, MatrixLook},
};
use crate::{
    analysis::{ModelId, Similarity},
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            focus::{focus_next, focusable, is_by_keyboard},
            while_mounted::while_mounted,
        },
        figure::{
            card::FigureCard,
            view::{FigureView, picture, ready},
        },
        models::opening::Opener,
        state::{
            ModelList, UrlState,
            comparison::{Comparison, ListedModel},
        },
    },
    figure::{ColorBar, ValueRange, matrices_caption, model_matrices},
    figure_spec::compare::COMPARE_MATRICES,
    url_state::FigureGroup,
};
use answers::ComparedAnswers;
use figures::{ComparedProfiles, ModelScores};
use heads::ComparedHeads;
use leptos::prelude::*;
use performance::PerformanceScatter;
use small_matrix::SmallMatrix;
use std::sync::Arc;
use waves::WaveFigures;

/// The comparison view.
#[component]
pub(in crate::app) fn CompareView() -> impl IntoView {
    let models = ModelList::from_context();
    let opener = Opener::from_context();
    // Opens the baselines once; models that the user then leaves out or opens are not changed again.
    Effect::new(move |previous: Option<bool>| {
        let is_open = models.open.get().is_some();
        if previous != Some(true) && is_open {
            opener.open_baselines();
        }
        is_open || previous == Some(true)
    });
    let answers = ComparedAnswers::new();
    program_constants::provide();
    view! {
        <div class="view compare">
            <SideBySide answers/>
            <div class="column">
                <ComparedProfiles answers/>
                <PerformanceScatter answers/>
            </div>
            <div class="column">
                <ModelScores answers/>
                <ComparedHeads/>
            </div>
            <FigureFold group=FigureGroup::ComparedWaves summary="Waves of all models">
                <WaveFigures/>
            </FigureFold>
        </div>
    }
}

/// Returns the colour range that the matrices share.
fn bar_range(answers: ComparedAnswers) -> Option<ValueRange> {
    answers.colors.with(|colors| colors.scale.shared_range)
}

/// Figure: the matrices of all models. On the page each is a figure of its own; saved, they are one.
#[component]
fn SideBySide(answers: ComparedAnswers) -> impl IntoView {
    let url = UrlState::from_context();
    let map = url.select(|link| link.matrices.map);
    let bar = picture(move || {
        let range = bar_range(answers)?;
        ready(ColorBar {
            map: map.get(),
            range,
        })
    });
    // Until a range is known, the control shows the stored choice.
    let chosen = url.select(|link| link.compare.own_colours);
    let is_separate = Memo::new(move |_| {
        chosen.get().unwrap_or_else(|| {
            let is_known = answers
                .colors
                .with(|colors| !colors.scale.sentence.is_empty());
            is_known && bar_range(answers).is_none()
        })
    });
    let choose = move |own| {
        url.link.update(|link| link.compare.own_colours = Some(own));
    };
    let why = move || answers.colors.with(|colors| colors.scale.sentence.clone());
    let is_alone = Memo::new(move |_| answers.rows.with(|rows| rows.len() < 2));
    let similarity = url.select(|link| link.positions.similarity);
    let matrices = Memo::new_with_compare(
        move |_| answers.all_matrices(similarity.get()).map(Arc::new),
        |_, _| true,
    );
    let figure = picture(move || ready(model_matrices(&matrices.get()?, bar_range(answers))?));
    let caption = Signal::derive(move || {
        let matrices = matrices.get().unwrap_or_default();
        matrices_caption(&matrices, similarity.get())
    });
    let stage = view! {
        <p class="hint" id="colour-scale" hidden=move || why().is_empty()>{why}</p>
        <p class="hint" hidden=move || !is_alone.get()>
            "Open another model: choose one from the list of models, or drop files here. It is added to the comparison."
        </p>
        <LeftOut/>
        <div class="multiples">
            <For each=move || answers.rows.get() key=ListedModel::row_key let:model>
                <SmallMatrix answers model/>
            </For>
        </div>
        <div class="shared-colours" hidden=move || bar.with(Option::is_none)>
            <FigureView id="compare-colours" figure=bar label="Colours that the matrices share"/>
        </div>
        <p class="hint">"Hover over one matrix to highlight the same offset in all."</p>
    };
    view! {
        <div class="side-by-side">
            <FigureCard
                spec=&COMPARE_MATRICES
                figure
                caption
                stage=stage.into_any()
                query=answers.overviews
            >
                <LinkedSegmentedButtons
                    label="Similarity"
                    choices=[(Similarity::InnerProduct, "inner product"), (Similarity::Cosine, "cosine")]
                    get=|link| link.positions.similarity
                    set=|link, similarity| link.positions.similarity = similarity
                />
                <LinkedSegmentedButtons
                    label="Order"
                    choices=[(false, "opening order"), (true, "by R²")]
                    get=|link| link.compare.by_r2
                    set=|link, by_r2| link.compare.by_r2 = by_r2
                />
                <SegmentedButtons
                    label="Colour scale"
                    options=options([(false, "shared"), (true, "separate")])
                    value=is_separate
                    set=choose
                />
                <MatrixLook/>
            </FigureCard>
        </div>
    }
}

/// The models that were left out, with controls to include them again.
#[component]
fn LeftOut() -> impl IntoView {
    let comparison = Comparison::from_context();
    let models = Memo::new(move |_| comparison.taking_part(false));
    view! {
        <Show when=move || !models.with(Vec::is_empty)>
            <p class="left-out">
                <span>"Left out:"</span>
                <For each=move || models.get() key=ListedModel::row_key let:model>
                    <InclusionCheckbox
                        id=model.id()
                        name=model.name.clone()
                        takes_part=false
                        shown=model.name.clone()
                    />
                </For>
            </p>
        </Show>
    }
}

/// Checkbox that includes or leaves out a model. Changing it removes this checkbox and mounts another one elsewhere, so
/// keyboard focus is moved to that one.
#[component]
fn InclusionCheckbox(
    id: ModelId,
    name: String,
    takes_part: bool,
    /// Text beside the box.
    #[prop(optional, into)]
    shown: String,
) -> impl IntoView {
    let comparison = Comparison::from_context();
    let change = move |_| {
        if is_by_keyboard() {
            focus_next(move || focusable(&format!("#compare-{id}")));
        }
        comparison.include(id, !takes_part);
    };
    view! {
        <label class="included">
            <input
                type="checkbox"
                id=format!("compare-{id}")
                prop:checked=takes_part
                aria-label=format!("Compare {name}")
                on:change=while_mounted(change)
            />
            {shown}
        </label>
    }
}

/// A model's number in its category colour.
#[component]
fn Badge(number: usize) -> impl IntoView {
    let class = format!("badge category-{}", number.saturating_sub(1) % 8);
    view! { <span class=class>{number.to_string()}</span> }
}
