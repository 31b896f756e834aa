//! Links are untrusted and lossless.

use super::link_sections::models;
use crate::math::laws::kernels;
use diagonal::{
    analysis::{
        AttentionMask, MatrixPart, Objective, ScoreMode, Similarity,
        criteria::{CRITERIA, WAYS},
        parameter_count::SIZE_PARTS,
    },
    encoding::{Kernels, Random, Sinusoidal},
    figure::COLOR_MAPS,
    math::Window,
    model::{CORRECTIONS, ModelOptions, PRESETS},
    url_state::{
        CompareSection, CursorSection, EncodingsSection, FigureId, FitChoice, FitScope,
        HeadsSection, KernelOptions, KernelsSection, LessonSection, Link, MatricesSection,
        ModelRef, ModelsSection, NEAR, NotesSection, OpenCell, PositionsSection, Sort,
        TrainingSection, UnfoldedFigures, VIEWS, cell_text,
    },
};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{select, subsequence},
};

/// Parses a link; returns it and the message about parts that were not understood.
fn parse(query: &str) -> (Link, Option<String>) {
    let (link, warnings) = Link::parse(query);
    assert_eq!(warnings.count() == 0, warnings.message().is_none());
    (link, warnings.message())
}

pub(crate) fn model() -> impl Strategy<Value = ModelRef> {
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
    prop_oneof![
        select(presets).prop_map(|id| ModelRef::Preset(id.to_owned())),
        (2..=4096_usize, 1..=1024_usize, 1.001..1e9)
            .prop_map(|(rows, width, base)| ModelRef::Sinusoidal(Sinusoidal { rows, width, base })),
        (2..=4096_usize, 1..=1024_usize, any::<u64>())
            .prop_map(|(rows, width, seed)| ModelRef::Random(Random { rows, width, seed })),
        (any::<String>(), option::of(any::<u64>()))
            .prop_map(|(name, hash)| ModelRef::File { name, hash }),
        any::<String>().prop_map(ModelRef::Hub),
        any::<String>().prop_map(ModelRef::Url),
    ]
}

pub(crate) fn choice() -> impl Strategy<Value = ModelOptions> {
    let text = || option::of(any::<String>());
    let corrections: Vec<_> = CORRECTIONS.iter().map(|(which, ..)| *which).collect();
    (
        (text(), text(), option::of(any::<(String, String)>())),
        any::<bool>(),
        (
            option::of(1..=1024_u32),
            option::of((1..=4096_u32, 1..=4096_u32)),
        ),
        option::of(8..=4096_u32),
        subsequence(corrections, 0..=CORRECTIONS.len()),
    )
        .prop_map(
            |((source, table, attention), transposed, (heads, patches), length, switched)| {
                ModelOptions {
                    source,
                    table,
                    attention,
                    transposed,
                    heads,
                    patches,
                    length,
                    switched,
                }
            },
        )
}

fn window() -> impl Strategy<Value = Window> {
    let range = || (0..9000_usize, 1..9000_usize).prop_map(|(start, length)| start..start + length);
    (range(), range()).prop_map(|(rows, cols)| Window { rows, cols })
}

/// Nothing, only S, or a whole size.
fn count() -> impl Strategy<Value = Vec<u64>> {
    let parts = SIZE_PARTS.map(|(.., most)| 1..=most);
    (parts, select(&[0, 1, 5][..])).prop_map(|(parts, length)| parts[..length].to_vec())
}

