//! The same start and batches give the same gradients and losses in PyTorch: `tests/make/twin.py` made the files in
//! `tests/data`.

mod twin_recipes;

use small_transformer::{Trainer, TrainingRecipe};

fn data(recipe: &TrainingRecipe, end: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let path = format!("{folder}/{}.{end}", recipe.encoding);
    std::fs::read(&path).expect(&path)
}

#[test]
fn gradients_and_losses_are_those_of_pytorch() {
    for recipe in twin_recipes::recipes() {
        let name = recipe.encoding;
        let mut trainer = Trainer::new(&recipe, &[]).expect("a recipe within the limits");
        let bytes = data(&recipe, "gradient");
        let gradient: Vec<f32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|four| f32::from_le_bytes(*four))
            .collect();
        let losses = String::from_utf8(data(&recipe, "losses")).expect("text");
        let losses: Vec<f64> = losses
            .lines()
            .map(|line| line.parse().expect("a loss"))
            .collect();
        assert_eq!(losses.len(), recipe.steps as usize);
        for (step, expected) in losses.into_iter().enumerate() {
            let loss = trainer.step().expect("a finite loss");
            assert!(
                (loss - expected).abs() < 1e-4,
                "{name}, step {step}: {loss} {expected}"
            );
            if step == 0 {
                assert_eq!(trainer.gradients().len(), gradient.len(), "{name}");
                let norm = |values: &mut dyn Iterator<Item = f32>| {
                    values.map(|v| f64::from(v).powi(2)).sum::<f64>().sqrt()
                };
                let pairs = trainer.gradients().iter().zip(&gradient);
                let apart =
                    norm(&mut pairs.map(|(a, b)| a - b)) / norm(&mut gradient.iter().copied());
                assert!(apart < 1e-4, "{name}: {apart}");
            }
        }
    }
}
