//! Findings on files whose tensors contradict the configuration.

use diagonal::model::{
    Config,
    rotary_findings::{FindingKind, FindingNumber, Severity, check_file},
};
use pollster::block_on;
use serde_json::{Value, json};

use super::{expect, kinds, number};
use crate::support::models::{Tensors, f32s, plainly, write};

/// Two layers of 4 heads and 2 key heads of 16 columns.
fn config() -> Value {
    json!({
        "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
        "num_hidden_layers": 2, "max_position_embeddings": 128, "rope_theta": 500_000.0,
    })
}

fn file(layers: &[usize]) -> Vec<u8> {
    let mut all = Tensors::new();
    for at in layers {
        let name = |end: &str| format!("model.layers.{at}.{end}.weight");
        all.insert(name("input_layernorm"), f32s(&[64], |_| 1.0));
        all.insert(name("self_attn.q_proj"), f32s(&[64, 64], |_| 0.5));
        all.insert(name("self_attn.k_proj"), f32s(&[32, 64], |_| 0.5));
    }
    write(&all)
}

fn check(config: &Value, bytes: Vec<u8>) -> Vec<diagonal::model::rotary_findings::Finding> {
    let config = Config::read_leniently(&config.to_string());
    let (checkpoint, model) = plainly(bytes, Some(&config));
    block_on(check_file(Some(&config), model.rotary(), &checkpoint))
}

#[test]
fn a_file_that_fits_has_no_faults() {
    let findings = check(&config(), file(&[0, 1]));
    assert!(
        kinds(&findings, Severity::Fault).is_empty(),
        "{findings:#?}"
    );
}

#[test]
fn shapes_and_layers_that_do_not_fit_are_found() {
    let with = |key: &str, value: Value| {
        let mut config = config();
        config[key] = value;
        config
    };
    let cases = [
        (
            with("num_attention_heads", json!(8)),
            file(&[0, 1]),
            vec![FindingKind::KeyShape],
        ),
        (
            with("num_key_value_heads", json!(4)),
            file(&[0, 1]),
            vec![FindingKind::KeyShape],
        ),
        (
            with("head_dim", json!(32)),
            file(&[0, 1]),
            vec![FindingKind::QueryShape, FindingKind::KeyShape],
        ),
        (
            with("num_hidden_layers", json!(3)),
            file(&[0, 1]),
            vec![FindingKind::LayerCount],
        ),
        (config(), file(&[0, 1, 2]), vec![FindingKind::LayerCount]),
        (
            with("num_hidden_layers", json!(3)),
            file(&[0, 2]),
            vec![FindingKind::LayerCount],
        ),
    ];
    for (config, bytes, kinds_of_faults) in cases {
        let findings = check(&config, bytes);
        assert_eq!(
            kinds(&findings, Severity::Fault),
            kinds_of_faults,
            "{config}"
        );
    }
    let wide = check(&with("head_dim", json!(32)), file(&[0, 1]));
    let query = expect(&wide, FindingKind::QueryShape);
    assert_eq!(number(query, FindingNumber::Value), 64.0);
    assert_eq!(number(query, FindingNumber::Expected), 128.0);
}
