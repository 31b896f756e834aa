//! The encodings view's section of a link, and its figures.

use crate::{encoding::encoding_profiles::profile, math::laws::config};
use diagonal::{
    analysis::{
        DiagonalCells, DiagonalsOf, EncodingParameters, MOST_DISTANCES, ModelVersion, SCHEMES,
        SchemeId, UntrainedValues,
    },
    encoding::{
        Alibi, Buckets, ContextExtension, Fire, Kerple, KerpleForm, RelativeRows, Rotary, Shaw,
        Sinusoidal,
    },
    figure::{Cursor, EncodingProfiles, Figure, FlatLines, Mark, Phasors, StackedPlot, percent},
    url_state::{
        EncodingsSection, Link,
        encodings::{EncodingsChoice, PhasorChoice, PlantedWavesChoice},
    },
};
use proptest::{
    collection::{btree_set, vec},
    prelude::*,
    sample::{select, subsequence},
};
use std::collections::BTreeSet;

fn parameters() -> impl Strategy<Value = EncodingParameters> {
    let width = || (1..=512_usize).prop_map(|pairs| 2 * pairs);
    let base = || 1.001..1e9_f64;
    let alibi = (1..=128_usize).prop_flat_map(|heads| (0..heads, Just(heads)));
    let both = || (1.0..=64.0_f64, (16..=10_000_000_u32).prop_map(f64::from));
    let extension = prop_oneof![
        Just(ContextExtension::None),
        (1.0..=64.0_f64).prop_map(|factor| ContextExtension::Linear { factor }),
        (1.0..=64.0_f64).prop_map(|factor| ContextExtension::Ntk { factor }),
        both().prop_map(|(factor, length)| ContextExtension::yarn(factor, length)),
        both().prop_map(|(factor, length)| ContextExtension::llama3(factor, length)),
    ];
    let forms = [(KerpleForm::Logarithm, 1000.0), (KerpleForm::Power, 2.0)];
    let kerple = select(forms.to_vec()).prop_flat_map(|(form, greatest)| {
        (0.001..=1000.0, 0.001..=greatest).prop_map(move |(r1, r2)| Kerple { form, r1, r2 })
    });
    let fire =
        (0.001..=1000.0, 1.0..=16_384.0_f64).prop_map(|(c, threshold)| Fire { c, threshold });
    let reaching = || (2..=2048_usize, 4..=4096_usize);
    (
        (8..=16_384_usize, width(), base(), 2..=4096_usize),
        (alibi, reaching(), any::<bool>(), 1..=128_usize),
        (width(), base(), extension, reaching()),
        (width(), kerple, fire, 0..=16_383_usize),
        (
            select(&[UntrainedValues::Steps, UntrainedValues::Noise][..]),
            any::<u64>(),
        ),
    )
        .prop_map(
            |(
                (n, of_sinusoid, sinusoid_base, rows),
                ((head, heads), (count, farthest), both, reach),
                (width, base, extension, (span, far)),
                (rotated, kerple, fire, fire_row),
                (untrained, seed),
            )| {
                let usual = EncodingParameters::default();
                EncodingParameters {
                    n,
                    sinusoid: Sinusoidal {
                        rows,
                        width: of_sinusoid,
                        base: sinusoid_base,
                    },
                    alibi: Alibi { heads, head },
                    buckets: Buckets::new(count, farthest, both).unwrap_or(usual.buckets),
                    shaw: Shaw { reach },
                    rotary: Rotary {
                        width,
                        base,
                        ..usual.rotary
                    },
                    rotary_columns: rotated,
                    extension,
                    kerple,
                    fire,
                    fire_row,
                    rows: RelativeRows::new(far, Some(span)).unwrap_or(usual.rows),
                    untrained_values: untrained,
                    seed,
                }
            },
        )
}

fn link_of(section: EncodingsSection) -> Link {
    Link {
        encodings: section,
        ..Link::default()
    }
}

/// Parses the text of the `encodings` key; returns the choice, and the message about unknown parts.
fn parse(text: &str) -> (EncodingsChoice, Option<String>) {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("encodings", text);
    let (link, warnings) = Link::parse(&query.finish());
    (link.encodings.choice, warnings.message())
}

