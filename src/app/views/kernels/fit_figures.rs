//! What a fit looks like: over the profile, what it leaves, what another kernel brings, the attention it
//! makes, and the fits of many heads.

use super::{
    super::linked,
    fit::{choice, chosen_fit},
    take_home::downloads,
};
use crate::{
    analysis::{Answer, KernelFit, Request, ScoreMode, kernel_attention},
    app::{
        answers::Answers,
        controls::Options,
        dynamic::{dynamic, effect, flag, picture, switch, text},
        engine::{Channel, Engine},
        figure_card::FigureCard,
        figure_view::{AnyFigure, Pull},
        formulas,
        state::State,
    },
    encoding::{HeadKernels, KernelSet},
    exchange::KernelFile,
    figure::{
        ColorMap, Column, Dots, Grid, GridCell, Heatmap, Ink, Lines, Point, Scatter, Series, Table,
        number,
    },
    link::{FitScope, Sort},
};
use leptos::prelude::*;
use std::{cell::Cell, sync::Arc};

/// Offsets to either side that are shown unless all are asked for.
const REACH: f64 = 40.5;

/// The figures, once a fit has been asked for.
pub(super) fn fit_figures(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let asked = switch(move || choice(state).scope.is_some());
    let many = switch(move || matches!(choice(state).scope, Some(FitScope::Layer | FitScope::All)));
    dynamic(move || {
        if !asked.get() {
            return ().into_any();
        }
        let all = RwSignal::new(false);
        let to_take = text(move || match shown_fits(state, answers).len() {
            0 | 1 => "This fit as a file:".to_owned(),
            fits => format!("{fits} fits as one file:"),
        });
        let grid = dynamic(move || {
            if many.get() {
                fit_grid()
            } else {
                ().into_any()
            }
        });
        view! {
            {kernel_fit(all, positions)}
            <div class="pair">{fit_residual(all, positions)} {fit_curve()}</div>
            <div class="pair">{fit_attention()} {head_attention("Head’s attention")}</div>
            {grid}
            <section class="fits-home" aria-label="Take the fits home">
                <p class="caption">{to_take}</p>
                {downloads("the fitted kernels", move || fitted(state, answers))}
            </section>
        }
        .into_any()
    })
}

/// The fits that are there, as a file: those of the layer or the model, else that of the open head.
fn fitted(state: State, answers: Answers) -> KernelFile {
    let mut set = KernelSet::default();
    let item = state.open_item();
    let heads = (item.as_ref().and_then(|item| item.summary.as_ref()?.heads))
        .map_or(1, |(heads, _)| heads as usize);
    for fit in untrack(|| shown_fits(state, answers)) {
        let kernels = HeadKernels {
            kernels: fit.kernels.clone(),
            intercept: Some(fit.intercept),
        };
        if let Some(place) = set.layer(fit.layer, heads).get_mut(fit.head) {
            *place = Some(kernels);
        }
    }
    KernelFile {
        model: item.map_or(String::new(), |item| item.title),
        mode: match state.link.with_untracked(|link| link.mode) {
            ScoreMode::Paper => "paper, eqs. 9–12",
            ScoreMode::AsComputed => "as computed",
        }
        .to_owned(),
        set,
    }
}

/// The fits that are there: of the layer or the model where they were asked for, else of the open head.
fn shown_fits(state: State, answers: Answers) -> Vec<KernelFit> {
    let many = matches!(choice(state).scope, Some(FitScope::Layer | FitScope::All));
    let of_group = answers.fits.with(|fits| fits.fits.clone());
    if many && !of_group.is_empty() {
        of_group
    } else {
        chosen_fit(state, answers).into_iter().collect()
    }
}

/// The open head's profile.
fn profile(state: State, answers: Answers) -> Option<Vec<f64>> {
    let head = state.head()?;
    answers.head.with(|open| {
        let (id, detail) = open.as_ref()?;
        (*id == head).then(|| detail.fit.f.clone())
    })
}

fn line(name: &str, first: i64, values: Vec<f64>, ink: Ink) -> Series {
    Series {
        name: name.to_owned(),
        first,
        values,
        ink,
        width: 1.3,
        dashed: false,
        labelled: true,
    }
}

