//! Angles of every layer: configurations that are opened without weights, the question, and the figure.

use diagonal::{
    analysis::{
        AngleSet, AngleSource, GroupFiles, ModelAngles, ModelSummary, PositionKind,
        PositionOverview, RotaryAngleSets, RotaryFindings, Similarity,
    },
    checkpoint::MemorySource,
    encoding::{ContextExtension, LongRope, RotaryAngles},
    figure::{AngleChange, Cursor, Figure, Plot, PlotMark, length_words, rotary_angles},
    model::{Correction, ModelOptions},
};
use serde_json::{Value, json};
use std::f64::consts::TAU;

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::config,
        questions::{FIRST, ask, ask_with_files, folder, open, open_otherwise, with_bert},
    },
};

pub(super) fn file(name: &str, content: &Value) -> (String, MemorySource) {
    (
        name.to_owned(),
        MemorySource::from(content.to_string().into_bytes()),
    )
}

/// A rotary configuration with some entries added or replaced.
pub(super) fn with(entries: &Value) -> Value {
    let mut config = json!({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
        "num_hidden_layers": 3, "max_position_embeddings": 2048, "rope_theta": 1e4});
    for (key, value) in entries.as_object().expect("entries") {
        config[key] = value.clone();
    }
    config
}

fn note(summary: &ModelSummary, title: &str) -> Option<String> {
    let note = summary.notes.iter().find(|note| note.title == title);
    note.map(|note| note.text.clone())
}

#[test]
fn a_rotary_configuration_opens_without_weights() {
    let session = diagonal::analysis::MemorySession::default();
    let gemma = json!({"model_type": "gemma3_text", "hidden_size": 1152, "num_attention_heads": 4, "head_dim": 256,
        "num_hidden_layers": 7, "max_position_embeddings": 32768, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
        "sliding_window": 512, "rope_scaling": {"rope_type": "linear", "factor": 8.0}});
    let files = || vec![file("my-model/config.json", &gemma)];
    let groups = ask_with_files(&session, GroupFiles, files()).expect("groups");
    assert_eq!(groups.models.len(), 1);
    assert_eq!(
        (groups.models[0].name.as_str(), &groups.models[0].files),
        ("my-model", &vec![0])
    );
    assert!(groups.messages.is_empty(), "{:?}", groups.messages);
    let summary = open(&session, files(), ModelOptions::default()).expect("it opens");
    assert_eq!(summary.kind, PositionKind::Rotary);
    assert!(note(&summary, "No heads").is_some_and(|text| text.contains("weights")));
    let similarity = Similarity::InnerProduct;
    ask(
        &session,
        PositionOverview {
            of: FIRST,
            similarity,
        },
    )
    .expect("positions");
    let angles = ask(&session, RotaryAngleSets { of: FIRST }).expect("an answer");
    let angles = angles.expect("angles");
    assert_eq!((angles.layers, angles.sets.len()), (7, 2));
    let layers: Vec<_> = angles
        .sets
        .iter()
        .map(|set| (set.is_local, set.layers.clone()))
        .collect();
    assert_eq!(layers, [(false, vec![5]), (true, vec![0, 1, 2, 3, 4, 6])]);
    assert_eq!(
        (angles.trained_length, angles.claimed_length),
        (None, Some(32768.0))
    );
    let global = &angles.sets[0];
    let (plain, scaled) = (
        global.trained_frequencies(None),
        global.frequencies_as_configured(128, None, None),
    );
    assert!(
        plain
            .iter()
            .zip(&scaled)
            .all(|(plain, scaled)| *scaled == plain / 8.0)
    );
    // The switch of the note is that of the figure.
    let choice = ModelOptions::default().switch(Correction::AngleScaling);
    open_otherwise(&session, FIRST, choice).expect("it opens");
    let of = diagonal::analysis::ModelVersion { id: 1, revision: 1 };
    let unscaled = ask(&session, RotaryAngleSets { of })
        .expect("an answer")
        .expect("angles");
    assert!(angles.is_scaled && !unscaled.is_scaled);
}

#[test]
fn every_model_of_its_own_format_opens_from_its_configuration() {
    let session = diagonal::analysis::MemorySession::default();
    let params = json!({"dim": 512, "n_heads": 4, "n_layers": 3, "rope_theta": 5e5, "use_scaled_rope": true});
    open(
        &session,
        vec![file("params.json", &params)],
        ModelOptions::default(),
    )
    .expect("it opens");
    let angles = ask(&session, RotaryAngleSets { of: FIRST })
        .expect("an answer")
        .expect("angles");
    assert_eq!(angles.sets[0].angles.factor(), Some(8.0));
    assert_eq!(angles.sets[0].layers, [0, 1, 2]);
}

