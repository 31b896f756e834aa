//! Controls of the open head: its centre, its shape and its width.

use super::{demonstration::ImageDemonstration, lemma_vectors::LemmaVectors};
use crate::{
    analysis::MOST_HEADS,
    app::controls::{
        buttons::{ActionButton, SegmentedButtons, Select, options},
        number::NumberSlider,
    },
    math::{Covariance, HeadShape, PixelHead},
    url_state::{
        ALPHAS, BOX_RADII, CORRELATIONS, DEVIATIONS, HEAD_CENTRES, NumberRange, SliderScale,
    },
};
use leptos::prelude::*;

/// Range of α for drags and sliders; fields accept more.
pub(super) const SLIDER_ALPHAS: (f64, f64) = (0.001, 1000.0);

/// Returns the slider scale of α, in powers of ten.
pub(super) fn alpha_scale() -> SliderScale {
    SliderScale::powers_of(10.0, SLIDER_ALPHAS.0.log10(), SLIDER_ALPHAS.1.log10(), 0.01)
}

/// A number of a head, with its control.
#[derive(Debug, Clone, Copy)]
struct HeadNumber {
    name: &'static str,
    label: &'static str,
    get: fn(&PixelHead) -> f64,
    write: fn(&mut PixelHead, f64),
    range: NumberRange,
    scale: SliderScale,
}

const CENTRE_SCALE: SliderScale = SliderScale::linear(-8.0, 8.0, 0.05);

fn centre_numbers() -> [HeadNumber; 2] {
    let allowed = NumberRange::all(HEAD_CENTRES);
    [
        HeadNumber {
            name: "Δy",
            label: "Δy of the head",
            get: |head| head.centre.0,
            write: |head, value| head.centre.0 = value,
            range: allowed,
            scale: CENTRE_SCALE,
        },
        HeadNumber {
            name: "Δx",
            label: "Δx of the head",
            get: |head| head.centre.1,
            write: |head, value| head.centre.1 = value,
            range: allowed,
            scale: CENTRE_SCALE,
        },
    ]
}

/// The profile of a head, without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShapeKind {
    Round,
    Oval,
    Box,
}

impl ShapeKind {
    fn of_head(head: PixelHead) -> Self {
        match head.shape {
            HeadShape::Round(_) => Self::Round,
            HeadShape::Oval(_) => Self::Oval,
            HeadShape::Box(_) => Self::Box,
        }
    }
}

/// Standard deviations along y and x and their correlation; those of a box are not read.
fn deviations_of(head: &PixelHead) -> (f64, f64, f64) {
    head.covariance()
        .map_or((1.0, 1.0, 0.0), Covariance::deviations)
}

/// Changes the profile and keeps the size of a head: a box of radius τ has the standard deviation √(τ·(τ + 1)/3) along each
/// axis.
fn reshape(head: &mut PixelHead, kind: ShapeKind) {
    let variance = match head.shape {
        HeadShape::Box(radius) => radius * (radius + 1.0) / 3.0,
        HeadShape::Round(_) | HeadShape::Oval(_) => 0.5 / head.alpha().unwrap_or(f64::INFINITY),
    };
    // The deviations are clamped: a uniform head has none.
    let side = |square: f64| square.sqrt().clamp(*DEVIATIONS.start(), *DEVIATIONS.end());
    head.shape = match kind {
        ShapeKind::Round => HeadShape::Round(0.5 / side(variance).powi(2)),
        ShapeKind::Oval => {
            let Covariance { yy, xx, .. } = head.covariance().unwrap_or(Covariance {
                yy: variance,
                yx: 0.0,
                xx: variance,
            });
            HeadShape::Oval(Covariance::from_deviations(side(yy), side(xx), 0.0))
        }
        ShapeKind::Box => {
            let radius = ((0.25 + 3.0 * side(variance).powi(2)).sqrt() - 0.5).round();
            HeadShape::Box(radius.clamp(*BOX_RADII.start(), *BOX_RADII.end()))
        }
    };
}

