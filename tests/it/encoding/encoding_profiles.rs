//! Profiles of each encoding scheme, against reference implementations and the papers' numbers.

use crate::{
    math::laws::{config, kernels},
    support::asking::{FIRST, ask, with_bert, with_computed},
};
use diagonal::{
    analysis::{
        DiagonalCells, DiagonalsOf, EncodingParameters, EncodingProfile, FailureKind, Given,
        ModelVersion, Origin, PositionKind, ProfileSource, SCHEMES, SchemeId, Untrained, distances,
        distances_among, encoding_profile, encoding_profiles, largest_deviation, scheme_of,
    },
    encoding::{
        Alibi, Buckets, Kernel, Kernels, Random, RelativeRows, Rotary, Scaling, Shaw, Sinusoidal,
        TransformerXl, slopes,
    },
    figure::{Ink, scheme_ink},
    math::{Profile, wave_sums},
    model::FAMILIES,
};
use proptest::{collection::vec, prelude::*};
use std::{collections::BTreeSet, f64::consts::TAU};

fn scheme(which: SchemeId) -> &'static diagonal::analysis::Scheme {
    let found = SCHEMES.iter().find(|scheme| scheme.which == which);
    found.expect("every scheme is listed")
}

pub(crate) fn profile(which: SchemeId, parameters: &EncodingParameters) -> EncodingProfile {
    let kernels = Kernels(vec![Kernel::new(2.0, 0.1, -1.0)]);
    let given = Given {
        kernels: &kernels,
        open: Some((SchemeId::Learned, &Profile::new(vec![0.25, 1.0, 0.5]))),
        head: Some(&Profile::new(vec![-1.0, 0.0, 2.0])),
    };
    encoding_profile(scheme(which), parameters, &given).expect("it is there")
}

/// A profile from a function of the offset.
fn by_offset(n: usize, f: impl Fn(i64) -> f64) -> Vec<f64> {
    (1 - n as i64..n as i64).map(f).collect()
}

fn assert_near(fast: &[f64], slow: &[f64], room: f64) {
    assert_eq!(fast.len(), slow.len());
    for (at, (a, b)) in fast.iter().zip(slow).enumerate() {
        assert!((a - b).abs() <= room, "{a} and {b} at {at}");
    }
}

#[test]
fn alibi_slopes_are_the_papers() {
    // Section 3: 1/2 … 1/256 for 8 heads; for 16 heads also the geometric means between them.
    let eight: Vec<f64> = (1..=8).map(|h| 0.5_f64.powi(h)).collect();
    assert_eq!(slopes(8), eight);
    let sixteen = slopes(16);
    assert!((sixteen[0] - 0.5_f64.sqrt()).abs() < 1e-15 && sixteen[15] == 0.5_f64.powi(8));
    assert_eq!(slopes(1), [0.5_f64.powi(8)]);
    assert_eq!(slopes(0), [0.0; 0]);
    // The released code for 12 heads (GPT-2 small): the eight, then four of the sixteen.
    let four = [-0.5, -1.5, -2.5, -3.5].map(f64::exp2);
    assert_near(&slopes(12), &[&eight[..], &four].concat(), 1e-15);
    let profile = Alibi { heads: 8, head: 2 }.profile(4);
    assert_eq!(profile, [-0.375, -0.25, -0.125, 0.0, -0.125, -0.25, -0.375]);
}

/// The released code's recursion: start and ratio are 2^(−2^−(log₂H − 3)).
fn slopes_as_released(heads: usize) -> Vec<f64> {
    let log = (heads as f64).log2();
    if log.fract() == 0.0 {
        let start = 2_f64.powf(-2_f64.powf(-(log - 3.0)));
        return (0..heads as i32).map(|h| start * start.powi(h)).collect();
    }
    let closest = 2_usize.pow(log.floor() as u32);
    let mut all = slopes_as_released(closest);
    let next = slopes_as_released(2 * closest);
    all.extend(next.into_iter().step_by(2).take(heads - closest));
    all
}

