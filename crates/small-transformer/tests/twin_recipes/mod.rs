//! Tiny recipes that are trained in PyTorch, too.

use small_transformer::{EncodingName, RecipeSize, TaskName, TrainingRecipe};

/// One recipe for each encoding with a twin.
pub(crate) fn recipes() -> Vec<TrainingRecipe> {
    let encodings = [
        EncodingName::None,
        EncodingName::Learned,
        EncodingName::Sinusoidal,
        EncodingName::Rotary,
        EncodingName::PartialRotary,
        EncodingName::Alibi,
        EncodingName::T5,
        EncodingName::Shaw,
        EncodingName::Tisa(2),
        EncodingName::LearnedAndTisa(2),
    ];
    let recipe = |encoding| TrainingRecipe {
        // A causal task for some.
        task: match encoding {
            EncodingName::None | EncodingName::PartialRotary => TaskName::Repeat,
            _ => TaskName::Offset(vec![2]),
        },
        encoding,
        size: RecipeSize {
            n: 10,
            d: 8,
            layers: 2,
            heads: 2,
            width_factor: 2,
            batch: 4,
        },
        seed: 11,
        steps: 50,
    };
    encodings.map(recipe).into()
}
