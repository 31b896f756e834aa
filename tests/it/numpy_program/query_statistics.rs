//! The program of statistics of queries prints the table of the page.

use super::{
    opened::{Opened, prints},
    runs::ProgramRuns,
};
use crate::support::{
    models::{data, f32s, write},
    python::python,
    questions::{FIRST, ask, folder},
};
use diagonal::{
    analysis::{RotaryFrequencies, RotaryMeasure},
    checkpoint::MemorySource,
    figure::{Figure, FrequencyLook, Table, frequency_map},
    model::ModelOptions,
    url_state::FigureId,
};

/// Writes the name of a head's vectors, without their endings, from its layer and head.
type HeadName = fn(usize, usize) -> String;

/// A name, the heads of the file, its configuration, and the names of the heads.
type Case = (
    &'static str,
    &'static [(usize, usize)],
    &'static str,
    HeadName,
);

/// Vectors of heads: their numbers by layer, head, vector and pair.
fn number(layer: usize, head: usize, vector: usize, pair: usize) -> f32 {
    let at = 97 * layer + 31 * head + 7 * vector + pair;
    0.25 + ((at * at) % 23) as f32 / 8.0
}

/// A checkpoint with the statistics of some heads, each with `pairs` pairs of columns, under names that `name` writes.
fn checkpoint(heads: &[(usize, usize)], pairs: usize, name: HeadName) -> Vec<u8> {
    let vectors = ["q_mean_real", "q_mean_imag", "q_abs_mean"];
    let all = heads.iter().flat_map(|(layer, head)| {
        vectors.iter().enumerate().map(move |(at, vector)| {
            let stored = f32s(&[pairs], |pair| number(*layer, *head, at, pair));
            (format!("{}.{vector}", name(*layer, *head)), stored)
        })
    });
    write(&all.collect())
}

/// Names as the authors write them.
fn padded(layer: usize, head: usize) -> String {
    format!("stats.layer{layer:02}_head{head:02}")
}

fn open(name: &str, bytes: Vec<u8>, config: &str) -> Opened {
    let files = [(name, bytes), ("config.json", config.as_bytes().to_vec())];
    let files = files.map(|(name, bytes)| (format!("model/{name}"), MemorySource::new(bytes)));
    Opened::new(files.into(), ModelOptions::default())
}

/// The table of the page, and the program.
fn table_and_program(opened: &Opened) -> (Table, Result<String, String>) {
    let question = RotaryFrequencies {
        of: FIRST,
        measure: RotaryMeasure::Energy,
        reads_all: false,
    };
    let layers = ask(&opened.session, question).expect("statistics");
    let table = frequency_map(&layers, FrequencyLook::default())
        .expect("a map")
        .table();
    let mut choices = opened.choices(FigureId::RotaryFrequencies);
    choices.table = table.clone();
    (table, opened.program(&choices))
}

/// The heads of a file: two of each layer, or some of them.
const ALL: &[(usize, usize)] = &[(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)];
const SOME: &[(usize, usize)] = &[(0, 3), (1, 0), (2, 1), (2, 3)];

const PLAIN: &str = r#"{"model_type": "llama", "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4,
    "head_dim": 8, "max_position_embeddings": 64, "rope_theta": 100.0}"#;

/// Global layers rotate with stretched angles, local ones with a base of their own.
const TWO_KINDS: &str = r#"{"model_type": "gemma3_text", "hidden_size": 32, "num_hidden_layers": 3,
    "num_attention_heads": 4, "head_dim": 8, "max_position_embeddings": 64, "rope_theta": 5000.0,
    "rope_local_base_freq": 100.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}"#;

/// The second layer does not rotate.
const ONE_STILL: &str = r#"{"model_type": "smollm3", "hidden_size": 32, "num_hidden_layers": 3,
    "num_attention_heads": 4, "head_dim": 8, "max_position_embeddings": 64, "rope_theta": 100.0,
    "no_rope_layers": [1, 0, 1]}"#;

#[test]
fn programs_print_shares_and_concentrations() {
    let Some(python) = python("the NumPy programs of statistics of queries") else {
        return;
    };
    let mut runs = ProgramRuns::new("query-statistics");
    let mut tables = Vec::new();
    let plain: HeadName = |layer, head| format!("layer{layer}_head{head}");
    let cases: [Case; 4] = [
        ("plain", ALL, PLAIN, padded),
        ("some", SOME, PLAIN, plain),
        ("two-kinds", ALL, TWO_KINDS, padded),
        ("one-still", ALL, ONE_STILL, padded),
    ];
    for (name, heads, config, head_name) in cases {
        let bytes = checkpoint(heads, 4, head_name);
        let file = runs.write_model(name, &bytes);
        let (table, program) = table_and_program(&open("model.safetensors", bytes, config));
        runs.add(name, &program.expect("a program"), &file);
        tables.push((name, table));
    }
    runs.run(&python);
    for (name, table) in tables {
        assert!(table.column("concentration").is_some(), "{name}");
        prints(&runs, name, &table);
    }
    // The heads of the layer that does not rotate are left out.
    let rows = |name| runs.rows(name).1.len();
    assert_eq!((rows("plain"), rows("one-still")), (6 * 4, 4 * 4));
    runs.remove();
}

/// PyTorch's files are read by PyTorch; all other lines are those of a file of the same numbers that NumPy reads.
#[test]
fn files_of_pytorch_have_the_same_program() {
    let files = folder("query-statistics").into_iter();
    let files = files.filter(|(name, _)| !name.ends_with("expected.json"));
    let opened = Opened::new(files.collect(), ModelOptions::default());
    let (_, program) = table_and_program(&opened);
    let program = program.expect("a program");
    assert!(
        program.contains("import torch\n") && program.contains("tensor = torch_reader(*FILES)\n"),
        "{program}"
    );
    let config = std::fs::read_to_string(data("query-statistics/config.json")).expect("a file");
    let heads: Vec<(usize, usize)> = (0..2)
        .flat_map(|layer| (0..4).map(move |head| (layer, head)))
        .collect();
    let bytes = checkpoint(&heads, 4, padded);
    let (_, other) = table_and_program(&open("model.safetensors", bytes, &config));
    let other = other.expect("a program");
    let after_reader = |program: &str| {
        let (_, after) = program.split_once("_reader(*FILES)\n").expect("a reader");
        after.to_owned()
    };
    assert_eq!(after_reader(&program), after_reader(&other));
}

#[test]
fn names_without_a_pattern_are_refused_in_a_sentence() {
    let name: HeadName = |layer, head| format!("text{head}.layer{layer}_head{head}");
    let bytes = checkpoint(&[(0, 0), (0, 1)], 4, name);
    let (_, program) = table_and_program(&open("model.safetensors", bytes, PLAIN));
    let reason = program.expect_err("no program");
    assert!(
        reason.contains("text0.layer0_head0") && reason.ends_with('.'),
        "{reason}"
    );
}
