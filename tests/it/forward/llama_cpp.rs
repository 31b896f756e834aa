//! Models under the names and in the layouts of llama.cpp have the same states.

use super::{
    Run,
    golden::{Golden, predictions_are, run_is},
    pass_of,
};
use crate::{
    checkpoint::checkpoints::open,
    support::models::{Stored, Tensors, tensors, write},
};
use diagonal::model::Config;
use std::collections::BTreeMap;

/// A folder, its architecture, the stems of its tensors with their names in GGUF files, and metadata.
struct Case {
    folder: &'static str,
    architecture: &'static str,
    stems: &'static [(&'static str, &'static str)],
    metadata: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        folder: "bert",
        architecture: "bert",
        stems: &[
            ("bert.embeddings.word_embeddings", "token_embd"),
            ("bert.embeddings.position_embeddings", "position_embd"),
            ("bert.embeddings.token_type_embeddings", "token_types"),
            ("bert.embeddings.LayerNorm", "token_embd_norm"),
            (
                "bert.encoder.layer.{}.attention.self.query",
                "blk.{}.attn_q",
            ),
            ("bert.encoder.layer.{}.attention.self.key", "blk.{}.attn_k"),
            (
                "bert.encoder.layer.{}.attention.self.value",
                "blk.{}.attn_v",
            ),
            (
                "bert.encoder.layer.{}.attention.output.dense",
                "blk.{}.attn_output",
            ),
            (
                "bert.encoder.layer.{}.attention.output.LayerNorm",
                "blk.{}.attn_output_norm",
            ),
            ("bert.encoder.layer.{}.intermediate.dense", "blk.{}.ffn_up"),
            ("bert.encoder.layer.{}.output.dense", "blk.{}.ffn_down"),
            (
                "bert.encoder.layer.{}.output.LayerNorm",
                "blk.{}.layer_output_norm",
            ),
        ],
        metadata: &[
            ("attention.head_count", "2"),
            ("attention.layer_norm_epsilon", "1e-12"),
        ],
    },
    Case {
        folder: "gpt2",
        architecture: "gpt2",
        stems: &[
            ("transformer.wte", "token_embd"),
            ("transformer.wpe", "position_embd"),
            ("transformer.ln_f", "output_norm"),
            ("transformer.h.{}.ln_1", "blk.{}.attn_norm"),
            ("transformer.h.{}.attn.c_attn", "blk.{}.attn_qkv"),
            ("transformer.h.{}.attn.c_proj", "blk.{}.attn_output"),
            ("transformer.h.{}.ln_2", "blk.{}.ffn_norm"),
            ("transformer.h.{}.mlp.c_fc", "blk.{}.ffn_up"),
            ("transformer.h.{}.mlp.c_proj", "blk.{}.ffn_down"),
        ],
        metadata: &[
            ("attention.head_count", "2"),
            ("attention.layer_norm_epsilon", "1e-5"),
        ],
    },
    Case {
        folder: "llama-yarn",
        architecture: "llama",
        stems: LLAMA,
        metadata: &[
            ("attention.head_count", "4"),
            ("attention.head_count_kv", "2"),
            ("attention.key_length", "6"),
            ("attention.layer_norm_rms_epsilon", "1e-6"),
            ("embedding_length", "16"),
            ("rope.freq_base", "10000"),
            ("rope.dimension_count", "6"),
            ("rope.scaling.type", "yarn"),
            ("rope.scaling.factor", "4"),
            ("rope.scaling.original_context_length", "16"),
        ],
    },
    Case {
        folder: "qwen3",
        architecture: "qwen3",
        stems: LLAMA,
        metadata: &[
            ("attention.head_count", "4"),
            ("attention.head_count_kv", "2"),
            ("attention.key_length", "6"),
            ("attention.layer_norm_rms_epsilon", "1e-6"),
            ("embedding_length", "16"),
            ("rope.freq_base", "10000"),
        ],
    },
    Case {
        folder: "gpt-neox",
        architecture: "gptneox",
        stems: &[
            ("gpt_neox.embed_in", "token_embd"),
            ("gpt_neox.final_layer_norm", "output_norm"),
            ("embed_out", "output"),
            ("gpt_neox.layers.{}.input_layernorm", "blk.{}.attn_norm"),
            (
                "gpt_neox.layers.{}.attention.query_key_value",
                "blk.{}.attn_qkv",
            ),
            ("gpt_neox.layers.{}.attention.dense", "blk.{}.attn_output"),
            (
                "gpt_neox.layers.{}.post_attention_layernorm",
                "blk.{}.ffn_norm",
            ),
            ("gpt_neox.layers.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"),
            ("gpt_neox.layers.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"),
        ],
        metadata: &[
            ("attention.head_count", "2"),
            ("attention.layer_norm_epsilon", "1e-5"),
            ("embedding_length", "16"),
            ("rope.freq_base", "10000"),
            ("rope.dimension_count", "2"),
            ("use_parallel_residual", "true"),
        ],
    },
];

