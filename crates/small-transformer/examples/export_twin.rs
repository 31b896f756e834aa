//! Writes what `tests/make/twin.py` needs to train the same tiny models in PyTorch: for each encoding, its start weights
//! and batches, as text.
//!
//! `cargo run -p small-transformer --example export_twin -- FOLDER`

#[path = "../tests/twin_recipes/mod.rs"]
mod twin_recipes;

use small_transformer::Trainer;
use std::{error::Error, fmt::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder to write to")?;
    std::fs::create_dir_all(&folder)?;
    for recipe in twin_recipes::recipes() {
        let mut trainer = Trainer::new(&recipe, &[])?;
        let shape = *trainer.model().shape();
        let mut text = format!(
            "{} {} {} {} {} {} {} {}\n",
            shape.n,
            shape.d,
            shape.layers,
            shape.heads,
            shape.symbols,
            u8::from(shape.is_causal),
            recipe.steps,
            recipe.encoding,
        );
        for entry in trainer.model().layout().entries() {
            let numbers = |numbers: &[f32]| {
                numbers
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let sizes: Vec<String> = entry.shape.iter().map(ToString::to_string).collect();
            let (peak, decay) = (entry.group.peak_rate(), entry.group.decay());
            let values = numbers(entry.range.of(trainer.weights()));
            writeln!(
                text,
                "parameter {} {} {peak} {decay} {values}",
                entry.name,
                sizes.join("x")
            )?;
        }
        for _ in 0..recipe.steps {
            trainer.step()?;
            let line = |symbols: &[u32]| {
                symbols
                    .iter()
                    .map(|s| (*s as i32).to_string())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            writeln!(text, "inputs {}", line(&trainer.batch().inputs))?;
            writeln!(text, "targets {}", line(&trainer.batch().targets))?;
        }
        std::fs::write(format!("{folder}/{}.txt", recipe.encoding), text)?;
    }
    Ok(())
}
