//! Waves of all compared models on shared axes: spectra and components of their tables, and the shifts of their heads.

use super::{heads::is_offered, read_buttons::ReadButtons};
use crate::{
    analysis::{HeadShift, HeadShifts, TableWaveSummary, TableWaves},
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
    figure::wave_comparison::{self, ModelAnswer},
    figure_spec::compare::{COMPARE_COMPONENTS, COMPARE_SHIFTS, COMPARE_SPECTRA},
};
use leptos::prelude::*;
use std::sync::Arc;

/// The compared models in two groups: those that have what a figure shows, and the names of the others.
#[derive(Debug, Clone, PartialEq)]
struct ModelGroups {
    present: Vec<ListedModel>,
    absent: Vec<String>,
}

impl ModelGroups {
    fn absent_names(&self) -> Vec<&str> {
        self.absent.iter().map(String::as_str).collect()
    }
}

/// Returns the compared models in two groups.
fn group(has: fn(&ListedModel) -> bool) -> Memo<ModelGroups> {
    let comparison = Comparison::from_context();
    Memo::new(move |_| {
        let models = comparison.taking_part(true).into_iter();
        let (present, absent): (Vec<_>, Vec<_>) = models.partition(has);
        ModelGroups {
            present,
            absent: absent.into_iter().map(|model| model.name).collect(),
        }
    })
}

/// Whether a model has a table, the columns of which are waves.
fn has_table(model: &ListedModel) -> bool {
    !model.summary.kind.is_relative()
}

/// Whether a model has heads that read its table.
fn has_wave_heads(model: &ListedModel) -> bool {
    model.has_heads() && !model.summary.kind.has_heads_by_offset()
}

/// The models with their answers, as figures take them.
fn as_answers<T>(answers: &[(ListedModel, Arc<T>)]) -> Vec<ModelAnswer<'_, T>> {
    let answers = answers.iter().map(|(model, answer)| ModelAnswer {
        number: model.number,
        name: &model.name,
        answer: answer.as_ref(),
    });
    answers.collect()
}

/// Figures: spectra, components and shifts of all models.
#[component]
pub(super) fn WaveFigures() -> impl IntoView {
    let models = group(has_table);
    let queries = QueriesByModel::<TableWaves>::new();
    view! {
        <For each=move || models.with(|models| models.present.clone()) key=ListedModel::row_key let:model>
            <TableQuery queries model/>
        </For>
        <div class="pair">
            <ComparedSpectra queries models/>
            <ComparedComponents queries models/>
            <ComparedShifts/>
        </div>
    }
}

/// Queries the waves of a model's table.
#[component]
fn TableQuery(queries: QueriesByModel<TableWaves>, model: ListedModel) -> impl IntoView {
    let id = model.id();
    let listed = Comparison::from_context().model(id);
    let waves = QueryClient::from_context().ask(move || {
        let of = listed.get()?.version;
        Some(TableWaves { of })
    });
    queries.add(id, waves);
}

/// The models whose tables are transformed, with their waves.
fn table_answers(
    queries: QueriesByModel<TableWaves>,
    models: &ModelGroups,
) -> Vec<(ListedModel, Arc<TableWaveSummary>)> {
    let with_answer = |model: &ListedModel| Some((model.clone(), queries.answer(model.version)?));
    models.present.iter().filter_map(with_answer).collect()
}