fn shape_numbers(kind: ShapeKind) -> Vec<HeadNumber> {
    match kind {
        ShapeKind::Round => {
            return vec![HeadNumber {
                name: "α",
                label: "α of the head",
                get: |head| head.alpha().unwrap_or(0.0),
                write: |head, value| head.shape = HeadShape::Round(value),
                range: NumberRange::all(ALPHAS),
                scale: alpha_scale(),
            }];
        }
        ShapeKind::Box => {
            return vec![HeadNumber {
                name: "τ",
                label: "radius τ of the box",
                get: |head| head.radius().unwrap_or(0.0),
                write: |head, value| head.shape = HeadShape::Box(value),
                range: NumberRange::all(BOX_RADII),
                scale: SliderScale::linear(0.0, 8.0, 1.0),
            }];
        }
        ShapeKind::Oval => {}
    }
    let deviations = SliderScale::powers_of(10.0, -1.0, 2.0, 0.01);
    vec![
        HeadNumber {
            name: "σy",
            label: "standard deviation along y",
            get: |head| deviations_of(head).0,
            write: |head, value| {
                let (_, x, r) = deviations_of(head);
                head.shape = HeadShape::Oval(Covariance::from_deviations(value, x, r));
            },
            range: NumberRange::all(DEVIATIONS),
            scale: deviations,
        },
        HeadNumber {
            name: "σx",
            label: "standard deviation along x",
            get: |head| deviations_of(head).1,
            write: |head, value| {
                let (y, _, r) = deviations_of(head);
                head.shape = HeadShape::Oval(Covariance::from_deviations(y, value, r));
            },
            range: NumberRange::all(DEVIATIONS),
            scale: deviations,
        },
        HeadNumber {
            name: "ρ",
            label: "correlation of y and x",
            get: |head| deviations_of(head).2,
            write: |head, value| {
                let (y, x, _) = deviations_of(head);
                head.shape = HeadShape::Oval(Covariance::from_deviations(y, x, value));
            },
            range: NumberRange::all(CORRELATIONS),
            scale: SliderScale::linear(-0.99, 0.99, 0.01),
        },
    ]
}

/// Controls of the open head.
#[component]
pub(super) fn OpenHeadEditor() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let open = Memo::new(move |_| demonstration.open());
    let count = Memo::new(move |_| demonstration.heads.with(Vec::len));
    let head = Memo::new(move |_| {
        demonstration
            .heads
            .with(|heads| heads.get(open.get()).copied())
    });
    let kind = Memo::new(move |_| head.get().map_or(ShapeKind::Round, ShapeKind::of_head));
    let set_kind = move |kind: ShapeKind| {
        demonstration.edit_head(open.get_untracked(), |head| reshape(head, kind));
    };
    let number = move |number: HeadNumber| {
        let value = Memo::new(move |_| head.get().map_or(0.0, |head| (number.get)(&head)));
        let set = move |value: f64| {
            demonstration.edit_head(open.get_untracked(), |head| (number.write)(head, value));
        };
        view! {
            <NumberSlider
                name=number.name
                label=number.label
                value
                scale=Signal::stored(number.scale)
                allowed=number.range
                slide=set
                set
            />
        }
    };
    let select = move || {
        let heads = options((0..count.get()).map(|at| (at, (at + 1).to_string())));
        view! {
            <Select
                label="Head"
                options=heads
                value=open
                set=move |at| demonstration.choose(|chosen| chosen.head = at)
            />
        }
    };
    let add = move |()| {
        let alpha = demonstration.select(|chosen| chosen.alpha).get_untracked();
        demonstration.edit(|heads| heads.push(PixelHead::round((0.0, 0.0), alpha)));
        let last = demonstration
            .heads
            .with_untracked(Vec::len)
            .saturating_sub(1);
        demonstration.choose(|chosen| chosen.head = last);
    };
    let remove = move |()| {
        let at = open.get_untracked();
        demonstration.edit(|heads| {
            if heads.len() > 1 {
                heads.remove(at);
            }
        });
    };
    view! {
        <section class="open-head" aria-label="One head">
            <div class="controls">
                {select}
                <SegmentedButtons
                    label="Shape"
                    options=options([
                        (ShapeKind::Round, "round"),
                        (ShapeKind::Oval, "oval"),
                        (ShapeKind::Box, "box"),
                    ])
                    value=kind
                    set=set_kind
                />
                <ActionButton
                    text="Add a head"
                    idle=Signal::derive(move || count.get() >= MOST_HEADS)
                    press=add
                />
                <ActionButton
                    text="Remove this head"
                    idle=Signal::derive(move || count.get() <= 1)
                    press=remove
                />
            </div>
            {centre_numbers().map(number).into_iter().collect_view()}
            {move || shape_numbers(kind.get()).into_iter().map(number).collect_view()}
            <LemmaVectors head/>
        </section>
    }
}
