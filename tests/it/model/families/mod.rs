//! The detected family of every checkpoint, with and without its configuration, and with prefixes and additional
//! tensors.

mod folders;
mod images;
mod nothing_stored;
mod one_file_per_tensor;
mod spellings;

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    forward::{ForwardError, ForwardPass},
    model::{
        Config, FAMILIES, HeadsSource, ModelError, ModelOptions, OffsetRows, PositionModel,
        PositionSource,
    },
};
use pollster::block_on;

use folders::{Expected, FOLDERS};

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::models::{
        bytes, config, data, f32s, note, open_model, plainly, rename_tensors, tensors, write,
    },
};

fn describe_positions(positions: &PositionSource) -> String {
    match positions {
        PositionSource::Table(table) => {
            let patches = table.grid;
            let patches = patches.map(|g| format!(", patches {} × {}", g.height, g.width));
            let (rows, width) = table.rows.dim();
            format!("{rows} × {width}{}", patches.unwrap_or_default())
        }
        PositionSource::ByOffset(OffsetRows::Buckets(buckets), _) => {
            let both = if buckets.is_bidirectional() {
                ", both ways"
            } else {
                ""
            };
            format!(
                "{} buckets to {}{both}",
                buckets.count(),
                buckets.max_distance()
            )
        }
        PositionSource::ByOffset(OffsetRows::Distances(rows), _) => {
            let shared = rows.buckets().map_or("", |_| ", shared");
            format!("distances to {}{shared}", rows.span())
        }
        PositionSource::ByGridOffset(window) => {
            format!("window {} × {}", window.grid.height, window.grid.width)
        }
        PositionSource::Kernels(_) => "kernels".to_owned(),
        PositionSource::RotaryPatches(patches) => {
            let (grid, pairs) = (patches.grid, patches.frequencies.len());
            format!("{} × {} patches, {pairs} pairs", grid.height, grid.width)
        }
        PositionSource::Rotary(rotary) => {
            // θ_1 = base^(−2/width).
            let pairs = rotary.frequencies.len();
            let base = rotary.frequencies[1].powf(-(pairs as f64));
            format!("{} columns, base {base:.0}", 2 * pairs)
        }
    }
}

fn chosen(source: &str) -> ModelOptions {
    ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    }
}

