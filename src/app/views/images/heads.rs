//! The heads: a figure whose centres and rings are pulled, and fields for one of them.

use super::{demonstration::Demonstration, heads_as_text::HeadsAsText, stored_heads::StoredHeads};
use crate::{
    app::{
        controls::{ActionButton, Segmented, Select, options},
        figure_card::FigureCard,
        figure_view::{AnyFigure, Pull, picture},
        formulas,
        hand::{Hand, HeldScale},
        number::NumberSlider,
    },
    figure::images::{GaussianHeads, HeadHandle},
    link::{ALPHAS, CORRELATIONS, DEVIATIONS, HEAD_CENTRES, NumberRange, SliderScale},
    math::{Covariance, QuadraticHead, Width},
};
use leptos::prelude::*;
use std::sync::Arc;

/// α that pulling and sliders reach; fields take more.
const SLIDER_ALPHAS: (f64, f64) = (0.001, 1000.0);

/// The figure and its controls.
#[component]
pub(super) fn Heads() -> impl IntoView {
    let shown = Demonstration::from_context();
    let reach = HeldScale::new();
    let plot = Memo::new_with_compare(
        move |_| {
            let figure = shown
                .heads
                .with(|heads| GaussianHeads::new(heads, shown.open(), reach.held()));
            reach.keep(figure.reach());
            Arc::new(figure)
        },
        |_, _| true,
    );
    let figure = picture(move || {
        let plot: AnyFigure = plot.get();
        Some(plot)
    });
    let moved = shown.part(|chosen| chosen.heads.is_some());
    let caption = Signal::derive(move || {
        let taps = shown.kernel().taps();
        let heads = shown.heads.with(Vec::len);
        let share = match heads.cmp(&taps) {
            std::cmp::Ordering::Less => format!(" Only {heads} of {taps} taps have a head."),
            std::cmp::Ordering::Greater => {
                format!(
                    " Heads {} to {heads} have no tap and weigh nothing.",
                    taps + 1
                )
            }
            std::cmp::Ordering::Equal => String::new(),
        };
        format!(
            "Drag a centre, or a solid ring to widen a head.{share}{}",
            same_spot(&shown.heads.get())
        )
    });
    let arrange = move |spacing: usize, stride: usize, kernel: Option<&str>| {
        shown.choose(|chosen| {
            (chosen.spacing, chosen.stride, chosen.heads) = (spacing, stride, None);
            if let Some(kernel) = kernel {
                kernel.clone_into(&mut chosen.kernel);
            }
        });
    };
    view! {
        <FigureCard
            id="gaussian-heads"
            figure
            caption
            formula=formulas::QUADRATIC
            pull=pull_heads(shown, plot)
        >
            <NumberSlider
                name="α of all"
                label="α of all heads"
                value=shown.part(|chosen| chosen.alpha)
                scale=Signal::stored(alpha_scale())
                allowed=NumberRange::all(ALPHAS)
                slide=move |alpha| shown.sharpen(alpha)
                set=move |alpha| shown.sharpen(alpha)
            />
            <div class="presets" role="group" aria-label="Start from">
                <span class="hint">"Start from"</span>
                <ActionButton
                    text="Lemma 1"
                    label="Lemma 1: put the heads in the places of the taps".to_owned()
                    idle=Signal::derive(move || !moved.get())
                    press=move |()| shown.choose(|chosen| chosen.heads = None)
                />
                <button type="button" title="Taps two pixels apart" on:click=move |_| arrange(2, 1, None)>
                    "Dilated"
                </button>
                <button type="button" title="2 × 2 taps, every second pixel" on:click=move |_| arrange(1, 2, Some("patch"))>
                    "Strided"
                </button>
                <button type="button" title="Centres drawn at random" on:click=move |_| scatter(shown)>
                    "Random"
                </button>
            </div>
            <StoredHeads/>
        </FigureCard>
        <OpenHead/>
        <HeadsAsText/>
    }
}

/// Heads that stand on one spot, in a sentence.
fn same_spot(heads: &[QuadraticHead]) -> String {
    let twin = heads.iter().enumerate().find_map(|(at, head)| {
        let before = heads[..at].iter().position(|other| other == head)?;
        Some((before + 1, at + 1))
    });
    twin.map_or_else(String::new, |(one, other)| {
        format!(" Heads {one} and {other} are the same: their weights add up.")
    })
}