/// Figure: the mean spectrum of every model's table.
#[component]
fn ComparedSpectra(
    queries: QueriesByModel<TableWaves>,
    models: Memo<ModelGroups>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let unscaled = url.select(|link| link.compare.is_unscaled);
    let all = url.select(|link| link.waves.all_frequencies);
    let figure = picture(move || {
        let models = models.get();
        let answers = table_answers(queries, &models);
        ready(wave_comparison::table_spectra(
            &as_answers(&answers),
            &models.absent_names(),
            !unscaled.get(),
            all.get(),
        )?)
    });
    let caption = Signal::derive(move || {
        if unscaled.get() {
            "The mean of |DFT| over the columns of each table, as it is. For column c at frequency f:"
        } else {
            "The mean of |DFT| over the columns of each table, as if each had the norm of the sinusoidal table of its size. For column c at frequency f:"
        }
        .to_owned()
    });
    let positions = Signal::derive(move || {
        let models = models.get();
        let lengths = table_answers(queries, &models)
            .into_iter()
            .filter_map(|(_, waves)| {
                let spectrum = waves.spectrum.as_ref().ok()?;
                Some(spectrum.n)
            });
        lengths.max().unwrap_or(0)
    });
    view! {
        <FigureCard spec=&COMPARE_SPECTRA figure caption positions query=queries>
            <LinkedSegmentedButtons
                label="Values"
                choices=[(false, "scaled"), (true, "as they are")]
                get=|link| link.compare.is_unscaled
                set=|link, unscaled| link.compare.is_unscaled = unscaled
            />
            <LinkedSegmentedButtons
                label="Frequencies"
                choices=[(false, "main waves"), (true, "all")]
                get=|link| link.waves.all_frequencies
                set=|link, all| link.waves.all_frequencies = all
            />
        </FigureCard>
    }
}

/// Figure: the variance that the leading components of every model's table explain.
#[component]
fn ComparedComponents(
    queries: QueriesByModel<TableWaves>,
    models: Memo<ModelGroups>,
) -> impl IntoView {
    let figure = picture(move || {
        let models = models.get();
        let answers = table_answers(queries, &models);
        ready(wave_comparison::table_components(
            &as_answers(&answers),
            &models.absent_names(),
        )?)
    });
    view! { <FigureCard spec=&COMPARE_COMPONENTS figure query=queries/> }
}

/// Figure: the shift of every head of the models whose heads were requested.
#[component]
fn ComparedShifts() -> impl IntoView {
    let comparison = Comparison::from_context();
    let queries = QueriesByModel::<HeadShifts>::new();
    let models = group(has_wave_heads);
    let figure = picture(move || {
        let models = models.get();
        let with_heads = models
            .present
            .iter()
            .filter(|model| !is_offered(comparison, queries, model))
            .map(|model| {
                let heads = queries.answer(model.version).unwrap_or_default();
                (model.clone(), heads)
            });
        let with_heads: Vec<(ListedModel, Arc<Vec<HeadShift>>)> = with_heads.collect();
        let answers: Vec<ModelAnswer<'_, [HeadShift]>> = (with_heads.iter())
            .map(|(model, heads)| ModelAnswer {
                number: model.number,
                name: &model.name,
                answer: heads.as_slice(),
            })
            .collect();
        ready(wave_comparison::head_shifts(
            &answers,
            &models.absent_names(),
        )?)
    });
    let partial = Signal::derive(move || {
        let is_pending = |model: &ListedModel| {
            let query = queries.query(model.id());
            query.is_some_and(|heads| heads.is_pending())
        };
        models.with(|models| models.present.iter().any(is_pending))
    });
    let offered = Memo::new(move |_| {
        let models = models.get().present.into_iter();
        let offered = models.filter(|model| is_offered(comparison, queries, model));
        offered.collect::<Vec<_>>()
    });
    view! {
        <FigureCard spec=&COMPARE_SHIFTS figure partial query=queries>
            <ReadButtons figure=COMPARE_SHIFTS.id offered/>
            <For each=move || models.with(|models| models.present.clone()) key=ListedModel::row_key let:model>
                <ShiftQuery queries model/>
            </For>
        </FigureCard>
    }
}

/// Queries the shifts of a model's heads once they are requested.
#[component]
fn ShiftQuery(queries: QueriesByModel<HeadShifts>, model: ListedModel) -> impl IntoView {
    let comparison = Comparison::from_context();
    let mode = UrlState::from_context().select(|link| link.heads.mode);
    let id = model.id();
    let listed = comparison.model(id);
    let shifts = QueryClient::from_context().ask(move || {
        let model = listed.get()?;
        comparison.wants_heads(&model).then(|| HeadShifts {
            of: model.version,
            input: mode.get().into(),
        })
    });
    queries.add(id, shifts);
}
