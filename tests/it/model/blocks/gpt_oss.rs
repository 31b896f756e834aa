//! gpt-oss: sinks and experts.

use super::{
    Opened, describe, first_block, folder, heads, open_source, parse, tensors::assert_whole,
};
use crate::support::models::{bytes, config, f32s, tensors, write};
use diagonal::model::{Activation, Config};
use pollster::block_on;

const FOLDER: &str = "forward/gpt-oss";

fn gpt_oss() -> Opened {
    folder(FOLDER, "positions")
}

#[test]
fn every_tensor_of_gpt_oss_is_named_once() {
    let opened = gpt_oss();
    assert_whole(&opened, "gpt-oss");
    let sizes = block_on(describe(&opened.1).check(&opened.0, heads(&opened.1))).expect("fits");
    let first = sizes[0];
    assert_eq!(
        (first.heads, first.key_heads, first.head_width, first.inner),
        (4, 2, 8, 10)
    );
    let blocks = &describe(&opened.1).blocks;
    let reaches: Vec<_> = blocks.iter().map(|block| block.attention.reach).collect();
    assert_eq!(reaches, [Some(4), None, Some(4)]);
    let experts = first_block(&opened.1)
        .feed_forward
        .experts
        .as_ref()
        .expect("experts");
    assert_eq!((experts.active, experts.limit), (2, 0.5));
    assert_eq!(
        first_block(&opened.1).feed_forward.activation,
        Activation::QuickGelu
    );
}

/// A configuration may leave out what the library has defaults for.
#[test]
fn defaults_are_those_of_the_library() {
    let text = std::fs::read_to_string(crate::support::models::data(FOLDER).join("config.json"));
    let text = text.expect("a configuration");
    let entries = [
        "num_experts_per_tok",
        "swiglu_limit",
        "swiglu_alpha",
        "sliding_window",
        "rms_norm_eps",
    ];
    let lines = text.lines().filter(|line| {
        !entries
            .iter()
            .any(|entry| line.contains(&format!("\"{entry}\"")))
    });
    let short = parse(&lines.collect::<Vec<_>>().join("\n"));
    let opened = open_source(bytes(FOLDER), Some(&short), "positions");
    let block = first_block(&opened.1);
    let experts = block.feed_forward.experts.as_ref().expect("experts");
    assert_eq!((experts.active, experts.limit), (4, 7.0));
    assert_eq!(block.feed_forward.activation, Activation::QuickGelu);
    assert_eq!(block.attention.reach, Some(127));
    let norm = block.attention.residual.norms().next().expect("a norm");
    assert_eq!(norm.epsilon, 1e-5);
    let steep = Config::parse(&text.replace("1.702", "2.0")).expect("a configuration");
    let opened = open_source(bytes(FOLDER), Some(&steep), "positions");
    let activation = &first_block(&opened.1).feed_forward.activation;
    assert!(matches!(activation, Activation::Other(_)), "{activation:?}");
}

#[test]
fn tensors_that_do_not_fit_are_named() {
    let layer = "model.layers.1";
    for (name, shape) in [
        ("self_attn.sinks", &[3][..]),
        ("mlp.experts.gate_up_proj", &[5, 16, 19]),
        ("mlp.experts.gate_up_proj", &[4, 16, 20]),
        ("mlp.experts.gate_up_proj_bias", &[5, 10]),
        ("mlp.experts.down_proj", &[5, 9, 16]),
        ("mlp.experts.down_proj", &[5, 160]),
    ] {
        let name = format!("{layer}.{name}");
        let mut all = tensors(FOLDER);
        all.insert(name.clone(), f32s(shape, |_| 0.0));
        let opened = open_source(write(&all), Some(&config(FOLDER)), "positions");
        let error = block_on(describe(&opened.1).check(&opened.0, heads(&opened.1)));
        let error = error.expect_err(&name).to_string();
        assert!(error.contains(&name), "{name}: {error}");
    }
}

#[test]
fn a_token_passes_no_more_experts_than_there_are() {
    let text = std::fs::read_to_string(crate::support::models::data(FOLDER).join("config.json"));
    let text = text.expect("a configuration");
    let many = text.replace("\"num_experts_per_tok\": 2", "\"num_experts_per_tok\": 6");
    let opened = open_source(bytes(FOLDER), Some(&parse(&many)), "positions");
    let error = block_on(describe(&opened.1).check(&opened.0, heads(&opened.1)));
    let error = error.expect_err("six of five").to_string();
    assert!(error.contains("mlp.router.weight"), "{error}");
    assert!(error.contains("at least 6 rows"), "{error}");
}
