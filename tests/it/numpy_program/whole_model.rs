//! The code that runs whole models over texts computes the states, the attention and the predictions of the library of
//! each family, and says which models it cannot run.

use crate::{
    checkpoint::{checkpoints::open, hostile::assert_is_sentence},
    support::{
        models::data,
        python::{printed, python},
        root,
    },
};
use diagonal::{
    model::{Config, ModelOptions, PositionModel},
    numpy_model::{CodeSegment, NumpyModel},
    numpy_program::{Directives, part},
};
use pollster::block_on;
use safetensors::SafeTensors;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, process::Command};

/// Folders of models that programs run, each with the source and the beginning of the names of its golden numbers.
const MODELS: &[(&str, Option<&str>, &str)] = &[
    ("albert", None, ""),
    ("bart", Some("encoder"), "encoder."),
    ("bert", None, ""),
    ("distilbert", None, ""),
    ("electra", None, ""),
    ("electra-generator", None, ""),
    ("gemma3", None, ""),
    ("gpt", None, ""),
    ("gpt-neo", None, ""),
    ("gpt-neox", None, ""),
    ("gpt-oss", None, ""),
    ("gpt2", None, ""),
    ("llama", None, ""),
    ("llama-dynamic", None, ""),
    ("llama-yarn", None, ""),
    ("mbart", Some("encoder"), "encoder."),
    ("modernbert", None, ""),
    ("mpnet", None, ""),
    ("mpnet", Some("bias"), ""),
    ("opt", None, ""),
    ("opt-projected", None, ""),
    ("qwen2", None, ""),
    ("qwen2-vl", None, ""),
    ("qwen3", None, ""),
    ("qwen3-vl", None, ""),
    ("roberta", None, ""),
    ("smollm3", None, ""),
    ("t5", Some("encoder"), ""),
    ("t5-gated", Some("encoder"), ""),
    ("xlm-roberta", None, ""),
];

/// Folders of models that programs cannot run.
const OTHERS: &[(&str, Option<&str>)] = &[
    ("bart", Some("decoder")),
    ("deberta", None),
    ("deberta-v2", None),
    ("deberta-v3", None),
    ("mbart", Some("decoder")),
    ("vit", None),
];

/// Largest difference, as a share of the largest number of a tensor.
const MOST: f64 = 1e-5;

/// Lines that print the states before each layer, the attention of all heads, and the predictions. The sum of the parts
/// of the first layer's queries and keys has the scores of that layer.
const BODY: &str = r#"
found = {}
for text, tokens in enumerate(TEXTS):
    states = [states_before(tokens, layer) for layer in range(DEPTH)]
    scores = [scores_and_values(x, layer)[0] for layer, x in enumerate(states)]
    found[f"states.{text}"] = np.array(states)
    found[f"attention.{text}"] = np.array([attention_weights(part, layer) for layer, part in enumerate(scores)])
    last = states_before(tokens, DEPTH)
    if "logits" in globals():
        found[f"logits.{text}"] = logits(last)
    if "replaced_probabilities" in globals():
        found[f"replaced.{text}"] = replaced_probabilities(last)
    if "first_layer_parts" in globals():
        *parts, added = first_layer_parts(tokens)
        queries, keys = (split_heads(part.sum(axis=0), HEADS) for part in parts)
        from_parts = queries @ keys.swapaxes(1, 2) + (added if added.ndim == 3 else added[:, None, None])
        assert np.allclose(from_parts, scores[0]), "the parts of the first layer"
json.dump({name: array.ravel().tolist() for name, array in found.items()}, sys.stdout)
"#;

/// The code of a model of `tests/data/forward`.
fn code(folder: &str, source: Option<&str>) -> NumpyModel {
    let path = data("forward").join(folder);
    let bytes = fs::read(path.join("model.safetensors")).expect(folder);
    let config = fs::read_to_string(path.join("config.json")).expect(folder);
    let config = Config::parse(&config).expect(folder);
    let file = open(bytes).expect(folder);
    let options = ModelOptions {
        source: source.map(str::to_owned),
        ..ModelOptions::default()
    };
    let model = block_on(PositionModel::open(&file, Some(&config), &options)).expect(folder);
    block_on(NumpyModel::write(&model, &file)).expect(folder)
}

/// Appends a part after those that it needs.
fn add_part(program: &mut String, seen: &mut BTreeSet<String>, name: &str, has_sinks: bool) {
    if name == "model" || !seen.insert(name.to_owned()) {
        return;
    }
    let is_set = |condition: &str| condition != "sinks" || has_sinks;
    let part = Directives::read(part(name).expect(name), is_set);
    for need in part.needs {
        add_part(program, seen, need, has_sinks);
    }
    *program += &format!("\n\n{}\n", part.code);
}

