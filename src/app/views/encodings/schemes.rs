//! The schemes one by one: which are drawn, and the numbers each is made from.

use super::{
    super::cells_control,
    chosen::{Chosen, Parameter},
};
use crate::{
    analysis::{SCHEMES, Scheme, SchemeId, Untrained},
    app::{
        controls::Options,
        dynamic::{click, flag, list, yes_no},
    },
    encoding::{Buckets, RelativeRows, Scaling},
    figure::{Ink, scheme_ink},
    link::{
        BASES,
        encodings::{
            BUCKETS, EVEN_WIDTHS, EncodingsChoice, FACTORS, HEADS, PROFILE_LENGTHS, REACHES,
        },
    },
};
use leptos::prelude::*;
use std::ops::RangeInclusive;

/// Seeds that a link and a field can both write.
const SEEDS: RangeInclusive<f64> = 0.0..=999_999.0;

const fn numbers(range: &RangeInclusive<usize>) -> RangeInclusive<f64> {
    *range.start() as f64..=*range.end() as f64
}

/// The nearest even number.
pub(super) fn even(value: f64) -> usize {
    2 * ((value / 2.0).round().max(1.0) as usize)
}

/// A number that has a field alone.
const fn field(
    name: &'static str,
    label: &'static str,
    exact: RangeInclusive<f64>,
    get: fn(&EncodingsChoice) -> f64,
    set: fn(&mut EncodingsChoice, f64),
) -> Parameter {
    Parameter {
        name,
        label,
        get,
        set,
        slider: (0.0, 1.0, 1.0),
        exact,
        powers: None,
    }
}

static LENGTH: Parameter = Parameter {
    name: "length n",
    label: "length n",
    get: |chosen| chosen.parameters.n as f64,
    set: |chosen, n| chosen.parameters.n = n.round() as usize,
    slider: (3.0, 14.0, 0.0625),
    exact: numbers(&PROFILE_LENGTHS),
    powers: Some(2.0),
};

static SINUSOID: [Parameter; 2] = [
    field(
        "width d",
        "sinusoid’s width d",
        numbers(&EVEN_WIDTHS),
        |chosen| chosen.parameters.sinusoid.width as f64,
        |chosen, width| chosen.parameters.sinusoid.width = even(width),
    ),
    field(
        "base",
        "sinusoid’s base",
        BASES,
        |chosen| chosen.parameters.sinusoid.base,
        |chosen, base| chosen.parameters.sinusoid.base = base,
    ),
];

static ALIBI: [Parameter; 2] = [
    field(
        "head",
        "ALiBi’s head",
        numbers(&HEADS),
        |chosen| chosen.parameters.alibi.head as f64 + 1.0,
        |chosen, head| {
            let alibi = &mut chosen.parameters.alibi;
            alibi.head = (head.round() as usize).clamp(1, alibi.heads) - 1;
        },
    ),
    field(
        "of heads",
        "ALiBi’s number of heads",
        numbers(&HEADS),
        |chosen| chosen.parameters.alibi.heads as f64,
        |chosen, heads| {
            let alibi = &mut chosen.parameters.alibi;
            alibi.heads = heads.round() as usize;
            alibi.head = alibi.head.min(alibi.heads - 1);
        },
    ),
];

/// Other buckets, if the logarithm can divide them.
fn set_buckets(chosen: &mut EncodingsChoice, change: impl FnOnce(Buckets) -> (usize, usize, bool)) {
    let (count, farthest, both) = change(chosen.parameters.buckets);
    // Half the buckets hold one distance each, so that the farthest lies beyond them.
    let (count, farthest) = (count.max(4), farthest.max(count.max(4)));
    if let Some(buckets) = Buckets::new(count, farthest, both) {
        chosen.parameters.buckets = buckets;
    }
}