/// Options of the kernels view's fits and words.
fn kernel_options() -> impl Strategy<Value = KernelOptions> {
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

/// A link with any choices in the views of encodings, kernels and several models, and with a lesson.
fn sections() -> impl Strategy<Value = Link> {
    let cell = option::of((0..WAYS.len(), 0..CRITERIA.len()).prop_map(OpenCell::new));
    let tokens = (".{0,200}", 0..=1_000_000_u64);
    let training = (
        vec(1..=10_000_usize, 0..9),
        option::of((any::<u64>(), 0..10_000_usize)),
    );
    let open = (models(), 0..=100_000_usize);
    let lesson = (option::of(any::<String>()), 0..10_000_usize);
    let switches = (any::<[bool; 7]>(), option::of(any::<bool>()));
    let parts = (
        cell,
        kernel_options(),
        tokens,
        training,
        open,
        lesson,
        switches,
    );
    parts.prop_map(
        |(
            cell,
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
                    ..EncodingsSection::default()
                },
                kernel_options,
                compare: CompareSection {
                    by_r2,
                    own_colours,
                    unscaled,
                    all_offsets: all,
                },
                training: TrainingSection {
                    by_hand,
                    hand_order,
                    looked_at,
                },
                models: ModelsSection { named, more },
                notes: NotesSection { unfolded, effects },
                lesson: LessonSection {
                    lesson,
                    step,
                    presenting,
                    speaker: None,
                },
                ..Link::default()
            };
            link.encodings.chosen.all = all;
            (link.tokens.text, link.tokens.shuffle) = (text, shuffle);
            link
        },
    )
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
        any::<bool>(),
    );
    let rest = (
        kernels(),
        option::of(8..=4096_usize),
        any::<bool>(),
        option::of((any::<u16>(), any::<u16>())),
        subsequence(FigureId::ALL, 0..=FigureId::ALL.len()),
        sections(),
    );
    (what, matrix, head, rest).prop_map(
        |(
            (view, model, choice),
            (similarity, part, all_offsets, window, (map, clip)),
            (layer, head, mode, cells, sort, all_entropies),
            (kernels, length, alone, pin, unfolded, sections),
        )| Link {
            view: view.0,
            model,
            choice,
            positions: PositionsSection {
                similarity,
                part,
                all_offsets,
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
            },
            kernels: KernelsSection {
                kernels,
                length,
                alone,
                window: window.clone(),
            },
            unfolded: UnfoldedFigures {
                numbers: unfolded.clone(),
                guides: unfolded.into_iter().skip(1).collect(),
            },
            cursor: CursorSection {
                pin: pin.map(|(i, j)| (i.into(), j.into())),
            },
            ..sections
        },
    )
}