#[test]
fn alibi_slopes_are_those_of_the_released_code() {
    for heads in 1..=128 {
        assert_near(&slopes(heads), &slopes_as_released(heads), 1e-12);
        for head in [0, heads / 2, heads - 1, heads + 7] {
            let slope = Alibi { heads, head }.slope();
            assert_eq!(slope, slopes(heads)[head.min(heads - 1)]);
        }
    }
}

#[test]
fn beyond_its_reach_shaw_is_constant() {
    for reach in [1, 4, 16, 128] {
        let shaw = Shaw { reach };
        let scores = shaw.untrained(64, 7);
        assert_eq!(scores.len(), 2 * reach + 1);
        // Independent random numbers: all are distinct.
        let distinct: BTreeSet<u64> = scores.iter().map(|v| v.to_bits()).collect();
        assert_eq!(distinct.len(), scores.len());
        let f = shaw.profile(&scores, 300);
        let at = |k: i64| f[(k + 299) as usize];
        for k in -299..=299_i64 {
            let clipped = k.max(-(reach as i64)).min(reach as i64);
            assert_eq!(at(k), scores[(clipped + reach as i64) as usize]);
        }
        assert!(at(-299) == at(-(reach as i64)) && at(299) == at(reach as i64));
        assert_ne!(at(299), at(-299));
    }
    // The variance of a product of normal vectors over √d is one.
    let scores = Shaw { reach: 128 }.untrained(64, 3);
    let square = scores.iter().map(|v| v * v).sum::<f64>() / scores.len() as f64;
    assert!((0.5..2.0).contains(&square), "{square}");
}

/// R_{i−j}·w, row by row.
fn transformer_xl_slowly(form: &TransformerXl) -> Vec<f64> {
    let Sinusoidal { rows, width, base } = form.sinusoid;
    let weights = form.weights();
    by_offset(rows, |k| {
        (0..width)
            .map(|column| {
                let frequency = base.powf(-((column / 2 * 2) as f64) / width as f64);
                let angle = -k as f64 * frequency;
                weights[column]
                    * if column % 2 == 0 {
                        angle.sin()
                    } else {
                        angle.cos()
                    }
            })
            .sum()
    })
}

#[test]
fn t5_steps_widen() {
    let parameters = EncodingParameters::default();
    let f = profile(SchemeId::T5, &parameters);
    let behind: Vec<f64> = (0..512).map(|d| f.at(-d).expect("inside")).collect();
    let mut widths = Vec::new();
    for step in behind.chunk_by(|a, b| a == b) {
        widths.push(step.len());
    }
    // Section 2.1 with 32 buckets, 16 per direction: eight single distances, then ever wider buckets.
    assert_eq!(widths[..8], [1; 8]);
    assert_eq!(widths.len(), 16);
    assert!(widths.is_sorted(), "{widths:?}");
    assert_eq!(behind[511], -15.0);
    // Symmetric in both directions.
    assert!((1..512).all(|k| f.at(k) == f.at(-k)));
    let back = EncodingParameters {
        buckets: Buckets::new(32, 128, false).expect("buckets"),
        ..parameters
    };
    let f = profile(SchemeId::T5, &back);
    assert!((1..512).all(|k| f.at(k) == f.at(0)) && f.at(-511) == Some(-31.0));
}

#[test]
fn deberta_clips_and_widens() {
    let rows = RelativeRows::new(512, Some(256)).expect("rows");
    assert_eq!(rows, RelativeRows::default());
    let parameters = EncodingParameters {
        n: 2048,
        ..EncodingParameters::default()
    };
    let f = profile(SchemeId::Deberta, &parameters);
    for k in -2047..2048_i64 {
        let row = rows.c2p_row(k) as f64;
        assert_eq!(f.at(k), Some(-(row - 256.0).abs()), "{k}");
    }
    // Half of the buckets hold one distance each; the last one holds all further distances.
    assert_eq!((f.at(-128), f.at(128)), (Some(-128.0), Some(-128.0)));
    assert_eq!(f.at(-700), f.at(-2047));
}

