//! Sections of a link: they are lossless, and invalid values are harmless.

use diagonal::{
    analysis::{
        ColumnChoice, HeadPart, MOST_COLUMNS, MatrixPart, RETARGET_SHIFTS, SAMPLES, SIDES,
        SpecialTokenMode, TextValues,
        criteria::{CRITERIA, WAYS, parameters::criterion_parameters},
        permutation::AddedPositions,
    },
    figure::{
        text_attention::{HEAD_MEASURES, HeadMeasure, ScatterAxes, StripColors},
        training::WavePicture,
    },
    math::{
        Covariance, Grid, GroupCount, HeadShape, Padding, PixelHead, Resampling, Similarity,
        TapSide,
    },
    url_state::{
        ALPHAS, BOX_RADII, CORRELATIONS, CompareSection, DEVIATIONS, EncodingsSection,
        HEAD_CENTRES, HEAD_CHANNELS, HeadContent, ImageModelsSection, ImagesSection, LONGEST_TEXT,
        Link, NotesSection, OpenCell, PathView, ROTARY_FACTORS, RotarySection, SEEDS, SPACINGS,
        STRIDES, TILTS, TURNS, TextHeads, TextScope, TextSection, TokensSection, TrainingSection,
        WavesSection,
        encodings::{
            BASIS_SEEDS, PlantedWavesChoice, WAVE_ANGLES, WAVE_LENGTHS, WAVE_SHARPNESSES,
            WAVE_SHIFTS,
        },
    },
};
use proptest::{
    collection::{btree_set, vec},
    option,
    prelude::*,
    sample::select,
};

/// A section after a round trip through a link, and the message about parts that were not understood.
pub(crate) fn through_a_link<S: Clone>(
    section: S,
    of: fn(&mut Link) -> &mut S,
) -> (S, Option<String>) {
    let mut link = Link::default();
    *of(&mut link) = section;
    let (mut back, warnings) = Link::parse(&link.query());
    (of(&mut back).clone(), warnings.message())
}

/// A number of heads.
fn head_measure() -> impl Strategy<Value = HeadMeasure> {
    select(HEAD_MEASURES).prop_map(|(number, ..)| number)
}

