//! R² of every head of the compared models. Heads are read only on request.

use super::Badge;
use crate::{
    analysis::{HeadList, HeadR2, HeadSummary},
    app::{
        controls::focus::{focus_next, focusable, is_by_keyboard},
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{QueryClient, queries_by_model::QueriesByModel},
        state::{
            UrlState,
            comparison::{Comparison, ListedModel},
        },
        views::matrix_controls::LinkedSegmentedButtons,
    },
    figure::model_comparison::{self, WithHeads},
    figure_spec::compare::COMPARE_HEADS,
    url_state::{Link, RankingR2},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Figure: R² of every head, one small map per model.
#[component]
pub(super) fn ComparedHeads() -> impl IntoView {
    let comparison = Comparison::from_context();
    let client = QueryClient::from_context();
    let queries = QueriesByModel::<HeadList>::new();
    let models = Memo::new(move |_| {
        let mut models = comparison.taking_part(true);
        models.retain(ListedModel::has_heads);
        models
    });
    let without_row_means = UrlState::from_context().select(is_without_row_means);
    let figure = picture(move || {
        let models = models.get();
        let read: Vec<(&ListedModel, Arc<Vec<HeadSummary>>)> = models
            .iter()
            .filter(|model| !is_offered(comparison, queries, model))
            .map(|model| (model, queries.answer(model.version).unwrap_or_default()))
            .collect();
        let read: Vec<WithHeads<'_>> = read
            .iter()
            .map(|(model, heads)| WithHeads {
                number: model.number,
                name: &model.name,
                size: model.size(),
                heads,
            })
            .collect();
        let measure = match without_row_means.get() {
            true => HeadR2::WithoutRowMeans,
            false => HeadR2::Scores,
        };
        ready(model_comparison::heads(&read, &measure)?)
    });
    let partial = Signal::derive(move || {
        let is_read = |model: &ListedModel| {
            let query = queries.query(model.id());
            query.is_some_and(|heads| heads.is_pending())
        };
        models.with(|models| models.iter().any(is_read))
    });
    let offered = Memo::new(move |_| {
        let models = models.get();
        let offered = models
            .iter()
            .filter(|model| is_offered(comparison, queries, model));
        offered.map(ListedModel::id).collect::<Vec<_>>()
    });
    let read_all = move |_| {
        hand_over_focus();
        for id in offered.get_untracked() {
            comparison.want_heads(id);
        }
        client.retry();
    };
    view! {
        <FigureCard
            spec=&COMPARE_HEADS
            figure
            partial
            query=queries
        >
            <LinkedSegmentedButtons
                label="R²"
                choices=[(false, "R² of scores"), (true, "without row means")]
                get=is_without_row_means
                set=|link, is_without| {
                    link.heads.r2 = match is_without {
                        true => RankingR2::WithoutRowMeans,
                        false => RankingR2::Scores,
                    };
                }
            />
            <div class="readers">
                <Show when=move || { offered.with(Vec::len) > 1 }>
                    <button type="button" class="primary" on:click=read_all>"Read all heads"</button>
                </Show>
                <For each=move || models.get() key=ListedModel::row_key let:model>
                    <HeadReader queries model/>
                </For>
            </div>
        </FigureCard>
    }
}

fn is_without_row_means(link: &Link) -> bool {
    link.heads.r2 == RankingR2::WithoutRowMeans
}

/// Whether to offer a button that reads a model's heads: they were not requested yet, or reading them failed.
fn is_offered(
    comparison: Comparison,
    queries: QueriesByModel<HeadList>,
    model: &ListedModel,
) -> bool {
    let query = || queries.query(model.id());
    let has_failed = || query().is_some_and(|heads| heads.failure().is_some());
    !comparison.wants_heads(model) || has_failed()
}

/// Moves keyboard focus after the pressed button was removed: to the next button, else to the figure.
fn hand_over_focus() {
    if is_by_keyboard() {
        focus_next(|| {
            let button = focusable("#compare-heads .readers button");
            button.or_else(|| focusable("#compare-heads .figure-view"))
        });
    }
}

/// Queries the heads of a model once they are requested, and shows the button that requests them. A change of the score
/// mode makes another question.
#[component]
fn HeadReader(queries: QueriesByModel<HeadList>, model: ListedModel) -> impl IntoView {
    let url = UrlState::from_context();
    let comparison = Comparison::from_context();
    let client = QueryClient::from_context();
    let id = model.id();
    let listed = comparison.model(id);
    let mode = url.select(|link| link.heads.mode);
    let heads = client.ask(move || {
        let model = listed.get()?;
        comparison.wants_heads(&model).then(|| HeadList {
            of: model.version,
            input: mode.get().into(),
        })
    });
    queries.add(id, heads);
    let read = move |_| {
        hand_over_focus();
        if listed.with_untracked(|model| model.as_ref().is_some_and(|m| comparison.wants_heads(m)))
        {
            client.retry();
        } else {
            comparison.want_heads(id);
        }
    };
    let offers = Memo::new(move |_| {
        listed.with(|model| {
            let model = model.as_ref();
            model.is_some_and(|model| is_offered(comparison, queries, model))
        })
    });
    let label = format!("Read all heads of {}", model.name);
    view! {
        <Show when=move || offers.get()>
            <button
                type="button"
                data-read=model.name.clone()
                title=label.clone()
                on:click=read
            >
                <span class="summary">"Read all heads of"</span>
                <Badge number=model.number/>
                <span class="name">{model.name.clone()}</span>
            </button>
        </Show>
    }
}
