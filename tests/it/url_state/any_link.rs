//! Links with any choices, for property tests.

use super::link_sections::planted_waves;
use crate::math::laws::kernels;
use diagonal::{
    analysis::{
        AttentionMask, BudgetSource, MatrixPart, Objective, ScoreMode, ScorePart, Similarity,
        TermSet,
        criteria::{CRITERIA, WAYS},
        parameter_count::SIZE_PARTS,
    },
    encoding::{Random, Sinusoidal},
    figure::{COLOR_MAPS, FrequencyColours, FrequencyLook, training::WavePicture},
    math::Window,
    model::{CORRECTIONS, ModelOptions, PRESETS, SITE_MODELS},
    url_state::{
        AmongOthers, CenterWords, CompareSection, CursorSection, DRAWS, EncodingsSection,
        FigureGroup, FigureId, FitChoice, FitScope, HeadsSection, KernelOptions, KernelsSection,
        LessonSection, Link, MatricesSection, ModelRef, ModelsSection, NEAR, NamedModel,
        NotesSection, OpenCell, PERFORMANCES, PositionsSection, RankingR2, Sort, TermWords,
        TrainingSection, UnfoldedFigures, VIEWS,
    },
};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{select, subsequence},
};

pub(crate) fn model() -> impl Strategy<Value = ModelRef> {
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
    let site_models: Vec<&str> = SITE_MODELS.iter().map(|model| model.id).collect();
    prop_oneof![
        select(presets).prop_map(|id| ModelRef::Preset(id.to_owned())),
        select(site_models).prop_map(|id| ModelRef::Site(id.to_owned())),
        (2..=4096_usize, 1..=1024_usize, 1.001..1e9)
            .prop_map(|(rows, width, base)| ModelRef::Sinusoidal(Sinusoidal { rows, width, base })),
        (2..=4096_usize, 1..=1024_usize, any::<u64>())
            .prop_map(|(rows, width, seed)| ModelRef::Random(Random { rows, width, seed })),
        (any::<String>(), option::of(any::<u64>()))
            .prop_map(|(name, hash)| ModelRef::File { name, hash }),
        any::<String>().prop_map(ModelRef::Run),
        any::<String>().prop_map(ModelRef::Hub),
        any::<String>().prop_map(ModelRef::Url),
    ]
}

pub(crate) fn choice() -> impl Strategy<Value = ModelOptions> {
    let text = || option::of(any::<String>());
    let corrections: Vec<_> = CORRECTIONS.iter().map(|(which, ..)| *which).collect();
    (
        (text(), text(), option::of(any::<(String, String)>())),
        (any::<bool>(), text(), text(), (0..=4096_u32, 0..=4096_u32)),
        (
            option::of(1..=1024_u32),
            option::of((1..=4096_u32, 1..=4096_u32)),
        ),
        option::of(8..=4096_u32),
        subsequence(corrections, 0..=CORRECTIONS.len()),
    )
        .prop_map(
            |((source, table, attention), by_hand, (heads, patches), length, switched)| {
                let (is_transposed, words, norm, left_out) = by_hand;
                ModelOptions {
                    source,
                    table,
                    attention,
                    is_transposed,
                    words,
                    norm,
                    left_out,
                    asks_for_tensors: false,
                    heads,
                    patches,
                    length,
                    switched_corrections: switched,
                }
            },
        )
}

fn window() -> impl Strategy<Value = Window> {
    let range = || (0..9000_usize, 1..9000_usize).prop_map(|(start, length)| start..start + length);
    (range(), range()).prop_map(|(rows, cols)| Window { rows, cols })
}

/// Nothing, only S, or a whole size.
pub(crate) fn count() -> impl Strategy<Value = Vec<u64>> {
    let parts = SIZE_PARTS.map(|(.., most)| 1..=most);
    (parts, select(&[0, 1, 5][..])).prop_map(|(parts, length)| parts[..length].to_vec())
}

