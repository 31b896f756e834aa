//! What a fit looks like: over the profile, what it leaves, and what another kernel brings.

use super::{
    attention::{fit_attention, head_attention},
    fit::{choice, chosen_fit},
    fit_grid::fit_grid,
    take_home::downloads,
};
use crate::{
    analysis::{KernelFit, ScoreMode},
    app::{
        answers::Answers,
        controls::Options,
        dynamic::{dynamic, flag, picture, switch, text},
        figure_card::FigureCard,
        formulas,
        state::State,
    },
    encoding::{HeadKernels, KernelSet},
    exchange::KernelFile,
    figure::{Axis, Column, Dots, Ink, Lines, Scatter, ScatterPoint, Series, Table, number},
    link::FitScope,
    math::Profile,
};
use leptos::prelude::*;

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
            <div class="pair">{fit_attention()} {head_attention()}</div>
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
        mode: match state.link.with_untracked(|link| link.heads.mode) {
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
fn profile(state: State, answers: Answers) -> Option<Profile> {
    let head = state.head()?;
    answers.head.with(|open| {
        let (id, detail) = open.as_ref()?;
        (*id == head).then(|| detail.fit.f.clone())
    })
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
        let n = f.n();
        let mut series = vec![
            Series::of("fit", &f.map(|k, _| fit.at(k)))
                .width(2.0)
                .labelled(),
            Series::of("profile", &f)
                .ink(Ink::Muted)
                .width(2.6)
                .labelled(),
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
            let name = format!("kernel {}", at + 1);
            Series::of(name, &f.map(|k, _| kernel.at(k as f64) + lift))
                .ink(Ink::Category(at))
                .labelled()
        }));
        let summary = format!(
            "{} kernels fitted to layer {}, head {}: R² {} of its profile.",
            fit.kernels.0.len(),
            fit.layer + 1,
            fit.head + 1,
            number(fit.r2)
        );
        super::super::ready(
            Lines::over(Axis::Offset)
                .series(series)
                .shown(window(all, f.n()))
                .with_table(table(&shown_fits(state, answers)))
                .with_summary(summary),
        )
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
    FigureCard::new("kernel-fit", figure)
        .caption("The head’s profile, the fit over it, and each of its kernels, moved to the level of the fit:".to_owned())
        .formula(formulas::KERNELS)
        .cursor(positions)
        .partial(partial)
        .controls(vec![offsets.segmented("Offsets")])
        .empty("Fitting …")
        .view()
}

/// Layers and heads counted from 1; kernels that a fit does not have are empty.
pub(super) fn table(fits: &[KernelFit]) -> Table {
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
        let left = f.map(|k, f| f - fit.at(k));
        let series = [Series::of("residual", &left)];
        super::super::ready(
            Lines::over(Axis::Offset)
                .with_table(Lines::table_of(&series))
                .series(series)
                .shown(window(all, f.n()))
                .aspect(0.5)
                .with_summary("What the fit leaves of the profile."),
        )
    });
    FigureCard::new("fit-residual", figure)
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
        let points = curve.iter().map(|at| ScatterPoint::new(*at));
        let column = |of: fn(&(f64, f64)) -> f64| Column::Number(curve.iter().map(of).collect());
        let counts = Column::Whole(curve.iter().map(|point| point.0 as i64).collect());
        let table = Table::new()
            .with("kernels", counts)
            .with("r2", column(|point| point.1));
        let summary = format!(
            "R² with 1 to {} kernels, up to {}.",
            curve.len(),
            number(last)
        );
        super::super::ready(
            Scatter::over(Axis::Kernels, Some(Axis::ProfileR2))
                .dots([Dots::new("", points).joined()])
                .marked(Some(chosen as f64))
                .with_table(table)
                .with_summary(summary),
        )
    });
    FigureCard::new("fit-curve", figure)
        .caption(
            "R² against the number of kernels. Where the line turns flat, one more does not pay."
                .to_owned(),
        )
        .partial(flag(move || answers.fit.with(|fits| fits.running)))
        .empty("Fitting …")
        .view()
}