/// Choices about planted waves.
pub(crate) fn planted_waves() -> impl Strategy<Value = PlantedWavesChoice> {
    let turn = (any::<bool>(), WAVE_SHIFTS, WAVE_ANGLES);
    let look = (option::of(BASIS_SEEDS), WAVE_SHARPNESSES);
    let parts = (btree_set(1..=128_usize, 1..=8), WAVE_LENGTHS, turn, look);
    parts.prop_map(
        |(frequencies, length, (is_one_angle, shift, angle), (basis_seed, sharpness))| {
            PlantedWavesChoice {
                frequencies: frequencies.into_iter().collect(),
                length,
                is_one_angle,
                shift,
                angle,
                basis_seed,
                sharpness,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn where_a_run_stands_goes_through_a_link(
        by_hand: bool,
        hand_order in vec(1..=10_000_usize, 0..40),
        looked_at in option::of((any::<u64>(), 0..10_000_usize)),
        recipes in option::of(".{0,80}"),
        waves in select(&[
            WavePicture::Spectrum,
            WavePicture::Columns,
            WavePicture::Autocorrelation,
            WavePicture::Density,
        ][..]),
    ) {
        let section = TrainingSection { by_hand, hand_order, looked_at, recipes, waves };
        let back = through_a_link(section.clone(), |link| &mut link.training);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn tokens_go_through_a_link(
        text in ".{0,200}",
        shuffle in 0..=1_000_000_u64,
        added in select(&[AddedPositions::Nothing, AddedPositions::Sinusoids, AddedPositions::Kernels][..]),
    ) {
        let section = TokensSection { text, shuffle, added_positions: added };
        let back = through_a_link(section.clone(), |link| &mut link.tokens);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn choices_of_waves_go_through_a_link(
        all: [bool; 2],
        columns in prop_oneof![
            Just(WavesSection::STRONGEST),
            SEEDS.prop_map(WavesSection::at_random),
            vec(0..=1_000_000_usize, 1..=MOST_COLUMNS).prop_map(ColumnChoice::These),
        ],
        path in select(&[
            PathView::Plane(0, 1),
            PathView::Plane(2, 3),
            PathView::Plane(4, 5),
            PathView::Space,
        ][..]),
        seen_from in (TURNS, TILTS),
        part in select(&[HeadPart::Query, HeadPart::Key][..]),
        groups in prop_oneof![
            Just(GroupCount::BySilhouette),
            (2..=8_u8).prop_map(GroupCount::Chosen),
        ],
        seed in SEEDS,
        shift in RETARGET_SHIFTS,
    ) {
        let [all_frequencies, all_offsets] = all;
        let section = WavesSection {
            all_frequencies,
            columns,
            path,
            seen_from,
            all_offsets,
            part,
            shift,
            groups,
            seed,
        };
        let back = through_a_link(section.clone(), |link| &mut link.waves);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn choices_of_texts_go_through_a_link(
        sample in option::of("[a-z-]{1,20}"),
        words in option::of(".{0,200}"),
        (values, part, special) in (
            select(&[TextValues::Attention, TextValues::Scores][..]),
            select(&[MatrixPart::Whole, MatrixPart::Toeplitz, MatrixPart::Residual][..]),
            select(&[
                SpecialTokenMode::Shown,
                SpecialTokenMode::Hidden,
                SpecialTokenMode::Renormalised,
            ][..]),
        ),
        scope in select(&[TextScope::Open, TextScope::Samples][..]),
        colors in option::of(prop_oneof![
            (0..=1_000_000_usize).prop_map(StripColors::AttentionFrom),
            (0..=1_000_000_usize).prop_map(StripColors::AttentionTo),
            Just(StripColors::Surprise),
        ]),
        heads in prop_oneof![
            head_measure().prop_map(TextHeads::Layers),
            head_measure().prop_map(TextHeads::Sorted),
            [head_measure(), head_measure(), head_measure()]
                .prop_map(|[x, y, color]| TextHeads::Scatter(ScatterAxes { x, y, color })),
        ],
    ) {
        let show = HeadContent { values, part, special };
        let section = TextSection { sample, words, show, scope, colors, heads };
        let back = through_a_link(section.clone(), |link| &mut link.text);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn choices_of_image_models_go_through_a_link(
        similarity in select(&[Similarity::Cosine, Similarity::InnerProduct][..]),
        sides in option::of((2..=64_usize, 2..=64_usize)),
        resampling in select(&[Resampling::Bicubic, Resampling::Bilinear][..]),
    ) {
        let grid = sides.map(|(height, width)| Grid { height, width });
        let section = ImageModelsSection { similarity, grid, resampling };
        let back = through_a_link(section.clone(), |link| &mut link.image_models);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn choices_of_images_go_through_a_link(
        (sample, side) in (option::of(select(SAMPLES).prop_map(|(sample, ..)| sample)), select(&SIDES[..])),
        kernel in prop_oneof!["edges|blur", "-?[0-9]{1,3},[0-9]{1,3};1,1/2"],
        (spacing, stride, head) in (SPACINGS, STRIDES, 0..10_000_usize),
        (turned, zeros, near) in any::<(bool, bool, bool)>(),
        alpha in ALPHAS,
        heads in option::of(vec(
            (HEAD_CENTRES, HEAD_CENTRES, option::of((DEVIATIONS, DEVIATIONS, CORRELATIONS)), ALPHAS, option::of(BOX_RADII)),
            1..12,
        )),
        head_channels in option::of(HEAD_CHANNELS),
        query in option::of((0..=65_535_usize, 0..=65_535_usize)),
    ) {
        let heads = heads.map(|heads| {
            let heads = heads.into_iter().map(|(y, x, oval, alpha, radius)| PixelHead {
                centre: (y, x),
                shape: match (oval, radius) {
                    (_, Some(radius)) => HeadShape::Box(radius),
                    (Some((y, x, r)), None) => HeadShape::Oval(Covariance::from_deviations(y, x, r)),
                    (None, None) => HeadShape::Round(alpha),
                },
            });
            heads.collect()
        });
        let section = ImagesSection {
            sample, side, kernel, spacing, stride, alpha, heads, head_channels, head, near, query,
            taps: if turned { TapSide::Turned } else { TapSide::AsWritten },
            padding: if zeros { Padding::Zeros } else { Padding::Edge },
        };
        let back = through_a_link(section.clone(), |link| &mut link.images);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn switches_go_through_a_link(switches: [bool; 5], own_colours: Option<bool>) {
        let [by_r2, unscaled, all_offsets, unfolded, effects] = switches;
        let compare = CompareSection { by_r2, own_colours, is_unscaled: unscaled, all_offsets };
        let back = through_a_link(compare.clone(), |link| &mut link.compare);
        prop_assert_eq!(back, (compare, None));
        let notes = NotesSection { is_unfolded: unfolded, effects };
        prop_assert_eq!(through_a_link(notes, |link| &mut link.notes), (notes, None));
    }

    #[test]
    fn rotary_numbers_go_through_a_link(factor in option::of(ROTARY_FACTORS), base in option::of(1.0..1e6)) {
        let section = RotarySection { factor, base };
        let back = through_a_link(section.clone(), |link| &mut link.rotary);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn planted_waves_go_through_a_link(planted_waves in planted_waves()) {
        let section = EncodingsSection { planted_waves, ..EncodingsSection::default() };
        let back = through_a_link(section.clone(), |link| &mut link.encodings);
        prop_assert_eq!(back, (section, None));
    }

    #[test]
    fn sliders_of_criteria_go_through_a_link(
        at in (0..WAYS.len(), 0..CRITERIA.len()),
        pulled in vec(0.0..1.0, 8),
    ) {
        let mut cell = OpenCell::new(at);
        let parameters = criterion_parameters(at.0, at.1);
        prop_assert_eq!(cell.values.len(), parameters.len());
        for ((value, parameter), pulled) in cell.values.iter_mut().zip(parameters).zip(pulled) {
            *value = parameter.near(parameter.low + pulled * (parameter.high - parameter.low));
        }
        let section = EncodingsSection { cell: Some(cell), ..EncodingsSection::default() };
        let back = through_a_link(section.clone(), |link| &mut link.encodings);
        prop_assert_eq!(back, (section, None));
    }
}

#[test]
fn what_cannot_be_in_other_sections_is_the_default() {
    for query in [
        "timeline=sideways",
        "hand-order=0",
        "hand-order=1,x",
        "hand-order=10001",
        "step=-1",
        "step=1.0",
        "step=1.5.2",
        "shuffle=1000001",
        "shuffle=-1",
        "token-positions=some",
        "values=raw",
        "compare-offsets=none",
        "kernel-offsets=far",
        "fit-offsets=far",
        "first-layer=yes",
        "notes=yes",
        "effects=no",
        "more-models=100001",
        "patches=alike",
        "patch-grid=1x8",
        "patch-grid=8x65",
        "patch-grid=8",
        "patch-grid=8x8x8",
        "resampling=nearest",
        "cell=tisa.inductive:7",
        "cell=tisa.inductive:64:NaN",
        "cell=tisa.inductive:64:128:1",
        "image=photo",
        "side=63",
        "spacing=0",
        "stride=9",
        "alpha=-1",
        "alpha=1e7",
        "gaussians=1:2",
        "gaussians=1:2:NaN",
        "gaussians=1:2:1:2:1",
        "gaussians=999:0:1",
        "gaussian=0",
        "pixel=1",
        "pixel=1,70000",
        "maps=far",
    ] {
        let (link, warnings) = Link::parse(query);
        assert_eq!(warnings.count(), 1, "{query}");
        assert_eq!(link, Link::default(), "{query}");
    }
    let text = "é".repeat(LONGEST_TEXT + 1);
    let (link, warnings) = Link::parse(&format!("tokens={text}&prefix={text}"));
    assert_eq!(link.tokens, TokensSection::default());
    assert_eq!(link.kernel_options.prefix, None);
    assert_eq!(warnings.count(), 2);
}

#[test]
fn the_first_layer_is_unfolded_for_typed_rows_or_by_the_link() {
    for (query, is_unfolded) in [
        ("", false),
        ("words=1-4", true),
        ("words=1-4&first-layer=folded", false),
        ("first-layer=open", true),
    ] {
        let (link, _) = Link::parse(query);
        assert_eq!(
            link.kernel_options.shows_first_layer(),
            is_unfolded,
            "{query}"
        );
    }
}

#[test]
fn fit_options_are_unfolded_if_changed_or_by_the_link() {
    for (query, is_unfolded) in [
        ("", false),
        ("fit=head.3", false),
        ("fit=all.5", true),
        ("fit=head.5.64", true),
        ("fit=head.5.non-negative", true),
        ("fit=head.5.non-negative&fit-options=folded", false),
        ("fit-options=open", true),
    ] {
        let (link, _) = Link::parse(query);
        let section = &link.kernel_options;
        assert_eq!(section.shows_fit_options(), is_unfolded, "{query}");
    }
}

#[test]
fn columns_are_typed_as_people_write_lists() {
    let typed = |text: &str| WavesSection::parse_typed(text, 384);
    for text in [
        "3, 17, 200",
        "3,17,200",
        "3 17 200",
        " 3;17; 200,",
        "3, 17, 3, 200",
    ] {
        assert_eq!(
            typed(text),
            Ok(ColumnChoice::These(vec![3, 17, 200])),
            "{text}"
        );
    }
    for (text, message) in [
        ("", "Numbers with commas between them"),
        (
            "3, x",
            "“x” is not a column: columns are numbered from 0 to 383.",
        ),
        ("3, -1", "“-1” is not a column"),
        ("3.5", "“3.5” is not a column"),
        (
            "3, 384",
            "There is no column 384: columns are numbered from 0 to 383.",
        ),
        (
            "99999999999999999999999",
            "“99999999999999999999” is not a column",
        ),
        (
            "1 2 3 4 5 6 7",
            "At most 6 columns are drawn at once, and these are 7.",
        ),
    ] {
        let sentence = typed(text).expect_err(text);
        assert!(sentence.starts_with(message), "{text}: {sentence}");
    }
}

#[test]
fn choices_of_texts_are_readable() {
    let read = |query: &str| {
        let (link, warnings) = Link::parse(query);
        (link.text, warnings.message())
    };
    let (section, message) = read(
        "view=text&sample=lid&show=scores.residual.hidden&token=to.3&text-heads=first.sorted&texts=samples",
    );
    assert_eq!(message, None);
    let show = HeadContent {
        values: TextValues::Scores,
        part: MatrixPart::Residual,
        special: SpecialTokenMode::Hidden,
    };
    let expected = TextSection {
        sample: Some("lid".to_owned()),
        words: None,
        show,
        scope: TextScope::Samples,
        colors: Some(StripColors::AttentionTo(3)),
        heads: TextHeads::Sorted(HeadMeasure::First),
    };
    assert_eq!(section, expected);
    // Words that are not understood are named, and their values have the defaults.
    for query in [
        "show=loud",
        "show=scores.loud",
        "token=5",
        "token=from.-1",
        "text-heads=a.b.c",
        "texts=many",
    ] {
        let (section, message) = read(query);
        assert_eq!(section, TextSection::default(), "{query}");
        assert!(message.is_some(), "{query}");
    }
}