static T5: [Parameter; 2] = [
    field(
        "buckets",
        "T5’s buckets",
        numbers(&BUCKETS),
        |chosen| chosen.parameters.buckets.count() as f64,
        |chosen, count| {
            set_buckets(chosen, |b| {
                (even(count), b.max_distance(), b.is_bidirectional())
            });
        },
    ),
    field(
        "up to distance",
        "T5’s greatest distance",
        numbers(&BUCKETS),
        |chosen| chosen.parameters.buckets.max_distance() as f64,
        |chosen, farthest| {
            set_buckets(chosen, |b| {
                (b.count(), farthest.round() as usize, b.is_bidirectional())
            });
        },
    ),
];

static SHAW: [Parameter; 1] = [field(
    "reach K",
    "Shaw’s reach K",
    numbers(&REACHES),
    |chosen| chosen.parameters.shaw.reach as f64,
    |chosen, reach| chosen.parameters.shaw.reach = reach.round() as usize,
)];

static ROTARY: [Parameter; 2] = [
    field(
        "width of a head",
        "rotary width",
        numbers(&EVEN_WIDTHS),
        |chosen| chosen.parameters.rotary.width as f64,
        |chosen, width| chosen.parameters.rotary.width = even(width),
    ),
    field(
        "base",
        "rotary base",
        BASES,
        |chosen| chosen.parameters.rotary.base,
        |chosen, base| chosen.parameters.rotary.base = base,
    ),
];

static FACTOR: Parameter = field(
    "longer by",
    "rotary scaling factor",
    FACTORS,
    |chosen| factor(chosen.parameters.scaling),
    |chosen, factor| {
        chosen.parameters.scaling = match chosen.parameters.scaling {
            Scaling::Linear(_) => Scaling::Linear(factor),
            Scaling::None | Scaling::Ntk(_) => Scaling::Ntk(factor),
        };
    },
);

/// Texts this many times as long, once a scaling is chosen.
const USUAL_FACTOR: f64 = 8.0;

fn factor(scaling: Scaling) -> f64 {
    match scaling {
        Scaling::None => 1.0,
        Scaling::Linear(factor) | Scaling::Ntk(factor) => factor,
    }
}

/// Other rows, if the logarithm can divide them.
fn set_rows(chosen: &mut EncodingsChoice, change: impl FnOnce(RelativeRows) -> (usize, usize)) {
    let (buckets, farthest) = change(chosen.parameters.rows);
    let farthest = farthest.max(buckets.max(3));
    if let Some(rows) = RelativeRows::new(farthest, Some(buckets)) {
        chosen.parameters.rows = rows;
    }
}

static DEBERTA: [Parameter; 2] = [
    field(
        "buckets a direction",
        "DeBERTa’s buckets",
        numbers(&BUCKETS),
        |chosen| chosen.parameters.rows.span() as f64,
        |chosen, buckets| set_rows(chosen, |rows| (even(buckets), rows.max_distance())),
    ),
    field(
        "up to distance",
        "DeBERTa’s greatest distance",
        numbers(&BUCKETS),
        |chosen| chosen.parameters.rows.max_distance() as f64,
        |chosen, farthest| set_rows(chosen, |rows| (rows.span(), farthest.round() as usize)),
    ),
];

static SEED: Parameter = field(
    "seed",
    "seed of untrained numbers",
    SEEDS,
    |chosen| chosen.parameters.seed as f64,
    |chosen, seed| chosen.parameters.seed = seed.round() as u64,
);

/// The numbers a scheme is made from.
fn parameters(which: SchemeId) -> &'static [Parameter] {
    match which {
        SchemeId::Sinusoidal | SchemeId::TransformerXl => &SINUSOID,
        SchemeId::Learned | SchemeId::Head | SchemeId::Tisa => &[],
        SchemeId::Alibi => &ALIBI,
        SchemeId::T5 => &T5,
        SchemeId::Shaw => &SHAW,
        SchemeId::Rotary => &ROTARY,
        SchemeId::Deberta => &DEBERTA,
    }
}

