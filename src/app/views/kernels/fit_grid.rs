//! Grid of all fits as small multiples.

use super::fits::KernelFits;
use crate::{
    analysis::KernelFit,
    app::{
        figure::{
            card::FigureCard,
            view::{AnyFigure, picture, ready},
        },
        state::{ModelList, OpenHead, UrlState},
        views::{
            grid_buttons::{GridButtons, HeadPlace},
            matrix_controls::LinkedSegmentedButtons,
        },
    },
    figure::kernel_fits::fit_grid,
    figure_spec::kernels::FIT_GRID,
    url_state::{Sort, fits_in_order},
};
use leptos::prelude::*;
use std::collections::HashMap;

/// Number of lines of a single layer's fits while a lesson is presented.
const LINES: usize = 3;

/// Figure: the fits of a layer or a model.
#[component]
pub(super) fn FitGrid() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let fits = KernelFits::from_context();
    let sort = url.select(|link| link.heads.sort);
    let presenting = url.select(|link| link.lesson.is_presented);
    let sorted_fits = Memo::new(move |_| -> Vec<KernelFit> {
        let fits = fits.group_fits().unwrap_or_default();
        let in_order = fits_in_order(&fits.fits, sort.get());
        in_order.into_iter().cloned().collect()
    });
    let open = Memo::new(move |_| open_head.get().map(|head| (head.layer, head.head)));
    let figure = picture(move || {
        let heads = models.summary()?.heads?.0 as usize;
        sorted_fits.with(|fits| {
            let fits: Vec<&KernelFit> = fits.iter().collect();
            // On a wall, a single layer fills the height in several lines.
            let lines = if presenting.get() && fits.len() <= heads {
                LINES
            } else {
                1
            };
            let per_row = (sort.get() == Sort::Layer).then(|| heads.div_ceil(lines));
            ready(fit_grid(&fits, per_row, open.get())?)
        })
    });
    view! {
        <FigureCard
            spec=&FIT_GRID
            figure
            above=view! { <FitButtons figure fits=sorted_fits/> }.into_any()
            partial=Signal::derive(move || fits.is_group_pending())
            query=Signal::derive(move || fits.waiting_for_group())
        >
            <LinkedSegmentedButtons
                label="Order"
                choices=[
                    (Sort::Layer, "by layer"),
                    (Sort::R2, "by R²"),
                    (Sort::Peak, "by first centre"),
                ]
                get=|link| link.heads.sort
                set=|link, sort| link.heads.sort = sort
            />
        </FigureCard>
    }
}

/// Buttons over the fits.
#[component]
fn FitButtons(figure: Signal<Option<AnyFigure>>, fits: Memo<Vec<KernelFit>>) -> impl IntoView {
    let heads = Memo::new(move |_| -> Vec<HeadPlace> {
        fits.with(|fits| fits.iter().map(|fit| (fit.layer, fit.head)).collect())
    });
    let labels = Memo::new(move |_| -> HashMap<HeadPlace, String> {
        let label = |fit: &KernelFit| {
            let (layer, head) = (fit.layer, fit.head);
            let label = format!("layer {}, head {}, R² {:.3}", layer + 1, head + 1, fit.r2);
            ((layer, head), label)
        };
        fits.with(|fits| fits.iter().map(label).collect())
    });
    let places = move |width| {
        figure.with(|figure| {
            let figure = figure.as_ref();
            figure.map_or_else(Vec::new, |figure| figure.places(width))
        })
    };
    view! { <GridButtons heads places labels attribute="fit"/> }
}