/// Options of the kernels view's fits and words.
pub(crate) fn kernel_options() -> impl Strategy<Value = KernelOptions> {
    let scopes = &[FitScope::Head, FitScope::Layer, FitScope::All][..];
    let fit = (
        option::of(select(scopes)),
        1..=8_usize,
        option::of(1..=16_384_usize),
        select(
            &[
                Objective::Readable,
                Objective::NonNegative,
                Objective::LeastSquares,
            ][..],
        ),
    );
    let prefix = option::of(".{0,200}");
    let looks = (any::<bool>(), any::<[Option<bool>; 4]>(), prefix);
    let near = select(&NEAR[..]).prop_map(|(near, _)| near);
    let parts = (count(), fit, any::<String>(), looks, near);
    parts.prop_map(
        |(
            count,
            (scope, kernels, within, objective),
            words,
            (own_colours, [all_offsets, all_fit_offsets, first_layer, fit_options], prefix),
            near,
        )| {
            KernelOptions {
                count,
                fit: FitChoice {
                    scope,
                    kernels,
                    within,
                    objective,
                },
                words,
                own_colours,
                near,
                all_offsets,
                all_fit_offsets,
                first_layer,
                fit_options,
                prefix,
            }
        },
    )
}

fn among_others() -> impl Strategy<Value = AmongOthers> {
    (
        option::of(1..=10_000_usize),
        any::<bool>(),
        option::of(option::of(PERFORMANCES)),
        any::<bool>(),
        option::of(2..=10_000_usize),
    )
        .prop_map(
            |(number, left_out, performance, with_heads, namesake)| AmongOthers {
                number,
                left_out,
                performance,
                with_heads,
                namesake,
            },
        )
}

/// Distinct models, each short enough for a link.
pub(crate) fn models() -> impl Strategy<Value = Vec<NamedModel>> {
    let named = (model(), choice(), among_others()).prop_map(|(model, choice, among)| NamedModel {
        model,
        choice,
        among,
    });
    vec(named, 0..12).prop_map(|all| {
        let mut different: Vec<NamedModel> = Vec::new();
        for named in all {
            let is_known = |other: &NamedModel| other.model.is_same_model(&named.model);
            if !different.iter().any(is_known) && format!("{named:?}").len() < 1500 {
                different.push(named);
            }
        }
        different
    })
}

/// A link with any choices in the views of encodings, kernels and several models, and with a lesson.
fn sections() -> impl Strategy<Value = Link> {
    let cell = option::of((0..WAYS.len(), 0..CRITERIA.len()).prop_map(OpenCell::new));
    let encodings = (cell, planted_waves());
    let tokens = (".{0,200}", 0..=1_000_000_u64);
    let training = (
        vec(1..=10_000_usize, 0..9),
        option::of((any::<u64>(), 0..10_000_usize)),
    );
    let open = (models(), 0..=100_000_usize);
    let lesson = (option::of(any::<String>()), 0..10_000_usize);
    let switches = (any::<[bool; 7]>(), option::of(any::<bool>()));
    let parts = (
        encodings,
        kernel_options(),
        tokens,
        training,
        open,
        lesson,
        switches,
    );
    parts.prop_map(
        |(
            (cell, planted_waves),
            kernel_options,
            (text, shuffle),
            (hand_order, looked_at),
            (named, more),
            (lesson, step),
            ([all, by_r2, unscaled, by_hand, unfolded, effects, presenting], own_colours),
        )| {
            let mut link = Link {
                encodings: EncodingsSection {
                    cell,
                    planted_waves,
                    ..EncodingsSection::default()
                },
                kernel_options,
                compare: CompareSection {
                    by_r2,
                    own_colours,
                    is_unscaled: unscaled,
                    all_offsets: all,
                },
                training: TrainingSection {
                    by_hand,
                    hand_order,
                    looked_at,
                    recipes: None,
                    waves: WavePicture::default(),
                },
                models: ModelsSection {
                    models: named,
                    more,
                },
                notes: NotesSection {
                    is_unfolded: unfolded,
                    effects,
                },
                lesson: LessonSection {
                    lesson,
                    step,
                    is_presented: presenting,
                    speaker: None,
                },
                ..Link::default()
            };
            link.encodings.choice.all = all;
            link.waves.shift = if by_hand { -5 } else { 3 };
            (link.tokens.text, link.tokens.shuffle) = (text, shuffle);
            link
        },
    )
}