#[test]
fn other_configurations_need_weights() {
    let session = with_bert();
    for config in [
        json!({"model_type": "bert", "hidden_size": 64, "num_attention_heads": 4}),
        json!({"model_type": "gpt2", "n_embd": 64, "n_head": 4}),
        with(&json!({"model_type": "falcon", "alibi": true})),
        with(&json!({"head_dim": u32::MAX})),
    ] {
        let files = || vec![file("config.json", &config)];
        let groups = ask_with_files(&session, GroupFiles, files()).expect("groups");
        assert!(groups.models.is_empty(), "{config}");
        let [message] = &groups.messages[..] else {
            panic!("{:?}", groups.messages);
        };
        assert!(message.contains("weights are not here"), "{message}");
        let failure = open(&session, files(), ModelOptions::default()).expect_err("no model");
        assert_is_sentence(&failure.to_string());
    }
    // Beside weights a configuration is none of its own.
    let mut files = folder("bert");
    files.push(file("other/config.json", &with(&json!({}))));
    let groups = ask_with_files(&session, GroupFiles, files).expect("groups");
    assert_eq!(groups.models.len(), 1);
    // A model that is not rotary has no angles.
    assert_eq!(
        ask(&session, RotaryAngleSets { of: FIRST }).expect("an answer"),
        None
    );
    assert!(!config("bert").is_empty());
}

#[test]
fn a_folder_of_many_configurations_opens_a_few() {
    let files = (0..50).map(|at| file(&format!("{at}/config.json"), &with(&json!({}))));
    let session = diagonal::analysis::MemorySession::default();
    let groups = ask_with_files(&session, GroupFiles, files.collect()).expect("groups");
    assert_eq!(groups.models.len(), 8);
}

#[test]
fn impossible_values_are_named_with_their_field() {
    let session = diagonal::analysis::MemorySession::default();
    let list = |count: usize| vec![1.0; count];
    for (entries, words) in [
        (
            json!({"rope_scaling": {"type": "linear", "factor": 0}}),
            "“factor” is 0",
        ),
        (
            json!({"rope_scaling": {"type": "yarn", "factor": 1e30}}),
            "“factor” is 1000000",
        ),
        (
            json!({"rope_scaling": {"type": "linear", "factor": "NaN"}}),
            "“factor” is \"NaN\"",
        ),
        (
            json!({"rope_scaling": {"type": "yarn", "factor": "four"}}),
            "“factor” is \"four\"",
        ),
        (
            json!({"rope_scaling": {"type": "longrope", "short_factor": list(3), "long_factor": list(8)}}),
            "“short_factor” has 3 numbers",
        ),
        (
            json!({"rope_scaling": {"type": "longrope", "short_factor": list(8), "long_factor": "x"}}),
            "“long_factor” is no list",
        ),
        (
            json!({"head_dim": 17}),
            "is 17, but columns are rotated in pairs",
        ),
        (json!({"hidden_size": 66}), "66 columns of the model"),
        (
            json!({"num_key_value_heads": 3}),
            "“num_key_value_heads” is 3",
        ),
        (json!({"rotary_dim": 32}), "“rotary_dim” is 32"),
        (
            json!({"partial_rotary_factor": 1.5}),
            "“partial_rotary_factor” is 1.5",
        ),
        (json!({"rope_theta": -5}), "“rope_theta” is -5"),
        (
            json!({"rope_parameters": {"rope_theta": 0}, "rope_theta": null}),
            "“rope_theta” in “rope_parameters” is 0",
        ),
        (
            json!({"layer_types": ["full_attention"]}),
            "“layer_types” has 1 entry",
        ),
        (
            json!({"no_rope_layers": [1, 0]}),
            "“no_rope_layers” has 2 entries",
        ),
        (json!({"mrope_section": [2, 2, 2]}), "which sums to 6"),
        (
            json!({"num_hidden_layers": 4_000_000}),
            "“num_hidden_layers” is 4,000,000",
        ),
    ] {
        let files = vec![file("config.json", &with(&entries))];
        let summary = open(&session, files, ModelOptions::default());
        let summary = summary.unwrap_or_else(|failure| panic!("{entries}: {failure}"));
        let notes = summary.notes.iter().map(|note| note.text.clone());
        let findings = ask(&session, RotaryFindings { of: FIRST }).expect("findings");
        let texts = notes.chain(findings.into_iter().map(|finding| finding.sentence));
        let said: Vec<_> = texts.filter(|text| text.contains(words)).collect();
        assert_eq!(said.len(), 1, "{entries}: {said:?}");
        assert_is_sentence(&said[0]);
        let angles = ask(&session, RotaryAngleSets { of: FIRST }).expect("an answer");
        let plot = rotary_angles(&angles.expect("angles"), AngleChange::default());
        assert!(plot.is_some(), "{entries}");
    }
    // Python writes numbers that JSON does not have.
    let text = with(&json!({"rope_scaling": {"type": "linear", "factor": "X"}})).to_string();
    let text = text.replace("\"X\"", "NaN").into_bytes();
    let files = vec![("config.json".to_owned(), MemorySource::from(text))];
    let summary = open(&session, files, ModelOptions::default()).expect("it opens");
    let text = note(&summary, "Stretched angles").expect("a note");
    assert!(text.contains("“factor” is \"NaN\""), "{text}");
}

