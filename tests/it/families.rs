//! Which family every checkpoint is taken for, with and without its configuration, whatever stands before its
//! names and beside its tensors.

use std::{collections::BTreeMap, rc::Rc};

use diagonal::{
    checkpoint::{ByteSource, Checkpoint, CheckpointError, MemorySource, ShardIndex, SourceError},
    model::{
        Choice, Config, FAMILIES, HeadsSource, ModelError, OffsetRows, PositionModel,
        PositionSource, ScoreMode,
    },
};
use pollster::block_on;

use crate::{
    hostile::assert_is_sentence,
    models::{
        Tensors, bytes, config, data, f32s, note, open_model, plainly, renamed, tensors, write,
    },
};

/// A folder, its family, and its sources: what they hold, layers, heads.
type Expected = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, usize, u32)],
);

const FOLDERS: &[Expected] = &[
    ("albert", "ALBERT", &[("positions", "96 × 32", 1, 4)]),
    (
        "bart",
        "BART",
        &[("encoder", "96 × 64", 2, 4), ("decoder", "96 × 64", 2, 4)],
    ),
    (
        "bart-scaled",
        "BART",
        &[("encoder", "40 × 24", 1, 4), ("decoder", "40 × 24", 1, 4)],
    ),
    ("beit", "BEiT", &[("positions", "window 6 × 6", 2, 4)]),
    (
        "beit-shared",
        "BEiT",
        &[
            ("positions", "36 × 32, patches 6 × 6", 2, 4),
            ("bias", "window 6 × 6", 1, 4),
        ],
    ),
    ("bert", "BERT", &[("positions", "96 × 64", 2, 4)]),
    ("bert-bf16", "BERT", &[("positions", "40 × 32", 2, 4)]),
    ("bert-f16", "BERT", &[("positions", "96 × 64", 2, 4)]),
    ("bert-old-names", "BERT", &[("positions", "40 × 32", 2, 4)]),
    (
        "clip",
        "CLIP",
        &[
            ("text", "32 × 24", 2, 3),
            ("vision", "36 × 16, patches 6 × 6", 2, 2),
        ],
    ),
    (
        "deberta",
        "DeBERTa",
        &[("positions", "distances to 24", 2, 4)],
    ),
    (
        "deberta-v2",
        "DeBERTa",
        &[("positions", "distances to 8, shared", 2, 4)],
    ),
    (
        "deit",
        "ViT",
        &[("positions", "36 × 32, patches 6 × 6", 2, 4)],
    ),
    (
        "distilbert",
        "DistilBERT",
        &[("positions", "96 × 64", 2, 4)],
    ),
    ("electra", "ELECTRA", &[("positions", "96 × 32", 2, 4)]),
    ("gpt2", "GPT-2", &[("positions", "96 × 64", 2, 4)]),
    ("gpt2-masks", "GPT-2", &[("positions", "32 × 32", 2, 4)]),
    (
        "gpt2-masks-prefix",
        "GPT-2",
        &[("positions", "32 × 32", 2, 4)],
    ),
    ("llama", "Rotary", &[]),
    (
        "longformer",
        "Longformer",
        &[("positions", "48 × 24", 2, 4), ("global", "48 × 24", 2, 4)],
    ),
    (
        "mbart",
        "BART",
        &[("encoder", "40 × 24", 1, 4), ("decoder", "40 × 24", 1, 4)],
    ),
    ("modernbert", "Rotary", &[]),
    (
        "mpnet",
        "MPNet",
        &[
            ("positions", "48 × 32", 2, 4),
            ("bias", "32 buckets to 128, both ways", 1, 4),
        ],
    ),
    ("openai-gpt", "GPT", &[("positions", "40 × 24", 2, 4)]),
    ("opt", "OPT", &[("positions", "48 × 32", 2, 4)]),
    ("opt-projected", "OPT", &[("positions", "48 × 32", 2, 4)]),
    ("roberta", "RoBERTa", &[("positions", "96 × 64", 2, 4)]),
    (
        "swin",
        "Swin",
        &[
            ("stage-1", "window 7 × 7", 2, 2),
            ("stage-2", "window 7 × 7", 2, 4),
        ],
    ),
    ("swinv2", "Swin v2", &[]),
    (
        "t5",
        "T5",
        &[
            ("encoder", "32 buckets to 128, both ways", 1, 4),
            ("decoder", "32 buckets to 128", 1, 4),
        ],
    ),
    (
        "timm-deit3",
        "timm ViT",
        &[("positions", "36 × 32, patches 6 × 6", 2, 4)],
    ),
    (
        "timm-vit",
        "timm ViT",
        &[("positions", "36 × 32, patches 6 × 6", 2, 4)],
    ),
    ("tisa", "TISA", &[("positions", "kernels", 11, 4)]),
    (
        "vit",
        "ViT",
        &[("positions", "64 × 64, patches 8 × 8", 2, 4)],
    ),
    (
        "whisper",
        "Whisper",
        &[("encoder", "40 × 24", 1, 4), ("decoder", "32 × 24", 1, 4)],
    ),
    ("xlm-roberta", "RoBERTa", &[("positions", "48 × 32", 2, 4)]),
];

