//! Texts and models that cannot be run. Every error is a sentence, and layers before the fault can be run.

use super::{
    Run,
    laws::{changed, set},
    no_pause, open_pass, pass_of, text,
};
use crate::{
    checkpoint::{checkpoints::open, hostile::assert_is_sentence},
    support::models::{Tensors, bytes, config, f32s, tensors, write},
};
use diagonal::{
    forward::ForwardError,
    model::{Config, ModelOptions, PositionModel},
};
use pollster::block_on;

fn sentence(error: &ForwardError) -> String {
    let text = error.to_string();
    assert_is_sentence(&text);
    text
}

#[test]
fn texts_must_have_tokens_that_the_model_knows_and_has_positions_for() {
    let (file, pass) = open_pass("bert", None);
    assert_eq!(pass.longest_text(), Some(32));
    for (texts, part) in [
        (vec![text(3, 1), vec![]], "Text 2 has no tokens"),
        (
            vec![text(33, 1)],
            "33 tokens, and the model has 32 positions",
        ),
        (vec![vec![7, 40]], "no token 40: token ids go from 0 to 39"),
        (vec![vec![u32::MAX]], "no token 4294967295"),
    ] {
        let error = block_on(pass.embed(&file, &texts, &no_pause)).expect_err(part);
        assert!(sentence(&error).contains(part), "{error}");
    }
    block_on(pass.embed(&file, &[text(32, 1)], &no_pause)).expect("as many as positions");
    // Rows before the first position are none.
    let (_, roberta) = open_pass("roberta", None);
    assert_eq!(roberta.longest_text(), Some(32));
    let (_, llama) = open_pass("llama", None);
    assert_eq!(llama.longest_text(), None);
}

#[test]
fn a_fault_in_a_layer_leaves_those_before_it() {
    type Change = fn(&mut Tensors);
    let faults: [(Change, &str); 5] = [
        (
            |all| set(all, "layer.1.attention.self.key.weight", f32::NAN),
            "holds NaN",
        ),
        (
            |all| set(all, "layer.1.output.dense.bias", f32::INFINITY),
            "holds inf",
        ),
        (
            |all| drop(all.remove("bert.encoder.layer.1.output.dense.weight")),
            "output.dense.weight",
        ),
        (
            |all| {
                let shape = f32s(&[16, 15], |_| 0.0);
                all.insert(
                    "bert.encoder.layer.1.attention.self.key.weight".to_owned(),
                    shape,
                );
            },
            "16 × 15",
        ),
        (
            |all| {
                let shape = f32s(&[15], |_| 0.0);
                all.insert(
                    "bert.encoder.layer.1.output.LayerNorm.bias".to_owned(),
                    shape,
                );
            },
            "LayerNorm.bias",
        ),
    ];
    for (change, part) in faults {
        let (file, pass) = changed("bert", None, change);
        let embedding = block_on(pass.embed(&file, &[text(5, 1)], &no_pause));
        let mut batch = embedding.expect("an embedding").states();
        let first = block_on(pass.read_layer(&file, 0, &no_pause)).expect("the first layer");
        block_on(pass.apply(0, &first, &mut batch, &mut (), &no_pause)).expect("applied");
        let error = block_on(pass.read_layer(&file, 1, &no_pause)).expect_err(part);
        assert!(sentence(&error).contains(part), "{error}");
    }
    let (file, pass) = open_pass("bert", None);
    let error = block_on(pass.read_layer(&file, 2, &no_pause)).expect_err("two layers");
    assert!(sentence(&error).contains("no layer 3"), "{error}");
}

