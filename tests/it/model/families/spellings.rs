//! Families under other tensor names: of their authors, of timm, of llama.cpp.

use std::collections::BTreeMap;

use diagonal::model::{Config, HeadsSource, ModelOptions, PositionModel, ScoreMode};
use pollster::block_on;

use super::{chosen, describe_positions, is_as_expected, summarize};
use crate::support::models::{
    Tensors, bytes, config, f32s, note, open_model, plainly, rename_tensors, tensors, write,
};

#[test]
fn other_spellings_of_a_family_are_read_as_it() {
    // Swin with the names of timm and of its authors.
    let timm = rename_tensors(tensors("swin"), |name| {
        name.replace("encoder.", "")
            .replace("attention.self.", "attn.")
    });
    let found = summarize(&write(&timm), None).expect("Swin");
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

    // BEiT likewise: keys have no bias, next to a fused weight.
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
    let found = summarize(&write(&timm), None).expect("BEiT");
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
    assert_eq!(
        summarize(&write(&umt5), None).expect("umT5").sources[1].2,
        2
    );

    // SigLIP: no class token, and the number of heads is unknown.
    let mut siglip = tensors("clip");
    siglip.remove("vision_model.embeddings.class_embedding");
    siglip.remove("vision_model.pre_layrnorm.weight");
    siglip.insert(
        "vision_model.embeddings.position_embedding.weight".to_owned(),
        f32s(&[196, 16], |i| i as f32),
    );
    let found = summarize(&write(&siglip), Some(&config("clip"))).expect("SigLIP");
    assert_eq!(found.sources[1].1, "196 × 16, patches 14 × 14");

    // GPT-Neo: separate queries and keys, no scale.
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

    // Pegasus: a table from row 0, scaled words, norms before the attention.
    let mut pegasus = config("mbart");
    pegasus.model_type = Some("pegasus".to_owned());
    let (_, model) = plainly(bytes("mbart"), Some(&pegasus));
    assert_eq!(describe_positions(&model.positions), "42 × 24");
    assert!(
        note(&model, "Fixed positions").is_some()
            && note(&model, "Token embeddings scaled").is_some()
    );
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
    let renamed = write(&rename_tensors(tensors("bert"), named));
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
    let (checkpoint, model) = plainly(renamed, Some(&Config::from_gguf(&metadata)));
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
    let open = write(&rename_tensors(all, named));
    for (id, heads) in [("text", 3), ("vision", 2)] {
        let choice = ModelOptions {
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
