//! T5.

use super::{describe, first_block, folder, open_source, parse, tensors::assert_whole};
use crate::support::models::{f32s, tensors, write};
use diagonal::model::{Activation, AttentionPositions, NormKind};

#[test]
fn all_layers_of_t5_use_the_buckets_of_the_first() {
    let (_, t5) = folder("t5", "encoder");
    for block in &describe(&t5).blocks {
        let AttentionPositions::Buckets {
            tensor,
            bidirectional,
            ..
        } = &block.attention.positions
        else {
            panic!("no buckets");
        };
        assert!(tensor.contains("block.0.") && *bidirectional);
        let norm = block.attention.residual.norms().next().expect("a norm");
        assert_eq!((norm.kind, &norm.bias), (NormKind::Rms, &None));
    }
}

#[test]
fn later_versions_of_t5_have_gates() {
    let mut all = tensors("t5");
    let inner: Vec<_> = all
        .keys()
        .filter(|name| name.ends_with("wi.weight"))
        .cloned()
        .collect();
    for name in inner {
        let whole = all.remove(&name).expect("listed");
        for part in ["wi_0.weight", "wi_1.weight"] {
            let name = name.replace("wi.weight", part);
            all.insert(name, f32s(&whole.shape, |_| 0.0));
        }
    }
    let config = parse(
        r#"{"model_type": "t5", "d_model": 64, "num_heads": 4, "d_kv": 16, "feed_forward_proj": "gated-gelu"}"#,
    );
    let opened = open_source(write(&all), Some(&config), "encoder");
    assert_whole(&opened, "T5 with gates");
    let part = &first_block(&opened.1).feed_forward;
    assert_eq!(part.activation, Activation::GeluTanh);
    assert!(
        part.gate
            .as_ref()
            .is_some_and(|gate| gate.weight.ends_with("wi_0.weight"))
    );
}
