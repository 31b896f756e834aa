//! Formulas of the states X that enter the attention: the steps in the model's notes, and the computation.

use crate::{
    analysis::golden_minilm,
    support::questions::{folder, open},
};
use diagonal::{
    analysis::{MemorySession, ModelSummary},
    model::{Correction, ModelOptions},
};

fn summary(name: &str, choice: ModelOptions) -> ModelSummary {
    let session = MemorySession::default();
    open(&session, folder(name), choice).expect(name)
}

#[test]
fn each_family_says_what_enters_its_heads() {
    for (name, states) in [
        (
            "bert",
            "X = LayerNorm(x̄ + E + token type 0), where x̄ is the mean word",
        ),
        (
            "roberta",
            "X = LayerNorm(x̄ + E + token type 0), where x̄ is the mean word",
        ),
        (
            "albert",
            "X = LayerNorm(x̄ + E + token type 0)·W + b, where x̄ is the mean word",
        ),
        (
            "electra",
            "X = LayerNorm(x̄ + E + token type 0)·W + b, where x̄ is the mean word",
        ),
        (
            "distilbert",
            "X = LayerNorm(x̄ + E), where x̄ is the mean word",
        ),
        ("gpt2", "X = LayerNorm(x̄ + E), where x̄ is the mean word"),
        ("openai-gpt", "X = x̄ + E, where x̄ is the mean word"),
        ("bart", "X = LayerNorm(x̄ + E), where x̄ is the mean word"),
        (
            "bart-scaled",
            "X = LayerNorm(x̄ + E), where x̄ is the mean word, times the root of its width",
        ),
        (
            // Its norms come after the layers.
            "opt-projected",
            "X = x̄ + E, where x̄ is the mean word, projected",
        ),
        ("vit", "X = LayerNorm(x̄ + E), where x̄ is a black patch"),
        ("whisper", "X = LayerNorm(E)"),
        // Positions that are not rows do not enter X.
        ("t5", ""),
        ("swin", ""),
    ] {
        assert_eq!(
            summary(name, ModelOptions::default()).content_input,
            states,
            "{name}"
        );
    }
    let (_, preset) = golden_minilm::open();
    assert_eq!(
        preset.content_input,
        "X = LayerNorm(x̄ + E + token type 0), where x̄ is the mean word"
    );
}

/// The notes list the steps; each part of the formula has its note, and both follow the same switch.
#[test]
fn the_formula_follows_the_notes_and_their_switches() {
    for name in [
        "bert",
        "roberta",
        "albert",
        "electra",
        "distilbert",
        "gpt2",
        "openai-gpt",
        "bart",
        "mbart",
        "opt",
        "opt-projected",
        "vit",
        "timm-vit",
        "clip",
        "whisper",
        "longformer",
        "beit",
        "xlm-roberta",
    ] {
        let found = summary(name, ModelOptions::default());
        if found.content_input.is_empty() {
            continue;
        }
        for (title, correction, part) in [
            ("LayerNorm", Correction::LayerNorm, "LayerNorm("),
            (
                "Added to every position",
                Correction::AddedRow,
                " + token type 0",
            ),
        ] {
            let has_note = found.notes.iter().any(|note| note.title == title);
            assert_eq!(
                found.content_input.contains(part),
                has_note,
                "{name}, {title}: {}",
                found.content_input
            );
            let without = summary(name, ModelOptions::default().switch(correction));
            assert!(
                !without.content_input.contains(part),
                "{name}: {}",
                without.content_input
            );
        }
        let maps = found.notes.iter().any(|note| note.title == "Projection");
        assert_eq!(
            found.content_input.contains("·W"),
            maps,
            "{name}: {}",
            found.content_input
        );
        let unbiased = summary(name, ModelOptions::default().switch(Correction::Biases));
        assert!(
            !unbiased.content_input.contains("+ b"),
            "{name}: {}",
            unbiased.content_input
        );
    }
}