/// Angles of six layers: one with other angles, and one that rotates nothing.
fn angles() -> ModelAngles {
    let set = |layers: &[usize], is_local: bool, base: f64, extension: ContextExtension| AngleSet {
        layers: layers.to_vec(),
        is_local,
        angles: AngleSource::Line(RotaryAngles {
            extension,
            ..RotaryAngles::new(32, base)
        }),
        divisors: Vec::new(),
        turning: 16,
        axes: Vec::new(),
    };
    let llama3 = ContextExtension::Llama3 {
        factor: 8.0,
        low_turns: 1.0,
        high_turns: 4.0,
        trained_length: 4096.0,
    };
    ModelAngles {
        sets: vec![
            set(&[3], false, 1e6, llama3),
            set(&[0, 1, 2, 4], true, 1e4, ContextExtension::None),
        ],
        layers: 6,
        unrotated_layers: vec![5],
        without_attention: Vec::new(),
        trained_length: Some(4096.0),
        claimed_length: Some(32768.0),
        length: 128,
        is_scaled: true,
        has_patches: false,
        grid: None,
    }
}

/// A caption says which angles are drawn where they depend on the length of the text.
#[test]
fn captions_name_the_length_for_which_angles_are_drawn() {
    assert_eq!(length_words(&angles()), None);
    let words = |extension: ContextExtension, length: usize, is_scaled: bool| {
        let mut angles = angles();
        angles.sets[0].angles = AngleSource::Line(RotaryAngles {
            extension,
            ..RotaryAngles::new(32, 1e4)
        });
        (angles.length, angles.is_scaled) = (length, is_scaled);
        length_words(&angles)
    };
    let list = ContextExtension::LongRope(LongRope {
        short_divisors: vec![1.0; 16],
        long_divisors: vec![2.0; 16],
        trained_length: 4096.0,
        attention_factor: 1.0,
    });
    let long_rope = |length| words(list.clone(), length, true).expect("words");
    assert!(
        long_rope(4096).ends_with("Drawn is the list for short texts, of at most 4,096 tokens.")
    );
    assert!(
        long_rope(4097).ends_with("Drawn is the list for long texts, of more than 4,096 tokens.")
    );
    assert_eq!(words(list.clone(), 128, false), None);
    let dynamic = ContextExtension::Dynamic {
        factor: 2.0,
        trained_length: 2048.0,
    };
    let dynamic = words(dynamic, 5000, true).expect("words");
    assert_eq!(
        dynamic,
        "The base grows with texts of more than 2,048 tokens. Drawn is a text of 5,000 tokens."
    );
}

/// The answer for a configuration alone, or with tensors.
pub(super) fn angles_of(files: Vec<(String, MemorySource)>, source: Option<&str>) -> ModelAngles {
    let session = diagonal::analysis::MemorySession::default();
    let choice = ModelOptions {
        source: source.map(str::to_owned),
        ..ModelOptions::default()
    };
    let summary = open(&session, files, choice).expect("it opens");
    assert!(summary.has_rotation);
    let angles = ask(&session, RotaryAngleSets { of: FIRST }).expect("an answer");
    angles.expect("angles")
}

