//! The parameters of each encoding.

use super::parameter::{Parameter, even};
use crate::{
    analysis::SchemeId,
    url_state::{
        BASES, NumberRange, SliderScale,
        encodings::{
            BUCKETS, EVEN_WIDTHS, EncodingsChoice, FACTORS, FIRE_ROWS, HEADS, POSITIVE,
            PROFILE_LENGTHS, REACHES, THRESHOLDS, TRAINED_LENGTHS,
        },
    },
};

/// Allowed seeds: short enough for the link and the field.
const SEEDS: NumberRange = NumberRange::whole(0.0, 999_999.0);

/// Number of positions n, common to all encodings.
pub(super) static LENGTH: Parameter = parameter(
    "length n",
    "length n",
    NumberRange::from_counts(&PROFILE_LENGTHS),
    |chosen| chosen.parameters.n as f64,
    |chosen, n| chosen.parameters.n = n.round() as usize,
);

/// Slider for n: powers of two.
pub(super) const LENGTHS: SliderScale = SliderScale::powers_of(2.0, 3.0, 14.0, 0.0625);

/// Seed of the noise in untrained tables.
pub(super) static SEED: Parameter = parameter(
    "seed",
    "seed of untrained numbers",
    SEEDS,
    |chosen| chosen.parameters.seed as f64,
    |chosen, seed| chosen.parameters.seed = seed.round() as u64,
);

/// Scaling factor of rotary angles.
pub(super) static FACTOR: Parameter = parameter(
    "longer by",
    "rotary scaling factor",
    NumberRange::all(FACTORS),
    |chosen| chosen.parameters.extension.factor().unwrap_or(1.0),
    |chosen, factor| chosen.parameters.set_extension_factor(factor),
);

/// Number of tokens that a rotary model was trained with.
pub(super) static TRAINED_LENGTH: Parameter = parameter(
    "trained on",
    "rotary trained length",
    NumberRange::from_counts(&TRAINED_LENGTHS),
    |chosen| {
        let length = chosen.parameters.extension.trained_length();
        length.unwrap_or(*TRAINED_LENGTHS.start() as f64)
    },
    |chosen, length| chosen.parameters.set_trained_length(length.round()),
);

/// Width of the sinusoidal table.
pub(super) const SINUSOID_WIDTH: Parameter = parameter(
    "width d",
    "sinusoid’s width d",
    NumberRange::from_counts(&EVEN_WIDTHS),
    |chosen| chosen.parameters.sinusoid.width as f64,
    |chosen, width| chosen.parameters.sinusoid.width = even(width),
);

/// Base of the sinusoidal frequencies.
pub(super) const SINUSOID_BASE: Parameter = parameter(
    "base",
    "sinusoid’s base",
    NumberRange::all(BASES),
    |chosen| chosen.parameters.sinusoid.base,
    |chosen, base| chosen.parameters.sinusoid.base = base,
);

static SINUSOID: [Parameter; 2] = [SINUSOID_WIDTH, SINUSOID_BASE];

static ALIBI: [Parameter; 2] = [
    parameter(
        "head",
        "ALiBi’s head",
        NumberRange::from_counts(&HEADS),
        |chosen| chosen.parameters.alibi.head as f64 + 1.0,
        |chosen, head| chosen.parameters.set_alibi_head(head.round() as usize),
    ),
    parameter(
        "of heads",
        "ALiBi’s number of heads",
        NumberRange::from_counts(&HEADS),
        |chosen| chosen.parameters.alibi.heads as f64,
        |chosen, heads| chosen.parameters.set_alibi_heads(heads.round() as usize),
    ),
];

static T5: [Parameter; 2] = [
    parameter(
        "buckets",
        "T5’s buckets",
        NumberRange::from_counts(&BUCKETS),
        |chosen| chosen.parameters.buckets.count() as f64,
        |chosen, count| {
            let b = chosen.parameters.buckets;
            let (farthest, both) = (b.max_distance(), b.is_bidirectional());
            chosen.parameters.set_buckets(even(count), farthest, both);
        },
    ),
    parameter(
        "up to distance",
        "T5’s greatest distance",
        NumberRange::from_counts(&BUCKETS),
        |chosen| chosen.parameters.buckets.max_distance() as f64,
        |chosen, farthest| {
            let b = chosen.parameters.buckets;
            let (count, both) = (b.count(), b.is_bidirectional());
            let farthest = farthest.round() as usize;
            chosen.parameters.set_buckets(count, farthest, both);
        },
    ),
];

