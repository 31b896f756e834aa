//! R² against the models' performance on tasks: as typed, as pasted or opened in a table, or as published.

use super::{Badge, answers::ComparedAnswers};
use crate::{
    app::{
        controls::{number::NumberInput, while_mounted::while_mounted},
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
    performance_table::{LONGEST_TABLE, PerformanceTable, TOO_LONG},
    url_state::{NumberRange, PERFORMANCES},
};
use leptos::{
    ev::{Event, Targeted},
    html,
    prelude::*,
};
use std::sync::Arc;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlInputElement;

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
            <PerformanceImport answers/>
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

/// A fold that takes the scores of all models from pasted text or from a file.
#[component]
fn PerformanceImport(answers: ComparedAnswers) -> impl IntoView {
    let comparison = Comparison::from_context();
    let field = NodeRef::<html::Textarea>::new();
    let outcome: RwSignal<Option<Result<String, String>>> = RwSignal::new(None);
    let take = move |text: &str| {
        let rows = answers.rows.get_untracked();
        let titles: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let assigned = PerformanceTable::parse(text).map(|table| table.assign(&titles));
        outcome.set(Some(assigned.map(|assigned| {
            for (row, score) in rows.iter().zip(&assigned.scores) {
                if score.is_some() {
                    comparison.set_performance(row.id(), *score);
                }
            }
            assigned.sentence()
        })));
    };
    let take_typed = move |_| {
        if let Some(field) = field.get_untracked() {
            take(&field.value());
        }
    };
    let take_file = move |event: Targeted<Event, HtmlInputElement>| {
        let input = event.target();
        let Some(file) = input.files().and_then(|files| files.get(0)) else {
            return;
        };
        // The same file may be chosen again after it was corrected.
        input.set_value("");
        if file.size() > LONGEST_TABLE as f64 {
            return outcome.set(Some(Err(TOO_LONG.to_owned())));
        }
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok();
            // The view may have been left meanwhile.
            if outcome.try_get_untracked().is_none() {
                return;
            }
            match text.and_then(|text| text.as_string()) {
                Some(text) => take(&text),
                None => outcome.set(Some(Err(
                    "The browser could not read this file. Choose it again, or paste its text."
                        .to_owned(),
                ))),
            }
        });
    };
    let is_wrong = move || outcome.with(|outcome| matches!(outcome, Some(Err(_))));
    let sentence = move || {
        let sentence = |outcome: Result<String, String>| outcome.unwrap_or_else(|wrong| wrong);
        outcome.get().map(sentence)
    };
    view! {
        <details class="options score-table">
            <summary>"Scores from a table"</summary>
            <div class="written">
                <label for="score-table">"One row per model: its name in the list above, and its score. Commas, semicolons or tabs separate the two."</label>
                <textarea
                    id="score-table"
                    rows="4"
                    spellcheck="false"
                    placeholder="minilm-l6, 59.8"
                    aria-invalid=move || is_wrong().to_string()
                    aria-describedby="score-table-outcome"
                    node_ref=field
                ></textarea>
                <div class="controls">
                    <button type="button" on:click=take_typed>"Take scores"</button>
                    <label class="file-button">
                        <u>"Choose a CSV or TSV file"</u>
                        <input
                            type="file"
                            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
                            on:change:target=while_mounted(take_file)
                        />
                    </label>
                </div>
                <p class="hint" id="score-table-outcome" role="status">{sentence}</p>
            </div>
        </details>
    }
}