/// Almost a link: known keys, and values that are nearly valid.
fn nearly_a_query() -> impl Strategy<Value = String> {
    let key = "view|model|hf|url|source|table|query|key|transposed|length|switched|heads|compare|part|window|map|kernel-window|attention|near|clip|layer|head|mode|cells|sort|entropies|kernels|n|added|fit|words|order|colours|encodings|pin|cell|count|models|more-models|values|offsets|compare-offsets|kernel-offsets|fit-offsets|first-layer|prefix|timeline|hand-order|step|tokens|shuffle|token-positions|numbers|notes|effects|frequencies|columns|plane|seen-from|groups|wave-seed|image|side|filter|gaussians|gaussian|pixel|patches|patch-grid|compute|lesson|lesson-step|present|speaker|embed|rows|width|base|seed|file|hash|[a-z]{1,60}";
    let value = "model:(random|sinusoidal|file|minilm-l6)(,[a-z-]{1,12}:[0-9a-z.~]{0,9}){0,3}(;hf:[a-z/]{1,9}){0,40}|tisa.inductive:[0-9:]{0,9}|tisa.inductive|rows,norm|added,added|yes|random|sinusoidal|file|heads|-?[0-9]{0,24}|[0-9,;:.\\-em]{0,80}|NaN|inf|-0|%[0-9A-F]{2}|.{0,90}";
    vec((key, value), 0..12).prop_map(|pairs| {
        let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect();
        format!("?{}", pairs.join("&"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_link_says_all_there_is(link in link(), mark: bool) {
        let query = link.query();
        let (back, notes) = parse(&format!("{}{query}", if mark { "?" } else { "" }));
        prop_assert_eq!(&back, &link, "{}", query);
        prop_assert_eq!(notes, None);
        prop_assert!(query.is_ascii() && !query.contains([' ', '#', '"', '<']), "{}", query);
    }

    #[test]
    fn no_query_does_harm(query in prop_oneof![nearly_a_query(), any::<String>()]) {
        let (link, message) = parse(&query);
        if let Some(message) = message {
            prop_assert!(message.starts_with("In this link, ") && message.ends_with(" shown."), "{}", message);
            prop_assert!(message.chars().count() < 400, "{}", message);
        }
        // The parsed link can be written and parsed again.
        prop_assert_eq!(parse(&link.query()), (link.clone(), None));
    }
}

proptest! {
    #[test]
    fn open_cells_and_choices_for_kernels_go_through_a_link(
        cell in option::of((0..9_usize, 0..6_usize)),
        asked in kernel_options(),
    ) {
        let open = cell.map(OpenCell::new);
        let section = EncodingsSection { cell: open, ..EncodingsSection::default() };
        let link = Link {
            encodings: section.clone(),
            kernel_options: asked.clone(),
            ..Link::default()
        };
        let (back, message) = parse(&link.query());
        prop_assert_eq!(message, None);
        prop_assert_eq!(back.encodings, section);
        prop_assert_eq!(back.kernel_options, asked);
        if let Some(cell) = cell {
            let named = format!("cell={}", cell_text(cell));
            prop_assert!(link.query().contains(&named), "{}", link.query());
        }
    }
}

#[test]
fn a_section_is_written_without_what_is_not_understood() {
    let typed = "view=positions&model=sinusoidal&encodings=seed:7;;n:64;nonsense&cell=no.such&count=5,512&fit=head";
    let (mut link, message) = parse(typed);
    assert_eq!(link.encodings.chosen.parameters.n, 64);
    assert_eq!(link.encodings.cell, None);
    assert_eq!(
        message.expect("a message"),
        "In this link, encodings = “nonsense”, cell = “no.such” and count = “5,512” were not understood; the defaults are shown."
    );
    assert_eq!(
        link.query(),
        "view=positions&model=sinusoidal&encodings=n:64;seed:7&fit=head.5"
    );
    link.encodings.chosen.together = true;
    link.kernel_options.fit.kernels = 3;
    assert_eq!(
        link.query(),
        "view=positions&model=sinusoidal&encodings=n:64;together;seed:7&fit=head.3"
    );
}

#[test]
fn what_is_nonsense_in_a_section_is_the_default() {
    for cell in ["", "tisa", "tisa.beautiful", "7.1", "tisa.inductive."] {
        let (link, message) = parse(&format!("cell={cell}"));
        assert_eq!(link.encodings.cell, None, "{cell}");
        assert!(message.is_some(), "{cell}");
    }
    for fit in [
        "some",
        "head.0",
        "head.9",
        "all.5.0",
        "all.5.16385",
        "all.5.64.1",
        ".",
    ] {
        let (link, message) = parse(&format!("fit={fit}"));
        assert_eq!(link.kernel_options.fit, FitChoice::default(), "{fit}");
        assert!(message.is_some(), "{fit}");
    }
    for count in ["0", "5,512", "5,512,768,12,12,1", "1001", "-1", "5,"] {
        let (link, message) = parse(&format!("count={count}"));
        assert_eq!(link.kernel_options.count, [0; 0], "{count}");
        assert!(message.is_some(), "{count}");
    }
}

#[test]
fn what_is_not_understood_is_said_and_left_out() {
    for query in [
        "view=nowhere",
        "model=gpt-99",
        "layer=0",
        "layer=-3",
        "head=1e3",
        "n=7",
        "n=16385",
        "clip=21",
        "clip=NaN",
        "clip=inf",
        "clip=1e999",
        "clip=0x10",
        "clip=",
        "heads=1025",
        "length=7",
        "length=16385",
        "switched=rows,nothing",
        "switched=",
        "transposed=no",
        "query=alone",
        "key=alone",
        "window=5-5,0-9",
        "window=9-3,0-9",
        "window=0-9",
        "pin=1",
        "pin=-1,2",
        "kernels=1:2",
        "kernels=1:-1:0",
        "kernels=NaN:1:0",
        "kernels=infinity:1:0",
        "kernels=1:1:0:x",
        "kernels=1:1:0:m:m",
        "kernels=1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0",
        "map=rainbow",
        "nonsense=1",
        "rows=64",
        "offsets=some",
        "numbers=head-grid,nothing",
        "guides=nothing",
        "numbers=",
    ] {
        let (link, message) = parse(query);
        assert_eq!(link, Link::default(), "{query}");
        let message = message.expect(query);
        let (key, value) = query.split_once('=').expect("a pair");
        let excerpt: String = value.chars().take(40).collect();
        assert_eq!(
            message,
            format!("In this link, {key} = “{excerpt}” was not understood; the default is shown.")
        );
    }
    let (link, message) = parse("model=random&rows=1&seed=x&width=64");
    let table = Random {
        width: 64,
        ..Random::default()
    };
    assert_eq!(link.model, ModelRef::Random(table));
    assert_eq!(
        message.expect("a message"),
        "In this link, rows = “1” and seed = “x” were not understood; the defaults are shown."
    );
}

#[test]
fn much_that_is_not_understood_is_one_sentence() {
    let (_, message) = parse("layer=0&head=0&n=1&clip=x");
    assert_eq!(
        message.expect("a message"),
        "In this link, clip = “x”, layer = “0”, head = “0” and one more part were not understood; the defaults are shown."
    );
    let nonsense: Vec<String> = (0..1000).map(|at| format!("nonsense{at}={at}")).collect();
    let (_, message) = parse(&nonsense.join("&"));
    let message = message.expect("a message");
    assert!(
        message.contains(" and 997 more parts were not understood"),
        "{message}"
    );
}

#[test]
fn long_values_are_cut() {
    let long = "é".repeat(5000);
    let (_, message) = parse(&format!("view={long}&{long}=1"));
    let message = message.expect("a message");
    assert_eq!(message.matches(&"é".repeat(40)).count(), 2);
    assert!(!message.contains(&"é".repeat(41)), "{message}");
}

#[test]
fn links_are_readable() {
    assert_eq!(Link::default().query(), "view=positions&model=minilm-l6");
    assert_eq!(parse(""), parse("model=minilm-l6"));
    let (link, _) = parse("view=heads&model=minilm-l6&layer=3&head=7");
    assert_eq!((link.heads.layer, link.heads.head), (2, 6));
    assert_eq!(link.query(), "view=heads&model=minilm-l6&layer=3&head=7");
    let (link, notes) = parse("view=kernels&model=sinusoidal&kernels=2:0.5:-1;1:0:3:m");
    assert!(notes.is_none() && link.kernels.kernels.0[1].muted);
    assert!(link.query().ends_with("kernels=2:0.5:-1;1:0:3:m"));
    let (link, notes) = parse("hf=org/model&source=decoder&length=128&switched=norm,rows");
    assert_eq!(notes, None);
    assert_eq!(
        link.query(),
        "view=positions&hf=org/model&source=decoder&length=128&switched=rows,norm"
    );
    // An empty set of kernels differs from the default.
    let none = Link {
        kernels: KernelsSection {
            kernels: Kernels::default(),
            ..KernelsSection::default()
        },
        ..Link::default()
    };
    assert_eq!(parse(&none.query()), (none, None));
}

/// Keys keep their names and their order.
#[test]
fn links_keep_their_keys_and_their_order() {
    for query in [
        "view=heads&model=minilm-l6&compare=cosine&part=residual&window=0-8,4-12&map=viridis&clip=2.5&layer=1&head=1&mode=computed&cells=causal&sort=peak&kernels=1:0.5:-2;3:4:5:m&n=128&added=head&order=r2&colours=own&pin=3,4&encodings=n:4096;show:t5,shaw&cell=tisa.inductive&count=7&fit=all.5.64&words=1-4",
        "view=compare&model=minilm-l6&offsets=all&values=as-they-are&compare-offsets=all&numbers=offset-profile,head-grid&guides=head-matrix&encodings=about:t5&cell=tisa.inductive:32:512&kernel-offsets=all&fit-offsets=all&first-layer=open&fit-options=folded&prefix=tisa.&tokens=a+b&shuffle=7&token-positions=tisa&timeline=hand&hand-order=3,1,2&step=1000.2&models=model:sinusoidal;model:minilm-l6,left-out&more-models=7&notes=open&effects=asked",
        "view=training&model=file&file=a+b.npz&hash=00000000000000ff&source=s&table=t&query=q&key=k&transposed=yes&heads=12&length=512&switched=rows,norm",
        "view=compare&model=random&rows=128&width=32&seed=18446744073709551615&layer=2&head=3",
        "view=kernels&model=sinusoidal&rows=128&width=32&base=500.5&kernels=",
        "view=positions&url=https://example.org/a.safetensors",
        "view=images&model=minilm-l6&patches=inner-product&patch-grid=24x20&resampling=bilinear",
    ] {
        let (link, message) = parse(query);
        assert_eq!((link.query().as_str(), message), (query, None));
    }
}