static SHAW: [Parameter; 1] = [parameter(
    "reach K",
    "Shaw’s reach K",
    NumberRange::from_counts(&REACHES),
    |chosen| chosen.parameters.shaw.reach as f64,
    |chosen, reach| chosen.parameters.shaw.reach = reach.round() as usize,
)];

static ROTARY: [Parameter; 2] = [
    parameter(
        "width of a head",
        "rotary width",
        NumberRange::from_counts(&EVEN_WIDTHS),
        |chosen| chosen.parameters.rotary.width as f64,
        |chosen, width| chosen.parameters.rotary.width = even(width),
    ),
    parameter(
        "base",
        "rotary base",
        NumberRange::all(BASES),
        |chosen| chosen.parameters.rotary.base,
        |chosen, base| chosen.parameters.rotary.base = base,
    ),
];

static PARTIAL_ROTARY: [Parameter; 1] = [parameter(
    "rotated columns",
    "rotated columns of a head",
    NumberRange::from_counts(&EVEN_WIDTHS),
    |chosen| chosen.parameters.rotary_columns as f64,
    |chosen, columns| chosen.parameters.rotary_columns = even(columns),
)];

static KERPLE: [Parameter; 2] = [
    parameter(
        "r₁",
        "KERPLE’s r₁",
        NumberRange::all(POSITIVE),
        |chosen| chosen.parameters.kerple.r1,
        |chosen, r1| chosen.parameters.kerple.r1 = r1,
    ),
    parameter(
        "r₂",
        "KERPLE’s r₂",
        NumberRange::all(POSITIVE),
        |chosen| chosen.parameters.kerple.r2,
        |chosen, r2| chosen.parameters.set_kerple_r2(r2),
    ),
];

static FIRE: [Parameter; 3] = [
    parameter(
        "c",
        "FIRE’s c",
        NumberRange::all(POSITIVE),
        |chosen| chosen.parameters.fire.c,
        |chosen, c| chosen.parameters.fire.c = c,
    ),
    parameter(
        "threshold L",
        "FIRE’s threshold L",
        NumberRange::all(THRESHOLDS),
        |chosen| chosen.parameters.fire.threshold,
        |chosen, threshold| chosen.parameters.fire.threshold = threshold,
    ),
    parameter(
        "query i",
        "FIRE’s query i",
        NumberRange::from_counts(&FIRE_ROWS),
        |chosen| chosen.parameters.fire_row as f64,
        |chosen, row| chosen.parameters.fire_row = row.round() as usize,
    ),
];

static DEBERTA: [Parameter; 2] = [
    parameter(
        "buckets per direction",
        "DeBERTa’s buckets",
        NumberRange::from_counts(&BUCKETS),
        |chosen| chosen.parameters.rows.span() as f64,
        |chosen, span| {
            let farthest = chosen.parameters.rows.max_distance();
            chosen.parameters.set_rows(even(span), farthest);
        },
    ),
    parameter(
        "up to distance",
        "DeBERTa’s greatest distance",
        NumberRange::from_counts(&BUCKETS),
        |chosen| chosen.parameters.rows.max_distance() as f64,
        |chosen, farthest| {
            let span = chosen.parameters.rows.span();
            chosen.parameters.set_rows(span, farthest.round() as usize);
        },
    ),
];

const fn parameter(
    name: &'static str,
    label: &'static str,
    allowed: NumberRange,
    get: fn(&EncodingsChoice) -> f64,
    set: fn(&mut EncodingsChoice, f64),
) -> Parameter {
    Parameter {
        name,
        label,
        get,
        write: set,
        range: allowed,
    }
}

/// Returns the parameters of an encoding.
pub(super) fn parameters_of(which: SchemeId) -> &'static [Parameter] {
    match which {
        SchemeId::Sinusoidal | SchemeId::TransformerXl => &SINUSOID,
        SchemeId::Learned
        | SchemeId::Head
        | SchemeId::Tisa
        | SchemeId::NoPositions
        | SchemeId::Pope => &[],
        SchemeId::Alibi => &ALIBI,
        SchemeId::T5 => &T5,
        SchemeId::Shaw => &SHAW,
        SchemeId::Rotary => &ROTARY,
        SchemeId::Deberta => &DEBERTA,
        SchemeId::PartialRotary => &PARTIAL_ROTARY,
        SchemeId::Kerple => &KERPLE,
        SchemeId::Fire => &FIRE,
    }
}
