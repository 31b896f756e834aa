//! Wrappers in names, and the names of other libraries for a known architecture: the numbers stay the same.

use diagonal::model::{Config, ModelOptions};
use pollster::block_on;

use crate::support::models::{
    Tensors, bytes, config, f32s, note, open_model, plainly, rename_tensors, tensors, write,
};

/// Table, inputs and layers of a model.
fn numbers(bytes: Vec<u8>, config: Option<&Config>) -> impl PartialEq {
    let (checkpoint, model) = plainly(bytes, config);
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let layers: Vec<_> = (0..model.layers)
        .map(|layer| block_on(model.read_layer(&checkpoint, layer)).expect("a layer"))
        .collect();
    assert!(!layers.is_empty());
    (
        model.table().expect("a table").clone(),
        model.heads,
        inputs,
        layers,
    )
}

#[test]
fn wrappers_anywhere_in_a_name_change_nothing() {
    for family in ["bert", "gpt2", "vit", "opt"] {
        let config = config(family);
        let plain = numbers(bytes(family), Some(&config));
        for wrapper in [
            "_orig_mod",
            "_fsdp_wrapped_module",
            "_fpw_module",
            "_checkpoint_wrapped_module",
            "base_layer",
            "modules_to_save.default",
        ] {
            // Before the last part, and before the first one.
            let inside = |name: &str| match name.rsplit_once('.') {
                Some((stem, end)) => format!("{stem}.{wrapper}.{end}"),
                None => format!("{wrapper}.{name}"),
            };
            let outside = |name: &str| format!("{wrapper}.{wrapper}.{name}");
            for wrapped in [
                rename_tensors(tensors(family), inside),
                rename_tensors(tensors(family), outside),
            ] {
                let with_wrapper = numbers(write(&wrapped), Some(&config));
                assert!(with_wrapper == plain, "{family}, {wrapper}");
            }
        }
    }
}

#[test]
fn a_tensor_that_replaces_another_counts() {
    let name = "embeddings.position_embeddings.weight";
    let mut both = tensors("bert");
    let table = both.remove(name).expect("a table");
    let shape = table.shape.clone();
    both.insert(
        "embeddings.position_embeddings.modules_to_save.default.weight".to_owned(),
        table,
    );
    let zeros = f32s(&shape, |at| at as f32);
    both.insert(
        "embeddings.position_embeddings.original_module.weight".to_owned(),
        zeros,
    );
    let config = config("bert");
    assert!(numbers(write(&both), Some(&config)) == numbers(bytes("bert"), Some(&config)));
}

/// Replaces whole beginnings, middles and ends of names, in this order.
fn with_names(family: &str, replacements: &[(&str, &str)]) -> Tensors {
    rename_tensors(tensors(family), |name| {
        let change = |name: String, (from, to): &(&str, &str)| name.replace(from, to);
        replacements.iter().fold(name.to_owned(), change)
    })
}

