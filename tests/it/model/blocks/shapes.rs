//! Tensors whose shapes do not fit the description are named.

use super::{
    describe, heads,
    llama::{GROUPED, GROUPED_CONFIG},
    open_source, parse, zeros,
};
use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::models::{Tensors, config, f32s, tensors, write},
};
use pollster::block_on;

#[test]
fn the_first_tensor_that_does_not_fit_is_named() {
    let change = |change: &dyn Fn(&mut Tensors)| {
        let mut all = tensors("bert");
        change(&mut all);
        let (checkpoint, model) = open_source(write(&all), Some(&config("bert")), "positions");
        let error = block_on(describe(&model).check(&checkpoint, heads(&model)));
        error.expect_err("does not fit").to_string()
    };
    for (tensor, shape, expected) in [
        (
            "encoder.layer.1.output.dense.weight",
            Some(&[64, 95][..]),
            "64 × 96",
        ),
        ("encoder.layer.0.output.LayerNorm.bias", Some(&[63]), "64"),
        (
            "encoder.layer.0.attention.self.value.weight",
            Some(&[60, 64]),
            "64 × 64",
        ),
        (
            "encoder.layer.0.attention.self.value.bias",
            Some(&[65]),
            "64",
        ),
        (
            "encoder.layer.1.attention.output.dense.weight",
            None,
            "no tensor",
        ),
        (
            "embeddings.token_type_embeddings.weight",
            Some(&[2, 32]),
            "rows of 64 numbers",
        ),
    ] {
        let sentence = change(&|all| {
            all.remove(tensor);
            if let Some(shape) = shape {
                all.insert(tensor.to_owned(), f32s(shape, |_| 0.0));
            }
        });
        assert_is_sentence(&sentence);
        assert!(
            sentence.contains(tensor) && sentence.contains(expected),
            "{sentence}"
        );
    }
}

#[test]
fn a_wrong_number_of_key_heads_is_refused() {
    let config = GROUPED_CONFIG.replace("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3");
    let config = parse(&format!(r#"{{"model_type": "llama", {config}}}"#));
    let (checkpoint, model) = open_source(zeros(1, GROUPED), Some(&config), "positions");
    let error = block_on(describe(&model).check(&checkpoint, None)).expect_err("3 of 4");
    assert_is_sentence(&error.to_string());
    assert!(error.to_string().contains("k_proj"), "{error}");
}
