//! Questions about waves in a session: every kind of model, and the messages for models without waves.

use super::golden_minilm;
use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{f32s, tensors, write},
        questions::{FIRST, ask, folder, head_of_first, open, with_computed},
    },
};
use diagonal::{
    analysis::{
        ANGLE_BINS, ColumnChoice, FailureKind, HeadGrouping, HeadRotation, HeadWaves, LayerSpectra,
        MemorySession, Origin, ScoreInput, ScoreMode, SinusoidTest, SinusoidVerdict, TableColumns,
        TableWaves,
    },
    checkpoint::MemorySource,
    encoding::{Random, Sinusoidal},
    math::{AttentionSpan, GroupCount, Layout},
    model::ModelOptions,
};

const MODES: [ScoreMode; 2] = [ScoreMode::Paper, ScoreMode::AsComputed];

fn with_folder(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    session
}

fn grouping(count: GroupCount) -> HeadGrouping {
    HeadGrouping {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        count,
        seed: 1,
    }
}

/// Encoders, decoders, both in one, images, projected tables, norms inside layers, odd numbers of positions.
#[test]
fn every_model_with_a_table_has_waves() {
    for name in [
        "bert",
        "roberta",
        "albert",
        "electra",
        "distilbert",
        "gpt2",
        "bart",
        "vit",
        "opt",
        "opt-projected",
        "mbart",
        "openai-gpt",
        "longformer",
        "timm-vit",
        "clip",
        "whisper",
        "mpnet",
    ] {
        let session = with_folder(name);
        let table = ask(&session, TableWaves { of: FIRST }).expect(name);
        let spectrum = table.spectrum.expect(name);
        assert_eq!(spectrum.mean.len(), spectrum.n / 2 + 1, "{name}");
        assert_eq!(spectrum.control.len(), spectrum.mean.len(), "{name}");
        let components = table.components.expect(name);
        assert!(
            (components.cumulative.last().expect(name) - 1.0).abs() < 1e-9,
            "{name}"
        );
        assert!(
            components
                .along
                .iter()
                .all(|along| along.len() == spectrum.n),
            "{name}"
        );
        table.density.expect(name);
        for mode in MODES {
            let of = head_of_first(mode, 0, 0);
            let waves = ask(&session, HeadWaves { of }).expect(name).expect(name);
            assert!(
                waves.identity_error < 1e-4,
                "{name}, {mode:?}: {}",
                waves.identity_error
            );
            assert!(
                waves
                    .waves
                    .iter()
                    .all(|wave| wave.query.len() == spectrum.n),
                "{name}"
            );
            for (at, wave) in waves.waves.iter().enumerate() {
                if let Some(partner) = wave.partner {
                    assert_eq!(waves.waves[partner].partner, Some(at), "{name}");
                }
            }
            let turn = ask(&session, HeadRotation { of }).expect(name).expect(name);
            assert_eq!(turn.weights.len(), ANGLE_BINS * turn.frequencies, "{name}");
            assert!(
                turn.weights
                    .iter()
                    .all(|weight| weight.is_finite() && *weight >= 0.0),
                "{name}"
            );
            let layers = ask(
                &session,
                LayerSpectra {
                    of: FIRST,
                    input: mode.into(),
                },
            )
            .expect(name);
            for (at, layer) in layers.iter().enumerate() {
                assert_eq!((layer.layer, &layer.left_out), (at, &None), "{name}");
                let all = layer.query.iter().chain(&layer.key);
                assert_eq!(all.clone().count(), 2 * spectrum.mean.len(), "{name}");
                assert!(all.clone().all(|most| most.is_finite()), "{name}");
            }
        }
        let groups = ask(&session, grouping(GroupCount::BySilhouette)).expect(name);
        assert_eq!(
            groups.clusters.of.len(),
            groups.traces.iter().flatten().count(),
            "{name}"
        );
    }
}

#[test]
fn positions_without_rows_say_so() {
    for name in ["t5", "swin", "deberta", "tisa", "llama"] {
        let session = with_folder(name);
        let table = ask(&session, TableWaves { of: FIRST });
        // A rotary model has the table of its angles, but no table that heads could read.
        assert_eq!(table.is_ok(), name == "llama", "{name}");
        let of = head_of_first(ScoreMode::Paper, 0, 0);
        for failure in [
            table.err(),
            ask(&session, HeadWaves { of }).err(),
            ask(&session, HeadRotation { of }).err(),
        ] {
            let Some(failure) = failure else { continue };
            assert_eq!(failure.kind, FailureKind::NotThere, "{name}");
            assert_is_sentence(&failure.to_string());
        }
        let groups = ask(&session, grouping(GroupCount::Chosen(2)));
        assert!(groups.is_ok(), "{name}: {groups:?}");
    }
}

