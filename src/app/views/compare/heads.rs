//! R² of every head of the compared models. Heads are read only on request.

use super::read_buttons::ReadButtons;
use crate::{
    analysis::{HeadAttentionR2, HeadList, HeadR2, HeadSummary, Question},
    app::{
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
    url_state::RankingR2,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Figure: R² of every head, one small map per model.
#[component]
pub(super) fn ComparedHeads() -> impl IntoView {
    let comparison = Comparison::from_context();
    let queries = QueriesByModel::<HeadList>::new();
    let weighted = QueriesByModel::<HeadAttentionR2>::new();
    let models = Memo::new(move |_| {
        let mut models = comparison.taking_part(true);
        models.retain(ListedModel::has_heads);
        models
    });
    let ranking = UrlState::from_context().select(|link| link.heads.r2);
    let measure = move |model: &ListedModel| match ranking.get() {
        RankingR2::Scores => HeadR2::Scores,
        RankingR2::WithoutRowMeans => HeadR2::WithoutRowMeans,
        RankingR2::Attention => {
            let heads = weighted.answer(model.version).unwrap_or_default();
            HeadR2::from_weighted(&heads)
        }
    };
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
                measure: measure(model),
            })
            .collect();
        ready(model_comparison::heads(&read)?)
    });
    let partial = Signal::derive(move || {
        let is_read = |model: &ListedModel| {
            let heads = queries.query(model.id());
            let weighted = weighted.query(model.id());
            heads.is_some_and(|heads| heads.is_pending())
                || weighted.is_some_and(|heads| heads.is_pending())
        };
        models.with(|models| models.iter().any(is_read))
    });
    let offered = Memo::new(move |_| {
        let models = models.get();
        let offered = models
            .into_iter()
            .filter(|model| is_offered(comparison, queries, model));
        offered.collect::<Vec<_>>()
    });
    view! {
        <FigureCard
            spec=&COMPARE_HEADS
            figure
            partial
            query=queries
        >
            <LinkedSegmentedButtons
                label="R²"
                choices=[
                    (RankingR2::Scores, "R² of scores"),
                    (RankingR2::WithoutRowMeans, "without row means"),
                    (RankingR2::Attention, "weighted by attention"),
                ]
                get=|link| link.heads.r2
                set=|link, r2| link.heads.r2 = r2
            />
            <ReadButtons figure=COMPARE_HEADS.id offered/>
            <For each=move || models.get() key=ListedModel::row_key let:model>
                <HeadReader queries weighted model/>
            </For>
        </FigureCard>
    }
}

/// Whether to offer a button that reads a model's heads: they were not requested yet, or reading them failed.
pub(super) fn is_offered<Q: Question>(
    comparison: Comparison,
    queries: QueriesByModel<Q>,
    model: &ListedModel,
) -> bool {
    let query = || queries.query(model.id());
    let has_failed = || query().is_some_and(|heads| heads.failure().is_some());
    !comparison.wants_heads(model) || has_failed()
}

/// Queries the heads of a model once they are requested, and their R² weighted by attention if the link chooses it. A
/// change of the score mode makes another question.
#[component]
fn HeadReader(
    queries: QueriesByModel<HeadList>,
    weighted: QueriesByModel<HeadAttentionR2>,
    model: ListedModel,
) -> impl IntoView {
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
    let ranking = url.select(|link| link.heads.r2);
    let mask = url.select(|link| link.heads.cells);
    let weighted_r2 = client.ask(move || {
        let model = listed.get()?;
        let is_wanted = ranking.get() == RankingR2::Attention && comparison.wants_heads(&model);
        is_wanted.then(|| HeadAttentionR2 {
            of: model.version,
            input: mode.get().into(),
            cells: mask.get().unwrap_or(model.summary.cells),
        })
    });
    weighted.add(id, weighted_r2);
}
