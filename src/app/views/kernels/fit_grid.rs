//! Every fit in small.

use super::{super::linked, fit_figures::table};
use crate::{
    analysis::KernelFit,
    app::{
        answers::Answers,
        dynamic::{flag, picture},
        figure_card::FigureCard,
        figure_view::{AnyFigure, Pull},
        state::State,
    },
    figure::{Thumbnail, Thumbnails, number},
    link::Sort,
};
use leptos::prelude::*;

/// The fits of a layer or a model at a glance.
pub(super) fn fit_grid() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let sort = state.part(|link| link.heads.sort);
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
        super::super::ready(Thumbnails {
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
        |link| &mut link.heads.sort,
    );
    FigureCard::new("fit-grid", figure)
        .caption("The profile of each head, grey, and its fit, |k| ≤ 64. Under each stands R². A click opens the head.".to_owned())
        .pull(open_by_click(figure, shown))
        .partial(flag(move || answers.fits.with(|fits| fits.running)))
        .controls(vec![order.segmented("Order")])
        .empty("Fitting …")
        .view()
}

fn cell(fit: &KernelFit) -> Thumbnail {
    let [profile, fitted] = fit.sketch.clone();
    let label = format!("{:.2}", fit.r2);
    Thumbnail::curves(profile, fitted, (fit.layer, fit.head), label)
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
                    .update(|link| (link.heads.layer, link.heads.head) = (layer, head));
            }
            false
        }),
        moved: Box::new(|_, _, _| {}),
        end: Box::new(|| {}),
    }
}