/// A program that runs a model over some texts.
fn program(model: &NumpyModel, texts: &[Vec<u32>]) -> String {
    let mut program =
        "import functools\nimport json\nimport math\nimport sys\n\nimport numpy as np\n".to_owned();
    let mut seen = BTreeSet::new();
    let defines_sinks = |segment: &CodeSegment| segment.names == ["sink_scores"];
    let has_sinks = model.segments.iter().any(defines_sinks);
    add_part(&mut program, &mut seen, &model.reader, has_sinks);
    for part in model.segments.iter().flat_map(|segment| &segment.parts) {
        add_part(&mut program, &mut seen, part, has_sinks);
    }
    program += &format!(
        "\n\ntensor = {}(*sys.argv[1:])\nTEXTS = {texts:?}\n",
        model.reader
    );
    for segment in &model.segments {
        program += &segment.code;
    }
    let runs_text = |segment: &&CodeSegment| segment.names.iter().any(|name| name == "DEPTH");
    let first = model
        .segments
        .iter()
        .position(|segment| runs_text(&segment))
        .expect("code for texts");
    for line in model.segments[first..]
        .iter()
        .flat_map(|segment| segment.code.lines())
    {
        assert!(line.chars().count() <= 110, "{line}");
    }
    add_part(&mut program, &mut seen, "forward", has_sinks);
    program + BODY
}

/// Golden numbers of a folder.
struct Golden(Vec<u8>);

impl Golden {
    fn read(folder: &str) -> Self {
        Self(fs::read(data("forward").join(folder).join("golden.safetensors")).expect(folder))
    }

    fn bytes(&self, name: &str) -> Option<Vec<[u8; 4]>> {
        let file = SafeTensors::deserialize(&self.0).expect("a file");
        let tensor = file.tensor(name).ok()?;
        let (numbers, rest) = tensor.data().as_chunks::<4>();
        assert!(rest.is_empty());
        Some(numbers.to_vec())
    }

    fn ids(&self, name: &str) -> Vec<u32> {
        self.bytes(name)
            .expect(name)
            .into_iter()
            .map(u32::from_le_bytes)
            .collect()
    }

    fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let number = |bytes| f64::from(f32::from_le_bytes(bytes));
        Some(self.bytes(name)?.into_iter().map(number).collect())
    }
}

/// Checks the numbers that a program printed under a name.
fn numbers_are(found: &Value, golden: &[f64], what: &str) {
    let found = found
        .as_array()
        .unwrap_or_else(|| panic!("{what} is missing"));
    assert_eq!(found.len(), golden.len(), "{what}");
    let largest = golden
        .iter()
        .fold(0.0_f64, |largest, number| largest.max(number.abs()));
    for (found, golden) in found.iter().zip(golden) {
        let found = found.as_f64().expect("a number");
        assert!(
            (found - golden).abs() <= MOST * largest,
            "{what}: {found}, expected {golden}"
        );
    }
}

#[test]
fn programs_run_models_over_texts_as_their_libraries_do() {
    let Some(python) = python("the NumPy programs of texts") else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("diagonal-numpy-texts-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let mut list = Vec::new();
    for (at, (model, source, side)) in MODELS.iter().enumerate() {
        let golden = Golden::read(model);
        let texts = [0, 1].map(|text| golden.ids(&format!("{side}ids.{text}")));
        let code = code(model, *source);
        assert_eq!(code.text_failure, None, "{model}");
        let [path, output] = ["py", "json"].map(|end| folder.join(format!("{model}-{at}.{end}")));
        fs::write(&path, program(&code, &texts)).expect("written");
        let file = data("forward").join(model).join("model.safetensors");
        list.push(json!({"path": path, "arguments": [file], "output": output}));
    }
    let path = folder.join("list.json");
    fs::write(&path, serde_json::to_vec(&list).expect("JSON")).expect("written");
    let mut command = Command::new(python);
    printed({
        command
            .arg(root().join("tests/it/numpy_program/run_programs.py"))
            .arg(path);
        command
    });
    for (at, (model, _, side)) in MODELS.iter().enumerate() {
        let golden = Golden::read(model);
        let text =
            fs::read_to_string(folder.join(format!("{model}-{at}.json"))).expect("a JSON file");
        let found: Value = serde_json::from_str(&text).expect("JSON");
        for text in 0..2 {
            for name in ["states", "attention", "logits"] {
                let name = format!("{name}.{text}");
                let what = format!("{model} {name}");
                match golden.numbers(&format!("{side}{name}")) {
                    Some(golden) if *model == "electra" && name.starts_with("logits") => {
                        let probabilities: Vec<f64> =
                            golden.iter().map(|x| (1.0 + (-x).exp()).recip()).collect();
                        numbers_are(&found[format!("replaced.{text}")], &probabilities, &what);
                    }
                    Some(golden) => numbers_are(&found[&name], &golden, &what),
                    None => assert!(
                        name.starts_with("logits") && found.get(&name).is_none(),
                        "{what}"
                    ),
                }
            }
        }
    }
    // Removed only after success, for a look at what failed.
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn other_models_have_a_sentence() {
    let folders = fs::read_dir(data("forward")).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name")
    };
    let listed = MODELS
        .iter()
        .map(|(folder, ..)| *folder)
        .chain(OTHERS.iter().map(|(folder, _)| *folder));
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(folders.map(name).collect::<BTreeSet<_>>(), listed);
    for (folder, source) in OTHERS {
        let code = code(folder, *source);
        let failure = code.text_failure.expect(folder);
        assert_is_sentence(&failure);
        let has_text = |name: &String| ["embed", "apply_block", "DEPTH"].contains(&name.as_str());
        assert!(
            !code
                .segments
                .iter()
                .flat_map(|segment| &segment.names)
                .any(has_text),
            "{folder}"
        );
    }
}