fn described(positions: &PositionSource) -> String {
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
        PositionSource::Rotary(rotary) => {
            format!("{} columns, base {}", rotary.width, rotary.base)
        }
    }
}

fn chosen(source: &str) -> Choice {
    Choice {
        source: Some(source.to_owned()),
        ..Choice::default()
    }
}

/// Opens all sources of a checkpoint: id, what it holds, layers; and the heads of each.
fn opened(bytes: &[u8], config: Option<&Config>) -> Result<Summary, ModelError> {
    let (_, model) = open_model(bytes.to_vec(), config, &Choice::default())?;
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
                _ => block_on(model.read_inputs(&checkpoint, |_, _| ()))
                    .and_then(|inputs| {
                        block_on(model.read_offset_scores(&checkpoint, layer, Some(&inputs)))
                    })
                    .map(|_| ()),
            };
            read.unwrap_or_else(|error| panic!("{id}, layer {layer}: {error}"));
        }
        summary.heads.push((model.heads.count, model.heads.source));
        summary
            .sources
            .push((id.clone(), described(&model.positions), model.layers));
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
        let with = opened(&bytes, Some(&config));
        if let (Ok(with), false) = (&with, sources.is_empty()) {
            let heads = sources
                .iter()
                .map(|(_, _, _, heads)| (*heads, HeadsSource::Config));
            assert_eq!(with.heads, heads.collect::<Vec<_>>(), "{folder}");
        }
        is_as_expected(with, expected, "with its configuration");
        // Where padding is not row 1 and not of zeros, nothing but the configuration tells RoBERTa from BERT.
        let silent = ("xlm-roberta", "BERT", &[("positions", "52 × 32", 2, 1)][..]);
        let expected = if *folder == "xlm-roberta" {
            &silent
        } else {
            expected
        };
        is_as_expected(opened(&bytes, None), expected, "without one");
    }
}

#[test]
fn every_family_has_a_checkpoint_or_a_test_of_its_own() {
    let of_folders: Vec<_> = FOLDERS.iter().map(|(_, family, _)| *family).collect();
    for family in FAMILIES {
        let name = family.name();
        let elsewhere = ["GGUF", "OpenCLIP", "wav2vec 2.0", "ALiBi"].contains(&name);
        assert!(elsewhere != of_folders.contains(&name), "{name}");
        assert_is_sentence(family.about());
    }
}

#[test]
fn what_stands_before_the_names_or_beside_the_tensors_changes_nothing() {
    // A prefix that names a family is a sign of it, so none of these does.
    for prefix in [
        "module.",
        "model.",
        "_orig_mod.",
        "transformer.",
        "backbone.net.",
    ] {
        for expected in FOLDERS {
            let (folder, _, sources) = expected;
            let mut all = renamed(tensors(folder), |name| format!("{prefix}{name}"));
            all.insert("classifier.weight".to_owned(), f32s(&[3, 8], |_| 1.0));
            all.insert("lm_head.weight".to_owned(), f32s(&[60, 8], |_| 1.0));
            all.insert("pooler.dense.weight".to_owned(), f32s(&[8, 8], |_| 1.0));
            all.insert("num_batches_tracked".to_owned(), f32s(&[], |_| 1.0));
            let config = (!sources.is_empty()).then(|| config(folder));
            is_as_expected(opened(&write(&all), config.as_ref()), expected, prefix);
        }
    }
}

