//! Parameters of encoding schemes that depend on one another.

use diagonal::{
    analysis::{EncodingParameters, SCHEMES, SchemeId},
    encoding::Scaling,
    figure::EncodingProfiles,
    math::AttentionMask,
    url_state::encodings::EncodingsChoice,
};

#[test]
fn alibi_has_the_head_that_is_chosen() {
    let mut parameters = EncodingParameters::default();
    parameters.set_alibi_heads(12);
    parameters.set_alibi_head(12);
    assert_eq!((parameters.alibi.head, parameters.alibi.heads), (11, 12));
    parameters.set_alibi_heads(4);
    assert_eq!((parameters.alibi.head, parameters.alibi.heads), (3, 4));
    parameters.set_alibi_head(9);
    assert_eq!(parameters.alibi.head, 3);
    parameters.set_alibi_head(0);
    assert_eq!(parameters.alibi.head, 0);
}

#[test]
fn buckets_are_brought_to_what_the_logarithm_can_divide() {
    let mut parameters = EncodingParameters::default();
    for (count, farthest) in [(2, 2), (4, 2), (32, 8), (64, 128), (4096, 4096)] {
        for both in [false, true] {
            parameters.set_buckets(count, farthest, both);
            let b = parameters.buckets;
            let expected = (count.max(4), farthest.max(count).max(4), both);
            assert_eq!(
                (b.count(), b.max_distance(), b.is_bidirectional()),
                expected
            );
        }
    }
    for (span, farthest) in [(2, 2), (32, 8), (256, 512)] {
        parameters.set_rows(span, farthest);
        let expected = (span, farthest.max(span).max(3));
        let rows = parameters.rows;
        assert_eq!((rows.span(), rows.max_distance()), expected);
    }
}

#[test]
fn a_factor_keeps_the_kind_of_scaling() {
    assert_eq!(Scaling::None.by(8.0), Scaling::None);
    assert_eq!(Scaling::Linear(2.0).by(8.0), Scaling::Linear(8.0));
    assert_eq!(Scaling::Ntk(2.0).by(8.0), Scaling::Ntk(8.0));
    assert_eq!(
        (Scaling::None.factor(), Scaling::Ntk(3.0).factor()),
        (1.0, 3.0)
    );
}

#[test]
fn schemes_that_come_back_come_back_to_their_place() {
    let mut chosen = EncodingsChoice::default();
    chosen.toggle(SchemeId::Alibi);
    assert!(!chosen.drawn_schemes.contains(&SchemeId::Alibi));
    assert_eq!(chosen.drawn_schemes.len(), SCHEMES.len() - 1);
    chosen.toggle(SchemeId::Alibi);
    assert_eq!(chosen, EncodingsChoice::default());
}

#[test]
fn shown_offsets_end_where_keys_end() {
    let offsets = EncodingProfiles::shown_offsets;
    assert_eq!(offsets(512, true, AttentionMask::Whole), (-511.5, 511.5));
    assert_eq!(offsets(512, true, AttentionMask::Causal), (-511.5, 0.5));
    assert_eq!(offsets(512, false, AttentionMask::Whole), (-40.5, 40.5));
    assert_eq!(offsets(8, false, AttentionMask::Causal), (-7.5, 0.5));
}
