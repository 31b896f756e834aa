//! TISA kernels, pulled live: f(k), `F_P`, and the attention they make.

use super::{ColorControls, figure, kernel_controls::KernelControls};
use crate::{
    analysis::{KernelPicture, MatrixId, kernel_picture},
    app::{
        answers::Answers,
        controls::Segmented,
        figure_card::FigureCard,
        figure_view::{AnyFigure, Pull},
        formulas,
        readout::Readout,
        state::State,
    },
    figure::{Column, ColorMap, Cursor, Handle, Heatmap, Ink, Lines, Series, Table},
    link::{AMPLITUDES, CENTRES},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Offsets to either side that the plot shows unless all are asked for.
const REACH: f64 = 40.5;

/// The gesture of pulling at kernel 0; sliders use the numbers below.
const PULL_GESTURE: u32 = 1000;

#[component]
pub(in crate::app) fn Kernels() -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let wanted = state.part(|link| (link.kernels.clone(), link.length, link.cells));
    let picture: Memo<Arc<KernelPicture>> = Memo::new_with_compare(
        move |_| {
            let (kernels, n, cells) = wanted.get();
            Arc::new(kernel_picture(&kernels, n, cells))
        },
        |_, _| true,
    );
    let added = state.part(|link| link.added);
    let attention = Memo::new_with_compare(
        move |_| {
            if added.get() {
                answers.mixed.get()
            } else {
                Some(Arc::new(picture.get().attention.clone()))
            }
        },
        |_, _| true,
    );
    let positions = Memo::new(move |_| picture.with(|picture| picture.f.n()));
    let read = move |cursor: Cursor| {
        let f = picture.with(|picture| picture.f.at(cursor.offset()));
        let share = match (cursor, attention.get()) {
            (Cursor::Cell(i, j), Some(tile)) => tile.at(i, j).map(f64::from),
            _ => None,
        };
        vec![("f(k)", f), ("attention", share)]
    };
    view! {
        <div class="view kernels">
            <div class="column narrow">
                <KernelControls/>
                <Readout read=read/>
            </div>
            <div class="column wide">
                <KernelFunction picture=picture positions=positions/>
                <div class="pair">
                    <KernelMatrix picture=picture positions=positions/>
                    <KernelAttention attention=attention positions=positions/>
                </div>
            </div>
        </div>
    }
}

#[component]
fn KernelFunction(picture: Memo<Arc<KernelPicture>>, #[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let all = RwSignal::new(false);
    let frozen: RwSignal<Option<(f64, f64)>> = RwSignal::new(None);
    let lines = Memo::new_with_compare(
        move |_| {
            let picture = picture.get();
            let kernels = state.link.with(|link| link.kernels.clone());
            let n = picture.f.n();
            let edge = n as f64 - 0.5;
            let reach = if all.get() { edge } else { edge.min(REACH) };
            let first = 1 - n as i64;
            let mut series = vec![Series {
                name: "f".into(),
                first,
                values: picture.f.profile().to_vec(),
                ink: Ink::Ink,
                width: 2.2,
                dashed: false,
                labelled: true,
            }];
            for (at, kernel) in kernels.0.iter().enumerate() {
                series.push(Series {
                    name: format!("kernel_{}", at + 1),
                    first,
                    values: (first..-first + 1).map(|k| kernel.at(k as f64)).collect(),
                    ink: Ink::Category(at),
                    width: 1.3,
                    dashed: kernel.muted,
                    labelled: false,
                });
            }
            if let Some((id, detail)) = answers.head.get() {
                let name = format!("layer {}, head {}, shifted to meet f", id.layer + 1, id.head + 1);
                series.push(guide(name, &detail.fit.f, &picture, reach as i64));
            }
            let handles = kernels
                .0
                .iter()
                .enumerate()
                .map(|(at, kernel)| Handle {
                    k: kernel.c,
                    value: kernel.a,
                    ink: Ink::Category(at),
                    hollow: kernel.muted,
                })
                .collect();
            let mut lines = Lines {
                table: table(&series),
                series,
                band: None,
                handles,
                offsets: (-reach, reach),
                values: None,
                aspect: 0.42,
                summary: "f and its kernels by offset.".into(),
            };
            lines.values = Some(frozen.get().unwrap_or_else(|| with_handles(&lines)));
            Some(Arc::new(lines))
        },
        |_, _| true,
    );
    let figure = Signal::derive(move || lines.get().map(|lines| -> AnyFigure { lines }));
    let pulled = StoredValue::new(None::<usize>);
    let pull = Pull {
        start: Callback::new(move |(width, x, y)| {
            let Some(lines) = lines.get_untracked() else {
                return false;
            };
            let handle = lines.handle_at(width, x, y);
            pulled.set_value(handle);
            if handle.is_some() {
                // The scale stands still while a peak is pulled.
                frozen.set(lines.values);
            }
            handle.is_some()
        }),
        moved: Callback::new(move |(width, x, y)| {
            let (Some(lines), Some(at)) = (lines.get_untracked(), pulled.get_value()) else {
                return;
            };
            let (k, value) = lines.point_at(width, x, y);
            let hundredths = |v: f64| (v * 100.0).round() / 100.0;
            state.edit_kernels(Some(PULL_GESTURE + at as u32), |kernels| {
                if let Some(kernel) = kernels.0.get_mut(at) {
                    kernel.c = hundredths(k).clamp(*CENTRES.start(), *CENTRES.end());
                    kernel.a = hundredths(value).clamp(*AMPLITUDES.start(), *AMPLITUDES.end());
                }
            });
        }),
        end: Callback::new(move |()| {
            frozen.set(None);
            state.history.update(crate::history::History::end_gesture);
        }),
    };
    view! {
        <FigureCard
            id="kernel-function"
            title="Score by offset"
            caption=|| "The sum of the kernels; each peak is a handle. Dashed beneath, the open head’s own profile:"
            formula=formulas::KERNELS
            figure=figure
            positions=positions
            pull=pull
        >
            <Segmented
                label="Offsets"
                options=vec![(false, "near zero"), (true, "all offsets")]
                value=all
                set=move |value| all.set(value)
            />
        </FigureCard>
    }
}