fn parsed(text: &str) -> Config {
    Config::parse(text).expect(text)
}

fn nothing_learned(bytes: Vec<u8>, config: Option<&Config>) -> (&'static str, String) {
    match open_model(bytes, config, &Choice::default()) {
        Err(ModelError::NothingLearned { family, sentence }) => (family, sentence),
        other => panic!("{:?}", other.map(|(_, model)| model.family)),
    }
}

#[test]
fn rotary_models_give_the_base_and_the_columns_that_are_turned() {
    let llama = write(&tensors("llama"));
    let found = |text: &str| opened(&llama, Some(&parsed(text))).expect(text).sources;
    let one = |holds: &str| vec![("positions".to_owned(), holds.to_owned(), 0)];
    let two = |global: &str, local: &str| {
        vec![
            ("global".to_owned(), global.to_owned(), 0),
            ("local".to_owned(), local.to_owned(), 0),
        ]
    };
    for (folder, expected) in [
        ("llama", one("8 columns, base 50000")),
        (
            "modernbert",
            two("8 columns, base 160000", "8 columns, base 10000"),
        ),
    ] {
        for file in ["config.json", "config-v4.json"] {
            let text = std::fs::read_to_string(data(folder).join(file)).expect(file);
            let found = opened(&bytes(folder), Some(&parsed(&text))).expect(folder);
            assert_eq!(
                (found.family, found.sources),
                ("Rotary", expected.clone()),
                "{folder}/{file}"
            );
        }
        // Without a configuration neither base nor width is known.
        let (family, sentence) = nothing_learned(bytes(folder), None);
        assert!(
            family == "Rotary" && sentence.contains("config.json"),
            "{sentence}"
        );
    }
    let size = r#""hidden_size": 2048, "num_attention_heads": 16"#;
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "gpt_neox", "rotary_pct": 0.25, "rotary_emb_base": 10000, {size}}}"#
        )),
        one("32 columns, base 10000")
    );
    assert_eq!(
        found(r#"{"model_type": "gptj", "rotary_dim": 64, "n_embd": 4096, "n_head": 16}"#),
        one("64 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "phi", "partial_rotary_factor": 0.4, "rope_theta": 10000.0, {size}}}"#
        )),
        one("50 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"rope_parameters": {{"rope_theta": 1e6, "partial_rotary_factor": 0.5}}, {size}}}"#
        )),
        one("64 columns, base 1000000")
    );
    assert_eq!(
        found(
            r#"{"model_type": "gemma3_text", "rope_theta": 1000000, "rope_local_base_freq": 10000, "head_dim": 256}"#
        ),
        two("256 columns, base 1000000", "256 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "deepseek_v3", "rope_theta": 10000, "qk_rope_head_dim": 64, {size}}}"#
        )),
        one("64 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "mistral3", "text_config": {{"rope_theta": 1e9, {size}}}}}"#
        )),
        one("128 columns, base 1000000000")
    );
    let metadata = [
        ("general.architecture", "llama"),
        ("llama.rope.freq_base", "500000"),
        ("llama.rope.dimension_count", "128"),
    ];
    let metadata: BTreeMap<_, _> = metadata
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into_iter()
        .collect();
    let found = opened(&llama, Some(&Config::of_gguf(&metadata)))
        .expect("a GGUF")
        .sources;
    assert_eq!(found, one("128 columns, base 500000"));

    // Where a base is assumed, where angles are stretched, it is said.
    let config = parsed(&format!(
        r#"{{"rope_theta": 5e5, "rope_scaling": {{"rope_type": "llama3", "factor": 8}}, {size}}}"#
    ));
    let (_, model) = plainly(llama.clone(), Some(&config));
    assert!(
        note(&model, "Nothing learned")
            .is_some_and(|text| text.contains("base 500000 (as configured)"))
    );
    assert!(note(&model, "Stretched angles").is_some_and(|text| text.contains("llama3")));
    assert!(model.heads.is_none() && note(&model, "No heads").is_none());

    // Nonsense gives the sentence that asks for a configuration.
    for nonsense in [
        r#"{"rope_theta": 0, "head_dim": 64}"#,
        r#"{"rope_theta": 10000}"#,
        r#"{"rope_theta": 10000, "head_dim": 1}"#,
        r#"{"rope_theta": 10000, "head_dim": 4294967295}"#,
        r#"{"rope_theta": 10000, "head_dim": 64, "partial_rotary_factor": -1}"#,
    ] {
        assert_eq!(
            nothing_learned(llama.clone(), Some(&parsed(nonsense))).0,
            "Rotary",
            "{nonsense}"
        );
    }
}

