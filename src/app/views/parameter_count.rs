//! Number of position parameters: of the open model or of a typed size, and the paper's Table 2.

use crate::{
    analysis::parameter_count::{
        CountedModel, SIZE_PARTS, TABLE_2_METHODS, TABLE_2_MODELS, count_method,
    },
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            number::NumberField,
        },
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        state::{ModelList, UrlState},
    },
    figure::{group_thousands, parameter_counts},
    figure_spec::kernels::PARAMETER_COUNT,
    url_state::NumberRange,
};
use leptos::prelude::*;

/// Figure: parameter counts, with Table 2.
#[component]
pub(super) fn ParameterCount() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let numbers = url.select(|link| link.kernel_options.count.clone());
    let counted = Memo::new(move |_| {
        let open = models.summary();
        numbers.with(|numbers| CountedModel::new(numbers, open.as_deref()))
    });
    let ask = move |count: Vec<u64>| {
        url.link.update(|link| link.kernel_options.count = count);
    };
    let figure = picture(move || {
        counted.with(|counted| ready(parameter_counts(&counted.name, &counted.size)))
    });
    let caption = Signal::derive(move || {
        counted.with(|CountedModel { name, size, assumptions }| {
            let [s, n, d, l, h] = size.parts();
            format!(
                "Learned parameters for positions in {name}, with S = {s} kernels per head, n = {n} positions, width d = {d}, L = {l} layers and H = {h} heads per layer.{assumptions} The axis is logarithmic."
            )
        })
    });
    let is_typed = Memo::new(move |_| numbers.with(|numbers| numbers.len() > 1));
    let fields = SIZE_PARTS
        .iter()
        .enumerate()
        .map(move |(at, (_, name, most))| {
            let value =
                Signal::derive(move || counted.with(|counted| counted.size.parts()[at] as f64));
            let set = move |typed: f64| {
                let before = numbers.get_untracked();
                let next =
                    counted.with_untracked(|counted| counted.asked_with(&before, at, typed as u64));
                ask(next);
            };
            view! { <NumberField name value allowed=NumberRange::whole(1.0, *most as f64) set/> }
        });
    view! {
        <div class="parameter-count">
            <FigureCard
                spec=&PARAMETER_COUNT
                figure
                caption
            >
                <SegmentedButtons
                    label="Size of"
                    options=options([(false, "open model"), (true, "custom")])
                    value=is_typed
                    set=move |typed| ask(counted.with_untracked(|counted| counted.link_numbers(typed)))
                />
                {fields.collect_view()}
            </FigureCard>
            <Table2/>
        </div>
    }
}

/// The paper's Table 2, recomputed.
#[component]
fn Table2() -> impl IntoView {
    let methods = || TABLE_2_METHODS.iter().filter_map(|id| count_method(id));
    let head = methods().map(|method| {
        view! { <th scope="col">{method.name}<span class="about">{method.formula}</span></th> }
    });
    let rows = TABLE_2_MODELS.iter().map(|(model, size)| {
        let [_, n, d, ..] = size.parts();
        let cells = methods().map(|method| view! { <td>{group_thousands(method.count(size))}</td> });
        view! {
            <tr>
                <th scope="row">{*model}<span class="about">{format!("n = {n}, d = {d}")}</span></th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <section class="published" aria-label="Table 2 of the TISA paper">
            <table>
                <caption>"TISA paper, Table 2, recomputed: S = 5 kernels for each of 12 heads in 12 layers."</caption>
                <thead><tr><td></td>{head.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    }
}