/// Offsets that are shown.
fn window(all: RwSignal<bool>, n: usize) -> (f64, f64) {
    let edge = n as f64 - 0.5;
    let reach = if all.get() { edge } else { edge.min(REACH) };
    (-reach, reach)
}

fn kernel_fit(all: RwSignal<bool>, positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let figure = picture(move || {
        let (fit, f) = (chosen_fit(state, answers)?, profile(state, answers)?);
        let n = f.len().div_ceil(2);
        let first = 1 - n as i64;
        let offsets = || first..=-first;
        let mut series = vec![
            Series {
                width: 2.0,
                ..line(
                    "fit",
                    first,
                    offsets().map(|k| fit.at(k)).collect(),
                    Ink::Ink,
                )
            },
            Series {
                width: 2.6,
                ..line("profile", first, f, Ink::Muted)
            },
        ];
        series.extend(fit.kernels.0.iter().enumerate().map(|(at, kernel)| {
            // Moved to the level of the fit, so that its shape shows however high it stands.
            let (low, high) = window(all, n);
            let shown = || (low.ceil() as i64)..=(high.floor() as i64);
            let count = shown().count().max(1) as f64;
            let lift = shown()
                .map(|k| fit.at(k) - kernel.at(k as f64))
                .sum::<f64>()
                / count;
            let values = offsets().map(|k| kernel.at(k as f64) + lift);
            let name = format!("kernel {}", at + 1);
            line(&name, first, values.collect(), Ink::Category(at))
        }));
        super::super::ready(Lines {
            axis: "offset k",
            table: table(&shown_fits(state, answers)),
            series,
            band: None,
            handles: Vec::new(),
            offsets: window(all, n),
            values: None,
            aspect: 0.3,
            summary: format!(
                "{} kernels fitted to layer {}, head {}: R² {} of its profile.",
                fit.kernels.0.len(),
                fit.layer + 1,
                fit.head + 1,
                number(fit.r2)
            ),
        })
    });
    let offsets = Options::new(
        [(false, "near zero"), (true, "all offsets")],
        move || all.get(),
        move |value| all.set(value),
    );
    let partial = flag(move || {
        [answers.fit, answers.fits]
            .iter()
            .any(|fits| fits.with(|fits| fits.running))
    });
    FigureCard::new("kernel-fit", "The fit", figure)
        .caption("The head’s profile, the fit over it, and each of its kernels, moved to the level of the fit:".to_owned())
        .formula(formulas::KERNELS)
        .cursor(positions)
        .partial(partial)
        .controls(vec![offsets.segmented("Offsets")])
        .empty("Fitting …")
        .view()
}

/// Layers and heads counted from 1; kernels that a fit does not have are empty.
fn table(fits: &[KernelFit]) -> Table {
    let whole = |value: &dyn Fn(&KernelFit) -> i64| Column::Whole(fits.iter().map(value).collect());
    let real = |value: &dyn Fn(&KernelFit) -> f64| Column::Number(fits.iter().map(value).collect());
    let most = fits
        .iter()
        .map(|fit| fit.kernels.0.len())
        .max()
        .unwrap_or(0);
    let mut table = Table::new()
        .with("layer", whole(&|fit| fit.layer as i64 + 1))
        .with("head", whole(&|fit| fit.head as i64 + 1))
        .with("kernels", whole(&|fit| fit.kernels.0.len() as i64))
        .with("r2", real(&|fit| fit.r2))
        .with("intercept", real(&|fit| fit.intercept));
    for at in 0..most {
        for (which, name) in ["a", "b", "c"].into_iter().enumerate() {
            let value = |fit: &KernelFit| {
                let kernel = fit.kernels.0.get(at);
                kernel.map_or(f64::NAN, |kernel| [kernel.a, kernel.b, kernel.c][which])
            };
            table = table.with(format!("{name}{}", at + 1), real(&value));
        }
    }
    table.with("matrix_r2", real(&|fit| fit.matrix_r2))
}

