//! Grid of all fits as small multiples.

use super::fits::KernelFits;
use crate::{
    analysis::KernelFit,
    app::{
        controls::mounted::while_mounted,
        display::text_size::TextSize,
        figure::{
            card::FigureCard,
            view::{AnyFigure, picture, ready},
            width::width_of,
        },
        state::{ModelList, OpenHead, UrlState},
        views::matrix_controls::LinkedSegmented,
    },
    figure::{Rect, kernel_fits::fit_grid},
    figure_spec::kernels::FIT_GRID,
    url_state::{Sort, fits_in_order},
};
use leptos::{ev::KeyboardEvent, html, prelude::*};
use wasm_bindgen::JsCast;

/// Layer and head, from 0.
type FitPlace = (usize, usize);

/// Figure: the fits of a layer or a model.
#[component]
pub(super) fn FitGrid() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let fits = KernelFits::from_context();
    let sort = url.select(|link| link.heads.sort);
    let shown = Memo::new(move |_| -> Vec<KernelFit> {
        let fits = fits.of_group().unwrap_or_default();
        let in_order = fits_in_order(&fits.fits, sort.get());
        in_order.into_iter().cloned().collect()
    });
    let open = Memo::new(move |_| open_head.get().map(|head| (head.layer, head.head)));
    let figure = picture(move || {
        let heads = models.summary()?.heads?.0 as usize;
        let per_row = (sort.get() == Sort::Layer).then_some(heads);
        shown.with(|fits| {
            let fits: Vec<&KernelFit> = fits.iter().collect();
            ready(fit_grid(&fits, per_row, open.get())?)
        })
    });
    view! {
        <FigureCard
            spec=&FIT_GRID
            figure
            above=view! { <FitButtons figure fits=shown open/> }.into_any()
            partial=Signal::derive(move || fits.is_group_pending())
            query=Signal::derive(move || fits.waiting_for_group())
        >
            <LinkedSegmented
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

/// Buttons over the grid's cells, for keyboard and screen reader. One of them is in the tab order; arrow keys move from
/// there.
#[component]
fn FitButtons(
    figure: Signal<Option<AnyFigure>>,
    fits: Memo<Vec<KernelFit>>,
    open: Memo<Option<FitPlace>>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let layer = NodeRef::<html::Div>::new();
    let width = width_of(layer);
    let text = TextSize::from_context();
    let cells = Memo::new(move |_| -> Vec<Rect> {
        figure.with(|figure| {
            let places =
                |figure: &AnyFigure| text.in_pixels(width.get(), |width| figure.places(width));
            figure.as_ref().map_or_else(Vec::new, places)
        })
    });
    let heads = Memo::new(move |_| -> Vec<FitPlace> {
        fits.with(|fits| fits.iter().map(|fit| (fit.layer, fit.head)).collect())
    });
    // If no head of the grid is open, the first one is the tab stop.
    let in_tab_order = Memo::new(move |_| {
        heads.with(|heads| {
            let open = open.get().filter(|open| heads.contains(open));
            open.or_else(|| heads.first().copied())
        })
    });
    let show = move |(layer, head): FitPlace| {
        url.link
            .update(|link| (link.heads.layer, link.heads.head) = (layer, head));
    };
    let on_key = move |event: KeyboardEvent| {
        let columns = cells.with_untracked(|cells| columns(cells));
        let by = match event.key().as_str() {
            "ArrowLeft" => -1,
            "ArrowRight" => 1,
            "ArrowUp" => -columns,
            "ArrowDown" => columns,
            _ => return,
        };
        event.prevent_default();
        let current = in_tab_order.get_untracked();
        let next = heads.with_untracked(|heads| {
            let at = heads.iter().position(|head| Some(*head) == current)?;
            heads.get(at.checked_add_signed(by)?).copied()
        });
        if let Some(next) = next {
            show(next);
            focus(next);
        }
    };
    let button = move |head: FitPlace| {
        let cell = Memo::new(move |_| {
            let at = heads.with(|heads| heads.iter().position(|other| *other == head));
            cells.with(|cells| at.and_then(|at| cells.get(at).copied()))
        });
        let length =
            move |side: fn(Rect) -> f64| move || format!("{}px", cell.get().map_or(0.0, side));
        let label = Memo::new(move |_| {
            fits.with(|fits| {
                let fit = fits.iter().find(|fit| (fit.layer, fit.head) == head);
                let r2 = fit.map_or(f64::NAN, |fit| fit.r2);
                format!("layer {}, head {}, R² {r2:.3}", head.0 + 1, head.1 + 1)
            })
        });
        let tab = move || {
            if in_tab_order.get() == Some(head) {
                "0"
            } else {
                "-1"
            }
        };
        // Style properties, not a style attribute, which the content security policy forbids.
        view! {
            <button
                type="button"
                data-fit=name_of(head)
                aria-label=label
                title=label
                aria-pressed=move || (open.get() == Some(head)).to_string()
                tabindex=tab
                style:left=length(|cell| cell.x)
                style:top=length(|cell| cell.y)
                style:width=length(|cell| cell.width)
                style:height=length(|cell| cell.height)
                on:click=move |_| show(head)
            ></button>
        }
    };
    view! {
        <div class="head-buttons" node_ref=layer on:keydown=while_mounted(on_key)>
            <For each=move || heads.get() key=|head| *head children=button/>
        </div>
    }
}

fn name_of((layer, head): FitPlace) -> String {
    format!("{}-{}", layer + 1, head + 1)
}

/// Returns the number of cells in the first row.
fn columns(cells: &[Rect]) -> isize {
    let first = cells.first().map_or(0.0, |cell| cell.y);
    let row = cells.iter().take_while(|cell| (cell.y - first).abs() < 1.0);
    isize::try_from(row.count()).unwrap_or(isize::MAX)
}

/// Moves the focus to a head's button.
fn focus(head: FitPlace) {
    let button = document().query_selector(&format!("[data-fit='{}']", name_of(head)));
    if let Ok(Some(button)) = button
        && let Some(button) = button.dyn_ref::<web_sys::HtmlElement>()
    {
        // Ignored: focusing a mounted element does not fail.
        let _ = button.focus();
    }
}