#[test]
fn states_beyond_single_precision_are_refused() {
    let (file, pass) = changed("gpt2", None, |all| set(all, "h.1.mlp.c_proj.weight", 3e38));
    let embedding = block_on(pass.embed(&file, &[text(5, 1)], &no_pause)).expect("an embedding");
    let error = Run::new(&file, &pass, &embedding)
        .map(|_| ())
        .expect_err("overflow");
    assert_eq!(error, ForwardError::Overflow { layer: Some(1) });
    assert!(sentence(&error).contains("Layer 2"), "{error}");

    let (file, pass) = changed("gpt2", None, |all| {
        set(all, "wte", 3e38);
        set(all, "wpe", 3e38);
    });
    let error = block_on(pass.embed(&file, &[text(5, 1)], &no_pause)).expect_err("overflow");
    assert_eq!(error, ForwardError::Overflow { layer: None });
    sentence(&error);

    let (file, pass) = changed("gpt2", None, |all| set(all, "ln_f.weight", 3e38));
    let embedding = block_on(pass.embed(&file, &[text(5, 1)], &no_pause)).expect("an embedding");
    let run = Run::new(&file, &pass, &embedding).expect("a run");
    let states = run.last().text(0);
    let error = block_on(pass.predict(&file, states, &[None; 5], 3, &no_pause));
    assert_eq!(error, Err(ForwardError::Overflow { layer: Some(1) }));
}

#[test]
fn models_that_are_not_described_are_refused_when_they_are_opened() {
    for folder in ["swin", "whisper", "longformer"] {
        let file = open(bytes(folder)).expect(folder);
        let error = pass_of(&file, &config(folder), None).expect_err(folder);
        assert!(sentence(&error).contains("cannot run"), "{folder}: {error}");
    }
    let folder = "forward/bert";
    let text = std::fs::read_to_string(crate::support::models::data(folder).join("config.json"));
    let text = text.expect(folder).replace("\"gelu\"", "\"snake\"");
    let odd = Config::parse(&text).expect(folder);
    let file = open(bytes(folder)).expect(folder);
    let error = pass_of(&file, &odd, None).expect_err("unknown");
    assert!(sentence(&error).contains("snake"), "{error}");
    // Without its first feed-forward part, as in extracts of models.
    let mut all = tensors(folder);
    all.retain(|name, _| !name.contains("intermediate"));
    let file = open(write(&all)).expect(folder);
    let error = pass_of(&file, &config(folder), None).expect_err("an extract");
    assert!(
        sentence(&error).contains("intermediate.dense.weight"),
        "{error}"
    );
}

#[test]
fn without_a_head_nothing_is_predicted() {
    let (file, pass) = open_pass("t5", Some("encoder"));
    assert!(!pass.predicts_words());
    let run = Run::of_texts(&file, &pass, &[text(4, 1)]);
    let error = block_on(pass.predict(&file, run.last().text(0), &[None; 4], 3, &no_pause));
    assert!(sentence(&error.expect_err("no head")).contains("bert-base-uncased"));
    let error = block_on(pass.detect_replaced_words(&file, run.last().text(0), &no_pause));
    assert!(sentence(&error.expect_err("no detector")).contains("ELECTRA"));

    let (file, pass) = open_pass("bert", None);
    let run = Run::of_texts(&file, &pass, &[text(2, 1)]);
    let truth = [Some(3), Some(40)];
    let error = block_on(pass.predict(&file, run.last().text(0), &truth, 3, &no_pause));
    assert!(sentence(&error.expect_err("no word")).contains("no token 40"));
}

/// Published files of gpt-oss store their experts in blocks of four bits, and those of large models fit no browser. Their
/// heads can be read all the same.
#[test]
fn experts_in_blocks_and_large_experts_have_a_sentence() {
    let folder = "forward/gpt-oss";
    let mut all = tensors(folder);
    let experts: Vec<String> = all
        .keys()
        .filter(|name| name.contains("experts."))
        .cloned()
        .collect();
    for name in experts {
        let tensor = all.remove(&name).expect("a tensor");
        if !name.ends_with("_bias") {
            all.insert(format!("{name}_blocks"), tensor);
        }
    }
    let file = open(write(&all)).expect(folder);
    let error = pass_of(&file, &config(folder), None).expect_err("blocks");
    assert!(sentence(&error).contains("four bits"), "{error}");
    assert!(matches!(error, ForwardError::PackedExperts { .. }));
    let model = block_on(PositionModel::open(
        &file,
        Some(&config(folder)),
        &ModelOptions::default(),
    ));
    let model = model.expect("a model");
    assert_eq!((model.layers, model.has_sinks()), (3, true));
    sentence(&ForwardError::LargeExperts {
        bytes: 3_185_049_600,
    });
}
