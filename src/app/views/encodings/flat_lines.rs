//! Inner products of all pairs at one distance: flat for the sinusoid, bent for what was learned.

use super::{
    chosen::ChosenSchemes,
    parameter::{Parameter, ParameterSlider},
    scheme_parameters::{SINUSOID_BASE, SINUSOID_WIDTH},
};
use crate::{
    analysis::{DiagonalCells, DiagonalsOf, distances},
    app::{
        controls::{Segmented, options},
        engine::Engine,
        figure_card::FigureCard,
        figure_view::{AnyFigure, picture},
        formulas,
        hand::HeldScale,
        state::State,
    },
    figure,
    link::{NumberRange, ROWS, SliderScale},
};
use leptos::prelude::*;
use std::sync::Arc;

static WIDTH: Parameter = SINUSOID_WIDTH.called("d model", "d model");

static LENGTH: Parameter = Parameter {
    name: "length",
    label: "length of the table",
    get: |chosen| chosen.parameters.sinusoid.rows as f64,
    set: |chosen, rows| chosen.parameters.sinusoid.rows = rows.round() as usize,
    allowed: NumberRange::of_counts(&ROWS),
};

static BASE: Parameter = SINUSOID_BASE.called("base", "base of the frequencies");

/// The figure.
#[component]
pub(super) fn FlatLines() -> impl IntoView {
    let state = State::from_context();
    let schemes = ChosenSchemes::from_context();
    let of_open = schemes.part(|chosen| chosen.open_lines);
    let sinusoid = schemes.part(|chosen| chosen.parameters.sinusoid);
    let products = Engine::from_context().ask(move || {
        let (of, rows) = if of_open.get() {
            let rows = state.summary()?.rows;
            (DiagonalsOf::Model(state.open.get()?), rows)
        } else {
            let table = sinusoid.get();
            (DiagonalsOf::Sinusoidal(table), table.rows)
        };
        let distances = distances(rows);
        Some(DiagonalCells { of, distances })
    });
    let scale = HeldScale::new();
    // The lines with the table that they are of: while another one is computed, still the one before.
    let lines = Memo::new(move |_| {
        let (question, products) = products.get_with_question()?;
        let lines = figure::FlatLines::answered(&question, &products);
        let mut lines = lines.by_offset(state.kind().is_relative());
        if let Some(values) = scale.held() {
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
        let summary = state.summary();
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
        Some(DiagonalsOf::Model(_)) => state.summary().map_or(0, |summary| summary.rows),
        None => 0,
    });
    view! {
        <FigureCard
            id="flat-lines"
            figure
            caption
            formula
            positions
            waiting=Signal::derive(move || products.waiting())
        >
            <Segmented
                label="Table"
                options=options([(false, "sinusoidal"), (true, "open table")])
                value=of_open
                set=move |open| schemes.change(|chosen| chosen.open_lines = open)
            />
            // They are of the table that is computed.
            <div class="sliders" hidden=of_open>
                <ParameterSlider parameter=&WIDTH scale=SliderScale::powers_of(2.0, 1.0, 10.0, 0.125)/>
                <ParameterSlider parameter=&LENGTH scale=SliderScale::powers_of(2.0, 3.0, 12.0, 0.125)/>
                <ParameterSlider parameter=&BASE scale=SliderScale::powers_of(10.0, 0.5, 7.0, 0.05)/>
            </div>
        </FigureCard>
    }
}
