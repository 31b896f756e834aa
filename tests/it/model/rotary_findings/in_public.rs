//! Configurations of published models, each with a way in which programs have misread it in public.
//!
//! The phases are computed here once more, from the formulas alone.

use std::{collections::BTreeMap, f64::consts::PI};

use diagonal::model::{
    Config, RotaryDescription,
    rotary_findings::{Finding, FindingKind, FindingNumber, Severity, check, findings_as_text},
};
use serde_json::{Value, json};

use super::{expect, find, findings_of, kinds, number};

/// base^(−2m/width) for each of `pairs` pairs.
fn angles(base: f64, width: f64, pairs: i32) -> Vec<f64> {
    let angle = |m: i32| base.powf(-2.0 * f64::from(m) / width);
    (0..pairs).map(angle).collect()
}

/// Asserts the largest error and the number of pairs beyond π of a finding.
fn assert_phases(finding: &Finding, angles: &[f64], others: &[f64], offset: f64) {
    let at = |list: &[f64], m: usize| list.get(m).copied().unwrap_or(0.0);
    let all = 0..angles.len().max(others.len());
    let errors: Vec<f64> = all
        .map(|m| (at(angles, m) - at(others, m)).abs() * offset)
        .collect();
    let largest = errors.iter().copied().fold(0.0, f64::max);
    let wrong = errors.iter().filter(|error| **error > PI).count();
    assert_eq!(number(finding, FindingNumber::Offset), offset);
    let found = number(finding, FindingNumber::PhaseError);
    assert!(
        (found - largest).abs() < 1e-9 * largest,
        "{found} for {largest}"
    );
    assert_eq!(number(finding, FindingNumber::WrongPairs), wrong as f64);
    assert_eq!(finding.severity, Severity::Caution);
}

fn assert_no_fault(findings: &[Finding]) {
    let faults = kinds(findings, Severity::Fault);
    assert!(faults.is_empty(), "{}", findings_as_text(findings));
}

fn llama(more: Value) -> Value {
    let mut config = json!({
        "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "num_hidden_layers": 32, "max_position_embeddings": 8192,
    });
    let more = more.as_object().expect("entries").clone();
    config.as_object_mut().expect("entries").extend(more);
    config
}

#[test]
fn fields_that_version_5_moved_are_read_as_base_10_000() {
    let section = json!({ "rope_type": "default", "rope_theta": 500_000.0 });
    let findings = findings_of(&llama(json!({ "rope_parameters": section })));
    assert_no_fault(&findings);
    let moved = expect(&findings, FindingKind::FieldsMoved);
    let (ours, theirs) = (angles(5e5, 128.0, 64), angles(1e4, 128.0, 64));
    assert_phases(moved, &ours, &theirs, 8192.0);
    assert_eq!(number(moved, FindingNumber::Base), 10_000.0);
    assert!(moved.sentence.contains("base 10,000 in silence"));
    // With the base under its older name too, or with the usual base, nothing is lost.
    for more in [
        json!({ "rope_parameters": { "rope_theta": 500_000.0 }, "rope_theta": 500_000.0 }),
        json!({ "rope_parameters": { "rope_type": "default", "rope_theta": 10_000.0 } }),
        json!({ "rope_theta": 500_000.0 }),
    ] {
        assert_eq!(
            find(&findings_of(&llama(more)), FindingKind::FieldsMoved),
            None
        );
    }
}

#[test]
fn both_sections_lose_the_base_in_version_5() {
    // The library's LlamaConfig reads rope_scaling alone, with base 10,000.
    let section = json!({ "rope_type": "linear", "factor": 4.0, "rope_theta": 500_000.0 });
    let older = json!({ "type": "linear", "factor": 4.0 });
    let config = llama(json!({ "rope_parameters": section, "rope_scaling": older }));
    let findings = findings_of(&config);
    let differ = expect(&findings, FindingKind::SectionsDiffer);
    assert!(
        differ
            .sentence
            .contains("“rope_theta” (10,000 and 500,000)"),
        "{}",
        differ.sentence
    );
    let older = json!({ "type": "linear", "factor": 4.0, "rope_theta": 500_000.0 });
    let config = llama(json!({ "rope_parameters": section, "rope_scaling": older }));
    assert_eq!(
        find(&findings_of(&config), FindingKind::SectionsDiffer),
        None
    );
}