/// Reads the queries and keys that represent all words of a rotary layer.
fn read_centers(
    model: &PositionModel,
    checkpoint: &Checkpoint<MemorySource>,
    layer: usize,
) -> Result<(), ModelError> {
    let pause = async || ();
    let centers = async {
        let pass = ForwardPass::open_scores(model, checkpoint).await?;
        (pass.read_centers(checkpoint, layer, true, |_, _| {}, &pause)).await
    };
    match block_on(centers) {
        Ok(_) => Ok(()),
        Err(ForwardError::Model(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

/// Opens all sources of a checkpoint: identifier, contents, layers, heads.
fn summarize(bytes: &[u8], config: Option<&Config>) -> Result<Summary, ModelError> {
    let (_, model) = open_model(bytes.to_vec(), config, &ModelOptions::default())?;
    let mut summary = Summary {
        family: model.family,
        sources: Vec::new(),
        heads: Vec::new(),
    };
    for (id, title) in &model.sources {
        assert!(!title.is_empty());
        let (checkpoint, model) = open_model(bytes.to_vec(), config, &chosen(id))?;
        assert_eq!((model.family, &model.source), (summary.family, id));
        assert!(note(&model, "Family").is_some());
        for layer in 0..model.layers {
            let read = match &model.positions {
                PositionSource::Table(_) => {
                    block_on(model.read_layer(&checkpoint, layer)).map(|_| ())
                }
                PositionSource::Rotary(_) => read_centers(&model, &checkpoint, layer),
                _ => block_on(model.read_inputs(&checkpoint, |_, _| ()))
                    .and_then(|inputs| {
                        block_on(model.read_offset_scores(&checkpoint, layer, Some(&inputs)))
                    })
                    .map(|_| ()),
            };
            read.unwrap_or_else(|error| panic!("{id}, layer {layer}: {error}"));
        }
        summary.heads.push((model.heads.count, model.heads.source));
        summary.sources.push((
            id.clone(),
            describe_positions(&model.positions),
            model.layers,
        ));
    }
    Ok(summary)
}

#[derive(Debug, PartialEq)]
struct Summary {
    family: &'static str,
    sources: Vec<(String, String, usize)>,
    heads: Vec<(u32, HeadsSource)>,
}

fn is_as_expected(found: Result<Summary, ModelError>, expected: &Expected, what: &str) {
    let (folder, family, sources) = expected;
    match found {
        Err(ModelError::NothingLearned { family: found, .. }) => {
            assert_eq!((found, sources.len()), (*family, 0), "{folder}, {what}");
        }
        Err(error) => panic!("{folder}, {what}: {error}"),
        Ok(found) => {
            assert_eq!(found.family, *family, "{folder}, {what}");
            if !sources.is_empty() {
                let expected = sources
                    .iter()
                    .map(|(id, holds, layers, _)| ((*id).to_owned(), (*holds).to_owned(), *layers));
                assert_eq!(
                    found.sources,
                    expected.collect::<Vec<_>>(),
                    "{folder}, {what}"
                );
            }
        }
    }
}

#[test]
fn every_checkpoint_is_taken_for_what_it_is() {
    let mut folders: Vec<_> = std::fs::read_dir(data(""))
        .expect("folders")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("model.safetensors").exists())
        .map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    folders.sort();
    let listed: Vec<_> = FOLDERS
        .iter()
        .map(|(folder, ..)| (*folder).to_owned())
        .collect();
    assert_eq!(listed, folders);
    for expected in FOLDERS {
        let (folder, _, sources) = expected;
        let (bytes, config) = (bytes(folder), config(folder));
        let with = summarize(&bytes, Some(&config));
        if let (Ok(with), false) = (&with, sources.is_empty()) {
            let heads = sources
                .iter()
                .map(|(_, _, _, heads)| (*heads, HeadsSource::Config));
            assert_eq!(with.heads, heads.collect::<Vec<_>>(), "{folder}");
        }
        is_as_expected(with, expected, "with its configuration");
        // If padding is neither row 1 nor zero, only the configuration distinguishes RoBERTa from BERT. Only the
        // configuration has the image size of attention-cnn.
        let silent: [Expected; 3] = [
            ("xlm-roberta", "BERT", &[("positions", "52 × 32", 2, 1)]),
            (
                "attention-cnn",
                "attention-cnn",
                &[("positions", "window 16 × 16", 3, 4)],
            ),
            (
                "attention-cnn-learned",
                "attention-cnn",
                &[("positions", "window 7 × 7", 2, 4)],
            ),
        ];
        let silent = silent.iter().find(|(name, ..)| name == folder);
        let expected = silent.unwrap_or(expected);
        is_as_expected(summarize(&bytes, None), expected, "without one");
    }
}

#[test]
fn every_family_has_a_checkpoint_or_a_test_of_its_own() {
    let of_folders: Vec<_> = FOLDERS.iter().map(|(_, family, _)| *family).collect();
    for family in FAMILIES {
        let name = family.name();
        let elsewhere = [
            "GGUF",
            "OpenCLIP",
            "wav2vec 2.0",
            "ALiBi",
            "BERT, relative keys",
            "PyTorch's tutorial",
            "MaxViT",
            "LeViT",
            "Megatron",
            "Transformer-XL",
            "Axial",
        ]
        .contains(&name);
        assert!(elsewhere != of_folders.contains(&name), "{name}");
        assert_is_sentence(family.about());
    }
}

#[test]
fn what_stands_before_the_names_or_beside_the_tensors_changes_nothing() {
    // A prefix may indicate a family; none of these does.
    for prefix in [
        "module.",
        "model.",
        "_orig_mod.",
        "transformer.",
        "backbone.net.",
    ] {
        for expected in FOLDERS {
            let (folder, _, sources) = expected;
            let mut all = rename_tensors(tensors(folder), |name| format!("{prefix}{name}"));
            all.insert("classifier.weight".to_owned(), f32s(&[3, 8], |_| 1.0));
            all.insert("lm_head.weight".to_owned(), f32s(&[60, 8], |_| 1.0));
            all.insert("pooler.dense.weight".to_owned(), f32s(&[8, 8], |_| 1.0));
            all.insert("num_batches_tracked".to_owned(), f32s(&[], |_| 1.0));
            let config = (!sources.is_empty()).then(|| config(folder));
            is_as_expected(summarize(&write(&all), config.as_ref()), expected, prefix);
        }
    }
}

fn parse_config(text: &str) -> Config {
    Config::parse(text).expect(text)
}

#[test]
fn stored_masks_are_no_biases() {
    for folder in ["gpt2-masks", "gpt2-masks-prefix"] {
        let (checkpoint, model) = plainly(bytes(folder), Some(&config(folder)));
        assert!(note(&model, "Stored masks").is_some());
        let weights = block_on(model.read_layer(&checkpoint, 1)).expect("a layer");
        assert_eq!(weights.query_bias.map(|bias| bias.len()), Some(32));
    }
    assert!(note(&plainly(bytes("gpt2"), None).1, "Stored masks").is_none());
}