#[test]
fn computed_tables_are_known_for_what_they_are() {
    let size = (96, 32);
    let sinusoidal = Sinusoidal {
        rows: size.0,
        width: size.1,
        base: 10_000.0,
    };
    let random = Random {
        rows: size.0,
        width: size.1,
        seed: 4,
    };
    for (origin, verdict) in [
        (
            Origin::Sinusoidal(sinusoidal),
            SinusoidVerdict::Computed(Layout::Interleaved),
        ),
        (Origin::Random(random), SinusoidVerdict::Learned),
    ] {
        let session = with_computed(origin);
        let evidence = ask(&session, SinusoidTest { of: FIRST })
            .expect("an answer")
            .expect("numbers");
        assert_eq!(evidence.verdict(), verdict, "{evidence:?}");
        assert_is_sentence(&evidence.sentence());
        assert!(
            ask(&session, TableWaves { of: FIRST })
                .expect("an answer")
                .spectrum
                .is_ok()
        );
        let of = head_of_first(ScoreMode::Paper, 0, 0);
        let failure = ask(&session, HeadWaves { of }).expect_err("it has no heads");
        assert_eq!(failure.kind, FailureKind::NotThere);
    }
    // Whisper's encoder stores a computed table; another base is another table, also of sinusoids.
    let other = Sinusoidal {
        base: 300.0,
        ..sinusoidal
    };
    let session = with_computed(Origin::Sinusoidal(other));
    let evidence = ask(&session, SinusoidTest { of: FIRST })
        .expect("an answer")
        .expect("numbers");
    assert_eq!(
        evidence.verdict(),
        SinusoidVerdict::OtherSinusoids,
        "{evidence:?}"
    );
}

#[test]
fn the_preset_is_learned_waves() {
    let (session, _) = golden_minilm::open();
    let evidence = ask(&session, SinusoidTest { of: FIRST })
        .expect("an answer")
        .expect("numbers");
    println!("{}", evidence.sentence());
    assert_eq!(
        evidence.verdict(),
        SinusoidVerdict::LearnedWaves,
        "{evidence:?}"
    );
    assert!(
        evidence.random_few < 0.15 && evidence.random_own < 0.1,
        "{evidence:?}"
    );

    // Head 3 of the first layer attends to the previous position, by every measure.
    let of = head_of_first(ScoreMode::AsComputed, 0, 2);
    let waves = ask(&session, HeadWaves { of })
        .expect("an answer")
        .expect("waves");
    assert_eq!(waves.peak(), -1);
    let turn = ask(&session, HeadRotation { of })
        .expect("an answer")
        .expect("a rotation");
    let shift = turn.shift().expect("one shift");
    assert!((shift - 1.0).abs() < 0.3, "{shift}");
    let groups = ask(&session, grouping(GroupCount::Chosen(6))).expect("groups");
    assert_eq!(
        groups.clusters.names[groups.clusters.of[2]],
        AttentionSpan::Previous
    );
    let by_silhouette = ask(&session, grouping(GroupCount::BySilhouette)).expect("groups");
    println!(
        "{:?} {:?}",
        groups.clusters.names, by_silhouette.clusters.names
    );
    // The same seed gives the same groups; traces are cached between two groupings.
    assert_eq!(
        ask(&session, grouping(GroupCount::Chosen(6))).expect("groups"),
        groups
    );
}

#[test]
fn columns_are_those_that_were_asked_for() {
    let (session, summary) = golden_minilm::open();
    let columns = |choice| {
        let found = ask(&session, TableColumns { of: FIRST, choice })
            .expect("an answer")
            .expect("columns");
        found.iter().map(|column| column.column).collect::<Vec<_>>()
    };
    assert_eq!(columns(ColumnChoice::These(vec![7, 3, 3000])), [7, 3]);
    let (some, same) = (
        columns(ColumnChoice::Random(4, 9)),
        columns(ColumnChoice::Random(4, 9)),
    );
    assert_eq!((some.len(), &some), (4, &same));
    assert_ne!(some, columns(ColumnChoice::Random(4, 10)));
    let question = TableColumns {
        of: FIRST,
        choice: ColumnChoice::Strongest(999),
    };
    let strongest = ask(&session, question)
        .expect("an answer")
        .expect("columns");
    let heights: Vec<f32> = strongest
        .iter()
        .map(|c| c.amplitudes[c.peak.expect("it varies")])
        .collect();
    assert!(
        heights.windows(2).all(|two| two[0] >= two[1]),
        "{heights:?}"
    );
    assert!(
        strongest
            .iter()
            .all(|column| column.values.len() == summary.rows)
    );
}

/// Zero weights: the head reports it, the layer reports it for its heads, and other heads are unaffected.
#[test]
fn weights_of_zero_are_an_answer() {
    let mut tensors = tensors("bert");
    let name = "encoder.layer.0.attention.self.query.weight";
    let key = tensors
        .keys()
        .find(|key| key.ends_with(name))
        .expect("queries")
        .clone();
    tensors.insert(key, f32s(&[64, 64], |_| 0.0));
    let session = MemorySession::default();
    let mut files = folder("bert");
    for (file, bytes) in &mut files {
        if file.ends_with("model.safetensors") {
            *bytes = MemorySource::new(write(&tensors));
        }
    }
    open(&session, files, ModelOptions::default()).expect("bert");
    let of = head_of_first(ScoreMode::Paper, 0, 0);
    let why = ask(&session, HeadWaves { of })
        .expect("an answer")
        .expect_err("nothing");
    assert_is_sentence(&why.to_string());
    assert_eq!(
        ask(&session, HeadRotation { of }).expect("an answer").err(),
        Some(why.clone())
    );
    let mode = ScoreMode::Paper;
    let layers = ask(
        &session,
        LayerSpectra {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("an answer");
    assert_eq!(layers[0].left_out, Some((4, why)));
    assert_eq!(layers[1].left_out, None);
    ask(&session, grouping(GroupCount::BySilhouette)).expect("attention is uniform there");
}