#[test]
fn the_scaling_of_llama_3_1_is_ignored() {
    let findings = findings_of(&llama(json!({
        "max_position_embeddings": 131_072, "rope_theta": 500_000.0,
        "rope_scaling": {
            "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    })));
    assert_no_fault(&findings);
    let ignored = expect(&findings, FindingKind::ScalingIgnored);
    let plain = angles(5e5, 128.0, 64);
    // The bands of the library: waves longer than 8,192 tokens, shorter than 2,048, and between.
    let scale = |angle: &f64| {
        let turns = 8192.0 * angle / (2.0 * PI);
        let share = ((turns - 1.0) / 3.0).clamp(0.0, 1.0);
        (1.0 - share) * angle / 8.0 + share * angle
    };
    let scaled: Vec<f64> = plain.iter().map(scale).collect();
    assert_phases(ignored, &scaled, &plain, 131_072.0);
    assert_eq!(number(ignored, FindingNumber::DifferentPairs), 35.0);
    let length = expect(&findings, FindingKind::StretchedLength);
    assert_eq!(number(length, FindingNumber::StretchedLength), 65_536.0);
    assert_eq!(length.severity, Severity::Caution);
    let slowest = expect(&findings, FindingKind::SlowestPair);
    assert_eq!(number(slowest, FindingNumber::PairsWithoutFullTurn), 29.0);
    assert_eq!(number(slowest, FindingNumber::PairsBeyondTraining), 29.0);
}

#[test]
fn gemma_4_is_read_as_a_partial_rotation() {
    let kinds = vec!["sliding_attention"; 5]
        .into_iter()
        .chain(["full_attention"]);
    let findings = findings_of(&json!({ "model_type": "gemma4", "text_config": {
        "model_type": "gemma4_text", "hidden_size": 2560, "num_attention_heads": 8, "num_key_value_heads": 2,
        "num_hidden_layers": 6, "head_dim": 256, "global_head_dim": 512, "sliding_window": 512,
        "max_position_embeddings": 131_072, "layer_types": kinds.collect::<Vec<_>>(),
        "rope_parameters": {
            "sliding_attention": { "rope_type": "default", "rope_theta": 1e4 },
            "full_attention": { "rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25 },
        },
    }}));
    assert_no_fault(&findings);
    let global = angles(1e6, 512.0, 64);
    let proportion = expect(&findings, FindingKind::ProportionIgnored);
    assert_phases(proportion, &global, &angles(1e6, 128.0, 64), 131_072.0);
    let partial = expect(&findings, FindingKind::PartialRotationIgnored);
    assert_phases(partial, &global, &angles(1e6, 512.0, 256), 131_072.0);
    let slowest = findings.iter().find(|own| {
        own.kind == FindingKind::LayerAngles
            && own.number(FindingNumber::RotatedColumns) == Some(128.0)
    });
    let wave = number(
        slowest.expect("global layers"),
        FindingNumber::LongestWavelength,
    );
    assert!((188.0..189.0).contains(&wave), "{wave}");
}

#[test]
fn layers_without_rotation_are_rotated() {
    let smollm = json!({
        "model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 4,
        "num_hidden_layers": 36, "max_position_embeddings": 65_536, "rope_theta": 5_000_000.0,
        "no_rope_layer_interval": 4,
    });
    let llama4 = json!({ "model_type": "llama4", "text_config": {
        "model_type": "llama4_text", "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8,
        "num_hidden_layers": 48, "head_dim": 128, "max_position_embeddings": 65_536, "rope_theta": 500_000.0,
        "no_rope_layers": [],
    }});
    let window = |model_type: &str, base: f64| {
        json!({
            "model_type": model_type, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
            "num_hidden_layers": 32, "head_dim": 128, "max_position_embeddings": 65_536, "rope_theta": base,
            "sliding_window": 4096, "sliding_window_pattern": 4,
        })
    };
    for (config, base, count) in [
        (smollm, 5e6, 9.0),
        (llama4, 5e5, 12.0),
        (window("cohere2", 5e4), 5e4, 8.0),
        (window("exaone4", 1e6), 1e6, 8.0),
    ] {
        let findings = findings_of(&config);
        assert_no_fault(&findings);
        let ignored = expect(&findings, FindingKind::UnrotatedLayersIgnored);
        assert_eq!(number(ignored, FindingNumber::Layers), count, "{config}");
        assert_phases(ignored, &[], &angles(base, 128.0, 64), 65_536.0);
        let still = expect(&findings, FindingKind::UnrotatedLayers);
        assert_eq!(number(still, FindingNumber::Layers), count);
    }
}

#[test]
fn yarn_of_gpt_oss_is_ignored_and_so_is_its_factor() {
    let findings = findings_of(&json!({
        "model_type": "gpt_oss", "hidden_size": 2880, "num_attention_heads": 64, "num_key_value_heads": 8,
        "num_hidden_layers": 24, "head_dim": 64, "max_position_embeddings": 131_072, "rope_theta": 150_000,
        "layer_types": (["sliding_attention", "full_attention"].repeat(12)), "sliding_window": 128,
        "rope_scaling": {
            "rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false,
            "original_max_position_embeddings": 4096,
        },
    }));
    assert_no_fault(&findings);
    let ignored = expect(&findings, FindingKind::ScalingIgnored);
    assert_eq!(number(ignored, FindingNumber::DifferentPairs), 23.0);
    assert_eq!(ignored.severity, Severity::Caution);
    let factor = number(
        expect(&findings, FindingKind::AttentionFactorIgnored),
        FindingNumber::ScoreFactor,
    );
    assert!((factor - (0.1 * 32.0_f64.ln() + 1.0).powi(2)).abs() < 1e-12);
    let length = expect(&findings, FindingKind::StretchedLength);
    assert_eq!(length.severity, Severity::Fact);
}

#[test]
fn scaling_in_gguf_is_ignored() {
    let entries = [
        ("general.architecture", "qwen2"),
        ("qwen2.block_count", "2"),
        ("qwen2.context_length", "131072"),
        ("qwen2.embedding_length", "64"),
        ("qwen2.attention.head_count", "4"),
        ("qwen2.rope.freq_base", "1000000"),
        ("qwen2.rope.scaling.type", "yarn"),
        ("qwen2.rope.scaling.factor", "4"),
        ("qwen2.rope.scaling.original_context_length", "32768"),
    ];
    let entries = entries.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let findings = check(&Config::from_gguf(&BTreeMap::from(entries)));
    assert_no_fault(&findings);
    let ignored = expect(&findings, FindingKind::ScalingIgnored);
    assert!(number(ignored, FindingNumber::WrongPairs) >= 1.0);
    let length = expect(&findings, FindingKind::StretchedLength);
    assert_eq!(number(length, FindingNumber::StretchedLength), 131_072.0);
}

#[test]
fn axes_of_qwen_2_vl_are_read_as_one() {
    let findings = findings_of(&json!({
        "model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "num_key_value_heads": 4,
        "num_hidden_layers": 28, "max_position_embeddings": 32_768, "rope_theta": 1_000_000.0,
        "rope_scaling": { "type": "mrope", "mrope_section": [16, 24, 24] },
    }));
    assert_no_fault(&findings);
    let axes = expect(&findings, FindingKind::PositionAxes);
    assert_eq!(number(axes, FindingNumber::DifferentPairs), 48.0);
    let sum = expect(&findings, FindingKind::NegativeSum);
    assert_eq!(number(sum, FindingNumber::FirstNegativeSum), 27_115.0);
    assert_eq!(sum.severity, Severity::Caution);
}

/// llama.cpp#22612 and sglang#26203: programs that do not know the entry apply the factor.
#[test]
fn mistral_leaves_the_factor_of_yarn_out() {
    let sizes = json!({
        "dim": 4096, "n_layers": 2, "head_dim": 128, "n_heads": 32, "n_kv_heads": 8, "rope_theta": 1e6,
        "max_position_embeddings": 262_144,
        "yarn": { "original_max_position_embeddings": 16_384, "factor": 16, "beta": 32, "alpha": 1 },
    });
    let mut off = sizes.clone();
    off["yarn"]["apply_scale"] = json!(false);
    let mut vllm = json!({
        "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2,
        "max_position_embeddings": 262_144,
    });
    vllm["rope_parameters"] = json!({
        "rope_type": "yarn", "rope_theta": 1e6, "factor": 16, "original_max_position_embeddings": 16_384,
        "mscale_all_dim": 1, "apply_yarn_scaling": false,
    });
    let product = (0.1 * 16_f64.ln() + 1.0).powi(2);
    let factor = |config: &Value| {
        let config = Config::read_leniently(&config.to_string());
        let description = RotaryDescription::from_config(&config).expect("angles");
        description.angles[0].tensors.attention_factor()
    };
    assert!((factor(&sizes).powi(2) - product).abs() < 1e-12);
    for config in [off, vllm] {
        assert_eq!(factor(&config), 1.0, "{config}");
        let findings = findings_of(&config);
        let finding = expect(&findings, FindingKind::ScaleFlagIgnored);
        assert_eq!(finding.severity, Severity::Caution);
        assert!((number(finding, FindingNumber::ScoreFactor) - product).abs() < 1e-9);
        assert!(finding.sentence.contains("1.2773"), "{}", finding.sentence);
        assert!(find(&findings, FindingKind::AttentionFactorIgnored).is_none());
    }
    assert!(find(&findings_of(&sizes), FindingKind::ScaleFlagIgnored).is_none());
}

/// `modeling_phimoe.py` of transformers 5.24 takes the two entries in place of the usual factor.
#[test]
fn phi_moe_has_a_factor_for_short_and_one_for_long_texts() {
    let list = vec![1.0; 64];
    let config = json!({
        "model_type": "phimoe", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 2,
        "max_position_embeddings": 131_072, "rope_scaling": {
            "type": "longrope", "original_max_position_embeddings": 4096, "short_factor": list, "long_factor": list,
            "short_mscale": 1.243_163, "long_mscale": 1.243_163,
        },
    });
    let findings = findings_of(&config);
    let finding = expect(&findings, FindingKind::LengthFactorsIgnored);
    let usual = (1.0 + 32_f64.ln() / 4096_f64.ln()).sqrt();
    let expected = (1.243_163 / usual).powi(2);
    assert!((number(finding, FindingNumber::ScoreFactor) - expected).abs() < 1e-9);
}

#[test]
fn yarn_of_mistral_is_a_section_of_its_own() {
    let findings = findings_of(&json!({
        "dim": 5120, "n_layers": 40, "head_dim": 128, "n_heads": 32, "n_kv_heads": 8, "rope_theta": 1e9,
        "max_position_embeddings": 262_144,
        "yarn": { "original_max_position_embeddings": 8192, "factor": 32, "beta": 32, "alpha": 1 },
    }));
    assert_no_fault(&findings);
    let ignored = expect(&findings, FindingKind::ScalingIgnored);
    assert_eq!(ignored.severity, Severity::Caution);
    let length = expect(&findings, FindingKind::StretchedLength);
    assert_eq!(number(length, FindingNumber::StretchedLength), 262_144.0);
}

#[test]
fn the_scale_of_deep_seek_is_left_out() {
    let findings = findings_of(&json!({
        "model_type": "deepseek_v3", "hidden_size": 7168, "num_attention_heads": 128, "num_key_value_heads": 128,
        "num_hidden_layers": 61, "num_nextn_predict_layers": 1, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "kv_lora_rank": 512, "max_position_embeddings": 163_840, "rope_theta": 10_000,
        "rope_scaling": {
            "type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0,
            "original_max_position_embeddings": 4096,
        },
    }));
    assert_no_fault(&findings);
    let factor = number(
        expect(&findings, FindingKind::AttentionFactorIgnored),
        FindingNumber::ScoreFactor,
    );
    // yarn_get_mscale(40, 1)², as the code of DeepSeek-V3 multiplies the softmax scale.
    assert!(
        (factor - (0.1 * 40.0_f64.ln() + 1.0).powi(2)).abs() < 1e-12,
        "{factor}"
    );
    assert_eq!(find(&findings, FindingKind::PartialRotationIgnored), None);
}

#[test]
fn local_layers_of_modern_bert_use_the_global_base() {
    let findings = findings_of(&json!({
        "model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 22,
        "max_position_embeddings": 8192, "global_rope_theta": 160_000.0, "local_rope_theta": 10_000.0,
        "global_attn_every_n_layers": 3, "local_attention": 128,
    }));
    assert_no_fault(&findings);
    let ignored = expect(&findings, FindingKind::LocalAnglesIgnored);
    let (local, global) = (angles(1e4, 64.0, 32), angles(160_000.0, 64.0, 32));
    assert_phases(ignored, &local, &global, 8192.0);
    assert_eq!(number(ignored, FindingNumber::Layers), 14.0);
    assert_eq!(number(ignored, FindingNumber::Window), 128.0);
    let sum = expect(&findings, FindingKind::NegativeSum);
    assert_eq!(number(sum, FindingNumber::FirstNegativeSum), 5_205.0);
}

#[test]
fn partial_rotation_of_gpt_neox_is_read_as_whole_heads() {
    let findings = findings_of(&json!({
        "model_type": "gpt_neox", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12,
        "max_position_embeddings": 2048, "rotary_pct": 0.25, "rotary_emb_base": 10_000,
    }));
    assert_no_fault(&findings);
    let ignored = expect(&findings, FindingKind::PartialRotationIgnored);
    assert_phases(
        ignored,
        &angles(1e4, 16.0, 8),
        &angles(1e4, 64.0, 32),
        2048.0,
    );
    // The pairs that do not rotate keep the sum above 0.
    let sum = expect(&findings, FindingKind::NegativeSum);
    assert_eq!(sum.severity, Severity::Fact);
}
