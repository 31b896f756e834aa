//! Inner products of all row pairs at one distance: constant for the sinusoidal table, not constant for learned tables.

use super::{
    number_list::NumberListField,
    parameter::{Parameter, ParameterSlider},
    scheme_choice::SchemeChoice,
    scheme_parameters::{SINUSOID_BASE, SINUSOID_WIDTH},
};
use crate::{
    analysis::{DiagonalCells, DiagonalsOf, distances_among},
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            drag::FrozenScale,
        },
        figure::{
            card::FigureCard,
            view::{AnyFigure, picture},
        },
        query_client::QueryClient,
        state::ModelList,
    },
    figure,
    figure_spec::{encodings::FLAT_LINES, formulas},
    url_state::{NumberRange, ROWS, SliderScale, encodings::EncodingsChoice},
};
use leptos::prelude::*;
use std::sync::Arc;

static WIDTH: Parameter = SINUSOID_WIDTH.with_label("d model", "d model");

static LENGTH: Parameter = Parameter {
    name: "length",
    label: "length of the table",
    get: |chosen| chosen.parameters.sinusoid.rows as f64,
    write: |chosen, rows| chosen.parameters.sinusoid.rows = rows.round() as usize,
    range: NumberRange::from_counts(&ROWS),
};

static BASE: Parameter = SINUSOID_BASE.with_label("base", "base of the frequencies");

/// Figure: lines of inner products, one per distance.
#[component]
pub(super) fn FlatLinesCard() -> impl IntoView {
    let models = ModelList::from_context();
    let schemes = SchemeChoice::from_context();
    let of_open = schemes.select(|chosen| chosen.open_lines);
    let sinusoid = schemes.select(|chosen| chosen.parameters.sinusoid);
    let chosen_distances = schemes.select(|chosen| chosen.distances.clone());
    let products = QueryClient::from_context().ask(move || {
        let (of, rows) = if of_open.get() {
            let rows = models.summary()?.rows;
            (DiagonalsOf::Model(models.open.get()?), rows)
        } else {
            let table = sinusoid.get();
            (DiagonalsOf::Sinusoidal(table), table.rows)
        };
        let distances = chosen_distances.with(|chosen| distances_among(rows, chosen));
        Some(DiagonalCells { of, distances })
    });
    let scale = FrozenScale::new();
    // The lines with the table they belong to, which is the previous table while the next is computed.
    let lines = Memo::new(move |_| {
        let (question, products) = products.get_with_question()?;
        let lines = figure::FlatLines::from_answer(&question, &products);
        let mut lines = lines.by_offset(models.kind().is_relative());
        if let DiagonalsOf::Model(of) = question.of
            && models.open.get() == Some(of)
        {
            lines = lines.with_row_marks(models.row_marks());
        }
        if let Some(values) = scale.frozen_scale() {
            lines = lines.over_values(values);
        }
        scale.keep(lines.values());
        Some((question.of, Arc::new(lines)))
    });
    let table = Memo::new(move |_| lines.with(|lines| lines.as_ref().map(|(of, _)| *of)));
    let figure = picture(move || {
        lines.with(|lines| {
            let (_, lines) = lines.as_ref()?;
            Some(Arc::clone(lines) as AnyFigure)
        })
    });
    let caption = Signal::derive(move || {
        let summary = models.summary();
        let model = summary.as_ref().map_or("", |summary| &summary.name);
        lines.with(|lines| match lines {
            Some((of, lines)) => lines.caption(*of, model),
            None => "Inner products of rows i and i + d, over i.".to_owned(),
        })
    });
    let formula = Signal::derive(move || match table.get() {
        Some(DiagonalsOf::Sinusoidal(_)) => formulas::FLAT_LINES,
        Some(DiagonalsOf::Model(_)) | None => formulas::NONE,
    });
    let positions = Signal::derive(move || match table.get() {
        Some(DiagonalsOf::Sinusoidal(table)) => table.rows,
        Some(DiagonalsOf::Model(_)) => models.summary().map_or(0, |summary| summary.rows),
        None => 0,
    });
    view! {
        <FigureCard
            spec=&FLAT_LINES
            figure
            caption
            formula
            positions
            query=products
        >
            <SegmentedButtons
                label="Table"
                options=options([(false, "sinusoidal"), (true, "open table")])
                value=of_open
                set=move |open| schemes.change(|chosen| chosen.open_lines = open)
            />
            // If empty, distances are chosen by the number of rows.
            <NumberListField
                name="Distances d"
                placeholder="by length"
                numbers=chosen_distances
                read=EncodingsChoice::typed_distances
                set=move |distances| schemes.change(|chosen| chosen.distances = distances)
            />
            // The sliders apply to the sinusoidal table only.
            <div class="sliders" hidden=of_open>
                <ParameterSlider parameter=&WIDTH scale=SliderScale::powers_of(2.0, 1.0, 10.0, 0.125)/>
                <ParameterSlider parameter=&LENGTH scale=SliderScale::powers_of(2.0, 3.0, 12.0, 0.125)/>
                <ParameterSlider parameter=&BASE scale=SliderScale::powers_of(10.0, 0.5, 7.0, 0.05)/>
            </div>
        </FigureCard>
    }
}
