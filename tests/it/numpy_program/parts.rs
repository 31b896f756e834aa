//! Bodies and parts of programs fit together.

use crate::support::root;
use diagonal::{
    numpy_program::{Directives, PARTS, VARIANTS, comment, part, variant},
    url_state::FigureId,
};
use std::{collections::BTreeSet, fs};

/// Names of the Python files in a folder, without their ending.
fn files(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("a plain name");
        name.strip_suffix(".py").map(str::to_owned)
    };
    entries
        .filter_map(|entry| name(entry.expect("an entry")))
        .collect()
}

/// All texts, each with its name.
fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let bodies = FigureId::ALL
        .iter()
        .map(|figure| (figure.id(), figure.numpy_body()));
    let parts = PARTS
        .iter()
        .map(|name| (*name, part(name).expect("a listed part")));
    let variants = VARIANTS
        .iter()
        .map(|name| (*name, variant(name).expect("a listed variant")));
    bodies.chain(parts).chain(variants)
}

/// A text as if each of its conditions held alone, as if none did, and as if all did.
fn readings(text: &'static str) -> Vec<Directives<'static>> {
    let alone = Directives::conditions(text)
        .map(|condition| Directives::read(text, |name| name == condition));
    let [none, all] = [false, true].map(|holds| Directives::read(text, |_| holds));
    alone.chain([none, all]).collect()
}

#[test]
fn every_file_is_listed() {
    let listed = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(listed(PARTS), files("www/numpy/parts"));
    assert_eq!(listed(VARIANTS), files("www/numpy/variants"));
    let figures: Vec<&str> = FigureId::ALL.iter().map(|figure| figure.id()).collect();
    assert_eq!(listed(&figures), files("www/numpy/figures"));
}

#[test]
fn directives_name_parts_and_choices_that_exist() {
    let models = ["model", "models", "snapshots"];
    // Parts that the code of a model calls.
    let mut used = BTreeSet::from([
        "safetensors_reader",
        "torch_reader",
        "gguf_reader",
        "npy_reader",
        "distance_rows",
        "layer_norm",
        "gelu",
        "gelu_tanh",
        "layer_norm_of_parts",
        "quick_gelu",
        "relu",
        "relu_squared",
        "rms_norm",
        "rms_norm_of_parts",
        "rotary_angles",
        "rotary_change_divided",
        "rotary_change_dynamic",
        "rotary_change_linear",
        "rotary_change_llama3",
        "rotary_change_ntk",
        "rotary_change_yarn",
        "rotate",
        "rotate_pairs",
        "silu",
        "sinusoidal",
        "random_numbers",
        "toeplitz_scores",
        "word_sample",
        "bucket_scores",
        "window_scores",
        "kernels",
    ]);
    let mut variants = BTreeSet::new();
    for (name, text) in texts() {
        for reading in readings(text) {
            for need in &reading.needs {
                assert!(
                    PARTS.contains(need) || models.contains(need),
                    "{name} needs {need}"
                );
                used.insert(*need);
            }
            for choice in &reading.choices {
                assert!(
                    comment(choice).is_some(),
                    "{name} names the choice {choice}"
                );
            }
            if let Some(variant) = reading.instead {
                assert!(
                    VARIANTS.contains(&variant),
                    "{name} names the variant {variant}"
                );
                variants.insert(variant);
            }
        }
        let ends = text.lines().filter(|line| *line == "#end").count();
        assert_eq!(
            Directives::conditions(text).count(),
            ends,
            "{name} has blocks without an end"
        );
    }
    for part in PARTS {
        assert!(used.contains(part), "nothing needs the part {part}");
    }
    assert_eq!(variants, VARIANTS.iter().copied().collect());
}

#[test]
fn lines_are_short_and_plain() {
    for (name, text) in texts() {
        for line in text.lines() {
            assert!(line.chars().count() <= 110, "{name}: {line}");
            assert_eq!(
                line.trim_end(),
                line,
                "{name} has spaces at the end of a line"
            );
            assert!(!line.contains('\t'), "{name} has tabs");
        }
    }
}
