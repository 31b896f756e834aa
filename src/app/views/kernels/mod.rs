//! TISA kernels, pulled live: f(k), `F_P`, and the attention they make.

mod attention;
mod controls;
mod first_layer;
mod fit;
mod fit_figures;
mod fit_grid;
mod parameter_count;
mod take_home;

use self::{
    attention::of_attention, controls::kernel_controls, first_layer::first_layer,
    fit::fit_controls, fit_figures::fit_figures,
};
use super::{color_control, ready};
use crate::{
    analysis::{KernelPicture, MatrixId, kernel_picture},
    app::{
        answers::Answers,
        controls::Options,
        dynamic::{count, memo, picture, text},
        figure_card::FigureCard,
        figure_view::{AnyFigure, Pull},
        formulas,
        readout::readout,
        state::State,
    },
    figure::{Axis, Column, Cursor, Handle, Heatmap, Ink, Lines, Series, Table},
    link::{AMPLITUDES, CENTRES},
    math::{Profile, Tile},
    undo::UndoHistory,
};
use leptos::prelude::*;
use std::{
    cell::Cell,
    rc::Rc,
    sync::{Arc, Mutex},
};

/// Offsets to either side that the plot shows unless all are asked for.
const REACH: f64 = 40.5;

/// The gesture of pulling at kernel 0; sliders use the numbers below.
const PULL_GESTURE: u32 = 1000;

/// The kernels' figures, recomputed when the kernels change.
type Computed = Memo<Option<Arc<KernelPicture>>>;

/// The view.
pub(in crate::app) fn kernels() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    state.settle(|link| &mut link.kernel_questions);
    let wanted = state.part(|link| {
        (
            link.kernels.kernels.clone(),
            link.kernels.length,
            link.heads.cells,
        )
    });
    let computed: Computed = memo(Box::new(move |_| {
        let (kernels, n, cells) = wanted.get();
        (Some(Arc::new(kernel_picture(&kernels, n, cells))), true)
    }));
    let attention = move || -> Option<Arc<Tile>> {
        if state.link.with(|link| link.kernels.added) {
            answers.mixed.get()
        } else {
            computed
                .get()
                .map(|computed| Arc::clone(&computed.attention))
        }
    };
    let positions = count(move || state.link.with(|link| link.kernels.length));
    let read = move |cursor: Cursor| {
        let f = computed
            .get()
            .and_then(|computed| computed.f.at(cursor.offset()?));
        let share = match (cursor, attention()) {
            (Cursor::Cell(i, j), Some(tile)) => tile.at(i, j).map(f64::from),
            _ => None,
        };
        let exact = attention().is_none_or(|tile| tile.is_exact());
        let name = if exact {
            "attention"
        } else {
            "attention, block mean"
        };
        vec![("f(k)", f), (name, share)]
    };
    view! {
        <div class="view kernels">
            <div class="column">{fit_controls()} {kernel_controls()} {readout(read)} {take_home::take_home()}</div>
            <div class="column">
                {kernel_function(computed, positions)}
                <div class="pair">
                    {kernel_matrix(computed, positions)}
                    {kernel_attention(attention, positions)}
                </div>
                {fits()}
            </div>
            {parameter_count::parameter_count()}
        </div>
    }
    .into_any()
}

/// What is fitted, and eq. 4 in a model's own first layer.
fn fits() -> AnyView {
    let answers = expect_context::<Answers>();
    let positions = count(move || {
        answers
            .head
            .with(|head| head.as_ref().map_or(0, |(_, d)| d.fit.f.n()))
    });
    view! { <div class="fits-part">{fit_figures(positions)} {first_layer()}</div> }.into_any()
}

fn kernel_function(computed: Computed, positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let all = RwSignal::new(false);
    // While a peak is pulled, the scale stands still.
    let frozen: RwSignal<Option<(f64, f64)>> = RwSignal::new(None);
    let shown: Arc<Mutex<Option<(f64, f64)>>> = Arc::default();
    let drawn = Arc::clone(&shown);
    let kernels = state.part(|link| link.kernels.kernels.clone());
    let figure = picture(move || {
        let computed = computed.get()?;
        let kernels = kernels.get();
        let n = computed.f.n();
        let edge = n as f64 - 0.5;
        let reach = if all.get() { edge } else { edge.min(REACH) };
        let f = computed.f.profile();
        let mut series = vec![Series::of("f", f).width(2.2).labelled()];
        series.extend(kernels.0.iter().enumerate().map(|(at, kernel)| {
            let kernel_alone = f.map(|k, _| kernel.at(k as f64));
            Series::of(format!("kernel_{}", at + 1), &kernel_alone)
                .ink(Ink::Category(at))
                .dashed(kernel.muted)
        }));
        if let Some((id, detail)) = answers.head.get() {
            let name = format!(
                "layer {}, head {}, moved to meet f",
                id.layer + 1,
                id.head + 1
            );
            series.push(guide(name, &detail.fit.f, &computed, reach as i64));
        }
        let handles = kernels.0.iter().enumerate().map(|(at, kernel)| Handle {
            k: kernel.c,
            value: kernel.a,
            ink: Ink::Category(at),
            hollow: kernel.muted,
        });
        let mut lines = Lines::over(Axis::Offset)
            .with_table(table(&series))
            .series(series)
            .handles(handles)
            .shown((-reach, reach))
            .aspect(0.28)
            .with_summary("f and its kernels by offset.");
        lines.values = Some(frozen.get().unwrap_or_else(|| with_handles(&lines)));
        if let Ok(mut drawn) = drawn.lock() {
            *drawn = lines.values;
        }
        ready(lines)
    });
    let pull = pull_peaks(state, figure, move |pulling| {
        let scale = shown.lock().ok().and_then(|shown| *shown);
        frozen.set(scale.filter(|_| pulling));
    });
    let offsets = Options::new(
        [(false, "near zero"), (true, "all offsets")],
        move || all.get(),
        move |value| all.set(value),
    );
    FigureCard::new("kernel-function", figure)
        .caption(
            "The sum of the kernels; each peak is a handle. Dashed, the open head’s own profile:"
                .to_owned(),
        )
        .formula(formulas::KERNELS)
        .cursor(positions)
        .pull(pull)
        .controls(vec![
            offsets.segmented("Offsets"),
            color_control(|link| &mut link.matrices.kernel_map),
        ])
        .view()
}

