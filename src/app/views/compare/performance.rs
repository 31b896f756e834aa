//! R² against the models' performance on tasks, as typed or as published.

use super::{Badge, answers::ComparedAnswers};
use crate::{
    app::{
        controls::number::NumberInput,
        figure::{
            card::FigureCard,
            view::{AnyFigure, picture},
        },
        query_client::QueryStatus,
        state::comparison::{Comparison, ListedModel},
    },
    figure::{
        model_comparison::{self, ComparedModel},
        number,
    },
    figure_spec::compare::R2_PERFORMANCE,
    math::LinearFit,
    model::published_performance,
    url_state::{NumberRange, PERFORMANCES},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Number of points, and, if they can be drawn, the figure with the line fitted to them.
type Points = (usize, Option<(AnyFigure, Option<LinearFit>)>);

/// Figure: R² and performance of every model as points, with a fitted line.
#[component]
pub(super) fn PerformanceScatter(answers: ComparedAnswers) -> impl IntoView {
    let comparison = Comparison::from_context();
    let points = Memo::new_with_compare(
        move |_| -> Points {
            let rows = answers.rows.get();
            let models = answers.models.get();
            let performance = |model: &ComparedModel| {
                let row = rows.iter().find(|row| row.number == model.number)?;
                comparison.performance(row)
            };
            let scored: Vec<(&ComparedModel, f64)> = models
                .iter()
                .filter_map(|model| Some((model, performance(model)?)))
                .collect();
            let scatter = model_comparison::performance(&scored)
                .map(|(scatter, fit)| (Arc::new(scatter) as AnyFigure, fit));
            (scored.len(), scatter)
        },
        |_, _| true,
    );
    let figure =
        picture(move || points.with(|(_, scatter)| Some(Arc::clone(&scatter.as_ref()?.0))));
    let caption = Signal::derive(move || {
        let (count, fit) = points.with(|(count, scatter)| {
            let fit = scatter.as_ref().and_then(|(_, fit)| *fit);
            (*count, fit)
        });
        let correlation = match fit {
            Some(fit) => format!(
                "Pearson’s r = {} over n = {count} models.",
                number(fit.correlation)
            ),
            None => "A correlation needs at least three models with different values.".to_owned(),
        };
        let is_published = |model: &ListedModel| {
            let published = published_performance(&model.name);
            published.is_some() && comparison.performance(model) == published
        };
        let published = if answers.rows.with(|rows| rows.iter().any(is_published)) {
            " ALBERT’s averages over five tasks are those that its authors published."
        } else {
            ""
        };
        format!(
            "Do models with a higher R² perform better on tasks (TISA paper, fig. 2)? {correlation}{published}"
        )
    });
    view! {
        <FigureCard
            spec=&R2_PERFORMANCE
            figure
            caption
            query=Signal::stored(QueryStatus::Nothing)
        >
            <div class="performances">
                <For each=move || answers.rows.get() key=ListedModel::row_key let:model>
                    <PerformanceField model/>
                </For>
            </div>
        </FigureCard>
    }
}

/// Number field for a model's performance; emptying it removes the number.
#[component]
fn PerformanceField(model: ListedModel) -> impl IntoView {
    let comparison = Comparison::from_context();
    let id = model.id();
    let listed = model.clone();
    let performance = Signal::derive(move || comparison.performance(&listed));
    view! {
        <div class="performance" data-performance=model.name.clone()>
            <Badge number=model.number/>
            <span class="name" title=model.name.clone()>{model.name.clone()}</span>
            <NumberInput
                name=format!("Performance of {}", model.name)
                value=performance
                allowed=NumberRange::all(PERFORMANCES)
                set=move |value| comparison.set_performance(id, Some(value))
                clear=move |()| comparison.set_performance(id, None)
            />
        </div>
    }
}