/// Header and rows of a figure's CSV.
pub(super) fn csv_of(angles: &ModelAngles) -> (String, Vec<Vec<String>>) {
    let plot = rotary_angles(angles, AngleChange::default()).expect("a plot");
    let csv = plot.table.csv();
    let mut lines = csv.lines().map(str::to_owned);
    let header = lines.next().expect("a header");
    let cells = |row: String| row.split(',').map(str::to_owned).collect();
    (header, lines.map(cells).collect())
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let plot = rotary_angles(&angles(), AngleChange::default()).expect("a plot");
    vec![("rotary-angles", Box::new(plot), None)]
}

/// Names of the lines in the legend, and how many lines are dashed.
pub(super) fn lines(plot: &Plot) -> (Vec<String>, usize) {
    let dots = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) => Some(dots),
        _ => None,
    });
    let dots: Vec<_> = dots.collect();
    let names = dots.iter().map(|dots| dots.name.clone());
    let names = names.filter(|name| !name.is_empty()).collect();
    (names, dots.iter().filter(|dots| dots.is_dashed).count())
}

#[test]
fn lines_are_sets_of_angles_with_their_layers() {
    let plot = rotary_angles(&angles(), AngleChange::default()).expect("a plot");
    let names = ["layer 4 (global)", "layers 1–3, 5 (local)"].map(str::to_owned);
    assert_eq!(lines(&plot), (names.to_vec(), 1));
    assert!(
        plot.summary.contains("Layer 6 rotates nothing."),
        "{}",
        plot.summary
    );
    assert!(
        plot.summary.contains("trained for 4,096 tokens"),
        "{}",
        plot.summary
    );
    let csv = plot.table.csv();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "layer,pair,wavelength,unscaled");
    assert_eq!(rows.len(), 1 + 5 * 16);
    assert!(rows[1].starts_with("1,1,6.28"), "{}", rows[1]);
    // The slowest pair of the fourth layer is divided by the factor.
    let last: Vec<f64> = rows[1 + 4 * 16 - 1]
        .split(',')
        .filter_map(|cell| cell.parse().ok())
        .collect();
    let unscaled = TAU * 1e6_f64.powf(30.0 / 32.0);
    assert_eq!((last[0], last[1]), (4.0, 16.0));
    assert!(
        (last[3] / unscaled - 1.0).abs() < 1e-9 && (last[2] / (8.0 * unscaled) - 1.0).abs() < 1e-9
    );
}

#[test]
fn sliders_replace_factor_and_base() {
    let slowest = |change: AngleChange| {
        let plot = rotary_angles(&angles(), change).expect("a plot");
        let csv = plot.table.csv();
        let row = csv.lines().nth(4 * 16).expect("a row");
        row.split(',')
            .nth(2)
            .and_then(|cell| cell.parse::<f64>().ok())
            .expect("a number")
    };
    let plain = slowest(AngleChange::default());
    let twice = slowest(AngleChange {
        factor: Some(16.0),
        base: None,
    });
    assert!((twice / plain - 2.0).abs() < 1e-9);
    let other = slowest(AngleChange {
        factor: None,
        base: Some(1e5),
    });
    let expected = 8.0 * TAU * 1e5_f64.powf(30.0 / 32.0);
    assert!((other / expected - 1.0).abs() < 1e-9);
    // Switched off, the layers use the angles of training.
    let unscaled = ModelAngles {
        is_scaled: false,
        ..angles()
    };
    let plot = rotary_angles(&unscaled, AngleChange::default()).expect("a plot");
    assert_eq!(lines(&plot).1, 0);
    assert!(plot.table.csv().lines().skip(1).all(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        cells[2] == cells[3]
    }));
}

#[test]
fn extreme_angles_are_drawn() {
    let mut odd = angles();
    odd.sets[0].angles = AngleSource::Line(RotaryAngles::new(32, 1e300));
    (odd.trained_length, odd.claimed_length, odd.layers) = (None, None, 0);
    for set in &mut odd.sets {
        set.layers.clear();
    }
    let plot = rotary_angles(&odd, AngleChange::default()).expect("a plot");
    assert!(plot.scene(640.0).marks.len() < 500);
    assert_eq!(lines(&plot).0, ["global layers", "local layers"]);
    odd.sets.clear();
    assert!(rotary_angles(&odd, AngleChange::default()).is_none());
    let many = AngleSet {
        layers: (0..4096).step_by(2).collect(),
        ..angles().sets[1].clone()
    };
    let many = ModelAngles {
        sets: vec![many],
        layers: 4096,
        ..angles()
    };
    let plot = rotary_angles(&many, AngleChange::default()).expect("a plot");
    assert_eq!(lines(&plot).0, ["layers 1, 3, 5, 7, … (local)"]);
}