fn fit_residual(all: RwSignal<bool>, positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let figure = picture(move || {
        let (fit, f) = (chosen_fit(state, answers)?, profile(state, answers)?);
        let n = f.len().div_ceil(2);
        let first = 1 - n as i64;
        let left = (first..).zip(&f).map(|(k, f)| f - fit.at(k)).collect();
        let series = vec![Series {
            labelled: false,
            ..line("residual", first, left, Ink::Ink)
        }];
        super::super::ready(Lines {
            axis: "offset k",
            table: Lines::table_of(&series),
            series,
            band: None,
            handles: Vec::new(),
            offsets: window(all, n),
            values: None,
            aspect: 0.5,
            summary: "What the fit leaves of the profile.".to_owned(),
        })
    });
    FigureCard::new("fit-residual", "Residual", figure)
        .caption("Profile minus fit. Far out, means are of few cells and count little.".to_owned())
        .cursor(positions)
        .empty("Fitting …")
        .view()
}

/// R² over the number of kernels.
fn fit_curve() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let figure = picture(move || {
        let chosen = choice(state).kernels;
        let head = state.head()?;
        let fits = answers.fit.get();
        fits.asked.filter(|asked| asked.head == head)?;
        let curve: Vec<(f64, f64)> = (fits.fits.iter())
            .map(|fit| (fit.kernels.0.len() as f64, fit.r2))
            .collect();
        let last = curve.last()?.1;
        let points = curve.iter().map(|at| Point {
            at: *at,
            model: None,
        });
        let column = |of: fn(&(f64, f64)) -> f64| Column::Number(curve.iter().map(of).collect());
        let counts = Column::Whole(curve.iter().map(|point| point.0 as i64).collect());
        super::super::ready(Scatter {
            dots: vec![Dots {
                name: String::new(),
                points: points.collect(),
                ink: Ink::Ink,
                joined: true,
                dashed: false,
            }],
            x_name: "kernels S".to_owned(),
            y_name: "R² of the profile".to_owned(),
            trend: None,
            marked: Some(chosen as f64),
            aspect: 0.5,
            table: Table::new()
                .with("kernels", counts)
                .with("r2", column(|point| point.1)),
            summary: format!(
                "R² with 1 to {} kernels, up to {}.",
                curve.len(),
                number(last)
            ),
        })
    });
    FigureCard::new("fit-curve", "R² by kernels", figure)
        .caption(
            "R² against the number of kernels. Where the line turns flat, one more does not pay."
                .to_owned(),
        )
        .partial(flag(move || answers.fit.with(|fits| fits.running)))
        .empty("Fitting …")
        .view()
}

fn fit_attention() -> AnyView {
    let answers = expect_context::<Answers>();
    let state = expect_context::<State>();
    let look = state.part(|link| (link.length, link.cells, link.kernel_map));
    let figure = picture(move || {
        let (n, cells, map) = look.get();
        let fit = chosen_fit(state, answers)?;
        let tile = kernel_attention(&fit.kernels, n, cells);
        super::super::ready(Heatmap::matrix(Arc::new(tile), of_attention(map), 0.0))
    });
    FigureCard::new("fit-attention", "Fit’s attention", figure)
        .caption("The fitted kernels alone:".to_owned())
        .formula(formulas::ATTENTION)
        .cursor(positions_shown())
        .empty("Fitting …")
        .view()
}

/// Attention is never negative: the lower half of a diverging map would be empty.
pub(super) fn of_attention(map: ColorMap) -> ColorMap {
    if map.is_diverging() {
        ColorMap::Viridis
    } else {
        map
    }
}

fn positions_shown() -> Signal<usize> {
    let state = expect_context::<State>();
    crate::app::dynamic::count(move || state.link.with(|link| link.length))
}

/// The open head's own attention among the chosen number of positions, and nothing where its table ends.
pub(super) fn head_attention(title: &'static str) -> AnyView {
    let state = expect_context::<State>();
    let tile = expect_context::<Answers>().head_attention;
    let look = state.part(|link| (link.length, link.cells));
    // What the shelf says of a file that is being read is no reason to ask again.
    let asked = Cell::new(None);
    effect(move || {
        let question = (state.head().zip(state.summary()))
            .map(|(head, summary)| (head, summary.hash, look.get(), state.again.get()));
        if asked.replace(question) == question {
            return;
        }
        let Some((head, _, (n, cells), _)) = question else {
            return tile.set(None);
        };
        let request = Request::HeadAttention(head, n, cells);
        Engine.ask(
            Channel::HeadAttention,
            request,
            move |answer| match answer {
                Answer::Tile(answer) => tile.set(Some(Arc::new(answer))),
                other => state.note(head.model, other),
            },
        );
    });
    let map = state.part(|link| link.kernel_map);
    let figure = picture(move || {
        super::super::ready(Heatmap::matrix(tile.get()?, of_attention(map.get()), 0.0))
    });
    let caption = text(move || {
        let length = state.link.with(|link| link.length);
        let (rows, any) = state.summary().map_or((0, false), |summary| {
            (summary.rows, summary.kind.has_any_length())
        });
        let head = state.head().map_or(String::new(), |id| {
            let mode = match id.mode {
                ScoreMode::Paper => "positional scores alone",
                ScoreMode::AsComputed => "as computed with the mean word",
            };
            format!("Layer {}, head {}, {mode}", id.layer + 1, id.head + 1)
        });
        if rows < length && !any {
            format!(
                "{head}. The table ends after {rows} rows: of the {} positions beyond it knows nothing.",
                length - rows
            )
        } else {
            format!("{head}.")
        }
    });
    FigureCard::new("head-attention", title, figure)
        .caption(caption)
        .cursor(positions_shown())
        .empty("No head is open yet.")
        .view()
}