/// The text of a choice in a link.
fn text_of(chosen: &EncodingsChoice) -> String {
    let section = EncodingsSection {
        choice: chosen.clone(),
        ..EncodingsSection::default()
    };
    let query = link_of(section).query();
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let pair = pairs.iter().find(|(key, _)| key == "encodings");
    pair.map_or(String::new(), |(_, text)| text.to_string())
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn the_view_s_link_says_all_there_is(
        parameters in parameters(),
        shown in subsequence(SCHEMES, 0..=SCHEMES.len()),
        unfolded in subsequence(SCHEMES, 0..=SCHEMES.len()),
        (together, all, open_lines) in any::<(bool, bool, bool)>(),
        (position, offset) in (0..4096_usize, -4095..=4095_i64),
        distances in btree_set(0..4096_usize, 0..=MOST_DISTANCES),
    ) {
        let chosen = EncodingsChoice {
            parameters,
            drawn_schemes: shown.iter().map(|scheme| scheme.which).collect(),
            together,
            all,
            open_lines,
            distances: distances.into_iter().collect(),
            phasors: PhasorChoice { position, offset },
            unfolded_schemes: unfolded.iter().map(|scheme| scheme.which).collect(),
        };
        let text = text_of(&chosen);
        let (back, notes) = parse(&text);
        prop_assert_eq!(&back, &chosen, "{}", text);
        prop_assert_eq!(notes, None);
    }

    #[test]
    fn nonsense_is_noted_and_changes_nothing(
        words in vec("[a-z0-9]{1,8}(:-?[0-9a-z.]{0,9}){0,4}|.{0,12}", 0..8),
    ) {
        let text = words.join(";");
        let (read, notes) = parse(&text);
        // Every parsed choice can be written to a link.
        prop_assert_eq!(parse(&text_of(&read)), (read.clone(), None));
        if words.iter().any(|word| word.starts_with("zz")) {
            prop_assert!(notes.is_some());
        }
    }
}

#[test]
fn the_view_s_link_refuses_what_cannot_be() {
    assert_eq!(text_of(&EncodingsChoice::default()), "");
    assert_eq!(parse(""), (EncodingsChoice::default(), None));
    for word in [
        "n:7",
        "n:16385",
        "n:64:2",
        "sinusoid:3:100",
        "sinusoid:4:1",
        "sinusoid:4:NaN",
        "alibi:9:8",
        "alibi:0:8",
        "t5:32:8:both",
        "t5:32:128:up",
        "deberta:256:100",
        "shaw:0",
        "ntk:0.5",
        "linear:1e9",
        "linear:8:2048",
        "yarn:8",
        "yarn:0.5:2048",
        "yarn:8:15",
        "yarn:8:2048.5",
        "llama3:8:8192:1",
        "rotated:3",
        "rotated:0",
        "kerple:1:0.5",
        "kerple:power:1:2.5",
        "kerple:log:0:1",
        "kerple:log:NaN:1",
        "fire:0.1",
        "fire:0.1:0",
        "fire:-1:64",
        "fire-row:16384",
        "phasors:4096:1",
        "phasors:0:5000",
        "distances:1,x",
        "distances:4096",
        "distances:",
        "distances:0,1,2,3,4,5,6,7,8",
        "show:alibi,other",
        "noise:-1",
        "together:1",
    ] {
        let (read, notes) = parse(word);
        assert_eq!(read, EncodingsChoice::default(), "{word}");
        assert!(notes.expect(word).contains(&format!("“{word}”")), "{word}");
    }
    let (read, notes) = parse("nonsense;n:64;more;show:t5,alibi");
    assert_eq!(read.parameters.n, 64);
    // In the order of the list, not of the link.
    assert_eq!(read.drawn_schemes, [SchemeId::Alibi, SchemeId::T5]);
    assert_eq!(
        notes,
        Some(
            "In this link, encodings = “nonsense;more” was not understood; the default is shown."
                .to_owned()
        )
    );
}

fn drawn(together: bool, kept: &[SchemeId], offsets: (f64, f64)) -> EncodingProfiles {
    let parameters = EncodingParameters {
        n: 48,
        rotary: Rotary {
            width: 4,
            base: 256.0,
            ..Rotary::default()
        },
        ..EncodingParameters::default()
    };
    EncodingProfiles {
        fixed_ranges: Vec::new(),
        profiles: SCHEMES
            .iter()
            .filter(|scheme| kept.contains(&scheme.which))
            .map(|scheme| profile(scheme.which, &parameters))
            .collect(),
        open: "a-model-of-a-rather-long-name".into(),
        head: Some((3, 7)),
        offsets,
        together,
        strip_height: StackedPlot::STRIP_HEIGHT,
    }
}

/// The words of links that other versions of the page have written.
#[test]
fn words_of_older_links_are_understood() {
    let read = |text| parse(text).0.parameters;
    let rotary = read("rotary:128:500000;linear:4");
    assert_eq!((rotary.rotary.width, rotary.rotary.base), (128, 5e5));
    assert_eq!(rotary.extension, ContextExtension::Linear { factor: 4.0 });
    let ntk = ContextExtension::Ntk { factor: 8.0 };
    assert_eq!(read("n:4096;ntk:8").extension, ntk);
    // Of two changes the last counts.
    assert_eq!(read("linear:2;ntk:8").extension, ntk);
    assert_eq!(
        read("yarn:16:4096").extension,
        ContextExtension::yarn(16.0, 4096.0)
    );
}