#[test]
fn noise_is_the_same_wherever_rows_are() {
    for which in [SchemeId::T5, SchemeId::Shaw, SchemeId::Deberta] {
        let steps = EncodingParameters::default();
        let noise = EncodingParameters {
            untrained: Untrained::Noise,
            ..steps
        };
        let other = EncodingParameters { seed: 2, ..noise };
        let [ruler, a, b] = [steps, noise, other].map(|p| profile(which, &p));
        assert_eq!(ruler.source, ProfileSource::Untrained);
        assert_ne!(a.f, b.f);
        // Distances in the same bucket share the random number.
        for k in -511..511 {
            if ruler.at(k) == ruler.at(k + 1) && k.signum() == (k + 1).signum() {
                assert_eq!(a.at(k), a.at(k + 1), "{which:?} at {k}");
            }
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn waves_sum_as_their_cosines_do(
        waves in vec((0.0..3.2_f64, -2.0..2.0_f64), 0..20),
        n in 0..700_usize,
    ) {
        let (frequencies, amplitudes): (Vec<f64>, Vec<f64>) = waves.iter().copied().unzip();
        let sums = wave_sums(&frequencies, &amplitudes, n);
        prop_assert_eq!(sums.len(), n);
        for (k, (re, im)) in sums.into_iter().enumerate() {
            let slow = |part: fn(f64) -> f64| -> f64 {
                waves.iter().map(|(w, a)| a * part(k as f64 * w)).sum()
            };
            prop_assert!((re - slow(f64::cos)).abs() < 1e-11 && (im - slow(f64::sin)).abs() < 1e-11);
        }
    }

    #[test]
    fn a_sinusoid_by_turns_is_its_closed_form(
        rows in 1..300_usize,
        pairs in 1..40_usize,
        base in 1.001..1e6_f64,
    ) {
        let table = Sinusoidal { rows, width: 2 * pairs, base };
        let closed = table.inner_products(false).expect("an even width");
        assert_near(&table.profile(), closed.profile(), 1e-11 * pairs as f64);
        assert_near(&table.profile(), &by_offset(rows, |k| table.inner_product(k)), 1e-11 * pairs as f64);
    }

    #[test]
    fn transformer_xl_is_its_rows_met_by_a_vector(
        rows in 1..90_usize,
        pairs in 1..20_usize,
        seed: u64,
    ) {
        let sinusoid = Sinusoidal { rows, width: 2 * pairs, base: 10_000.0 };
        let form = TransformerXl { sinusoid, seed };
        prop_assert_eq!(form.weights().len(), 2 * pairs);
        assert_near(&form.profile(), &transformer_xl_slowly(&form), 1e-11 * pairs as f64);
    }

    #[test]
    fn rotary_scaling_keeps_its_promises(
        pairs in 2..80_usize,
        base in 10.0..1e6_f64,
        factor in 1.0..64.0_f64,
    ) {
        let rotary = Rotary { rows: 200, width: 2 * pairs, base };
        let plain = rotary.scaled_frequencies(Scaling::None);
        // Position interpolation: the score at k is the trained one at k/s.
        let linear = rotary.scaled_frequencies(Scaling::Linear(factor));
        let ntk = rotary.scaled_frequencies(Scaling::Ntk(factor));
        for (m, w) in plain.iter().enumerate() {
            prop_assert!((linear[m] * factor - w).abs() <= 1e-12 * w);
            let stretch = w / ntk[m];
            prop_assert!((1.0 - 1e-12..=factor * (1.0 + 1e-12)).contains(&stretch));
            // Powers of s in between.
            let expected = factor.powf(m as f64 / (pairs as f64 - 1.0));
            prop_assert!((stretch - expected).abs() < 1e-9 * expected, "{stretch} {expected}");
        }
        prop_assert_eq!(ntk[0], plain[0]);
        let last = pairs - 1;
        prop_assert!((plain[last] / ntk[last] - factor).abs() < 1e-9 * factor);
        for scaling in [Scaling::None, Scaling::Linear(factor), Scaling::Ntk(factor)] {
            let frequencies = rotary.scaled_frequencies(scaling);
            let made = rotary.profile(scaling);
            let share = 1.0 / pairs as f64;
            let slow = by_offset(200, |k| {
                share * frequencies.iter().map(|w| (k as f64 * w).cos()).sum::<f64>()
            });
            assert_near(&made.mean, &slow, 1e-11);
            // The envelope is the greatest mean over a common phase.
            for (at, envelope) in made.envelope.iter().enumerate() {
                let k = at as f64 - 199.0;
                let shifted = |phase: f64| -> f64 {
                    share * frequencies.iter().map(|w| (k * w + phase).cos()).sum::<f64>()
                };
                let most = (0..24).map(|p| shifted(TAU * f64::from(p) / 24.0)).fold(f64::MIN, f64::max);
                prop_assert!(*envelope >= most - 1e-11 && *envelope >= made.mean[at].abs() - 1e-11);
                // 24 phases reach at least cos(π/24) of the greatest.
                prop_assert!(most >= envelope * (TAU / 48.0).cos() - 1e-11);
            }
            prop_assert!((made.envelope[199] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_made_comparable_passes_through_zero_and_spans_one(
        values in vec(-1e3..1e3_f64, 3..80),
        reach in 1..200_i64,
    ) {
        let values = if values.len() % 2 == 0 { values[1..].to_vec() } else { values };
        let n = values.len().div_ceil(2) as i64;
        let profile = EncodingProfile {
            scheme: &SCHEMES[0],
            f: Profile::new(values),
            envelope: None,
            source: ProfileSource::Formula,
        };
        let scaled = profile.scaled(-reach..=reach);
        let shown: Vec<f64> = (-reach..=reach).filter_map(|k| profile.at(k)).map(|v| scaled.of(v)).collect();
        prop_assert_eq!(shown.len() as i64, 2 * reach.min(n - 1) + 1);
        prop_assert_eq!(scaled.of(profile.at(0).expect("the middle")), 0.0);
        let span = shown.iter().fold(f64::MIN, |a, b| a.max(*b)) - shown.iter().fold(f64::MAX, |a, b| a.min(*b));
        prop_assert!((span - 1.0).abs() < 1e-9 || span == 0.0, "{span}");
    }
}

#[test]
fn a_single_pair_is_turned_by_one_whatever_the_base() {
    let rotary = Rotary {
        rows: 8,
        width: 2,
        base: 10_000.0,
    };
    assert_eq!(rotary.scaled_frequencies(Scaling::Ntk(8.0)), [1.0]);
    assert_eq!(rotary.scaled_frequencies(Scaling::Linear(8.0)), [0.125]);
}

#[test]
fn every_scheme_is_finite_at_every_length() {
    for n in [8, 9, 512, 16_384] {
        for untrained in [Untrained::Steps, Untrained::Noise] {
            let parameters = EncodingParameters {
                n,
                untrained,
                scaling: Scaling::Ntk(8.0),
                ..EncodingParameters::default()
            };
            for scheme in SCHEMES {
                let made = profile(scheme.which, &parameters);
                assert_eq!(made.f.len(), 2 * n - 1, "{}", scheme.id);
                let of_three = matches!(scheme.which, SchemeId::Learned | SchemeId::Head);
                for k in 1 - n as i64..n as i64 {
                    let is_defined = !of_three || k.abs() <= 1;
                    assert_eq!(made.at(k).is_some(), is_defined, "{} at {k}", scheme.id);
                }
                assert_eq!(made.source == ProfileSource::Open, of_three);
                assert_eq!(made.envelope.is_some(), scheme.which == SchemeId::Rotary);
                assert_eq!((made.at(n as i64), made.at(-(n as i64))), (None, None));
            }
        }
    }
}

#[test]
fn what_is_open_goes_to_its_scheme() {
    let kernels = Kernels::default();
    let of = |which, f| Given {
        kernels: &kernels,
        open: Some((which, f)),
        head: None,
    };
    let parameters = EncodingParameters {
        n: 8,
        ..EncodingParameters::default()
    };
    // A longer profile is cut, a shorter one leaves gaps.
    let long = Profile::from_fn(20, |_| 0.0);
    let made = encoding_profiles(
        SCHEMES.iter().map(|s| s.which),
        &parameters,
        &of(SchemeId::T5, &long),
    );
    let t5 = made.iter().find(|made| made.scheme.which == SchemeId::T5);
    let t5 = t5.expect("it is there");
    assert_eq!((t5.source, t5.f.len()), (ProfileSource::Open, 15));
    let absent = [SchemeId::Learned, SchemeId::Head];
    assert_eq!(made.len(), SCHEMES.len() - absent.len());
    assert!(made.iter().all(|made| !absent.contains(&made.scheme.which)));
    let learned = encoding_profile(
        scheme(SchemeId::Learned),
        &parameters,
        &of(SchemeId::Learned, &Profile::new(vec![1.0, 2.0, 3.0])),
    );
    let learned = learned.expect("it is there");
    assert_eq!(
        [-2, -1, 0, 1, 2].map(|k| learned.at(k)),
        [None, Some(1.0), Some(2.0), Some(3.0), None]
    );

    let names: BTreeSet<&str> = FAMILIES.iter().map(|family| family.name()).collect();
    for (family, which) in [
        ("T5", SchemeId::T5),
        ("MPNet", SchemeId::T5),
        ("DeBERTa", SchemeId::Deberta),
        ("BERT", SchemeId::Learned),
    ] {
        assert!(names.contains(family), "{family}");
        assert_eq!(scheme_of(family, PositionKind::Line), which);
        // A learned table is shown as learned, for every family.
        assert_eq!(scheme_of(family, PositionKind::Table), SchemeId::Learned);
    }
}

#[test]
fn schemes_have_names_and_colours_of_their_own() {
    let ids: BTreeSet<&str> = SCHEMES.iter().map(|scheme| scheme.id).collect();
    let titles: BTreeSet<&str> = SCHEMES.iter().map(|scheme| scheme.title).collect();
    assert_eq!((ids.len(), titles.len()), (SCHEMES.len(), SCHEMES.len()));
    let inks: BTreeSet<String> = SCHEMES
        .iter()
        .map(|s| format!("{:?}", scheme_ink(s.which)))
        .collect();
    assert_eq!(inks.len(), SCHEMES.len());
    for scheme in SCHEMES {
        assert!(scheme.about.ends_with('.') && scheme.id.is_ascii());
        // There are eight colours, none of which is the cursor's.
        assert!(match scheme_ink(scheme.which) {
            Ink::Category(at) => at < 8,
            ink => ink != Ink::Accent,
        });
    }
}

#[test]
fn distances_are_few_and_have_partners() {
    assert_eq!(distances(2), [1]);
    assert_eq!(distances(8), [1, 2, 4]);
    assert_eq!(distances(128), [1, 2, 4, 8, 16, 32, 64]);
    assert_eq!(distances(512), [1, 4, 16, 64, 256]);
    for n in 2..5000 {
        let all = distances(n);
        assert!(
            all.len() <= 8 && all[0] == 1 && all.is_sorted(),
            "{n}: {all:?}"
        );
        assert!(all.iter().all(|distance| *distance < n));
    }
}

/// Chosen distances are drawn if they have pairs; without a choice, the defaults are drawn, as for older links.
#[test]
fn chosen_distances_are_drawn_where_they_have_pairs() {
    for n in [2, 15, 128, 512] {
        assert_eq!(distances_among(n, &[]), distances(n));
        assert_eq!(distances_among(n, &[n, n + 1]), distances(n));
    }
    assert_eq!(
        distances_among(15, &[1, 3, 5, 7, 9, 11, 13]),
        [1, 3, 5, 7, 9, 11, 13]
    );
    assert_eq!(distances_among(4, &[0, 3, 4]), [0, 3]);
}

/// The worked example of the post: 15 positions, width 8, distance 3. All pairs have the inner product Σ cos 3ω.
#[test]
fn the_pairs_at_distance_three_are_alike() {
    let table = Sinusoidal {
        rows: 15,
        width: 8,
        base: 10_000.0,
    };
    let distances = distances_among(table.rows, &[3]);
    let question = diagonals(DiagonalsOf::Sinusoidal(table), &distances);
    let session = with_computed(Origin::Random(Random::default()));
    let lines = ask(&session, question).expect("lines");
    let sum: f64 = [1.0, 0.1, 0.01, 0.001]
        .iter()
        .map(|w: &f64| (3.0 * w).cos())
        .sum();
    assert_eq!(lines[0].len(), 12);
    assert!(
        lines[0].iter().all(|value| (value - sum).abs() < 1e-6),
        "{lines:?} {sum}"
    );
}

fn diagonals(of: DiagonalsOf, distances: &[usize]) -> DiagonalCells {
    let distances = distances.to_vec();
    DiagonalCells { of, distances }
}

#[test]
fn a_sinusoids_lines_are_flat_to_rounding() {
    let table = Sinusoidal {
        rows: 700,
        width: 96,
        base: 10_000.0,
    };
    let of = DiagonalsOf::Sinusoidal(table);
    let distances = [1, 2, 64, 699, 700];
    let session = with_computed(Origin::Random(Random::default()));
    let lines = ask(&session, diagonals(of, &distances)).expect("lines");
    let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
    assert_eq!(lengths, [699, 698, 636, 1, 0]);
    let mut off: f64 = 0.0;
    for (distance, line) in distances.iter().zip(&lines) {
        off = off.max(largest_deviation(
            line,
            table.inner_product(*distance as i64),
        ));
    }
    // Entries are rounded to 2⁻²⁵ and 96 products summed. An exact zero would mean that the lines came from the
    // formula.
    assert!((1e-9..1e-5).contains(&off), "{off}");
}

#[test]
fn a_learned_tables_lines_are_the_diagonals_of_its_matrix() {
    let session = with_bert();
    let lines = ask(&session, diagonals(DiagonalsOf::Model(FIRST), &[0, 3])).expect("lines");
    let table = crate::encoding::relative::table("bert", "embeddings.position_embeddings.weight");
    for (distance, line) in [0, 3].into_iter().zip(&lines) {
        assert_eq!(line.len(), table.nrows() - distance);
        for (start, value) in line.iter().enumerate() {
            let pairs = table
                .row(start)
                .into_iter()
                .zip(table.row(start + distance));
            let slow: f64 = pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            assert!((value - slow).abs() < 1e-9, "{value} {slow}");
        }
    }
    let nothing = DiagonalsOf::Model(ModelVersion { id: 9, revision: 1 });
    let missing = ask(&session, diagonals(nothing, &[1])).expect_err("nothing is open there");
    assert_eq!(missing.kind, FailureKind::Closed);
}

#[test]
fn kernels_are_those_of_the_kernels_view() {
    proptest!(config(30), |(kernels in kernels(), n in 8..200_usize)| {
        let parameters = EncodingParameters { n, ..EncodingParameters::default() };
        let given = Given { kernels: &kernels, open: None, head: None };
        let made = encoding_profile(scheme(SchemeId::Tisa), &parameters, &given).expect("it is there");
        let scores = kernels.scores(n);
        prop_assert_eq!(&made.f, scores.profile());
    });
}