/// Every scheme, with what it is made from.
pub(super) fn scheme_controls(chosen: Chosen) -> AnyView {
    let rows = SCHEMES.iter().map(|scheme| scheme_row(chosen, scheme));
    let untrained = Options::new(
        [
            (Untrained::Steps, "their row’s number"),
            (Untrained::Noise, "noise"),
        ],
        move || chosen.get().parameters.untrained,
        move |untrained| chosen.edit(|now| now.parameters.untrained = untrained),
    );
    view! {
        <section class="schemes" aria-label="Schemes">
            <h2>"Schemes"</h2>
            <p class="caption">"Press a name to draw it or leave it out; unfold it to see what it is and to change it."</p>
            <ul>{list(rows)}</ul>
            {chosen.slider(&LENGTH)}
            <div class="controls">{cells_control()}</div>
            <p class="hint">"Tables that nobody has trained hold"</p>
            <div class="untrained">{untrained.segmented("Untrained tables hold")} {chosen.field(&SEED)}</div>
        </section>
    }
    .into_any()
}

fn scheme_row(chosen: Chosen, scheme: &'static Scheme) -> AnyView {
    let which = scheme.which;
    let shown = yes_no(move || chosen.get().shown.contains(&which));
    let toggle = click(move || {
        chosen.edit(|now| {
            let drawn =
                |scheme: &&Scheme| now.shown.contains(&scheme.which) != (scheme.which == which);
            now.shown = SCHEMES
                .iter()
                .filter(drawn)
                .map(|scheme| scheme.which)
                .collect();
        });
    });
    let open = RwSignal::new(false);
    let unfold = click(move || open.update(|open| *open = !*open));
    let (unfolded, folded) = (yes_no(move || open.get()), flag(move || !open.get()));
    let class = match scheme_ink(which) {
        Ink::Category(at) => format!("scheme category-{at}"),
        Ink::Muted => "scheme of-head".to_owned(),
        _ => "scheme".to_owned(),
    };
    let id = format!("scheme-{}", scheme.id);
    let (controls, label) = (id.clone(), format!("About {}", scheme.title));
    view! {
        <li class=class>
            <header>
                <button type="button" class="name" aria-pressed=shown data-scheme=scheme.id on:click=toggle>
                    <span class="swatch" aria-hidden="true"></span>
                    {scheme.title}
                </button>
                <button type="button" class="unfold" aria-expanded=unfolded aria-controls=controls aria-label=label on:click=unfold>
                    <span aria-hidden="true">"▸"</span>
                </button>
            </header>
            <div id=id hidden=folded>
                <p class="hint">{scheme.about}</p>
                {list(parameters(which).iter().map(|parameter| chosen.field(parameter)))}
                {more(chosen, which)}
            </div>
        </li>
    }
    .into_any()
}

/// What is chosen by words.
fn more(chosen: Chosen, which: SchemeId) -> AnyView {
    match which {
        SchemeId::T5 => Options::new(
            [(true, "both directions"), (false, "back")],
            move || chosen.get().parameters.buckets.is_bidirectional(),
            move |both| {
                chosen.edit(|now| set_buckets(now, |b| (b.count(), b.max_distance(), both)));
            },
        )
        .segmented("T5’s directions"),
        SchemeId::Rotary => {
            let scaling = Options::new(
                [(0_u8, "as trained"), (1, "linear"), (2, "NTK")],
                move || match chosen.get().parameters.scaling {
                    Scaling::None => 0,
                    Scaling::Linear(_) => 1,
                    Scaling::Ntk(_) => 2,
                },
                move |kind| {
                    chosen.edit(|now| {
                        let before = factor(now.parameters.scaling);
                        let factor = if before > 1.0 { before } else { USUAL_FACTOR };
                        now.parameters.scaling = match kind {
                            0 => Scaling::None,
                            1 => Scaling::Linear(factor),
                            _ => Scaling::Ntk(factor),
                        };
                    });
                },
            );
            let none = flag(move || chosen.get().parameters.scaling == Scaling::None);
            view! {
                {scaling.segmented("Rotary scaling")}
                <div hidden=none>{chosen.field(&FACTOR)}</div>
            }
            .into_any()
        }
        _ => ().into_any(),
    }
}