#[test]
fn examples_are_called_so_however_they_are_drawn() {
    for together in [false, true] {
        let scene = drawn(together, &[SchemeId::Alibi, SchemeId::T5], (-20.5, 20.5)).scene(640.0);
        let says_so =
            |mark: &Mark| matches!(mark, Mark::Text { text, .. } if text.contains("example"));
        assert_eq!(scene.marks.iter().filter(|mark| says_so(mark)).count(), 1);
    }
}

fn flat_lines() -> FlatLines {
    // Piecewise straight, like a table after little training.
    let bent = |distance: usize| -> Vec<f64> {
        (distance..60)
            .map(|i| 10.0 - distance as f64 / 4.0 + ((i % 20) as f64 - 10.0).abs() / 16.0)
            .collect()
    };
    let distances = [1, 4, 16, 32];
    FlatLines::for_learned_table(&distances, &distances.map(bent))
}

fn dials(width: usize, offset: i64) -> Phasors {
    let table = Sinusoidal {
        rows: 64,
        width,
        base: 10_000.0,
    };
    Phasors {
        frequencies: table.frequencies().collect(),
        position: 3,
        offset,
    }
}

/// The view's figures from small fixed data, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let all: Vec<SchemeId> = SCHEMES.iter().map(|scheme| scheme.which).collect();
    // Without schemes whose values depend on the last digits of a cosine.
    let few = [
        SchemeId::Alibi,
        SchemeId::T5,
        SchemeId::Shaw,
        SchemeId::Deberta,
    ];
    let flat = [1, 2, 4];
    let level = |d: usize| vec![32.0 - d as f64; 64 - d];
    let sinusoidal = FlatLines::sinusoidal(&flat, &flat.map(level), &[31.0, 30.0, 28.0]);
    let at = Some(Cursor::Offset(-4));
    vec![
        (
            "encoding-profile",
            Box::new(drawn(false, &all, (-40.5, 40.5))),
            at,
        ),
        (
            "encoding-profile-few",
            Box::new(drawn(false, &few, (-47.5, 0.5))),
            None,
        ),
        (
            "encoding-profile-together",
            Box::new(drawn(true, &all, (-20.5, 20.5))),
            at,
        ),
        ("flat-lines", Box::new(sinusoidal), None),
        ("flat-lines-learned", Box::new(flat_lines()), at),
        ("phasors", Box::new(dials(128, 4)), None),
        ("phasors-few", Box::new(dials(6, -2)), None),
    ]
}

#[test]
fn tables_hold_what_was_drawn() {
    let table = drawn(false, &[SchemeId::Alibi, SchemeId::Rotary], (-8.5, 8.5)).table();
    let names: Vec<&str> = table.names().collect();
    let expected = [
        "offset",
        "alibi",
        "alibi_scaled",
        "rotary",
        "rotary_scaled",
        "rotary_envelope",
    ];
    assert_eq!(names, expected);
    let fire = drawn(false, &[SchemeId::Fire], (-8.5, 8.5)).table();
    let names: Vec<&str> = fire.names().collect();
    assert_eq!(
        names,
        ["offset", "fire", "fire_scaled", "fire_mean", "fire_r2"]
    );
    let words = |schemes: &[SchemeId]| drawn(false, schemes, (-8.5, 8.5)).line_words();
    assert_eq!(words(&[SchemeId::Alibi]), "");
    assert!(words(&[SchemeId::PartialRotary]).ends_with("rotary scores is their envelope."));
    let r2 = fire
        .csv()
        .lines()
        .nth(1)
        .and_then(|row| row.split(',').next_back()?.parse().ok());
    let share = format!(" {} of the variance", percent(r2.unwrap_or(f64::NAN)));
    assert!(words(&[SchemeId::Fire]).contains(&share), "{share}");
    // All offsets, though the figure shows fewer.
    assert_eq!(table.rows(), 2 * 48 - 1);
    let csv = table.csv();
    let row = csv.lines().nth(1 + 47 - 8).expect("offset −8");
    // Slope 1/16 at distance eight; the value range of the figure is exactly that.
    assert!(row.starts_with("-8,-0.5,-1,"), "{row}");

    let table = flat_lines().table();
    let names: Vec<&str> = table.names().collect();
    let expected = [
        "distance",
        "start",
        "inner_product",
        "mean",
        "closed_form",
        "largest_deviation",
    ];
    assert_eq!(names, expected);
    assert_eq!(table.rows(), 59 + 56 + 44 + 28);
    let level = FlatLines::sinusoidal(&[2], &[vec![3.0, 3.25]], &[3.0]);
    assert_eq!(level.deviation(), 0.25);
    let csv = level.table().csv();
    assert_eq!(
        csv,
        "distance,start,inner_product,mean,closed_form,largest_deviation\n2,0,3,3.125,3,0.25\n2,1,3.25,3.125,3,0.25\n"
    );

    let phasors = dials(6, -2);
    let table = phasors.table();
    let names: Vec<&str> = table.names().collect();
    let expected = [
        "pair",
        "frequency",
        "wavelength",
        "angle_first",
        "angle_between",
        "cosine",
    ];
    assert_eq!((names.as_slice(), table.rows()), (&expected[..], 3));
    let cosines: f64 = table
        .csv()
        .lines()
        .skip(1)
        .map(|row| {
            row.rsplit(',')
                .next()
                .and_then(|cell| cell.parse::<f64>().ok())
                .expect("a number")
        })
        .sum();
    assert!((cosines - phasors.inner_product()).abs() < 1e-12);
}

