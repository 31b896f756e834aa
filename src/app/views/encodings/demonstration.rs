//! Interactive demonstration of a criteria cell: sliders, the outcome in words and numbers, and a picture of it.

use crate::{
    analysis::{
        HeadOverview, PositionKind, PositionOverview, Similarity,
        criteria::{
            demonstrations::{
                CellDemonstration, DemonstrationState, Outcome, demonstrate, is_about_open_model,
            },
            parameters::{CriterionParameter, criterion_parameters},
        },
    },
    app::{
        controls::{drag::FrozenScale, number::NumberSlider},
        figure::view::{FigureView, picture},
        query_client::QueryClient,
        state::{PageState, UrlState},
    },
    figure::demonstration::{self, in_digits},
    url_state::{NumberRange, OpenCell, SliderScale},
};
use leptos::prelude::*;

/// Returns a memo of the open cell's outcome at its slider values.
pub(super) fn open_cell_demonstration() -> Memo<Option<CellDemonstration>> {
    let state = PageState::from_context();
    let url = state.url;
    let open = url.select(|link| link.encodings.cell.clone());
    let kernels = url.select(|link| link.kernels.kernels.clone());
    let is_about_model = Memo::new(move |_| {
        let at = open.with(|cell| cell.as_ref().map(|cell| cell.at));
        at.is_some_and(|(way, criterion)| is_about_open_model(way, criterion))
    });
    let (table_r2, head_r2) = r2_of_open_model(state, is_about_model);
    Memo::new(move |_| {
        let OpenCell { at, values } = open.get()?;
        let outcome = kernels.with(|kernels| {
            let around = DemonstrationState {
                kernels,
                table_r2: table_r2.get(),
                head_r2: head_r2.get(),
            };
            demonstrate(at.0, at.1, &values, &around)
        });
        Some(CellDemonstration {
            cell: at,
            outcome: outcome?,
        })
    })
}

/// The sliders of a cell and their outcome.
#[component]
pub(super) fn Demonstration(
    way: usize,
    criterion: usize,
    demonstration: Memo<Option<CellDemonstration>>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let parameters = criterion_parameters(way, criterion);
    // When another cell opens, keep the last values and outcome until this component is unmounted.
    let values = Memo::new(move |before: Option<&Vec<f64>>| {
        let open = url.link.with(|link| {
            let cell = link.encodings.cell.as_ref();
            let this = cell.filter(|cell| cell.at == (way, criterion));
            this.map(|cell| cell.values.clone())
        });
        open.or_else(|| before.cloned())
            .unwrap_or_else(|| OpenCell::new((way, criterion)).values)
    });
    let outcome = Memo::new(move |before: Option<&Option<Outcome>>| {
        demonstration.with(|demonstration| match demonstration {
            Some(demonstration) if demonstration.cell == (way, criterion) => {
                Some(demonstration.outcome.clone())
            }
            _ => before.cloned().flatten(),
        })
    });
    let words = Signal::derive(move || {
        let words = |outcome: &Option<Outcome>| outcome.as_ref().map_or("", |o| o.words);
        outcome.with(words).to_owned()
    });
    let scale = FrozenScale::new();
    let figure = picture(move || {
        outcome.with(|outcome| {
            let picture = &outcome.as_ref()?.picture;
            let (figure, ranges) = demonstration::draw(picture, way, scale.frozen_scale());
            if let Some(ranges) = ranges {
                scale.keep(ranges);
            }
            Some(figure)
        })
    });
    let sliders = parameters
        .iter()
        .enumerate()
        .map(|(at, parameter)| view! { <KnobSlider at parameter values/> });
    view! {
        <div class="demonstration">
            <div class="knobs">{sliders.collect_view()}</div>
            <p class="words">{words}</p>
            <Quantities outcome/>
            <div class="seen"><FigureView id="criteria" figure label=words/></div>
        </div>
    }
}

/// Returns R² of the open model's table, if it is learned, and of its open head. Both are queried only while `wanted`
/// is true.
fn r2_of_open_model(
    state: PageState,
    wanted: Memo<bool>,
) -> (Signal<Option<f64>>, Signal<Option<f64>>) {
    let models = state.models;
    let client = QueryClient::from_context();
    let table = client.ask(move || {
        let is_learned =
            models.kind() == PositionKind::Table && !models.summary()?.tensor.is_empty();
        (wanted.get() && is_learned).then_some(PositionOverview {
            of: models.open.get()?,
            similarity: Similarity::InnerProduct,
        })
    });
    let head = client.ask(move || {
        let of = state.open_head.get()?;
        wanted.get().then_some(HeadOverview { of })
    });
    (
        Signal::derive(move || table.with(|summary| Some(summary?.fit.r2))),
        Signal::derive(move || head.with(|detail| Some(detail?.fit.r2))),
    )
}

/// The outcome's numbers.
#[component]
fn Quantities(outcome: Memo<Option<Outcome>>) -> impl IntoView {
    let names = Memo::new(move |_| -> Vec<&'static str> {
        outcome.with(|outcome| {
            let numbers = outcome.iter().flat_map(|outcome| &outcome.numbers);
            numbers.map(|(name, _)| *name).collect()
        })
    });
    let entry = move |name: &'static str| {
        let digits = move || {
            outcome.with(|outcome| {
                let quantity = outcome.as_ref()?.quantity(name)?;
                Some(in_digits(quantity))
            })
        };
        view! { <div><dt>{name}</dt><dd>{digits}</dd></div> }
    };
    view! {
        <dl class="outcome"><For each=move || names.get() key=|name| *name children=entry/></dl>
    }
}

/// A slider with a number field.
#[component]
fn KnobSlider(
    /// Index among the values.
    at: usize,
    parameter: &'static CriterionParameter,
    values: Memo<Vec<f64>>,
) -> impl IntoView {
    let value = Memo::new(move |_| values.with(|values| values[at]));
    let url = UrlState::from_context();
    let set = Callback::new(move |typed| {
        url.link.update(|link| {
            let values = link.encodings.cell.as_mut().map(|cell| &mut cell.values);
            if let Some(value) = values.and_then(|values| values.get_mut(at)) {
                *value = parameter.near(typed);
            }
        });
    });
    let (low, high) = (
        parameter.position_of(parameter.low),
        parameter.position_of(parameter.high),
    );
    let step = parameter.slider_step();
    let scale = if parameter.is_logarithmic {
        SliderScale::powers_of(2.0, low, high, step)
    } else {
        SliderScale::linear(low, high, step)
    };
    let allowed = if parameter.step == 1.0 {
        NumberRange::whole(parameter.low, parameter.high)
    } else {
        NumberRange::all(parameter.low..=parameter.high)
    };
    view! {
        <NumberSlider
            name=parameter.name
            label=parameter.name
            value
            scale=Signal::stored(scale)
            allowed
            slide=set
            set
        />
    }
}