/// Pulling at a peak moves its kernel's centre and amplitude; `pulling` hears when it starts and ends.
fn pull_peaks(
    state: State,
    figure: Signal<Option<AnyFigure>>,
    pulling: impl Fn(bool) + 'static,
) -> Pull {
    let pulled: Rc<Cell<Option<usize>>> = Rc::default();
    let started = Rc::clone(&pulled);
    let pulling = Rc::new(pulling);
    let ended = Rc::clone(&pulling);
    Pull {
        start: Box::new(move |width, x, y| {
            let handle = figure.with_untracked(|figure| figure.as_ref()?.handle_at(width, x, y));
            started.set(handle);
            if handle.is_some() {
                pulling(true);
            }
            handle.is_some()
        }),
        moved: Box::new(move |width, x, y| {
            let point = figure.with_untracked(|figure| figure.as_ref()?.point_at(width, x, y));
            let (Some((k, value)), Some(at)) = (point, pulled.get()) else {
                return;
            };
            let hundredths = |v: f64| (v * 100.0).round() / 100.0;
            state.edit_kernels(Some(PULL_GESTURE + at as u32), |kernels| {
                if let Some(kernel) = kernels.0.get_mut(at) {
                    kernel.c = hundredths(k).clamp(*CENTRES.start(), *CENTRES.end());
                    kernel.a = hundredths(value).clamp(*AMPLITUDES.start(), *AMPLITUDES.end());
                }
            });
        }),
        end: Box::new(move || {
            ended(false);
            state.undo.update(UndoHistory::end_gesture);
        }),
    }
}

/// The head's profile, moved up or down so that it meets f on average: softmax does not see the
/// difference.
fn guide(name: String, profile: &Profile, picture: &KernelPicture, reach: i64) -> Series {
    let (mut sum, mut count) = (0.0, 0.0);
    for k in -reach..=reach {
        if let (Some(head), Some(f)) = (profile.at(k), picture.f.at(k)) {
            sum += f - head;
            count += 1.0;
        }
    }
    let shift = if count > 0.0 { sum / count } else { 0.0 };
    Series::of(name, &profile.map(|_, f| f + shift))
        .ink(Ink::Muted)
        .dashed(true)
        .labelled()
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
            let name = if one.dashed && one.labelled {
                "head_profile"
            } else {
                &one.name
            };
            let values = offsets
                .clone()
                .map(|k| one.at(k).unwrap_or(f64::NAN))
                .collect();
            table.with(name, Column::Number(values))
        },
    )
}

fn kernel_matrix(computed: Computed, positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let map = state.part(|link| link.matrices.kernel_map);
    let figure = picture(move || {
        ready(Heatmap::matrix(
            Arc::clone(&computed.get()?.scores),
            map.get(),
            0.0,
        ))
    });
    FigureCard::new("kernel-matrix", figure)
        .caption("The same value all along each diagonal, at any length:".to_owned())
        .formula(formulas::KERNEL_MATRIX)
        .cursor(positions)
        .matrix(move || {
            state.link.with(|link| {
                Some((
                    MatrixId::Kernels(link.kernels.kernels.clone(), link.kernels.length),
                    None,
                ))
            })
        })
        .view()
}

fn kernel_attention(
    attention: impl Fn() -> Option<Arc<Tile>> + Copy + Send + Sync + 'static,
    positions: Signal<usize>,
) -> AnyView {
    let state = expect_context::<State>();
    let map = state.part(|link| link.matrices.kernel_map);
    let figure =
        picture(move || ready(Heatmap::matrix(attention()?, of_attention(map.get()), 0.0)));
    let caption = text(move || {
        let (added, length) = state
            .link
            .with(|link| (link.kernels.added, link.kernels.length));
        let rows = attention().map_or(0, |tile| tile.window.rows.end);
        let head = state.head().map_or(String::new(), |id| {
            format!(" of layer {}, head {}", id.layer + 1, id.head + 1)
        });
        match (added, rows < length) {
            (false, _) => "Where each query looks; every row sums to one:".to_owned(),
            (true, true) if rows > 0 => {
                format!(
                    "The table ends after {rows} rows, and with it the scores{head}; the kernels alone go on:"
                )
            }
            (true, _) => format!("The kernels added to the scores{head}; every row sums to one:"),
        }
    });
    FigureCard::new("kernel-attention", figure)
        .caption(caption)
        .formulas(move || match state.link.with(|link| link.kernels.added) {
            true => formulas::ATTENTION_ADDED,
            false => formulas::ATTENTION,
        })
        .cursor(positions)
        .matrix(move || {
            let head = if state.link.with(|link| link.kernels.added) {
                Some(state.head()?)
            } else {
                None
            };
            state.link.with(|link| {
                Some((
                    MatrixId::Attention(
                        link.kernels.kernels.clone(),
                        link.kernels.length,
                        link.heads.cells,
                        head,
                    ),
                    None,
                ))
            })
        })
        .empty("Nothing to add the kernels to yet.")
        .view()
}