#[test]
fn pointing_at_a_flat_line_points_at_its_offset() {
    let figure = flat_lines();
    let width = 640.0;
    let mut found = BTreeSet::new();
    for y in 0..figure.height(width) as usize {
        if let Some(Cursor::Offset(k)) = figure.cursor_at(width, 120.0, y as f64) {
            found.insert(k);
        }
    }
    assert_eq!(found, BTreeSet::from([1, 4, 16, 32]));
    let lit = |k| figure.overlay(width, Some(Cursor::Offset(k))).marks.len();
    assert_eq!((lit(4), lit(-4), lit(5)), (1, 1, 0));
}

#[test]
fn lines_are_drawn_beside_what_their_table_promises() {
    let table = Sinusoidal {
        rows: 16,
        width: 8,
        base: 100.0,
    };
    let ask = |of| DiagonalCells {
        of,
        distances: vec![1, 2],
    };
    let products: Vec<Vec<f64>> = [1, 2]
        .map(|d: i64| vec![table.inner_product(d) + 0.5; 16 - d as usize])
        .to_vec();
    // A computed table is compared with its closed form, not with the measured means.
    let computed = ask(DiagonalsOf::Sinusoidal(table));
    let lines = FlatLines::from_answer(&computed, &products);
    assert!((lines.deviation() - 0.5).abs() < 1e-12);
    assert!(lines.table().names().any(|name| name == "closed_form"));
    let caption = lines.caption(computed.of, "some model");
    assert!(
        caption.contains("constant in i (to within 0.500), and 4.00 at d = 0"),
        "{caption}"
    );
    assert!(!caption.contains("some model"));
    // Any other table is compared with its means.
    let learned = ask(DiagonalsOf::Model(ModelVersion { id: 1, revision: 1 }));
    let lines = FlatLines::from_answer(&learned, &products);
    assert!(lines.deviation() < 1e-12);
    assert!(lines.table().names().any(|name| name == "mean"));
    let caption = lines.caption(learned.of, "some model");
    assert!(
        caption.contains("rows i and i + d of some model,"),
        "{caption}"
    );
    // Scores by offset are not products of rows.
    let caption = lines.by_offset(true).caption(learned.of, "some model");
    assert!(caption.contains("key i + d of some model,"), "{caption}");
}

#[test]
fn frequencies_are_typed_in_any_order() {
    let typed = PlantedWavesChoice::typed_frequencies;
    assert_eq!(typed("13, 1 3;5,3"), Ok(vec![1, 3, 5, 13]));
    for wrong in ["", "0", "x", "1.5", "129", "1 2 3 4 5 6 7 8 9"] {
        let sentence = typed(wrong).expect_err(wrong);
        assert!(
            sentence.ends_with('.') && sentence.len() < 120,
            "{sentence}"
        );
    }
}

#[test]
fn distances_are_typed_in_any_order() {
    let typed = EncodingsChoice::typed_distances;
    assert_eq!(typed("13, 1 3;5,3"), Ok(vec![1, 3, 5, 13]));
    assert_eq!(typed("  "), Ok(Vec::new()));
    for wrong in [
        "-1",
        "x",
        "1.5",
        "4096",
        "0 1 2 3 4 5 6 7 8",
        "99999999999999999999999999",
    ] {
        let sentence = typed(wrong).expect_err(wrong);
        assert!(
            sentence.ends_with('.') && sentence.len() < 120,
            "{sentence}"
        );
    }
    let (read, notes) = parse("lines:15;sinusoid:8:10000;distances:1,3,5,7,9,11,13");
    assert_eq!(read.distances, [1, 3, 5, 7, 9, 11, 13]);
    assert_eq!(notes, None);
}
