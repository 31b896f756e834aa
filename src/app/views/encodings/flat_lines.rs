//! Inner products of all pairs at one distance: flat for the sinusoid, bent for what was learned.

use super::{
    chosen::{Chosen, Parameter},
    schemes::even,
};
use crate::{
    analysis::{Answer, DiagonalsOf, Request, distances},
    app::{
        controls::Options,
        dynamic::{count, effect, flag, picture, text},
        engine::{Channel, Engine},
        figure_card::FigureCard,
        formulas,
    },
    figure::{FlatLines, number},
    link::{BASES, ROWS, encodings::EVEN_WIDTHS},
};
use leptos::prelude::*;
use std::sync::Arc;

static PARAMETERS: [Parameter; 3] = [
    Parameter {
        name: "d model",
        label: "d model",
        get: |chosen| chosen.parameters.sinusoid.width as f64,
        set: |chosen, width| chosen.parameters.sinusoid.width = even(width),
        slider: (1.0, 10.0, 0.125),
        exact: *EVEN_WIDTHS.start() as f64..=*EVEN_WIDTHS.end() as f64,
        powers: Some(2.0),
    },
    Parameter {
        name: "length",
        label: "length of the table",
        get: |chosen| chosen.parameters.sinusoid.rows as f64,
        set: |chosen, rows| chosen.parameters.sinusoid.rows = rows.round() as usize,
        slider: (3.0, 12.0, 0.125),
        exact: *ROWS.start() as f64..=*ROWS.end() as f64,
        powers: Some(2.0),
    },
    Parameter {
        name: "base",
        label: "base of the frequencies",
        get: |chosen| chosen.parameters.sinusoid.base,
        set: |chosen, base| chosen.parameters.sinusoid.base = base,
        slider: (0.5, 7.0, 0.05),
        exact: BASES,
        powers: Some(10.0),
    },
];

/// Lines, of which table, at which distances.
type Drawn = (DiagonalsOf, Vec<usize>, Arc<FlatLines>);

/// The figure.
pub(super) fn flat_lines(chosen: Chosen) -> AnyView {
    let drawn: RwSignal<Option<Drawn>> = RwSignal::new(None);
    ask(chosen, drawn);
    let figure = picture(move || drawn.with(|drawn| Some(Arc::clone(&drawn.as_ref()?.2) as _)));
    let positions = count(move || {
        drawn.with(|drawn| match drawn {
            Some((DiagonalsOf::Sinusoidal(table), ..)) => table.rows,
            Some((DiagonalsOf::Model(_), ..)) => chosen.state.summary().map_or(0, |open| open.rows),
            None => 0,
        })
    });
    let tables = Options::new(
        [(false, "sinusoidal"), (true, "open table")],
        move || chosen.get().open_lines,
        move |open| chosen.edit(|now| now.open_lines = open),
    );
    let caption = text(move || {
        let (of_open, off, half) = drawn.with(|drawn| match drawn {
            Some((DiagonalsOf::Model(_), _, lines)) => (true, number(lines.deviation()), 0.0),
            Some((DiagonalsOf::Sinusoidal(table), _, lines)) => {
                (false, number(lines.deviation()), table.width as f64 / 2.0)
            }
            None => (false, "–".to_owned(), f64::NAN),
        });
        if of_open {
            let open = chosen.state.summary();
            let name = open.map_or(String::new(), |open| open.name.clone());
            format!(
                "Pairs of rows of {name} at distance d, over where they start. Where a line leaves its mean, \
                 dashed, distance alone does not decide: by {off} at most."
            )
        } else {
            format!(
                "Pairs of rows at distance d, over where they start: flat to {off}, with {} at d = 0. Dashed, the \
                 closed form:",
                number(half)
            )
        }
    });
    // They are of the table that is computed.
    let of_open = flag(move || chosen.get().open_lines);
    let sliders = PARAMETERS
        .iter()
        .map(|parameter| chosen.slider(parameter))
        .collect::<Vec<_>>();
    FigureCard::new("flat-lines", figure)
        .caption(caption)
        .formulas(move || match chosen.get().open_lines {
            true => formulas::NONE,
            false => formulas::FLAT_LINES,
        })
        .cursor(positions)
        .controls(vec![
            tables.segmented("Table"),
            view! { <div class="sliders" hidden=of_open>{sliders}</div> }.into_any(),
        ])
        .view()
}

/// Has the worker form the products whenever another table is chosen.
fn ask(chosen: Chosen, drawn: RwSignal<Option<Drawn>>) {
    let state = chosen.state;
    let wanted = state.part(|link| {
        let now = &link.encodings.get().chosen;
        (now.open_lines, now.parameters.sinusoid)
    });
    effect(move || {
        let (open_lines, table) = wanted.get();
        let (of, rows) = if open_lines {
            let (Some(model), Some(summary)) = (state.open.get(), state.summary()) else {
                drawn.set(None);
                return;
            };
            (DiagonalsOf::Model(model), summary.rows)
        } else {
            (DiagonalsOf::Sinusoidal(table), table.rows)
        };
        let distances = distances(rows);
        let request = Request::Diagonals(of, distances.clone());
        Engine.ask(Channel::Diagonals, request, move |answer| match answer {
            Answer::Diagonals(products) => {
                let lines = match of {
                    DiagonalsOf::Sinusoidal(table) => {
                        let closed: Vec<f64> = distances
                            .iter()
                            .map(|distance| table.inner_product(*distance as i64))
                            .collect();
                        FlatLines::sinusoidal(&distances, &products, &closed)
                    }
                    DiagonalsOf::Model(_) => FlatLines::learned(&distances, &products),
                };
                // The view may be gone by now.
                let _ = drawn.try_set(Some((of, distances.clone(), Arc::new(lines))));
            }
            other => {
                if let DiagonalsOf::Model(model) = of {
                    state.note(model, other);
                }
            }
        });
    });
}