#[test]
fn models_that_store_nothing_say_what_they_do_instead() {
    let file = |name: &str| {
        let mut all = Tensors::new();
        all.insert(name.to_owned(), f32s(&[8, 8], |_| 1.0));
        all.insert("h.0.attention.weight".to_owned(), f32s(&[8, 8], |_| 1.0));
        write(&all)
    };
    let alibi = |text: &str| nothing_learned(file("wte.weight"), Some(&parsed(text))).0;
    assert_eq!(alibi(r#"{"model_type": "bloom"}"#), "ALiBi");
    assert_eq!(
        alibi(r#"{"model_type": "mpt", "attn_config": {"alibi": true}}"#),
        "ALiBi"
    );
    assert_eq!(alibi(r#"{"model_type": "falcon", "alibi": true}"#), "ALiBi");
    for (tensor, family, says) in [
        (
            "transformer.word_embeddings_layernorm.weight",
            "ALiBi",
            "distance",
        ),
        (
            "encoder.pos_conv_embed.conv.weight_v",
            "wav2vec 2.0",
            "convolution",
        ),
        (
            "layers.0.blocks.0.attn.cpb_mlp.0.weight",
            "Swin v2",
            "network",
        ),
    ] {
        let (found, sentence) = nothing_learned(file(tensor), None);
        assert!(
            found == family && sentence.contains(says),
            "{tensor}: {sentence}"
        );
        // A table can be chosen all the same.
        let choice = Choice {
            table: Some(tensor.to_owned()),
            ..Choice::default()
        };
        let (_, model) = open_model(file(tensor), None, &choice).expect("the table");
        assert_eq!(
            (model.family, described(&model.positions)),
            ("table", "8 × 8".to_owned())
        );
    }
    // Falcon turns unless it says that it slopes.
    let config = parsed(
        r#"{"model_type": "falcon", "alibi": false, "hidden_size": 128, "num_attention_heads": 2}"#,
    );
    let found = opened(&file("wte.weight"), Some(&config)).expect("rotary");
    assert_eq!(found.sources[0].1, "64 columns, base 10000");
}

#[test]
fn other_spellings_of_a_family_are_read_as_it() {
    // Swin as timm and its authors name it.
    let timm = renamed(tensors("swin"), |name| {
        name.replace("encoder.", "")
            .replace("attention.self.", "attn.")
    });
    let found = opened(&write(&timm), None).expect("Swin");
    assert_eq!(
        found.heads,
        [(2, HeadsSource::Config), (4, HeadsSource::Config)]
    );
    is_as_expected(
        Ok(found),
        &(
            "swin",
            "Swin",
            &[
                ("stage-1", "window 7 × 7", 2, 2),
                ("stage-2", "window 7 × 7", 2, 4),
            ],
        ),
        "timm",
    );

    // BEiT likewise: keys without bias beside a fused weight.
    let mut timm = Tensors::new();
    for layer in 0..2 {
        let stem = format!("blocks.{layer}.attn");
        timm.insert(
            format!("{stem}.relative_position_bias_table"),
            f32s(&[124, 4], |i| i as f32),
        );
        timm.insert(format!("{stem}.qkv.weight"), f32s(&[48, 16], |i| i as f32));
        timm.insert(format!("{stem}.q_bias"), f32s(&[16], |i| i as f32));
    }
    timm.insert("pos_embed".to_owned(), f32s(&[1, 37, 16], |i| i as f32));
    let found = opened(&write(&timm), None).expect("BEiT");
    assert_eq!(found.sources[0].1, "36 × 16, patches 6 × 6");
    let (checkpoint, model) = plainly(write(&timm), None);
    let weights = block_on(model.read_layer(&checkpoint, 1)).expect("a layer");
    assert!(weights.query_bias.is_some() && weights.key_bias.is_none());

    // umT5: a bias in every layer.
    let mut umt5 = tensors("t5");
    for half in ["encoder", "decoder"] {
        let name = |layer| {
            format!("{half}.block.{layer}.layer.0.SelfAttention.relative_attention_bias.weight")
        };
        umt5.insert(name(1), f32s(&[32, 4], |i| i as f32));
    }
    assert_eq!(opened(&write(&umt5), None).expect("umT5").sources[1].2, 2);

    // SigLIP: no class token, and one number of heads less to know.
    let mut siglip = tensors("clip");
    siglip.remove("vision_model.embeddings.class_embedding");
    siglip.remove("vision_model.pre_layrnorm.weight");
    siglip.insert(
        "vision_model.embeddings.position_embedding.weight".to_owned(),
        f32s(&[196, 16], |i| i as f32),
    );
    let found = opened(&write(&siglip), Some(&config("clip"))).expect("SigLIP");
    assert_eq!(found.sources[1].1, "196 × 16, patches 14 × 14");

    // GPT-Neo: queries and keys apart, no scale.
    let mut neo = Tensors::new();
    neo.insert(
        "transformer.wpe.weight".to_owned(),
        f32s(&[8, 16], |i| i as f32),
    );
    for kind in ["q", "k"] {
        let name = format!("transformer.h.0.attn.attention.{kind}_proj.weight");
        neo.insert(name, f32s(&[16, 16], |i| i as f32));
    }
    let (checkpoint, model) = plainly(write(&neo), None);
    assert_eq!((model.family, model.layers), ("GPT-2", 1));
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let weights = block_on(model.read_layer(&checkpoint, 0)).expect("a layer");
    let states = inputs.hidden_states(model.table().expect("a table"), ScoreMode::AsComputed);
    let head = model.layer_scores(&states, &weights).head(0);
    let width = 16 / model.heads.count as usize;
    let columns = ndarray::s![.., ..width];
    let query = states.x.dot(&weights.query).slice(columns).to_owned();
    let key = states.x.dot(&weights.key).slice(columns).to_owned();
    let (found, product) = (head.rows(0..8), query.dot(&key.t()));
    for (found, product) in found.iter().zip(&product) {
        assert!(
            (found - product).abs() <= product.abs() * 1e-5,
            "{found}, {product}"
        );
    }

    // Pegasus: a table from row 0 on, scaled words, norms before the attention.
    let mut pegasus = config("mbart");
    pegasus.model_type = Some("pegasus".to_owned());
    let (_, model) = plainly(bytes("mbart"), Some(&pegasus));
    assert_eq!(described(&model.positions), "42 × 24");
    assert!(note(&model, "Fixed positions").is_some() && note(&model, "Words scaled").is_some());
}

#[test]
fn heads_of_image_models_are_assumed_as_timm_has_them() {
    for (width, heads) in [
        (192, 3),
        (384, 6),
        (768, 12),
        (1152, 16),
        (1280, 16),
        (1408, 16),
    ] {
        let mut all = Tensors::new();
        all.insert("pos_embed".to_owned(), f32s(&[1, 5, width], |i| i as f32));
        all.insert(
            "blocks.0.attn.qkv.weight".to_owned(),
            f32s(&[3 * width, width], |_| 0.0),
        );
        let (_, model) = plainly(write(&all), None);
        assert_eq!(
            (model.heads.count, model.heads.source),
            (heads, HeadsSource::Assumed),
            "{width}"
        );
        assert_eq!(
            described(&model.positions),
            format!("4 × {width}, patches 2 × 2")
        );
    }
}

#[test]
fn leading_rows_of_images_are_told_by_what_is_left() {
    let table = |rows: usize, config: Option<&str>| {
        let mut all = Tensors::new();
        all.insert("pos_embed".to_owned(), f32s(&[1, rows, 4], |i| i as f32));
        all.insert(
            "patch_embed.proj.weight".to_owned(),
            f32s(&[4, 3, 2, 2], |_| 0.0),
        );
        let config = config.map(parsed);
        let (_, model) = plainly(write(&all), config.as_ref());
        (
            described(&model.positions),
            note(&model, "Rows left out").map(str::to_owned),
        )
    };
    let of = |rows, config| table(rows, config).0;
    assert_eq!(of(196, None), "196 × 4, patches 14 × 14");
    assert_eq!(of(197, None), "196 × 4, patches 14 × 14");
    assert_eq!(of(198, None), "196 × 4, patches 14 × 14");
    assert_eq!(of(1369, None), "1369 × 4, patches 37 × 37");
    assert_eq!(of(1374, None), "1369 × 4, patches 37 × 37");
    assert_eq!(of(199, Some("{}")), "196 × 4, patches 14 × 14");
    assert_eq!(of(203, None), "203 × 4");
    assert!(
        table(197, None)
            .1
            .is_some_and(|text| text.contains("class token"))
    );
    // 289 is a square, but the configuration knows better.
    let config =
        r#"{"architecture": "vit_patch16_x", "pretrained_cfg": {"input_size": [3, 192, 384]}}"#;
    assert_eq!(of(289, Some(config)), "288 × 4, patches 12 × 24");
    assert_eq!(of(289, None), "289 × 4, patches 17 × 17");
    // It may be that of another size of images.
    assert_eq!(of(197, Some(config)), "196 × 4, patches 14 × 14");
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

#[test]
fn bert_under_the_names_of_llama_cpp_is_the_same_bert() {
    let named = |name: &str| {
        let name = name
            .replace("embeddings.position_embeddings", "position_embd")
            .replace("embeddings.word_embeddings", "token_embd")
            .replace("embeddings.token_type_embeddings", "token_types")
            .replace("embeddings.LayerNorm", "token_embd_norm")
            .replace("encoder.layer.", "blk.")
            .replace("attention.self.query", "attn_q")
            .replace("attention.self.key", "attn_k");
        name.replace("attention.output.LayerNorm", "attn_output_norm")
    };
    let renamed = write(&renamed(tensors("bert"), named));
    let metadata = [
        ("general.architecture", "bert"),
        ("bert.attention.head_count", "4"),
        ("bert.block_count", "2"),
        ("bert.attention.layer_norm_epsilon", "1e-12"),
    ];
    let metadata: BTreeMap<_, _> = metadata
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into_iter()
        .collect();
    let (checkpoint, model) = plainly(renamed, Some(&Config::of_gguf(&metadata)));
    let (plain, bert) = plainly(bytes("bert"), Some(&config("bert")));
    assert_eq!(
        (model.family, model.heads, model.layers),
        ("GGUF", bert.heads, 2)
    );
    assert_eq!(model.table(), bert.table());
    let inputs =
        |model: &PositionModel, file| block_on(model.read_inputs(file, |_, _| ())).expect("inputs");
    assert_eq!(inputs(&model, &checkpoint), inputs(&bert, &plain));
    let layer = |model: &PositionModel, file| block_on(model.read_layer(file, 1)).expect("a layer");
    assert_eq!(layer(&model, &checkpoint), layer(&bert, &plain));
}

#[test]
fn clip_under_the_names_of_its_authors_is_the_same_clip() {
    let mut all = tensors("clip");
    for half in ["text_model", "vision_model"] {
        for layer in 0..2 {
            let stem = format!("{half}.encoder.layers.{layer}.self_attn");
            for end in ["weight", "bias"] {
                let parts =
                    ["q", "k", "v"].map(|part| all.remove(&format!("{stem}.{part}_proj.{end}")));
                let mut parts = parts.into_iter().flatten();
                let mut fused = parts.next().expect("queries");
                for part in parts {
                    fused.bytes.extend(part.bytes);
                    fused.shape[0] += part.shape[0];
                }
                all.insert(format!("{stem}.in_proj_{end}"), fused);
            }
        }
    }
    let named = |name: &str| {
        name.replace(
            "text_model.embeddings.position_embedding.weight",
            "positional_embedding",
        )
        .replace("text_model.embeddings.token_embedding", "token_embedding")
        .replace(
            "vision_model.embeddings.position_embedding.weight",
            "visual.positional_embedding",
        )
        .replace("vision_model.pre_layrnorm", "visual.ln_pre")
        .replace("text_model.encoder.layers", "transformer.resblocks")
        .replace(
            "vision_model.encoder.layers",
            "visual.transformer.resblocks",
        )
        .replace("self_attn", "attn")
        .replace("layer_norm1", "ln_1")
    };
    let open = write(&renamed(all, named));
    for (id, heads) in [("text", 3), ("vision", 2)] {
        let choice = Choice {
            heads: Some(heads),
            ..chosen(id)
        };
        let (checkpoint, model) = open_model(open.clone(), None, &choice).expect(id);
        let (plain, clip) = open_model(bytes("clip"), Some(&config("clip")), &choice).expect(id);
        assert_eq!((model.family, model.heads), ("OpenCLIP", clip.heads));
        assert_eq!(model.table(), clip.table(), "{id}");
        let inputs = |model: &PositionModel, file| {
            block_on(model.read_inputs(file, |_, _| ())).expect("inputs")
        };
        assert_eq!(inputs(&model, &checkpoint), inputs(&clip, &plain), "{id}");
        let layer =
            |model: &PositionModel, file| block_on(model.read_layer(file, 1)).expect("a layer");
        assert_eq!(layer(&model, &checkpoint), layer(&clip, &plain), "{id}");
    }
}

/// Remembers whether anything was read of it.
#[derive(Clone)]
struct Watched(MemorySource, Rc<std::cell::Cell<bool>>);

impl ByteSource for Watched {
    fn size(&self) -> u64 {
        self.0.size()
    }
    async fn read(&self, range: std::ops::Range<u64>) -> Result<Vec<u8>, SourceError> {
        self.1.set(true);
        self.0.read(range).await
    }
}

/// A checkpoint with every tensor in a file of its own, and which of them were read.
fn scattered(folder: &str) -> (Checkpoint<Watched>, Vec<(String, Watched)>) {
    let (mut map, mut files) = (serde_json::Map::new(), Vec::new());
    for (name, tensor) in tensors(folder) {
        map.insert(name.clone(), format!("{name}.safetensors").into());
        let alone = Tensors::from([(name.clone(), tensor)]);
        files.push((
            name,
            Watched(MemorySource::new(write(&alone)), Rc::default()),
        ));
    }
    let index = serde_json::json!({"weight_map": map}).to_string();
    let index = ShardIndex::parse(&index).expect("an index");
    (Checkpoint::of_shards(index, folder, []), files)
}

#[test]
fn only_the_files_that_hold_wanted_tensors_are_opened() {
    for (folder, _, sources) in FOLDERS.iter().filter(|(_, _, sources)| !sources.is_empty()) {
        for (id, holds, ..) in *sources {
            let (checkpoint, files) = scattered(folder);
            for (name, file) in &files {
                assert!(
                    checkpoint
                        .offer(&format!("{name}.safetensors"), file.clone())
                        .is_ok()
                );
            }
            let config = config(folder);
            let open = || block_on(PositionModel::open(&checkpoint, Some(&config), &chosen(id)));
            let model = open().expect(folder);
            assert_eq!(described(&model.positions), *holds);
            let read: Vec<_> = files
                .iter()
                .filter(|(_, file)| file.1.get())
                .map(|(name, _)| name)
                .collect();
            // The table, a query, and the map between them where there is one.
            assert!(read.len() <= 3, "{folder}, {id}: {read:?}");

            // With the table alone the model opens, and says what is missing once heads are asked for.
            let Some(tensor) = model.tensor() else {
                continue;
            };
            let (checkpoint, files) = scattered(folder);
            let table = files
                .iter()
                .find(|(name, _)| name == tensor)
                .expect("the table");
            assert!(
                checkpoint
                    .offer(&format!("{tensor}.safetensors"), table.1.clone())
                    .is_ok()
            );
            let model = block_on(PositionModel::open(&checkpoint, Some(&config), &chosen(id)))
                .expect(folder);
            assert_eq!(described(&model.positions), *holds);
            let error = block_on(model.read_layer(&checkpoint, 0)).expect_err("no weights");
            assert!(
                matches!(
                    error,
                    ModelError::Checkpoint(CheckpointError::MissingShard { .. })
                ),
                "{folder}, {id}: {error}"
            );
        }
    }
}
