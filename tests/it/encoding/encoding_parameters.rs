//! Parameters of encoding schemes that depend on one another.

use diagonal::{
    analysis::{EncodingParameters, ExtensionKind, SCHEMES, SchemeId},
    encoding::{ContextExtension, KerpleForm},
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
fn a_change_of_angles_keeps_its_numbers() {
    let mut parameters = EncodingParameters::default();
    let kinds = [
        ExtensionKind::Linear,
        ExtensionKind::Yarn,
        ExtensionKind::Llama3,
        ExtensionKind::Ntk,
    ];
    for kind in kinds {
        parameters.set_extension_kind(kind);
        assert_eq!(parameters.extension_kind(), kind);
        assert_eq!(parameters.extension.factor(), Some(8.0));
    }
    parameters.set_extension_factor(4.0);
    parameters.set_extension_kind(ExtensionKind::Yarn);
    parameters.set_trained_length(512.0);
    let yarn = ContextExtension::yarn(4.0, 512.0);
    assert_eq!(parameters.extension, yarn);
    assert_eq!(
        (yarn.factor(), yarn.trained_length()),
        (Some(4.0), Some(512.0))
    );
    parameters.set_extension_kind(ExtensionKind::Llama3);
    assert_eq!(parameters.extension, ContextExtension::llama3(4.0, 512.0));
    // Without a change there is nothing to set.
    parameters.set_extension_kind(ExtensionKind::None);
    parameters.set_extension_factor(2.0);
    parameters.set_trained_length(64.0);
    assert_eq!(parameters.extension, ContextExtension::None);
    assert_eq!(parameters.extension.factor(), None);
}

#[test]
fn a_power_of_kerple_is_at_most_two() {
    let mut parameters = EncodingParameters::default();
    parameters.set_kerple_r2(30.0);
    assert_eq!(parameters.kerple.r2, 30.0);
    parameters.set_kerple_form(KerpleForm::Power);
    assert_eq!(parameters.kerple.r2, 2.0);
    parameters.set_kerple_r2(3.0);
    assert_eq!(parameters.kerple.r2, 2.0);
    parameters.set_kerple_r2(1.5);
    assert_eq!(parameters.kerple.r2, 1.5);
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