const LLAMA: &[(&str, &str)] = &[
    ("model.embed_tokens", "token_embd"),
    ("model.norm", "output_norm"),
    ("model.layers.{}.input_layernorm", "blk.{}.attn_norm"),
    ("model.layers.{}.self_attn.q_proj", "blk.{}.attn_q"),
    ("model.layers.{}.self_attn.k_proj", "blk.{}.attn_k"),
    ("model.layers.{}.self_attn.v_proj", "blk.{}.attn_v"),
    ("model.layers.{}.self_attn.o_proj", "blk.{}.attn_output"),
    ("model.layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"),
    ("model.layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"),
    (
        "model.layers.{}.post_attention_layernorm",
        "blk.{}.ffn_norm",
    ),
    ("model.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"),
    ("model.layers.{}.mlp.up_proj", "blk.{}.ffn_up"),
    ("model.layers.{}.mlp.down_proj", "blk.{}.ffn_down"),
];

impl Case {
    /// The tensors of the folder as llama.cpp's converter stores them. Tensors without a name there are left out.
    fn tensors(&self) -> Tensors {
        let mut converted = Tensors::new();
        for (name, tensor) in tensors(&format!("forward/{}", self.folder)) {
            for layer in ["0", "1"] {
                let named = self.stems.iter().find_map(|(theirs, ours)| {
                    let end = name.strip_prefix(&theirs.replace("{}", layer))?;
                    let is_end = [".weight", ".bias"].contains(&end);
                    is_end.then(|| format!("{}{end}", ours.replace("{}", layer)))
                });
                if let Some(named) = named {
                    let tensor = self.convert(&name, &tensor);
                    converted.insert(named, tensor);
                }
            }
        }
        converted
    }

    /// GPT-2's maps are turned; rows of Llama's queries and keys, and of GPT-NeoX's heads, are put in another order.
    fn convert(&self, name: &str, tensor: &Stored) -> Stored {
        let rows = tensor.shape[0];
        let is_turned = self.folder == "gpt2" && name.contains(".c_") && tensor.shape.len() == 2;
        if is_turned {
            let columns = tensor.shape[1];
            return pick(tensor, &[columns, rows], |at| {
                (at % rows) * columns + at / rows
            });
        }
        let row = |row: usize| match self.folder {
            "llama-yarn" if name.contains("q_proj") || name.contains("k_proj") => {
                let (head, at) = (row / 6, row % 6);
                6 * head + (at % 2) * 3 + at / 2
            }
            // From each head's queries, keys and values to those of all heads.
            "gpt-neox" if name.contains("query_key_value") => {
                let (part, head, at) = (row / 16, row % 16 / 8, row % 8);
                24 * head + 8 * part + at
            }
            _ => row,
        };
        let columns = tensor.shape.get(1).copied().unwrap_or(1);
        pick(tensor, &tensor.shape, |at| {
            row(at / columns) * columns + at % columns
        })
    }
}

/// Numbers of a tensor in another order.
fn pick(tensor: &Stored, shape: &[usize], index: impl Fn(usize) -> usize) -> Stored {
    let (numbers, _) = tensor.bytes.as_chunks::<4>();
    let bytes = (0..numbers.len()).flat_map(|at| numbers[index(at)]);
    Stored {
        dtype: tensor.dtype,
        shape: shape.to_vec(),
        bytes: bytes.collect(),
    }
}

#[test]
fn names_and_layouts_of_llama_cpp_change_nothing() {
    for case in CASES {
        let (folder, architecture) = (case.folder, case.architecture);
        let entries = case.metadata.iter();
        let mut metadata: BTreeMap<String, String> = entries
            .map(|(key, value)| (format!("{architecture}.{key}"), (*value).to_owned()))
            .collect();
        metadata.insert("general.architecture".to_owned(), architecture.to_owned());
        let config = Config::from_gguf(&metadata);
        let file = open(write(&case.tensors())).expect(folder);
        let pass = pass_of(&file, &config, None).expect(folder);
        let golden = Golden::read(folder, "");
        let run = Run::of_texts(&file, &pass, &[golden.ids(0), golden.ids(1)]);
        run_is(&golden, &file, &pass, &run);
        assert_eq!(pass.predicts_words(), folder != "bert", "{folder}");
        if pass.predicts_words() {
            predictions_are(&golden, &file, &pass, &run);
        }
    }
}
