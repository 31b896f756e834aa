//! Figure of the heads, whose centres and rings can be dragged, with its controls.

use super::{
    demonstration::ImageDemonstration,
    heads_as_text::HeadsAsText,
    open_head::{OpenHeadEditor, SLIDER_ALPHAS, alpha_scale},
    stored_heads::StoredHeads,
};
use crate::{
    app::{
        controls::{
            buttons::ActionButton,
            drag::{DragState, FrozenScale},
            number::NumberSlider,
        },
        figure::{
            card::FigureCard,
            view::{AnyFigure, Pull, picture},
        },
    },
    figure::images::{HeadHandle, PixelHeads, ring_words},
    figure_spec::images::GAUSSIAN_HEADS,
    math::{Covariance, HeadShape, PixelHead, normal_number},
    url_state::{ALPHAS, BOX_RADII, DEVIATIONS, HEAD_CENTRES, NumberRange},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Figure: the heads as Gaussians, with controls.
#[component]
pub(super) fn ImageHeads() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let reach = FrozenScale::new();
    let plot = Memo::new_with_compare(
        move |_| {
            let figure = demonstration
                .heads
                .with(|heads| PixelHeads::new(heads, demonstration.open(), reach.frozen_scale()));
            reach.keep(figure.reach());
            Arc::new(figure)
        },
        |_, _| true,
    );
    let figure = picture(move || {
        let plot: AnyFigure = plot.get();
        Some(plot)
    });
    let moved = demonstration.select(|chosen| chosen.heads.is_some());
    // The caption is frozen during a drag, so that its changing height does not move the figure.
    let caption = DragState::from_context().hold(move || {
        let taps = demonstration.kernel().taps();
        let heads = demonstration.heads.with(Vec::len);
        let share = match heads.cmp(&taps) {
            std::cmp::Ordering::Less => format!(" Only {heads} of {taps} taps have a head."),
            std::cmp::Ordering::Greater => {
                format!(" Heads {} to {heads} have no tap and no weight.", taps + 1)
            }
            std::cmp::Ordering::Equal => String::new(),
        };
        let rings = demonstration
            .heads
            .with(|heads| ring_words(heads, demonstration.open()));
        let rings = rings.map_or_else(String::new, |words| format!(" {words}"));
        format!(
            "Drag a centre, or a solid ring to widen a head.{share}{}{rings}",
            same_spot(&demonstration.heads.get())
        )
    });
    let arrange = move |spacing: usize, stride: usize, kernel: Option<&str>| {
        demonstration.choose(|chosen| {
            (chosen.spacing, chosen.stride, chosen.heads) = (spacing, stride, None);
            if let Some(kernel) = kernel {
                kernel.clone_into(&mut chosen.kernel);
            }
        });
    };
    view! {
        <FigureCard
            spec=&GAUSSIAN_HEADS
            figure
            caption
            pull=pull_heads(demonstration, plot)
        >
            <NumberSlider
                name="α of all"
                label="α of all heads"
                value=demonstration.select(|chosen| chosen.alpha)
                scale=Signal::stored(alpha_scale())
                allowed=NumberRange::all(ALPHAS)
                slide=move |alpha| demonstration.sharpen(alpha)
                set=move |alpha| demonstration.sharpen(alpha)
            />
            <div class="presets" role="group" aria-label="Start from">
                <span class="hint">"Start from"</span>
                <ActionButton
                    text="Lemma 1"
                    label="Lemma 1: put each head at its tap".to_owned()
                    idle=Signal::derive(move || !moved.get())
                    press=move |()| demonstration.choose(|chosen| chosen.heads = None)
                />
                <button type="button" title="Taps two pixels apart" on:click=move |_| arrange(2, 1, None)>
                    "Dilated"
                </button>
                <button type="button" title="2 × 2 taps, every second pixel" on:click=move |_| arrange(1, 2, Some("patch"))>
                    "Strided"
                </button>
                <button type="button" title="Centres drawn at random" on:click=move |_| scatter(demonstration)>
                    "Random"
                </button>
            </div>
            <StoredHeads/>
        </FigureCard>
        <OpenHeadEditor/>
        <HeadsAsText/>
    }
}

