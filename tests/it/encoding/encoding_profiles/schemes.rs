//! The list of schemes: each is complete, and takes what is open.

use super::{profile, scheme};
use crate::math::laws::{config, kernels};
use diagonal::{
    analysis::{
        EncodingParameters, EncodingProfile, PositionKind, ProfileInputs, ProfileSource, SCHEMES,
        SchemeId, UntrainedValues, encoding_profile, encoding_profiles, scheme_of,
    },
    encoding::{ContextExtension, Kernels},
    figure::{Ink, is_scheme_dashed, scheme_ink},
    math::Profile,
    model::FAMILIES,
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;

proptest! {
    #![proptest_config(config(60))]

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
            second: None,
            by_row: None,
            source: ProfileSource::Formula,
        };
        let scaled = profile.scaling(-reach..=reach);
        let shown: Vec<f64> = (-reach..=reach).filter_map(|k| profile.at(k)).map(|v| scaled.apply(v)).collect();
        prop_assert_eq!(shown.len() as i64, 2 * reach.min(n - 1) + 1);
        prop_assert_eq!(scaled.apply(profile.at(0).expect("the middle")), 0.0);
        let span = shown.iter().fold(f64::MIN, |a, b| a.max(*b)) - shown.iter().fold(f64::MAX, |a, b| a.min(*b));
        prop_assert!((span - 1.0).abs() < 1e-9 || span == 0.0, "{span}");
    }
}

#[test]
fn every_scheme_is_finite_at_every_length() {
    for n in [8, 9, 512, 16_384] {
        for untrained in [UntrainedValues::Steps, UntrainedValues::Noise] {
            let parameters = EncodingParameters {
                n,
                untrained_values: untrained,
                extension: ContextExtension::Ntk { factor: 8.0 },
                rotary_columns: 16,
                fire_row: n - 1,
                ..EncodingParameters::default()
            };
            for scheme in SCHEMES {
                let made = profile(scheme.which, &parameters);
                assert_eq!(made.f.len(), 2 * n - 1, "{}", scheme.id);
                let of_three = matches!(scheme.which, SchemeId::Learned | SchemeId::Head);
                for k in 1 - n as i64..n as i64 {
                    // FIRE's last query sees all keys before it, and none ahead.
                    let is_seen = scheme.which != SchemeId::Fire || k <= 0;
                    let is_defined = is_seen && (!of_three || k.abs() <= 1);
                    assert_eq!(made.at(k).is_some(), is_defined, "{} at {k}", scheme.id);
                }
                assert_eq!(made.source == ProfileSource::Open, of_three);
                let second = made.second.as_ref().map(|second| second.name);
                let expected = match scheme.which {
                    SchemeId::Rotary | SchemeId::PartialRotary => Some("envelope"),
                    SchemeId::Fire => Some("mean"),
                    _ => None,
                };
                assert_eq!(second, expected, "{}", scheme.id);
                assert_eq!(made.by_row.is_some(), scheme.which == SchemeId::Fire);
                assert_eq!((made.at(n as i64), made.at(-(n as i64))), (None, None));
            }
        }
    }
}

#[test]
fn what_is_open_goes_to_its_scheme() {
    let kernels = Kernels::default();
    let of = |which, f| ProfileInputs {
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
    // There are eight colours, none of which is the cursor's; two schemes of one colour differ by their dashes.
    let line = |which| match scheme_ink(which) {
        Ink::Category(at) => (format!("{}", at % 8), is_scheme_dashed(which)),
        ink => (format!("{ink:?}"), is_scheme_dashed(which)),
    };
    let lines: BTreeSet<_> = SCHEMES.iter().map(|scheme| line(scheme.which)).collect();
    assert_eq!(lines.len(), SCHEMES.len());
    for scheme in SCHEMES {
        assert!(scheme.about.ends_with('.') && scheme.id.is_ascii());
        assert_ne!(scheme_ink(scheme.which), Ink::Accent);
    }
}

#[test]
fn kernels_are_those_of_the_kernels_view() {
    proptest!(config(30), |(kernels in kernels(), n in 8..200_usize)| {
        let parameters = EncodingParameters { n, ..EncodingParameters::default() };
        let given = ProfileInputs { kernels: &kernels, open: None, head: None };
        let made = encoding_profile(scheme(SchemeId::Tisa), &parameters, &given).expect("it is there");
        let scores = kernels.scores(n);
        prop_assert_eq!(&made.f, scores.profile());
    });
}