/// A library, the folder of a model, and what its names have in place of the family's.
type Renaming<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn names_of_other_libraries_have_the_same_numbers() {
    let cases: &[Renaming] = &[
        (
            "torchvision",
            "timm-vit",
            &[
                ("norm1.", "ln_1."),
                ("norm2.", "ln_2."),
                ("blocks.", "encoder.layers.encoder_layer_"),
                ("attn.qkv.", "self_attention.in_proj_"),
                ("attn.proj.", "self_attention.out_proj."),
                ("mlp.fc1.", "mlp.0."),
                ("mlp.fc2.", "mlp.3."),
                ("patch_embed.proj.", "conv_proj."),
                ("pos_embed", "encoder.pos_embedding"),
                ("cls_token", "class_token"),
            ],
        ),
        (
            "mmpretrain",
            "timm-vit",
            &[
                ("norm1.", "ln1."),
                ("norm2.", "ln2."),
                ("mlp.fc1.", "ffn.layers.0.0."),
                ("mlp.fc2.", "ffn.layers.1."),
                ("blocks.", "backbone.layers."),
                ("patch_embed.proj.", "backbone.patch_embed.projection."),
                ("pos_embed", "backbone.pos_embed"),
                ("cls_token", "backbone.cls_token"),
            ],
        ),
        (
            "mmsegmentation",
            "timm-vit",
            &[
                ("norm1.", "ln1."),
                ("blocks.", "layers."),
                ("attn.qkv.", "attn.attn.in_proj_"),
                ("attn.proj.", "attn.attn.out_proj."),
                ("patch_embed.proj.", "patch_embed.projection."),
            ],
        ),
        (
            "Whisper’s authors",
            "whisper",
            &[
                ("model.", ""),
                ("embed_positions.weight", "positional_embedding"),
                ("embed_tokens.", "token_embedding."),
                ("layers.", "blocks."),
                ("self_attn_layer_norm.", "attn_ln."),
                ("self_attn.q_proj.", "attn.query."),
                ("self_attn.k_proj.", "attn.key."),
            ],
        ),
        (
            "llama.cpp",
            "clip",
            &[
                (
                    "vision_model.embeddings.position_embedding.weight",
                    "v.position_embd.weight",
                ),
                ("vision_model.embeddings.class_embedding", "v.class_embd"),
                ("vision_model.embeddings.patch_embedding.", "v.patch_embd."),
                ("vision_model.pre_layrnorm.", "v.pre_ln."),
                ("vision_model.encoder.layers.", "v.blk."),
            ],
        ),
    ];
    for (library, family, replacements) in cases {
        let config = config(family);
        let renamed = with_names(family, replacements);
        let renamed = match *library {
            "llama.cpp" => rename_tensors(renamed, |name| match name.starts_with("v.") {
                true => name
                    .replace("self_attn.q_proj.", "attn_q.")
                    .replace("self_attn.k_proj.", "attn_k.")
                    .replace("layer_norm1.", "ln1."),
                false => name.to_owned(),
            }),
            _ => renamed,
        };
        let plain = numbers(bytes(family), Some(&config));
        let (_, model) = plainly(write(&renamed), Some(&config));
        // Of CLIP, llama.cpp renames the vision part alone.
        let names_library = model.sources.iter().any(|(id, _)| {
            let choice = ModelOptions {
                source: Some(id.clone()),
                ..ModelOptions::default()
            };
            let (_, part) = open_model(write(&renamed), Some(&config), &choice).expect(library);
            note(&part, "Family").is_some_and(|text| text.contains("The names are those of"))
        });
        assert!(names_library, "{library}: {:?}", model.notes);
        assert!(
            numbers(write(&renamed), Some(&config)) == plain,
            "{library}"
        );
    }
}

/// Flax stores maps as [in, heads, width of a head], which gives a number of heads that no width has usually.
#[test]
fn heads_are_those_of_a_shape_of_flax() {
    let layer = "Transformer/encoderblock_0/";
    let map = |map: &str| format!("{layer}MultiHeadDotProductAttention_1/{map}/kernel");
    let number = |at: usize| (at as f32).sin();
    let file = [
        (
            "Transformer/posembed_input/pos_embedding".to_owned(),
            f32s(&[1, 9, 12], number),
        ),
        (format!("{layer}LayerNorm_0/scale"), f32s(&[12], number)),
        (map("query"), f32s(&[12, 6, 2], number)),
        (map("key"), f32s(&[12, 6, 2], number)),
    ];
    let (checkpoint, model) = plainly(write(&file.into()), None);
    assert_eq!((model.layers, model.heads.count), (1, 6));
    assert!(note(&model, "Heads assumed").is_none());
    assert!(block_on(model.read_layer(&checkpoint, 0)).is_ok());
}

#[test]
fn fairseqs_roberta_has_robertas_rows_and_layers() {
    let renamed = with_names(
        "roberta",
        &[
            ("encoder.layer.", "decoder.sentence_encoder.layers."),
            ("attention.self.query.", "self_attn.q_proj."),
            ("attention.self.key.", "self_attn.k_proj."),
            ("attention.self.value.", "self_attn.v_proj."),
            ("attention.output.dense.", "self_attn.out_proj."),
            ("attention.output.LayerNorm.", "self_attn_layer_norm."),
            ("output.LayerNorm.", "final_layer_norm."),
            (
                "embeddings.position_embeddings.",
                "decoder.sentence_encoder.embed_positions.",
            ),
            (
                "embeddings.word_embeddings.",
                "decoder.sentence_encoder.embed_tokens.",
            ),
            (
                "embeddings.LayerNorm.",
                "decoder.sentence_encoder.emb_layer_norm.",
            ),
        ],
    );
    let (_, library) = plainly(bytes("roberta"), None);
    let (checkpoint, model) = plainly(write(&renamed), None);
    assert_eq!(model.family, "RoBERTa");
    assert_eq!(model.table(), library.table());
    assert_eq!(model.layers, library.layers);
    assert!(block_on(model.read_layer(&checkpoint, 0)).is_ok());
}