fn alpha_scale() -> SliderScale {
    SliderScale::powers_of(10.0, SLIDER_ALPHAS.0.log10(), SLIDER_ALPHAS.1.log10(), 0.01)
}

/// Centres by chance, as before a training: each coordinate from a Gaussian of two pixels' deviation.
fn scatter(shown: Demonstration) {
    // Another draw each time, the same one from the same heads.
    let seed = shown.heads.with_untracked(|heads| {
        heads.iter().fold(1_u64, |seed, head| {
            seed.wrapping_mul(31)
                .wrapping_add(head.centre.0.to_bits() ^ head.centre.1.to_bits().rotate_left(7))
        })
    });
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut normal = move || {
        let radius = (-2.0 * (1.0 - chance.f64()).ln()).sqrt();
        let value = 2.0 * radius * (std::f64::consts::TAU * chance.f64()).cos();
        (value * 100.0).round() / 100.0
    };
    shown.edit(|heads| {
        for head in heads {
            head.centre = (normal(), normal());
        }
    });
}

/// Pulling at a centre moves the head, pulling at its ring makes it wider or narrower.
fn pull_heads(shown: Demonstration, plot: Memo<Arc<GaussianHeads>>) -> Pull {
    let hand = Hand::from_context();
    let pulled: StoredValue<Option<HeadHandle>> = StoredValue::new(None);
    Pull {
        start: Box::new(move |width, x, y| {
            let handle = plot.with_untracked(|plot| plot.grasp(width, x, y));
            pulled.set_value(handle);
            if let Some(HeadHandle::Centre(at) | HeadHandle::Ring(at)) = handle {
                hand.take();
                shown.choose(|chosen| chosen.head = at);
            }
            handle.is_some()
        }),
        moved: Box::new(move |width, x, y| {
            let offset = plot.with_untracked(|plot| plot.offset_at(width, x, y));
            match pulled.get_value() {
                Some(HeadHandle::Centre(at)) => shown.edit_head(at, |head| {
                    head.centre = (settled(offset.0), settled(offset.1));
                }),
                Some(HeadHandle::Ring(at)) => shown.edit_head(at, |head| widen(head, offset)),
                None => {}
            }
        }),
        end: Box::new(move || hand.let_go()),
    }
}

/// A coordinate that was pulled to: on a pixel where it is near one, in hundredths elsewhere.
fn settled(value: f64) -> f64 {
    let near = value.round();
    let value = if (value - near).abs() < 0.12 {
        near
    } else {
        (value * 100.0).round() / 100.0
    };
    value.clamp(*HEAD_CENTRES.start(), *HEAD_CENTRES.end())
}

/// Makes half of a head's attention lie inside the ring through an offset.
fn widen(head: &mut QuadraticHead, offset: (f64, f64)) {
    // On the ring the score is −ln 2.
    let ratio = -head.score(offset) / std::f64::consts::LN_2;
    let three_digits = |value: f64| {
        let unit = 10_f64.powf(value.log10().floor() - 2.0);
        (value / unit).round() * unit
    };
    match &mut head.width {
        // A head that looks everywhere alike has no ring to pull.
        Width::Round(alpha) if *alpha > 0.0 && ratio > 0.0 => {
            *alpha = three_digits(*alpha / ratio).clamp(SLIDER_ALPHAS.0, SLIDER_ALPHAS.1);
        }
        Width::Oval(covariance) if ratio > 0.0 => {
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
        Width::Round(_) | Width::Oval(_) => {}
    }
}

/// A number of the open head.
#[derive(Debug, Clone, Copy)]
struct HeadNumber {
    name: &'static str,
    label: &'static str,
    get: fn(&QuadraticHead) -> f64,
    put: fn(&mut QuadraticHead, f64),
    allowed: NumberRange,
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
            put: |head, value| head.centre.0 = value,
            allowed,
            scale: CENTRE_SCALE,
        },
        HeadNumber {
            name: "Δx",
            label: "Δx of the head",
            get: |head| head.centre.1,
            put: |head, value| head.centre.1 = value,
            allowed,
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
            put: |head, value| head.width = Width::Round(value),
            allowed: NumberRange::all(ALPHAS),
            scale: alpha_scale(),
        }];
    }
    let deviations = SliderScale::powers_of(10.0, -1.0, 2.0, 0.01);
    vec![
        HeadNumber {
            name: "σy",
            label: "standard deviation along y",
            get: |head| head.covariance().deviations().0,
            put: |head, value| {
                let (_, x, r) = head.covariance().deviations();
                head.width = Width::Oval(Covariance::of_deviations(value, x, r));
            },
            allowed: NumberRange::all(DEVIATIONS),
            scale: deviations,
        },
        HeadNumber {
            name: "σx",
            label: "standard deviation along x",
            get: |head| head.covariance().deviations().1,
            put: |head, value| {
                let (y, _, r) = head.covariance().deviations();
                head.width = Width::Oval(Covariance::of_deviations(y, value, r));
            },
            allowed: NumberRange::all(DEVIATIONS),
            scale: deviations,
        },
        HeadNumber {
            name: "ρ",
            label: "correlation of y and x",
            get: |head| head.covariance().deviations().2,
            put: |head, value| {
                let (y, x, _) = head.covariance().deviations();
                head.width = Width::Oval(Covariance::of_deviations(y, x, value));
            },
            allowed: NumberRange::all(CORRELATIONS),
            scale: SliderScale::linear(-0.99, 0.99, 0.01),
        },
    ]
}