/// Describes the first pair of equal heads; empty without one.
fn same_spot(heads: &[PixelHead]) -> String {
    let twin = heads.iter().enumerate().find_map(|(at, head)| {
        let before = heads[..at].iter().position(|other| other == head)?;
        Some((before + 1, at + 1))
    });
    twin.map_or_else(String::new, |(one, other)| {
        format!(" Heads {one} and {other} are the same: their weights add up.")
    })
}

/// Draws every centre at random, as at initialization: each coordinate from a Gaussian with a standard deviation of 2
/// pixels.
fn scatter(demonstration: ImageDemonstration) {
    // The seed depends on the current heads, so each press draws anew and the same heads draw the same.
    let seed = demonstration.heads.with_untracked(|heads| {
        heads.iter().fold(1_u64, |seed, head| {
            seed.wrapping_mul(31)
                .wrapping_add(head.centre.0.to_bits() ^ head.centre.1.to_bits().rotate_left(7))
        })
    });
    let mut uniform = fastrand::Rng::with_seed(seed);
    let mut coordinate = || (normal_number(&mut uniform, 2.0) * 100.0).round() / 100.0;
    demonstration.edit(|heads| {
        for head in heads {
            head.centre = (coordinate(), coordinate());
        }
    });
}

/// Forms the drag handler: dragging a centre moves the head, dragging its ring changes its width.
fn pull_heads(demonstration: ImageDemonstration, plot: Memo<Arc<PixelHeads>>) -> Pull {
    let drag = DragState::from_context();
    let pulled: StoredValue<Option<HeadHandle>> = StoredValue::new(None);
    Pull {
        start: Box::new(move |width, x, y| {
            let handle = plot.with_untracked(|plot| plot.grasp(width, x, y));
            pulled.set_value(handle);
            if let Some(HeadHandle::Centre(at) | HeadHandle::Ring(at)) = handle {
                drag.take();
                demonstration.choose(|chosen| chosen.head = at);
            }
            handle.is_some()
        }),
        on_move: Box::new(move |width, x, y| {
            let offset = plot.with_untracked(|plot| plot.offset_at(width, x, y));
            match pulled.get_value() {
                Some(HeadHandle::Centre(at)) => demonstration.edit_head(at, |head| {
                    head.centre = (snap_to_pixel(offset.0), snap_to_pixel(offset.1));
                }),
                Some(HeadHandle::Ring(at)) => {
                    demonstration.edit_head(at, |head| widen(head, offset));
                }
                None => {}
            }
        }),
        end: Box::new(move || drag.let_go()),
    }
}

/// Rounds a dragged coordinate: to a whole pixel if it is within 0.12 of one, else to hundredths.
fn snap_to_pixel(value: f64) -> f64 {
    let near = value.round();
    let value = if (value - near).abs() < 0.12 {
        near
    } else {
        (value * 100.0).round() / 100.0
    };
    value.clamp(*HEAD_CENTRES.start(), *HEAD_CENTRES.end())
}

/// Sets a head's width so that half of its profile lies inside the ring through `offset`.
fn widen(head: &mut PixelHead, offset: (f64, f64)) {
    let away = (offset.0 - head.centre.0)
        .abs()
        .max((offset.1 - head.centre.1).abs());
    // On the ring the score of a Gaussian is −ln 2.
    let ratio = -head.score(offset) / std::f64::consts::LN_2;
    let three_digits = |value: f64| {
        let unit = 10_f64.powf(value.log10().floor() - 2.0);
        (value / unit).round() * unit
    };
    match &mut head.shape {
        // A uniform head (α = 0) has no ring.
        HeadShape::Round(alpha) if *alpha > 0.0 && ratio > 0.0 => {
            *alpha = three_digits(*alpha / ratio).clamp(SLIDER_ALPHAS.0, SLIDER_ALPHAS.1);
        }
        HeadShape::Oval(covariance) if ratio > 0.0 => {
            let wider = Covariance {
                yy: covariance.yy * ratio,
                yx: covariance.yx * ratio,
                xx: covariance.xx * ratio,
            };
            let (y, x, _) = wider.deviations();
            if DEVIATIONS.contains(&y) && DEVIATIONS.contains(&x) {
                *covariance = wider;
            }
        }
        // Half of a square's area is inside the square of √½ its side.
        HeadShape::Box(radius) => {
            let whole = (away * std::f64::consts::SQRT_2 - 0.5).round();
            *radius = whole.clamp(*BOX_RADII.start(), *BOX_RADII.end());
        }
        HeadShape::Round(_) | HeadShape::Oval(_) => {}
    }
}
