//! The attention of one pixel in every head.

use super::demonstration::ImageDemonstration;
use crate::{
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            number::NumberSlider,
        },
        figure::{
            card::FigureCard,
            view::{AnyFigure, Pull, picture, ready},
        },
        state::UrlState,
    },
    figure::images::{QueryAttention, attention_on_line},
    figure_spec::images::QUERY_ATTENTION,
    url_state::{NumberRange, SliderScale},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Figure: attention maps of the query pixel, one per head.
#[component]
pub(super) fn QueryAttentionCard() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let url = UrlState::from_context();
    let query = Memo::new(move |_| demonstration.query());
    let map = url.select(|link| link.matrices.map);
    let near = demonstration.select(|chosen| chosen.near);
    let maps = Memo::new_with_compare(
        move |_| {
            let (grid, query) = (demonstration.grid(), query.get());
            let heads = demonstration.heads.with(|heads| {
                heads
                    .iter()
                    .map(|head| head.attention(grid, query))
                    .collect::<Vec<_>>()
            });
            (grid.height > 1).then(|| {
                Arc::new(QueryAttention::new(
                    grid,
                    query,
                    heads,
                    map.get(),
                    near.get(),
                ))
            })
        },
        |_, _| true,
    );
    let figure = picture(move || {
        if let Some(maps) = maps.get() {
            let maps: AnyFigure = maps;
            return Some(maps);
        }
        let (grid, query) = (demonstration.grid(), query.get());
        let heads = demonstration.heads.with(|heads| {
            heads
                .iter()
                .map(|head| head.attention(grid, query))
                .collect::<Vec<_>>()
        });
        ready(attention_on_line(grid.width, query.1, heads))
    });
    let caption = Signal::derive(move || {
        let grid = demonstration.grid();
        let (y, x) = query.get();
        if demonstration.is_line() {
            return "Along one row each head is a Gaussian in k: softmax of −α(k − Δ)². A TISA kernel with b = α and c = Δ has that shape before the softmax.".to_owned();
        }
        let at_edge = y == 0 || x == 0 || y + 1 == grid.height || x + 1 == grid.width;
        let how = if near.get() {
            "Click into one of the images, or set row and column."
        } else {
            "Click or drag to choose another query pixel."
        };
        let edge = if at_edge {
            " At the edge, softmax has fewer pixels: a sharp head with its centre beyond the edge attends to the nearest pixel, as with edge padding."
        } else {
            " Each map is on its own scale."
        };
        format!("{how}{edge}")
    });
    let place = move |name: &'static str,
                      get: fn((usize, usize)) -> usize,
                      put: fn(&mut (usize, usize), usize)| {
        let length = Memo::new(move |_| {
            let grid = demonstration.grid();
            get((grid.height, grid.width))
        });
        let set = move |value: f64| {
            let mut query = query.get_untracked();
            put(&mut query, value as usize);
            demonstration.choose(|chosen| chosen.query = Some(query));
        };
        move || {
            let last = length.get().saturating_sub(1) as f64;
            (last > 0.0).then(|| {
                view! {
                    <NumberSlider
                        name
                        label=format!("{name} of the query pixel")
                        value=Signal::derive(move || get(query.get()) as f64)
                        scale=Signal::stored(SliderScale::linear(0.0, last, 1.0))
                        allowed=NumberRange::whole(0.0, last)
                        slide=set
                        set
                    />
                }
            })
        }
    };
    let pixel_at =
        move |width, x, y| maps.with_untracked(|maps| maps.as_ref()?.pixel_at(width, x, y));
    view! {
        <FigureCard
            spec=&QUERY_ATTENTION
            figure
            caption
            pull=pull_query(demonstration, pixel_at)
        >
            <SegmentedButtons
                label="Shown"
                options=options([(true, "around the pixel"), (false, "the whole image")])
                value=near
                set=move |near| demonstration.choose(|chosen| chosen.near = near)
            />
            {place("row", |(y, _)| y, |query, y| query.0 = y)}
            {place("column", |(_, x)| x, |query, x| query.1 = x)}
        </FigureCard>
    }
}

/// Forms the drag handler: clicking or dragging on a picture moves the query pixel.
pub(super) fn pull_query<F: Fn(f64, f64, f64) -> Option<(usize, usize)> + Copy + 'static>(
    demonstration: ImageDemonstration,
    pixel_at: F,
) -> Pull {
    let ask = move |width, x, y| {
        let pixel = pixel_at(width, x, y);
        if let Some(pixel) = pixel {
            demonstration.choose(|chosen| chosen.query = Some(pixel));
        }
        pixel.is_some()
    };
    Pull {
        start: Box::new(ask),
        on_move: Box::new(move |width, x, y| {
            ask(width, x, y);
        }),
        end: Box::new(|| {}),
    }
}
