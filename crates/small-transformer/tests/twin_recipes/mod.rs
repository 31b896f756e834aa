//! Tiny recipes that are trained in PyTorch, too.

use small_transformer::{EncodingName, RecipeSize, TaskName, TrainingRecipe};

/// One recipe for each encoding with a twin.
pub(crate) fn recipes() -> Vec<TrainingRecipe> {
    let encodings = [
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
        // One decoder.
        task: match encoding {
            EncodingName::PartialRotary => TaskName::Repeat,
            _ => TaskName::Offset(vec![2]),
        },
        encoding,
        size: RecipeSize {
            n: 10,
            // With fewer units, all of the head's may be zero: the norm then has nothing to divide by.
            d: 16,
            layers: 2,
            heads: 2,
            width_factor: 1,
            batch: 4,
        },
        seed: 11,
        steps: 50,
    };
    encodings.map(recipe).into()
}