/// The fits of a layer or a model at a glance.
fn fit_grid() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let sort = state.part(|link| link.sort);
    let shown = move || -> Vec<KernelFit> {
        let sort = sort.get();
        answers
            .fits
            .with(|fits| sorted(&fits.fits, sort).into_iter().cloned().collect())
    };
    let figure = picture(move || {
        let fits = shown();
        let heads = state.summary()?.heads?.0 as usize;
        if fits.is_empty() {
            return None;
        }
        let mean = fits.iter().map(|fit| fit.r2).sum::<f64>() / fits.len() as f64;
        super::super::ready(Grid {
            cells: fits.iter().map(cell).collect(),
            per_row: (sort.get() == Sort::Layer).then_some(heads),
            open: state.head().map(|id| (id.layer, id.head)),
            table: table(&fits),
            summary: format!("{} fits, mean R² {}.", fits.len(), number(mean)),
        })
    });
    let order = linked(
        [
            (Sort::Layer, "by layer"),
            (Sort::R2, "by R²"),
            (Sort::Peak, "by first centre"),
        ],
        |link| &mut link.sort,
    );
    FigureCard::new("fit-grid", "Every fit", figure)
        .caption("The profile of each head, grey, and its fit, |k| ≤ 64. Under each stands R². A click opens the head.".to_owned())
        .pull(open_by_click(figure, shown))
        .partial(flag(move || answers.fits.with(|fits| fits.running)))
        .controls(vec![order.segmented("Order")])
        .empty("Fitting …")
        .view()
}

fn cell(fit: &KernelFit) -> GridCell {
    let [profile, fitted] = fit.sketch.clone();
    let label = format!("{:.2}", fit.r2);
    GridCell::curves(profile, fitted, (fit.layer, fit.head), label)
}

/// Inserted one by one, as the head grid is.
fn sorted(fits: &[KernelFit], sort: Sort) -> Vec<&KernelFit> {
    let centre = |fit: &KernelFit| fit.kernels.0.first().map_or(0.0, |kernel| kernel.c);
    let before = |a: &KernelFit, b: &KernelFit| match sort {
        Sort::Layer => true,
        Sort::R2 => a.r2 >= b.r2,
        Sort::Peak => centre(a) <= centre(b),
    };
    let mut sorted: Vec<&KernelFit> = Vec::with_capacity(fits.len());
    for fit in fits {
        let at = sorted.partition_point(|other| before(other, fit));
        sorted.insert(at, fit);
    }
    sorted
}

fn open_by_click(
    figure: Signal<Option<AnyFigure>>,
    shown: impl Fn() -> Vec<KernelFit> + 'static,
) -> Pull {
    let state = expect_context::<State>();
    Pull {
        start: Box::new(move |width, x, y| {
            let places = figure.with_untracked(|figure| figure.as_ref().map(|f| f.places(width)));
            let at = places.and_then(|places| places.iter().position(|place| place.contains(x, y)));
            let fit = at.and_then(|at| untrack(&shown).get(at).map(|fit| (fit.layer, fit.head)));
            if let Some((layer, head)) = fit {
                state
                    .link
                    .update(|link| (link.layer, link.head) = (layer, head));
            }
            false
        }),
        moved: Box::new(|_, _, _| {}),
        end: Box::new(|| {}),
    }
}