fn terms() -> impl Strategy<Value = TermSet> {
    subsequence(&ScorePart::ALL[..], 0..=5).prop_map(|parts| {
        let mut terms = TermSet::default();
        parts.into_iter().for_each(|part| terms.toggle(part));
        terms
    })
}

fn frequency_look() -> impl Strategy<Value = FrequencyLook> {
    let colours = select(
        &[
            FrequencyColours::Share,
            FrequencyColours::StoredShare,
            FrequencyColours::Bound,
            FrequencyColours::Concentration,
        ][..],
    );
    (colours, any::<bool>()).prop_map(|(colours, by_effective_pairs)| FrequencyLook {
        colours,
        by_effective_pairs,
    })
}

pub(crate) fn link() -> impl Strategy<Value = Link> {
    let maps = || select(COLOR_MAPS).prop_map(|(map, ..)| map);
    let what = (select(VIEWS), model(), choice());
    let matrix = (
        select(&[Similarity::InnerProduct, Similarity::Cosine][..]),
        select(
            &[
                MatrixPart::Whole,
                MatrixPart::Toeplitz,
                MatrixPart::Residual,
            ][..],
        ),
        any::<bool>(),
        option::of(window()),
        (maps(), 0.0..20.0),
    );
    let head = (
        0..10_000_usize,
        0..10_000_usize,
        select(&[ScoreMode::Paper, ScoreMode::AsComputed][..]),
        select(
            &[
                None,
                Some(AttentionMask::Whole),
                Some(AttentionMask::Causal),
            ][..],
        ),
        select(&[Sort::Layer, Sort::R2, Sort::Peak][..]),
        (
            any::<[bool; 3]>(),
            select(&[BudgetSource::Words, BudgetSource::Weights][..]),
            select(&[CenterWords::Weights, CenterWords::Text][..]),
        ),
        (
            frequency_look(),
            option::of((0..10_000_usize, 0..10_000_usize)),
        ),
        (
            select(
                &[
                    RankingR2::Scores,
                    RankingR2::WithoutRowMeans,
                    RankingR2::Attention,
                ][..],
            ),
            select(&[TermWords::Mean, TermWords::Random, TermWords::Ids][..]),
            DRAWS,
            terms(),
        ),
    );
    let rest = (
        kernels(),
        option::of(8..=4096_usize),
        any::<bool>(),
        option::of((any::<u16>(), any::<u16>())),
        (
            subsequence(FigureId::ALL, 0..=FigureId::ALL.len()),
            subsequence(&FigureGroup::ALL[..], 0..=FigureGroup::ALL.len()),
        ),
        sections(),
    );
    (what, matrix, head, rest).prop_map(
        |(
            (view, model, choice),
            (similarity, part, all_offsets, window, (map, clip)),
            (
                layer,
                head,
                mode,
                cells,
                sort,
                ([all_entropies, common_section_scale, section_fits], budget, centers),
                (frequencies, second),
                (r2, term_words, draw, terms),
            ),
            (kernels, length, alone, pin, (unfolded, groups), sections),
        )| Link {
            view: view.0,
            model,
            choice,
            positions: PositionsSection {
                similarity,
                part,
                all_offsets,
                all_lags: all_entropies,
            },
            matrices: MatricesSection {
                window: window.clone(),
                map,
                clip,
            },
            heads: HeadsSection {
                layer,
                head,
                mode,
                cells,
                sort,
                all_entropies,
                common_section_scale,
                section_fits,
                centers,
                budget,
                frequencies,
                second,
                r2,
                term_words,
                draw,
                terms,
            },
            kernels: KernelsSection {
                kernels,
                length,
                alone,
                window: window.clone(),
            },
            unfolded_figures: UnfoldedFigures {
                numbers: unfolded.clone(),
                guides: unfolded.into_iter().skip(1).collect(),
                groups,
            },
            cursor: CursorSection {
                pin: pin.map(|(i, j)| (i.into(), j.into())),
            },
            ..sections
        },
    )
}
