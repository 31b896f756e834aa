//! A cell's demonstration: sliders, what they come to in words and numbers, and a picture of it.

use super::super::ready;
use crate::{
    analysis::PositionKind,
    analysis::criteria::{
        WAYS,
        demonstrations::{Around, CurveAxis, Outcome, Seen, Shown, demonstrate},
        knobs::{Knob, knobs},
    },
    app::{
        answers::Answers,
        controls::number_input,
        dynamic::{attribute, dynamic, list, memo, on, picture, text, value},
        figure_view::{AnyFigure, figure_view},
        state::State,
    },
    figure::{
        Axis, ColorMap, Count, Counts, Heatmap, Ink, Lines, Series, Table, grouped,
        number as written,
    },
    link::finite_number,
    math::{Tile, Window},
};
use leptos::prelude::*;
use std::sync::Arc;

/// The sliders and what they come to.
pub(super) fn demonstration(way: usize, criterion: usize) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let knobs = knobs(way, criterion);
    let values = RwSignal::new(knobs.iter().map(|knob| knob.start).collect::<Vec<f64>>());
    let kernels = state.part(|link| link.kernels.kernels.clone());
    let outcome: Memo<Option<Arc<Outcome>>> = memo(Box::new(move |_| {
        let learned = state.kind() == PositionKind::Table
            && state
                .summary()
                .is_some_and(|summary| !summary.tensor.is_empty());
        let around = Around {
            kernels: &kernels.get(),
            table_r2: answers
                .positions
                .get()
                .filter(|_| learned)
                .map(|positions| positions.fit.r2),
            head_r2: answers.head.get().map(|(_, detail)| detail.fit.r2),
        };
        let outcome = demonstrate(way, criterion, &values.get(), &around);
        (outcome.map(Arc::new), true)
    }));
    let sliders = knobs
        .iter()
        .enumerate()
        .map(|(at, knob)| slider(at, knob, values));
    let words = text(move || outcome.with(|o| o.as_ref().map_or("", |o| o.words).to_owned()));
    let numbers = dynamic(move || {
        let outcome = outcome.get();
        let all = outcome.iter().flat_map(|outcome| &outcome.numbers);
        list(all.map(|(name, shown)| {
            view! { <div><dt>{*name}</dt><dd>{in_digits(*shown)}</dd></div> }.into_any()
        }))
    });
    let figure = picture(move || drawn(&outcome.get()?.seen, way));
    let none = Signal::stored(0);
    view! {
        <div class="demonstration">
            <div class="knobs">{list(sliders)}</div>
            <p class="words">{words}</p>
            <dl class="outcome">{numbers}</dl>
            <div class="seen">{figure_view("criteria", figure, words, none, None, None)}</div>
        </div>
    }
    .into_any()
}

fn in_digits(shown: Shown) -> String {
    match shown {
        Shown::Count(count) => grouped(count),
        Shown::Share(share) => format!("{share:.4}"),
        Shown::Number(value) => written(value),
    }
}

fn slider(at: usize, knob: &'static Knob, values: RwSignal<Vec<f64>>) -> AnyView {
    let scaled = move |v: f64| if knob.doubling { v.log2() } else { v };
    let now = value(move || values.with(|values| values[at]));
    let set = move |typed: f64| values.update(|values| values[at] = knob.near(typed));
    let slide = on(move |event: leptos::ev::Event| {
        if let Some(position) = finite_number(&event_target_value(&event)) {
            set(if knob.doubling {
                position.exp2()
            } else {
                position
            });
        }
    });
    let position = text(move || scaled(now.get()).to_string());
    let said = attribute(move || Some(now.get().to_string()));
    let step = if knob.doubling { 0.0625 } else { knob.step };
    view! {
        <div class="parameter">
            <span aria-hidden="true">{knob.name}</span>
            <input
                type="range"
                aria-label=knob.name
                aria-valuetext=said
                min=scaled(knob.low)
                max=scaled(knob.high)
                step=step
                prop:value=position
                on:input=slide
            />
            {number_input(format!("{}, exact", knob.name), now, knob.low, knob.high, set)}
        </div>
    }
    .into_any()
}

fn drawn(seen: &Seen, way: usize) -> Option<AnyFigure> {
    match seen {
        Seen::Matrix(rows) => {
            let n = rows.len();
            let tile = Tile {
                window: Window::whole(n, n),
                row_step: 1,
                col_step: 1,
                values: rows.iter().flatten().map(|&v| v as f32).collect(),
            };
            ready(Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, 0.0))
        }
        Seen::Curves {
            axis,
            first,
            curves,
        } => {
            let series = curves.iter().map(|curve| {
                let line = Series::new(curve.name, *first, curve.values.clone()).labelled();
                if curve.compared {
                    line.ink(Ink::Category(0)).dashed(true)
                } else {
                    line.width(2.0)
                }
            });
            let axis = match axis {
                CurveAxis::Offset => Axis::Offset,
                CurveAxis::Key => Axis::Key,
            };
            ready(Lines::over(axis).series(series).aspect(0.5))
        }
        Seen::Counts(counts) => {
            let rows = WAYS.iter().zip(counts).enumerate();
            ready(Counts {
                rows: rows
                    .map(|(at, ((_, name, _), count))| Count {
                        label: (*name).to_owned(),
                        note: String::new(),
                        count: *count,
                        strong: at == way,
                    })
                    .collect(),
                table: Table::new(),
                summary: String::new(),
            })
        }
    }
}