/// The numbers of the open head.
#[component]
fn OpenHead() -> impl IntoView {
    let shown = Demonstration::from_context();
    let open = Memo::new(move |_| shown.open());
    let count = Memo::new(move |_| shown.heads.with(Vec::len));
    let head = Memo::new(move |_| shown.heads.with(|heads| heads.get(open.get()).copied()));
    let is_oval = Memo::new(move |_| {
        head.get()
            .is_some_and(|head| matches!(head.width, Width::Oval(_)))
    });
    let shape = move |oval: bool| {
        shown.edit_head(open.get_untracked(), |head| {
            head.width = if oval {
                let Covariance { yy, xx, .. } = head.covariance();
                // A head that looks everywhere alike has no covariance to begin with.
                let side =
                    |square: f64| square.sqrt().clamp(*DEVIATIONS.start(), *DEVIATIONS.end());
                Width::Oval(Covariance::of_deviations(side(yy), side(xx), 0.0))
            } else {
                Width::Round(head.alpha())
            };
        });
    };
    let number = move |number: HeadNumber| {
        let value = Memo::new(move |_| head.get().map_or(0.0, |head| (number.get)(&head)));
        let set = move |value: f64| {
            shown.edit_head(open.get_untracked(), |head| (number.put)(head, value));
        };
        view! {
            <NumberSlider
                name=number.name
                label=number.label
                value
                scale=Signal::stored(number.scale)
                allowed=number.allowed
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
                set=move |at| shown.choose(|chosen| chosen.head = at)
            />
        }
    };
    let add = move |()| {
        let alpha = shown.part(|chosen| chosen.alpha).get_untracked();
        shown.edit(|heads| heads.push(QuadraticHead::round((0.0, 0.0), alpha)));
        let last = shown.heads.with_untracked(Vec::len).saturating_sub(1);
        shown.choose(|chosen| chosen.head = last);
    };
    let remove = move |()| {
        let at = open.get_untracked();
        shown.edit(|heads| {
            if heads.len() > 1 {
                heads.remove(at);
            }
        });
    };
    view! {
        <section class="open-head" aria-label="One head">
            <div class="controls">
                {select}
                <Segmented
                    label="Shape"
                    options=options([(false, "round"), (true, "oval")])
                    value=is_oval
                    set=shape
                />
                <ActionButton
                    text="Add a head"
                    idle=Signal::derive(move || count.get() >= crate::analysis::MOST_HEADS)
                    press=add
                />
                <ActionButton
                    text="Remove it"
                    label="Remove the open head".to_owned()
                    idle=Signal::derive(move || count.get() <= 1)
                    press=remove
                />
            </div>
            {centre_numbers().map(number).into_iter().collect_view()}
            {move || width_numbers(is_oval.get()).into_iter().map(number).collect_view()}
        </section>
    }
}