/// Every prefix begins a model of its own. Comparing each with all names would take minutes.
#[test]
fn many_models_in_one_file_are_found_in_a_moment() {
    for end in [
        "embeddings.position_embeddings.weight",
        "pos_embed",
        "wpe.weight",
        "sentence_encoder.embed_positions.weight",
        "attn.attention_biases",
    ] {
        let number = |at: usize| at as f32;
        let tensor = |at: usize| (format!("m{at}.{end}"), f32s(&[2, 2], number));
        let file: Tensors = (0..20_000).map(tensor).collect();
        // Some are a family's, others are not.
        if let Ok((_, model)) = open_model(write(&file), None, &ModelOptions::default()) {
            assert!((1..=32).contains(&model.sources.len()), "{end}");
        }
    }
    // A wrapper many times in one name.
    let name = format!("{}wpe.weight", "_orig_mod.".repeat(20_000));
    let file = [(name.clone(), f32s(&[8, 4], |at| (at as f32).sin()))];
    let (_, model) = plainly(write(&file.into()), None);
    assert_eq!(model.tensor(), Some(name.as_str()));
}

#[test]
fn maps_of_gpt2_are_told_apart_by_their_shape() {
    // nanoGPT's file: every map transposed.
    let mut linear = tensors("gpt2");
    for (name, tensor) in &mut linear {
        if name.ends_with("c_attn.weight") {
            let [rows, columns] = tensor.shape[..] else {
                panic!("a matrix");
            };
            let old = tensor.bytes.clone();
            for row in 0..rows {
                for column in 0..columns {
                    let (from, to) = (4 * (row * columns + column), 4 * (column * rows + row));
                    tensor.bytes[to..to + 4].copy_from_slice(&old[from..from + 4]);
                }
            }
            tensor.shape = vec![columns, rows];
        }
    }
    let config = config("gpt2");
    assert!(numbers(write(&linear), Some(&config)) == numbers(bytes("gpt2"), Some(&config)));
}

#[test]
fn a_part_without_heads_has_one_reason() {
    let mut file = with_names("bert", &[("self.query.", "self.asks.")]);
    let boxes = f32s(&[20, 64], |at| (at as f32).sin());
    file.insert("embeddings.x_position_embeddings.weight".to_owned(), boxes);
    for source in ["positions", "box-x"] {
        let choice = ModelOptions {
            source: Some(source.to_owned()),
            ..ModelOptions::default()
        };
        let (_, model) = open_model(write(&file), None, &choice).expect(source);
        let reasons = model.notes.iter().filter(|note| note.title == "No heads");
        assert_eq!(reasons.count(), 1, "{source}: {:?}", model.notes);
    }
}

#[test]
fn quantised_queries_leave_the_table_and_say_why() {
    let config = config("bert");
    let query = "attention.self.query.weight";
    let key = "attention.self.key.weight";
    for (ending, method) in [
        ("qweight", "GPTQ or AWQ"),
        ("weight_packed", "compressed-tensors"),
        ("other", "do not have the names"),
    ] {
        let renamed = with_names(
            "bert",
            &[
                (query, &format!("attention.self.query.{ending}")),
                (key, &format!("attention.self.key.{ending}")),
            ],
        );
        let (_, model) = plainly(write(&renamed), Some(&config));
        let (_, whole) = plainly(bytes("bert"), Some(&config));
        assert_eq!((model.family, model.layers), ("BERT", 0), "{ending}");
        assert_eq!(model.table(), whole.table());
        let text = note(&model, "No heads").expect("a reason");
        assert!(text.contains(method), "{ending}: {text}");
    }
    // bitsandbytes keeps the name and stores bytes.
    let mut bytes_of_maps = tensors("bert");
    for (name, tensor) in &mut bytes_of_maps {
        if name.ends_with(query) || name.ends_with(key) {
            tensor.dtype = safetensors::Dtype::U8;
            tensor.shape = vec![tensor.bytes.len(), 1];
        }
    }
    let (_, model) = open_model(
        write(&bytes_of_maps),
        Some(&config),
        &ModelOptions::default(),
    )
    .expect("the table opens");
    assert_eq!(model.layers, 0);
    assert!(note(&model, "No heads").expect("a reason").contains("U8"));
}