/// The head's profile, moved up or down so that it meets f on average: softmax does not see the
/// difference.
fn guide(name: String, profile: &[f64], picture: &KernelPicture, reach: i64) -> Series {
    let first = 1 - profile.len().div_ceil(2) as i64;
    let (mut sum, mut count) = (0.0, 0.0);
    for k in -reach..=reach {
        let head = usize::try_from(k - first).ok().and_then(|at| profile.get(at));
        if let (Some(head), Some(f)) = (head, picture.f.at(k)) {
            sum += f - head;
            count += 1.0;
        }
    }
    let shift = if count > 0.0 { sum / count } else { 0.0 };
    Series {
        name,
        first,
        values: profile.iter().map(|v| v + shift).collect(),
        ink: Ink::Muted,
        width: 1.3,
        dashed: true,
        labelled: true,
    }
}

/// Values that show the lines, the handles and zero.
fn with_handles(lines: &Lines) -> (f64, f64) {
    let (low, high) = lines.natural_values();
    let values = lines.handles.iter().map(|handle| handle.value).chain([0.0]);
    let (low, high) = values.fold((low, high), |(low, high), v| (low.min(v), high.max(v)));
    let room = 0.04 * (high - low);
    (low - room, high + room)
}

/// offset, f, the kernels, the head.
fn table(series: &[Series]) -> Table {
    let Some(f) = series.first() else {
        return Table::new();
    };
    let offsets = f.first..f.first + f.values.len() as i64;
    series.iter().fold(
        Table::new().with("offset", Column::Whole(offsets.clone().collect())),
        |table, one| {
            let name = if one.dashed && one.labelled { "head_profile" } else { &one.name };
            let values = offsets.clone().map(|k| one.at(k).unwrap_or(f64::NAN)).collect();
            table.with(name, Column::Number(values))
        },
    )
}

#[component]
fn KernelMatrix(picture: Memo<Arc<KernelPicture>>, #[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let look = state.part(|link| (link.kernel_map, link.clip));
    let heatmap = Memo::new_with_compare(
        move |_| {
            let (map, clip) = look.get();
            Some(figure(Heatmap::matrix(Arc::new(picture.get().scores.clone()), map, clip)))
        },
        |_, _| true,
    );
    let matrix = Signal::derive(move || {
        state.link.with(|link| Some((MatrixId::Kernels(link.kernels.clone(), link.length), None)))
    });
    view! {
        <FigureCard
            id="kernel-matrix"
            title="F_P"
            caption=|| "The same value all along each diagonal, at any length:"
            formula=formulas::KERNEL_MATRIX
            figure=heatmap
            positions=positions
            matrix=matrix
        >
            <ColorControls of_kernels=true/>
        </FigureCard>
    }
}

#[component]
fn KernelAttention(attention: Memo<Option<Arc<crate::math::Tile>>>, #[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let look = state.part(|link| (link.kernel_map, link.clip));
    let heatmap = Memo::new_with_compare(
        move |_| {
            let (map, clip) = look.get();
            // Attention is never negative: the upper half of a diverging map would waste the lower.
            let map = if map.is_diverging() { ColorMap::Viridis } else { map };
            attention.get().map(|tile| figure(Heatmap::matrix(tile, map, clip)))
        },
        |_, _| true,
    );
    let matrix = Signal::derive(move || {
        let head = if state.link.with(|link| link.added) { Some(state.head()?) } else { None };
        state.link.with(|link| {
            Some((MatrixId::Attention(link.kernels.clone(), link.length, link.cells, head), None))
        })
    });
    let caption = move || {
        let (added, length) = state.link.with(|link| (link.added, link.length));
        let rows = attention.with(|tile| tile.as_ref().map_or(0, |tile| tile.window.rows.end));
        match (added, rows < length) {
            (false, _) => "Where each query looks: every row sums to one.".to_owned(),
            (true, false) => "The head’s own scores and the kernels together: every row sums to one.".to_owned(),
            (true, true) if rows > 0 => format!("The table ends after {rows} rows, and with it the head; the kernels alone go on."),
            (true, true) => "The head’s own scores and the kernels together.".to_owned(),
        }
    };
    let formula = Signal::derive(move || {
        if state.link.with(|link| link.added) { formulas::ATTENTION_ADDED } else { formulas::ATTENTION }
    });
    view! {
        <FigureCard
            id="kernel-attention"
            title="Attention"
            caption=caption
            formula=formula
            figure=heatmap
            positions=positions
            matrix=matrix
            empty="Nothing to add the kernels to yet."
        >
            <span class="hint">{move || state.head().filter(|_| state.link.with(|link| link.added)).map(|id| format!("layer {}, head {}", id.layer + 1, id.head + 1))}</span>
        </FigureCard>
    }
}
