//! Controls of the open head: its centre, its shape and its width.

use super::demonstration::ImageDemonstration;
use crate::{
    analysis::MOST_HEADS,
    app::controls::{
        buttons::{ActionButton, SegmentedButtons, Select, options},
        number::NumberSlider,
    },
    math::{Covariance, QuadraticHead, Width},
    url_state::{ALPHAS, CORRELATIONS, DEVIATIONS, HEAD_CENTRES, NumberRange, SliderScale},
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
    get: fn(&QuadraticHead) -> f64,
    write: fn(&mut QuadraticHead, f64),
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

fn width_numbers(is_oval: bool) -> Vec<HeadNumber> {
    if !is_oval {
        return vec![HeadNumber {
            name: "α",
            label: "α of the head",
            get: |head| head.alpha(),
            write: |head, value| head.width = Width::Round(value),
            range: NumberRange::all(ALPHAS),
            scale: alpha_scale(),
        }];
    }
    let deviations = SliderScale::powers_of(10.0, -1.0, 2.0, 0.01);
    vec![
        HeadNumber {
            name: "σy",
            label: "standard deviation along y",
            get: |head| head.covariance().deviations().0,
            write: |head, value| {
                let (_, x, r) = head.covariance().deviations();
                head.width = Width::Oval(Covariance::from_deviations(value, x, r));
            },
            range: NumberRange::all(DEVIATIONS),
            scale: deviations,
        },
        HeadNumber {
            name: "σx",
            label: "standard deviation along x",
            get: |head| head.covariance().deviations().1,
            write: |head, value| {
                let (y, _, r) = head.covariance().deviations();
                head.width = Width::Oval(Covariance::from_deviations(y, value, r));
            },
            range: NumberRange::all(DEVIATIONS),
            scale: deviations,
        },
        HeadNumber {
            name: "ρ",
            label: "correlation of y and x",
            get: |head| head.covariance().deviations().2,
            write: |head, value| {
                let (y, x, _) = head.covariance().deviations();
                head.width = Width::Oval(Covariance::from_deviations(y, x, value));
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
    let is_oval = Memo::new(move |_| {
        head.get()
            .is_some_and(|head| matches!(head.width, Width::Oval(_)))
    });
    let shape = move |oval: bool| {
        demonstration.edit_head(open.get_untracked(), |head| {
            head.width = if oval {
                let Covariance { yy, xx, .. } = head.covariance();
                // The deviations are clamped: a uniform head has none.
                let side =
                    |square: f64| square.sqrt().clamp(*DEVIATIONS.start(), *DEVIATIONS.end());
                Width::Oval(Covariance::from_deviations(side(yy), side(xx), 0.0))
            } else {
                Width::Round(head.alpha())
            };
        });
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
        demonstration.edit(|heads| heads.push(QuadraticHead::round((0.0, 0.0), alpha)));
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
                    options=options([(false, "round"), (true, "oval")])
                    value=is_oval
                    set=shape
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
            {move || width_numbers(is_oval.get()).into_iter().map(number).collect_view()}
        </section>
    }
}
